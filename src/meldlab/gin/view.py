"""What a seat at the gin table may know.

A view is built by owner and place: the own cards, the pile that lay open, what both have done in the open, the score. Whoever plays
reads ``Card`` and ``Hand``; the fields called ``..._indices`` and ``..._mask`` hold the same as bit numbers, for kernels.
"""

from collections.abc import Iterator
from enum import IntEnum
from functools import cache
from typing import NamedTuple

import numpy as np

from meldlab.cards import CARDS, Card, Hand
from meldlab.errors import NotLegalHere
from meldlab.gin.kernel import LEFT, fitting, knocks, list_melds, points_of
from meldlab.gin.kernel import lay_off as lay_off_greedily
from meldlab.gin.move import DRAW, DROPS, PASS, PLAIN, TAKES, Move, Verb, is_move
from meldlab.gin.rules import Rules
from meldlab.melds import Aces, Meld, lay_off
from meldlab.melds.kernel import deadwood

__all__ = ["HAND_CARDS", "Phase", "View", "best_melds", "check_melds", "is_big_gin", "laid_greedily", "meld_of"]

HAND_CARDS = 10


class Phase(IntEnum):
    """What the acting seat has to decide."""

    OFFER = 0
    """Take the first upcard, or pass."""
    FORCED = 1
    """Both have passed: draw from stock."""
    DRAW = 2
    DROP = 3
    """Discard, or knock with a discard."""
    WALL = 4
    """The stock is used up: knock with the upcard, or pass."""
    LAST = 5
    """Knock with the upcard taken at the wall."""
    SHOW = 6
    """The other has knocked: show melds and lay off."""
    OVER = 7


# Looked up once: a name inside an enumeration costs as much as a small function call.
DRAWING, DROPPING = Phase.DRAW, Phase.DROP
# What may be done, by phase in order.
ALLOWED = (
    (Verb.PASS, Verb.TAKE),
    (Verb.DRAW,),
    (Verb.DRAW, Verb.TAKE),
    (Verb.DROP, Verb.KNOCK, Verb.BIG_GIN),
    (Verb.PASS, Verb.TAKE),
    (Verb.KNOCK, Verb.BIG_GIN),
    (Verb.SHOW,),
    (),
)


