"""The table after each step of a move: where every tile lies, where it came from, and which sets are untouched."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from meldlab.rummikub import JOKER, Rules, Solution, Tile, TileSet
from meldlab.rummikub.joker_exchanges import HAND, RACK, Step
from meldlab.rummikub.sets import is_set, readings


@dataclass(frozen=True)
class Lying:
    """A tile as it shows, whether it stayed, came from the table or from the rack, and at which step it was moved last."""

    tile: Tile
    origin: str = "stay"
    step: int = 0


def frames(answer: Solution, plan: Sequence[Step]) -> Iterator[dict[str, Any]]:
    """Give the table before the move and after each of its steps."""
    rules = answer.position.rules
    touched = {place for step in plan for place in (step.source, step.target)}
    piles = {index: [Lying(tile) for tile in item.tiles] for index, item in enumerate(answer.position.table)}
    piles |= {HAND: [], RACK: [Lying(tile, "rack") for tile in answer.position.rack]}
    shown = {index: _shown(pile, 0, rules) for index, pile in piles.items() if index >= 0}
    yield _frame(piles, shown, touched)
    before = set[int]()
    for number, step in enumerate(plan, 1):
        target = piles.setdefault(step.target, [])
        for was, now in zip(step.lifted, step.tiles, strict=True):
            piece = _take(piles[step.source], was)
            target.append(Lying(now, "rack" if piece.origin == "rack" else "table", number))
        target[:] = [replace(piece, tile=dict(step.reread).get(piece.tile, piece.tile)) for piece in target]
        for joker in step.freed:
            _take(target, joker)
            piles[HAND].append(Lying(JOKER, "table", number))
        changed = {index for index in (step.source, step.target) if index >= 0}
        # What the step before has marked is marked no longer.
        shown |= {index: _shown(piles[index], number, rules) for index in changed | before}
        before = changed
        yield _frame(piles, shown, touched)


def _take(pile: list[Lying], tile: Tile) -> Lying:
    result = next(piece for piece in pile if piece.tile == tile)
    pile.remove(result)
    return result


def _frame(piles: dict[int, list[Lying]], shown: dict[int, list[dict[str, Any]]], touched: set[int]) -> dict[str, Any]:
    return {
        "sets": [{"tiles": tiles, "kept": index not in touched} for index, tiles in sorted(shown.items()) if tiles],
        "rack": [str(piece.tile) for piece in piles[RACK]],
        "hand": [str(piece.tile) for piece in piles[HAND]],
    }


def _shown(pile: Sequence[Lying], number: int, rules: Rules) -> list[dict[str, Any]]:
    return [
        {"tile": str(piece.tile), "from": piece.origin, "now": bool(number) and piece.step == number} for piece in _in_order(pile, rules)
    ]


def _in_order(pile: Sequence[Lying], rules: Rules) -> list[Lying]:
    """Return a pile as it lies: a set in its order, anything else by number."""
    tiles = tuple(piece.tile for piece in pile)
    if is_set(tiles, rules):
        reading = next(reading for reading in readings(TileSet(tiles).column, rules) if set(reading) == set(tiles))
        return sorted(pile, key=lambda piece: reading.index(piece.tile))
    return sorted(pile, key=lambda piece: (piece.tile.number or 99, piece.tile.colour))
