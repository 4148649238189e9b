"""The ten heuristics: by hand on a small sample, and against plain loops over made-up ones."""

from dataclasses import replace
from itertools import pairwise
from math import sqrt
from statistics import mean

import pytest
from hypothesis import given, settings

from meldlab.analysis import heuristics as h
from meldlab.analysis.heuristics import NAMES, Heuristic, heuristics
from meldlab.analysis.playing import LineUp
from meldlab.analysis.playing import sample_from_games as played_sample
from meldlab.analysis.sample import Sample
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine.machine import Machine
from meldlab.recycle.players.search import play_games
from meldlab.statistics import mean as mean_interval
from meldlab.statistics import wilson
from tests.analysis.samples import BY_HAND, Decision, Row, games, sample_of, thought
from tests.recycle.tiny import DECIDED, PURE_CHANCE, idle_game


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


# --- games whose true values are known


def searched(end: str, player: str, turns: int = 12, games: int = 100) -> Sample:
    machine = Machine.compile(idle_game(turns, end))
    return played_sample(play_games(machine, LineUp.parse(player).players * 2, games, seed=1, threads=1), machine.scoring, 0)


@pytest.mark.slow
@pytest.mark.parametrize("turns", [4, 12, 60])
@pytest.mark.parametrize("player", ["pimc:20", "mcts:200", "ismcts:20"])
def test_pure_chance_has_no_drama_and_full_security_and_coolness(player: str, turns: int) -> None:
    # Nobody can influence or learn anything, so a player's true lead is 0.5 to the end.
    sample = searched(PURE_CHANCE, player, turns, games=200)
    assert value(h.drama(sample)) < 0.04
    assert value(h.security(sample)) > 0.95
    assert value(h.coolness(sample)) > 0.95
    assert value(h.decisiveness(sample)) > 0.95


@pytest.mark.parametrize("gaps", [(0.0, -0.04, -0.0625), (-0.04,) * 3])
def test_drama_outside_of_its_bounds_widens_as_a_rate_and_a_mean(gaps: tuple[float, ...]) -> None:
    # One half says behind, the other not: a gap counts with a minus, and the mean is below 0.
    rows = [Row((1, 0), (Decision(0, 2, ranks=(0.5, 0.5), halves=(0.6, 0.5 + gap)),)) for gap in gaps]
    drama = h.drama(sample_of("max", 2, rows)).interval
    assert drama is not None
    depths = [-sqrt(-gap) / 2 if gap else 0.0 for gap in gaps]
    for comparisons in (1, 5, 100):
        wide, student = drama.bonferroni(comparisons), mean_interval(depths).bonferroni(comparisons)
        expected = max(wilson(0.0, len(gaps), comparisons).high, min(1.0, student.high))
        assert (wide.value, wide.low) == (0.0, 0.0)
        assert wide.high == pytest.approx(expected)


def test_published_rules_take_noise_for_drama() -> None:
    sample = searched(PURE_CHANCE, "mcts:20")
    published = {each.name: each.published.value for each in (h.drama(sample), h.security(sample), h.coolness(sample)) if each.published}
    assert published["drama"] > 0.2
    assert published["security"] < 0.7
    assert published["coolness"] < 0.7


@pytest.mark.parametrize("player", ["pimc:20", "mcts:20", "ismcts:20"])
def test_a_decided_game_is_secure_cool_and_decided_at_once(player: str) -> None:
    sample = searched(DECIDED, player, games=20)
    found = [value(heuristic(sample)) for heuristic in (h.drama, h.security, h.coolness, h.decisiveness)]
    assert found == [0, 1, 1, 0]


def test_one_determinization_has_no_halves() -> None:
    sample = searched(PURE_CHANCE, "mcts:1", games=5)
    assert set(sample.determinizations.tolist()) == {1}
    for heuristic in (h.drama, h.security, h.coolness, h.decisiveness):
        assert heuristic(sample).interval is None
        assert heuristic(sample).published


