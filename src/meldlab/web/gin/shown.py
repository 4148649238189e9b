"""A round of gin as the person's seat sees it, as JSON."""

from typing import Any

from meldlab.gin import Gin
from meldlab.gin.view import Phase, View
from meldlab.melds import arrange
from meldlab.play import Step

__all__ = ["shown"]


def shown(game: Gin, view: View, steps: list[Step[Any]]) -> dict[str, Any]:
    """Return what a seat sees of the round that is on; a hand in the order in which its cards came."""
    best = arrange(view.hand)
    return {
        "phase": Phase(view.phase).name.lower(),
        "hand": [str(card) for card in view.cards],
        "melds": [[str(card) for card in meld.hand] for meld in best.melds],
        "deadwood": best.deadwood,
        "upcard": str(view.upcard) if view.upcard else None,
        "pile": [str(card) for card in view.pile],
        "stock": view.stock,
        "known": [str(card) for card in view.known],
        "taken": str(view.taken) if view.taken else None,
        "limit": view.limit,
        "scores": list(view.scores),
        "target": view.rules.match_points,
        "round": view.number + 1,
        "knock": str(view.knock) if view.knock else None,
    }
