"""What long work would take, from its amount and a short try of it on this machine; nothing is kept.

>>> from meldlab.gin import Gin
>>> cost = contest_cost(Gin(), [["simple", "gin-only"]], 1_000_000, threads=2)
>>> cost.seconds > 1, cost.where
(True, '2 cores')
"""

import resource
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice
from time import process_time
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from meldlab.cost import Cost, cores_text
from meldlab.lab.analysis.forecast import Forecast
from meldlab.lab.analysis.playing import sample_of
from meldlab.lab.analysis.study import Effort, Subject
from meldlab.lab.arena.contest import contest
from meldlab.lab.computing import LOOKUP, Setting, checked, compute, device_of
from meldlab.lab.runs.shards import WORKERS, Shard
from meldlab.play import Game
from meldlab.recycle.players.searching import searched_games

if TYPE_CHECKING:
    from meldlab.lab.training.learner import Course
    from meldlab.lab.training.value_learner import ValueCourse

__all__ = ["compute_cost", "contest_cost", "course_cost", "study_cost", "tuning_cost"]

ENOUGH = 0.4  # CPU seconds of a try that tells the speed; all tries before it together take as long again
MOST = 1 << 20  # pieces of a try
RANDOM_GAMES = 20
TRIED_TABLES, TRIED_ROUNDS = 448, 4096  # of a course, which has thousands, and hundreds of thousands
THOUSAND = 1000
FEW_LOOKUPS = 10_000_000  # of a pass, up to which the game itself is tried
GPU_LOOKUP = 4e-12  # seconds of an NVIDIA H200 for one hand of the recursion: 3.6 s for a pass over all ten-card hands


class Probe(NamedTuple):
    """A try: how many pieces, and the CPU seconds of each."""

    pieces: int
    seconds: float


def tried(work: Callable[[int], object], most: int = MOST) -> Probe:
    """Return how long a piece takes, by the last of several tries that double; the first, which loads or compiles, is not counted."""
    work(1)
    pieces = 1
    while True:
        start = process_time()
        work(pieces)
        spent = process_time() - start
        if spent >= ENOUGH or 2 * pieces > most:
            return Probe(pieces, spent / pieces)
        pieces *= 2


def contest_cost(game: Game[Any], line_ups: Sequence[Sequence[str]], games: int, threads: int = 0) -> Cost:
    """Return what contests of so many games each would take, one for each line-up."""
    found = [tried(lambda many, players=players: contest(game, players, many, threads=1), games) for players in line_ups]  # type: ignore[misc]
    cores = _cores(threads)
    # Who won each deal is kept, and held twice while pieces are joined.
    kept = 2 * 8 * games * max(map(len, line_ups))
    return Cost(
        sum(games * each.seconds for each in found) / cores,
        _held() + kept,
        cores_text(cores),
        f"{sum(each.pieces for each in found):,} games played here",
    )


def tuning_cost(typical: Shard, games: int, threads: int = 0) -> Cost:
    """Return what a search of so many games like those of a shard would take; a search that races may need fewer."""
    play, cores = WORKERS[typical.worker].load(), _cores(threads)
    found = tried(lambda many: play(replace(typical, games=2 * many)), games // 2)
    basis = f"{games:,} games at most, of which {2 * found.pieces:,} were tried here, as if none were in the store"
    return Cost(games / 2 * found.seconds / cores, _held(), cores_text(cores), basis)


def study_cost(subject: Subject, effort: Effort, games: int, threads: int = 0) -> Cost:
    """Return what so many games of each searching line-up would take, by random games of the described game."""
    machine, cores = subject.machine, _cores(threads)
    line_ups = effort.line_ups(machine.players)
    random = sample_of(searched_games(machine, line_ups["random"].players, RANDOM_GAMES, effort.seed, threads=1), machine.best, 0)
    forecast = Forecast.of(machine, random, {one: games for name, one in line_ups.items() if one.searches})
    basis = f"{RANDOM_GAMES} random games played here, and {games:,} games of each searching line-up, as if none were in the store"
    return Cost(forecast.seconds / cores, _held(), cores_text(cores), basis)


def compute_cost(against: str, setting: Setting, loops: int, upcard: float, device: str = "auto", **numbers: Any) -> Cost:
    """Return what ``compute`` with these numbers would take if every lap is needed."""
    where = device_of(device)
    rounds, games, kept = checked(where, loops=loops, upcard=upcard, **numbers)
    setting.seat(against)
    work = setting.work(len(kept), numbers["bits"], upcard)
    passes = (loops + 1) * work.lookups
    if where == "cuda":
        return Cost(
            passes * GPU_LOOKUP, work.memory, "a GPU", f"{loops} laps over {work.hands:,} kinds of hands, at the speed of an NVIDIA H200"
        )
    small = setting if work.lookups < FEW_LOOKUPS else replace(setting, cards=5, ranks=6)
    thousands = max(1, rounds // THOUSAND)

    def lap(many: int) -> None:
        share = many / thousands
        compute(against, small, device="cpu", rounds=THOUSAND * many, games=2 * round(games * share / 2) or 2, loops=1, upcard=upcard)

    found = tried(lap, thousands)
    playing = loops * thousands * found.seconds
    cores = _cores(0)
    basis = f"{loops} laps over {work.hands:,} kinds of hands, and {THOUSAND * found.pieces:,} rounds of a lap played here"
    return Cost((passes * LOOKUP + playing) / cores, _held() + work.memory, cores_text(cores), basis)


def course_cost(course: "Course | ValueCourse", device: 'Literal["cpu", "cuda"]') -> Cost:
    """Return what a course would take, by laps of smaller ones; the games that measure it afterwards are not in it."""
    from meldlab.lab.training.learner import Course, Learner
    from meldlab.lab.training.value_learner import ValueLearner

    def lap(share: float) -> tuple[int, float]:
        """Return the decisions and the seconds of a lap with fewer tables, or rounds."""
        learner: Any
        if isinstance(course, Course):
            own, past, visiting = (round(many * share / 2) * 2 for many in course.tables)
            learner = Learner(replace(course, tables=(own, past, visiting)), device)
        else:
            learner = ValueLearner(replace(course, rounds=round(course.rounds * share)), device)
        first, second = islice(learner.learn(), 2)  # the first of a size is slower than those that follow
        return second.steps - first.steps, second.seconds

    share = min(1.0, TRIED_TABLES / sum(course.tables) if isinstance(course, Course) else TRIED_ROUNDS / course.rounds)
    lap(share / 8)  # loads, and holds what a course of any size does
    before = _held(device)
    steps, seconds = lap(share)
    more = (_held(device) - before) / (share - share / 8)
    return Cost(
        course.steps * seconds / steps,
        before + more,
        "a GPU" if device == "cuda" else cores_text(_cores(0)),
        f"{steps:,} decisions learned from here",
    )


def _cores(threads: int) -> int:
    from joblib import cpu_count

    return threads or int(cpu_count())


def _held(device: str = "cpu") -> float:
    """Return the most bytes that this process has held, here or on the GPU."""
    if device == "cuda":
        import torch

        return float(torch.cuda.max_memory_allocated())
    return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024))