class View(NamedTuple):
    """A round from one seat."""

    rules: Rules
    limit: int
    """The most deadwood to knock with."""
    phase: Phase
    acting: int
    seat: int
    card_indices: tuple[int, ...]
    """The own cards in the order they came, the one just drawn last."""
    mask: int
    pile_indices: tuple[int, ...]
    stock: int
    """How many cards lie face down."""
    starter: int
    history: tuple[tuple[int, Move], ...]
    """What each seat did in the open, from the first pass or draw."""
    drawn_indices: tuple[int, ...]
    """The cards this seat has drawn from stock."""
    taken_index: int
    """The upcard just taken, or -1."""
    scores: tuple[int, int]
    number: int
    """Which round of the match this is, from 0."""
    knock: Move | None
    """The knock of the other seat."""
    knocker_mask: int
    """All cards of the knocker, once they lie open."""

    @property
    def hand(self) -> Hand:
        """Return the own cards."""
        return Hand.from_mask(self.mask)

    @property
    def upcard(self) -> Card | None:
        """Return the top of the pile."""
        return CARDS[self.pile_indices[-1]] if self.pile_indices else None

    @property
    def cards(self) -> tuple[Card, ...]:
        """Return the own cards in the order they came, the one just drawn last."""
        return tuple(CARDS[index] for index in self.card_indices)

    @property
    def pile(self) -> tuple[Card, ...]:
        """Return the discard pile, the upcard last."""
        return tuple(CARDS[index] for index in self.pile_indices)

    @property
    def drawn(self) -> tuple[Card, ...]:
        """Return the cards this seat has drawn from stock."""
        return tuple(CARDS[index] for index in self.drawn_indices)

    @property
    def taken(self) -> Card | None:
        """Return the upcard just taken, which may not be returned under most rules."""
        return CARDS[self.taken_index] if self.taken_index >= 0 else None

    @property
    def known_mask(self) -> int:
        """Return the cards the other seat took from the pile and still holds."""
        mask = 0
        for seat, move in self.history:
            if seat != self.seat:
                if move.verb is Verb.TAKE:
                    mask |= 1 << move.index
                elif move.verb is Verb.DROP:
                    mask &= ~(1 << move.index)
        return mask

    @property
    def first_pile(self) -> list[int]:
        """Return the pile as it was at the start, one card; a position from outside may not tell it."""
        for _, move in self.history:
            if move.verb is Verb.TAKE:
                return [move.index]
            if move.verb is Verb.DROP:
                break
        return list(self.pile_indices[:1])

    def declined_mask(self, seat: int) -> int:
        """Return the upcards that a seat has left lying in this round."""
        mask, lying = 0, self.first_pile
        for who, move in self.history:
            if move.verb is Verb.DROP:
                lying.append(move.index)
            elif move.verb is Verb.TAKE:
                lying = lying[:-1]
            elif who == seat and move.verb in (Verb.PASS, Verb.DRAW) and lying:
                mask |= 1 << lying[-1]
        return mask

    @property
    def known(self) -> Hand:
        """Return the cards known to be in the other's hand."""
        return Hand.from_mask(self.known_mask)

    @property
    def turn(self) -> int:
        """Return how many cards this seat has drawn."""
        return sum(seat == self.seat and move.verb in (Verb.DRAW, Verb.TAKE) for seat, move in self.history)

    @property
    def knocks_at_wall(self) -> bool:
        """Tell whether the upcard makes a knock, with a discard that may go."""
        upcard = self.pile_indices[-1]
        return bool(self.knockable(self.mask | 1 << upcard, upcard))

    def knockable(self, mask: int, taken: int) -> int:
        """Return the cards of eleven that may be knocked with; ``taken``: the upcard among them, or -1."""
        barred = 1 << taken if taken >= 0 and not self.rules.return_upcard else 0
        return int(knocks(mask, self.limit)) & ~barred

    def legal_actions(self) -> list[Move]:
        """Return what this seat may do; knocks and shows with melds that leave the least deadwood."""
        phase = self.phase
        if self.acting != self.seat:
            return []
        if phase is DRAWING:
            return [DRAW, TAKES[self.pile_indices[-1]]]
        if phase is DROPPING:
            return self._drops()
        if phase is Phase.FORCED:
            return [DRAW]
        if phase is Phase.LAST:
            return [move for move in self._drops() if move.verb is not Verb.DROP]
        if phase is Phase.SHOW:
            return list(self._shows())
        if phase is Phase.OVER:
            return []
        if phase is Phase.WALL and not self.knocks_at_wall:
            return [PASS]
        return [PASS, TAKES[self.pile_indices[-1]]]

    def parse(self, text: str) -> Move:
        """Read a move; the card behind ``draw stock`` may be there, as a record has it."""
        return Move.parse(text)

    def verify(self, action: Move) -> None:
        """Raise NotLegalHere with the rule that the move breaks, or if it is no move at all."""
        if id(action) not in PLAIN and not is_move(action):
            raise NotLegalHere(f"a {type(action).__name__} like this is no move")
        verb, phase, mask = action.verb, self.phase, self.mask
        if verb not in ALLOWED[phase]:
            raise NotLegalHere(f"{verb} is not possible now: {', '.join(ALLOWED[phase]) or 'the round is over'}")
        if self.acting != self.seat:
            raise NotLegalHere(f"it is the turn of p{self.acting + 1}")
        if verb is Verb.TAKE:
            if action.index != self.pile_indices[-1]:
                raise NotLegalHere(f"{action.card} is not the upcard, {self.upcard} is")
            if phase is Phase.WALL and not self.knocks_at_wall:
                raise NotLegalHere(f"the stock is used up, and {action.card} does not make a knock")
        elif verb is Verb.DROP or verb is Verb.KNOCK:
            if not mask >> action.index & 1:
                raise NotLegalHere(f"{action.card} is not in the hand")
            if action.index == self.taken_index and not self.rules.return_upcard:
                raise NotLegalHere(f"{action.card} was just taken and may not be returned")
            rest = mask ^ 1 << action.index
            if verb is Verb.KNOCK and (left := int(points_of(rest & ~check_melds(action.melds, rest)))) > self.limit:
                raise NotLegalHere(f"these melds leave {left} points, the knock limit is {self.limit}")
        elif verb is Verb.BIG_GIN:
            if not self.rules.big_gin_bonus:
                raise NotLegalHere("these rules know no big gin")
            if check_melds(action.melds, mask) != mask:
                raise NotLegalHere("big gin is eleven melded cards")
        elif verb is Verb.SHOW:
            self._verify_show(action)

    def _verify_show(self, move: Move) -> None:
        melded, laid = check_melds(move.melds, self.mask), move.laid.mask
        if not laid:
            return
        if self.rules.lay_off == "greedy":
            raise NotLegalHere("under these rules the table lays off")
        if self.gin:
            raise NotLegalHere("nothing is laid off against gin")
        if laid & ~self.mask or laid & melded:
            raise NotLegalHere(f"{Hand.from_mask(laid & ~(self.mask & ~melded))} is not a loose card of the hand")
        assert self.knock is not None
        if not _can_lie([meld.hand.mask for meld in self.knock.melds], list(move.laid)):
            raise NotLegalHere(f"{move.laid} cannot all be laid off on {' | '.join(map(str, self.knock.melds))}")

    def _drops(self) -> list[Move]:
        rules, mask = self.rules, self.mask
        barred = -1 if rules.return_upcard else self.taken_index
        moves = [DROPS[card] for card in self.card_indices if card != barred]
        if rules.big_gin_bonus and is_big_gin(mask):
            moves += [Move(Verb.BIG_GIN, melds=melds) for melds in best_melds(mask)]
        knockable = self.knockable(mask, self.taken_index)
        if knockable:
            moves += self._knocks(knockable)
        return moves

    def _knocks(self, knockable: int) -> Iterator[Move]:
        for card in self.card_indices:
            if knockable >> card & 1:
                for melds in best_melds(self.mask ^ 1 << card):
                    yield Move(Verb.KNOCK, card, melds)

    def _shows(self) -> Iterator[Move]:
        assert self.knock is not None
        ways = [Move(Verb.SHOW, melds=melds) for melds in best_melds(self.mask)]
        if self.rules.lay_off == "greedy" or self.gin:
            yield from ways
            return
        for way in ways:
            loose = self.mask & ~sum(meld.hand.mask for meld in way.melds)
            yield Move(Verb.SHOW, melds=way.melds, laid=laid_greedily(loose, self.knock.melds))
        best = lay_off(self.hand, self.knock.melds)
        yield Move(Verb.SHOW, melds=best.rest.melds, laid=best.laid)

    @property
    def gin(self) -> bool:
        """Tell whether the knocker has gone gin."""
        assert self.knock is not None
        return self.knocker_mask == sum(meld.hand.mask for meld in self.knock.melds)


