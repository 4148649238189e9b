"""Melds, arrangements, discards and lay-offs against exhaustive search."""

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from meldlab.cards import Hand
from meldlab.cards.masks import random_hands
from meldlab.melds import (
    Aces,
    LayOff,
    Meld,
    arrange,
    arrangements,
    best_discard,
    deadwood,
    deadwoods,
    discards,
    is_complete,
    lay_off,
    melds,
)
from tests.properties import hands as draw
from tests.properties import oracles
from tests.properties.oracles import Cards, from_mask, to_mask

PORTIONS = 10
PORTION = 2_200  # hands, one in two rich in melds: 22,000 in all, each under every ace rule


@pytest.mark.parametrize("portion", range(PORTIONS))
def test_deadwood_is_what_brute_force_finds(portion: int) -> None:
    random = Random(portion)
    hands = [draw.rich_hand(random, random.randint(3, 13)).mask for _ in range(PORTION // 2)]
    for cards in range(3, 14):
        hands += random_hands(PORTION // 22, cards, seed=100 * portion + cards).tolist()
    assert len(hands) == PORTION
    by_search = [from_mask(mask) for mask in hands]
    for rule in Aces:
        assert deadwoods(np.array(hands), rule).tolist() == [oracles.least_deadwood(cards, rule) for cards in by_search]


@given(draw.rich_hands(), draw.aces, draw.points)
def test_deadwood_under_any_points(hand: Hand, aces: Aces, points: tuple[int, ...]) -> None:
    assert deadwood(hand, aces, points) == oracles.least_deadwood(from_mask(hand.mask), aces, points)


@given(draw.rich_hands(), draw.aces)
def test_all_melds_of_a_hand(hand: Hand, aces: Aces) -> None:
    found = melds(hand, aces)
    assert {from_mask(meld.hand.mask) for meld in found} == oracles.all_melds(from_mask(hand.mask), aces)
    assert len(set(found)) == len(found)
    assert all(meld.legal(aces) for meld in found)
    kinds = [meld.is_run for meld in found]
    assert kinds == sorted(kinds)  # sets first


@given(draw.rich_hands(most=11), draw.aces, st.one_of(st.just(oracles.GIN), draw.points))
def test_arrangements_are_all_the_minimal_ones_and_each_once(hand: Hand, aces: Aces, points: tuple[int, ...]) -> None:
    found = list(arrangements(hand, aces, points))
    families = [frozenset(from_mask(meld.hand.mask) for meld in one.melds) for one in found]
    assert set(families) == oracles.best_arrangements(from_mask(hand.mask), aces, points)
    assert len(set(families)) == len(families)
    assert arrange(hand, aces, points) == found[0]
    assert len(found[0].melds) == min(len(one.melds) for one in found)
    for one in found:
        assert Hand(card for meld in one.melds for card in meld.cards) | one.deadwood_cards == hand
        assert one.deadwood == oracles.total(from_mask(one.deadwood_cards.mask), points)


@given(draw.rich_hands(), draw.aces)
def test_complete_means_no_card_outside(hand: Hand, aces: Aces) -> None:
    assert is_complete(hand, aces) == (oracles.least_deadwood(from_mask(hand.mask), aces, (1,) * 13) == 0)


@given(draw.rich_hands(most=11), draw.aces)
def test_the_best_discard_leaves_the_least(hand: Hand, aces: Aces) -> None:
    cards = from_mask(hand.mask)
    left = {card: oracles.least_deadwood(cards - {card}, aces) for card in cards}
    assert {(card.rank, card.suit): points for card, points in discards(hand, aces).items()} == left
    best = best_discard(hand, aces)
    chosen: tuple[int, int] = (best.rank, best.suit)
    equals = [card for card in cards if left[card] == min(left.values())]
    assert chosen in equals
    assert oracles.GIN[best.rank] == max(oracles.GIN[rank] for rank, _ in equals)


@st.composite
def defences(draw_one: st.DrawFn) -> tuple[Hand, list[Meld], Aces]:
    """Draw an ace rule, one to three shown melds, and a hand of which many cards fit on them."""
    aces = draw_one(draw.aces)
    shown: list[Meld] = []
    used = Hand()
    for meld in draw_one(st.lists(st.sampled_from(draw.all_melds[aces]), min_size=1, max_size=3)):
        if len(meld.hand) <= 5 and not meld.hand & used:
            shown.append(meld)
            used |= meld.hand
    unused = list(Hand.full() - used)
    near = [card for card in unused if any(card.rank == other.rank or card.suit == other.suit for other in used)]
    fitting = Hand(draw_one(st.sets(st.sampled_from(near or unused), max_size=7)))
    hand = fitting | (draw_one(draw.rich_hands(most=5)) - used)
    return hand, shown, aces


def plain(shown: list[Meld]) -> list[Cards]:
    return [from_mask(meld.hand.mask) for meld in shown]


@given(defences())
def test_laying_off_is_the_best_of_all_orders(defence: tuple[Hand, list[Meld], Aces]) -> None:
    hand, shown, aces = defence
    done = lay_off(hand, shown, aces)
    cards = from_mask(hand.mask)
    assert (done.deadwood, len(done.laid)) == oracles.least_after_laying_off(
        cards, plain(shown), aces, lambda left: oracles.least_deadwood(left, aces)
    )
    assert_nothing_is_lost(done, hand, shown, aces)


def assert_nothing_is_lost(done: LayOff, hand: Hand, shown: list[Meld], aces: Aces) -> None:
    rest = Hand(card for meld in done.rest.melds for card in meld.cards) | done.rest.deadwood_cards
    assert not rest & done.laid
    assert rest | done.laid == hand
    assert sum(to_mask(from_mask(meld.hand.mask)) for meld in done.melds) == sum(m.hand.mask for m in shown) + done.laid.mask
    for before, after in zip(shown, done.melds, strict=True):
        assert before.hand <= after.hand
        assert after.legal(aces)
