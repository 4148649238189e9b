"""The computed player's model once more: plain Python over all hands of a small deck, dictionaries by mask, no classes, no kernels."""

from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np

from meldlab.gin.computing.opponent_model import OpponentModel
from meldlab.gin.kernel_state import KNOWNS, TURNS
from tests.properties.oracles import from_mask, least_deadwood

Values = dict[int, float]
Turn = tuple[float, list[float], list[float]]  # hazard, points of a knock, points when caught


@cache
def deadwood(hand: int) -> int:
    return least_deadwood(from_mask(hand), "low")


def cards_of(hand: int) -> list[int]:
    return [card for card in range(52) if hand >> card & 1]


class Brute:
    """All hands of a deck of ``ranks`` ranks, ``cards`` in a hand."""

    def __init__(self, cards: int, ranks: int, limit: int) -> None:
        self.deck = [13 * suit + rank for suit in range(4) for rank in range(ranks)]
        self.hands = [sum(1 << card for card in chosen) for chosen in combinations(self.deck, cards)]
        self.larger = [sum(1 << card for card in chosen) for chosen in combinations(self.deck, cards + 1)]
        self.limit = limit

    def before_draw(self, after: Values, upcard: float) -> Values:
        """V from A."""
        value = {}
        for hand in self.hands:
            drawn = [after[hand | 1 << card] for card in self.deck if not hand >> card & 1]
            mean = sum(drawn) / len(drawn)
            value[hand] = upcard * sum(max(mean, one) for one in drawn) / len(drawn) + (1 - upcard) * mean
        return value

    def worth(self, hand: int, value: Values, turn: Turn) -> tuple[float, bool]:
        """U from V of the next turn, and whether it is a knock."""
        hazard, knock, caught = turn
        left = deadwood(hand)
        wait = (1 - hazard) * value[hand] + hazard * caught[left]
        return (knock[left], True) if left <= self.limit and knock[left] > wait else (wait, False)

    def best(self, odds: OpponentModel, upcard: float) -> dict[int, Values]:
        """V of every hand at every turn."""
        value, found = dict.fromkeys(self.hands, 0.0), {}
        for turn in range(TURNS, 0, -1):
            row = turn_of(odds, turn)
            worth = {hand: self.worth(hand, value, row)[0] for hand in self.hands}
            after = {hand: max(worth[hand ^ 1 << card] for card in cards_of(hand)) for hand in self.larger}
            found[turn] = value = self.before_draw(after, upcard)
        return found

    def guided(self, odds: OpponentModel, guide: dict[int, Values], believed: OpponentModel) -> float:
        """The mean of V over all hands for a player that knocks and discards as the guide tells, without upcards."""
        value = dict.fromkeys(self.hands, 0.0)
        for turn in range(TURNS, 0, -1):
            hazard, knock, caught = turn_of(odds, turn)
            next_guide = guide.get(turn + 1, dict.fromkeys(self.hands, 0.0))
            row = turn_of(believed, turn)
            wished = {hand: self.worth(hand, next_guide, row) for hand in self.hands}
            worth = {
                hand: knock[deadwood(hand)] if wished[hand][1] else (1 - hazard) * value[hand] + hazard * caught[deadwood(hand)]
                for hand in self.hands
            }
            after = {}
            for hand in self.larger:
                kept = max((hand ^ 1 << card for card in cards_of(hand)), key=lambda rest: wished[rest][0])
                after[hand] = worth[kept]
            value = self.before_draw(after, 0.0)
        return sum(value.values()) / len(value)


def turn_of(odds: OpponentModel, turn: int) -> Turn:
    """Hazard, K and L of a turn, whatever is known of the opponent: means over what is known, L by how often it happens."""
    share, hazard = odds.share[turn].tolist(), odds.hazard[turn].tolist()
    q = sum(s * h for s, h in zip(share, hazard, strict=True))
    knock = [sum(s * k for s, k in zip(share, row, strict=True)) for row in odds.knock[turn].T.tolist()]
    caught = [sum(s * h * one for s, h, one in zip(share, hazard, row, strict=True)) / q for row in odds.caught[turn].T.tolist()]
    return q, knock, caught


def random_odds(seed: int) -> OpponentModel:
    """Odds that no opponent has, different at every turn and for every number of known cards."""
    chance = np.random.default_rng(seed)
    share = chance.random((TURNS + 2, KNOWNS))
    left = np.arange(100.0)
    wide = (TURNS + 2, KNOWNS, 100)
    return OpponentModel(
        share / share.sum(1, keepdims=True),
        chance.uniform(0.02, 0.5, (TURNS + 2, KNOWNS)),
        chance.normal(8.0, 4.0, wide) - left,
        chance.normal(0.0, 4.0, wide) - 0.7 * left,
    )


class Look:
    """One card of look-ahead over any V: ``value(hand, turn)`` is asked for turns up to the last."""

    def __init__(self, value: Callable[[int, int], float], book: dict[str, Any], deck: list[int], limit: int) -> None:
        self.value, self.book, self.deck, self.limit = value, book, deck, limit

    def held(self, card: int, known: int, unseen: list[int], share: float) -> float:
        return 1.0 if known >> card & 1 else share if card in unseen else 0.0

    def risk(self, card: int, hand: int, known: int, pile: int, cards: int) -> float:
        """The chance that the opponent has two cards that make a meld with this one, the pairs taken as independent."""
        seen = hand | known | pile
        unseen = [one for one in self.deck if not seen >> one & 1]
        share = (cards - known.bit_count()) / max(1, len(unseen))
        suit, rank = divmod(card, 13)
        same = [13 * other + rank for other in range(4) if other != suit]
        pairs = [*combinations(same, 2)]
        for low in (rank - 2, rank - 1, rank):
            run = [one for one in range(low, low + 3) if one != rank]
            if low >= 0 and low + 2 <= 12:
                pairs.append((13 * suit + run[0], 13 * suit + run[1]))
        safe = 1.0
        for one, other in pairs:
            safe *= 1 - self.held(one, known, unseen, share) * self.held(other, known, unseen, share)
        return 1 - safe

    def choices(
        self, hand: int, forbidden: int, turn: int, known: int, pile: int, counted: int | None = None
    ) -> Iterator[tuple[float, int, bool]]:
        """Every discard as (value, card, whether it is a knock); ``counted``: the own cards by which risks are counted."""
        now, bin = min(turn, TURNS), min(known.bit_count(), KNOWNS - 1)
        hazard, price, bias = self.book["odds"][now][bin]
        cards = hand.bit_count() - 1
        for card in cards_of(hand & ~forbidden):
            rest = hand ^ 1 << card
            left = deadwood(rest)
            ahead = self.value(rest, now + 1) if now < TURNS else 0.0
            risk = self.risk(card, hand if counted is None else counted, known, pile, cards)
            caught = self.book["caught"][now][bin][left]
            yield (1 - hazard) * ahead + hazard * caught + bias - price * risk, card, False
            if left <= self.limit:
                yield self.book["knock"][now][bin][left], card, True

    def takes(self, hand: int, upcard: int, turn: int, known: int, pile: int) -> float:
        """How much more the upcard is worth than a card from stock."""
        taken = max(self.choices(hand | 1 << upcard, 1 << upcard, turn + 1, known, pile, hand))[0]
        seen = hand | known | pile
        drawn = [max(self.choices(hand | 1 << card, 0, turn + 1, known, pile, hand))[0] for card in self.deck if not seen >> card & 1]
        return taken - sum(drawn) / len(drawn)
