"""A study: all games that the picture of a described game needs, played where there is room and kept, and what follows from them."""

import hashlib
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from meldlab.analysis.figures import draw_branching, draw_decisions, draw_lead, draw_scores, draw_spread, draw_times
from meldlab.analysis.forecast import Forecast
from meldlab.analysis.heuristics import PUBLISHED_RULES, Heuristic, heuristics
from meldlab.analysis.movement import COLOURS, draw_movement
from meldlab.analysis.playing import LineUp, counted_games, limits_of
from meldlab.analysis.sample import Sample
from meldlab.analysis.tables import Labelled, tables
from meldlab.parallel import Progress, no_progress
from meldlab.recycle.game import Described
from meldlab.recycle.language.header import Preface
from meldlab.recycle.language.variants import varied
from meldlab.recycle.machine.machine import Machine
from meldlab.recycle.players import Searcher
from meldlab.recycle.telling.movement import Movement
from meldlab.reports.plot import Sheet
from meldlab.runs.store import Run, Store
from meldlab.runs.tasks import Task, run_tasks
from meldlab.statistics import Interval, Moments

__all__ = ["EXPERIMENT", "Analysis", "Effort", "Subject", "analyse", "missing_games", "settings_of"]

EXPERIMENT = "recycle analyse"
TEN = 10  # random games of a piece
MAX_DETERMINIZATIONS = 100  # Leduc Poker, mcts:1000: drama 0.000 with 10, 0.055 with 100, 0.057 with 1,000


@dataclass(frozen=True)
class Subject:
    """A described game, and the declared numbers that were set for it."""

    described: Described
    settings: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, described: Described, settings: Mapping[str, int]) -> Self:
        """Return the variant of a game."""
        text = varied(described.text, settings, described.dialect)
        return cls(Described(described.name, text, described.dialect, described.limits), dict(settings))

    @property
    def machine(self) -> Machine:
        """Return the machine that runs it."""
        return self.described.machine

    @cached_property
    def preface(self) -> Preface:
        """Return what its comments say."""
        return Preface.of(self.described.text)

    @property
    def variant(self) -> str:
        """Return what was set, as it is written."""
        return ", ".join(f"{name}={value}" for name, value in self.settings.items())

    @property
    def name(self) -> str:
        """Return the name of the file or library game, with what was set."""
        return self.described.name + (f" {self.variant}" if self.settings else "")

    @property
    def title(self) -> str:
        """Return the name for people."""
        plain = self.preface.title or self.described.name.replace("_", " ").title()
        return plain + (f" ({self.variant})" if self.settings else "")


@dataclass(frozen=True)
class Effort:
    """How much is played: games of each line-up, who searches, and how long it thinks."""

    games: int = 100
    counted: int = 10_000
    """Random games of which only the scores are kept, for the chances of the first seat."""
    player: str = "mcts"
    simulations: int = 1000
    seed: int = 0
    quick: bool = False
    random: int | None = None
    """Games between random players, which cost next to nothing; as many as of the others where it is not said."""

    @classmethod
    def of(cls, games: int | None, simulations: int | None, quick: bool, player: str, seed: int) -> Self:
        """Return the published number of games or a quick look, with what the user asked for in its place."""
        whole = cls(30, 2000, simulations=20, quick=True) if quick else cls()
        return cls(games or whole.games, whole.counted, player, simulations or whole.simulations, seed, quick, games or 100)

    @property
    def searcher(self) -> Searcher:
        """Return the player that searches: on many sampled deals, unless its text says otherwise."""
        searcher = Searcher.parse(self.player, self.simulations)
        if searcher.kind not in ("mcts", "pimc") or searcher.final_policy == "pooled" or "deals=" in self.player:
            return searcher
        return replace(searcher, determinizations=min(searcher.simulations, MAX_DETERMINIZATIONS))

    def line_ups(self, seats: int) -> dict[str, LineUp]:
        """Return the three line-ups: all random, all searching, one searching in the first seat."""
        chance = Searcher("random")
        return {
            "random": LineUp((chance,) * seats),
            "skilled": LineUp((self.searcher,) * seats),
            "single": LineUp((self.searcher, *[chance] * (seats - 1))),
        }


