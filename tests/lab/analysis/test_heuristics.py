"""The ten heuristics: by hand on a small sample, and against plain loops over made-up ones."""

from itertools import pairwise
from math import sqrt
from statistics import mean

import pytest
from hypothesis import given, settings

from meldlab.lab.analysis import heuristics as h
from meldlab.lab.analysis.heuristics import NAMES, Heuristic, heuristics
from meldlab.lab.analysis.sample import Sample
from meldlab.recycle.machine import kernel_layout as k
from tests.lab.analysis.samples import BY_HAND, Decision, Row, games, sample_of


def value(found: Heuristic) -> float:
    assert found.interval is not None
    assert found.interval.low - 1e-12 <= found.interval.value <= found.interval.high + 1e-12
    return found.interval.value


def test_by_hand() -> None:
    # The winners' own estimates: 0.25, 0.9 in the first game; 0.34, 0.85, 0.8 in the second; half is being behind.
    assert value(h.drama(BY_HAND)) == pytest.approx((0.5 + 0.4) / 2)
    assert value(h.security(BY_HAND)) == pytest.approx((1 / 2 + 2 / 3) / 2)
    # First above 0.8 at the second of two decisions, at the second of three.
    assert value(h.decisiveness(BY_HAND)) == pytest.approx(1 - (1 / 2 + 2 / 3) / 2)
    # Falls: 0.6 to 0.1, 0.6 to 0.5, 0.85 to 0.8, among five pairs; the failed game has no pair.
    assert value(h.coolness(BY_HAND)) == pytest.approx(1 - 3 / 5)
    # Two of eleven decisions have an option that stands out.
    assert value(h.clarity(BY_HAND)) == pytest.approx(1 - 2 / 11)
    assert value(h.spread(BY_HAND)) == pytest.approx((2 + 0 + 0 + 4 + 1) / 11)
    # Options 4, 2, 1, 3 fall by 0.4 a move; the others are level.
    assert value(h.convergence(BY_HAND)) == pytest.approx((0.7 + 0.5 + 0.5) / 3)
    # One of two games that have scores.
    assert value(h.fairness(BY_HAND)) == pytest.approx(1.0)
    assert value(h.order(BY_HAND)) == pytest.approx(0.0)
    assert value(h.gain(BY_HAND, BY_HAND)) == pytest.approx(0.0)


@pytest.mark.parametrize(("wins", "expected"), [(0, 0.0), (1, 0.75), (2, 0.75), (3, 0.375), (4, 0.0)])
def test_fairness_is_a_tent_over_the_equal_share(wins: int, expected: float) -> None:
    # Three players; the first wins so many of four games.
    rows = [Row((1, 0, 0) if game < wins else (0, 1, 0), ()) for game in range(4)]
    found = h.fairness(sample_of("max", 3, rows))
    assert value(found) == pytest.approx(expected)
    assert found.interval is not None
    assert 0 <= found.interval.low < found.interval.high <= 1


def test_order_and_gain_compare_with_chance() -> None:
    always = sample_of("min", 4, [Row((0, 1, 1, 1), ())] * 50)
    shared = sample_of("min", 4, [Row((1, 1, 1, 1), ())] * 50)
    assert value(h.order(always)) == 1
    assert value(h.order(shared)) == 0
    assert value(h.gain(always, shared)) == 0.75
    assert h.order(always).interval.low < 1  # type: ignore[union-attr]  # fifty wins prove no certainty


PAIRS = (1, 2, 1, 2)


def test_pairs_win_and_lose_together() -> None:
    always = sample_of("max", 4, [Row((3, 1, 3, 1), ())] * 20)
    never = sample_of("max", 4, [Row((1, 3, 1, 3), ())] * 20)
    half = sample_of("max", 4, [Row((3, 1, 3, 1), ()), Row((1, 3, 1, 3), ())] * 10)
    tied = sample_of("max", 4, [Row((2, 2, 2, 2), ())] * 20)
    assert [value(h.fairness(games, PAIRS)) for games in (always, never, half, tied)] == [0, 0, 1, 1]
    assert [value(h.order(games, PAIRS)) for games in (always, never, half, tied)] == [1, -1, 0, 0]
    assert value(h.gain(always, half, PAIRS)) == 0.5
    assert "the first seat's team wins" in h.fairness(half, PAIRS).meaning
    assert "It wins 50.0%, an equal share is 50.0%." in h.fairness(half, PAIRS).meaning
    assert "one searching player and its random partners always beat random ones" in h.order(half, PAIRS).meaning


def test_a_player_without_a_team_is_a_side() -> None:
    # The first plays alone against a pair and another one: three sides.
    third = sample_of("min", 4, [Row((0, 1, 1, 1), ()), Row((2, 1, 1, 2), ()), Row((2, 2, 2, 1), ())])
    assert value(h.fairness(third, (0, 1, 1, 0))) == pytest.approx(1)
    assert value(h.order(third, (0, 1, 1, 0))) == pytest.approx(0)


