"""Study of a RECYCLE game: play the games that an analysis needs, store them, and compute figures, tables and heuristics."""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from meldlab.analysis.figures import draw_branching, draw_decisions, draw_lead, draw_scores, draw_spread, draw_times
from meldlab.analysis.heuristics import PUBLISHED_RULES, Heuristic, heuristics
from meldlab.analysis.movement import COLOURS, draw_movement
from meldlab.analysis.playing import Forecast, LineUp, random_scores
from meldlab.analysis.sample import Sample
from meldlab.analysis.tables import Labelled, tables
from meldlab.analysis.variant import Variant
from meldlab.parallel import Progress, no_progress
from meldlab.play import RandomPlayer
from meldlab.recycle.movement import Movement
from meldlab.recycle.players import SearchPlayer, parse_batch_player
from meldlab.reports.plot import Plot
from meldlab.runs.store import Run, Store
from meldlab.runs.tasks import Task, run_tasks
from meldlab.statistics import Interval, mean_share

EXPERIMENT = "recycle analyse"
RANDOM_TASK = 10  # random games of a task
MAX_DETERMINIZATIONS = 100  # Leduc Poker, mcts:1000: drama 0.000 with 10, 0.055 with 100, 0.057 with 1,000


@dataclass(frozen=True)
class StudyConfig:
    """Games of each line-up, the searching player and its simulations."""

    games: int = 100
    random_scores: int = 10_000
    """Random games of which only the scores are stored, for the win rate of the first seat."""
    player: str = "mcts"
    simulations: int = 1000
    seed: int = 0
    quick: bool = False
    random: int | None = None
    """Games between random players, which take little time; None: ``games``."""

    @classmethod
    def from_options(cls, games: int | None, simulations: int | None, quick: bool, player: str, seed: int) -> Self:
        """Return the published configuration or that of a quick look, with the given values in place of its own."""
        default = cls(30, 2000, simulations=20, quick=True) if quick else cls()
        return cls(games or default.games, default.random_scores, player, simulations or default.simulations, seed, quick, games or 100)

    @property
    def searcher(self) -> RandomPlayer | SearchPlayer:
        """Return the searching player, with more determinizations than usual unless its text has their number."""
        searcher = parse_batch_player(self.player, self.simulations)
        if isinstance(searcher, RandomPlayer) or searcher.algorithm == "ismcts":
            return searcher
        if searcher.final_policy == "pooled" or "deals=" in self.player:
            return searcher
        return replace(searcher, determinizations=min(searcher.simulations, MAX_DETERMINIZATIONS))

    @property
    def algorithm(self) -> str:
        """Return the algorithm of that player, or "random"."""
        return self.searcher.name.partition(":")[0]

    @property
    def simulations_per_option(self) -> int:
        """Return the simulations of that player for each option."""
        return self.searcher.simulations if isinstance(self.searcher, SearchPlayer) else self.simulations

    def line_ups(self, seats: int) -> dict[str, LineUp]:
        """Return the three line-ups: all random, all searching, one searching in the first seat."""
        random = RandomPlayer()
        return {
            "random": LineUp((random,) * seats),
            "skilled": LineUp((self.searcher,) * seats),
            "single": LineUp((self.searcher, *[random] * (seats - 1))),
        }


