"""The table after each step of a move: where every tile lies, where it came from, and which sets nobody touches."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from meldlab.rummikub import JOKER, Answer, Rules, Tile, TileSet, homes, steps
from meldlab.rummikub.sets import is_set, readings

__all__ = ["frames"]

RACK, HAND = -1, -2


@dataclass(frozen=True)
class Lift:
    """Tiles that go together to a pile, as they lie before and as they lie then; freed jokers go into the hand."""

    lifted: tuple[Tile, ...]
    tiles: tuple[Tile, ...]
    source: int
    target: int
    freed: tuple[Tile, ...] = ()


@dataclass(frozen=True)
class Lying:
    """A tile as it shows, whether it stayed, came from the table or from the rack, and at which step it was moved last."""

    tile: Tile
    origin: str = "stay"
    step: int = 0


def frames(answer: Answer) -> Iterator[dict[str, Any]]:
    """Give the table before the move and after each of its steps."""
    rules = answer.position.rules
    plan = list(_lifts(answer))
    touched = {place for lift in plan for place in (lift.source, lift.target)}
    piles = {at: [Lying(tile) for tile in one.tiles] for at, one in enumerate(answer.position.table)}
    piles |= {HAND: [], RACK: [Lying(tile, "rack") for tile in answer.position.rack]}
    yield _frame(piles, touched, 0, rules)
    for number, lift in enumerate(plan, 1):
        target = piles.setdefault(lift.target, [])
        for before, after in zip(lift.lifted, lift.tiles, strict=True):
            piece = _take(piles[lift.source], before)
            target.append(Lying(after, "rack" if piece.origin == "rack" else "table", number))
        for joker in lift.freed:
            _take(target, joker)
            piles[HAND].append(Lying(JOKER, "table", number))
        yield _frame(piles, touched, number, rules)


def _take(pile: list[Lying], tile: Tile) -> Lying:
    found = next(piece for piece in pile if piece.tile == tile)
    pile.remove(found)
    return found


def _frame(piles: dict[int, list[Lying]], touched: set[int], number: int, rules: Rules) -> dict[str, Any]:
    return {
        "sets": [
            {"tiles": [_told(piece, number) for piece in _in_order(pile, rules)], "kept": at not in touched}
            for at, pile in sorted(piles.items())
            if at >= 0 and pile
        ],
        "rack": [str(piece.tile) for piece in piles[RACK]],
        "hand": [str(piece.tile) for piece in piles[HAND]],
    }


def _told(piece: Lying, number: int) -> dict[str, Any]:
    return {"tile": str(piece.tile), "from": piece.origin, "now": bool(number) and piece.step == number}


def _in_order(pile: Sequence[Lying], rules: Rules) -> list[Lying]:
    """Return a pile as it lies: a set in its order, anything else by number."""
    tiles = tuple(piece.tile for piece in pile)
    if is_set(tiles, rules):
        reading = next(one for one in readings(TileSet(tiles).column, rules) if set(one) == set(tiles))
        return sorted(pile, key=lambda piece: reading.index(piece.tile))
    return sorted(pile, key=lambda piece: (piece.tile.number or 99, piece.tile.colour))


def _lifts(answer: Answer) -> Iterator[Lift]:
    before, after, home = answer.position.table, answer.table, homes(answer)
    piles, lying = dict(home), {at: list(one.tiles) for at, one in enumerate(before)}
    for step in steps(answer):
        if step.target not in piles:
            piles[step.target] = len(before) + sum(pile >= len(before) for pile in piles.values())
        pile = lying.setdefault(piles[step.target], [])
        meant = list((Counter(after[step.target].jokers) - Counter(tile for tile in pile if tile.joker)).elements())
        staying = next((after[new].tiles for new, at in home.items() if at == step.source), ())
        lifted = list[Tile]()
        for tile in step.tiles:
            fit = [tile] if step.source == RACK else sorted((t for t in lying[step.source] if t.piece == tile), key=staying.__contains__)
            lifted.append(fit[0])
            if step.source != RACK:
                lying[step.source].remove(fit[0])
        tiles = tuple(meant.pop() if tile == JOKER else tile for tile in step.tiles)
        pile += tiles
        yield Lift(tuple(lifted), tiles, step.source, piles[step.target])
    for new, at in sorted(piles.items()):
        wanted = Counter(after[new].tiles)
        for was, now in zip((Counter(lying[at]) - wanted).elements(), (wanted - Counter(lying[at])).elements(), strict=True):
            yield Lift((was,), (now,), at, at)
