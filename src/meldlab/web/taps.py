"""What a tap on the page of a board says, and what it does to the board; tiles are named by their place from 1, as ``rack.3`` or ``2.1``.

>>> board = Board.parse("r5-7 k10 j", "B1 B2", Rules())
>>> tap(board, "add B3", to="1").table_text, tap(board, "move rack.5 1").table_text
('B1 B2 B3', 'B1 B2 J=B3')
"""

from dataclasses import replace
from typing import cast

from meldlab.errors import NotLegalHere
from meldlab.rummikub import PRESETS, Board, Rules, Tile
from meldlab.rummikub.building import Place

# Places are the rack, a pile by its number, a new pile, the box.
HELD = r"(rack|[1-9]\d?)\.[1-9]\d?\d?"
PLACE = r"(rack|new|[1-9]\d?)"
ACTION = rf"^(add [RKBOJrkboj]\d?\d?|hold {HELD}|put {PLACE[:-1]}|box)|move {HELD} {PLACE[:-1]}|box)|to {PLACE}|sort)$"


def house(rules: str, jokers: str) -> Rules:
    """Return the rules of a preset, with another joker rule if one is given.

    >>> house("official", "").joker_rule, house("official", "strict").joker_rule
    ('modern', 'strict')
    """
    return replace(PRESETS[rules], joker_rule=jokers) if jokers else PRESETS[rules]


def tile_name(text: str) -> str:
    """Return the full name of a tile, as a screen reader says it."""
    return Tile.parse(text).long_name


def tap(board: Board, action: str, *, held: str = "", to: str = "rack") -> Board:
    """Return the board after a tap: ``add R5``, ``put 2`` (what is held), ``move 2.1 3``, ``sort``."""
    verb, _, rest = action.partition(" ")
    if verb == "add":
        return board.move([Tile.parse(rest)], "box", _place(to))
    if verb == "put" and held:
        return _moved(board, held, rest)
    if verb == "move":
        return _moved(board, *rest.split())
    return board.sort_rack() if verb == "sort" else board


def tile_at(board: Board, held: str) -> Tile:
    """Return the tile at a place."""
    place, _, number = held.partition(".")
    return board.tile_at(_place(place), int(number) - 1)


def _moved(board: Board, held: str, target: str) -> Board:
    place, _, number = held.partition(".")
    return board.move_at(_place(place), int(number) - 1, _place(target))


def _place(text: str) -> Place:
    if text.isdecimal():
        return int(text)
    if text not in ("rack", "new", "box"):
        raise NotLegalHere(f"no place {text!r}")
    return cast(Place, text)
