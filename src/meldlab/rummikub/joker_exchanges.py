"""How a turn begins: an opening that comes before the table is touched, then the exchanges by which jokers that are not free come free.

Every tile is a piece of its own here: which of two equal ones came from the rack decides where a freed joker may go.

>>> from meldlab.rummikub.rules import PRESETS
>>> from meldlab.rummikub.position import Position
>>> from meldlab.rummikub.solver import solve
>>> solution = solve(Position.parse("R5 J=R6 R7", "R6 O1 O2", PRESETS["official"]))
>>> next(exchanged(solution)).steps
(Step(lifted=(Tile.parse('R6'),), tiles=(Tile.parse('R6'),), source=-1, target=0, freed=(Tile.parse('J=R6'),), reread=()),)
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, permutations, product

from meldlab.rummikub.joker_rules import Exchange, JokerAssignment, assignments, paid_exchanges, rack_tiles_beside
from meldlab.rummikub.opening import first_sets
from meldlab.rummikub.rules import Rules
from meldlab.rummikub.sets import is_set
from meldlab.rummikub.solution import Solution, match_sets
from meldlab.rummikub.tiles import Tile

__all__ = ["HAND", "RACK", "ExchangeState", "PhysicalTile", "Step", "exchanged"]

RACK, HAND = -1, -2
FILLS = 200  # ways to fill the places of jokers that are compared


@dataclass(frozen=True)
class Step:
    """Tiles that go together to a pile, from another one, the rack (-1) or the hand (-2); ``freed`` jokers go from there into the hand.

    ``lifted`` are the tiles as they lie before, ``tiles`` as they lie then: a joker may stand for something else. A step from a pile to
    itself does only that. ``reread`` are the other jokers of the target that stand for another tile after the step, before and after.
    """

    lifted: tuple[Tile, ...]
    tiles: tuple[Tile, ...]
    source: int
    target: int
    freed: tuple[Tile, ...] = ()
    reread: tuple[tuple[Tile, Tile], ...] = ()


@dataclass(frozen=True)
class PhysicalTile:
    """One tile of wood: its number among all, what is printed on it, what it shows where it lies, and whether the rack held it."""

    nth: int
    tile: Tile
    shows: Tile
    from_rack: bool


@dataclass(frozen=True)
class ExchangeState:
    """Where the pieces are when the new table can be laid, the steps to there, and what is settled about the rest.

    ``bound`` says for some pieces in which new set they end and what they show there; ``held`` does so for piles that stay together.
    """

    steps: tuple[Step, ...]
    piles: tuple[tuple[PhysicalTile, ...], ...]
    rack: tuple[PhysicalTile, ...]
    hand: tuple[PhysicalTile, ...] = ()
    bound: Mapping[PhysicalTile, tuple[int, Tile]] = field(default_factory=dict)
    held: Mapping[int, int] = field(default_factory=dict)


def exchanged(solution: Solution) -> Iterator[ExchangeState]:
    """Give the ways in which the turn of a solution can begin, those that are likely to need few steps first."""
    start = _opened(solution)
    if solution.position.rules.joker_rule == "free":
        yield start
        return
    position, table = solution.position, solution.table
    matched = match_sets(position.table, table)
    for assignment in sorted(assignments(position, table), key=lambda one: _cost(one, matched)):
        freed = [before for before, _ in assignment.freed]
        possible = sorted(islice(paid_exchanges(position, table, freed), FILLS), key=lambda some: _distance(solution, some))
        for exchanges, beside in product(possible, list(rack_tiles_beside(position, table, assignment))):
            yield from _with_exchanges(solution, start, assignment, exchanges, beside)


def _cost(assignment: JokerAssignment, matched: Mapping[int, int]) -> tuple[int, int]:
    """Return how many jokers are freed, and how many of the others change their set."""
    return len(assignment.freed), sum(matched.get(before[0]) != after[0] for before, after in assignment.staying)


def _opened(solution: Solution) -> ExchangeState:
    """Return the pieces as they lie, after the opening where one comes first."""
    tiles = [[(tile.piece, tile, False) for tile in one.tiles] for one in solution.position.table]
    left, steps = Counter(solution.played), list[Step]()
    for one in first_sets(solution):
        steps.append(Step(tuple(tile.piece for tile in one.tiles), one.tiles, RACK, len(tiles)))
        tiles.append([(tile.piece, tile, True) for tile in one.tiles])
        left.subtract(tile.piece for tile in one.tiles)
    tiles.append([(tile, tile, True) for tile in left.elements()])
    count = iter(range(sum(map(len, tiles))))
    *piles, rack = (tuple(PhysicalTile(next(count), *one) for one in some) for some in tiles)
    return ExchangeState(tuple(steps), tuple(piles), rack)


def _distance(solution: Solution, exchanges: Sequence[Exchange]) -> tuple[int, int]:
    """Return how many tiles must go on after exchanges, as far as one sees, and how many come from the table."""
    off, played = 0, Counter(solution.played)
    for i, jokers, tiles in exchanges:
        inside = Counter(solution.position.table[i].tiles) - Counter(jokers) + Counter(tiles)
        off += inside.total() - max((inside & Counter(one.tiles)).total() for one in solution.table)
    return off, (Counter(tile for _, _, tiles in exchanges for tile in tiles) - played).total()


def _with_exchanges(
    solution: Solution, start: ExchangeState, assignment: JokerAssignment, exchanges: Sequence[Exchange], beside: Mapping[int, Tile]
) -> Iterator[ExchangeState]:
    """Give the ways to carry exchanges out with single pieces, and what they leave to be laid."""
    old = {(i, piece.shows): piece for i, pile in enumerate(start.piles) for piece in pile if piece.tile.joker and not piece.from_rack}
    now = {old[was]: place for was, place in (*assignment.freed, *assignment.staying)}
    for state in _carried(solution, start, exchanges, {old[was] for was, _ in assignment.staying}, old):
        bound, held = dict(now), dict[int, int]()
        if solution.position.rules.joker_rule == "strict":
            held = {was[0]: place[0] for was, place in assignment.staying}
            for i, new in held.items():
                bound |= {piece: (new, piece.tile) for piece in state.piles[i] if not piece.tile.joker}
        everywhere = [piece for pile in (*state.piles, state.rack) for piece in pile if piece.from_rack]
        for new, tile in beside.items():
            mine = [piece for piece in everywhere if piece.tile == tile]
            if not any(bound.get(piece, (None,))[0] == new for piece in mine):
                free = next((piece for piece in mine if piece not in bound), None)
                if free is None:
                    break
                bound[free] = (new, tile)
        else:
            ends = Counter((new, piece.tile) for piece, (new, _) in bound.items())
            if all(many <= sum(one.piece == tile for one in solution.table[new].tiles) for (new, tile), many in ends.items()):
                yield ExchangeState(state.steps, state.piles, state.rack, state.hand, bound, held)


def _carried(
    solution: Solution,
    state: ExchangeState,
    exchanges: Sequence[Exchange],
    left: set[PhysicalTile],
    old: Mapping[tuple[int, Tile], PhysicalTile],
) -> Iterator[ExchangeState]:
    """Give the ways to do the first of some exchanges with the pieces as they lie, then the others."""
    if not exchanges:
        yield state
        return
    (i, jokers, tiles), *rest = exchanges
    state = _returned(solution, state, i)
    going = [old[i, joker] for joker in jokers]
    # In strict play a set that holds a joker is not broken.
    shut = {i}
    if solution.position.rules.joker_rule == "strict":
        shut |= {at for at, pile in enumerate(state.piles) if any(piece in left or piece in old.values() for piece in pile)}
    places = (*enumerate(state.piles), (RACK, state.rack))
    fit = [[(at, piece) for at, pile in reversed(places) if at not in shut for piece in pile if piece.tile == tile] for tile in tiles]
    for chosen in product(*fit):
        if len(set(chosen)) < len(chosen):
            continue
        from_table_first = sorted(chosen, key=lambda one: -one[0])
        after = _exchanged(state, i, going, from_table_first, solution.position.rules)
        yield from _carried(solution, after, rest, left, old)


def _exchanged(
    state: ExchangeState, i: int, jokers: Sequence[PhysicalTile], tiles: Sequence[tuple[int, PhysicalTile]], rules: Rules
) -> ExchangeState:
    """Return the state after an exchange for each joker of old set ``i``; ``tiles`` are the new pieces with their places.

    The set is legal after each exchange. Where no order of them achieves that, as from a run to a group, the jokers that are freed later
    are reread as the tiles that replace them.
    """
    staying = [piece.shows for piece in state.piles[i] if piece not in jokers]
    plans = [list(zip(some, order, strict=True)) for order in permutations(tiles) for some in permutations(jokers)]
    plan = next((plan for plan in plans if _stays_a_set(staying, plan, rules)), plans[0])
    shows, reread = {joker: joker.shows for joker in jokers}, dict[Tile, Tile]()
    if not _stays_a_set(staying, plan, rules):
        reread = {joker.shows: replace(piece.tile, joker=True) for joker, (_, piece) in plan[1:]}
        shows |= {joker: reread[joker.shows] for joker, _ in plan[1:]}
    for nth, (joker, (at, piece)) in enumerate(plan):
        state = _moved(state, [piece], at, i, {joker: shows[joker]}, reread if nth == 0 else {})
    return state


def _stays_a_set(staying: Sequence[Tile], plan: Sequence[tuple[PhysicalTile, tuple[int, PhysicalTile]]], rules: Rules) -> bool:
    """Return whether the set is legal after each exchange of a plan but the last, its jokers as they are."""
    showing = [[piece.tile for _, (_, piece) in plan[:done]] + [joker.shows for joker, _ in plan[done:]] for done in range(1, len(plan))]
    return all(is_set((*staying, *some), rules) for some in showing)


def _returned(solution: Solution, state: ExchangeState, i: int) -> ExchangeState:
    """Return the state with all the tiles back in old set ``i`` that were there when the turn began: only whole does it give a joker."""
    first = sum(len(one) for one in solution.position.table[:i])
    own = range(first, first + len(solution.position.table[i]))
    for at, pile in enumerate(state.piles):
        lent = tuple(piece for piece in pile if piece.nth in own)
        if at != i and lent:
            state = _moved(state, lent, at, i, {}, {})
    return state


def _moved(
    state: ExchangeState,
    pieces: Sequence[PhysicalTile],
    source: int,
    target: int,
    freed: Mapping[PhysicalTile, Tile],
    reread: Mapping[Tile, Tile],
) -> ExchangeState:
    """Return the state after one more step; ``freed`` jokers with what they stand for before it."""
    piles = [tuple(piece for piece in pile if piece not in pieces) for pile in state.piles]
    piles[target] = tuple(piece for piece in (*piles[target], *pieces) if piece not in freed)
    shown = tuple(piece.shows for piece in pieces)
    step = Step(shown, shown, source, target, tuple(freed.values()), tuple(reread.items()))
    rack = tuple(piece for piece in state.rack if piece not in pieces)
    return ExchangeState((*state.steps, step), tuple(piles), rack, (*state.hand, *freed))
