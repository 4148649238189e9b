"""Known hands, and what cannot be arranged."""

from collections.abc import Callable

import numpy as np
import pytest

from meldlab.cards import CARDS, Card, Hand
from meldlab.errors import BadText, NoSuchThing, NotLegalHere
from meldlab.melds import (
    MAX_CARDS,
    Arrangement,
    Meld,
    arrange,
    arrangements,
    best_discard,
    deadwood,
    deadwoods,
    discards,
    hand_points,
    is_complete,
    melds,
)
from tests.properties import oracles


@pytest.mark.parametrize(
    ("hand", "aces", "arranged", "points"),
    [
        ("5H 6H 7H 9C 9D KS", "low", "5H 6H 7H + 9C 9D KS", 28),
        ("4H 5H 6H 7H 7C 7D KS", "low", "4H 5H 6H | 7C 7D 7H + KS", 10),
        ("3H 4H 5H 6H 3C 3D 6S 6C", "low", "3H 4H 5H | 6C 6H 6S + 3C 3D", 6),  # neither the longest run nor both sets
        ("QH KH AH", "low", "+ AH QH KH", 21),
        ("QH KH AH", "both", "QH KH AH", 0),
        ("KH AH 2H", "both", "+ AH 2H KH", 13),
        ("KH AH 2H", "round", "KH AH 2H", 0),
        ("AS 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS", "low", "AS 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS", 0),
        ("", "low", "", 0),
    ],
)
def test_known_hands(hand: str, aces: str, arranged: str, points: int) -> None:
    best = arrange(hand, aces)
    assert (str(best), best.deadwood, deadwood(hand, aces)) == (arranged, points, points)


def test_a_hand_with_several_best_arrangements() -> None:
    assert [str(one) for one in arrangements("5C 5D 5H 6C 6D 6H 7C 7D 7H")] == [
        "5C 5D 5H | 6C 6D 6H | 7C 7D 7H",
        "5C 6C 7C | 5D 6D 7D | 5H 6H 7H",
    ]


def test_points_are_a_parameter() -> None:
    flat = (5,) * 13
    assert deadwood("KS QD 2C", points=flat) == hand_points("KS QD 2C", flat) == 15
    assert deadwood("KS QD 2C", points=np.array(flat)) == 15  # type: ignore[arg-type]
    assert not is_complete("KS QD 2C")
    assert deadwood("KS QD 2C", points=(0,) * 13) == 0