@cache
def meld_of(mask: int) -> Meld:
    """Return a meld by its cards; there are few, and checking one takes longer than finding it."""
    return Meld(Hand.from_mask(mask))


def best_melds(mask: int) -> list[tuple[Meld, ...]]:
    """Return the melds of every arrangement with the least deadwood."""
    return [tuple(meld_of(meld) for meld in row if meld) for row in list_melds(mask).tolist()]


def is_big_gin(mask: int) -> bool:
    """Tell whether eleven cards all lie in melds."""
    return int(deadwood(mask, LEFT)) == 0


def laid_greedily(loose: int, melds: tuple[Meld, ...]) -> Hand:
    """Return the loose cards that go on the melds, lowest card first, each on the first meld that takes it."""
    grown = np.array([meld.hand.mask for meld in melds] + [0], np.int64)
    return Hand.from_mask(loose & ~int(lay_off_greedily(loose, grown, len(melds))))


def check_melds(melds: tuple[Meld, ...], mask: int) -> int:
    """Return the cards of melds that must be disjoint and within a hand."""
    seen = 0
    for meld in melds:
        if not meld.legal(Aces.LOW):
            raise NotLegalHere(f"{meld} is no meld: aces are low")
        if meld.hand.mask & ~mask:
            raise NotLegalHere(f"{Hand.from_mask(meld.hand.mask & ~mask)} is not in the hand")
        if meld.hand.mask & seen:
            raise NotLegalHere(f"{Hand.from_mask(meld.hand.mask & seen)} cannot lie in two melds")
        seen |= meld.hand.mask
    return seen


def _can_lie(melds: list[int], cards: list[Card]) -> bool:
    """Tell whether every card finds a place on the melds, in some order."""
    if not cards:
        return True
    for card in cards:
        for i, meld in enumerate(melds):
            if fitting(meld) >> card.index & 1:
                grown = [*melds[:i], meld | 1 << card.index, *melds[i + 1 :]]
                if _can_lie(grown, [other for other in cards if other != card]):
                    return True
    return False