@dataclass(frozen=True, eq=False)
class Analysis:
    """A game as it was found to be."""

    subject: Subject
    effort: Effort
    random: Sample
    skilled: Sample
    single: Sample
    counted: Sample
    movement: Movement
    seconds: float

    @cached_property
    def heuristics(self) -> tuple[Heuristic, ...]:
        """Return the ten published numbers."""
        return heuristics(self.random, self.skilled, self.single, self.counted, self.teams)

    @cached_property
    def teams(self) -> tuple[int, ...]:
        """Return the team of each seat, 0 for none."""
        return self.subject.machine.begin(self.effort.seed).teams

    @property
    def samples(self) -> dict[str, Sample]:
        """Return the samples by who played."""
        player = self.effort.searcher.kind
        if player == "random":
            return {"random": self.random}
        several = {"random": self.random, f"all {player}": self.skilled}
        return several if self.random.seats == 1 else {**several, f"p1 {player}, others random": self.single}

    @cached_property
    def determinizations(self) -> dict[str, float] | None:
        """Return on how many determinizations an estimate of the searching players rests: median, least and most over decisions."""
        each = self.skilled.determinizations[self.skilled.estimated]
        return {"median": float(np.median(each)), "least": int(each.min()), "most": int(each.max())} if len(each) else None

    @property
    def determinizations_text(self) -> str:
        """Return the same as text, empty where no player searches."""
        found = self.determinizations
        if found is None:
            return ""
        few, many = found["least"], found["most"]
        return f"{many} determinizations" if few == many else f"{found['median']:.0f} determinizations in the median ({few} to {many})"

    @property
    def unfinished(self) -> int:
        """Return how many games did not come to their end."""
        return sum(sample.games - sample.finished for sample in self.samples.values())

    @cached_property
    def sheets(self) -> dict[str, Sheet]:
        """Return every figure by its name."""
        return {
            "movement": draw_movement(self.movement),
            "branching": draw_branching(self.random, self.effort.seed),
            "spread": draw_spread(self.skilled),
            "lead": draw_lead(self.skilled),
            "decisions": draw_decisions(self.samples),
            "scores": draw_scores(self.samples),
            "times": draw_times(self.samples),
        }

    @cached_property
    def tables(self) -> dict[str, str]:
        """Return the tidy tables by file name."""
        line_ups = self.effort.line_ups(self.random.seats)
        searcher = self.effort.searcher
        given: dict[str, Any] = {"level": searcher.level, "samples": searcher.determinizations, "tests": searcher.simulations}
        kept = {"random": self.random, "skilled": self.skilled, "single": self.single}
        played = [Labelled(line_ups[name].letters, sample, **({} if name == "random" else given)) for name, sample in kept.items()]
        return tables(self.subject.name, played[: len(self.samples)])

    def as_json(self) -> dict[str, Any]:
        """Return what the command line answers."""
        effort = self.effort
        return {
            "game": self.subject.described.name,
            "title": self.subject.title,
            "players": self.random.seats,
            "settings": dict(self.subject.settings),
            "player": str(effort.searcher),
            "simulations": effort.searcher.simulations,
            "seed": effort.seed,
            "quick": effort.quick,
            "line_ups": {name: _summary(sample) for name, sample in self.samples.items()},
            "determinizations": self.determinizations,
            "heuristics": {each.name: _json(each) for each in self.heuristics},
            "movement": {
                "locations": [
                    {"name": str(spot), "visibility": spot.visibility, "deck": spot in self.movement.decks} for spot in self.movement.spots
                ],
                "edges": [
                    {"from": str(edge.source), "to": str(edge.target), "meaning": edge.meaning, "colour": COLOURS[edge.meaning]}
                    for edge in self.movement.edges
                ],
            },
            "seconds": self.seconds,
        }


def _json(heuristic: Heuristic) -> dict[str, Any]:
    published = {"published": _interval(heuristic.published)} if heuristic.name in PUBLISHED_RULES else {}
    return {**_interval(heuristic.interval), "meaning": heuristic.meaning, **published}


def _interval(interval: Interval | None) -> dict[str, float | None]:
    ends = {"value": interval.value, "low": interval.low, "high": interval.high} if interval else dict.fromkeys(("value", "low", "high"))
    return {name: end if end is not None and np.isfinite(end) else None for name, end in ends.items()}


