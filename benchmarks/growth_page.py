"""Draw how each room grows, and write what follows into docs/benchmarks.md and docs/growth.md.

    python benchmarks/growth_page.py [--folder docs]

Reads ``pictures/growth.json`` and, of another machine, ``pictures/growth-gpu.json``, which ``benchmarks/growth.py`` writes. Only what
stands between ``<!-- growth NAME -->`` and ``<!-- end -->`` is replaced, so that no figure on these pages is copied by hand.
"""

import argparse
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import exp, inf, log
from pathlib import Path
from typing import Any

from matplotlib.ticker import EngFormatter, NullFormatter
from scipy import stats

from meldlab.cards import classes
from meldlab.cost import memory_text
from meldlab.formatting import time_text
from meldlab.reports.plot import BLUE, ORANGE, RED, Plot, new_figure, save
from meldlab.statistics import Interval
from meldlab.waiting import WaitingGame
from meldlab.waiting.cost import cpu_memory, num_pairs

COLOURS = (BLUE, ORANGE, RED, "#009E73", "#CC79A7", "#56B4E9")
FLAT = 100_000  # bytes below which memory is not drawn: it is that of a few lists
# Smaller sizes are all overhead, and tell nothing about larger ones.
SETTLED = {
    ("tables at once", "bytes"): 4096,
    ("tables at once", "CPU microseconds of a step"): 4096,
    ("classes of hands", "seconds by the clock"): 6_000_000,
}
HIDDEN = {
    ("web", "moves of a hundred"),
    ("web", "moves a second"),
    ("web", "CPU seconds"),
    ("arena", "rounds of a game"),
    ("gpu", "rounds a second by the clock"),
}  # told in the table alone
BILLION, HANDS, PEOPLE, DAY = 1e9, 1e7, 1000, 86_400
SHARD = 5000  # games of a shard, as the experiments cut them
BUSY = 0.1  # share of a day's questions in its busiest hour


@dataclass(frozen=True)
class Fit:
    """A straight line through the logarithms of points: y grows as x to the ``slope``."""

    slope: Interval
    centre: float
    level: float
    spread: float
    noise: float
    points: int

    @classmethod
    def of(cls, points: Sequence[Sequence[float]]) -> "Fit":
        """Return the line through two points or more that are above zero; two tell no interval.

        >>> fit = Fit.of([(1, 3), (10, 300), (100, 30_000)])
        >>> print(fit.slope, round(fit.at(1000).value))
        2.00000 (2.00000 to 2.00000) 3000000
        """
        xs, ys = ([log(point[at]) for point in points] for at in (0, 1))
        line, many = stats.linregress(xs, ys), len(xs)
        centre = sum(xs) / many
        wide = stats.t.ppf(0.975, many - 2) * line.stderr if many > 2 else inf
        left = [y - line.intercept - line.slope * x for x, y in zip(xs, ys, strict=True)]
        noise = (sum(each * each for each in left) / (many - 2)) ** 0.5 if many > 2 else inf
        slope = Interval(line.slope, line.slope - wide, line.slope + wide)
        return cls(slope, centre, line.intercept + line.slope * centre, sum((x - centre) ** 2 for x in xs), noise, many)

    def at(self, x: float) -> Interval:
        """Return what is to be expected at ``x``, with the 95 % interval of one more measurement if the line goes on as it does."""
        away = log(x) - self.centre
        middle = self.level + self.slope.value * away
        wide = (
            stats.t.ppf(0.975, self.points - 2) * self.noise * (1 + 1 / self.points + away**2 / self.spread) ** 0.5
            if self.points > 2
            else inf
        )
        return Interval(exp(middle), exp(middle - wide) if wide < 50 else 0.0, exp(middle + wide) if wide < 50 else inf)


