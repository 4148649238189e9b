"""What the seats of a gin round have done in the open, by a plain walk over the history: the oracle of ``meldlab.gin.seen``."""

from collections.abc import Sequence

from meldlab.gin import Move, Verb, View
from meldlab.gin.seen import OpenActions, packed_from

History = Sequence[tuple[int, Move]]


def first_pile(history: History, pile: Sequence[int]) -> list[int]:
    """The pile before the history, told by its first take or discard."""
    verbs = [(move.verb, move.index) for _, move in history if move.verb in (Verb.TAKE, Verb.DROP)]
    return [verbs[0][1]] if verbs and verbs[0][0] is Verb.TAKE else list(pile[:1])


def known(history: History, seat: int) -> int:
    mask = 0
    for who, move in history:
        if who == seat and move.verb is Verb.TAKE:
            mask |= 1 << move.index
        elif who == seat and move.verb is Verb.DROP:
            mask &= ~(1 << move.index)
    return mask


def declined(history: History, pile: Sequence[int], seat: int) -> int:
    mask, lying = 0, first_pile(history, pile)
    for who, move in history:
        if move.verb is Verb.DROP:
            lying.append(move.index)
        elif move.verb is Verb.TAKE:
            lying = lying[:-1]
        elif who == seat and move.verb in (Verb.PASS, Verb.DRAW) and lying:
            mask |= 1 << lying[-1]
    return mask


def discards(history: History) -> list[tuple[int, int]]:
    """Seat and card of every discard."""
    return [(seat, move.index) for seat, move in history if move.verb in (Verb.DROP, Verb.KNOCK)]


def seen(history: History, pile: Sequence[int], seat: int) -> OpenActions:
    """The open actions of a seat, each by its own walk."""
    cards, last = {card for who, card in discards(history) if who == seat}, {card: who for who, card in discards(history)}
    latest = sum(1 << card for card, who in last.items() if who == seat)
    turns = sum(who == seat and move.verb in (Verb.DRAW, Verb.TAKE) for who, move in history)
    return OpenActions(known(history, seat), sum(1 << card for card in cards), declined(history, pile, seat), turns, latest)


def draws(history: History) -> int:
    return sum(move.verb in (Verb.DRAW, Verb.TAKE) for _, move in history)


def upcards(history: History, *, offered: bool) -> int:
    """The upcards taken, without the first while it is on offer."""
    verbs = [move.verb for _, move in history if move.verb is not Verb.PASS]
    return verbs.count(Verb.TAKE) - (offered and verbs[:1] == [Verb.TAKE])


def with_history(view: View, history: History) -> View:
    """The view with another history, and everything that follows from it."""
    taken = upcards(history, offered=view.rules.offer_upcard)
    packed = packed_from(history, first_pile(history, view.pile_indices))
    return view._replace(history=tuple(history), packed_seen=packed, upcards=taken)
