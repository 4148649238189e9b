"""Jokers that are not free, by the search: every case of what becomes of the table jokers, and the best move of all cases.

A table joker stays or is freed. One that stays is an *anchor*: modern, it lies in some set as its tile; strict, its whole set lies in one
set of the new table, with the very tile in the place of another joker that was freed. A freed one lies anywhere beside a rack tile, and
something must have been put in its place. The sets in which table jokers end are the *homes* that the search builds.

>>> position = Position.parse("R5 J=R6 R7 | K1 K2 K3", "R6 O1 O2", Rules(joker_rule="strict"))
>>> sorted(map(str, best_by_cases(position, Objective(), Budget()).table))
['K1 K2 K3', 'O1 O2 J=O3', 'R5 R6 R7']
"""

import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations_with_replacement, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from meldlab.rummikub import kernel, kernel_cases, kernel_homes
from meldlab.rummikub.budget import Budget, BudgetExceeded
from meldlab.rummikub.jokers import Obedient, obeying_table, replacements
from meldlab.rummikub.position import Position
from meldlab.rummikub.rules import Rules
from meldlab.rummikub.search import JOKERS, NO_SETS, TILES, Problem, locks_of, search, table_of
from meldlab.rummikub.sets import TileSet
from meldlab.rummikub.solution import Objective
from meldlab.rummikub.tiles import JOKER, Tile

__all__ = ["best_by_cases", "warm_up"]

FREE = 3000  # states for the best free move
ROUNDS = 30  # of mending prices
PIECE = 10_000  # states between two looks at the clock


class Home(NamedTuple):
    """What a home must be, in the columns of the kernel; numbers and colours as bits or from 0."""

    kind: int
    place: int  # of a run its colour, of a group its number, -1 if any
    low: int = -1  # numbers that a run must reach
    high: int = -1  # or the most tiles of a group
    exact: int = 0
    pins: int = 0  # jokers that stay
    fast: int = 0  # numbered tiles that must be in
    own: int = 0  # tiles that are none from the rack
    jokers: int = 0  # freed jokers
    lonely: int = 0  # whether they need a tile from the rack
    plain: int = 0  # plain tiles of a run before all this


class Case(NamedTuple):
    """Rack tiles that must be played, the homes, how many rack jokers are left for other sets, and how many old sets the homes are."""

    wanted: Counter[Tile]
    homes: tuple[Home, ...]
    left: int
    kept: int = 0


@dataclass(frozen=True)
class Anchor:
    """Jokers that stay, by their tiles, and what stays with them; the old set they are all jokers of, if they are."""

    pins: tuple[Tile, ...]
    fast: tuple[Tile, ...] = ()
    own: tuple[Tile, ...] = ()
    whole: TileSet | None = None


def _run(colour: int, low: int = -1, high: int = -1, jokers: int = 0, lonely: int = 0, **more: int) -> Home:
    inside = jokers + lonely + (high - low + 1 if low >= 0 else 0)
    return Home(kernel_homes.RUN, colour, low, high, jokers=jokers, lonely=lonely, plain={1: 4, 2: 3}.get(inside, 2), **more)


def _homes(anchor: Anchor, colours: int, jokers: int = 0, lonely: int = 0) -> Iterator[Home]:
    """Give what the home of an anchor may be, with so many other jokers in it."""
    faces = [*anchor.pins, *anchor.fast]
    numbers, shades = {tile.number - 1 for tile in faces}, {tile.colour for tile in faces}
    if len(shades) == 1 and len(numbers) == len(faces):
        pins, fast, own = (sum(1 << tile.number - 1 for tile in some) for some in (anchor.pins, anchor.fast, anchor.own))
        yield _run(faces[0].colour, min(numbers), max(numbers), jokers, lonely, pins=pins, fast=fast, own=own)
    if len(numbers) == 1 and len(shades) == len(faces):
        pins, fast, own = (sum(1 << tile.colour for tile in some) for some in (anchor.pins, anchor.fast, anchor.own))
        yield Home(kernel_homes.GROUP, faces[0].number - 1, -1, colours, 0, pins, fast, own, jokers, lonely)


