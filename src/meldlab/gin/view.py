"""What a seat at the gin table may know.

A view is built by owner and place: the own cards, the pile that lay open, what both have done in the open, the score. Cards are
kept as bit numbers, since players look at them thousands of times; ``hand``, ``upcard`` and ``known`` give them as values.
"""

from collections.abc import Iterator
from enum import IntEnum
from functools import cache
from typing import NamedTuple

import numpy as np

from meldlab.cards import CARDS, Card, Hand
from meldlab.errors import NotLegalHere
from meldlab.gin.kernel import LEFT, knocks, list_melds
from meldlab.gin.kernel import lay_off as lay_off_greedily
from meldlab.gin.move import DRAW, DROPS, PASS, TAKES, Move, Verb
from meldlab.gin.rules import Rules
from meldlab.melds import Aces, Meld, lay_off
from meldlab.melds.kernel import deadwood

__all__ = ["Phase", "View", "best_melds", "check_melds", "is_big_gin", "laid_greedily", "meld_of"]


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


class View(NamedTuple):
    """A round from one seat."""

    rules: Rules
    limit: int
    """The most deadwood to knock with."""
    phase: Phase
    acting: int
    seat: int
    cards: tuple[int, ...]
    """The own cards in the order they came, the one just drawn last."""
    mask: int
    pile: tuple[int, ...]
    stock: int
    """How many cards lie face down."""
    starter: int
    history: tuple[tuple[int, Move], ...]
    """What each seat did in the open, from the first pass or draw."""
    drawn: tuple[int, ...]
    """The cards this seat has drawn from stock."""
    taken: int
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
        return CARDS[self.pile[-1]] if self.pile else None

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
    def known(self) -> Hand:
        """Return the cards known to be in the other's hand."""
        return Hand.from_mask(self.known_mask)

    @property
    def turn(self) -> int:
        """Return how many cards this seat has drawn."""
        return sum(seat == self.seat and move.verb in (Verb.DRAW, Verb.TAKE) for seat, move in self.history)

    def legal_actions(self) -> list[Move]:
        """Return what this seat may do; knocks and shows with melds that leave the least deadwood."""
        phase = self.phase
        if self.acting != self.seat:
            return []
        if phase is DRAWING:
            return [DRAW, TAKES[self.pile[-1]]]
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
        if phase is Phase.WALL and not knocks(self.mask | 1 << self.pile[-1], self.limit):
            return [PASS]
        return [PASS, TAKES[self.pile[-1]]]

    def _drops(self) -> list[Move]:
        rules, mask = self.rules, self.mask
        barred = -1 if rules.return_upcard else self.taken
        moves = [DROPS[card] for card in self.cards if card != barred]
        if rules.big_gin_bonus and is_big_gin(mask):
            moves += [Move(Verb.BIG_GIN, melds=melds) for melds in best_melds(mask)]
        knockable = knocks(mask, self.limit)
        if knockable:
            moves += self._knocks(knockable)
        return moves

    def _knocks(self, knockable: int) -> Iterator[Move]:
        for card in self.cards:
            if knockable >> card & 1 and (card != self.taken or self.rules.return_upcard):
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
