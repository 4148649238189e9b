"""What came of an experiment: the paper's figure, ours with its interval, and whether they agree."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from meldlab.lab.tuning.measuring import Measured
from meldlab.statistics import Interval

__all__ = ["Finding", "Report", "agreeing", "told_of"]


@dataclass(frozen=True)
class Finding:
    """One claim of the paper beside what we found; ``agrees`` is None where there is nothing to agree with."""

    what: str
    paper: str
    ours: str
    agrees: bool | None = None

    def told(self) -> dict[str, Any]:
        """Return the answer of the command line."""
        return {"what": self.what, "paper": self.paper, "ours": self.ours, "agrees": self.agrees}


@dataclass(frozen=True)
class Report:
    """An experiment that is over."""

    experiment: str
    findings: tuple[Finding, ...]
    results: Mapping[str, Any] = field(default_factory=dict)
    """Everything else that was found, as plain JSON."""
    notes: tuple[str, ...] = ()

    def told(self) -> dict[str, Any]:
        """Return the answer of the command line."""
        findings = [each.told() for each in self.findings]
        return {"experiment": self.experiment, "findings": findings, **self.results, "notes": list(self.notes)}


def told_of(measured: Measured) -> dict[str, Any]:
    """Return a measurement as plain JSON, the rate with its interval."""
    rate = measured.rate
    return {"games": measured.games, "wins": measured.wins, "win_rate": rate.value, "ci95": [rate.low, rate.high]}


def agreeing(ours: Interval, paper: float, games: int) -> bool:
    """Tell whether a rate the paper measured in ``games`` games, printed with two or three digits, agrees with ours.

    Both are measurements: they agree when their difference is within twice its standard error (rounding to two digits included).

    >>> agreeing(Interval(0.55, 0.545, 0.555), 0.57, 2000), agreeing(Interval(0.5, 0.495, 0.505), 0.57, 2000)
    (True, False)
    """
    mine = (ours.high - ours.low) / 4
    theirs = (paper * (1 - paper) / games) ** 0.5
    return bool(abs(ours.value - paper) <= 2 * (mine**2 + theirs**2) ** 0.5 + 0.005)