def _just(tile_set: TileSet, colours: int, lonely: int = 0) -> Home:
    """Return the home that is an old set and nothing else."""
    naturals = tuple(tile for tile in tile_set.tiles if not tile.joker)
    (home,) = _homes(Anchor(tuple(tile.stands_for for tile in tile_set.jokers), naturals), colours, 0, lonely)
    return home._replace(exact=1)


def _anywhere(colours: int, jokers: int, lonely: int) -> list[Home]:
    """Return what the home of freed jokers may be."""
    runs = [_run(colour, jokers=jokers, lonely=lonely) for colour in range(colours)]
    return [*runs, Home(kernel_homes.GROUP, -1, -1, colours, jokers=jokers, lonely=lonely)]


def every_case(position: Position, objective: Objective, *, keep: bool) -> Iterator[Case]:
    """Give the cases; with ``keep`` also those in which a home is an old set."""
    rack, must = Counter(position.rack), Counter(objective.required)
    table_jokers = [(i, tile) for i, tile_set in enumerate(position.table) for tile in tile_set.tiles if tile.joker]
    for freed in product((False, True), repeat=len(table_jokers)):
        asked = [must | some for some in replacements(position, table_jokers, freed)]
        asked = [some for some in asked if some <= rack]
        anchors = _anchors(position, table_jokers, freed)
        for nth, wanted in enumerate(asked):
            if not any(other <= wanted and (other != wanted or at < nth) for at, other in enumerate(asked) if at != nth):
                for homes, left, kept in _housed(position, anchors, sum(freed), rack[JOKER], keep=keep):
                    yield Case(wanted, homes, left, kept)


def _anchors(position: Position, jokers: Sequence[tuple[int, Tile]], freed: Sequence[bool]) -> list[Anchor]:
    stay = [(i, tile) for (i, tile), free in zip(jokers, freed, strict=True) if not free]
    table, anchors = position.table, list[Anchor]()
    if position.rules.joker_rule != "strict":
        return [Anchor((tile.stands_for,), whole=table[i] if len(table[i].jokers) == 1 else None) for i, tile in stay]
    for i in dict.fromkeys(i for i, _ in stay):
        pins = tuple(tile.stands_for for at, tile in stay if at == i)
        own = tuple(tile for tile in table[i].tiles if not tile.joker)
        put_in = tuple(tile.stands_for for (at, tile), free in zip(jokers, freed, strict=True) if at == i and free)
        anchors.append(Anchor(pins, own + put_in, own, None if put_in else table[i]))
    return anchors


def _housed(
    position: Position, anchors: Sequence[Anchor], freed: int, rack_jokers: int, *, keep: bool
) -> Iterator[tuple[tuple[Home, ...], int, int]]:
    """Give the homes of anchors and freed jokers, apart and together, the rack jokers left, and how many old sets the homes are."""
    colours, strict = position.rules.colours, position.rules.joker_rule == "strict"
    parts: list[list[tuple[Home, TileSet | None]]] = []
    for anchor in anchors:
        part: list[tuple[Home, TileSet | None]] = [(home, None) for home in _homes(anchor, colours)]
        if keep:
            # Modern, a joker may also lie in the place of another one that stood for the same tile.
            alike = [one for one in position.table if [joker.stands_for for joker in one.jokers] == [*anchor.pins]]
            whole = alike if not strict else [anchor.whole] if anchor.whole else []
            part += [(_just(one, colours), one) for one in whole]
        parts.append(part)
    if freed:
        part = [(home, None) for home in _anywhere(colours, 1, 1)]
        if keep and len(anchors) + freed > 1:
            # A freed joker may take the place of another one, in a set that then counts as kept.
            part += [(_just(one, colours, 1), one) for one in position.table if len(one.jokers) == 1]
        parts += [part] * freed
    pairs = combinations_with_replacement(parts[0], 2) if freed == 2 else product(*parts)
    for some in pairs:
        olds = [id(old) for _, old in some if old]
        if len(set(olds)) == len(olds):
            yield tuple(home for home, _ in some), rack_jokers, len(olds)
    # Two jokers in one home: freed ones, one of the rack, or several that stay.
    if freed == 2:
        yield from (((home,), 0, 0) for home in _anywhere(colours, 2, 1))
    elif freed and anchors:
        yield from (((home,), 0, 0) for home in _homes(anchors[0], colours, 1, 1) if len(anchors[0].pins) == 1)
    elif freed and rack_jokers:
        yield from (((home,), 0, 0) for home in _anywhere(colours, 2, 0))
    elif rack_jokers:
        yield from (((home,), 0, 0) for home in _homes(anchors[0], colours, 1, 0))
    elif len(anchors) == 2 and not strict:
        yield from (((home,), 0, 0) for home in _homes(Anchor(anchors[0].pins + anchors[1].pins), colours))
        if keep:
            yield from (((_just(one, colours),), 0, 1) for one in position.table if len(one.jokers) == 2)


