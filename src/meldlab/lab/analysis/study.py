"""A study: all games that the picture of a described game needs, played where there is room and kept, and what follows from them."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

import numpy as np

from meldlab.lab.analysis.figures import draw_branching, draw_decisions, draw_lead, draw_scores, draw_spread, draw_times
from meldlab.lab.analysis.heuristics import BY_RESULT, Heuristic, heuristics
from meldlab.lab.analysis.movement import COLOURS, draw_movement
from meldlab.lab.analysis.playing import LineUp, counted_games, limits_of
from meldlab.lab.analysis.record import Record
from meldlab.lab.analysis.tables import Played, tables
from meldlab.lab.analysis.writing import Rules
from meldlab.lab.figures.sheet import Sheet
from meldlab.lab.runs.shards import play
from meldlab.lab.runs.store import Store
from meldlab.recycle.game import Described
from meldlab.recycle.language.variants import varied
from meldlab.recycle.machine.machine import Machine
from meldlab.recycle.players import Searcher
from meldlab.recycle.telling.movement import Movement
from meldlab.statistics import Interval, Moments

__all__ = ["Analysis", "Budget", "Subject", "analyse"]

EXPERIMENT = "recycle analyse"


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
    def rules(self) -> Rules:
        """Return what its comments say."""
        return Rules.of(self.described.text)

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
        plain = self.rules.title or self.described.name.replace("_", " ").title()
        return plain + (f" ({self.variant})" if self.settings else "")


@dataclass(frozen=True)
class Budget:
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
        """Return the published budget or a quick one, with what the user asked for in its place."""
        whole = cls(30, 2000, simulations=20, quick=True) if quick else cls()
        return cls(games or whole.games, whole.counted, player, simulations or whole.simulations, seed, quick, games or 100)

    @property
    def searcher(self) -> Searcher:
        """Return the player that searches."""
        return Searcher.parse(self.player, self.simulations)

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
    budget: Budget
    random: Record
    skilled: Record
    single: Record
    counted: Record
    movement: Movement
    seconds: float = 0.0

    @cached_property
    def heuristics(self) -> tuple[Heuristic, ...]:
        """Return the ten published numbers."""
        return heuristics(self.random, self.skilled, self.single, self.counted, self.teams)

    @cached_property
    def teams(self) -> tuple[int, ...]:
        """Return the team of each seat, 0 for none."""
        return self.subject.machine.begin(self.budget.seed).teams

    @property
    def records(self) -> dict[str, Record]:
        """Return the records by who played."""
        player = self.budget.searcher.kind
        if player == "random":
            return {"random": self.random}
        several = {"random": self.random, f"all {player}": self.skilled}
        return several if self.random.seats == 1 else {**several, f"p1 {player}, others random": self.single}

    @cached_property
    def sheets(self) -> dict[str, Sheet]:
        """Return every figure by its name."""
        return {
            "movement": draw_movement(self.movement),
            "branching": draw_branching(self.random, self.budget.seed),
            "spread": draw_spread(self.skilled),
            "lead": draw_lead(self.skilled),
            "decisions": draw_decisions(self.records),
            "scores": draw_scores(self.records),
            "times": draw_times(self.records),
        }

    @cached_property
    def tables(self) -> dict[str, str]:
        """Return the tidy tables by file name."""
        line_ups = self.budget.line_ups(self.random.seats)
        searcher = self.budget.searcher
        given: dict[str, Any] = {"level": searcher.level, "samples": searcher.determinizations, "tests": searcher.simulations}
        kept = {"random": self.random, "skilled": self.skilled, "single": self.single}
        played = [Played(line_ups[name].letters, record, **({} if name == "random" else given)) for name, record in kept.items()]
        return tables(self.subject.name, played[: len(self.records)])

    def answer(self) -> dict[str, Any]:
        """Return the findings as plain JSON."""
        budget = self.budget
        return {
            "game": self.subject.described.name,
            "title": self.subject.title,
            "players": self.random.seats,
            "settings": dict(self.subject.settings),
            "player": str(budget.searcher),
            "simulations": budget.searcher.simulations,
            "seed": budget.seed,
            "quick": budget.quick,
            "line_ups": {name: _summary(record) for name, record in self.records.items()},
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
    published = {"published": _interval(heuristic.published)} if heuristic.name in BY_RESULT else {}
    return {**_interval(heuristic.interval), "meaning": heuristic.meaning, **published}


def _interval(interval: Interval | None) -> dict[str, float | None]:
    ends = {"value": interval.value, "low": interval.low, "high": interval.high} if interval else dict.fromkeys(("value", "low", "high"))
    return {name: end if end is not None and np.isfinite(end) else None for name, end in ends.items()}


def _summary(record: Record) -> dict[str, Any]:
    """Return how games went: ends, lengths, options, results by seat, time."""
    ended, shares = record.ended, record.win_shares[record.ended]
    made = record.decisions
    return {
        "games": record.games,
        "finished": record.finished,
        "capped": record.capped,
        "failed": record.failed,
        "reasons": dict(record.reasons),
        "decisions": {"mean": float(made.mean()), "median": float(np.median(made)), "least": int(made.min()), "most": int(made.max())},
        "options_per_decision": float(record.options.mean()) if len(record.options) else None,
        "scores": record.scores[ended].mean(axis=0).tolist() if ended.any() else None,
        "win_rate": [_interval(win_rate(shares[:, seat])) for seat in range(record.seats)],
        "median_seconds": float(np.median(record.seconds)),
    }


def win_rate(shares: "np.ndarray[Any, np.dtype[np.float64]]") -> Interval | None:
    """Return the rate of wins, ties shared, with its interval."""
    return Moments.of(np.column_stack((np.ones(len(shares)), shares))).rate(1, 0) if len(shares) else None


def analyse(
    subject: Subject,
    budget: Budget,
    store: Store,
    *,
    jobs: int = 0,
    cluster: str | None = None,
    progress: Callable[[int, int], None] = lambda done, whole: None,
) -> Analysis:
    """Play what the store does not hold yet and return what came out; the same seed gives the same games anywhere."""
    machine = subject.machine
    arguments = {"dialect": subject.described.dialect, "limits": limits_of(subject.described.limits)}
    line_ups = budget.line_ups(machine.players)
    pieces = {}
    for name, line_up in line_ups.items():
        games = budget.games if line_up.searches else budget.random or budget.games
        whole = line_up.shard(subject.described.name, subject.described.text, budget.seed, games, arguments)
        pieces[name] = whole.split(1 if line_up.searches else games)
    with store.search(EXPERIMENT, _settings(subject, budget)) as run:
        counts = play([piece for some in pieces.values() for piece in some], run, jobs=jobs, cluster=cluster, progress=progress)
    records = {name: Record.joined([Record.from_json(counts[piece.key]["record"]) for piece in some]) for name, some in pieces.items()}
    counted = counted_games(machine, budget.seed, budget.counted)
    movement = Movement.of(machine, budget.seed)
    analysis = Analysis(subject, budget, records["random"], records["skilled"], records["single"], counted, movement)
    run.finish({each.name: _interval(each.interval) for each in analysis.heuristics})
    return analysis


def _settings(subject: Subject, budget: Budget) -> dict[str, Any]:
    return {
        "game": subject.described.name,
        "program": hashlib.sha256(subject.described.text.encode()).hexdigest()[:16],
        "settings": dict(subject.settings),
        "dialect": subject.described.dialect,
        "limits": limits_of(subject.described.limits),
        "player": str(budget.searcher),
        "seed": budget.seed,
    }
