"""How time and memory grow with the work, room by room: measured here, and kept as JSON for the pictures and the page.

    python benchmarks/growth.py [ROOM ...] [--save docs/pictures/growth.json] [--small] [--most CORES]

Without a room all but gpu are measured, in about five minutes. Rooms that are in the file already are measured anew, the others stay.
``python benchmarks/growth_page.py`` draws what is there. Times are CPU seconds wherever several programs may share the machine; what
only the clock can tell (cores, workers, people) says so in its unit.
"""

import argparse
import asyncio
import ctypes
import gc
import json
import os
import platform
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import accumulate, count
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

PLACE = Path("docs/pictures/growth.json")
SEED = 1
Measured = dict[str, Any]


class Spent(NamedTuple):
    """What a call took: CPU seconds, and seconds by the clock."""

    cpu: float
    clock: float


def series(
    name: str, x: str, y: str, points: Iterable[tuple[float, float]], labels: Sequence[str] = (), most: int | None = None
) -> Measured:
    """Return a row of measurements as the file has it; series with the same ``x`` and ``y`` are drawn into one panel.

    ``most``: the largest x by which the line is drawn; more workers than the machine has cores tell nothing about more cores.
    """
    told = {"name": name, "x": x, "y": y, "points": [list(point) for point in points]}
    return told | ({"labels": list(labels)} if labels else {}) | ({"most": most} if most else {})


def spent(job: Callable[[], object], times: int = 1) -> Spent:
    """Return the least of several calls, since others on the machine can only add."""
    found = []
    for _ in range(times):
        start = time.process_time(), time.perf_counter()
        job()
        found.append((time.process_time() - start[0], time.perf_counter() - start[1]))
    return Spent(*map(min, zip(*found, strict=True)))


