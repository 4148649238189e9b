"""Kernels on gin hands against brute force and against the functions of meldlab.melds."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from meldlab.cards import CARDS, Card, Hand
from meldlab.gin import kernel_hand
from meldlab.melds import Meld, arrangements, deadwood, discards, hand_points, melds


@st.composite
def meld_rich_hands(draw: st.DrawFn, cards: int) -> Hand:
    """Hands from a few neighbouring ranks, so that sets and runs compete."""
    ranks = draw(st.integers(3, 5))
    start = draw(st.integers(0, 13 - ranks))
    pool = [13 * suit + rank for suit in range(4) for rank in range(start, start + ranks)]
    chosen = draw(st.permutations(pool))[:cards]
    return Hand(CARDS[index] for index in chosen)


def every_arrangement(hand: Hand) -> set[frozenset[int]]:
    """Try every choice of up to three melds: those that leave the least points."""
    within = [meld.hand.mask for meld in melds(hand)]
    ways: dict[frozenset[int], int] = {frozenset(): hand_points(hand)}
    for many in (1, 2, 3):
        for chosen in combinations(within, many):
            if sum(mask.bit_count() for mask in chosen) == _union(chosen).bit_count():
                ways[frozenset(chosen)] = hand_points(Hand.from_mask(hand.mask & ~_union(chosen)))
    least = min(ways.values())
    return {way for way, left in ways.items() if left == least}


def _union(masks: tuple[int, ...]) -> int:
    union = 0
    for mask in masks:
        union |= mask
    return union


@settings(max_examples=60, deadline=None)
@given(meld_rich_hands(11))
def test_discards_and_knocks_agree_with_melds(hand: Hand) -> None:
    left = np.zeros(52, np.int64)
    assert kernel_hand.discards(hand.mask, left) == deadwood(hand)
    assert {card: left[card.index] for card in hand} == discards(hand)
    assert all(left[card.index] == 500 for card in CARDS if card not in hand)
    least = min(left)
    assert kernel_hand.best_discards(hand.mask) == least << 52 | Hand([card for card in hand if left[card.index] == least]).mask
    knockable = {card for card, after in discards(hand).items() if after <= 10}
    assert Hand.from_mask(kernel_hand.knocks(hand.mask, 10)) == Hand(knockable)


@settings(max_examples=60, deadline=None)
@given(meld_rich_hands(10))
def test_list_melds_has_every_best_arrangement_once(hand: Hand) -> None:
    listed = [frozenset(meld for meld in row if meld) for row in kernel_hand.list_melds(hand.mask).tolist()]
    assert len(set(listed)) == len(listed)
    assert set(listed) == every_arrangement(hand)
    assert set(listed) == {frozenset(meld.hand.mask for meld in one.melds) for one in arrangements(hand)}


@settings(max_examples=60, deadline=None)
@given(meld_rich_hands(10))
def test_melded_is_one_best_arrangement(hand: Hand) -> None:
    sets, runs = kernel_hand.melded(hand.mask)
    assert sets & runs == 0
    assert (sets | runs) & ~hand.mask == 0
    assert hand_points(Hand.from_mask(hand.mask & ~(sets | runs))) == deadwood(hand)


def test_pick_melds_picks_arrangements_evenly() -> None:
    # 3 to 8 of hearts is one run or two; with nothing else at stake both come up half the time.
    hand, found = Hand.parse("3H 4H 5H 6H 7H 8H KC KD QS JS"), np.zeros(4, np.int64)
    many = [int(kernel_hand.pick_melds(hand.mask, np.uint64(key * 7919), found)) for key in range(2000)]
    assert set(many) == {1, 2}
    assert 900 < many.count(1) < 1100


@settings(max_examples=60, deadline=None)
@given(meld_rich_hands(11))
def test_makes_meld_says_whether_a_meld_has_the_card(hand: Hand) -> None:
    for card in hand:
        rest = hand - {card}
        assert bool(kernel_hand.makes_meld(Hand(rest).mask, card.index)) == any(card in meld.hand for meld in melds(hand))


@given(
    st.sampled_from([meld for meld in melds(Hand.parse("4C 4D 4H 4S 5H 6H 7H 3H TS JS QS KS")) if len(meld.hand) < 5]),
    st.sampled_from(CARDS),
)
def test_extends_is_every_card_of_a_longer_meld(meld: Meld, card: Card) -> None:
    if card in meld.hand:
        return
    longer = Hand([*meld.hand, card])
    assert bool(kernel_hand.extends(meld.hand.mask) >> card.index & 1) == (longer in [each.hand for each in melds(longer)])


@pytest.mark.parametrize(
    ("loose", "shown", "stays"),
    [
        ("6H 7H 8H KS", ["3H 4H 5H"], "KS"),
        ("9C 2H", ["9D 9H 9S"], "2H"),
        ("2C 6C 7C AC", ["3C 4C 5C", "9D 9H 9S"], ""),
        # The lowest card goes first and on the first meld that takes it: 7H completes the set, and 8H stays.
        ("7H 8H", ["7C 7D 7S", "4H 5H 6H"], "8H"),
        ("7H 8H", ["4H 5H 6H", "7C 7D 7S"], ""),
        ("AD", ["QD KD JD"], "AD"),
    ],
)
def test_lay_off_takes_the_lowest_card_first(loose: str, shown: list[str], stays: str) -> None:
    grown = np.array([Hand.parse(meld).mask for meld in shown], np.int64)
    all_cards = Hand.parse(loose).mask + sum(grown.tolist())
    left = int(kernel_hand.lay_off(Hand.parse(loose).mask, grown, len(shown)))
    assert Hand.from_mask(left) == Hand.parse(stays)
    assert sum(grown.tolist()) + left == all_cards
