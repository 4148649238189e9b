"""``meldlab doctor``: what this installation has, and kernels compiled ahead."""

import os
import platform
import time
from collections.abc import Callable
from importlib import metadata

from meldlab import __version__
from meldlab.cli.options import JsonOption, print_json

LIBRARIES = ("numba", "numpy", "scipy", "matplotlib", "typer", "rich")


def doctor(json: JsonOption = False) -> None:
    """Print versions, threads, GPU and cache folder, and compile the kernels ahead.

    Example: meldlab doctor
    """
    import numba

    from meldlab.compiling import kernel_folder
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
    facts["kernels"] = {name: warm(name, job, quiet=json) for name, job in kernel_jobs().items()}
    if json:
        print_json(facts)


def warm(name: str, job: Callable[[], object], quiet: bool) -> float:
    """Run a job once, so that its kernels are compiled and cached, and return the seconds."""
    start = time.perf_counter()
    job()
    seconds = time.perf_counter() - start
    if not quiet:
        print(f"{name:10} kernels ready in {seconds:.1f} s", flush=True)
    return round(seconds, 2)
