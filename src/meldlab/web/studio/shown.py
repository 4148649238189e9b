"""A described game as a seat sees it, place by place, as JSON."""

from typing import Any

from meldlab.play import Step
from meldlab.recycle.card_names import standard_card
from meldlab.recycle.describe import HIDDEN, Describer
from meldlab.recycle.game import Described
from meldlab.recycle.language.header import Header
from meldlab.recycle.machine.position import Place, Position
from meldlab.recycle.movement import Spot
from meldlab.recycle.view import View

__all__ = ["pile", "shown"]


def shown(game: Described, view: View, steps: list[Step[Any]]) -> dict[str, Any]:
    """Return what a seat sees: its places first, then those of the table, then the others'; and what is stored."""
    position, seat = view.position, view.seat
    piles = [pile(view.describer, position, place, seat) for place in position.places()]
    return {
        "title": Header.parse(game.text).title[:80] or game.name,
        "lowest_wins": game.machine.best == "min",
        "acting": view.acting,
        "places": sorted(piles, key=lambda one: (one["owner"] != seat, one["owner"] is not None)),
        "cells": [list(cell) for cell in view.cells],
        "standard_cards": view.describer.standard_cards,
    }


def pile(describer: Describer, position: Position, place: Place, seat: int | None) -> dict[str, Any]:
    """Return a place and its cards from the bottom up, as a seat sees them, or all of them; with ``6D`` in a game of standard cards."""
    if seat is None:
        names = [describer.card_names[position.type_of(card)] for card in place.cards]
    else:
        names = list(describer.visible_faces(position, place, seat + 1))
    cards = [{"name": name, "card": str(card) if describer.standard_cards and (card := standard_card(name)) else None} for name in names]
    return {
        "name": describer.location_name(place, place.index),
        "owner": place.owner - 1 if place.owner else None,
        "visibility": Spot(place.owner, place.kind, place.name, place.index).visibility,
        "hidden": all(name.startswith(HIDDEN) for name in names),
        "size": len(cards),
        "cards": [] if all(name.startswith(HIDDEN) for name in names) else cards,
    }