@dataclass(frozen=True)
class Series:
    """A row of measurements and where it was made."""

    name: str
    x: str
    y: str
    points: list[list[float]]
    labels: list[str]
    most: float = inf

    @property
    def flat(self) -> bool:
        """Tell whether this is memory that is not worth a picture."""
        return self.y == "bytes" and max(y for _, y in self.points) < FLAT

    @property
    def fit(self) -> Fit | None:
        """Return the line through the points that are beyond mere overhead, where there are two or more."""
        used = [point for point in self.points if point[1] > 0 and SETTLED.get((self.x, self.y), 0) <= point[0] <= self.most]
        return Fit.of(used) if len(used) > 1 and not self.flat else None

    def at(self, x: float) -> Interval:
        """Return what is to be expected at a size that was not measured."""
        if self.fit is None:
            raise SystemExit(f"{self.name} has too few points to carry on")
        return self.fit.at(x)

    @property
    def rate(self) -> float:
        """Return y for each x at the largest size."""
        return self.points[-1][1] / self.points[-1][0]

    @property
    def marginal(self) -> float:
        """Return what one more x adds to y, by the first and the last point: where much is held before the first."""
        (first, low), (last, high) = self.points[0], self.points[-1]
        return (high - low) / (last - first)

    @property
    def last(self) -> float:
        """Return y at the largest size that the machine has room for."""
        return [y for x, y in self.points if x <= self.most][-1]


class Growth:
    """All that was measured."""

    def __init__(self, folder: Path) -> None:
        files = [folder / "pictures" / name for name in ("growth.json", "growth-gpu.json")]
        self.rooms: dict[str, Any] = {}
        for file in files:
            self.rooms |= json.loads(file.read_text()) if file.exists() else {}

    def of(self, room: str) -> list[Series]:
        """Return the series of a room; none where it was not measured."""
        return [Series(**{"labels": [], **each}) for each in self.rooms.get(room, {"series": []})["series"]]

    def get(self, room: str, name: str, y: str, x: str = "") -> Series:
        """Return one series."""
        return next(one for one in self.of(room) if one.name == name and one.y.strip() == y and x in ("", one.x))

    def where(self, room: str) -> str:
        """Say how, where and when a room was measured."""
        facts = self.rooms[room]
        if "kept" in facts:
            return str(facts["kept"])
        size = "a small trial" if facts["small"] else "measured"
        load = f", load {facts['load']:g}" if "load" in facts else ", beside other work"
        # What is measured keeps the machine busy as well; more than it has cores means that others were there too.
        return f"`python benchmarks/growth.py {room}`, {size}: {facts['machine']}; {facts['date']}{load}."


