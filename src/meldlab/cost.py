"""Estimates of time and memory, before work starts.

>>> cost = Cost(seconds=200.0, memory=1.5e9, where="2 cores", basis="32,819,436 classes of hands, at the speed of this machine")
>>> print(cost)
about 3 minutes on 2 cores, 1.5 GB of memory
>>> memory_text(457_000_000)
'457 MB'
"""

import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from math import inf

from meldlab.formatting import time_text


@dataclass(frozen=True)
class Cost:
    """An estimate of wall time and memory."""

    seconds: float
    memory: float  # bytes
    where: str  # such as "2 cores" or "a GPU"
    basis: str  # what the estimate rests on

    def __str__(self) -> str:
        return f"{about_text(self.seconds)} on {self.where}, {memory_text(self.memory)} of memory"


def about_text(seconds: float) -> str:
    """Return an estimated time as text.

    >>> about_text(0.04), about_text(7300)
    ('less than a second', 'about 2 hours')
    """
    return f"about {time_text(seconds)}" if seconds >= 1 else "less than a second"


def cores_text(cores: int) -> str:
    """Return a number of cores as text.

    >>> cores_text(1), cores_text(2)
    ('1 core', '2 cores')
    """
    return f"{cores} core{'s' if cores > 1 else ''}"


def memory_text(memory: float) -> str:
    """Return a number of bytes as text in a suitable unit."""
    for name, unit in (("TB", 1e12), ("GB", 1e9)):
        if memory >= unit:
            return f"{memory / unit:,.1f} {name}"
    return f"{memory / 1e6:,.0f} MB"


def machine_memory() -> float:
    """Return the memory of this machine in bytes; infinity if unknown.

    >>> machine_memory() > 1e8
    True
    """
    try:
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, OSError, ValueError):  # Windows has no sysconf
        return inf


def peak_memory() -> float:
    """Return the peak memory of this process in bytes; 0 if unknown.

    >>> peak_memory() > 1e6
    True
    """
    with suppress(ImportError):  # Windows has no resource
        import resource

        return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024))
    return 0.0
