"""Ranks, suits and cards: what they read, how they are ordered, what they refuse."""

import pytest

from meldlab.cards import CARDS, Card, Rank, Suit
from meldlab.errors import BadText, NotLegalHere


def test_a_deck_has_52_cards_each_at_its_index() -> None:
    assert len(set(CARDS)) == 52
    assert [card.index for card in CARDS] == list(range(52))
    assert [Card.from_index(i) for i in range(52)] == list(CARDS)


@pytest.mark.parametrize("text", ["TS", "10S", "ts", "10s", "S10", "sT", "♠10", "10♠", "♤T", " 10S ", "T♠\N{VARIATION SELECTOR-16}"])
def test_the_ten_of_spades_in_every_spelling(text: str) -> None:
    assert Card.parse(text) == Card(Rank.TEN, Suit.SPADES)


def test_cards_are_ordered_by_rank_then_suit() -> None:
    assert list(map(str, sorted(CARDS)[:6])) == ["AC", "AD", "AH", "AS", "2C", "2D"]
    assert Card.parse("KC") > Card.parse("QS") >= Card.parse("QH")
    with pytest.raises(TypeError):
        assert Card.parse("KC") < "QS"  # type: ignore[operator]


@pytest.mark.parametrize(
    ("text", "problem", "at"),
    [
        ("7X", "no suit 'X' (use C D H S)", 1),
        ("1XS", "no suit 'XS'", 1),
        ("XH", "no rank 'X' (use A 2 3 4 5 6 7 8 9 T J Q K)", 0),
        ("11H", "no suit '1H'", 1),
        ("H11", "no rank '11'", 1),
        ("7", "no suit after '7'", 1),
        ("♥", "no rank next to '♥'", 1),
        ("", "expected one card, got none", 0),
        ("  ", "expected one card, got none", 2),
        ("5H 6H", "expected one card, got 2", 3),
        ("\N{VARIATION SELECTOR-16}", "no rank next to", 0),
    ],
)
def test_bad_text_is_named_and_pointed_at(text: str, problem: str, at: int) -> None:
    with pytest.raises(BadText) as caught:
        Card.parse(text)
    assert caught.value.problem.startswith(problem)
    assert caught.value.offset == at


@pytest.mark.parametrize("text", ["", "X", "0", "11", "AA"])
def test_no_such_rank(text: str) -> None:
    with pytest.raises(BadText, match="no rank"):
        Rank.parse(text)


@pytest.mark.parametrize("text", ["", "X", "HH", "5"])
def test_no_such_suit(text: str) -> None:
    with pytest.raises(BadText, match="no suit"):
        Suit.parse(text)


def test_wrong_values_are_not_legal() -> None:
    for index in (-1, 52, 1.5, "3", None):
        with pytest.raises(NotLegalHere, match="index of a card"):
            Card.from_index(index)  # type: ignore[arg-type]
    with pytest.raises(NotLegalHere, match="a Rank and a Suit"):
        Card(5, 2)  # type: ignore[arg-type]
    for kind in (Rank, Suit, Card):
        with pytest.raises(NotLegalHere, match="expected the text of cards"):
            kind.parse(5)  # type: ignore[arg-type]