@dataclass(frozen=True, eq=False)
class Analysis:
    """The games of a study, and all results from them."""

    variant: Variant
    config: StudyConfig
    random: Sample
    skilled: Sample
    single: Sample
    random_scores: Sample
    movement: Movement
    seconds: float

    @cached_property
    def heuristics(self) -> tuple[Heuristic, ...]:
        """Return the ten published heuristics."""
        return heuristics(self.random, self.skilled, self.single, self.random_scores, self.teams)

    @cached_property
    def teams(self) -> tuple[int, ...]:
        """Return the team of each seat, 0 for none."""
        return self.variant.machine.start(self.config.seed).teams

    @property
    def samples(self) -> dict[str, Sample]:
        """Return the samples by the text of their line-up."""
        player = self.config.algorithm
        if player == "random":
            return {"random": self.random}
        several = {"random": self.random, f"all {player}": self.skilled}
        return several if self.random.seats == 1 else {**several, f"p1 {player}, others random": self.single}

    @property
    def unfinished(self) -> int:
        """Return the number of games that did not finish."""
        return sum(sample.games - sample.finished for sample in self.samples.values())

    @cached_property
    def sheets(self) -> dict[str, Plot]:
        """Return every figure by its name."""
        return {
            "movement": draw_movement(self.movement),
            "branching": draw_branching(self.random, self.config.seed),
            "spread": draw_spread(self.skilled),
            "lead": draw_lead(self.skilled),
            "decisions": draw_decisions(self.samples),
            "scores": draw_scores(self.samples),
            "times": draw_times(self.samples),
        }

    @cached_property
    def tables(self) -> dict[str, str]:
        """Return the tidy tables by file name."""
        line_ups = self.config.line_ups(self.random.seats)
        searcher = self.config.searcher
        labels: dict[str, Any] = {}
        if isinstance(searcher, SearchPlayer):
            labels = {"level": searcher.memory, "samples": searcher.determinizations, "tests": searcher.simulations}
        samples = {"random": self.random, "skilled": self.skilled, "single": self.single}
        played = [Labelled(line_ups[name].letters, sample, **({} if name == "random" else labels)) for name, sample in samples.items()]
        return tables(self.variant.name, played[: len(self.samples)])

    def as_json(self) -> dict[str, Any]:
        """Return the analysis as JSON."""
        config = self.config
        return {
            "game": self.variant.game.name,
            "title": self.variant.title,
            "players": self.random.seats,
            "settings": dict(self.variant.settings),
            "player": config.searcher.name,
            "simulations": config.simulations_per_option,
            "seed": config.seed,
            "quick": config.quick,
            "line_ups": {name: _summary(sample) for name, sample in self.samples.items()},
            "determinizations": self.skilled.determinization_counts,
            "heuristics": {heuristic.name: _json(heuristic) for heuristic in self.heuristics},
            "movement": {
                "locations": [
                    {"name": str(location), "visibility": location.visibility, "deck": location in self.movement.decks}
                    for location in self.movement.locations
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
    """Return ends, lengths, options, results by seat and time of games."""
    ended, shares = sample.ended, sample.win_shares[sample.ended]
    decisions = sample.decisions
    return {
        "games": sample.games,
        "finished": sample.finished,
        "capped": sample.capped,
        "failed": sample.failed,
        "reasons": dict(sample.reasons),
        "decisions": {
            "mean": float(decisions.mean()),
            "median": float(np.median(decisions)),
            "least": int(decisions.min()),
            "most": int(decisions.max()),
        },
        "options_per_decision": float(sample.options.mean()) if len(sample.options) else None,
        "scores": sample.scores[ended].mean(axis=0).tolist() if ended.any() else None,
        "win_rate": [_interval(win_rate(shares[:, seat])) for seat in range(sample.seats)],
        "median_seconds": float(np.median(sample.seconds)),
    }


def win_rate(shares: "np.ndarray[Any, np.dtype[np.float64]]") -> Interval | None:
    """Return the win rate, ties shared, with its interval."""
    return mean_share(shares) if len(shares) else None


def analyse(
    variant: Variant,
    config: StudyConfig,
    store: Store,
    *,
    jobs: int = 0,
    cluster: str | None = None,
    progress: Progress = no_progress,
    on_forecast: Callable[[Forecast], None] = lambda forecast: None,
) -> Analysis:
    """Play the games that the store does not have, and return the analysis; the same seed gives the same games on any machine.

    Random players play first; ``on_forecast`` then gets their games and the time that the missing games will take.
    """
    start, machine = time.perf_counter(), variant.machine
    line_ups, tasks = config.line_ups(machine.players), _tasks(variant, config)
    games = {name: _games(config, line_up) for name, line_up in line_ups.items()}
    random, searched = ({name: parts for name, parts in tasks.items() if line_ups[name].searches == searches} for searches in (False, True))

    def sampled(counts: Mapping[str, Any], names: Iterable[str]) -> dict[str, Sample]:
        samples = {name: [Sample.from_json(counts[task.key]["sample"]) for task in tasks[name]] for name in names}
        return {name: Sample.joined(parts).first(games[name]) for name, parts in samples.items()}

    with store.start_run(EXPERIMENT, study_settings(variant, config)) as run:
        samples = sampled(run_tasks([task for parts in random.values() for task in parts], run, jobs=jobs, cluster=cluster), random)
        rest = [task for parts in searched.values() for task in parts]
        on_forecast(Forecast.of(machine, samples["random"], missing_games(variant, config, run)))
        samples |= sampled(run_tasks(rest, run, jobs=jobs, cluster=cluster, progress=progress), searched)
    scores = random_scores(machine, config.seed, config.random_scores)
    movement = Movement.of(machine, config.seed)
    analysis = Analysis(
        variant, config, samples["random"], samples["skilled"], samples["single"], scores, movement, time.perf_counter() - start
    )
    run.finish({heuristic.name: _interval(heuristic.interval) for heuristic in analysis.heuristics})
    return analysis


def missing_games(variant: Variant, config: StudyConfig, run: Run | None) -> dict[LineUp, int]:
    """Return the number of games of each searching line-up that a run does not have; None has no game."""
    line_ups = config.line_ups(variant.machine.players)
    searched = {line_ups[name]: tasks for name, tasks in _tasks(variant, config).items() if line_ups[name].searches}
    known = run.done([task.key for tasks in searched.values() for task in tasks]) if run is not None else {}
    return {line_up: sum(task.key not in known for task in tasks) for line_up, tasks in searched.items()}


def _games(config: StudyConfig, line_up: LineUp) -> int:
    return config.games if line_up.searches else config.random or config.games


def _tasks(variant: Variant, config: StudyConfig) -> dict[str, list[Task]]:
    tasks = {}
    for name, line_up in config.line_ups(variant.machine.players).items():
        games = _games(config, line_up)
        # Random games are played by whole tens, so that another number of games of the same run plays no game twice.
        size, number = (1, games) if line_up.searches else (RANDOM_TASK, -(-games // RANDOM_TASK) * RANDOM_TASK)
        tasks[name] = line_up.task(variant, variant.game.name, config.seed, number).split(size)
    return tasks


def study_settings(variant: Variant, config: StudyConfig) -> dict[str, Any]:
    """Return the settings that identify a study in the store; more games of it are the same study."""
    return {**variant.identity, "settings": dict(variant.settings), "player": config.searcher.name, "seed": config.seed}
