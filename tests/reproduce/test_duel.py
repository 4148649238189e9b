"""Races between two tables of waiting times with one real deck."""

import numpy as np
import pytest

from meldlab.errors import NotLegalHere
from meldlab.reproduce.cohorts import approximate
from meldlab.reproduce.duel import duel
from meldlab.waiting import Solution, WaitingGame, solve


@pytest.fixture(scope="module")
def three() -> Solution:
    return solve(WaitingGame(3), device="cpu")


def test_duel_exact_table_beats_random_discards(three: Solution) -> None:
    assert duel(three, three.expected, None, games=4000, seed=1).low > 0.9


def test_duel_of_a_table_with_itself_is_even(three: Solution) -> None:
    # Mirrored deals between equal players: each pair is won once by either side.
    assert duel(three, three.expected, three.expected, games=2000, seed=1).value == 0.5


def test_duel_coarse_table_loses_little(three: Solution) -> None:
    rough = approximate(WaitingGame(3), 1.0, three)
    assert 0.48 < duel(three, three.expected, rough.expected, games=20_000, seed=1).value < 0.55


def test_duel_counts_games_that_never_end_as_half_a_win(three: Solution) -> None:
    # By these values no hand is better than another, so no hand is ever left.
    idle = np.ones(len(three.expected))
    assert duel(three, idle, idle, games=4, seed=3).value == 0.5


def test_duel_rejects_an_odd_number_of_games(three: Solution) -> None:
    with pytest.raises(NotLegalHere, match="at least 4, not 3"):
        duel(three, three.expected, None, games=3)


def test_chunks_do_not_change_cohorts_or_duels(three: Solution, monkeypatch: pytest.MonkeyPatch) -> None:
    def results() -> list[object]:
        run = approximate(WaitingGame(3), 0.01, three)
        return [run.cohorts, run.evaluated, duel(three, three.expected, run.expected, 500, 1)]

    usual = results()
    monkeypatch.setattr("meldlab.parallel._next_size", lambda part, *rest: 997)
    monkeypatch.setattr("meldlab.reproduce.duel.CHUNK", 7)
    monkeypatch.setattr("meldlab.reproduce.cohorts.CHUNK", 3)
    assert results() == usual
