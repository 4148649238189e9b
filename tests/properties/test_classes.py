"""Hand classes: numbered without gaps, every renaming of suits in one class."""

from itertools import permutations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from meldlab.cards import Hand, classes
from tests.properties import hands as draw
from tests.properties.oracles import classes_by_sorting


@pytest.mark.parametrize("cards", range(6))
def test_every_number_has_its_own_class_and_orbits_fill_the_deck(cards: int) -> None:
    masks = classes.hands(cards)
    assert classes.numbers(masks, cards).tolist() == list(range(classes.count(cards)))
    lanes = np.sort(np.stack([masks >> 13 * suit & 0x1FFF for suit in range(4)]), axis=0)
    assert len(np.unique(lanes, axis=1).T) == len(masks)
    assert sum(classes.orbit_size(Hand.from_mask(int(mask))) for mask in masks) == comb(52, cards)


@pytest.mark.parametrize("cards", range(4))
def test_classes_are_those_that_sorting_all_hands_finds(cards: int) -> None:
    found = dict(classes_by_sorting(cards))
    assert len(found) == classes.count(cards)
    for rank in range(classes.count(cards)):
        hand = classes.hand(cards, rank)
        assert found[tuple(sorted(hand.suit_masks))] == classes.orbit_size(hand)


@given(st.integers(0, 13), st.data())
def test_unrank_and_rank_are_inverse_for_every_size(cards: int, data: st.DataObject) -> None:
    rank = data.draw(st.integers(0, classes.count(cards) - 1))
    hand = classes.hand(cards, rank)
    assert len(hand) == cards
    assert classes.number(hand) == rank
    assert hand == Hand.from_mask(int(classes.hands(cards, rank, 1)[0]))
    assert [lane.bit_count() for lane in hand.suit_masks] == sorted(lane.bit_count() for lane in hand.suit_masks)


@given(draw.hands())
def test_renaming_suits_keeps_the_class(hand: Hand) -> None:
    renamed = {Hand.from_mask(sum(lane << 13 * suit for suit, lane in enumerate(order))) for order in permutations(hand.suit_masks)}
    assert {classes.number(other) for other in renamed} == {classes.number(hand)}
    assert set(classes.orbit(hand)) == renamed
    assert classes.orbit_size(hand) == len(renamed)


@pytest.mark.parametrize("cards", [6, 8, 10, 13])
def test_the_first_and_last_classes_of_large_hands(cards: int) -> None:
    last = classes.count(cards) - 1000
    assert classes.numbers(classes.hands(cards, 0, 1000), cards).tolist() == list(range(1000))
    assert classes.numbers(classes.hands(cards, last), cards).tolist() == list(range(last, last + 1000))