@dataclass
class CaseWork(threading.local):
    """The arrays of one thread, allocated once."""

    desk: kernel_homes.CaseDesk = field(
        default_factory=lambda: kernel_homes.CaseDesk._make(
            np.zeros(shape, np.int64)
            for shape in (
                (16, 256), 16, (16, 4), (16, 4), (3, 17), (16, 4), 18, (3, 1 << kernel_homes.FLOOR_BITS), 0, 0,
                (16, 2, 32, 4), (16, 2, 32, 4), (16, 4, 9, 10, 5), (kernel_cases.MOST_STATES, 7), (kernel_cases.MOST_FRESH, 7),
                (2, 2 * kernel_cases.MOST_FRESH), (2, 2 * kernel_cases.MOST_STATES), 2 * kernel_cases.STRONGEST, (16, 16),
            )
        )
    )  # fmt: skip
    best: NDArray[np.int64] = field(default_factory=lambda: np.zeros((16, 13), np.int64))
    runs: NDArray[np.int64] = field(default_factory=lambda: np.zeros((64, 4), np.int64))


WORK = CaseWork()


def warm_up(*, jokers: bool = True) -> None:
    """Load the compiled searches, so that the time of the first solution is the solution's own; ``jokers``: for tables with jokers too."""
    # A joker that must not be moved freely needs the second search, which takes longer to compile than the first.
    easy = Position.parse("R3 R4 R5 J=R6 | K6 B6 O6" if jokers else "K6 B6 O6", "O1 O2", Rules(joker_rule="modern"))
    best_by_cases(easy, Objective(), Budget())


def best_by_cases(position: Position, objective: Objective, budget: Budget) -> Obedient | None:
    """Return the best move under ``modern`` or ``strict``, past the budget the best found so far; nothing if the objective cannot be met."""
    calm = [one for one in position.table if not one.jokers] if objective.keep == "sets" else None
    free = _free(position, objective, budget)
    if free is None:
        return None
    table, least, broken = free
    obeying = obeying_table(position, table)
    if obeying:
        return Obedient(obeying, True, (), objective.required)
    cases = list(every_case(position, objective, keep=False))
    cost, whole, failed = _searched(position, objective, cases, least, budget)
    if cost >= kernel.NEVER:
        if whole:
            return None
        raise BudgetExceeded
    found = _laid(position, objective, cases, (), proven=whole)
    if calm is not None and whole:
        hopeful = [case for case, low in zip(cases, failed, strict=True) if low < cost * kernel_homes.UNIT]
        hopeful += [case for case in every_case(position, objective, keep=True) if case.kept]
        # Of cases that promise as much, those in which old sets stay or jokers are freed come first: they are the best most often.
        hopeful.reverse()
        calmest, whole, _ = _searched(position, objective, hopeful, max(cost, least + broken), budget, calm)
        found = replace(found, proven=False) if calmest >= kernel.NEVER else _laid(position, objective, hopeful, calm, proven=whole)
    return found


