"""All against all: everyone is rated, and it is said where ratings cannot be trusted."""

from dataclasses import replace

import pytest

from meldlab.arena.round_robin import round_robin
from meldlab.errors import NotLegalHere
from meldlab.gin import Gin
from meldlab.rummikub.game import Rummikub
from tests.play.toy import HighCard


def test_a_round_robin_rates_everyone() -> None:
    robin = round_robin(Gin(), ["simple", "ensemble", "gin-only"], 1000, seed=2)
    assert [one.name for one in robin.ratings.players] == ["ensemble", "gin-only", "simple"]
    assert [one.players for one in robin.contests] == [("simple", "ensemble"), ("simple", "gin-only"), ("ensemble", "gin-only")]
    answer = robin.as_json()
    misfit = answer["misfit"]
    assert isinstance(misfit, dict)
    assert 0 < misfit["by_ratings"] < 1
    assert set(misfit["players"]) < set(robin.players)
    assert answer["cycle"] == []


def test_games_for_more_are_played_by_two() -> None:
    robin = round_robin(Rummikub(), ["greedy", "random"], 2, seed=1)
    assert robin.contests[0].seatings == ((0, 1), (1, 0))


def test_what_cannot_be_rated_is_refused() -> None:
    with pytest.raises(NotLegalHere, match="against itself"):
        round_robin(Gin(), ["simple", "simple", "random"], 10)
    with pytest.raises(NotLegalHere, match="two players or more"):
        round_robin(Gin(), ["simple"], 10)

    with pytest.raises(NotLegalHere, match="3 seats and no two teams"):
        round_robin(replace(HighCard(), seats=range(3, 4)), ["a", "b"], 10)
