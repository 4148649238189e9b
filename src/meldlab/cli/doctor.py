"""``meldlab doctor``: what this installation has, and kernels compiled ahead."""

import os
import platform
import time
from collections.abc import Callable, Mapping
from importlib import metadata

from meldlab import __version__
from meldlab.cli.options import JsonOption, print_json

LIBRARIES = ("numba", "numpy", "typer", "rich")


def doctor(json: JsonOption = False) -> None:
    """Print versions, threads, GPU and cache folder, and compile the kernels ahead.

    Example: meldlab doctor
    """
    import numba

    from meldlab.compiling import kernel_folder

    facts: dict[str, object] = {
        "meldlab": __version__,
        "python": platform.python_version(),
        **{name: metadata.version(name) for name in LIBRARIES},
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "threads": numba.get_num_threads(),
        "gpu": gpu(),
        "cache": str(kernel_folder().parent.parent),
    }
    if not json:
        for name, value in facts.items():
            print(f"{name:10} {value}")
    facts["kernels"] = {name: warm(name, job, quiet=json) for name, job in kernel_jobs().items()}
    if json:
        print_json(facts)


def gpu() -> str:
    """Return the name of the CUDA device, or why there is none."""
    try:
        metadata.version("numba-cuda")
    except metadata.PackageNotFoundError:
        return "none (pip install 'meldlab[cuda]' on a machine with one)"
    from numba import cuda

    if not cuda.is_available():
        return "none (no CUDA driver answers)"
    name = cuda.get_current_device().name
    return name.decode() if isinstance(name, bytes) else str(name)


def warm(name: str, job: Callable[[], object], quiet: bool) -> float:
    """Run a job once, so that its kernels are compiled and cached, and return the seconds."""
    start = time.perf_counter()
    job()
    seconds = time.perf_counter() - start
    if not quiet:
        print(f"{name:10} kernels ready in {seconds:.1f} s", flush=True)
    return round(seconds, 2)


def kernel_jobs() -> Mapping[str, Callable[[], object]]:
    """Return, by room, a small job that touches each of its kernels."""
    return {"cards": _cards, "melds": _melds, "rummikub": _rummikub}


def _cards() -> None:
    from meldlab.cards import Deck, classes

    classes.ranks(classes.hands(3, 0, 10), 3)
    classes.orbit_size(Deck.shuffled(0).deal(3)[0])
    classes.rank(classes.unrank(3, 1))


def _melds() -> None:
    from meldlab.cards.deck import random_hands
    from meldlab.melds import arrange, deadwoods

    deadwoods(random_hands(4, 10, seed=0))
    arrange("5H 6H 7H 9C 9D KS")


def _rummikub() -> None:
    from meldlab.rummikub import Position, random_position, solve

    solve(Position.parse("R5 R6 R7 | K9 B9 O9", "R8 J"))
    random_position("easy", seed=0)
