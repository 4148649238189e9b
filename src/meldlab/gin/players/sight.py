"""What a player sees at the table, as the kernels take it."""

from meldlab.errors import NotLegalHere
from meldlab.gin.kernel_layout import Sight
from meldlab.gin.move import Verb
from meldlab.gin.rules import ONLY_SIMPLE
from meldlab.gin.view import View

__all__ = ["sight_of"]


def sight_of(view: View) -> Sight:
    """Return a view as the structure that the kernels of players decide by."""
    if view.rules.small:
        raise NotLegalHere(ONLY_SIMPLE)
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
