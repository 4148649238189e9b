"""What a run of claims would take, told before it starts: by recorded seconds, by games tried here, and by what is there already.

>>> planned = plan(["yang"], Reproducer())
>>> [(place.where, place.claims) for place in planned.places if place.claims][-1]
('section 4', 4)
>>> planned.seconds < 60
True
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from time import gmtime, strftime
from typing import Any

from meldlab.analysis.study import EXPERIMENT, missing_games, settings_of
from meldlab.dry_run import TYPICAL, study_cost, tuning_cost
from meldlab.parallel import core_count
from meldlab.reproduce import nagai, valet
from meldlab.reproduce.bench import PlannedSearch, Reproducer, kept_result
from meldlab.reproduce.claims import chosen, publications
from meldlab.runs.store import Store

__all__ = ["PlannedPlace", "PlannedRun", "plan"]

PARALLEL = {"classes-7-round", "base", "tuned", "shipped"}  # claims that use all cores
FIGURES = "figures"  # what is drawn when all claims of a publication are done


@dataclass(frozen=True)
class PlannedPlace:
    """The claims of one place in a publication, what they would take, and what of that is there already."""

    publication: str
    where: str
    claims: int
    seconds: float
    memory: float  # bytes that the program holds by then
    note: str = ""
    """What is there already, and how many games are to be played."""

    def __add__(self, other: "PlannedPlace") -> "PlannedPlace":
        return replace(
            self,
            claims=self.claims + other.claims,
            seconds=self.seconds + other.seconds,
            memory=max(self.memory, other.memory),
            note="; ".join(dict.fromkeys(filter(None, (self.note, other.note)))),
        )


@dataclass(frozen=True)
class PlannedRun:
    """A whole run that nobody has started."""

    size: str
    places: tuple[PlannedPlace, ...]
    basis: str
    """What the estimate rests on."""

    def of(self, publication: str) -> "PlannedRun":
        """Return the part of one publication."""
        return replace(self, places=tuple(place for place in self.places if place.publication == publication))

    @property
    def publications(self) -> list[str]:
        """Return the names, each once."""
        return list(dict.fromkeys(place.publication for place in self.places))

    @property
    def seconds(self) -> float:
        """Return the seconds of everything."""
        return sum(place.seconds for place in self.places)

    @property
    def memory(self) -> float:
        """Return the most bytes that are held at once."""
        return max(place.memory for place in self.places)

    def as_json(self) -> dict[str, Any]:
        """Return what the command line answers."""
        whole = {"size": self.size, "dry_run": True, "seconds": self.seconds, "memory": self.memory, "basis": self.basis}
        parts = []
        for name in self.publications:
            part = self.of(name)
            parts.append({"name": name, "seconds": part.seconds, "memory": part.memory, "places": list(map(asdict, part.places))})
        return {**whole, "publications": parts}


@dataclass(frozen=True)
class Left:
    """What is left to play for a claim, and what is there already."""

    seconds: float
    note: str


def plan(names: Iterable[str], bench: Reproducer, store: str | None = None) -> PlannedRun:
    """Return what some publications would take; of the store only is read what it holds, and nothing is kept."""
    wanted, costs = chosen(names), kept_result("costs")
    assert costs is not None
    cores, size = bench.threads or core_count(), "full" if bench.full else "quick"
    places: dict[tuple[str, str], PlannedPlace] = {}
    for name in wanted:
        searched = _searched(name, bench, store)
        recorded: Mapping[str, Mapping[str, Any]] = costs[size][name]
        for id, where in [*((claim.id, claim.where) for claim in publications()[name].claims), (FIGURES, FIGURES)]:
            cost, left = recorded[id], searched.get(id)
            # A search takes as much memory at any size, but where it was carried it was not recorded.
            memory = max(cost["memory"], costs["quick"][name][id]["memory"])
            alone = cost["seconds"] / (cores if id in PARALLEL else 1)
            seconds, note = (left.seconds, left.note) if left is not None else (alone, cost.get("note", ""))
            one = PlannedPlace(name, where, int(id != FIGURES), seconds, memory, note)
            places[name, where] = places[name, where] + one if (name, where) in places else one
    tried = " and games tried here" if any(name in ("nagai", "valet") for name in wanted) else ""
    return PlannedRun(size, tuple(places.values()), f"processor seconds recorded {costs['date']} with {costs['machine']}{tried}")


def _searched(name: str, bench: Reproducer, store: str | None) -> dict[str, Left]:
    """Return what is left of the experiments that go through the store, by the claim for which each is played."""
    if name == "nagai":
        return {claim: _left(search, bench, store) for claim, search in nagai.searches(bench).items()}
    return {"successive": _study_left(bench, store)} if name == "valet" else {}


def _left(search: PlannedSearch, bench: Reproducer, store: str | None) -> Left:
    kept = bench.carried(search.experiment)
    if kept is not None:
        return Left(0.0, f"{kept['games']:,} games of {kept['date']} are carried by the package")
    run = Store.find_run(store, search.experiment, search.settings)
    if run is not None and run.finished:
        return Left(0.0, f"finished {strftime('%Y-%m-%d', gmtime(run.finished))}, run {run.number} of the store")
    done = run.games() if run is not None else 0
    left = max(2, search.games - done)
    return Left(tuning_cost(TYPICAL[search.experiment], left, bench.threads).seconds, _note(left, done))


def _study_left(bench: Reproducer, store: str | None) -> Left:
    if valet.carried(bench):
        return Left(0.0, "searched games are carried by the package")
    subject, effort = valet.study(bench)
    missing = missing_games(subject, effort, Store.find_run(store, EXPERIMENT, settings_of(subject, effort)))
    left, whole = sum(missing.values()), effort.games * len(missing)
    return Left(study_cost(subject, effort, missing, bench.threads).seconds, _note(left, whole - left))


def _note(left: int, done: int) -> str:
    return f"{left:,} games to be played" + (f", {done:,} are in the store" if done else "")
