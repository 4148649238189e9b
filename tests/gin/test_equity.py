"""Match equity: what follows from the odds of a round, in fractions and by playing."""

from fractions import Fraction
from functools import cache
from pathlib import Path
from random import Random
from unittest.mock import Mock

import numpy as np
import pytest

from meldlab.errors import NotPossible
from meldlab.gin import Rules, batch, players
from meldlab.gin.advice import position_view
from meldlab.gin.batch import kernel_parameters, play_batch
from meldlab.gin.equity import MatchEquity
from meldlab.gin.players import SimplePlayer

# How often the starter wins 0, 1, 2, 3 points, and how often the other does; of twenty rounds three are void.
STARTER, OTHER, ALL = (1, 3, 4, 2), (0, 2, 3, 2), 20


@pytest.mark.parametrize("next_starter", ["alternates", "winner", "loser"])
def test_win_probability_agrees_with_many_rounds_in_fractions(next_starter: str) -> None:
    rules = Rules(match_points=4, next_starter=next_starter)  # type: ignore[arg-type]
    equity = MatchEquity.from_odds(np.array([STARTER, OTHER]) / ALL, rules)

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
                assert equity.win_probability((own, other), starter) == pytest.approx(float(chance(own, other, starter, 60)), abs=1e-9)


def test_win_probabilities_of_both_seats_sum_to_one() -> None:
    equity = MatchEquity.from_odds(np.array([STARTER, OTHER]) / ALL, Rules(match_points=9))
    for _ in range(30):
        chance = Random(4)
        scores, starter = (chance.randrange(9), chance.randrange(9)), chance.randrange(2)
        assert equity.win_probability(scores, starter) + equity.win_probability(scores[::-1], 1 - starter) == pytest.approx(1)


def test_after_round_is_the_win_probability_at_the_new_scores() -> None:
    equity = MatchEquity.from_odds(np.array([STARTER, OTHER]) / ALL, Rules(match_points=9))
    after = equity.after_round((5, 7), 0, np.array([0, 3, -2, 5, -3, 1, -1]))
    wanted = [equity.win_probability((5, 7), 0), equity.win_probability((7, 7), 1), equity.win_probability((5, 8), 1), 1.0, 0.0]
    assert after.tolist() == [*wanted, equity.win_probability((5, 7), 1), equity.win_probability((5, 7), 1)]


def test_equity_of_a_single_round_is_decided_by_its_points() -> None:
    equity = MatchEquity.from_self_play(SimplePlayer().parameters(), Rules(match_points=0))
    assert equity.after_round((0, 0), 1, np.array([0, 26, -1])).tolist() == [0.5, 1.0, 0.0]
    assert equity.win_probability((0, 0), 0) == 0.5


def test_equity_is_even_where_nobody_scores() -> None:
    assert MatchEquity.from_odds(np.zeros((2, 3)), Rules()).win_probability((40, 10), 0) == 0.5


def test_from_self_play_agrees_with_played_matches() -> None:
    # A match to 10 points that the first player begins: most rounds bring more, so that the starter's share of them decides.
    rules, simple = Rules(match_points=10, first_starter="first"), SimplePlayer()
    won = (play_batch(simple, simple, rules, 3, 0, 40_000)["winner"] == 0).mean()
    assert MatchEquity.from_self_play(simple.parameters(), rules).win_probability((0, 0), 0) == pytest.approx(won, abs=0.02)


def test_from_self_play_caches_counts_by_player_and_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MELDLAB_CACHE", str(tmp_path))
    monkeypatch.setattr("meldlab.gin.equity.ROUNDS", 64)
    measured = Mock(side_effect=batch.play_matches)
    monkeypatch.setattr("meldlab.gin.equity.play_matches", measured)
    simple, light, other = (kernel_parameters(players.parse(name)) for name in ("simple", "network:light", "network:light-ensemble"))
    first = MatchEquity.from_self_play(simple, Rules()).table
    assert (MatchEquity.from_self_play(simple, Rules()).table == first).all()
    MatchEquity.from_self_play(simple, Rules(game_bonus=5))  # the same rounds
    assert measured.call_count == 1
    MatchEquity.from_self_play(simple, Rules(match_points=50))  # from other scores
    assert measured.call_count == 2
    MatchEquity.from_self_play(light, Rules())
    MatchEquity.from_self_play(other, Rules())  # the same numbers, another network
    MatchEquity.from_self_play(simple, Rules(gin_bonus=20))
    assert measured.call_count == 5
    for kept in tmp_path.glob("gin/equity/*"):
        kept.write_bytes(kept.read_bytes().replace(b"[0, ", b"[5, ", 1))
    assert (MatchEquity.from_self_play(simple, Rules()).table == first).all()
    assert measured.call_count == 6
    for kept in tmp_path.glob("gin/equity/*"):
        kept.write_bytes(kept.read_bytes()[:20])
    assert (MatchEquity.from_self_play(simple, Rules()).table == first).all()
    assert measured.call_count == 7


def test_from_odds_rejects_a_match_that_is_too_long() -> None:
    with pytest.raises(NotPossible, match="expected a match of at most 1,000 points"):
        MatchEquity.from_odds(np.zeros((2, 3)), Rules(match_points=5000))


def test_from_points_counts_rounds_of_unequal_seats_whoever_starts() -> None:
    equity = MatchEquity.from_points(np.array([30] * 3 + [-30] + [0] * 4), Rules())
    assert equity.even((99, 99)) == pytest.approx(0.75)
    assert equity.even((60, 69)) == pytest.approx(0.75**2 + 2 * 0.75**2 * 0.25)
    assert (equity.table[:, :, 0] == equity.table[:, :, 1]).all()


@pytest.mark.parametrize("rules", [Rules(), Rules(next_starter="winner")])
def test_from_counts_favours_neither_seat(rules: Rules) -> None:
    counts = np.array([0, 2, 1] + [3] * 30)
    equity = MatchEquity.from_counts(counts, rules)
    means = equity.table.mean(axis=2)[:100, :100]
    assert means + means.T == pytest.approx(np.ones((100, 100)))
    # Rounds that fall evenly to both seats are the same rounds, counted with their sign.
    points = np.repeat(np.arange(len(counts)), counts)
    signed = MatchEquity.from_points(np.concatenate([points, -points]), rules)
    assert means == pytest.approx(signed.table.mean(axis=2)[:100, :100])


def test_after_rollouts_takes_expectations_where_a_rollout_was_truncated() -> None:
    equity = MatchEquity.from_odds(np.array([STARTER, OTHER]) / ALL, Rules(match_points=9))
    view = position_view("2C 3C 4C 9D 9H 9S KC KD KH KS 5H", rules=Rules(match_points=9), scores=(5, 7))
    outcomes = np.array([[3, 0], [0, -2]])
    ended = equity.after_round((5, 7), 0, outcomes)
    assert equity.after_rollouts(view, outcomes).tolist() == ended.tolist()
    found = equity.after_rollouts(view, outcomes, np.array([[np.nan, 0.1], [2.0, np.nan]]))
    assert found.tolist() == [[ended[0, 0], equity.even((5, 7)) + 0.1], [1.0, ended[1, 1]]]