def held(job: Callable[[], object]) -> int:
    """Return the bytes that a call holds at most, beyond those that were held before."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)  # what is free goes back first, so that it is not taken for the call's
    Path("/proc/self/clear_refs").write_text("5")  # a new peak begins
    before = _memory("VmRSS")
    job()
    return max(0, _memory("VmHWM") - before)


def _memory(name: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name):
            return int(line.split()[1]) * 1024
    return 0


def waiting(small: bool, most: int) -> Iterator[Measured]:
    """Every hand of three to seven cards solved, and hands looked up."""
    from meldlab.cards import Hand, classes
    from meldlab.cards.masks import random_hands
    from meldlab.waiting import Waiting, solve

    solve(Waiting(3), device="cpu")
    sizes = range(3, 6 if small else 8)
    names, took, memory = [f"{cards} cards" for cards in sizes], [], []
    for cards in sizes:
        job, each = partial(solve, Waiting(cards), device="cpu"), list[Spent]()
        memory.append((classes.count(cards), held(lambda job=job, each=each: each.append(spent(job)))))
        took.append((classes.count(cards), min(each + [spent(job, 3)] * (cards < 6)).cpu))
    yield series("solving every hand", "classes of hands", "CPU seconds", took, names)
    yield series("solving every hand", "classes of hands", "bytes", memory, names)
    solved = solve(Waiting(5), device="cpu")
    masks = random_hands(1_000_000, 5, SEED)
    solved.values(masks[:10])
    many = [1000, 10_000, 100_000, 1_000_000]
    looked = [(size, spent(lambda size=size: solved.values(masks[:size]), 5).cpu) for size in many]
    yield series("in one call", "hands looked up", "CPU seconds ", looked)
    hands = [Hand.from_mask(int(mask)) for mask in masks[:10_000]]
    one_by_one = [(size, spent(lambda size=size: [solved.turns(hand) for hand in hands[:size]], 3).cpu) for size in (100, 1000, 10_000)]
    yield series("one call for each", "hands looked up", "CPU seconds ", one_by_one)


def stopping(small: bool, most: int) -> Iterator[Measured]:
    """Decks of ever more cards."""
    from meldlab.stopping import Urn

    many = 4 if small else 99
    jobs: dict[str, tuple[Callable[[Urn], object], list[int]]] = {
        "value": (lambda urn: urn.floats.value(), [1000, 2000, 5000, 10_000, 20_000, 40_000][:many]),
        "distribution of the winnings": (lambda urn: urn.floats.winnings(), [1000, 2000, 5000, 10_000][:many]),
        "value, exact fraction": (lambda urn: urn.value(), [100, 200, 400, 800, 1600][:many]),
    }
    for name, (job, sizes) in jobs.items():
        job(Urn(10, 10))

        # A new urn each time: one keeps what it has computed.
        def fresh(size: int, job: Callable[[Urn], object] = job) -> None:
            job(Urn(size, size))

        took = [(size, spent(partial(fresh, size), 3 if size <= 10_000 else 1).cpu) for size in sizes]
        yield series(name, "cards of each colour", "CPU seconds", took)
        yield series(name, "cards of each colour", "bytes", [(size, held(partial(fresh, size))) for size in sizes if size <= 10_000])


def rummikub(small: bool, most: int) -> Iterator[Measured]:
    """The best move for value, sets kept, in positions of played games, by how many tiles lie on the table."""
    from load_helper import played_positions

    from meldlab.rummikub import Objective, load, solve

    load()
    wanted, seconds, goal = (30, 3.0, Objective("value")) if small else (100, 8.0, Objective("value"))
    for name, rules in (("free jokers", "paper"), ("the rules on the box", "official")):
        bins, start = defaultdict(list), time.process_time()
        for position in played_positions(rules):
            some = bins[len(position.table_tiles) // 10]
            if len(some) < wanted:
                some.append(position)
            if time.process_time() - start > seconds:
                break
        sizes = {10 * at + 5: some for at, some in sorted(bins.items()) if len(some) >= wanted // 4}
        solve(next(iter(sizes.values()))[0], goal)
        took = {size: sorted(spent(partial(solve, one, goal)).cpu for one in some) for size, some in sizes.items()}
        for part, place in (("median", 0.5), ("19 of 20", 0.95)):
            points = [(size, 1000 * all[int(place * (len(all) - 1))]) for size, all in took.items()]
            yield series(f"{name}, {part}", "tiles on the table", "CPU milliseconds", points)
        memory = [(size, max(held(partial(solve, one, goal)) for one in some[:10])) for size, some in sizes.items()]
        yield series(name, "tiles on the table", "bytes", memory)


def recycle(small: bool, most: int) -> Iterator[Measured]:
    """Described games: a decision by its options, random or looking ahead, and by the simulations of an option."""
    from meldlab.play import Deal, RandomPlayer, Table
    from meldlab.recycle import library
    from meldlab.recycle.game import Described
    from meldlab.recycle.machine.machine import Machine
    from meldlab.recycle.players import Searcher

    points, names = [], []
    for name in list(library.names())[:: 4 if small else 1]:
        machine = Machine.of(library.entry(name).text)
        machine.random_games(5, SEED, 1)
        played = machine.random_games(50, SEED, 1)
        decisions = int(played.decisions.sum())
        cpu = spent(lambda machine=machine: machine.random_games(50, SEED, 1), 3).cpu
        points.append((float(played.options.sum()) / decisions, 1e6 * cpu / decisions))
        names.append(name)
    yield series("random players, the games of the library", "options of a decision", "CPU microseconds", points, names)
    game = Described.named("block_rummy")
    views, found = defaultdict(list), []
    for nth in range(4 if small else 12):
        steps = list(Table(game, [RandomPlayer()] * game.machine.players).steps(Deal(SEED, nth)))
        # The first fifth of a game, where what is left to play out is about as long for all.
        for step in steps[: len(steps) // 5]:
            view = step.before.view(step.seat)
            options = len(view.legal_actions())
            if len(views[options]) < 4:
                views[options].append(view)
    chance = Deal(SEED).chance(0, 0)
    for kind in ("pimc", "mcts", "ismcts"):
        Searcher(kind, 1).choose(next(iter(views.values()))[0], chance)
        player, rows = Searcher(kind, 50), []
        for options, some in sorted(views.items()):
            if len(some) >= 2:
                rows.append((options, median(spent(partial(player.choose, view, chance), 2).cpu for view in some)))
        found.append(series(f"{kind}, 50 simulations an option", "options of a decision", "CPU seconds, Block Rummy", rows))
    yield from found
    view = next(some for options, some in sorted(views.items()) if options > 1)[0]
    jobs = {many: partial(Searcher("mcts", many).choose, view, chance) for many in (10, 30, 100, 300, 1000)}
    took = [(many, spent(job, 3).cpu) for many, job in jobs.items()]
    yield series("mcts", "simulations an option", "CPU seconds, Block Rummy", took)
    yield series("mcts", "simulations an option", "bytes", [(many, held(job)) for many, job in jobs.items()])


def arena(small: bool, most: int) -> Iterator[Measured]:
    """Contests of gin on one core, by the number of games."""
    from meldlab.arena.contest import play_contest
    from meldlab.gin import Gin

    top = 10_000 if small else 100_000
    pairs = {
        "simple v simple": (["simple", "simple"], [size for size in (300, 1000, 3000, 10_000, 30_000, 100_000) if size <= top]),
        "ensemble v simple": (["ensemble", "simple"], [size for size in (300, 1000, 3000, 10_000, 30_000) if size <= top]),
        "computed:light v simple": (["computed:light", "simple"], [100, 300, 1000, 3000]),
        "random v random, at the table": (["random", "random"], [2, 6, 18]),
    }
    for name, (players, sizes) in pairs.items():
        play_contest(Gin(), players, 2, threads=1)
        jobs = {size: partial(contest, Gin(), players, size, threads=1) for size in sizes}
        yield series(name, "games", "CPU seconds", [(size, spent(job, 2).cpu) for size, job in jobs.items()])
        found = play_contest(Gin(), players, sizes[1], threads=1)
        yield series(name, "games", "rounds of a game", [(found.games, found.total("rounds") / found.games)])
        if name == "simple v simple":
            # Up to a second's worth of games is counted at a time; memory grows beyond that.
            sizes = [10_000, 30_000] if small else [100_000, 200_000, 400_000]
            memory = [(size, held(partial(contest, Gin(), players, size, threads=1))) for size in sizes]
            yield series(name, "games", "bytes", memory)


def _doubled(most: int) -> list[int]:
    return [size for size in (1, 2, 4, 8, 16, 32, 64) if size <= most]


def cores(small: bool, most: int) -> Iterator[Measured]:
    """One contest on more and more cores of a machine, the same work for each core."""
    from meldlab.arena.contest import play_contest
    from meldlab.gin import Gin
    from meldlab.recycle.game import Described

    share = 0.1 if small else 1.0
    jobs = {
        "gin, simple v simple": (Gin(), ["simple", "simple"], round(20_000 * share)),
        "gin, ensemble v simple": (Gin(), ["ensemble", "simple"], round(6000 * share)),
        "Block Rummy, random players": (Described.named("block_rummy"), ["random", "random"], round(6000 * share)),
    }
    for name, (game, players, games) in jobs.items():
        play_contest(game, players, 2, threads=1)
        rows = []
        for threads in _doubled(most):
            many = games * threads
            job = partial(contest, game, players, many, threads=threads)
            rows.append((threads, many / spent(job, 2).clock))
        yield series(name, "cores", "games a second by the clock", rows)


def cluster(small: bool, most: int) -> Iterator[Measured]:
    """The same shards through the store, on workers of a Dask cluster with a core each, and on as many threads."""
    from distributed import LocalCluster

    from meldlab.runs.store import Store
    from meldlab.runs.tasks import Task, run_tasks

    games, each = 2000, 3 if small else 6
    numbers, on_cluster, on_threads, empty = count(), [], [], []
    with tempfile.TemporaryDirectory() as folder:
        store = Store.open(Path(folder, "runs.sqlite"))

        def rate(shards: list[Task], times: int = 2, **where: Any) -> float:
            """Return shards a second by the clock, each time in a run of its own."""
            clock = spent(lambda: play(shards, store.run("growth", {"nth": next(numbers)}), **where), times).clock
            return len(shards) / clock

        for workers in _doubled(8):
            shards = Task("contest", "ensemble", "simple", seed=SEED, games=games * each * min(workers, most)).split(games)
            tiny = Task("contest", "simple", "simple", seed=SEED, games=2 * 100 * min(workers, most)).split(2)
            with LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as those:
                address = those.scheduler_address
                rate(tiny[: 10 * workers], 1, cluster=address)  # every worker loads its kernels
                on_cluster.append((workers, games * rate(shards, cluster=address)))
                empty.append((workers, rate(tiny, cluster=address)))
            on_threads.append((workers, games * rate(shards, jobs=workers)))
    yield series("workers of a Dask cluster", "workers", "games a second by the clock", on_cluster, most=most)
    yield series("threads of one process", "workers", "games a second by the clock", on_threads, most=most)
    yield series("shards of two games, which are all price", "workers", "shards a second by the clock", empty, most=most)


def store(small: bool, most: int) -> Iterator[Measured]:
    """A store of ever more rows: writing some more, finding some, adding up all, and the file."""
    from dataclasses import replace

    from meldlab.arena.shards import play_shard
    from meldlab.runs.store import TaskResult, Store, canonical, worker_id
    from meldlab.runs.tasks import Task

    sample = Task("contest", "simple", "simple", seed=SEED, games=5000)
    counts, step = canonical(play_shard(sample)), 100
    written, found, summed, size = [], [], [], []
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "runs.sqlite")
        run = Store.open(place).run("growth", {})
        owner, rows, keys = worker_id(), 0, list[str]()

        def write() -> None:
            nonlocal rows
            some = [replace(sample, first=sample.games * (rows + nth)) for nth in range(step)]
            run.claim([one.row() for one in some], owner)
            run.write([TaskResult(one.key, counts, 0.5) for one in some])
            keys.extend(one.key for one in some)
            rows += step

        for wanted in [300, 1000, 3000] if small else [300, 1000, 3000, 10_000, 30_000]:
            while rows < wanted:
                write()
            spread = keys[:: len(keys) // step][:step]
            written.append((rows, 1000 * spent(write, 3).cpu / step))
            found.append((rows, 1000 * spent(lambda spread=spread: run.done(spread), 5).cpu / step))
            summed.append((rows, 1000 * spent(run.games, 5).cpu))
            size.append((rows, sum(each.stat().st_size for each in Path(folder).iterdir())))
    yield series("to claim and write a shard", "rows in the store", "CPU milliseconds", written)
    yield series("to find a shard", "rows in the store", "CPU milliseconds", found)
    yield series("to add up the games of a run", "rows in the store", "CPU milliseconds", summed)
    yield series("the file", "rows in the store", "bytes", size)


def web(small: bool, most: int) -> Iterator[Measured]:
    """People at gin tables of one server, and on the Rummikub helper, all on this machine."""
    from urllib.parse import urlsplit

    from load_gin import ask, load, ready
    from load_helper import megabytes, processes, processor_time, served

    from meldlab.cards import Hand
    from meldlab.cards.masks import random_hands

    async def people(port: int, pid: int) -> tuple[float, list[Any], list[tuple[float, float]]]:
        await ready(port)
        before = sum(map(megabytes, processes(pid)))
        sizes = (10, 40) if small else (25, 50, 100, 200, 400, 600)
        played = [await load(port, pid, tables, 3 if small else 6, 1.0) for tables in sizes]
        while (await ask(port, "GET", "/api/ready"))[1]["waiting"]:
            await asyncio.sleep(0.5)
        # Each hand is asked for once; the first ones load the table into every worker.
        hands = ["+".join(map(str, Hand.from_mask(int(mask)))) for mask in random_hands(2000, 4, SEED)]

        async def look() -> None:
            status, answer = await ask(port, "GET", f"/api/waiting/hand?cards=4&hand={hands.pop()}")
            if status != 200:
                raise SystemExit(f"no hand was looked up: {answer}")

        looked = []
        for size in (20, 30, 50) if small else (20, 50, 100, 200):
            start = sum(map(processor_time, processes(pid)))
            for _ in range(0, size, 10):
                await asyncio.gather(*(look() for _ in range(10)))
            looked.append((size, sum(map(processor_time, processes(pid))) - start))
        return before, played, looked

    with served() as (address, pid):
        before, found, looked = asyncio.run(people(urlsplit(address).port or 80, pid))
    yield series("by the API, server and workers", "hands looked up", "CPU seconds", looked[1:])
    x = "people at gin tables, a second of thought each"
    yield series("median", x, "seconds by the clock", ((one.tables, one.median) for one in found))
    yield series("99 of 100", x, "seconds by the clock", ((one.tables, one.late) for one in found))
    yield series(
        "refused, as too many stood in line",
        x,
        "moves of a hundred",
        ((one.tables, 100 * one.refused / (one.moves + one.refused)) for one in found),
    )
    yield series("answered", x, "moves a second", ((one.tables, one.moves / one.seconds) for one in found))
    yield series("in the server", x, "CPU milliseconds of a move", ((one.tables, 1000 * one.server) for one in found))
    yield series("in its workers", x, "CPU milliseconds of a move", ((one.tables, 1000 * one.workers) for one in found))
    opened = list(accumulate(one.tables for one in found))  # nobody closes a table: the next people come on top
    memory = [1e6 * max(0.0, one.held - before) for one in found]
    yield series("held since the start", "tables opened", "bytes", zip(opened, memory, strict=True))


def vector(small: bool, most: int) -> Iterator[Measured]:
    """Vector environments: steps of more and more tables at once."""
    from meldlab.adapters.vector import GinVector, RecycleVector

    sizes = [1, 16, 256, 4096, *([] if small else [16_384, 65_536])]
    kinds: dict[str, Callable[[int], Any]] = {
        "gin": lambda tables: GinVector(tables, seed=SEED),
        "gin against simple": lambda tables: GinVector(tables, seed=SEED, opponent="simple"),
        "Block Rummy": lambda tables: RecycleVector("block_rummy", tables, seed=SEED),
    }
    for name, make in kinds.items():
        took, memory = [], []
        for tables in sizes:
            made: list[Any] = []

            def begin(made: list[Any] = made, make: Callable[[int], Any] = make, tables: int = tables) -> None:
                made.append(make(tables))
                made[-1].step(made[-1].random_actions())

            if tables == 1:
                begin()  # loads the kernels
            memory.append((tables, held(begin)))
            env, steps = made[-1], max(2, 20_000 // tables)

            def step(env: Any = env, steps: int = steps) -> None:
                for _ in range(steps):
                    env.step(env.random_actions())

            took.append((tables, 1e6 * spent(step, 5).cpu / steps / tables))
        yield series(name, "tables at once", "CPU microseconds of a step", took)
        yield series(name, "tables at once", "bytes", memory)


def gpu(small: bool, most: int) -> Iterator[Measured]:
    """One GPU: hands of ever more cards, rounds of gin, and tables of the vector environment, by the clock.

    Its place is a file of its own: ``--save docs/pictures/growth-gpu.json``.
    """
    from vector_cuda import rate

    from meldlab.cards import classes
    from meldlab.gin.computing import playing
    from meldlab.gin.players import EnsemblePlayer, SimplePlayer
    from meldlab.gin.rules import Rules, kernel_rules
    from meldlab.gpu import Device
    from meldlab.waiting import Waiting, solve

    solve(Waiting(3), device="cuda")
    sizes = [3, 5, 6, 7, *([] if small else [8, 9, 10])]
    took = [(classes.count(cards), solve(Waiting(cards), device="cuda").seconds) for cards in sizes]
    yield series("solving every hand", "classes of hands", "seconds by the clock", took, [f"{cards} cards" for cards in sizes])
    device, rules = Device("cuda"), kernel_rules(Rules())
    for name, player in (("simple v simple", SimplePlayer()), ("ensemble v simple", EnsemblePlayer())):
        pair = player.parameters(), SimplePlayer().parameters()
        playing.tally(device, pair, rules, SEED, 64)
        rounds = 1 << (16 if small else 21)
        clock = spent(partial(playing.tally, device, pair, rules, SEED, rounds), 3).clock
        yield series(name, "games", "rounds a second by the clock", [(rounds, rounds / clock)])
    tables = [1 << 12, 1 << 14, 1 << 16, *([] if small else [1 << 18, 1 << 20])]
    yield series("gin", "tables at once", "steps a second by the clock", [(n, rate(n, 1.0)) for n in tables])


ROOMS = {room.__name__: room for room in (waiting, stopping, rummikub, recycle, arena, cores, cluster, store, vector, web, gpu)}


def machine() -> str:
    """Return what was measured on."""
    import numba

    lines = Path("/proc/cpuinfo").read_text().splitlines()
    model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())
    return f"{len(os.sched_getaffinity(0))} cores, {model}, Python {platform.python_version()}, numba {numba.__version__}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rooms", nargs="*", metavar="ROOM", help=", ".join(ROOMS))
    parser.add_argument("--save", type=Path, default=PLACE, help="where the measurements go")
    parser.add_argument("--small", action="store_true", help="smaller sizes, to try the script")
    parser.add_argument("--most", type=int, default=len(os.sched_getaffinity(0)), help="cores at most, where cores are counted")
    given = parser.parse_args()
    if unknown := set(given.rooms) - ROOMS.keys():
        parser.error(f"no room {', '.join(sorted(unknown))} (there are {', '.join(ROOMS)})")
    for name in given.rooms or [room for room in ROOMS if room != "gpu"]:
        start = time.perf_counter()
        found = list(ROOMS[name](given.small, given.most))
        facts = {
            "machine": machine(),
            "date": time.strftime("%Y-%m-%d", time.gmtime()),
            "load": round(os.getloadavg()[1], 1),
            "small": given.small,
            "seconds": round(time.perf_counter() - start, 1),
        }
        # Written after each room, so that a run that is stopped keeps what it has.
        known = json.loads(given.save.read_text()) if given.save.exists() else {}
        given.save.write_text(json.dumps({**known, name: {**facts, "series": found}}, indent=1) + "\n")
        print(f"{name}: {facts['seconds']} s", flush=True)
        for row in found:
            shown = ", ".join(f"{x:,.4g}: {y:.4g}" for x, y in row["points"])
            print(f"  {row['name']}, {row['y'].strip()} by {row['x']}: {shown}", flush=True)


if __name__ == "__main__":
    main()
