"""Human moves: the way from the old table to the new one in steps that a person can carry out one by one, and as few as are needed.

Piles are what lies on the table while a turn goes on: the old sets by their place, then those that are begun. Three stages: an opening
that comes before the table is touched; the exchanges by which jokers that are not free come free, into the hand; and the laying of the
new table.

>>> from meldlab.rummikub.position import Position
>>> from meldlab.rummikub.solver import solve
>>> print(*describe_steps(solve(Position.parse("R3-5 | K5 B5 O5 | K6-8", "R5 B6 B7"))), sep=chr(10))
take B5 from the group K5 B5 O5, begin the run B5 B6 B7 with it
take B6 B7 from the rack, add them to B5 to make the run B5-B7
take R5 from the rack, add it to K5 O5 to make the group R5 K5 O5
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice, permutations, product

from meldlab.rummikub.joker_exchanges import HAND, RACK, ExchangeState, PhysicalTile, Step, exchanged
from meldlab.rummikub.opening import first_sets
from meldlab.rummikub.rules import Rules
from meldlab.rummikub.sets import Column, TileSet, readings
from meldlab.rummikub.solution import Solution, match_sets, shared
from meldlab.rummikub.tiles import JOKER, Tile, show

__all__ = ["HAND", "RACK", "Step", "describe_steps", "find_steps", "name", "source_sets"]

WAYS = 500  # assignments of equal tiles that are compared
EXCHANGES = 24  # ways to free the jokers that are compared


def source_sets(solution: Solution) -> dict[int, int]:
    """Return, by new set, the old set that it grew from; where only one tile is left of a set, that tile has moved."""
    return _homes(solution.position.table, solution.table)


def _homes(before: Sequence[TileSet], after: Sequence[TileSet]) -> dict[int, int]:
    return {new: old for old, new in match_sets(before, after).items() if shared(before[old], after[new]) > 1}


def find_steps(solution: Solution) -> list[Step]:
    """Return the fewest steps found: new sets grow from old ones, equal tiles come from where a hand reaches anyway."""
    if not solution.played:
        return []
    return min((_with_laying(solution, start) for start in islice(exchanged(solution), EXCHANGES)), key=len)


def _with_laying(solution: Solution, start: ExchangeState) -> list[Step]:
    """Return the steps that a turn begins with, then those that lay the new table."""
    table, piles = solution.table, start.piles
    lying = [TileSet(tuple(piece.shows for piece in pile)) for pile in piles]
    # A set that still holds a joker in strict play is not broken: its new set grows from it, so that no tile is taken from it later.
    home = {new: pile for new, pile in _homes(lying, table).items() if pile not in start.held}
    home |= {new: pile for pile, new in start.held.items()}
    ends = {piece: new for piece, (new, _) in start.bound.items()}
    missing = [Counter(tile.piece for tile in tile_set.tiles) for tile_set in table]
    for piece, new in ends.items():
        missing[new][piece.tile] -= 1
    for new, pile in home.items():
        for piece in sorted(piles[pile], key=lambda piece, new=new: piece.shows not in table[new].tiles):  # type: ignore[misc]
            if piece not in ends and missing[new][piece.tile]:
                ends[piece] = new
                missing[new][piece.tile] -= 1
    where = {piece: at for at, pile in (*enumerate(piles), (HAND, start.hand), (RACK, start.rack)) for piece in pile}
    sure = {(where[piece], new) for piece, new in ends.items() if home.get(new) != where[piece]}
    leaving: dict[Tile, list[PhysicalTile]] = {}
    for piece in where:
        if piece not in ends:
            leaving.setdefault(piece.tile, []).append(piece)
    wanting = {tile: [new for new, some in enumerate(missing) for _ in range(some[tile])] for tile in leaving}
    every = islice(_ways(leaving, wanting, where), WAYS)
    best = min(every, key=lambda way: len(sure | {(where[piece], new) for piece, new in way.items()}))
    ends |= best
    return [*start.steps, *_in_order(solution, start, home, where, ends)]


def _ways(
    leaving: dict[Tile, list[PhysicalTile]], wanting: dict[Tile, list[int]], where: dict[PhysicalTile, int]
) -> Iterator[dict[PhysicalTile, int]]:
    """Give every way to say which of several equal tiles goes where; pieces at one place are all the same."""
    choices = []
    for tile, pieces in sorted(leaving.items()):
        every = permutations(wanting[tile]) if len({where[piece] for piece in pieces}) > 1 else [tuple(wanting[tile])]
        choices.append([dict(zip(pieces, order, strict=True)) for order in dict.fromkeys(every)])
    for some in product(*choices):
        yield {piece: new for one in some for piece, new in one.items()}


def _in_order(
    solution: Solution, start: ExchangeState, home: dict[int, int], where: dict[PhysicalTile, int], ends: dict[PhysicalTile, int]
) -> Iterator[Step]:
    """Give the loads as steps: what the table gives comes before what the rack adds, set by set, what was freed last."""
    shows = _meanings(solution, start, ends)
    loads: dict[tuple[int, int], list[PhysicalTile]] = {}
    for piece, new in ends.items():
        if home.get(new) != where[piece]:
            loads.setdefault((where[piece], new), []).append(piece)
    table_first = {new for at, new in loads if at >= 0}
    piles, begun = dict(home), len(start.piles)
    for at, new in sorted(loads, key=lambda one: (one[1] not in table_first, one[1], one[0] == HAND, one[0] == RACK, one[0])):
        if new not in piles:
            piles[new], begun = begun, begun + 1
        load = sorted(loads[at, new], key=lambda piece: (piece.tile, piece.shows))
        lifted = tuple(piece.shows if at >= 0 else piece.tile for piece in load)
        yield Step(lifted, tuple(shows[piece] for piece in load), at, piles[new])
    for piece, new in ends.items():
        if home.get(new) == where[piece] and shows[piece] != piece.shows:
            yield Step((piece.shows,), (shows[piece],), where[piece], where[piece])


def _meanings(solution: Solution, start: ExchangeState, ends: dict[PhysicalTile, int]) -> dict[PhysicalTile, Tile]:
    """Return what each piece shows in the end; jokers that are not bound go on standing for their tile where they can."""
    shows = {piece: start.bound[piece][1] if piece in start.bound else piece.tile for piece in ends}
    for new, tile_set in enumerate(solution.table):
        loose = [piece for piece, end in ends.items() if end == new and piece.tile == JOKER and piece not in start.bound]
        meant = Counter(tile_set.jokers) - Counter(shows[piece] for piece, end in ends.items() if end == new and piece in start.bound)
        for piece in sorted(loose, key=lambda piece, meant=meant: piece.shows not in meant):  # type: ignore[misc]
            shows[piece] = piece.shows if meant[piece.shows] > 0 else next(iter(+meant))
            meant[shows[piece]] -= 1
    return shows


def describe_steps(solution: Solution, plan: Sequence[Step] | None = None) -> list[str]:
    """Return the steps, or those of a plan that is known already, as sentences; a set is called what it is at that step."""
    rules, plan = solution.position.rules, find_steps(solution) if plan is None else plan
    piles = {at: list(tile_set.tiles) for at, tile_set in enumerate(solution.position.table)}
    said = []
    for n, step in enumerate(plan):
        place = {RACK: "the rack", HAND: "your hand"}.get(step.source) or _called(piles[step.source], rules)
        for tile in step.lifted if step.source >= 0 else ():
            piles[step.source].remove(tile)
        pile = piles.setdefault(step.target, [])
        before = _called(pile, rules)
        pile += step.tiles
        pile[:] = [dict(step.reread).get(tile, tile) for tile in pile]
        for joker in step.freed:
            pile.remove(joker)
        made = _called(pile, rules)
        if step.source == step.target:
            said.append(f"let {show(step.lifted)} stand for {step.tiles[0].stands_for} in {place} to make {made}")
            continue
        them = "it" if len(step.tiles) == 1 else "them"
        whole = made.startswith("the ")
        meant = f" as {show(step.tiles)}" if any(tile.joker and tile not in step.lifted for tile in step.tiles) else ""
        if not before:
            later = [other.target for other in plan[n + 1 :]]
            laid = whole and (step.target not in later or n < len(first_sets(solution)))
            where = f"lay {them} down as {made}" if laid else f"begin {_to_be(plan[n:], solution)} with {them}{meant}"
        elif step.freed:
            where = f"put {them} in the place of {show(step.freed)} in {before} to make {made}"
        else:
            where = f"add {them} to {before}" + (f" to make {made}" if whole else meant)
        said.append(f"take {show(step.lifted)} from {place}, {where}")
    return said


def _to_be(rest: Sequence[Step], solution: Solution) -> str:
    """Return the set that is begun by the first of some steps, as it will lie."""
    mine = Counter(tile for step in rest if step.target == rest[0].target and step.source != step.target for tile in step.tiles)
    mine.subtract(tile for step in rest if step.source == rest[0].target for tile in step.tiles)
    built = next((one for one in solution.table if Counter(one.tiles) == +mine), None)
    if built is None:
        return f"a set {show(sorted((+mine).elements()))}"
    return f"the {'group' if built.is_group else 'run'} {built}"


def _called(tiles: Sequence[Tile], rules: Rules) -> str:
    """Return how a person calls what lies there: a set by its name, anything else by its tiles."""
    for reading in readings(Column.of(tiles), rules):
        if Counter(reading) == Counter(tiles):
            return name(TileSet(reading))
    return show(sorted(tiles, key=lambda tile: (tile.number, tile.colour, tile.joker)))


def name(tile_set: TileSet) -> str:
    """Return how a person calls a set.

    >>> name(TileSet.parse("R3 R4 R5 R6")), name(TileSet.parse("K9 B9 J"))
    ('the run R3-R6', 'the group K9 B9 J=R9')
    """
    if tile_set.is_group:
        return f"the group {tile_set}"
    return f"the run {tile_set}" if tile_set.jokers else f"the run {tile_set.tiles[0]}-{tile_set.tiles[-1]}"
