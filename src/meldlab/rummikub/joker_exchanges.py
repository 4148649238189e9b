"""Start of a turn: an opening from the rack alone, then the exchanges that free jokers under a joker rule.

Equal tiles are distinguished here: which of the two came from the rack decides where a freed joker may go.

>>> from meldlab.rummikub.rules import PRESETS
>>> from meldlab.rummikub.position import Position
>>> from meldlab.rummikub.solver import solve
>>> solution = solve(Position.parse("R5 J=R6 R7", "R6 O1 O2", PRESETS["official"]))
>>> next(exchange_states(solution)).steps
(Step(lifted=(Tile.parse('R6'),), tiles=(Tile.parse('R6'),), source=-1, target=0, freed=(Tile.parse('J=R6'),), reread=()),)
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, permutations, product

from meldlab.rummikub.joker_rules import Exchange, JokerAssignment, assignments, paid_exchanges, rack_partners
from meldlab.rummikub.opening import first_sets
from meldlab.rummikub.rules import Rules
from meldlab.rummikub.sets import is_set
from meldlab.rummikub.solution import Solution, match_sets
from meldlab.rummikub.tiles import Tile

RACK, HAND = -1, -2
MAX_EXCHANGES = 200  # ways to exchange the same jokers that are compared


@dataclass(frozen=True)
class Step:
    """Tiles that go together to a pile, from another one, the rack (-1) or the hand (-2); ``freed`` jokers go from there into the hand.

    ``lifted`` are the tiles as they are before the step, ``tiles`` as they are after it: a joker may stand for another tile. A step from a
    pile to itself does only that. ``reread`` are the other jokers of the target that change their tile, before and after.
    """

    lifted: tuple[Tile, ...]
    tiles: tuple[Tile, ...]
    source: int
    target: int
    freed: tuple[Tile, ...] = ()
    reread: tuple[tuple[Tile, Tile], ...] = ()


@dataclass(frozen=True)
class PhysicalTile:
    """One tile of the box: its number, what is printed on it, what it stands for at its place, and whether it came from the rack."""

    nth: int
    tile: Tile
    shows: Tile
    from_rack: bool


@dataclass(frozen=True)
class ExchangeState:
    """Places of the tiles before the new table is laid, the steps that lead there, and what is decided about the rest.

    ``bound`` has the new set of some tiles and what they stand for there, ``held`` the new set of piles that stay together.
    """

    steps: tuple[Step, ...]
    piles: tuple[tuple[PhysicalTile, ...], ...]
    rack: tuple[PhysicalTile, ...]
    hand: tuple[PhysicalTile, ...] = ()
    bound: Mapping[PhysicalTile, tuple[int, Tile]] = field(default_factory=dict)
    held: Mapping[int, int] = field(default_factory=dict)


def exchange_states(solution: Solution) -> Iterator[ExchangeState]:
    """Give the states after opening and exchanges that lead to a solution, those that are likely to need few steps first."""
    start = _after_opening(solution)
    if solution.position.rules.joker_rule == "free":
        yield start
        return
    position, table = solution.position, solution.table
    matched = match_sets(position.table, table)

    def cost(assignment: JokerAssignment) -> tuple[int, int]:
        return len(assignment.freed), sum(matched.get(before[0]) != after[0] for before, after in assignment.staying)

    # Few jokers freed first, then few of the others in another set.
    for assignment in sorted(assignments(position, table), key=cost):
        freed = [before for before, _ in assignment.freed]
        paid = islice(paid_exchanges(position, table, freed), MAX_EXCHANGES)
        possible = sorted(paid, key=lambda exchanges: _distance(solution, exchanges))
        for exchanges, partners in product(possible, list(rack_partners(position, table, assignment))):
            yield from _with_exchanges(solution, start, assignment, exchanges, partners)


def _after_opening(solution: Solution) -> ExchangeState:
    """Return the state before any exchange, after the opening if the turn has one."""
    groups = [[(tile.piece, tile, False) for tile in tile_set.tiles] for tile_set in solution.position.table]
    left, steps = Counter(solution.played), list[Step]()
    for tile_set in first_sets(solution):
        steps.append(Step(tuple(tile.piece for tile in tile_set.tiles), tile_set.tiles, RACK, len(groups)))
        groups.append([(tile.piece, tile, True) for tile in tile_set.tiles])
        left.subtract(tile.piece for tile in tile_set.tiles)
    groups.append([(tile, tile, True) for tile in left.elements()])
    numbers = iter(range(sum(map(len, groups))))
    *piles, rack = (tuple(PhysicalTile(next(numbers), *fields) for fields in group) for group in groups)
    return ExchangeState(tuple(steps), tuple(piles), rack)


def _distance(solution: Solution, exchanges: Sequence[Exchange]) -> tuple[int, int]:
    """Return how many tiles have to move again after exchanges, at the least, and how many come from the table."""
    off, played = 0, Counter(solution.played)
    for i, jokers, tiles in exchanges:
        inside = Counter(solution.position.table[i].tiles) - Counter(jokers) + Counter(tiles)
        off += inside.total() - max((inside & Counter(tile_set.tiles)).total() for tile_set in solution.table)
    return off, (Counter(tile for _, _, tiles in exchanges for tile in tiles) - played).total()


def _with_exchanges(
    solution: Solution, start: ExchangeState, assignment: JokerAssignment, exchanges: Sequence[Exchange], partners: Mapping[int, Tile]
) -> Iterator[ExchangeState]:
    """Give the states after exchanges, one for each choice among equal tiles, that the new table can be laid from."""
    old = {(i, piece.shows): piece for i, pile in enumerate(start.piles) for piece in pile if piece.tile.joker and not piece.from_rack}
    now = {old[was]: place for was, place in (*assignment.freed, *assignment.staying)}
    for state in _carry_out(solution, start, exchanges, {old[was] for was, _ in assignment.staying}, old):
        bound, held = dict(now), dict[int, int]()
        if solution.position.rules.joker_rule == "strict":
            held = {was[0]: place[0] for was, place in assignment.staying}
            for i, new in held.items():
                bound |= {piece: (new, piece.tile) for piece in state.piles[i] if not piece.tile.joker}
        everywhere = [piece for pile in (*state.piles, state.rack) for piece in pile if piece.from_rack]
        for new, tile in partners.items():
            mine = [piece for piece in everywhere if piece.tile == tile]
            if not any(bound.get(piece, (None,))[0] == new for piece in mine):
                free = next((piece for piece in mine if piece not in bound), None)
                if free is None:
                    break
                bound[free] = (new, tile)
        else:
            ends = Counter((new, piece.tile) for piece, (new, _) in bound.items())
            if all(count <= sum(other.piece == tile for other in solution.table[new].tiles) for (new, tile), count in ends.items()):
                yield ExchangeState(state.steps, state.piles, state.rack, state.hand, bound, held)


def _carry_out(
    solution: Solution,
    state: ExchangeState,
    exchanges: Sequence[Exchange],
    left: set[PhysicalTile],
    old: Mapping[tuple[int, Tile], PhysicalTile],
) -> Iterator[ExchangeState]:
    """Give the states after exchanges in this order, one for each choice among equal tiles."""
    if not exchanges:
        yield state
        return
    (i, jokers, tiles), *rest = exchanges
    state = _with_set_restored(solution, state, i)
    going = [old[i, joker] for joker in jokers]
    # The strict rule: a set that holds a joker gives no tile.
    closed = {i}
    if solution.position.rules.joker_rule == "strict":
        closed |= {place for place, pile in enumerate(state.piles) if any(piece in left or piece in old.values() for piece in pile)}
    places = (*enumerate(state.piles), (RACK, state.rack))
    sources = [(place, piece) for place, pile in reversed(places) if place not in closed for piece in pile]
    fit = [[(place, piece) for place, piece in sources if piece.tile == tile] for tile in tiles]
    for chosen in product(*fit):
        if len(set(chosen)) < len(chosen):
            continue
        from_table_first = sorted(chosen, key=lambda placed: -placed[0])
        after = _after_exchanges(state, i, going, from_table_first, solution.position.rules)
        yield from _carry_out(solution, after, rest, left, old)


def _after_exchanges(
    state: ExchangeState, i: int, jokers: Sequence[PhysicalTile], tiles: Sequence[tuple[int, PhysicalTile]], rules: Rules
) -> ExchangeState:
    """Return the state after an exchange for each joker of old set ``i``; ``tiles`` are the new tiles with their places.

    The set is legal after each exchange. Where no order of them achieves that, as from a run to a group, the jokers that are freed later
    are reread as the tiles that replace them.
    """
    staying = [piece.shows for piece in state.piles[i] if piece not in jokers]
    plans = [list(zip(freed, order, strict=True)) for order in permutations(tiles) for freed in permutations(jokers)]
    plan = next((plan for plan in plans if _stays_a_set(staying, plan, rules)), plans[0])
    shows, reread = {joker: joker.shows for joker in jokers}, dict[Tile, Tile]()
    if not _stays_a_set(staying, plan, rules):
        reread = {joker.shows: replace(piece.tile, joker=True) for joker, (_, piece) in plan[1:]}
        shows |= {joker: reread[joker.shows] for joker, _ in plan[1:]}
    for nth, (joker, (place, piece)) in enumerate(plan):
        state = _after_step(state, [piece], place, i, {joker: shows[joker]}, reread if nth == 0 else {})
    return state


def _stays_a_set(staying: Sequence[Tile], plan: Sequence[tuple[PhysicalTile, tuple[int, PhysicalTile]]], rules: Rules) -> bool:
    """Return whether the set is legal after each exchange of a plan but the last, its jokers as they are."""
    showing = [[piece.tile for _, (_, piece) in plan[:done]] + [joker.shows for joker, _ in plan[done:]] for done in range(1, len(plan))]
    return all(is_set((*staying, *tiles), rules) for tiles in showing)


def _with_set_restored(solution: Solution, state: ExchangeState, i: int) -> ExchangeState:
    """Return the state with the original tiles of old set ``i`` back in it: a joker is freed from the whole set only."""
    first = sum(len(tile_set) for tile_set in solution.position.table[:i])
    own = range(first, first + len(solution.position.table[i]))
    for place, pile in enumerate(state.piles):
        lent = tuple(piece for piece in pile if piece.nth in own)
        if place != i and lent:
            state = _after_step(state, lent, place, i, {}, {})
    return state


def _after_step(
    state: ExchangeState,
    pieces: Sequence[PhysicalTile],
    source: int,
    target: int,
    freed: Mapping[PhysicalTile, Tile],
    reread: Mapping[Tile, Tile],
) -> ExchangeState:
    """Return the state after another step; ``freed`` jokers with what they stand for before it."""
    piles = [tuple(piece for piece in pile if piece not in pieces) for pile in state.piles]
    piles[target] = tuple(piece for piece in (*piles[target], *pieces) if piece not in freed)
    shown = tuple(piece.shows for piece in pieces)
    step = Step(shown, shown, source, target, tuple(freed.values()), tuple(reread.items()))
    rack = tuple(piece for piece in state.rack if piece not in pieces)
    return ExchangeState((*state.steps, step), tuple(piles), rack, (*state.hand, *freed))
