"""Hearts in a match: cards are passed left, right and across, and not in the fourth deal."""

import pytest

from meldlab.play import Deal, RandomPlayer, Table
from meldlab.recycle.game import RecycleGame
from meldlab.recycle.match import RecycleMatch
from meldlab.recycle.state import State


@pytest.mark.parametrize(("deal", "steps"), [(0, 1), (1, 3), (2, 2), (3, None), (4, 1)])
def test_hearts_match_passes_three_cards(deal: int, steps: int | None) -> None:
    state = RecycleMatch(RecycleGame.load("hearts"), deals=5).game_of_deal(deal).start(4, Deal(2, deal))
    first = hands(state)
    if steps is None:
        assert [len(first[seat]) for seat in range(4)] == [13] * 4
        assert " to TRICK of p" in str(state.view(state.seat or 0).legal_actions()[0])
        return
    for number in range(12):
        assert state.seat == number % 4
        state = state.apply(state.view(state.seat).legal_actions()[3])
    last = hands(state)
    for seat in range(4):
        passed = first[seat] - last[seat]
        assert len(passed) == 3
        assert passed <= last[(seat + steps) % 4]


def hands(state: State) -> dict[int, set[int]]:
    return {location.owner - 1: set(cards) for location, cards in state.position.locations() if location.name == "HAND"}


def test_hearts_match_ends_at_100() -> None:
    played = Table(RecycleMatch(RecycleGame.load("hearts"), target=100), [RandomPlayer()] * 4).play(Deal(1))
    assert max(played.result.scores) >= 100
    assert sum(played.result.scores) % 26 == 0
