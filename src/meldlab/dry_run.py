"""What long work would take, from its amount and a short try of it on this machine; nothing is saved.

>>> from meldlab.gin import Gin
>>> cost = contest_cost(Gin(), [["simple", "gin-only"]], 1_000_000, threads=2)
>>> cost.seconds > 1, cost.where
(True, '2 cores')
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from time import process_time
from typing import Any, NamedTuple

from meldlab.analysis.forecast import Forecast
from meldlab.analysis.playing import LineUp, sample_of
from meldlab.analysis.study import Effort, Subject
from meldlab.arena.contest import play_contest
from meldlab.cost import Cost, cores_text, peak_memory
from meldlab.gin.computing.compute import LOOKUP, Setting, checked, compute, device_of
from meldlab.parallel import core_count
from meldlab.play import Game
from meldlab.recycle.players.searching import searched_games
from meldlab.runs.tasks import TASKS, Task

__all__ = ["TYPICAL", "compute_cost", "contest_cost", "study_cost", "tuning_cost"]

ENOUGH = 0.4  # CPU seconds of a try that tells the speed; all tries before it together take as long again
MOST = 1 << 20  # pieces of a try
RANDOM_GAMES = 20
THOUSAND = 1000
# Whose games tell how long a search takes.
TYPICAL = {
    "track": Task("gin.track", (0.0,) * 90),
    "knock": Task("contest", "knock:5,2,6", "gin-only"),
    "ensemble": Task("contest", "ensemble"),
    "best": Task("contest", "ensemble"),
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
    found = [tried(lambda many, players=players: play_contest(game, players, many, threads=1), games) for players in line_ups]  # type: ignore[misc]
    cores = _cores(threads)
    # Who won each deal is kept, and held twice while pieces are joined.
    kept = 2 * 8 * games * max(map(len, line_ups))
    return Cost(
        sum(games * each.seconds for each in found) / cores,
        peak_memory() + kept,
        cores_text(cores),
        f"{sum(each.pieces for each in found):,} games played here",
    )


def tuning_cost(typical: Task, games: int, threads: int = 0) -> Cost:
    """Return what a search of so many games like those of a shard would take; a search that races may need fewer."""
    play, cores = TASKS[typical.function].load(), _cores(threads)
    found = tried(lambda many: play(replace(typical, games=2 * many)), games // 2)
    basis = f"{games:,} games at most, of which {2 * found.pieces:,} were tried here, as if none were in the store"
    return Cost(games / 2 * found.seconds / cores, peak_memory(), cores_text(cores), basis)


def study_cost(subject: Subject, effort: Effort, missing: Mapping[LineUp, int], threads: int = 0) -> Cost:
    """Return what so many games of each searching line-up would take, by random games of the described game."""
    machine, cores = subject.machine, _cores(threads)
    line_up = effort.line_ups(machine.players)["random"]
    random = sample_of(searched_games(machine, line_up.players, RANDOM_GAMES, effort.seed, threads=1), machine.best, 0)
    forecast = Forecast.of(machine, random, missing)
    basis = f"{RANDOM_GAMES} random games played here, and {sum(missing.values()):,} games of searching players to be played"
    return Cost(forecast.seconds / cores, peak_memory(), cores_text(cores), basis)


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
    return Cost((passes * LOOKUP + playing) / cores, peak_memory() + work.memory, cores_text(cores), basis)


def _cores(threads: int) -> int:
    return threads or core_count()
