"""What came of an experiment: the paper's figure, ours with its interval, and whether they agree."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from meldlab.reproduce.nagai.significance import Verdict

__all__ = ["CheckedClaim", "Report"]


@dataclass(frozen=True)
class CheckedClaim:
    """One claim of the paper beside what we found."""

    what: str
    paper: str
    ours: str
    verdict: Verdict = Verdict.NONE
    id: str = ""
    """The claim in the book of ``reproduce`` that it answers, alone or with others; empty where there is none."""


@dataclass(frozen=True)
class Report:
    """An experiment that is over."""

    experiment: str
    findings: tuple[CheckedClaim, ...]
    results: Mapping[str, Any] = field(default_factory=dict)
    """Everything else that was found, as plain JSON."""
    notes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return what the command line answers."""
        findings = [{**asdict(each), "verdict": str(each.verdict)} for each in self.findings]
        return {"experiment": self.experiment, "findings": findings, **self.results, "notes": list(self.notes)}
