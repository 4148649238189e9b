"""What could have been done instead: the moves that are weighed against each other, and what kind of mistake one is."""

from enum import StrEnum

from meldlab.gin.move import Move, Verb
from meldlab.gin.view import Phase, View
from meldlab.melds import lay_off

__all__ = ["Kind", "candidates_of", "kind_of", "same", "same_melds"]

KNOCKING = (Verb.KNOCK, Verb.BIG_GIN)


class Kind(StrEnum):
    """What a mistake was about."""

    DRAW = "draw"
    DISCARD = "discard"
    EARLY = "knocked too early"
    LATE = "knocked too late"
    LAY_OFF = "lay-off"
    MELDS = "melds shown"


def same(one: Move, other: Move) -> bool:
    """Tell whether two moves are one: melds may be named in any order.

    >>> same(Move.parse("show 5H 6H 7H | 9C 9D 9S"), Move.parse("show 9C 9D 9S | 5H 6H 7H"))
    True
    """
    return (one.verb, one.index, one.laid) == (other.verb, other.index, other.laid) and same_melds(one, other)


def same_melds(one: Move, other: Move) -> bool:
    """Tell whether two moves show the same melds."""
    return {meld.hand for meld in one.melds} == {meld.hand for meld in other.melds}


def candidates_of(view: View, done: Move) -> list[Move]:
    """Return the moves to weigh: those that the view lists, and the one that was made if that is another."""
    moves = view.legal_actions()
    if view.phase is Phase.SHOW and view.rules.lay_off == "greedy" and view.knock is not None and not view.gin:
        # More deadwood at first may be less once the table has laid off.
        moves.append(Move(Verb.SHOW, melds=lay_off(view.hand, view.knock.melds).rest.melds))
    found: list[Move] = []
    for move in (*moves, done):
        if not any(same(move, other) for other in found):
            found.append(move)
    return found


def kind_of(done: Move, best: Move, as_good: bool) -> Kind:
    """Return what was wrong with a move when another is best; ``as_good``: whether its melds, with another lay-off, would have done."""
    if done.verb is Verb.SHOW:
        return Kind.LAY_OFF if as_good else Kind.MELDS
    if done.verb in KNOCKING and best.verb in KNOCKING:
        return Kind.MELDS if done.index == best.index else Kind.DISCARD
    if done.verb in KNOCKING or best.verb in KNOCKING:
        return Kind.EARLY if done.verb in KNOCKING else Kind.LATE
    return Kind.DISCARD if done.verb is Verb.DROP else Kind.DRAW