def _summary(sample: Sample) -> dict[str, Any]:
    """Return how games went: ends, lengths, options, results by seat, time."""
    ended, shares = sample.ended, sample.win_shares[sample.ended]
    made = sample.decisions
    return {
        "games": sample.games,
        "finished": sample.finished,
        "capped": sample.capped,
        "failed": sample.failed,
        "reasons": dict(sample.reasons),
        "decisions": {"mean": float(made.mean()), "median": float(np.median(made)), "least": int(made.min()), "most": int(made.max())},
        "options_per_decision": float(sample.options.mean()) if len(sample.options) else None,
        "scores": sample.scores[ended].mean(axis=0).tolist() if ended.any() else None,
        "win_rate": [_interval(win_rate(shares[:, seat])) for seat in range(sample.seats)],
        "median_seconds": float(np.median(sample.seconds)),
    }


def win_rate(shares: "np.ndarray[Any, np.dtype[np.float64]]") -> Interval | None:
    """Return the rate of wins, ties shared, with its interval."""
    return Moments.from_counts(np.column_stack((np.ones(len(shares)), shares))).rate(1, 0) if len(shares) else None


def analyse(
    subject: Subject,
    effort: Effort,
    store: Store,
    *,
    jobs: int = 0,
    cluster: str | None = None,
    progress: Progress = no_progress,
    foretell: Callable[[Forecast], None] = lambda forecast: None,
) -> Analysis:
    """Play what the store does not hold yet and return what came out; the same seed gives the same games anywhere.

    Random players go first; ``foretell`` is told what their games are like, and what the rest will take if there is any.
    """
    start, machine = time.perf_counter(), subject.machine
    line_ups, pieces = effort.line_ups(machine.players), _pieces(subject, effort)
    games = {name: _games(effort, line_up) for name, line_up in line_ups.items()}
    random, searched = ({name: some for name, some in pieces.items() if line_ups[name].searches == searches} for searches in (False, True))

    def sampled(counts: Mapping[str, Any], names: Iterable[str]) -> dict[str, Sample]:
        parts = {name: [Sample.from_json(counts[piece.key]["sample"]) for piece in pieces[name]] for name in names}
        return {name: Sample.joined(some).first(games[name]) for name, some in parts.items()}

    with store.start_run(EXPERIMENT, settings_of(subject, effort)) as run:
        samples = sampled(run_tasks([piece for some in random.values() for piece in some], run, jobs=jobs, cluster=cluster), random)
        rest = [piece for some in searched.values() for piece in some]
        foretell(Forecast.of(machine, samples["random"], missing_games(subject, effort, run)))
        samples |= sampled(run_tasks(rest, run, jobs=jobs, cluster=cluster, progress=progress), searched)
    counted = counted_games(machine, effort.seed, effort.counted)
    movement = Movement.of(machine, effort.seed)
    analysis = Analysis(
        subject, effort, samples["random"], samples["skilled"], samples["single"], counted, movement, time.perf_counter() - start
    )
    run.finish({each.name: _interval(each.interval) for each in analysis.heuristics})
    return analysis


def missing_games(subject: Subject, effort: Effort, run: Run | None) -> dict[LineUp, int]:
    """Return how many games of each searching line-up a run does not hold yet, all of them where there is none."""
    line_ups = effort.line_ups(subject.machine.players)
    searched = {line_ups[name]: some for name, some in _pieces(subject, effort).items() if line_ups[name].searches}
    known = run.done([piece.key for some in searched.values() for piece in some]) if run is not None else {}
    return {line_up: sum(piece.key not in known for piece in some) for line_up, some in searched.items()}


def _games(effort: Effort, line_up: LineUp) -> int:
    return effort.games if line_up.searches else effort.random or effort.games


def _pieces(subject: Subject, effort: Effort) -> dict[str, list[Task]]:
    arguments = {"dialect": subject.described.dialect, "limits": limits_of(subject.described.limits)}
    pieces = {}
    for name, line_up in effort.line_ups(subject.machine.players).items():
        games = _games(effort, line_up)
        # Random games are played by whole tens, so that a run which is asked for fewer or more of them has no game twice.
        size, many = (1, games) if line_up.searches else (TEN, -(-games // TEN) * TEN)
        pieces[name] = line_up.shard(subject.described.name, subject.described.text, effort.seed, many, arguments).split(size)
    return pieces


def settings_of(subject: Subject, effort: Effort) -> dict[str, Any]:
    """Return what the store knows a study by; more games of the same are the same study."""
    return {
        "game": subject.described.name,
        "program": hashlib.sha256(subject.described.text.encode()).hexdigest()[:16],
        "settings": dict(subject.settings),
        "dialect": subject.described.dialect,
        "limits": limits_of(subject.described.limits),
        "player": str(effort.searcher),
        "seed": effort.seed,
    }
