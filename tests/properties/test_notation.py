"""Every value reads what it prints, and its repr evaluates back."""

import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meldlab import cards, melds
from meldlab.cards import Card, Deck, Hand, Rank, Suit
from meldlab.errors import BadText
from meldlab.melds import Aces, Arrangement, Meld, arrange
from tests.properties import hands as draw

NAMES = {name: getattr(room, name) for room in (cards, melds) for name in room.__all__}

values: dict[str, st.SearchStrategy[Any]] = {
    "Rank": st.sampled_from(Rank),
    "Suit": st.sampled_from(Suit),
    "Card": draw.cards,
    "Hand": draw.hands(0, 52),
    "Deck": draw.decks,
    "Meld": st.sampled_from([meld for rule in Aces for meld in draw.all_melds[rule]]),
    "Arrangement": st.builds(arrange, draw.rich_hands(), draw.aces),
    "Aces": draw.aces,
}


@pytest.mark.parametrize("name", values)
@given(data=st.data())
def test_reads_what_it_prints(name: str, data: st.DataObject) -> None:
    value = data.draw(values[name])
    assert type(value).__name__ == name
    assert type(value).parse(str(value)) == value
    assert eval(repr(value), dict(NAMES)) == value
    assert pickle.loads(pickle.dumps(value)) == value


SYMBOLS = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}


@given(draw.cards, st.data())
def test_a_card_reads_however_people_type_it(card: Card, data: st.DataObject) -> None:
    ranks = [str(card.rank), *(["10"] if card.rank == Rank.TEN else [])]
    suits = [str(card.suit), SYMBOLS[str(card.suit)], SYMBOLS[str(card.suit)] + "\N{VARIATION SELECTOR-16}"]
    rank, suit = data.draw(st.sampled_from(ranks)), data.draw(st.sampled_from(suits))
    text = data.draw(st.sampled_from([rank + suit, suit + rank]))
    spaces = data.draw(st.tuples(*[st.text(" \t\n,", max_size=2)] * 2))
    assert Card.parse(spaces[0] + data.draw(st.sampled_from([text, text.lower()])) + spaces[1]) == card


@given(draw.hands(0, 13), st.randoms(), st.sampled_from([" ", ", ", "\n", "  "]))
def test_a_hand_does_not_care_for_order(hand: Hand, random: Any, between: str) -> None:
    words = list(map(str, hand))
    random.shuffle(words)
    assert Hand.parse(between.join(words)) == hand


@given(draw.rich_hands(), draw.aces, draw.points)
def test_an_arrangement_reads_back_under_its_points(hand: Hand, aces: Aces, points: tuple[int, ...]) -> None:
    best = arrange(hand, aces, points)
    assert Arrangement.parse(str(best), points) == best
    assert best.complete == (not best.deadwood_cards)


@given(st.text(max_size=12))
def test_any_other_text_is_bad_text_with_a_place_in_it(text: str) -> None:
    for kind in (Rank, Suit, Card, Hand, Deck, Meld, Arrangement):
        value: Any = None
        problem: BadText | None = None
        try:
            value = kind.parse(text)
        except BadText as bad:
            problem = bad
        if problem is None:
            assert kind.parse(str(value)) == value  # lenient reading, canonical printing
        else:
            assert 0 <= problem.offset <= len(text)
            assert len(str(problem).splitlines()) in (1, 3)
