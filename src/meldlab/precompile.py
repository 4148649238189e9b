"""Kernels compiled ahead: a small job per package that calls its kernels, and marks in the cache for packages that are compiled."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from importlib.util import find_spec
from itertools import combinations_with_replacement
from pathlib import Path
from tempfile import TemporaryDirectory

from meldlab.cache import kernel_digest, kernel_folder, processor_digest
from meldlab.errors import NotPossible
from meldlab.parallel import core_count

ON_FIRST_USE = "players of value tables (tables:DIR), opponents inside GinVector other than simple"
"""What the jobs leave out."""


def compiled_packages() -> set[str]:
    """Return the packages whose kernels are in the cache, without importing numba."""
    return {package for package in warmup_jobs() if _mark(package).is_file()}


def _mark(package: str) -> Path:
    # A cache folder may be shared by machines, and numba compiles again for another processor. Other jobs call other kernels.
    jobs = sha256(Path(__file__).read_bytes()).hexdigest()[:8]
    return kernel_folder() / f"ready-{package}-{kernel_digest()}-{jobs}-{processor_digest()}"


def compile_package(package: str) -> None:
    """Compile the kernels of a package into the cache."""
    warmup_jobs()[package]()
    _mark(package).touch()


def compile_packages() -> Iterator[tuple[str, float]]:
    """Compile missing kernels, one process per package, one per core; yield each package with its seconds when it is ready.

    The processes end with the caller, also after Ctrl-C.
    """
    ready = compiled_packages()
    yield from ((package, 0.0) for package in warmup_jobs() if package in ready)
    waiting = [package for package in warmup_jobs() if package not in ready]
    running: dict[str, tuple[subprocess.Popen[str], float]] = {}
    try:
        while waiting or running:
            while waiting and len(running) < core_count():
                package = waiting.pop(0)
                command = [sys.executable, "-c", f"from meldlab.precompile import compile_package; compile_package({package!r})"]
                running[package] = subprocess.Popen(command, stderr=subprocess.PIPE, text=True), time.perf_counter()
            time.sleep(0.05)
            for package, (process, start) in list(running.items()):
                if process.poll() is not None:
                    _, errors = process.communicate()
                    del running[package]
                    if process.returncode:
                        why = errors.strip().splitlines()[-1:] or [f"its process ended with {process.returncode}"]
                        raise NotPossible(f"the kernels of {package} cannot be compiled: {why[0]}")
                    yield package, time.perf_counter() - start
    finally:
        for process, _ in running.values():
            process.kill()
            process.wait()


def warmup_jobs() -> Mapping[str, Callable[[], object]]:
    """Return the job of each package, longest first."""
    return {job.__name__.strip("_"): job for job in (_gin, _recycle, _rummikub, _waiting, _cards, _melds, _stopping)}


def _cards() -> None:
    from meldlab.cards import Deck, classes

    classes.numbers(classes.hands(3, 0, 10), 3)
    classes.orbit_size(Deck.shuffled(0).deal(3)[0])
    classes.number(classes.hand(3, 1))


def _melds() -> None:
    from meldlab.cards.masks import random_hands
    from meldlab.melds import arrange, deadwoods

    deadwoods(random_hands(4, 10, seed=0))
    arrange("5H 6H 7H 9C 9D KS")


def _waiting() -> None:
    from meldlab.reproduce.cohorts import approximate
    from meldlab.reproduce.duel import duel
    from meldlab.waiting import WaitingGame, solve
    from meldlab.waiting.distribution import TurnDistribution
    from meldlab.waiting.simulation import play_bag, play_deck
    from meldlab.waiting.storage import PRECISIONS, load, save

    solution = solve(WaitingGame(3), device="cpu")
    with TemporaryDirectory() as folder:
        for precision in PRECISIONS:  # the kernels are compiled for each type of number in a file
            save(solution, Path(folder, "table"), precision)
            loaded = load(Path(folder, "table"))
            loaded.summary()
            TurnDistribution.from_hand(loaded, "AC QH KD")
            del loaded
    approximate(WaitingGame(3), 1.0, solution)
    turns = TurnDistribution.from_hand(solution, "AC QH KD")
    turns.sd()
    turns.quantile(0.5)
    turns.quantiles(0.5)
    play_bag(solution, "AC QH KD", games=2)
    play_deck(solution, games=2)
    duel(solution, solution.expected, None, games=4)


def _gin() -> None:
    from meldlab.arena.contest import play_contest
    from meldlab.gin import Gin, players
    from meldlab.gin.advice import advise, position_view
    from meldlab.gin.computing.compute import Setting, compute
    from meldlab.gin.kernel_sampling import encode_outcome
    from meldlab.gin.observation import features_of
    from meldlab.gin.turn_estimate import turns_after
    from meldlab.gin.vector import GinVector
    from meldlab.play import Deal, Table
    from meldlab.waiting.storage import table_turns

    if find_spec("joblib") and find_spec("sqlalchemy"):  # of the extra 'lab'
        from meldlab.arena.evaluation import warm_up

        warm_up()
    # Each pair of kinds of players is compiled by itself, in 1 to 4 CPU seconds.
    for names in combinations_with_replacement(("simple", "ensemble", "marjj", "network:light", "champion"), 2):
        play_contest(Gin(), names, 2, threads=1)
    play_contest(Gin(), ["ensemble", "simple"], 2)
    for pair in ("mc:1 ensemble", "network:light ensemble:best", "random marjj", "champion simple", "champion:search:1 simple"):
        Table(Gin(), [players.parse(name) for name in pair.split()]).play(Deal(0))
    ten, knock = position_view("2C 3C 4C 9D 9H 9S KC KD 4H 5S", "KH"), position_view("2C 3C 4C 9D 9H 9S KC KD KH 4S 5H")
    for name in ("ensemble", "network:light", "champion"):
        for view in (ten, knock):
            advise(view, players.parse(name))
    features_of(ten)
    encode_outcome(0, 0)  # by the reviewer, where hands are shown
    turns_after(ten, advise(ten).move, table_turns)  # by the reviewer, and by the network of the turns
    for opponent in (None, "simple"):
        tables = GinVector(2, opponent=opponent)
        tables.step(tables.random_actions())
        tables.hidden()
        tables.observe_both()
    compute("simple", Setting(cards=3, ranks=4), device="cpu", rounds=1000, games=2, loops=1)


def _stopping() -> None:
    from meldlab.stopping import Round, Urn, simulate

    urn = Urn(2, 2)
    urn.floats.values()
    urn.floats.winnings()
    simulate(urn, games=2, seed=0)
    Round.shuffled(urn, seed=0)


def _recycle() -> None:
    from meldlab.play import RandomPlayer
    from meldlab.recycle.game import RecycleGame
    from meldlab.recycle.players import SearchPlayer
    from meldlab.recycle.players.search import play_games
    from meldlab.recycle.transcript import transcript
    from meldlab.recycle.vector import RecycleVector

    recycle_game = RecycleGame.load("kuhn_poker")
    machine = recycle_game.machine
    machine.random_games(games=2, seed=0)
    play_games(machine, [SearchPlayer("mcts", 2)] * 2, games=1, seed=0, threads=1)
    list(transcript(recycle_game, [RandomPlayer()] * recycle_game.machine.players, seed=0))
    tables = RecycleVector(recycle_game, 2)
    tables.step(tables.random_actions())
    tables.features.of(tables.state(0), 0)


def _rummikub() -> None:
    from meldlab.rummikub import warm_up

    warm_up()