def _free(position: Position, objective: Objective, budget: Budget) -> tuple[tuple[TileSet, ...], int, int] | None:
    """Return the best table with free jokers, its weight left, scaled, and the sets it breaks; nothing if the objective cannot be met."""
    part = Budget(min(FREE, budget.nodes), budget.seconds)
    before = part.nodes
    try:
        found = search(Problem.of(position, objective), keep=objective.keep == "sets", budget=part)
        return (found.table, found.weight_left * kernel.SCALE, found.broken) if found else None
    except BudgetExceeded:
        # Few questions are hard, and in layers they are less so; a table without homes is a case too.
        case = [Case(Counter(objective.required), (), sum(tile.joker for tile in (*position.table_tiles, *position.rack)))]
    finally:
        budget.nodes -= before - part.nodes
    cost, whole, _ = _searched(position, objective, case, 0, budget)
    sets: Sequence[TileSet] = ()
    calmest = cost
    if whole and cost < kernel.NEVER and objective.keep == "sets":
        sets = position.table
        calmest, whole, _ = _searched(position, objective, case, cost, budget, sets)
    if not whole:
        raise BudgetExceeded
    return None if cost >= kernel.NEVER else (_laid(position, objective, case, sets, proven=True).table, cost, calmest - cost)


def _searched(
    position: Position, objective: Objective, cases: Sequence[Case], least: int, budget: Budget, sets: Sequence[TileSet] | None = None
) -> tuple[int, bool, list[int]]:
    """Return the cost of the best way, which the workspace now holds, whether it is proven, and for each case a cost that is too small.

    ``sets`` are those that would better stay as they are, beside the homes; without them only the weight counts.
    """
    problem, counters = _problem(position, objective), WORK.desk.counters
    desk = WORK.desk._replace(bounds=np.zeros(len(cases), np.int64), failed=np.zeros(len(cases), np.int64))
    guarded = _guarded(position, problem, cases, sets)
    most, unit = max(0, budget.nodes), kernel_homes.UNIT
    highest = int(problem.weights.max()) * kernel_homes.WORTH
    # Beyond what is needed the budget grows by what costs few more states: a tile where only weight counts, sets where some weight is left.
    if sets is None:
        slack, jump, rounds, stride = 0, highest, 0, highest // 2
    elif least < kernel.SCALE:
        slack, jump, rounds, stride = 0, 0, ROUNDS, 4 * unit
    else:
        slack, jump, rounds, stride = 8 * unit, 4 * unit, ROUNDS // 3, highest // 2
    plan = (least * unit, slack, jump, rounds, stride)
    counters[kernel_homes.NODES], counters[kernel_homes.LEAST], counters[kernel_homes.FULL] = 0, -1, 0
    counters[kernel_homes.BEST], cost = kernel.NEVER, -1
    while cost < 0 and counters[kernel_homes.NODES] < most and budget.seconds > 0 and not counters[kernel_homes.FULL]:
        counters[kernel_homes.LIMIT] = min(counters[kernel_homes.NODES] + PIECE, most)
        cost = int(kernel_cases.search_cases(guarded, plan, desk, WORK.best, WORK.runs))
    budget.nodes -= int(counters[kernel_homes.NODES])
    found = int(counters[kernel_homes.BEST])
    # Back to the costs of the search: the weight left, scaled, plus the sets broken.
    return found if found >= kernel.NEVER else found // unit, cost >= 0, desk.failed.tolist()


def _problem(position: Position, objective: Objective) -> Problem:
    return Problem.of(position, Objective(objective.measure, objective.keep, objective.weights))


