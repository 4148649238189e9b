"""What came of an experiment: the paper's figure, ours with its interval, and whether they agree."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from meldlab.lab.tuning.claims import Verdict
from meldlab.lab.tuning.measuring import Measured

__all__ = ["Finding", "Report", "json_of"]


@dataclass(frozen=True)
class Finding:
    """One claim of the paper beside what we found."""

    what: str
    paper: str
    ours: str
    verdict: Verdict = Verdict.NONE

    def as_json(self) -> dict[str, Any]:
        """Return the answer of the command line."""
        return {"what": self.what, "paper": self.paper, "ours": self.ours, "verdict": str(self.verdict)}


@dataclass(frozen=True)
class Report:
    """An experiment that is over."""

    experiment: str
    findings: tuple[Finding, ...]
    results: Mapping[str, Any] = field(default_factory=dict)
    """Everything else that was found, as plain JSON."""
    notes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the answer of the command line."""
        findings = [each.as_json() for each in self.findings]
        return {"experiment": self.experiment, "findings": findings, **self.results, "notes": list(self.notes)}


def json_of(measured: Measured) -> dict[str, Any]:
    """Return a measurement as plain JSON, the rate with its interval."""
    rate = measured.rate
    return {"games": measured.games, "wins": measured.wins, "win_rate": rate.value, "ci95": [rate.low, rate.high]}