def test_the_published_rule_counts_seats_and_whole_ties() -> None:
    def published(found: Heuristic) -> float:
        assert found.published is not None
        return found.published.value

    always = sample_of("max", 4, [Row((3, 1, 3, 1), ())] * 20)
    half = sample_of("max", 4, [Row((3, 1, 3, 1), ()), Row((1, 3, 1, 3), ())] * 10)
    # Everybody but one wins, as in Cuckoo: the first wins three of four games.
    most = sample_of("min", 4, [Row(tuple(int(seat == loser) for seat in range(4)), ()) for loser in range(4)])
    assert [published(h.fairness(games, PAIRS)) for games in (always, half)] == [0, pytest.approx(2 / 3)]
    assert published(h.order(half, PAIRS)) == pytest.approx(1 / 3)
    assert value(h.fairness(most)) == 1
    assert published(h.fairness(most)) == pytest.approx(1 / 3)
    assert published(h.order(most)) == pytest.approx(2 / 3)
    assert published(h.gain(most, half)) == pytest.approx(0.25)
    assert h.spread(BY_HAND).published is None


def test_nothing_is_made_up_for_one_player_or_without_estimates() -> None:
    alone = sample_of("max", 1, [Row((3,), (Decision(0, 2), Decision(0, 3)))] * 3)
    found = {each.name: each.interval for each in heuristics(alone, alone, alone)}
    assert {name for name, interval in found.items() if interval} == {"convergence"}
    assert found.keys() == set(NAMES)
    assert all(each.meaning for each in heuristics(alone, alone, alone))
    failed = sample_of("max", 2, [Row((0, 0), (), status=k.NO_CARD)] * 3)
    assert not any(each.interval for each in heuristics(failed, failed, failed))


# --- plain loops


def lead(rank: float, seats: int) -> float:
    return (seats - 1 - rank) / (seats - 1)


def winner(goal: str, row: Row) -> int:
    best = max(row.scores) if goal == "max" else min(row.scores)
    return row.scores.index(best)


def plainly(goal: str, seats: int, rows: list[Row]) -> dict[str, float | None]:
    half = (1 + (seats - 2) / (seats - 1)) / 2
    drama, security, decisiveness, convergence, falls, clear, spread = [], [], [], [], [], [], []
    for row in rows:
        own = [lead(one.ranks[one.seat], seats) for one in row.decisions if one.seat == winner(goal, row)]
        if own and row.status <= k.CAPPED:
            behind = [sqrt(half - each) for each in own if each < half]
            drama.append(mean(behind) if behind else 0.0)
            security.append(1 - len(behind) / len(own))
            first = next((i for i, each in enumerate(own) if each > 0.8), len(own))
            decisiveness.append(1 - (len(own) - first) / len(own))
        options = [one.options for one in row.decisions]
        if len(options) > 1:
            middle, average = mean(range(len(options))), mean(options)
            slope = sum((i - middle) * (many - average) for i, many in enumerate(options)) / sum(
                (i - middle) ** 2 for i in range(len(options))
            )
            convergence.append(1 - (slope / 2 + 0.5))
        for seat in range(seats):
            mine = [lead(one.ranks[seat], seats) for one in row.decisions if one.seat == seat]
            falls += [after < before for before, after in pairwise(mine)]
        clear += [one.value - one.mean >= 0.3 for one in row.decisions]
        spread += [abs(one.best - one.worst) for one in row.decisions]
    return {
        "drama": mean(drama) if drama else None,
        "security": mean(security) if security else None,
        "decisiveness": mean(decisiveness) if decisiveness else None,
        "convergence": mean(convergence) if convergence else None,
        "coolness": 1 - mean(falls) if falls else None,
        "clarity": 1 - mean(clear),
        "spread": mean(spread),
    }


@settings(max_examples=60)
@given(games())
def test_against_plain_loops(made: tuple[str, int, list[Row]]) -> None:
    sample = sample_of(*made)
    found = {each.name: each for each in heuristics(sample, sample, sample)}
    for name, expected in plainly(*made).items():
        interval = found[name].interval
        assert (interval is None) == (expected is None), name
        if interval is not None and expected is not None:
            assert interval.value == pytest.approx(expected, abs=1e-9), name


@settings(max_examples=30)
@given(games())
def test_a_sample_reads_what_it_writes_and_splits_anywhere(made: tuple[str, int, list[Row]]) -> None:
    goal, seats, rows = made
    whole = sample_of(goal, seats, rows).as_json()
    assert Sample.from_json(whole).as_json() == whole
    assert Sample.joined([sample_of(goal, seats, [row]) for row in rows]).as_json() == whole
