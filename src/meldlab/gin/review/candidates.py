"""What could have been done instead: the moves that are weighed against each other, and what kind of mistake one is."""

from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from meldlab.cards import Hand
from meldlab.gin import kernel_layout
from meldlab.gin.kernel import knocks
from meldlab.gin.move import Move, Verb
from meldlab.gin.review.kernel import CANDIDATE, ENDS, FIRST_SHOWN
from meldlab.gin.round import returned_twice
from meldlab.gin.view import Phase, View, best_melds
from meldlab.melds import deadwood, lay_off

__all__ = ["Kind", "as_rows", "candidates_of", "kind_of", "same", "same_melds"]

VERBS = {Verb.PASS: kernel_layout.PASS, Verb.TAKE: kernel_layout.TAKE, Verb.DRAW: kernel_layout.DRAW, Verb.DROP: kernel_layout.DROP}
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


def as_rows(view: View, moves: list[Move]) -> NDArray[np.int64]:
    """Return [moves, CANDIDATE] int64, moves as the kernel tries them; not for showing, where nothing is hidden."""
    rows = np.zeros((len(moves), CANDIDATE), np.int64)
    for row, move in zip(rows, moves, strict=True):
        if view.phase is Phase.WALL:
            _at_the_wall(row, view, move)
        elif move.verb in KNOCKING:
            _knock(row, view.mask & ~(1 << move.index if move.verb is Verb.KNOCK else 0), move)
        elif _ends(view, move):
            row[0] = ENDS
        else:
            row[:2] = VERBS[move.verb], max(move.index, 0)
    return rows


def _knock(row: NDArray[np.int64], shown: int, move: Move) -> None:
    row[:FIRST_SHOWN] = kernel_layout.BIG if move.verb is Verb.BIG_GIN else kernel_layout.KNOCK, max(move.index, 0), shown
    row[FIRST_SHOWN : FIRST_SHOWN + len(move.melds)] = [meld.hand.mask for meld in move.melds]


def _at_the_wall(row: NDArray[np.int64], view: View, move: Move) -> None:
    """Set a candidate at the wall: to pass ends the round, to take is to knock with the least deadwood."""
    if move.verb is Verb.PASS:
        row[0] = ENDS
        return
    eleven = view.mask | 1 << move.index
    able = [card for card in range(52) if knocks(eleven, view.limit) >> card & 1]
    cards = [card for card in able if card != move.index or view.rules.return_upcard] or able
    least = min(cards, key=lambda card: deadwood(Hand.from_mask(eleven ^ 1 << card)))
    _knock(row, eleven ^ 1 << least, Move(Verb.KNOCK, least, best_melds(eleven ^ 1 << least)[0]))


def _ends(view: View, move: Move) -> bool:
    """Tell whether a discard ends the round by a rule that the kernels do not know."""
    rules, history = view.rules, (*view.history, (view.seat, move))
    return move.verb is Verb.DROP and rules.void_if_returned_twice and returned_twice(history, move.index)
