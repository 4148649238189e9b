"""The rules of a waiting game, as text and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meldlab.cards import CARDS, Hand
from meldlab.errors import MeldlabError
from meldlab.melds import Aces
from meldlab.waiting import Goal, WaitingGame

goals = st.builds(Goal, st.none() | st.integers(0, 100))
dead_cards = st.builds(Hand, st.sets(st.sampled_from(CARDS), max_size=41))


@given(st.builds(WaitingGame, st.integers(3, 10), st.sampled_from(Aces), goals, dead_cards))
def test_a_game_reads_back(game: WaitingGame) -> None:
    assert WaitingGame.parse(str(game)) == game


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "a waiting game reads like"),
        ("three cards, aces low, gin", "a waiting game reads like"),
        ("3 cards, aces low", "a waiting game reads like"),
        ("11 cards, aces low, gin", "number of cards in a hand"),
        ("3 cards, aces high, gin", "no ace rule 'high'"),
        ("3 cards, aces low, big", "no goal 'big'"),
        ("3 cards, aces low, gin, without 2H 2H", "2H twice"),
    ],
)
def test_what_is_no_game_is_refused(text: str, problem: str) -> None:
    with pytest.raises(MeldlabError, match=problem):
        WaitingGame.parse(text)