def _guarded(position: Position, problem: Problem, cases: Sequence[Case], sets: Sequence[TileSet] | None) -> kernel_homes.Guarded:
    """Return the question as the kernel reads it."""
    rules, problem.sets = position.rules, sets or ()
    homes, colours, modes = dict[Home, int](), dict[tuple[int, ...], int](), dict[tuple[Tile, ...], int]()
    shares = dict[tuple[int, int, int], int]()
    rows, games, musts = [], [], []
    for case in cases:
        wanted = tuple(sorted(case.wanted.elements()))
        if wanted not in modes:
            modes[wanted] = len(modes)
            must = problem.must.copy()
            for tile in wanted:
                if not tile.joker:
                    must[tile.number - 1, tile.colour] += 1
            musts.append(must)
        # Table jokers are those of the homes, where there are any.
        mode, must_jokers = modes[wanted], min(case.wanted[JOKER] + (0 if case.homes else problem.must_jokers), case.left)
        numbered = [homes.setdefault(home, len(homes)) for home in case.homes]
        start = sum(kernel_homes.LIES << 5 * nth for nth in range(len(numbered), 2))
        share = len(cases) + shares.setdefault((mode, must_jokers, case.left), len(shares))
        twins = len(numbered) == 2 and numbered[0] == numbered[1] and not case.homes[0].pins
        configurations = []
        for c in range(4):
            matter = [
                nth if home.kind == kernel_homes.RUN and home.place == c else -1 for nth, home in zip(numbered, case.homes, strict=True)
            ]
            configurations.append(colours.setdefault((mode, c, *[*matter, -1, -1][:2]), len(colours)))
        cost = 0 if sets is None else (len(position.table) - len(sets) - case.kept) * kernel_homes.UNIT
        grouped = [home.jokers + home.pins.bit_count() if home.kind == kernel_homes.GROUP else 0 for home in case.homes]
        rows.append((mode, *[*numbered, 0, 0][:2], start, cost, twins, share, *[*grouped, 0, 0][:2], *configurations))
        games.append((rules.numbers, must_jokers, case.left - must_jokers, problem.joker_weight))
    choices, locks = kernel.CHOICES[rules.colours - 1], locks_of(problem) if sets else NO_SETS
    arrays = (
        np.array(some, np.int64) for some in ([*homes, Home(0, 0)], rows, games, _lying([*colours, *((0, c, -1, -1) for c in range(4))]))
    )
    supply = problem.must + problem.may
    return kernel_homes.Guarded(supply, problem.must, problem.may, np.array(musts), problem.weights, choices, locks, *arrays)


def _lying(colours: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Add to each colour the bits that make homes lie which are no runs of it."""
    return [(*row, sum(kernel_homes.LIES << 5 * nth for nth in range(2) if row[2 + nth] < 0)) for row in colours]


def _laid(position: Position, objective: Objective, cases: Sequence[Case], sets: Sequence[TileSet], *, proven: bool) -> Obedient:
    """Return the table that the workspace holds, and what was insisted on to find it."""
    counters = WORK.desk.counters
    case, trail = cases[counters[kernel_homes.CASE]], WORK.best[: position.rules.numbers].tolist()
    fixed = [_home(home, [row[kernel_homes.T_FIRST + nth] for row in trail], position.rules.colours) for nth, home in enumerate(case.homes)]
    claims = Counter(
        Tile(c, number) for number, row in enumerate(trail, 1) for c in range(4) for _ in range(row[kernel_homes.T_CLAIMS] >> 4 * c & 15)
    )
    rest = _problem(position, objective)
    rest.must_jokers, rest.may_jokers = 0, case.left
    others = table_of(rest, sets, WORK.best, WORK.runs[: counters[kernel_homes.RUNS]].tolist())
    return Obedient((*fixed, *others), proven, tuple(fixed), tuple(sorted((case.wanted | claims).elements())))


def _home(home: Home, pieces: Sequence[int], colours: int) -> TileSet:
    """Return the set that was built number by number."""
    if home.kind == kernel_homes.RUN:
        kinds = {kernel_homes.NATURAL: TILES, kernel_homes.JOKER: JOKERS}
        return TileSet(tuple(kinds[piece][home.place][number] for number, piece in enumerate(pieces, 1) if piece))
    number, some = next((number, piece) for number, piece in enumerate(pieces, 1) if piece)
    others = [c for c in range(colours) if not (some | home.pins) >> c & 1][: home.jokers]
    jokers = sorted([c for c in range(4) if home.pins >> c & 1] + others)
    return TileSet(tuple(TILES[c][number] for c in range(4) if some >> c & 1) + tuple(JOKERS[c][number] for c in jokers))
