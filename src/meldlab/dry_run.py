"""What long work would take, from its amount and a short try of it on this machine; nothing is saved.

>>> from meldlab.gin import Gin
>>> cost = contest_cost(Gin(), [["simple", "gin-only"]], 1_000_000, threads=2)
>>> cost.seconds > 1, cost.where
(True, '2 cores')
"""

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from meldlab.analysis.forecast import Forecast
from meldlab.analysis.playing import LineUp, sample_from_games
from meldlab.analysis.study import StudyConfig
from meldlab.analysis.variant import Variant
from meldlab.arena.contest import contest
from meldlab.cost import Cost, cores_text, peak_memory
from meldlab.gin.computing.compute import LOOKUP, Setting, checked, compute, device_of
from meldlab.parallel import core_count
from meldlab.play import Game
from meldlab.recycle.players.search import play_games
from meldlab.runs.tasks import WORKERS, Shard

if TYPE_CHECKING:
    from meldlab.training.learner import Course
    from meldlab.training.value_learner import ValueCourse

__all__ = ["TYPICAL", "compute_cost", "contest_cost", "course_cost", "study_cost", "tuning_cost"]

ENOUGH = 0.4  # CPU seconds of a try that tells the speed; all tries before it together take as long again
MOST = 1 << 20  # pieces of a try
RANDOM_GAMES = 20
# Of a course, which has thousands of tables, and hundreds of thousands of rounds; a GPU is not busy with fewer.
TRIED_TABLES, TRIED_ROUNDS = {"cpu": 448, "cuda": 28_672}, {"cpu": 512, "cuda": 1 << 18}
TRIED_BATCH = {"cpu": 1 << 13, "cuda": 1 << 20}  # no more than the smallest try of values has samples, so that all tries hold alike
TRIED_GAMES = {"cpu": 128, "cuda": 1 << 16}
THOUSAND = 1000
# Whose games tell how long a search takes.
TYPICAL = {
    "track": Shard("gin.track", (0.0,) * 90),
    "knock": Shard("gin.contest", "knock:5,2,6", "gin-only"),
    "ensemble": Shard("gin.contest", "ensemble"),
    "best": Shard("gin.contest", "ensemble"),
}
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


def study_cost(variant: Variant, config: StudyConfig, missing: Mapping[LineUp, int], threads: int = 0) -> Cost:
    """Return what so many games of each searching line-up would take, by random games of the described game."""
    machine, cores = variant.machine, _cores(threads)
    line_up = config.line_ups(machine.players)["random"]
    random = sample_from_games(play_games(machine, line_up.players, RANDOM_GAMES, config.seed, threads=1), machine.scoring, 0)
    forecast = Forecast.of(machine, random, missing)
    basis = f"{RANDOM_GAMES} random games played here, and {sum(missing.values()):,} games of searching players to be played"
    return Cost(forecast.seconds / cores, _held(), cores_text(cores), basis)


def compute_cost(against: str, setting: Setting, loops: int, upcard: float, device: str = "auto", **numbers: Any) -> Cost:
    """Return what ``compute`` with these numbers would take if every lap is needed."""
    where = device_of(device)
    rounds, games, kept = checked(where, loops=loops, upcard=upcard, **numbers)
    setting.opponent(against)
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


def course_cost(
    course: "Course | ValueCourse", device: 'Literal["cpu", "cuda"]', start: str = "", against: Sequence[str] = (), games: int = 0
) -> Cost:
    """Return what a course would take, by laps of a smaller one, and so many games against each of some afterwards."""
    import torch

    from meldlab.training.learner import Course
    from meldlab.training.training import begin, strength

    def laps_of(share: float) -> tuple[Any, Any, Any]:
        """Return a learner after two laps with fewer tables, or rounds; and the laps."""
        small: Any = replace(course, steps=sys.maxsize)
        if isinstance(course, Course):
            own, past, visiting = (max(2, round(many * share / 2) * 2) if many else 0 for many in course.tables)
            # Batches as much smaller, so that memory grows in proportion.
            small = replace(small, tables=(own, past, visiting), batch=max(1, round(course.batch * share)))
        else:
            small = replace(small, rounds=max(2, round(course.rounds * share)), batch=min(course.batch, TRIED_BATCH[device]))
        learner: Any = begin(small, device, start)[0]
        first, second = islice(learner.learn(), 2)  # the first of a size is slower than those that follow
        return learner, first, second

    size, tried_size = (sum(course.tables), TRIED_TABLES) if isinstance(course, Course) else (course.rounds, TRIED_ROUNDS)
    share = min(1.0, tried_size[device] / size)
    begun, cores = perf_counter(), cores_text(torch.get_num_threads())
    learner, *_ = laps_of(share / 8)  # loads, and holds what a course of any size does
    for name in against:
        strength(learner, name, 2, 0)
    # Kernels of a CPU are kept, those of a GPU are compiled by every process.
    ready, before = (perf_counter() - begun) * (device == "cuda"), _held(device)
    learner, first, second = laps_of(share)
    more = (_held(device) - before) / (share - share / 8)
    steps = second.steps - first.steps
    laps = math.ceil(course.steps * share / steps)
    learning = laps * second.seconds / share
    if not isinstance(course, Course):
        # A lap goes through its own lesson and those that are held: one in the second lap, more in later ones.
        whole = course.held + 1
        lessons = sum(range(1, min(laps, whole) + 1)) + whole * max(0, laps - whole)
        learning = (laps * second.played + lessons * (second.seconds - second.played) / 2) / share
    begun, few = perf_counter(), min(games, TRIED_GAMES[device])
    for name in against:
        strength(learner, name, few, 0)
    measuring = (perf_counter() - begun) * games / max(1, few)
    basis = f"{steps:,} decisions learned from and {few * len(against):,} games played here, for {laps:,} lap{'s' * (laps > 1)}"
    return Cost(ready + learning + measuring, before + more, "a GPU" if device == "cuda" else cores, basis)


def _cores(threads: int) -> int:
    return threads or core_count()


def _held(device: str = "cpu") -> float:
    """Return the most bytes that this process has held, here or on the GPU."""
    if device == "cuda":
        import torch

        return float(torch.cuda.max_memory_allocated())
    return peak_memory()
