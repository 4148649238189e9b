"""``meldlab doctor``: what this installation has, and kernels compiled ahead."""

import os
import platform
import time
from importlib import metadata

from meldlab import __version__
from meldlab.cli.options import JsonOption, print_json

LIBRARIES = ("numba", "numpy", "scipy", "matplotlib", "typer", "rich")


def doctor(json: JsonOption = False) -> None:
    """Print versions, threads, GPU and cache folder, and compile the kernels ahead.

    Example: meldlab doctor
    """
    import numba

    from meldlab.cache import kernel_folder
    from meldlab.gpu import gpu_name
    from meldlab.lab.warming import kernel_jobs

    facts: dict[str, object] = {
        "meldlab": __version__,
        "python": platform.python_version(),
        **{name: metadata.version(name) for name in LIBRARIES},
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "threads": numba.get_num_threads(),
        "gpu": gpu_name(),
        "cache": str(kernel_folder().parent.parent),
    }
    if not json:
        for name, value in facts.items():
            print(f"{name:10} {value}")
    facts["kernels"] = {name: warm(name, quiet=json) for name in kernel_jobs()}
    if json:
        print_json(facts)


def warm(room: str, quiet: bool) -> float:
    """Compile the kernels of a room into the cache, and return the seconds."""
    from meldlab.lab.warming import compile_room

    start = time.perf_counter()
    compile_room(room)
    seconds = time.perf_counter() - start
    if not quiet:
        print(f"{room:10} kernels ready in {seconds:.1f} s", flush=True)
    return round(seconds, 2)
