"""From what came out here to a verdict, by rules that know nothing of the run.

>>> claim = PublishedClaim("rate", "p. 1", "it wins", "within", 0.57, 0.01)
>>> print(*(ruling(claim, Obtained("", value, error=error)) for value, error in ((0.565, 0.0), (0.50, 0.0), (0.565, 0.02))))
within refuted open
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import isclose
from numbers import Real
from typing import Any

from meldlab.reproduce.claims import PublishedClaim, Ruling

__all__ = ["Obtained", "ruling"]


@dataclass(frozen=True)
class Obtained:
    """What came out for one claim."""

    ours: str
    """In words, with an interval or "exact"."""
    value: Any = None
    """What is compared with what was published: a number, a list of numbers, words, or whether every property holds."""
    error: float = 0.0
    """Half of its 95 % interval; where that is wider than the tolerance nothing is decided."""
    judged: Ruling | None = None
    """The verdict, where the experiment has a rule of its own for it."""
    note: str = ""
    reduced: str = ""
    """How it is smaller than the publication's, where it is."""
    seed: int | None = None
    stored: str = ""
    """When and where it was computed, if not now."""
    absent: str = ""
    """A program that is needed and not installed: then nothing is said, and nothing is compared with the baseline."""


def ruling(claim: PublishedClaim, found: Obtained) -> Ruling:
    """Return the verdict."""
    if found.judged is not None:
        return found.judged
    if claim.kind == "open" or found.absent:
        return Ruling.OPEN
    if claim.kind == "shape":
        return Ruling.SHAPE if found.value else Ruling.REFUTED
    if claim.kind == "erratum":
        wrong = _same(claim.right, found.value, claim.tolerance) and not _same(claim.published, found.value, claim.tolerance)
        return Ruling.ERRATUM if wrong else Ruling.REFUTED
    if claim.kind == "within" and found.error > claim.tolerance:
        return Ruling.OPEN
    same = _same(claim.published, found.value, claim.tolerance)
    return (Ruling.EXACT if claim.kind == "exact" else Ruling.WITHIN) if same else Ruling.REFUTED


def _same(published: Any, ours: Any, tolerance: float) -> bool:
    """Tell whether two values are the same: numbers within the tolerance, lists place by place, anything else as it is written."""
    if isinstance(published, list) and isinstance(ours, Iterable) and not isinstance(ours, str):
        mine = list(ours)
        return len(mine) == len(published) and all(_same(a, b, tolerance) for a, b in zip(published, mine, strict=True))
    if isinstance(published, bool) or isinstance(ours, bool) or not (isinstance(published, Real) and isinstance(ours, Real)):
        return bool(published == ours)
    # A tolerance that was printed in decimals may be missed by the last bit of a double.
    return isclose(published, ours, rel_tol=1e-15, abs_tol=tolerance * (1 + 1e-9))