def test_as_many_cards_as_the_search_allows() -> None:
    six_fours = Hand(card for card in CARDS if card.rank < MAX_CARDS // 4) | {Card.parse("KS"), Card.parse("KD")}
    assert len(six_fours) == MAX_CARDS
    assert deadwood(six_fours) == 20


def test_openspiel_agrees_on_ten_cards() -> None:
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: no second opinion on deadwood")
    rules = pyspiel.gin_rummy.GinRummyUtils(13, 4, 10)
    from random import Random

    from meldlab.cards.masks import random_hands
    from tests.properties.hands import rich_hand

    random = Random(10)
    masks = random_hands(3000, 10, seed=10).tolist() + [rich_hand(random, 10).mask for _ in range(3000)]
    masks = [mask for mask in masks if mask.bit_count() == 10]
    theirs = [rules.min_deadwood([13 * suit + rank for rank, suit in oracles.from_mask(mask)]) for mask in masks]
    assert len(masks) > 5500
    assert deadwoods(masks).tolist() == theirs


def test_best_discard_of_eleven() -> None:
    assert best_discard("4H 5H 6H 7H 7C 7D 9S TS QC QD KD") == Card.parse("KD")
    assert best_discard("5H 6H 7H KS KD") == Card.parse("KS")
    # Everything is melded: the cheapest break is a card off the end of the long run.
    assert best_discard("3H 4H 5H 6H") == Card.parse("6H")
    with pytest.raises(NotLegalHere, match="empty hand"):
        best_discard("")


QUESTIONS: list[Callable[..., object]] = [arrange, best_discard, deadwood, discards, lambda *given: list(arrangements(*given))]


@pytest.mark.parametrize("ask", [*QUESTIONS, is_complete, melds])
def test_hands_that_are_none(ask: Callable[..., object]) -> None:
    for nothing in (5, None, ["5H"], b"5H", 1.5, CARDS):
        with pytest.raises(NotLegalHere, match="expected a Hand or text"):
            ask(nothing)
    with pytest.raises(NotLegalHere, match="52 cards are too many to arrange"):
        ask(Hand.full())
    with pytest.raises(BadText, match="5H twice"):
        ask("5H 5H")
    for rule in ("x", None, 3):
        with pytest.raises(NoSuchThing, match="no ace rule"):
            ask("5H", rule)


@pytest.mark.parametrize("points", [(1,), (1,) * 14, (-1,) * 13, (1.5,) * 13, (10**6,) * 13, "1" * 13, 5, None])
@pytest.mark.parametrize("ask", [*QUESTIONS, lambda hand, aces, points: deadwoods([7], aces, points)])
def test_points_that_are_none(ask: Callable[..., object], points: object) -> None:
    with pytest.raises(NotLegalHere, match="points"):
        ask("5H", "low", points)


@pytest.mark.parametrize("masks", [[1.5], [-1], [1 << 52], [2**70], [[1]], "x", None, [True], [(1 << 52) - 1], {1}])
def test_batches_that_are_none(masks: object) -> None:
    with pytest.raises(NotLegalHere):
        deadwoods(masks)  # type: ignore[arg-type]


def test_batches() -> None:
    assert deadwoods([]).tolist() == []
    assert deadwoods(np.array([7, 3], np.uint64), points=[2] * 13).tolist() == [0, 4]
    assert deadwoods(np.array([7, 3], np.int32)[::-1]).tolist() == [3, 0]


@pytest.mark.parametrize(
    ("text", "problem", "at"),
    [
        ("5H 6H", "5H 6H is neither a set nor a run", 0),
        ("5H 6H 7H | 7H 7C 7D", "7C 7D 7H shares a card", 11),
        ("5H 6H 7H | 8X", "no suit 'X'", 12),
        ("5H 6H 7H |", "no cards is neither", 10),
        ("5H 6H 7H + KX", "no suit 'X'", 12),
        ("5H 6H 7H + 7H", "7H is in a meld too", 9),
        ("+ KS + QD", "no rank '+'", 5),
    ],
)
def test_texts_that_are_no_arrangement(text: str, problem: str, at: int) -> None:
    with pytest.raises(BadText) as caught:
        Arrangement.parse(text)
    assert caught.value.problem.startswith(problem)
    assert caught.value.offset == at


def test_an_arrangement_is_checked_when_it_is_made() -> None:
    run, card = Meld.parse("5H 6H 7H"), Hand.parse("KD")
    assert Arrangement((run,), card, 10) == Arrangement.parse("5H 6H 7H + KD")
    for laid, dead, points, problem in [
        ((run,), Hand(), 999, "deadwood of an arrangement must be a whole number from 0 to 0, not 999"),
        ((run,), card, -1, "deadwood of an arrangement must be a whole number from 0 to 1000, not -1"),
        ((run,), Hand.parse("6H"), 6, "6H cannot be in two places"),
        ((run, Meld.parse("7C 7D 7H")), card, 10, "7H cannot be in two places"),
        ([run], card, 10, "a tuple of Meld"),
        (("5H 6H 7H",), card, 10, "a tuple of Meld"),
    ]:
        with pytest.raises(NotLegalHere, match=problem):
            Arrangement(laid, dead, points)  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", ["5H 6H 7H", Hand(), Hand.parse("5H 6H"), Hand.parse("5H 6H 8H"), Hand.parse("5H 5C 6H"), None])
def test_cards_that_are_no_meld(wrong: Hand) -> None:
    with pytest.raises(NotLegalHere):
        Meld(wrong)
