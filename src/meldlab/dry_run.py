"""Estimates for ``--dry-run``: the time and memory of long work, from its amount and a short probe on this machine.

>>> from meldlab.gin import Gin
>>> cost = contest_cost(Gin(), [["simple", "gin-only"]], 1_000_000, threads=2)
>>> cost.seconds > 1, cost.where
(True, '2 cores')
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from time import process_time
from typing import Any, NamedTuple

from meldlab.analysis.playing import Forecast, LineUp, sample_from_games
from meldlab.analysis.study import StudyConfig
from meldlab.analysis.variant import Variant
from meldlab.arena.contest import play_contest
from meldlab.cost import Cost, cores_text, peak_memory
from meldlab.gin.computing.compute import LOOKUP, ComputeConfig, compute
from meldlab.parallel import core_count
from meldlab.play import Game
from meldlab.recycle.players.search import play_games
from meldlab.runs.tasks import TASKS, Task

PROBE_SECONDS = 0.4  # CPU time of the last probe; all probes before it together take as long again
MAX_PROBE = 1 << 20  # units of work in a probe
RANDOM_GAMES = 20
THOUSAND = 1000
# A task whose games take as long as those of the search.
TYPICAL = {
    "track": Task("gin.track", (0.0,) * 90),
    "knock": Task("contest", "knock:5,2,6", "gin-only"),
    "ensemble": Task("contest", "ensemble"),
    "best": Task("contest", "ensemble"),
}
MAX_PROBED_LOOKUPS = 10_000_000  # of a pass; larger games are estimated by a smaller one
GPU_LOOKUP = 4e-12  # seconds of an NVIDIA H200 for one hand of the recursion: 3.6 s for a pass over all ten-card hands


class Probe(NamedTuple):
    """A probe: the units of work, and the CPU seconds per unit."""

    units: int
    seconds: float


def probe(work: Callable[[int], object], most: int = MAX_PROBE) -> Probe:
    """Return the time per unit of work, from probes that double; a first one, which loads or compiles, does not count."""
    work(1)
    units = 1
    while True:
        start = process_time()
        work(units)
        seconds = process_time() - start
        if seconds >= PROBE_SECONDS or 2 * units > most:
            return Probe(units, seconds / units)
        units *= 2


def contest_cost(game: Game[Any], line_ups: Sequence[Sequence[str]], games: int, threads: int = 0) -> Cost:
    """Return the cost of one contest of ``games`` games per line-up."""

    def play(players: Sequence[str]) -> Probe:
        return probe(lambda count: play_contest(game, players, count, threads=1), games)

    probes = [play(players) for players in line_ups]
    cores = _cores(threads)
    # The wins of each deal are in memory, twice while chunks are joined.
    wins = 2 * 4 * games * max(map(len, line_ups))
    return Cost(
        sum(games * result.seconds for result in probes) / cores,
        peak_memory() + wins,
        cores_text(cores),
        f"{sum(result.units for result in probes):,} games played here",
    )


def tuning_cost(typical: Task, games: int, threads: int = 0) -> Cost:
    """Return the cost of a search of ``games`` games like those of a task; successive halving may need fewer."""
    play, cores = TASKS[typical.function].load(), _cores(threads)
    result = probe(lambda count: play(replace(typical, games=2 * count)), games // 2)
    basis = f"{games:,} games at most, of which {2 * result.units:,} were tried here, as if none were in the store"
    return Cost(games / 2 * result.seconds / cores, peak_memory(), cores_text(cores), basis)


def study_cost(variant: Variant, config: StudyConfig, missing: Mapping[LineUp, int], threads: int = 0) -> Cost:
    """Return the cost of the missing games of each searching line-up, by random games of the RECYCLE game."""
    machine, cores = variant.machine, _cores(threads)
    line_up = config.line_ups(machine.players)["random"]
    random = sample_from_games(play_games(machine, line_up.players, RANDOM_GAMES, config.seed, threads=1), machine.scoring, 0)
    forecast = Forecast.of(machine, random, missing)
    basis = f"{RANDOM_GAMES} random games played here, and {sum(missing.values()):,} games of searching players to be played"
    return Cost(forecast.seconds / cores, peak_memory(), cores_text(cores), basis)


def compute_cost(config: ComputeConfig) -> Cost:
    """Return the cost of ``compute`` with these settings if every iteration is needed."""
    setting, loops = config.setting, config.loops
    setting.opponent(config.against)
    work = setting.work(len(config.turns), config.bits, config.upcard)
    passes = (loops + 1) * work.lookups
    if config.device == "cuda":
        return Cost(
            passes * GPU_LOOKUP,
            work.memory,
            "a GPU",
            f"{loops} iterations over {work.hands:,} kinds of hands, at the speed of an NVIDIA H200",
        )
    small = setting if work.lookups < MAX_PROBED_LOOKUPS else replace(setting, cards=5, ranks=6)
    thousands = max(1, config.rounds // THOUSAND)

    def iterate(count: int) -> None:
        games = 2 * round(config.games * count / thousands / 2) or 2
        compute(config.against, small, device="cpu", rounds=THOUSAND * count, games=games, loops=1, upcard=config.upcard)

    result = probe(iterate, thousands)
    playing = loops * thousands * result.seconds
    cores = _cores(0)
    basis = f"{loops} iterations over {work.hands:,} kinds of hands, and {THOUSAND * result.units:,} rounds of an iteration played here"
    return Cost((passes * LOOKUP + playing) / cores, peak_memory() + work.memory, cores_text(cores), basis)


def _cores(threads: int) -> int:
    return threads or core_count()
