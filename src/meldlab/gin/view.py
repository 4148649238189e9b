"""Views: a round as one seat sees it.

A view has the own cards, the pile, the open actions of both seats and the score. Players read ``Card`` and ``Hand``; the fields
``..._indices`` and ``..._mask`` hold the same cards as bit numbers and masks, for kernels.
"""

from collections.abc import Iterator
from enum import IntEnum
from functools import cache
from typing import NamedTuple

import numpy as np

from meldlab.cards import CARDS, Card, Hand
from meldlab.errors import NotLegalHere
from meldlab.gin import kernel_hand
from meldlab.gin.kernel_hand import LEFT, MELDS_PURPOSE, extends, knocks, list_melds, points_of
from meldlab.gin.kernel_hand import lay_off as lay_off_greedily
from meldlab.gin.kernel_state import MAX_MELDS
from meldlab.gin.move import DRAW, DROPS, PASS, PLAIN, TAKES, Move, Verb, is_move
from meldlab.gin.outcome import Outcome
from meldlab.gin.rules import Rules
from meldlab.gin.seen import OpenActions
from meldlab.melds import Aces, Meld, lay_off
from meldlab.melds.kernel import deadwood
from meldlab.play import Chance

HAND_CARDS = 10
MAX_ARRANGED = 11  # a hand after a draw


class Phase(IntEnum):
    """The decision of the acting seat."""

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


# Module constants: a lookup in an enumeration costs as much as a small function call.
DRAWING, DROPPING = Phase.DRAW, Phase.DROP
# Allowed verbs, by phase in order.
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
    """A round as one seat sees it."""

    rules: Rules
    limit: int
    """The most deadwood to knock with."""
    starter: int
    phase: Phase
    acting: int
    stock: int
    """Number of cards face down."""
    pile_indices: tuple[int, ...]
    history: tuple[tuple[int, Move], ...]
    """Open actions of both seats, from the first pass or draw."""
    upcards: int
    """Number of upcards taken by both, the first one and the one at the wall not counted."""
    packed_seen: int
    """Open actions of both seats, the history packed into one number; see ``seen``."""
    knock: Move | None
    """The knock of the other seat."""
    seat: int
    card_indices: tuple[int, ...]
    """The own cards in the order they came, the one just drawn last."""
    mask: int
    drawn_indices: tuple[int, ...]
    """The cards this seat has drawn from stock."""
    taken_index: int
    """The upcard just taken, or -1."""
    scores: tuple[int, int]
    number: int
    """Number of the round in the match, from 0."""
    knocker_mask: int
    """All cards of the knocker, once they are open."""
    outcomes: tuple[Outcome, ...] = ()
    """Outcomes of the finished rounds; at the end of the match that of the last one, too."""

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

    def seen_of(self, seat: int) -> OpenActions:
        """Return the open actions of a seat."""
        return OpenActions.unpack(self.packed_seen, seat)

    @property
    def seen(self) -> tuple[OpenActions, OpenActions]:
        """Return the open actions of each seat, seat 0 first."""
        return self.seen_of(0), self.seen_of(1)

    @property
    def known_mask(self) -> int:
        """Return the cards the other seat took from the pile and still holds."""
        return self.seen_of(1 - self.seat).known

    @property
    def first_pile(self) -> list[int]:
        """Return the pile at the start, one card, by the first turn; a position from outside may not have it."""
        for _, move in self.history:
            if move.verb is Verb.TAKE:
                return [move.index]
            if move.verb is Verb.DROP:
                break
        return list(self.pile_indices[:1])

    @property
    def known(self) -> Hand:
        """Return the cards known to be in the other's hand."""
        return Hand.from_mask(self.known_mask)

    @property
    def turn(self) -> int:
        """Return the number of cards that this seat has drawn."""
        return self.seen_of(self.seat).turns

    @property
    def draws(self) -> int:
        """Return the number of cards that both seats have drawn."""
        return sum(actions.turns for actions in self.seen)

    @property
    def knocks_at_wall(self) -> bool:
        """Return whether the upcard makes a knock, with an allowed discard."""
        upcard = self.pile_indices[-1]
        return bool(self.knockable(self.mask | 1 << upcard, upcard))

    def knockable(self, mask: int, taken: int) -> int:
        """Return the cards of eleven that may be knocked with; ``taken``: the upcard among them, or -1."""
        forbidden = 1 << taken if taken >= 0 and not self.rules.return_upcard else 0
        return int(knocks(mask, self.limit)) & ~forbidden

    def legal_actions(self) -> list[Move]:
        """Return the legal moves of this seat; knocks and shows with melds that leave the least deadwood."""
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
        """Read a move; a card after ``draw stock`` is allowed, as in a record."""
        return Move.parse(text)

    def verify(self, action: Move) -> None:
        """Raise NotLegalHere with the rule that the move breaks, or if it is not a move."""
        if id(action) not in PLAIN and not is_move(action):
            raise NotLegalHere(f"a {type(action).__name__} like this is not a move")
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
                raise NotLegalHere("these rules have no big gin")
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
        if not _can_lay_off([meld.hand.mask for meld in self.knock.melds], list(move.laid)):
            raise NotLegalHere(f"{move.laid} cannot all be laid off on {' | '.join(map(str, self.knock.melds))}")

    def _drops(self) -> list[Move]:
        rules, mask = self.rules, self.mask
        forbidden = -1 if rules.return_upcard else self.taken_index
        moves = [DROPS[card] for card in self.card_indices if card != forbidden]
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
        """Return whether the knocker has gone gin."""
        assert self.knock is not None
        return self.knocker_mask == sum(meld.hand.mask for meld in self.knock.melds)


