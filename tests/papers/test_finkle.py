"""Finkle (2017), "Analysis of Rummy Games": its tables, its cohorts and its bounds, and the numbers that go beyond it."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from meldlab.cards import Hand, classes
from meldlab.reproduce.cohorts import Approximation, approximate
from meldlab.reproduce.finkle_figures import COHORTS, ROUND_CLASSES
from meldlab.waiting import Solution, WaitingGame, solve
from meldlab.waiting.exact import draw_graph, exact_values

# cards, aces, complete hands, mean E, max E; sections 3.2, 4.2, 5.4, 5.5 where published, the rest is new.
RESULTS = [
    (3, "low", 96, 17.5142727492, 19.1800550962),
    (3, "both", 100, 17.3590862646, 18.8616783329),
    (3, "round", 104, 17.1578831801, 18.2442485400),
    (4, "low", 53, 38.6612233676, 41.8873453715),
    (4, "both", 57, 38.2683087949, 41.3925283198),
    (4, "round", 65, 37.0344922955, 38.6563243418),
    (5, "low", 36, 50.2104206592, 54.7125869035),
]


@pytest.fixture(scope="module")
def three() -> Solution:
    return solve(WaitingGame(3), device="cpu")


@pytest.fixture(scope="module")
def four() -> Solution:
    return solve(WaitingGame(4), device="cpu")


@pytest.mark.parametrize(("cards", "aces", "complete", "mean", "most"), RESULTS)
def test_means_and_least_upper_bounds(cards: int, aces: str, complete: int, mean: float, most: float) -> None:
    solution = solve(WaitingGame(cards, aces), device="cpu")
    summary = solution.summary()
    assert summary.goal_hands == complete
    assert summary.mean == pytest.approx(mean, abs=6e-11)
    assert summary.max == pytest.approx(most, abs=6e-11)
    assert solution.residual < 1e-12


def test_worst_hands(three: Solution, four: Solution) -> None:
    # Section 3.2.1: A, Q, K of three suits; with aces low the deck reads the same from the king down, so A, 2, K are as bad.
    assert three.turns("AC QH KD") == pytest.approx(three.summary().max, abs=1e-12)
    assert [card.rank.name for card in three.summary().worst] == ["ACE", "QUEEN", "KING"]
    # Section 3.2.2: twelve hands like AC 2D KD with aces high or low.
    both = solve(WaitingGame(3, "both"), device="cpu").summary()
    assert both.worst_hands == 12
    assert solve(WaitingGame(3, "both"), device="cpu").turns("AC 2D KD") == both.max
    assert four.summary().worst_hands == 12


def test_the_first_classes(three: Solution) -> None:
    # Section 3.2.1: the best hands, the 544 hands of the largest class, the median hand.
    assert three.turns("2C 2D 3C") == Fraction(49, 4)
    _, hands, values = three.rows()
    assert hands[np.abs(values - 15.228977272) < 1e-8].sum() == 544
    assert three.turns("8D 9S JD") == pytest.approx(18.223831446346434, abs=1e-9)


def test_all_classes_with_aces_round() -> None:
    solution = solve(WaitingGame(3, "round"), device="cpu")
    _, hands, values = solution.rows()
    found: dict[float, int] = {}
    for size, value in zip(hands, values, strict=True):
        found[round(float(value), 9)] = found.get(round(float(value), 9), 0) + int(size)
    rummies = found.pop(0.0)
    assert rummies == 104
    ours, theirs = sorted(found.items()), list(ROUND_CLASSES)
    # The printed list adds up to 21,684 of 21,996 hands: a class of 312 hands, E = 15.47285, is missing between two that it resembles.
    assert sum(hands for hands, _ in theirs) == 22_100 - 104 - 312
    missing = 312, 15.472848828
    theirs = sorted([*theirs, missing], key=lambda entry: entry[1])
    assert [size for _, size in ours] == [size for size, _ in theirs]
    np.testing.assert_allclose([value for value, _ in ours], [value for _, value in theirs], rtol=0, atol=6e-10)
    assert solution.summary().distinct_values == 60


def test_four_cards_round() -> None:
    # Section 4.2: 654 classes and the rummies; 2,496 hands with E = 24; 156 worst hands like AC 2D 5C 6D.
    solution = solve(WaitingGame(4, "round"), device="cpu")
    summary = solution.summary()
    _, hands, values = solution.rows()
    assert summary.distinct_values == 655
    assert hands[values == 24].sum() == 2496
    assert summary.worst_hands == 156
    assert solution.turns("AC 2D 5C 6D") == pytest.approx(38.6563243418, abs=6e-11)


@pytest.mark.parametrize("tolerance", [1.0, 0.5])
def test_cohorts_as_printed(three: Solution, tolerance: float) -> None:
    ours, theirs = approximate(WaitingGame(3), tolerance, three).cohorts, COHORTS[tolerance]
    assert [one.hands for one in ours] == [hands for hands, _ in theirs]
    np.testing.assert_allclose([one.expected for one in ours], [value for _, value in theirs], rtol=0, atol=6e-11)
    assert str(ours[0].like) == "2C 2D 3C"
    assert str(ours[2].like) == "AC AD 3C"


def test_the_errors_of_section_5_3(three: Solution) -> None:
    one = approximate(WaitingGame(3), 1.0, three)
    assert one.max_error == pytest.approx(0.6109, abs=5e-5)
    assert one.mean_error == pytest.approx(0.086, abs=5e-4)
    worst = classes.hand(3, int(np.argmax(one.expected - three.expected)))
    assert [str(card.rank) for card in worst] in (["3", "5", "K"], ["A", "9", "J"])  # the printed hand or its mirror image
    # The result file behind the thesis has 713 classes at its tolerance of 1e-7, without the rummies.
    assert len(approximate(WaitingGame(3), 1e-7, three).cohorts) == 713


def test_four_cards_in_19_cohorts(four: Solution) -> None:
    # Section 5.4: 19 cohorts at tolerance 1, the largest of 67,468 hands like AC AD 3C 3D with E = 39.6312457202.
    run = approximate(WaitingGame(4), 1.0, four)
    largest = max(run.cohorts, key=lambda one: one.hands)
    assert len(run.cohorts) == 19
    assert (largest.hands, str(largest.like)) == (67_468, "AC AD 3C 3D")
    assert largest.expected == pytest.approx(39.6312457202, abs=6e-11)


def test_the_bound_of_section_5_4(four: Solution) -> None:
    # The printed bound is the least E of the last cohort. In two places the least estimates of neighbouring cohorts lie exactly 0.001
    # apart, which is not less than the tolerance; a tolerance larger by 1e-12 joins them. The printed 2,609 counts the complete hands.
    runs = [approximate(WaitingGame(4), 0.001 + change, four) for change in (-1e-12, 0, 1e-12)]
    assert [len(run.cohorts) for run in runs] == [2608, 2608, 2606]
    for run in runs:
        assert run.cohorts[-1].expected == pytest.approx(41.88666, abs=1e-5)
        assert run.max_error < 0.001
    leasts = [one.expected for one in runs[1].cohorts]
    apart = [after - before for before, after in pairwise(leasts)]
    assert [leasts[i] for i in range(len(apart)) if abs(apart[i] - 0.001) < 1e-11] == pytest.approx([34.1856666667, 34.681962963])


def test_cohorts_of_four_cards_with_aces_high_or_low() -> None:
    # The thesis's result file of this run has 2,693.
    assert len(approximate(WaitingGame(4, "both"), 0.001).cohorts) == 2693


@pytest.mark.parametrize("tolerance", [2, 1, 0.7, 0.5, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01, 0.003, 0.001])
def test_theorem_4_for_the_tolerances_that_were_used(three: Solution, four: Solution, tolerance: float) -> None:
    for exact in (three, four):
        run: Approximation = approximate(exact.game, tolerance, exact)
        # An estimate is never below the truth (to rounding), and above it by less than the tolerance.
        assert (run.expected - exact.expected).min() > -1e-11
        assert run.mean_error < run.max_error < tolerance


def test_theorem_4_is_false_for_large_tolerances(four: Solution) -> None:
    # Its proof takes for granted that whatever is locked is better than whatever is open, which premature locking breaks.
    run = approximate(WaitingGame(4), 4.0, four)
    assert run.max_error == pytest.approx(4.2455, abs=5e-5)


@pytest.mark.parametrize(("aces", "number", "gap"), [("low", 735, 2e-14), ("both", 738, 2e-16), ("round", 60, 1e-6)])
def test_how_many_classes_there_really_are(aces: str, number: int, gap: float) -> None:
    # Section 3.2.1 prints 688 with aces low, at a tolerance that merges classes.
    exact = exact_values(draw_graph(WaitingGame(3, aces)))
    values = sorted(set(exact))
    assert len(values) == number
    assert gap < float(min(after - before for before, after in pairwise(values))) < 10 * gap
    np.testing.assert_allclose([float(value) for value in exact], solve(WaitingGame(3, aces), device="cpu").expected, rtol=0, atol=1e-12)


def test_fractions_satisfy_the_equation() -> None:
    # Independent of the order in which they were found: every E is the least mean over the draws, exactly.
    exact = exact_values(draw_graph(WaitingGame(3)))
    for rank in range(0, 1755, 37):
        hand = classes.hand(3, rank)
        if exact[rank] == 0:
            continue
        after = sorted(least(hand | {card}, exact) for card in Hand.full() - hand)
        totals = [Fraction(49)]
        for value in after:
            totals.append(totals[-1] + value)
        assert exact[rank] == min(total / k for k, total in enumerate(totals) if k)


def least(hand: "Hand", exact: list[Fraction]) -> Fraction:
    return min(exact[classes.number(Hand.from_mask(hand.mask ^ 1 << card.index))] for card in hand)
