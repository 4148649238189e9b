"""One round of gin rummy: deal, draws and discards, a knock and its score.

>>> round = Round.deal(Rules(), Deck.shuffled(seed=7), starter=0)
>>> print(round.view(0).hand, "|", round.view(0).upcard)
AC 2H 2S 3H 4S 7C 7D 8S JD KC | 4D
"""

# ruff: noqa: RUF005  # (*history, x) copies a history twice, history + (x,) once: 0.25 of 7.3 us per action of random v random

from typing import Any, NamedTuple

from meldlab.cards import Deck, Hand
from meldlab.errors import NotLegalHere
from meldlab.gin.kernel_hand import points_of
from meldlab.gin.move import DRAW as THE_DRAW
from meldlab.gin.move import DROPS, TAKES, Move, Verb
from meldlab.gin.outcome import Outcome
from meldlab.gin.rules import Rules
from meldlab.gin.seen import DECLINED, DISCARDED, KNOWN, NOT_DISCARDED, TAKEN, TURN, OpenActions
from meldlab.gin.view import Phase, View, laid_greedily
from meldlab.play import Chance

# A round makes thousands of these; unpacking and packing them whole is three times as fast as field by field.
make: Any = tuple.__new__
NUM_SHARED = 11  # fields of a round that are also those of a view
DRAW, TAKE, DROP = Verb.DRAW, Verb.TAKE, Verb.DROP
DROPPING, DRAWING, OVER = Phase.DROP, Phase.DRAW, Phase.OVER
DROPPED = {id(move): move.index for move in DROPS}  # by identity: the type of a player's answer is not known yet


