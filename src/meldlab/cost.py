"""What some work would take, told before it starts.

>>> cost = Cost(seconds=200.0, memory=1.5e9, where="2 cores", basis="32,819,436 classes of hands, at the speed of this machine")
>>> print(cost)
about 3 minutes on 2 cores, 1.5 GB of memory
>>> memory_text(457_000_000)
'457 MB'
"""

import os
from dataclasses import dataclass

from meldlab.errors import time_text

__all__ = ["Cost", "about_text", "cores_text", "machine_memory", "memory_text"]


@dataclass(frozen=True)
class Cost:
    """An estimate of the time by the clock and of the memory that some work takes."""

    seconds: float
    memory: float  # bytes
    where: str  # such as "2 cores" or "a GPU"
    basis: str  # what the estimate rests on

    def __str__(self) -> str:
        return f"{about_text(self.seconds)} on {self.where}, {memory_text(self.memory)} of memory"


def about_text(seconds: float) -> str:
    """Return an estimate of a time in words.

    >>> about_text(0.04), about_text(7300)
    ('less than a second', 'about 2 hours')
    """
    return f"about {time_text(seconds)}" if seconds >= 1 else "less than a second"


def cores_text(cores: int) -> str:
    """Return a number of cores in words.

    >>> cores_text(1), cores_text(2)
    ('1 core', '2 cores')
    """
    return f"{cores} core{'s' if cores > 1 else ''}"


def memory_text(memory: float) -> str:
    """Return a number of bytes in a unit that suits it, to say what something would take."""
    for name, unit in (("TB", 1e12), ("GB", 1e9)):
        if memory >= unit:
            return f"{memory / unit:,.1f} {name}"
    return f"{memory / 1e6:,.0f} MB"


def machine_memory() -> float:
    """Return the bytes of memory that this machine has.

    >>> machine_memory() > 1e8
    True
    """
    return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
