"""The cost of a run of claims: one line for each publication, from the seconds in ``claims.toml``.

>>> plan(["yang"], Context()).seconds < 60
True
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from meldlab.reproduce.claims import publications, select
from meldlab.reproduce.run import Context, bundled_result

BUNDLED = {"nagai": ("track", "knock", "ensemble")}


@dataclass(frozen=True)
class PlannedPublication:
    """The recorded CPU seconds of a publication's claims."""

    name: str
    seconds: float
    note: str = ""
    """Which experiments are bundled with the package, or are played again."""


@dataclass(frozen=True)
class RunPlan:
    """The cost of a run; nothing is started."""

    size: str
    publications: tuple[PlannedPublication, ...]

    @property
    def seconds(self) -> float:
        """Return the CPU seconds of all publications."""
        return sum(publication.seconds for publication in self.publications)

    def as_json(self) -> dict[str, Any]:
        """Return the result of the command line."""
        parts = [{"name": part.name, "seconds": part.seconds, "note": part.note} for part in self.publications]
        return {"size": self.size, "dry_run": True, "seconds": self.seconds, "publications": parts}


def plan(names: Iterable[str], context: Context) -> RunPlan:
    """Return the cost of some publications with compiled kernels and an empty store."""
    return RunPlan(
        context.size,
        tuple(PlannedPublication(name, publications()[name].seconds[context.size], _note(name, context)) for name in select(names)),
    )


def _note(name: str, context: Context) -> str:
    notes = []
    for experiment in BUNDLED.get(name, ()) if context.full else ():
        result = bundled_result(experiment)
        assert result is not None
        games = f"{experiment}: {result['games']:,} games"
        if context.bundled(experiment):
            notes.append(f"{games} of {result['date']} are bundled")
        else:
            notes.append(f"{games} to play, which took {result['seconds']:.0f} s ({result['machine']})")
    return "; ".join(notes)
