"""A RECYCLE game as a seat sees it, place by place, as JSON."""

from typing import Any

from meldlab.play import Step
from meldlab.recycle.card_names import standard_card
from meldlab.recycle.describe import HIDDEN, Describer
from meldlab.recycle.game import RecycleGame
from meldlab.recycle.language.header import Header
from meldlab.recycle.machine.position import Position
from meldlab.recycle.machine.storage import Location
from meldlab.recycle.state import View


def shown(game: RecycleGame, view: View, steps: list[Step[Any]]) -> dict[str, Any]:
    """Return what a seat sees: its places first, then those of the table, then the others'; and what is stored."""
    position, seat = view.position, view.seat
    piles = [pile(view.describer, position, location, cards, seat) for location, cards in position.locations()]
    return {
        "title": Header.parse(game.text).title[:80] or game.name,
        "lowest_wins": game.machine.scoring == "min",
        "acting": view.to_move,
        "places": sorted(piles, key=lambda one: (one["owner"] != seat, one["owner"] is not None)),
        "cells": [list(cell) for cell in view.storage],
        "standard_cards": view.describer.standard_cards,
    }


def pile(describer: Describer, position: Position, location: Location, numbers: tuple[int, ...], seat: int | None) -> dict[str, Any]:
    """Return a location and its cards from the bottom up, as a seat sees them, or all of them; with ``6D`` in a game of standard cards."""
    if seat is None:
        names = [describer.card_names[position.type_of(card)] for card in numbers]
    else:
        names = list(describer.visible_faces(position, location, numbers, seat))
    cards = [{"name": name, "card": str(card) if describer.standard_cards and (card := standard_card(name)) else None} for name in names]
    return {
        "name": describer.location_name(location),
        "owner": location.owner - 1 if location.owner else None,
        "visibility": location.visibility,
        "hidden": all(name.startswith(HIDDEN) for name in names),
        "size": len(cards),
        "cards": [] if all(name.startswith(HIDDEN) for name in names) else cards,
    }
