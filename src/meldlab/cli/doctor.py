"""``meldlab doctor``: versions and hardware of this installation, and kernels compiled ahead."""

import os
import platform
from importlib import metadata

from meldlab import __version__
from meldlab.cli.interruption import AGAIN, on_interrupt
from meldlab.cli.options import EXTRAS, JsonOption
from meldlab.cli.output import print_json

LIBRARIES = ("numba", "numpy", "scipy", "matplotlib", "typer", "rich")


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return f"none (pip install 'meldlab[{EXTRAS.get(name, 'all')}]')"


def doctor(json: JsonOption = False) -> None:
    """Print versions, threads, GPU and cache folder, and compile kernels ahead.

    Example: meldlab doctor
    """
    import numba

    from meldlab.cache import kernel_folder
    from meldlab.gpu import gpu_name
    from meldlab.precompile import ON_FIRST_USE, compile_packages

    facts: dict[str, object] = {
        "meldlab": __version__,
        "python": platform.python_version(),
        **{name: _version(name) for name in LIBRARIES},
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "threads": numba.get_num_threads(),
        "gpu": gpu_name(),
        "cache": str(kernel_folder().parent.parent),
    }
    if not json:
        for name, value in facts.items():
            print(f"{name:10} {value}")
    on_interrupt(f"compiled kernels are cached; {AGAIN}")
    compiled = {}
    for package, seconds in compile_packages():
        compiled[package] = round(seconds, 2)
        if not json:
            print(f"{package:10} kernels {f'ready in {seconds:.1f} s' if seconds else 'ready'}", flush=True)
    facts["kernels"] = compiled
    if json:
        print_json(facts)
    else:
        print(f"compiled on first use: {ON_FIRST_USE}")
