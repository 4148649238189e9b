"""What has no class, and the numbers that no class has."""

from collections.abc import Callable

import pytest

from meldlab.cards import Hand, classes
from meldlab.errors import NotLegalHere


@pytest.mark.parametrize("cards", [-1, 14, 52, 1.5, "3", None, [3]])
def test_only_hands_up_to_13_cards_have_classes(cards: object) -> None:
    ask: list[Callable[..., object]] = [
        classes.count,
        classes.hands,
        lambda n: classes.unrank(n, 0),
        lambda n: classes.ranks([], n),
    ]
    for question in ask:
        with pytest.raises(NotLegalHere, match="number of cards in a hand with a class"):
            question(cards)


def test_hands_too_large_have_no_class() -> None:
    with pytest.raises(NotLegalHere, match="from 0 to 13, not 52"):
        classes.rank(Hand.full())
    questions: list[Callable[..., object]] = [classes.rank, classes.orbit_size, classes.orbit]
    for ask in questions:
        with pytest.raises(NotLegalHere, match="has none"):
            ask("5H")


@pytest.mark.parametrize("rank", [-1, 1755, 0.5, "0"])
def test_numbers_of_no_class(rank: object) -> None:
    with pytest.raises(NotLegalHere, match="number of a class of 3-card hands"):
        classes.unrank(3, rank)  # type: ignore[arg-type]


@pytest.mark.parametrize(("first", "many"), [(-1, None), (1756, None), (0, 1756), (1755, 1), (0, -1), ("0", 1), (0, "1")])
def test_stretches_beyond_the_classes(first: int, many: int | None) -> None:
    with pytest.raises(NotLegalHere, match="must be a whole number"):
        classes.hands(3, first, many)


def test_ranks_wants_hands_of_that_size() -> None:
    assert classes.ranks([0b111], 3).tolist() == [classes.rank(Hand.parse("AC 2C 3C"))]
    with pytest.raises(NotLegalHere, match="3 cards"):
        classes.ranks([0b111, 0b11], 3)


def test_dead_cards_have_no_place_in_a_hand() -> None:
    dead = Hand.parse("5H")
    assert classes.ranks([0b111], 3, dead).tolist() == [classes.rank(Hand.parse("AC 2C 3C"), dead)]
    for asked in (classes.rank, classes.orbit_size):
        with pytest.raises(NotLegalHere, match="5H is dead"):
            asked(Hand.parse("5H 6H 7H"), dead)
    for ask in (classes.ranks, classes.orbit_sizes):
        with pytest.raises(NotLegalHere, match="dead card"):
            ask([Hand.parse("5H 6H 7H").mask], 3, dead)
    with pytest.raises(NotLegalHere, match="has none"):
        classes.count(3, "5H")  # type: ignore[arg-type]
