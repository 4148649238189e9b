"""Steps from the old table to the new one that a player can carry out one by one, as few as possible.

Piles are the sets on the table during a turn: the old sets by their index, then new ones. A turn has three stages: an opening from the
rack alone; the exchanges that free jokers, which go into the hand; and the laying of the new table.

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

from meldlab.rummikub.joker_exchanges import HAND, RACK, ExchangeState, PhysicalTile, Step, exchange_states
from meldlab.rummikub.opening import first_sets
from meldlab.rummikub.rules import Rules
from meldlab.rummikub.sets import Column, TileSet, readings
from meldlab.rummikub.solution import Solution, match_sets, shared
from meldlab.rummikub.tiles import JOKER, Tile, show

MAX_ASSIGNMENTS = 500  # assignments of equal tiles that are compared
MAX_STATES = 24  # ways to free the jokers that are compared


def source_sets(solution: Solution) -> dict[int, int]:
    """Return, by new set, the old set that it grew from; where only one tile is left of a set, that tile has moved."""
    return _match_sources(solution.position.table, solution.table)


def _match_sources(before: Sequence[TileSet], after: Sequence[TileSet]) -> dict[int, int]:
    return {new: old for old, new in match_sets(before, after).items() if shared(before[old].tiles, after[new].tiles) > 1}


def find_steps(solution: Solution) -> list[Step]:
    """Return the fewest steps found: new sets grow from old ones, equal tiles come from a pile that other tiles leave, too."""
    if not solution.played:
        return []
    return min((_with_laying(solution, start) for start in islice(exchange_states(solution), MAX_STATES)), key=len)


def _with_laying(solution: Solution, start: ExchangeState) -> list[Step]:
    """Return the steps of the state, then those that lay the new table."""
    table, piles = solution.table, start.piles
    built = [TileSet(tuple(piece.shows for piece in pile)) for pile in piles]
    # The strict rule: the new set grows from a set that still holds a joker, so that no tile is taken from it later.
    sources = {new: pile for new, pile in _match_sources(built, table).items() if pile not in start.held}
    sources |= {new: pile for pile, new in start.held.items()}
    ends = {piece: new for piece, (new, _) in start.bound.items()}
    missing = [Counter(tile.piece for tile in tile_set.tiles) for tile_set in table]
    for piece, new in ends.items():
        missing[new][piece.tile] -= 1
    for new, pile in sources.items():
        for piece in sorted(piles[pile], key=lambda piece, new=new: piece.shows not in table[new].tiles):  # type: ignore[misc]
            if piece not in ends and missing[new][piece.tile]:
                ends[piece] = new
                missing[new][piece.tile] -= 1
    where = {piece: place for place, pile in (*enumerate(piles), (HAND, start.hand), (RACK, start.rack)) for piece in pile}
    sure = {(where[piece], new) for piece, new in ends.items() if sources.get(new) != where[piece]}
    leaving: dict[Tile, list[PhysicalTile]] = {}
    for piece in where:
        if piece not in ends:
            leaving.setdefault(piece.tile, []).append(piece)
    wanting = {tile: [new for new, counts in enumerate(missing) for _ in range(counts[tile])] for tile in leaving}
    assigned = islice(_assignments(leaving, wanting, where), MAX_ASSIGNMENTS)
    best = min(assigned, key=lambda new_sets: len(sure | {(where[piece], new) for piece, new in new_sets.items()}))
    ends |= best
    return [*start.steps, *_in_order(solution, start, sources, where, ends)]


def _assignments(
    leaving: dict[Tile, list[PhysicalTile]], wanting: dict[Tile, list[int]], where: dict[PhysicalTile, int]
) -> Iterator[dict[PhysicalTile, int]]:
    """Give every assignment of equal tiles to new sets; tiles at one place are interchangeable."""
    choices = []
    for tile, pieces in sorted(leaving.items()):
        every = permutations(wanting[tile]) if len({where[piece] for piece in pieces}) > 1 else [tuple(wanting[tile])]
        choices.append([dict(zip(pieces, order, strict=True)) for order in dict.fromkeys(every)])
    for chosen in product(*choices):
        yield {piece: new for new_sets in chosen for piece, new in new_sets.items()}


def _in_order(
    solution: Solution, start: ExchangeState, sources: dict[int, int], where: dict[PhysicalTile, int], ends: dict[PhysicalTile, int]
) -> Iterator[Step]:
    """Give the steps set by set: tiles from the table first, then those from the rack, freed jokers last."""
    shows = _final_tiles(solution, start, ends)
    loads: dict[tuple[int, int], list[PhysicalTile]] = {}
    for piece, new in ends.items():
        if sources.get(new) != where[piece]:
            loads.setdefault((where[piece], new), []).append(piece)
    from_table = {new for place, new in loads if place >= 0}

    def order(load: tuple[int, int]) -> tuple[bool, int, bool, bool, int]:
        place, new = load
        return new not in from_table, new, place == HAND, place == RACK, place

    piles, next_pile = dict(sources), len(start.piles)
    for place, new in sorted(loads, key=order):
        if new not in piles:
            piles[new], next_pile = next_pile, next_pile + 1
        load = sorted(loads[place, new], key=lambda piece: (piece.tile, piece.shows))
        lifted = tuple(piece.shows if place >= 0 else piece.tile for piece in load)
        yield Step(lifted, tuple(shows[piece] for piece in load), place, piles[new])
    for piece, new in ends.items():
        if sources.get(new) == where[piece] and shows[piece] != piece.shows:
            yield Step((piece.shows,), (shows[piece],), where[piece], where[piece])


def _final_tiles(solution: Solution, start: ExchangeState, ends: dict[PhysicalTile, int]) -> dict[PhysicalTile, Tile]:
    """Return what each tile stands for in the end; jokers that are not bound keep their tile where they can."""
    shows = {piece: start.bound[piece][1] if piece in start.bound else piece.tile for piece in ends}
    for new, tile_set in enumerate(solution.table):
        loose = [piece for piece, end in ends.items() if end == new and piece.tile == JOKER and piece not in start.bound]
        meant = Counter(tile_set.jokers) - Counter(shows[piece] for piece, end in ends.items() if end == new and piece in start.bound)
        for piece in sorted(loose, key=lambda piece, meant=meant: piece.shows not in meant):  # type: ignore[misc]
            shows[piece] = piece.shows if meant[piece.shows] > 0 else next(iter(+meant))
            meant[shows[piece]] -= 1
    return shows


def describe_steps(solution: Solution, plan: Sequence[Step] | None = None) -> list[str]:
    """Return the steps, or those of a given plan, as sentences; sets are named as they are at that step."""
    rules, plan = solution.position.rules, find_steps(solution) if plan is None else plan
    piles = {i: list(tile_set.tiles) for i, tile_set in enumerate(solution.position.table)}
    sentences = []
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
            sentences.append(f"let {show(step.lifted)} stand for {step.tiles[0].stands_for} in {place} to make {made}")
            continue
        them = "it" if len(step.tiles) == 1 else "them"
        whole = made.startswith("the ")
        meant = f" as {show(step.tiles)}" if any(tile.joker and tile not in step.lifted for tile in step.tiles) else ""
        if not before:
            later = [other.target for other in plan[n + 1 :]]
            laid = whole and (step.target not in later or n < len(first_sets(solution)))
            where = f"lay {them} down as {made}" if laid else f"begin {_planned_set(plan[n:], solution)} with {them}{meant}"
        elif step.freed:
            where = f"put {them} in the place of {show(step.freed)} in {before} to make {made}"
        else:
            where = f"add {them} to {before}" + (f" to make {made}" if whole else meant)
        sentences.append(f"take {show(step.lifted)} from {place}, {where}")
    return sentences


def _planned_set(rest: Sequence[Step], solution: Solution) -> str:
    """Return the set that the first of some steps starts, as it is in the end."""
    mine = Counter(tile for step in rest if step.target == rest[0].target and step.source != step.target for tile in step.tiles)
    mine.subtract(tile for step in rest if step.source == rest[0].target for tile in step.tiles)
    built = next((tile_set for tile_set in solution.table if Counter(tile_set.tiles) == +mine), None)
    if built is None:
        return f"a set {show(sorted((+mine).elements()))}"
    return f"the {'group' if built.is_group else 'run'} {built}"


def _called(tiles: Sequence[Tile], rules: Rules) -> str:
    """Return the name of a set, or the tiles if they are not a set."""
    for reading in readings(Column.of(tiles), rules):
        if Counter(reading) == Counter(tiles):
            return name(TileSet(reading))
    return show(sorted(tiles, key=lambda tile: (tile.number, tile.colour, tile.joker)))


def name(tile_set: TileSet) -> str:
    """Return the name of a set in a sentence.

    >>> name(TileSet.parse("R3 R4 R5 R6")), name(TileSet.parse("K9 B9 J"))
    ('the run R3-R6', 'the group K9 B9 J=R9')
    """
    if tile_set.is_group:
        return f"the group {tile_set}"
    return f"the run {tile_set}" if tile_set.jokers else f"the run {tile_set.tiles[0]}-{tile_set.tiles[-1]}"
