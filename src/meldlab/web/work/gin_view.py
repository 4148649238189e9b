"""A match of gin as the person's seat sees it, as JSON: the round that is on, and what lay open when earlier ones ended."""

from typing import Any

from meldlab.cards import Hand
from meldlab.gin import Gin
from meldlab.gin.view import Phase, View
from meldlab.melds import arrange, discards
from meldlab.play import Step


def shown(game: Gin, view: View, steps: list[Step[Any]]) -> dict[str, Any]:
    """Return what a seat sees; a hand in the order in which its cards came."""
    best = arrange(view.hand)
    left = discards(view.hand) if len(view.hand) > 10 and view.acting == view.seat else {}
    return {
        "phase": Phase(view.phase).name.lower(),
        "hand": [str(card) for card in view.cards],
        "melds": [[str(card) for card in meld.hand] for meld in best.melds],
        "deadwood": min(left.values()) if left else best.deadwood,
        "leaves": {str(card): points for card, points in left.items()},
        "upcard": str(view.upcard) if view.upcard else None,
        "pile": [str(card) for card in view.pile],
        "stock": view.stock,
        "known": [str(card) for card in view.known],
        "drawn": str(view.drawn[-1]) if view.drawn and len(view.hand) > 10 and not view.taken else None,
        "taken": str(view.taken) if view.taken else None,
        "limit": view.limit,
        "scores": list(view.scores),
        "target": view.rules.match_points,
        "rules": view.rules.as_record(),
        "round": view.number + 1,
        "starter": view.starter,
        "knock": str(view.knock) if view.knock else None,
        "laid_open": [[str(card) for card in meld.hand] for meld in view.knock.melds] if view.knock else [],
        "rounds": _rounds(view.seat, steps),
    }


def _rounds(seat: int, steps: list[Step[Any]]) -> list[dict[str, Any]]:
    """Return how the rounds ended, with the hands that were shown then; after a void round nothing is."""
    rounds = []
    for step in steps:
        if len(step.after.outcomes) > len(step.before.outcomes):
            outcome = step.after.outcomes[-1]
            hands: list[list[str]] = []
            if outcome.deadwood:
                for place in range(2):
                    dropped = 1 << step.action.index if place == step.seat and step.action.index >= 0 else 0
                    hands.append([str(card) for card in Hand.from_mask(step.before.round.masks[place] & ~dropped)])
            ending = {"kind": outcome.kind, "winner": outcome.winner, "points": outcome.points}
            rounds.append(ending | {"deadwood": outcome.deadwood, "hands": hands, "after": step.number + 1})
    return rounds