class Round(NamedTuple):
    """State of a round; the first fields, up to ``knock``, are also those of a View."""

    rules: Rules
    limit: int
    starter: int
    phase: Phase
    seat: int
    stock: int
    """Number of cards left; the stock is the end of the deck."""
    pile: tuple[int, ...]
    history: tuple[tuple[int, Move], ...] = ()
    upcards: int = 0
    """Number of upcards taken, the first one and the one at the wall not counted."""
    packed_seen: int = 0
    """Open actions of both seats, packed into one number; see ``seen``."""
    knock: Move | None = None
    deck: tuple[int, ...] = ()
    hands: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    """The cards of each seat in the order they came."""
    masks: tuple[int, int] = (0, 0)
    drawn: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    taken: int = -1
    draws: int = 0
    outcome: Outcome | None = None

    @classmethod
    def deal(cls, rules: Rules, deck: Deck, starter: int) -> "Round":
        """Deal ten cards to the starter, ten to the other, and turn one up."""
        cards, size = tuple(card.index for card in deck.cards), rules.cards
        if len(cards) != len(rules.pack):
            raise NotLegalHere(f"gin rummy is dealt from {len(rules.pack)} cards, not {len(cards)}")
        if strange := set(cards).difference(rules.pack):
            raise NotLegalHere(f"{Hand.from_mask(sum(1 << card for card in strange))} is not in the deck of {len(rules.pack)} cards")
        first, second, up = cards[:size], cards[size : 2 * size], cards[2 * size]
        hands = (first, second) if starter == 0 else (second, first)
        masks = (sum(1 << card for card in hands[0]), sum(1 << card for card in hands[1]))
        phase = Phase.OFFER if rules.offer_upcard else Phase.DRAW
        stock = len(cards) - 2 * size - 1
        return cls(rules, rules.limit(up), starter, phase, starter, stock, (up,), deck=cards, hands=hands, masks=masks)

    def view(self, seat: int, scores: tuple[int, int] = (0, 0), number: int = 0, outcomes: tuple[Outcome, ...] = ()) -> View:
        """Return the view of ``seat``; ``outcomes`` are those of the finished rounds."""
        _, _, _, _, acting, _, _, _, _, _, knock, _, hands, masks, drawn, taken, _, _ = self
        # The knocker's hand is open while melds are shown; no player acts after that.
        knocker_mask = 0 if knock is None else masks[1 - acting]
        own = (seat, hands[seat], masks[seat], drawn[seat], taken, scores, number, knocker_mask, outcomes)
        view: View = make(View, self[:NUM_SHARED] + own)
        return view

    def apply(self, move: Move) -> "Round":
        """Verify the move and return the round after it."""
        # The two moves of every turn are tried first, without a view; its verify reports illegal ones.
        phase = self.phase
        if phase is DROPPING:
            card = DROPPED.get(id(move), -1)
            if card >= 0 and self.masks[self.seat] >> card & 1 and card != self.taken:
                return self._drop(move)
        elif phase is DRAWING:
            if move is THE_DRAW:
                return self._draw(move, False)
            if move is TAKES[self.pile[-1]]:
                return self._draw(move, True)
        self.view(self.seat).verify(move)
        verb = move.verb
        if verb is DROP:
            return self._drop(move)
        if verb is DRAW or verb is TAKE:
            return self._draw(move, verb is TAKE)
        if verb is Verb.PASS:
            return self._pass(move)
        return self._show(move) if verb is Verb.SHOW else self._knock(move)

    def _pass(self, move: Move) -> "Round":
        seat, history = self.seat, (*self.history, (self.seat, move))
        seen = self.packed_seen | (DECLINED[seat][self.pile[-1]] if self.pile else 0)
        if self.phase == Phase.WALL:
            void = Outcome("void", None, 0, self.draws, len(history))
            return self._replace(history=history, packed_seen=seen, phase=Phase.OVER, outcome=void)
        phase = Phase.OFFER if seat == self.starter else Phase.FORCED
        return self._replace(history=history, packed_seen=seen, phase=phase, seat=1 - seat)

    def _draw(self, move: Move, taken: bool) -> "Round":
        rules, limit, starter, phase, seat, stock, pile, past, upcards, seen, _, deck, hands, masks, drawn, _, draws, _ = self
        draws, end = draws + 1, None
        if taken:
            card = upcard = move.index
            pile = pile[:-1]
            upcards += phase is DRAWING
            seen = (seen | TAKEN[seat][card]) + TURN[seat]
        else:
            card, upcard = deck[-stock], -1
            seen = (seen | DECLINED[seat][pile[-1]] if pile else seen) + TURN[seat]
            drawn = ((*drawn[0], card), drawn[1]) if seat == 0 else (drawn[0], (*drawn[1], card))
            stock -= 1
        first, second = hands
        if seat == 0:
            hands, masks = (first + (card,), second), (masks[0] | 1 << card, masks[1])
        else:
            hands, masks = (first, second + (card,)), (masks[0], masks[1] | 1 << card)
        phase = Phase.LAST if phase is Phase.WALL else DROPPING
        if upcards >= rules.max_upcard_draws > 0:
            phase, end = OVER, Outcome("void", None, 0, draws, len(past) + 1)
        past = past + ((seat, move),)
        fields = (rules, limit, starter, phase, seat, stock, pile, past, upcards, seen, None, deck, hands, masks, drawn, upcard, draws, end)
        after: Round = make(Round, fields)
        return after

    def _drop(self, move: Move) -> "Round":
        rules, limit, starter, _, seat, stock, pile, past, upcards, seen, _, deck, hands, masks, drawn, _, draws, _ = self
        card = move.index
        seen = seen & NOT_DISCARDED[seat][card] | DISCARDED[seat][card]
        index = hands[seat].index(card)
        hand = hands[seat][:index] + hands[seat][index + 1 :]
        if seat == 0:
            hands, masks = (hand, hands[1]), (masks[0] ^ 1 << card, masks[1])
        else:
            hands, masks = (hands[0], hand), (masks[0], masks[1] ^ 1 << card)
        phase, end = DRAWING, None
        if stock <= rules.stock_floor:
            phase = Phase.WALL if rules.wall_knock else OVER
        if draws >= rules.max_draws:
            phase = OVER
        past = past + ((seat, move),)
        if rules.void_if_returned_twice and returned_twice(past, card):
            phase = OVER
        if phase is OVER:
            end = Outcome("void", None, 0, draws, len(past))
        pile, seat = pile + (card,), 1 - seat
        fields = (rules, limit, starter, phase, seat, stock, pile, past, upcards, seen, None, deck, hands, masks, drawn, -1, draws, end)
        after: Round = make(Round, fields)
        return after

    def _knock(self, move: Move) -> "Round":
        seat = self.seat
        if move.verb is Verb.BIG_GIN:
            return self._replace(history=(*self.history, (seat, move)), seat=1 - seat, phase=Phase.SHOW, knock=move, outcome=None, taken=-1)
        after = self._drop(move)
        # See OpenActions.known: the discard of a knock stays among the known cards.
        seen = after.packed_seen | self.packed_seen & KNOWN[seat]
        return after._replace(phase=Phase.SHOW, knock=move, outcome=None, taken=-1, packed_seen=seen)

    def _show(self, move: Move) -> "Round":
        assert self.knock is not None
        defender, knocker = self.seat, 1 - self.seat
        own = int(points_of(self.masks[knocker] & ~sum(meld.hand.mask for meld in self.knock.melds)))
        loose = self.masks[defender] & ~sum(meld.hand.mask for meld in move.melds) & ~move.laid.mask
        if own > 0 and self.rules.lay_off == "greedy":
            loose &= ~laid_greedily(loose, self.knock.melds).mask
        left = int(points_of(loose))
        outcome = self._score(knocker, own, left)
        return self._replace(history=(*self.history, (defender, move)), phase=Phase.OVER, outcome=outcome)

    def _score(self, knocker: int, own: int, left: int) -> Outcome:
        rules, knock = self.rules, self.knock
        deadwood = (own, left) if knocker == 0 else (left, own)
        # The actions with this last one, and the cards that both have shown.
        shown = (len(self.history) + 1, deadwood, self.masks)
        if knock is not None and knock.verb is Verb.BIG_GIN:
            return Outcome("big gin", knocker, left + rules.big_gin_bonus, self.draws, *shown)
        if own == 0:
            return Outcome("gin", knocker, left + rules.gin_bonus, self.draws, *shown)
        if left > own:
            return Outcome("knock", knocker, left - own, self.draws, *shown)
        if left < own or rules.equal_deadwood == "undercut":
            return Outcome("undercut", 1 - knocker, own - left + rules.undercut_bonus, self.draws, *shown)
        return Outcome("equal", None, 0, self.draws, *shown)

    @property
    def seen(self) -> tuple[OpenActions, OpenActions]:
        """Return the open actions of each seat."""
        return OpenActions.unpack(self.packed_seen, 0), OpenActions.unpack(self.packed_seen, 1)

    def unseen_by(self, seat: int) -> int:
        """Return the cards whose place ``seat`` does not know."""
        knocker_mask = 0 if self.knock is None else self.masks[1 - self.seat]
        seen = self.masks[seat] | self.seen[1 - seat].known | knocker_mask | sum(1 << card for card in self.pile)
        return self.rules.pack_mask & ~seen

    def redeal(self, seat: int, chance: Chance) -> "Round":
        """Permute the cards that ``seat`` cannot see."""
        mask = self.unseen_by(seat)
        unseen = [card for card in self.rules.pack if mask >> card & 1]
        others = list(unseen)
        chance.stream().shuffle(others)
        moved = {**dict(zip(range(52), range(52), strict=True)), **dict(zip(unseen, others, strict=True))}
        deck, first, second = (tuple(moved[card] for card in cards) for cards in (self.deck, *self.hands))
        masks = sum(1 << card for card in first), sum(1 << card for card in second)
        drawn = tuple(moved[card] for card in self.drawn[0]), tuple(moved[card] for card in self.drawn[1])
        return self._replace(deck=deck, hands=(first, second), masks=masks, drawn=drawn)


def returned_twice(history: tuple[tuple[int, Move], ...], card: int) -> bool:
    """Return whether each of the last two turns took this card and put it back."""
    last = [move for _, move in history[-4:]]
    return [move.verb for move in last] == [TAKE, DROP, TAKE, DROP] and all(move.index == card for move in last)