def number(value: float) -> str:
    """Return a number with three digits that count.

    >>> [number(each) for each in (0.0123456, 1234.5, 7)]
    ['0.0123', '1,230', '7']
    """
    if value == 0:
        return "0"
    places = 2 - int(log(abs(value), 10) // 1)
    shown = round(value, places)
    return f"{shown:,.0f}" if places <= 0 or shown == int(shown) else f"{shown:,.{places}f}".rstrip("0")


def amount(value: float, unit: str) -> str:
    """Return a measurement with its unit."""
    if unit != "bytes":
        return f"{number(value)} {unit.strip()}"
    return memory_text(value) if value >= 1e6 else f"{value / 1000:,.0f} kB"


def clock(seconds: float) -> str:
    """Return a time in words, short ones with three digits that count."""
    return time_text(seconds) if seconds >= 10 else f"{number(seconds)} seconds"


def span(found: Interval, tell: Callable[[float], str]) -> str:
    """Return an expectation with its ends."""
    return (
        f"{tell(found.value)} ({tell(found.low)} to {tell(found.high)})" if found.high < 1e3 * found.value else f"about {tell(found.value)}"
    )


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return rows as Markdown."""
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows))


def slopes(growth: Growth, room: str) -> str:
    """Return the slopes of a room in words."""
    rows = []
    for one in growth.of(room):
        (first, low), (last, high) = one.points[0], one.points[-1]
        measured = f"{number(first)} to {number(last)} {one.x}: {amount(low, one.y)} to {amount(high, one.y)}"
        if len(one.points) == 1:
            measured, words = amount(high, one.y), ("", "")
        elif not any(y for _, y in one.points):
            words = ("", "none")
        elif one.fit is None:
            words = ("", f"no more: {amount(max(y for _, y in one.points), one.y)} at most")
        else:
            slope, more = one.fit.slope, 2**one.fit.slope.value
            words = (
                f"{slope.value:.2f} ({slope.low:.2f} to {slope.high:.2f})" if slope.ends else f"{slope.value:.2f}",
                f"{more:.2f} times",
            )
        rows.append((one.name, measured, *words))
    head = ("what", "measured", "slope (95 %)", "twice as much takes, or gives")
    return f"{table(head, rows)}\n\n{growth.where(room)}"


def drawn(growth: Growth, room: str) -> Plot:
    """Return the picture of a room: a panel for each pair of axes, points and the lines through them."""
    shown = [one for one in growth.of(room) if not one.flat and (room, one.y) not in HIDDEN]
    axes_of = list(dict.fromkeys((one.x, one.y) for one in shown))
    figure, panels = new_figure(panels=len(axes_of), size=(4.6, 3.8))
    data: dict[str, list[Any]] = {key: [] for key in ("series", "x", "y", "value", "measured")}
    for (x, y), axes in zip(axes_of, panels, strict=True):
        for colour, one in zip(COLOURS * 2, (each for each in shown if (each.x, each.y) == (x, y)), strict=False):
            used = [point for point in one.points if point[1] > 0]
            slope = f": slope {one.fit.slope.value:.2f}" if one.fit else ""
            axes.loglog(*zip(*used, strict=True), "o", color=colour, ms=5, label=f"{one.name}{slope}")
            if one.fit:
                places = [place for place, _ in used if SETTLED.get((x, y), 0) <= place <= one.most]
                ends = min(places), max(places)
                axes.loglog(ends, [one.fit.at(end).value for end in ends], "-", color=colour, lw=1.2)
            if len(one.labels) < 8:
                for place, label in zip(one.points, one.labels, strict=False):
                    axes.annotate(label, place, xytext=(5, -10), textcoords="offset points", fontsize=8)
            for place, value in one.points:
                for key, cell in zip(data, (one.name, x, y, place, value), strict=True):
                    data[key].append(cell)
        axes.set_xlabel(x)
        axes.set_ylabel(y.strip())
        for axis, unit in ((axes.xaxis, x), (axes.yaxis, y)):
            tell = partial(_tick, unit)
            low, high = sorted(axis.get_view_interval())
            axis.set_major_formatter(tell)
            axis.set_minor_formatter(tell if high < 10 * low else NullFormatter())
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8)
        axes.margins(0.12, 0.12)
    return figure, data


def _tick(unit: str, value: float, _: int) -> str:
    if unit == "bytes":
        return amount(value, unit)
    return number(value) if value < 10_000 else EngFormatter(sep=" ")(value)


def games(growth: Growth) -> Iterator[str]:
    """Yield what a billion games take."""
    same = {"simple v simple": "gin, simple v simple", "ensemble v simple": "gin, ensemble v simple"}
    cores, rows = {one.name: one for one in growth.of("cores")}, []
    most = max(one.points[-1][0] for one in cores.values())
    cluster = {one.name: one for one in growth.of("cluster")}
    gpu = {one.name: one.last for one in growth.of("gpu") if one.y == "rounds a second by the clock"}
    for one in growth.of("arena"):
        if one.y != "CPU seconds":
            continue
        # Games cost the same however many there are.
        whole, many = BILLION * one.rate, cores.get(same.get(one.name, ""))
        rounds = growth.get("arena", one.name, "rounds of a game").last
        rows.append(
            (
                one.name,
                time_text(whole),
                time_text(BILLION / many.last) if many else "",
                number(max(1.0, whole / DAY)),
                time_text(BILLION * rounds / gpu[one.name]) if one.name in gpu else "",
            )
        )
    block = cores["Block Rummy, random players"]
    whole = BILLION / block.points[0][1]
    rows.append((block.name, time_text(whole), time_text(BILLION / block.last), number(max(1.0, whole / DAY)), ""))
    yield table(("a billion games", "one core", f"{most:.0f} cores, measured", "cores to be done in a day", "one H200"), rows)
    shards = BILLION / SHARD
    size, write, add = (
        growth.get("store", *key)
        for key in (
            ("the file", "bytes"),
            ("to claim and write a shard", "CPU milliseconds"),
            ("to add up the games of a run", "CPU milliseconds"),
        )
    )
    memory, price = growth.get("arena", "simple v simple", "bytes"), cluster["shards of two games, which are all price"]
    most_shards = max(y for _, y in price.points)
    limits: dict[str, list[float]] = {}
    for name in ("simple v simple", "ensemble v simple"):
        pace = 1 / growth.get("arena", name, "CPU seconds").rate / SHARD  # shards a second of one core
        limits[name] = [most_shards / pace, 1000 / write.last / pace]
    yield table(
        ("part", f"a billion games in {shards:,.0f} shards of {SHARD:,}", "gives way at"),
        [
            ("the store, in bytes", span(size.at(shards), memory_text), "the disk"),
            (
                "writing it",
                f"{time_text(shards * write.last / 1000)} of one core",
                " / ".join(f"{limits[name][1]:,.0f} cores ({name})" for name in limits),
            ),
            ("one look at how many games are done", span(add.at(shards), lambda ms: f"{ms / 1000:.2f} s"), ""),
            (
                "handing out shards to a cluster",
                time_text(shards / most_shards),
                " / ".join(f"{limits[name][0]:,.0f} cores ({name})" for name in limits),
            ),
            ("`gin arena` in one call, without shards", f"{memory_text(BILLION * memory.marginal)} of memory", "memory"),
        ],
    )
    first = min((limits[name][0], name) for name in limits)
    yield (
        f"First to give way is whoever hands out the shards: one process that sends and receives {most_shards:,.0f} of them a second, "
        f"enough for {first[0]:,.0f} cores of {first[1]} in shards of {SHARD:,} games. Shards of ten times as many games feed ten times "
        "as many cores."
    )


def looks(growth: Growth) -> Iterator[str]:
    """Yield what ten million hands a day take."""
    busy, rows = HANDS * BUSY / 3600, []
    ways = [
        ("waiting", "in one call", "`Solution.values` of many hands at once"),
        ("waiting", "one call for each", "`Solution.turns`, a call for each"),
    ]
    for room, name, words in [
        *ways,
        ("web", "by the API, server and workers", "`/api/waiting/hand`, with every draw and the spread, four cards"),
    ]:
        each = growth.get(room, name, "CPU seconds", "hands looked up").rate
        rows.append((words, f"{number(1e6 * each)} us", clock(HANDS * each), number(HANDS * each / DAY), number(busy * each)))
    head = ("way", "CPU time of a hand", "of ten million", "cores, evenly over a day", f"cores in an hour with {BUSY:.0%} of the day")
    yield table(head, rows)
    time, memory = (growth.get("waiting", "solving every hand", unit) for unit in ("CPU seconds", "bytes"))
    gpu = {one.name: one for one in growth.of("gpu") if one.x == "classes of hands"}.get("solving every hand")
    known = dict(zip(gpu.labels, (seconds for _, seconds in gpu.points), strict=True)) if gpu else {}
    rows, a_pair = [], time.last / num_pairs(WaitingGame(int(time.labels[-1].split()[0])))
    for cards in (7, 8, 9, 10):
        size = classes.count(cards)
        kept = f"{memory_text(8 * size)} / {memory_text(2 * size)}"
        told = dict(zip(time.labels, time.points, strict=True)).get(f"{cards} cards")
        cpu = f"{number(told[1])} CPU-s, measured" if told else f"{time_text(num_pairs(WaitingGame(cards)) * a_pair)} of one core"
        held = dict(zip(memory.labels, memory.points, strict=True)).get(f"{cards} cards")
        needs = f"{memory_text(held[1])}, measured" if held else memory_text(cpu_memory(WaitingGame(cards)))
        on_gpu = known.get(f"{cards} cards")
        rows.append((f"{cards} cards, {size:,} classes", cpu, needs, f"{number(on_gpu)} s, measured" if on_gpu else "", kept))
    yield table(("the table that is looked into", "to solve it", "memory while it is solved", "one GPU", "kept, 8 / 2 bytes a class"), rows)


def people(growth: Growth) -> Iterator[str]:
    """Yield what a thousand people at once take."""
    server, workers = (growth.get("web", name, "CPU milliseconds of a move").last / 1000 for name in ("in the server", "in its workers"))
    memory = growth.get("web", "held since the start", "bytes")
    rows = []
    for think in (1, 5, 20):
        pace = PEOPLE / think
        told = "one server does" if pace * server < 0.7 else f"{-(-pace * server // 0.7):.0f} servers"
        rows.append(
            (f"{think} s", number(pace), f"{number(pace * server)}", f"{number(pace * workers)}", told, f"{number(0.7 / server * think)}")
        )
    yield table(
        (
            "thought before a move",
            "moves a second",
            "cores of the server's process",
            "cores of its workers",
            "needed",
            "people at one server",
        ),
        rows,
    )
    most = max(y for _, y in growth.get("web", "answered", "moves a second").points)
    held = f" A table holds {amount(memory.marginal, 'bytes')}, so a thousand hold {amount(PEOPLE * memory.marginal, 'bytes')}."
    yield (
        f"A move costs {1000 * server:.1f} ms of the process that answers and {1000 * workers:.1f} ms of its workers; the most that was "
        f"answered, people and server on the same machine, are {number(most)} moves a second.{held if memory.marginal > 0 else ''}\n\n"
        "First to give way is the process that answers: it has one core, whatever the machine has, and is full at "
        f"{number(1 / server)} moves a second. Above seven tenths of that people wait in line, which is where the table draws the line."
    )


def larger(growth: Growth) -> Iterator[str]:
    """Yield what other large questions take."""
    wanted: list[tuple[str, str, str, str, float, str]] = [
        ("stopping", "value", "CPU seconds", "cards of each colour", 1e6, "value of a million black and a million red cards"),
        ("stopping", "value, exact fraction", "CPU seconds", "cards of each colour", 1e4, "the same as a fraction, ten thousand of each"),
        (
            "stopping",
            "distribution of the winnings",
            "CPU seconds",
            "cards of each colour",
            1e5,
            "chances of all winnings, a hundred thousand of each",
        ),
        (
            "recycle",
            "mcts, 50 simulations an option",
            "CPU seconds, Block Rummy",
            "options of a decision",
            100,
            "`mcts:50` where there are a hundred options",
        ),
        (
            "recycle",
            "mcts",
            "CPU seconds, Block Rummy",
            "simulations an option",
            1e6,
            "`mcts`, a million simulations for each of two options",
        ),
    ]
    rows = []
    for room, name, y, x, size, words in wanted:
        found = growth.get(room, name, y, x).at(size)
        rows.append((words, span(found, clock)))
    for one in growth.of("vector"):
        if one.y == "bytes" and one.fit:
            rows.append((f"a million tables of the vector environment, {one.name}", span(one.at(1 << 20), memory_text)))
    yield table(("question", "one core, or memory"), rows)


def written(page: Path, parts: dict[str, str]) -> None:
    """Put each part between its marks."""
    text = page.read_text()
    for name, part in parts.items():
        text, found = re.subn(
            rf"(<!-- growth {name} -->\n).*?(<!-- end -->)",
            lambda marks, part=part: f"{marks[1]}\n{part}\n\n{marks[2]}",
            text,
            flags=re.DOTALL,
        )
        if found != 1:
            raise SystemExit(f"{page} has {found} places for {name}")
    page.write_text(text)


def write_pages(growth: Growth, folder: Path) -> list[str]:
    """Write all tables into their pages, and return those of the page that carries the lines on."""
    written(folder / "benchmarks.md", {room: slopes(growth, room) for room in growth.rooms})
    carried = {tell.__name__: "\n\n".join(tell(growth)) for tell in (games, looks, people, larger)}
    written(folder / "growth.md", carried)
    return list(carried.values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=Path("docs"))
    folder = parser.parse_args().folder
    growth = Growth(folder)
    for room in growth.rooms:
        save(*drawn(growth, room), folder / "pictures" / f"growth-{room}.svg")
    print(*write_pages(growth, folder), sep="\n\n")


if __name__ == "__main__":
    main()
