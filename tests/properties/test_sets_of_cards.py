"""A hand behaves as the frozenset of its cards does."""

import operator
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meldlab.cards import Card, Hand
from tests.properties import hands as draw

OPERATORS = [operator.and_, operator.or_, operator.sub, operator.xor, operator.le, operator.lt, operator.ge, operator.gt, operator.eq]


@pytest.mark.parametrize("operate", OPERATORS)
@given(draw.hands(0, 20), draw.hands(0, 20))
def test_operators(operate: Callable[[Any, Any], Any], one: Hand, other: Hand) -> None:
    plain = operate(frozenset(one), frozenset(other))
    for left, right in [(one, other), (one, frozenset(other)), (frozenset(one), other)]:
        assert operate(left, right) == plain
    if not isinstance(plain, bool):
        assert isinstance(operate(one, other), Hand)
        assert isinstance(operate(one, frozenset(other)), Hand)


@given(draw.hands(0, 52), draw.cards)
def test_members(hand: Hand, card: Card) -> None:
    plain = frozenset(hand)
    assert len(hand) == len(plain) == hand.mask.bit_count()
    assert (card in hand) == (card in plain)
    assert list(hand) == sorted(plain)
    assert bool(hand) == bool(plain)
    assert hash(hand) == hash(plain)
    assert Hand.from_mask(hand.mask) == hand
    assert hand.isdisjoint({card}) == plain.isdisjoint({card})


@given(draw.hands(0, 52))
def test_lanes_hold_the_ranks_of_each_suit(hand: Hand) -> None:
    for suit, lane in enumerate(hand.suit_masks):
        assert lane == sum(1 << card.rank for card in hand if card.suit == suit)


@given(draw.hands(), st.integers())
def test_a_hand_does_not_change(hand: Hand, mask: int) -> None:
    with pytest.raises(AttributeError, match="is immutable"):
        hand.mask = mask
