"""What has no class, and the numbers that no class has."""

from collections.abc import Callable
from random import Random

import numpy as np
import pytest

from meldlab.cards import CARDS, Hand, classes, kernel
from meldlab.errors import NotLegalHere


@pytest.mark.parametrize("cards", [-1, 14, 52, 1.5, "3", None, [3]])
def test_only_hands_up_to_13_cards_have_classes(cards: object) -> None:
    ask: list[Callable[..., object]] = [
        classes.count,
        classes.hands,
        lambda n: classes.hand(n, 0),
        lambda n: classes.numbers([], n),
    ]
    for question in ask:
        with pytest.raises(NotLegalHere, match="number of cards in a hand with a class"):
            question(cards)


def test_hands_too_large_have_no_class() -> None:
    with pytest.raises(NotLegalHere, match="from 0 to 13, not 52"):
        classes.number(Hand.full())
    questions: list[Callable[..., object]] = [classes.number, classes.orbit_size, classes.orbit]
    for ask in questions:
        with pytest.raises(NotLegalHere, match="expected a Hand"):
            ask("5H")


@pytest.mark.parametrize("rank", [-1, 1755, 0.5, "0"])
def test_numbers_of_no_class(rank: object) -> None:
    with pytest.raises(NotLegalHere, match="number of a class of 3-card hands"):
        classes.hand(3, rank)  # type: ignore[arg-type]


@pytest.mark.parametrize(("first", "many"), [(-1, None), (1756, None), (0, 1756), (1755, 1), (0, -1), ("0", 1), (0, "1")])
def test_stretches_beyond_the_classes(first: int, many: int | None) -> None:
    with pytest.raises(NotLegalHere, match="must be a whole number"):
        classes.hands(3, first, many)


def test_numbers_wants_hands_of_that_size() -> None:
    assert classes.numbers([0b111], 3).tolist() == [classes.number(Hand.parse("AC 2C 3C"))]
    with pytest.raises(NotLegalHere, match="3 cards"):
        classes.numbers([0b111, 0b11], 3)


def test_dead_cards_have_no_place_in_a_hand() -> None:
    dead = Hand.parse("5H")
    assert classes.numbers([0b111], 3, dead).tolist() == [classes.number(Hand.parse("AC 2C 3C"), dead)]
    for one in (classes.number, classes.orbit_size, classes.orbit):
        with pytest.raises(NotLegalHere, match="5H is dead"):
            one(Hand.parse("5H 6H 7H"), dead)
    for ask in (classes.numbers, classes.orbit_sizes):
        with pytest.raises(NotLegalHere, match="dead card"):
            ask([Hand.parse("5H 6H 7H").mask], 3, dead)
    with pytest.raises(NotLegalHere, match="expected a Hand"):
        classes.count(3, "5H")  # type: ignore[arg-type]


def random_hand(chance: Random, cards: int, dead: Hand) -> Hand:
    return Hand(chance.sample([card for card in CARDS if card not in dead], cards))


@pytest.mark.parametrize("dead", ["", "5H", "2H 2D", "AC AD AH AS", "2C 3C 9D KD 7H 7S"])
def test_the_class_of_a_hand_is_the_same_however_it_is_asked_for(dead: str) -> None:
    chance, gone = Random(dead), Hand.parse(dead)
    for cards in range(1, 12):
        for _ in range(20):
            hand = random_hand(chance, cards, gone)
            family = list(classes.orbit(hand, gone))
            assert hand in family
            assert classes.orbit_size(hand, gone) == len(family) == classes.orbit_sizes([hand.mask], cards, gone)[0]
            assert {classes.number(each, gone) for each in family} == {classes.number(hand, gone)}
            assert classes.hand(cards, classes.number(hand, gone), gone) in family


LANES = [[lane for lane in range(8192) if lane.bit_count() == cards] for cards in range(14)]


@pytest.mark.parametrize("dead", ["", "5H", "2H 2D", "AC AD AH AS", "2C 3C 9D KD 7H 7S"])
def test_numbering_within_a_frame_is_numbering(dead: str) -> None:
    # The frame of three suits serves for all lanes of the fourth with as many cards; solvers and players number hands by it in 32 bits.
    chance, gone = Random(dead), Hand.parse(dead)
    for cards in range(1, 12):
        size = classes.numbering(cards, gone)
        if size.classes > 2**32:
            # Dead cards break the symmetry of suits; so many classes have no number of 32 bits, and no game asks for them.
            assert cards > 9
            continue
        for _ in range(60):
            hand = random_hand(chance, cards, gone)
            for suit, lane in enumerate(hand.suit_masks):
                alike = [each for each in LANES[lane.bit_count()] if not each & gone.suit_masks[suit]]
                frame = kernel.suit_frame(hand.mask, suit, lane, size.keys, size.patterns)
                for other in {lane, *chance.sample(alike, min(4, len(alike)))}:
                    changed = hand.mask & ~(0x1FFF << 13 * suit) | other << 13 * suit
                    found = int(kernel.number_in_frame(size.keys[suit, other], frame))
                    assert found == int(kernel.class_number(changed, size.keys, size.patterns)) < size.classes


@pytest.mark.parametrize(("cards", "dead"), [(1, ""), (5, "2H 9D 9S"), (7, ""), (8, "AC 2D"), (13, "")])
def test_many_hands_are_numbered_as_each_of_them(cards: int, dead: str) -> None:
    size = classes.numbering(cards, Hand.parse(dead))
    first, count = (size.classes // 3, 500) if size.classes > 1000 else (0, size.classes)
    kernel.class_hands(first, size, masks := np.empty(count, np.int64))
    numbers, digits = masks.copy(), np.empty((5, len(masks)), np.int64)
    kernel.number_hands(numbers, len(masks), digits, size.keys, size.patterns)
    kernel.class_numbers(masks, size, expected := np.empty(count, np.int64))
    assert numbers.tolist() == expected.tolist()
    assert numbers.tolist() == list(range(numbers[0], numbers[0] + len(numbers)))
