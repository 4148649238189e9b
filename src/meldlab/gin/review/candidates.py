"""Candidates of a decision: the moves to compare, and the kind of a mistake."""

from enum import StrEnum

from meldlab.gin.move import Move, Verb
from meldlab.gin.view import Phase, View
from meldlab.melds import lay_off

KNOCKING = (Verb.KNOCK, Verb.BIG_GIN)


class Kind(StrEnum):
    """Kind of a mistake."""

    DRAW = "draw"
    DISCARD = "discard"
    EARLY = "knocked too early"
    LATE = "knocked too late"
    LAY_OFF = "lay-off"
    MELDS = "melds shown"


def same(move: Move, other: Move) -> bool:
    """Return whether two moves are the same; melds may be listed in any order.

    >>> same(Move.parse("show 5H 6H 7H | 9C 9D 9S"), Move.parse("show 9C 9D 9S | 5H 6H 7H"))
    True
    """
    return (move.verb, move.index, move.laid) == (other.verb, other.index, other.laid) and same_melds(move, other)


def same_melds(move: Move, other: Move) -> bool:
    """Return whether two moves show the same melds."""
    return {meld.hand for meld in move.melds} == {meld.hand for meld in other.melds}


def candidates_of(view: View, done: Move) -> list[Move]:
    """Return the moves to compare: those that the view lists, and the one that was made if it is not among them."""
    moves = view.legal_actions()
    if view.phase is Phase.SHOW and view.rules.lay_off == "greedy" and view.knock is not None and not view.gin:
        # More deadwood at first may be less once the table has laid off.
        moves.append(Move(Verb.SHOW, melds=lay_off(view.hand, view.knock.melds).rest.melds))
    distinct: list[Move] = []
    for move in (*moves, done):
        if not any(same(move, other) for other in distinct):
            distinct.append(move)
    return distinct


def kind_of(done: Move, best: Move, better_lay_off: bool) -> Kind:
    """Return the kind of a mistake; ``better_lay_off``: whether the same melds with another lay-off are better."""
    if done.verb is Verb.SHOW:
        return Kind.LAY_OFF if better_lay_off else Kind.MELDS
    if done.verb in KNOCKING and best.verb in KNOCKING:
        return Kind.MELDS if done.index == best.index else Kind.DISCARD
    if done.verb in KNOCKING or best.verb in KNOCKING:
        return Kind.EARLY if done.verb in KNOCKING else Kind.LATE
    return Kind.DISCARD if done.verb is Verb.DROP else Kind.DRAW