def test_noise_that_one_half_contradicts_does_not_count() -> None:
    # Behind by one half and as far ahead by the other: neither drama nor insecurity, whichever half is asked.
    doubtful = thought(0, 0.5)
    sample = sample_of("max", 2, [Row((1, 0), (replace(doubtful, halves=(0.9, 0.1)), replace(doubtful, halves=(0.1, 0.9))))] * 5)
    assert value(h.drama(sample)) == 0
    # Each decision counts minus a half: with as many that both halves call behind the share is a quarter.
    assert value(h.security(sample)) == 1
    behind = sample_of("max", 2, [Row((1, 0), (replace(doubtful, halves=(0.9, 0.1)), *[replace(doubtful, halves=(0.9, 0.75))] * 3))] * 5)
    assert value(h.security(behind)) == pytest.approx(1 - (3 - 0.5) / 4)
    assert value(h.drama(behind)) == pytest.approx(mean([(-sqrt(0.4) + 3 * sqrt(0.25)) / 4, sqrt(0.4)]))


# --- plain loops


def lead(rank: float, seats: int) -> float:
    return (seats - 1 - rank) / (seats - 1)


def winner(goal: str, row: Row) -> int:
    best = max(row.scores) if goal == "max" else min(row.scores)
    return row.scores.index(best)


def sign(number: float) -> int:
    return (number > 0) - (number < 0)


def plainly(goal: str, seats: int, rows: list[Row]) -> dict[str, float | None]:
    convergence, clear, spread = [], [], []
    for row in rows:
        options = [one.options for one in row.decisions]
        if len(options) > 1:
            middle, average = mean(range(len(options))), mean(options)
            slope = sum((i - middle) * (many - average) for i, many in enumerate(options)) / sum(
                (i - middle) ** 2 for i in range(len(options))
            )
            convergence.append(1 - (slope / 2 + 0.5))
        clear += [one.value - one.mean >= 0.3 for one in row.decisions]
        spread += [abs(one.best - one.worst) for one in row.decisions]
    return {
        "convergence": mean(convergence) if convergence else None,
        "clarity": 1 - mean(clear),
        "spread": mean(spread),
    }


def plainly_by_halves(goal: str, seats: int, rows: list[Row], whole: bool) -> dict[str, float | None]:
    """Return what rests on two halves of the determinizations, or by the published rule on the whole of them."""
    middle = (1 + (seats - 2) / (seats - 1)) / 2
    drama, security, decisiveness, falls = list[float](), list[float](), list[float](), list[float]()

    def leads(one: Decision) -> tuple[float, float]:
        first, second = (one.ranks[one.seat],) * 2 if whole else one.own_halves
        return lead(first, seats), lead(second, seats)

    for row in rows:
        own = [leads(one) for one in row.decisions if one.seat == winner(goal, row)]
        if own and row.status <= k.CAPPED:
            depths, shares = [], []
            for half in (0, 1):
                gaps = [middle - each[1 - half] for each in own if each[half] < middle]
                depths.append(mean(sign(gap) * sqrt(abs(gap)) for gap in gaps) if gaps else 0.0)
                shares.append(sum(map(sign, gaps)) / len(own))
            drama.append(mean(depths))
            security.append(1 - mean(shares))
            first = next((i for i, each in enumerate(own) if min(each) > 0.8), len(own))
            decisiveness.append(1 - (len(own) - first) / len(own))
        for seat in range(seats):
            mine = [leads(one) for one in row.decisions if one.seat == seat]
            for before, after in pairwise(mine):
                lost = [before[half] - after[half] for half in (0, 1)]
                falls.append(mean(float(sign(lost[1 - half])) if lost[half] > 0 else 0.0 for half in (0, 1)))
    found = {"drama": drama, "security": security, "decisiveness": decisiveness, "coolness": [1 - each for each in falls]}
    return {name: min(1.0, max(0.0, mean(each))) if each else None for name, each in found.items()}


@settings(max_examples=60)
@given(games())
def test_against_plain_loops(made: tuple[str, int, list[Row]]) -> None:
    sample = sample_of(*made)
    found = {each.name: each for each in heuristics(sample, sample, sample)}
    pairs = [(found[name].interval, expected, name) for name, expected in plainly(*made).items()]
    pairs += [(found[name].interval, expected, name) for name, expected in plainly_by_halves(*made, whole=False).items()]
    pairs += [(found[name].published, expected, f"{name} as published") for name, expected in plainly_by_halves(*made, whole=True).items()]
    for interval, expected, name in pairs:
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