@cache
def meld_of(mask: int) -> Meld:
    """Return a meld by its cards; cached, because checking a meld takes longer than the lookup."""
    return Meld(Hand.from_mask(mask))


def check_size(mask: int) -> None:
    """Raise unless the kernels can arrange the cards of a mask: at most eleven."""
    if not 0 <= mask < 1 << 52 or mask.bit_count() > MAX_ARRANGED:
        raise NotLegalHere(f"expected a hand of at most {MAX_ARRANGED} cards, got {mask.bit_count() if mask >> 52 == 0 else mask}")


def best_melds(mask: int) -> list[tuple[Meld, ...]]:
    """Return the melds of every arrangement of at most eleven cards with the least deadwood."""
    check_size(mask)
    return [tuple(meld_of(meld) for meld in row if meld) for row in list_melds(mask).tolist()]


def pick_melds(mask: int, chance: Chance) -> tuple[Meld, ...]:
    """Return the melds of one arrangement of at most eleven cards with the least deadwood, each equally likely."""
    check_size(mask)
    melds = np.zeros(MAX_MELDS, np.int64)
    count = kernel_hand.pick_melds(mask, np.uint64(chance.key(MELDS_PURPOSE)), melds)
    return tuple(meld_of(meld) for meld in melds[:count].tolist())


def is_big_gin(mask: int) -> bool:
    """Return whether all of eleven cards are melded."""
    return int(deadwood(mask, LEFT)) == 0


def laid_greedily(loose: int, melds: tuple[Meld, ...]) -> Hand:
    """Return the loose cards that are laid off on the melds, lowest card first, each on the first meld that takes it."""
    grown = np.array([meld.hand.mask for meld in melds] + [0], np.int64)
    return Hand.from_mask(loose & ~int(lay_off_greedily(loose, grown, len(melds))))


def check_melds(melds: tuple[Meld, ...], mask: int) -> int:
    """Return the cards of melds that must be disjoint and within a hand."""
    seen = 0
    for meld in melds:
        if not meld.legal(Aces.LOW):
            raise NotLegalHere(f"{meld} is not a meld: aces are low")
        if meld.hand.mask & ~mask:
            raise NotLegalHere(f"{Hand.from_mask(meld.hand.mask & ~mask)} is not in the hand")
        if meld.hand.mask & seen:
            raise NotLegalHere(f"{Hand.from_mask(meld.hand.mask & seen)} cannot be in two melds")
        seen |= meld.hand.mask
    return seen


def _can_lay_off(melds: list[int], cards: list[Card]) -> bool:
    """Return whether all cards can be laid off on the melds, in some order."""
    if not cards:
        return True
    for card in cards:
        for i, meld in enumerate(melds):
            if extends(meld) >> card.index & 1:
                grown = [*melds[:i], meld | 1 << card.index, *melds[i + 1 :]]
                if _can_lay_off(grown, [other for other in cards if other != card]):
                    return True
    return False
