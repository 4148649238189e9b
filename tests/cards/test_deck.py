"""Decks: the same seed gives the same cards, every seed works, and all orders are about as likely."""

from collections import Counter

import pytest

from meldlab.cards import CARDS, Card, Deck, Hand
from meldlab.cards.masks import random_hands
from meldlab.errors import BadText, NotLegalHere


def test_a_seed_gives_the_same_deck_for_ever() -> None:
    # Written down once: records that name a seed must not change their meaning.
    assert str(Deck.shuffled(seed=7).deal(10)[0]) == "AC 2H 2S 3H 4S 7C 7D 8S JD KC"
    assert Deck.shuffled(7, game=1) != Deck.shuffled(7, game=2) != Deck.shuffled(7, round=2)


def test_every_seed_shuffles_all_cards() -> None:
    decks = [Deck.shuffled(seed) for seed in [*range(200), 2**32, 2**63 - 1]]
    assert len(set(decks)) == len(decks)
    assert all(sorted(deck.cards) == sorted(CARDS) for deck in decks)


def test_each_card_comes_on_top_about_as_often() -> None:
    tops = Counter(Deck.shuffled(1, game).cards[0] for game in range(5200))
    # Chi square with 51 degrees of freedom: above 100 once in 20,000 seeds, and this seed is fixed.
    assert sum((tops[card] - 100) ** 2 / 100 for card in CARDS) < 100


def test_random_hands_hold_each_card_about_as_often() -> None:
    masks = random_hands(5200, 10, seed=3).tolist()
    assert {mask.bit_count() for mask in masks} == {10}
    held = [sum(mask >> bit & 1 for mask in masks) for bit in range(52)]
    assert sum((count - 1000) ** 2 / 1000 for count in held) < 100
    assert random_hands(5, 10, seed=3).tolist() == masks[:5]


def test_dealing_takes_from_the_top() -> None:
    deck = Deck.parse("5H KS AC 2D")
    hand, rest = deck.deal(2)
    assert hand == Hand.parse("5H KS")
    assert rest == Deck.parse("AC 2D")
    assert deck.deal(0) == (Hand(), deck)


def test_a_card_twice_is_pointed_at() -> None:
    with pytest.raises(BadText, match="5H twice") as caught:
        Deck.parse("5H KS 5h")
    assert caught.value.offset == 6
    with pytest.raises(NotLegalHere, match="no card twice"):
        Deck((Card.parse("5H"),) * 2)


@pytest.mark.parametrize("seed", [-1, 2**63, 2**70, 1.5, "7", None])
def test_seeds_are_whole_numbers(seed: object) -> None:
    with pytest.raises(NotLegalHere, match="seed must be a whole number from 0"):
        Deck.shuffled(seed)  # type: ignore[arg-type]
    with pytest.raises(NotLegalHere, match="seed must be a whole number from 0"):
        random_hands(1, 3, seed)  # type: ignore[arg-type]


@pytest.mark.parametrize("cards", [-1, 53, 1.5, "7", None])
def test_what_cannot_be_dealt(cards: object) -> None:
    with pytest.raises(NotLegalHere, match="number of cards"):
        Deck.shuffled(1).deal(cards)  # type: ignore[arg-type]
    with pytest.raises(NotLegalHere, match="number of cards"):
        random_hands(1, cards, 1)  # type: ignore[arg-type]
    with pytest.raises(NotLegalHere, match="number of hands"):
        random_hands(-1, 3, 1)
