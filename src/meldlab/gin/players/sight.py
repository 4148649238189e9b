"""What a player sees at the table, as the kernels take it."""

from dataclasses import replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from meldlab.gin.batch import rule_vector
from meldlab.gin.kernel_layout import LIMIT, Sight
from meldlab.gin.move import Verb
from meldlab.gin.players.kernel_rollout import Situation
from meldlab.gin.rules import Rules
from meldlab.gin.view import Phase, View

__all__ = ["rules_of", "sight_of", "situation_of"]


def sight_of(view: View) -> Sight:
    """Return a view as the structure that the kernels of players decide by."""
    dropped, top = 0, view.pile_indices[-1] if view.pile_indices else -1
    fed = False
    for seat, move in view.history:
        if move.verb is Verb.DROP:
            if seat != view.seat:
                dropped |= 1 << move.index
            if move.index == top:
                fed = seat != view.seat
    return Sight(
        hand=view.mask,
        barred=1 << view.taken_index if view.taken_index >= 0 else 0,
        turn=view.turn,
        known=view.known_mask,
        pile=sum(1 << card for card in view.pile_indices),
        dropped=dropped,
        top=top,
        fed=fed,
        own=view.scores[view.seat],
        other=view.scores[1 - view.seat],
        limit=view.limit,
    )


def situation_of(view: View) -> Situation:
    """Return a view as the middle of a round that can be played out."""
    draws = sum(move.verb in (Verb.DRAW, Verb.TAKE) for _, move in view.history)
    dropped, shown = 0, 0
    for seat, move in view.history:
        if seat == view.seat and move.verb is Verb.TAKE:
            shown |= 1 << move.index
        elif seat == view.seat and move.verb is Verb.DROP:
            dropped, shown = dropped | 1 << move.index, shown & ~(1 << move.index)
    sight = sight_of(view)
    return Situation(
        hand=view.mask,
        known=sight.known,
        piled=np.array(view.pile_indices, np.int64),
        stock=view.stock,
        turn=view.turn,
        draws=draws,
        upcards=sum(move.verb is Verb.TAKE for _, move in view.history) - _took_the_first(view),
        passes=sum(move.verb is Verb.PASS for _, move in view.history) if view.phase is Phase.OFFER else 3,
        shown=shown,
        dropped=dropped,
        seen=sight.dropped,
        own=sight.own,
        other=sight.other,
    )


def _took_the_first(view: View) -> bool:
    """Tell whether the first upcard was taken when it was offered, which the limit on upcards does not count."""
    first = next((move.verb for _, move in view.history if move.verb is not Verb.PASS), None)
    return view.rules.offer_upcard and first is Verb.TAKE


def rules_of(view: View) -> NDArray[np.int64]:
    """Return the rules that a round is played out by: the kernel's, which know no last knock at the wall, with the limit of this round."""
    vector = _vector(view.rules).copy()
    vector[LIMIT] = view.limit
    return vector


@cache
def _vector(rules: Rules) -> NDArray[np.int64]:
    return rule_vector(replace(rules, wall_knock=False))
