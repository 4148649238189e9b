"""What a run of claims works with: its size, its seed, where games are kept, and the figures that come of it."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from time import gmtime, strftime
from typing import Any

from meldlab.errors import NotPossible
from meldlab.reports.plot import Sheet
from meldlab.reproduce.judging import Obtained
from meldlab.runs.store import Run, Store

__all__ = ["Drawn", "Findings", "PlannedSearch", "Reproducer", "kept_result"]

Findings = Iterator[tuple[str, Obtained]]
"""Claims by their id, as they are done."""


@dataclass(frozen=True)
class Drawn:
    """A figure of a publication as it comes out here, and whether its numbers stand beside ours."""

    name: str
    title: str
    sheet: Sheet
    theirs: str
    """What of the publication's own numbers it shows, or why there are none."""
    claim: str = ""
    """The claim that it belongs to."""


@dataclass(frozen=True)
class PlannedSearch:
    """An experiment as the store knows it, and how many games it takes."""

    experiment: str
    settings: Mapping[str, Any]
    games: int


@dataclass
class Reproducer:
    """The settings of a run, and what it has drawn."""

    full: bool = False
    seed: int = 1
    store: Store | None = None
    threads: int = 0
    anew: bool = False
    """Whether everything is computed here and now, whatever is kept in the package."""
    tiny: bool = False
    """As small as anything can be: for tests, whose verdicts mean nothing."""
    progress: Callable[[float], None] = lambda part: None
    """Hears how much of the claim at hand is done, from 0 to 1."""
    figures: list[Drawn] = field(default_factory=list)

    def draw(
        self, name: str, title: str, sheet: Sheet, theirs: str = "They printed the picture, not its numbers.", claim: str = ""
    ) -> None:
        """Keep a figure for the page."""
        self.figures.append(Drawn(name, title, sheet, theirs, claim))

    def part(self, done: int, whole: int) -> None:
        """Report ``done`` of ``whole`` of the claim at hand as its progress."""
        self.progress(done / max(1, whole))

    def pick(self, full: Any, quick: Any, tiny: Any) -> Any:
        """Return what belongs to the size of this run."""
        return tiny if self.tiny else full if self.full else quick

    @property
    def opened(self) -> Store:
        """Return the store."""
        if self.store is None:
            raise NotPossible("this needs a store to keep its games in")
        return self.store

    def carried(self, name: str) -> Mapping[str, Any] | None:
        """Return an experiment that the package carries, if this run takes it from there; one of another seed is another one."""
        kept = kept_result(name) if self.full and not self.anew else None
        return kept if kept is not None and kept["settings"]["seed"] == self.seed else None

    def known(self, run: Run) -> str:
        """Return when a run of the store was finished, if it was before: then nothing of it is played again."""
        return f"stored {strftime('%Y-%m-%d', gmtime(run.finished))} in {self.opened}" if run.finished else ""


def kept_result(name: str) -> Mapping[str, Any] | None:
    """Return a long run that the package carries: its settings, date, version, machine, seconds and result."""
    place = files(__package__).joinpath("kept", f"{name}.json")
    return json.loads(place.read_text("utf-8")) if place.is_file() else None
