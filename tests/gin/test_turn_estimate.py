"""Estimated turns of ten cards: exact where everything is near, within the stated error, the same whatever suits are called."""

from itertools import permutations

import numpy as np
import pytest

from meldlab.cards import CARDS, Hand
from meldlab.errors import NotLegalHere
from meldlab.gin.turn_estimate import GOALS, TurnEstimate, estimate_turns, expected_turns, predict_turns, shipped_network
from meldlab.melds import deadwoods
from meldlab.waiting.storage import table_turns

READY = Hand.parse("2C 3C 4C 9D 9H 9S KC KD KH 5S")


def test_at_the_goal_nothing_is_left() -> None:
    assert estimate_turns(READY, "knock") == TurnEstimate(0.0)
    assert estimate_turns(Hand.parse("2C 3C 4C 5C 9D 9H 9S KC KD KH"), "gin") == TurnEstimate(0.0)
    assert str(TurnEstimate(0.0)) == "0.0"


def test_the_cards_that_end_it_at_once_are_a_bound() -> None:
    # AC, 5C, 9C and KS of 42 cards make gin; other cards may open more ways, and nobody has to keep them.
    found = estimate_turns(READY, "gin")
    assert 0.8 * 42 / 4 < found.value <= 42 / 4


def test_the_turns_are_what_the_policy_takes_that_believes_them() -> None:
    # Played by hand: of the cards that may come the k best are kept, which takes 42 / k turns, and so on to the goal.
    dice, network, hand = np.random.default_rng(3), shipped_network("knock"), Hand.parse("2C 3C 4C 9D 9H KC KD 4H 5S JD")
    took = []
    for _ in range(30):
        now, turns = hand.mask, 0.0
        while deadwoods(np.array([now]))[0] > 10:
            unseen, held = ([card for card in range(52) if now >> card & 1 == own] for own in (0, 1))
            kept = (now | 1 << np.array(unseen)[:, None]) ^ 1 << np.array(held)
            worth = predict_turns(kept.ravel(), "knock", network).reshape(kept.shape)
            order = np.argsort(worth.min(axis=1))
            many = 1 + int(np.argmin((42 + np.cumsum(worth.min(axis=1)[order])) / np.arange(1, 43)))
            chosen = order[dice.integers(many)]
            now, turns = int(kept[chosen, worth[chosen].argmin()]), turns + 42 / many
        took.append(turns)
    found = estimate_turns(hand, "knock")
    assert abs(np.mean(took) - found.value) < found.error + 3 * np.std(took) / len(took) ** 0.5


def test_wrong_numbers_of_cards_are_refused() -> None:
    with pytest.raises(NotLegalHere, match="expected 10 cards, got 3"):
        expected_turns(Hand.parse("2C 3C 4C"), table_turns)


def test_names_of_suits_do_not_matter() -> None:
    hand = Hand.parse("AC 2C 7C 7D 9D TD TH QH KS 3S")
    for name in GOALS:
        found = {round(estimate_turns(renamed(hand, order), name).value, 6) for order in permutations(range(4))}
        assert len(found) == 1


def renamed(hand: Hand, order: tuple[int, ...]) -> Hand:
    return Hand([CARDS[13 * order[card.index // 13] + card.index % 13] for card in hand])


def test_gin_is_further_than_a_knock_and_better_hands_are_nearer() -> None:
    dice = np.random.default_rng(5)
    hands = [Hand([CARDS[card] for card in dice.choice(52, 10, replace=False)]) for _ in range(60)]
    found = [expected_turns(hand, table_turns) for hand in hands]
    assert all(one["gin"].value > one["knock"].value for one in found)
    left = deadwoods(np.array([hand.mask for hand in hands]))
    assert np.corrcoef(left, [one["knock"].value for one in found])[0, 1] > 0.7
