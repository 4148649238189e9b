"""The chance to win a match: what follows from the odds of a round, in fractions and by playing."""

from fractions import Fraction
from functools import cache
from pathlib import Path
from random import Random
from unittest.mock import Mock

import numpy as np
import pytest

from meldlab.errors import NotPossible
from meldlab.gin import Rules, players
from meldlab.gin.batch import play_batch, seat
from meldlab.gin.kernel_layout import WINNER_SEAT
from meldlab.gin.players import SimplePlayer
from meldlab.gin.review.equity import Equity, _counted

# How often the starter wins 0, 1, 2, 3 points, and how often the other does; of twenty rounds three are void.
STARTER, OTHER, ALL = (1, 3, 4, 2), (0, 2, 3, 2), 20


@pytest.mark.parametrize("next_starter", ["alternates", "winner", "loser"])
def test_the_chances_are_those_of_many_rounds(next_starter: str) -> None:
    rules = Rules(match_points=4, next_starter=next_starter)  # type: ignore[arg-type]
    equity = Equity.of(np.array([STARTER, OTHER]) / ALL, rules)

    @cache
    def chance(own: int, other: int, starter: int, rounds: int) -> Fraction:
        """The chance to win within so many rounds."""
        if own >= 4 or other >= 4 or not rounds:
            return Fraction(own >= 4)
        total = (ALL - sum(STARTER) - sum(OTHER)) * chance(own, other, starter, rounds - 1)
        for winner in range(2):
            after = {"alternates": 1 - starter, "winner": winner, "loser": 1 - winner}[next_starter]
            for points, often in enumerate(STARTER if winner == starter else OTHER):
                total += often * chance(own + points * (winner == 0), other + points * (winner == 1), after, rounds - 1)
        return total / ALL

    for own in range(4):
        for other in range(4):
            for starter in range(2):
                assert equity.chance((own, other), starter) == pytest.approx(float(chance(own, other, starter, 60)), abs=1e-9)


def test_one_seat_wins_what_the_other_does_not() -> None:
    equity = Equity.of(np.array([STARTER, OTHER]) / ALL, Rules(match_points=9))
    for _ in range(30):
        chance = Random(4)
        scores, starter = (chance.randrange(9), chance.randrange(9)), chance.randrange(2)
        assert equity.chance(scores, starter) + equity.chance(scores[::-1], 1 - starter) == pytest.approx(1)


def test_an_outcome_leads_to_the_scores_after_it() -> None:
    equity = Equity.of(np.array([STARTER, OTHER]) / ALL, Rules(match_points=9))
    after = equity.after((5, 7), 0, np.array([0, 3, -2, 5, -3, 1, -1]))
    wanted = [equity.chance((5, 7), 0), equity.chance((7, 7), 1), equity.chance((5, 8), 1), 1.0, 0.0]
    assert after.tolist() == [*wanted, equity.chance((5, 7), 1), equity.chance((5, 7), 1)]


def test_a_match_of_one_round_is_won_by_its_points() -> None:
    equity = Equity.measured(seat(SimplePlayer()), Rules(match_points=0))
    assert equity.after((0, 0), 1, np.array([0, 26, -1])).tolist() == [0.5, 1.0, 0.0]
    assert equity.chance((0, 0), 0) == 0.5


def test_nobody_wins_where_nobody_scores() -> None:
    assert Equity.of(np.zeros((2, 3)), Rules()).chance((40, 10), 0) == 0.5


def test_measured_chances_are_those_of_played_matches() -> None:
    # A match to 10 points that the first player begins: most rounds bring more, so that the starter's share of them decides.
    rules, simple = Rules(match_points=10, first_starter="first"), SimplePlayer()
    won = (play_batch(simple, simple, rules, 3, 0, 40_000)[:, WINNER_SEAT] == 0).mean()
    assert Equity.measured(seat(simple), rules).chance((0, 0), 0) == pytest.approx(won, abs=0.02)


def test_what_was_measured_is_kept_for_this_player_and_these_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MELDLAB_CACHE", str(tmp_path))
    monkeypatch.setattr("meldlab.gin.review.equity.ROUNDS", 64)
    counted = Mock(side_effect=_counted)
    monkeypatch.setattr("meldlab.gin.review.equity._counted", counted)
    simple, light, other = (seat(players.parse(name)) for name in ("simple", "computed:light", "computed:light-ensemble"))
    first = Equity.measured(simple, Rules()).chances
    assert (Equity.measured(simple, Rules()).chances == first).all()
    Equity.measured(simple, Rules(match_points=50))  # the same rounds
    assert counted.call_count == 1
    Equity.measured(light, Rules())
    Equity.measured(other, Rules())  # the same numbers, another network
    Equity.measured(simple, Rules(gin_bonus=20))
    assert counted.call_count == 4
    for kept in tmp_path.glob("gin/equity/*"):
        kept.write_bytes(kept.read_bytes().replace(b"[0, ", b"[5, ", 1))
    assert (Equity.measured(simple, Rules()).chances == first).all()
    assert counted.call_count == 5
    for kept in tmp_path.glob("gin/equity/*"):
        kept.write_bytes(kept.read_bytes()[:20])
    assert (Equity.measured(simple, Rules()).chances == first).all()
    assert counted.call_count == 6


def test_a_match_can_be_too_long() -> None:
    with pytest.raises(NotPossible, match="a match of 5,000 points is too long"):
        Equity.of(np.zeros((2, 3)), Rules(match_points=5000))
