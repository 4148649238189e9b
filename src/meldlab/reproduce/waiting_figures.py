"""The figures of Finkle's thesis on waiting times, drawn from our own data, and two more: Theorem 4, and what knowledge is worth.

``FIGURES`` names them all; each function returns a picture and its numbers, and only ``knowledge`` takes a seed.
"""

from collections.abc import Callable, Sequence
from functools import cache
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from meldlab.reports.plot import BLUE, ORANGE, RED, Data, blank
from meldlab.reproduce.cohorts import Approximation, approximate
from meldlab.reproduce.tolerance import fitted_exponent, knowledge_study, tolerance_study
from meldlab.waiting import Solution, WaitingGame, solve

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["FIGURES", "knowledge"]

Sheet = tuple[Figure, Data]
GREEN, PINK = "#009E73", "#CC79A7"  # the palette of sheet.py goes on
RULES = {"low": "aces low", "both": "aces high or low", "round": "round the corner"}
RULE_COLOURS = {"low": BLUE, "both": ORANGE, "round": GREEN}
MOST_POINTS = 2000  # of one series: an SVG of it takes about 200 kB
# The thesis measured 17 and 7 tolerances, a dozen for its Theorem 4, and does not list them.
MANY = tuple(float(f"{t:.3g}") for t in np.geomspace(0.001, 1, 17))
FEW = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
DOZEN = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 2.0, 4.0, 6.0, 10.0, 30.0)
KNOWLEDGE = (1000.0, 20.0, 10.0, 5.0, 4.0, 2.0, 1.0, 0.1)
GAMES = {3: 100_000, 4: 50_000}


def figure_1() -> Sheet:
    """Draw E against the number of hands: three cards, aces low."""
    return _rule_sets(3, ["low"], "Figure 1: E for three cards, aces low")


def figure_2() -> Sheet:
    """Draw E against the number of hands: three cards, the three ace rules."""
    return _rule_sets(3, list(RULES), "Figure 2: E for three cards under the three ace rules")


def figure_3() -> Sheet:
    """Draw E against the number of hands: four cards, round the corner."""
    return _rule_sets(4, ["round"], "Figure 3: E for four cards, round the corner")


def figure_4() -> Sheet:
    """Draw three cards with tolerance 1 beside the exact values, hands in the order of these."""
    order, places = _ascending(_solved(3))
    exact, run = _solved(3).expected[order], _run(3, 1.0)
    figure, (axes,) = blank()
    axes.plot(places, run.expected[order], ".", color=ORANGE, ms=3, label="tolerance 1")
    axes.step([0, *places], [exact[0], *exact], color="black", lw=1.5, label="exact")
    _label(axes, "Figure 4: three cards, aces low, tolerance 1 and exact")
    _frame(axes, exact)
    return figure, {"hands": places.tolist(), "exact": exact.tolist(), "approximate": run.expected[order].tolist()}


def figure_5() -> Sheet:
    """Draw the errors of three cards with tolerance 0.5."""
    return _residuals([0.5], "Figure 5: errors with tolerance 0.5, three cards, aces low")


def figure_6() -> Sheet:
    """Draw the errors of three cards with several tolerances."""
    return _residuals([1.0, 0.5, 0.2, 0.1], "Figure 6: errors with several tolerances, three cards, aces low")


def figure_7() -> Sheet:
    """Draw the work against the tolerance, three cards, with the fitted power of the tolerance."""
    return _work(3, MANY, -0.538, "Figure 7: work and tolerance, three cards, aces low")


def figure_8() -> Sheet:
    """Draw four cards with tolerance 1 in the order of locking."""
    return _locking([1.0], "Figure 8: four cards, aces low, tolerance 1")


def figure_9() -> Sheet:
    """Draw four cards with three tolerances in the order of locking."""
    return _locking([0.5, 0.1, 0.01], "Figure 9: four cards, aces low, several tolerances")


def figure_10() -> Sheet:
    """Draw four cards with tolerance 0.001 in the order of locking."""
    return _locking([0.001], "Figure 10: four cards, aces low, tolerance 0.001")


def figure_11() -> Sheet:
    """Draw the work against the tolerance, four cards, with the fitted power of the tolerance."""
    return _work(4, FEW, -0.710, "Figure 11: work and tolerance, four cards, aces low")


def figure_12() -> Sheet:
    """Draw E against the number of hands: four cards, the three ace rules."""
    return _rule_sets(4, list(RULES), "Figure 12: E for four cards under the three ace rules")


def theorem_4() -> Sheet:
    """Draw the largest and the mean error against the tolerance, with the bound that Theorem 4 claims."""
    figure, panels = blank(panels=2, size=(6.0, 4.5))
    rows: list[tuple[Any, ...]] = []
    for axes, cards in zip(panels, (3, 4), strict=True):
        trials = tolerance_study(WaitingGame(cards), DOZEN, _solved(cards))
        largest = [trial.max_error for trial in trials]
        axes.loglog(DOZEN, DOZEN, "--", color="black", lw=1.2, label="Theorem 4: the tolerance itself")
        axes.loglog(DOZEN, largest, "o-", color=BLUE, label="largest error")
        axes.loglog(DOZEN, [trial.mean_error for trial in trials], "s-", color=ORANGE, label="mean error")
        over = [(trial.tolerance, trial.max_error) for trial in trials if trial.max_error > trial.tolerance]
        if over:
            axes.plot(*zip(*over, strict=True), "o", color=RED, ms=11, mfc="none", mew=1.8, label="beyond the bound")
        axes.set_title(f"{cards} cards, aces low", fontsize=11)
        axes.set_xlabel("tolerance (turns)")
        axes.set_ylabel("error (turns)")
        axes.grid(alpha=0.3)
        axes.legend(loc="upper left")
        rows += [(cards, trial.tolerance, trial.cohorts, trial.max_error, trial.mean_error) for trial in trials]
    return figure, _columns(["cards", "tolerance", "cohorts", "max_error", "mean_error"], rows)


def knowledge(seed: int = 0) -> Sheet:
    """Draw how often players with approximate tables, and one without any, beat the best policy."""
    figure, (left, right) = blank(panels=2, size=(6.0, 4.8))
    rows: list[tuple[Any, ...]] = []
    ticks = ["random", *(f"{tolerance:g}" for tolerance in KNOWLEDGE)]
    for cards, colour, shape in ((3, BLUE, "o"), (4, ORANGE, "s")):
        met = knowledge_study(_solved(cards), KNOWLEDGE, GAMES[cards], seed)
        for axes, first in ((left, 0), (right, 1)):
            rates = [one.rate for one in met[first:]]
            halves = [one.interval[1] - one.rate for one in met[first:]]
            axes.errorbar(range(first, len(met)), rates, halves, fmt=f"{shape}-", color=colour, capsize=3, label=f"{cards} cards")
        rows += [(cards, one.tolerance, one.cohorts, one.mean_error, one.games, one.rate, *one.interval) for one in met]
    for axes, first in ((left, 0), (right, 1)):
        axes.axhline(0.5, color="black", lw=1, ls="--")
        axes.set_xticks(range(first, len(ticks)), ticks[first:], rotation=45)
        axes.set_xlabel("tolerance of the player's table (knowledge grows to the right)")
        axes.set_ylabel("games won against the best policy")
        axes.grid(alpha=0.3)
        axes.legend(loc="lower right")
    left.set_ylim(0, 0.55)
    right.set_title("tables only", fontsize=11)
    left.set_title("all players, with 95 % intervals", fontsize=11)
    figure.suptitle("What knowledge is worth: a race with one real deck, aces low", fontsize=11)
    return figure, _columns(["cards", "tolerance", "cohorts", "mean_error", "games", "rate", "low", "high"], rows)


FIGURES: dict[str, Callable[[], Sheet]] = {
    "1": figure_1,
    "2": figure_2,
    "3": figure_3,
    "4": figure_4,
    "5": figure_5,
    "6": figure_6,
    "7": figure_7,
    "8": figure_8,
    "9": figure_9,
    "10": figure_10,
    "11": figure_11,
    "12": figure_12,
    "theorem-4": theorem_4,
    "knowledge": knowledge,
}


@cache
def _solved(cards: int, aces: str = "low") -> Solution:
    return solve(WaitingGame(cards, aces), device="cpu")


def _run(cards: int, tolerance: float) -> Approximation:
    return approximate(WaitingGame(cards), tolerance, _solved(cards))


def _ascending(solution: Solution) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the classes by ascending E, and the number of hands up to and with each of them."""
    _, hands, values = solution.rows()
    order = np.argsort(values, kind="stable")
    return order, np.cumsum(hands[order])


def _thinned(places: NDArray[np.int64], values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return which points to keep so that a curve looks the same: evenly spread along both axes, and both ends."""
    along = np.searchsorted(places, np.linspace(places[0], places[-1], MOST_POINTS // 2))
    ascending = np.maximum.accumulate(values)
    up = np.searchsorted(ascending, np.linspace(ascending[0], ascending[-1], MOST_POINTS // 2))
    return np.unique(np.concatenate((along, up, [0, len(places) - 1])))


def _rule_sets(cards: int, rules: Sequence[str], title: str) -> Sheet:
    figure, (axes,) = blank()
    rows: list[tuple[Any, ...]] = []
    for aces in rules:
        order, places = _ascending(_solved(cards, aces))
        values = _solved(cards, aces).expected[order]
        keep = _thinned(places, values)
        text = f"{RULES[aces]}: mean {_solved(cards, aces).summary().mean:.4f}, largest {values[-1]:.4f}"
        # Each class is a level stretch that ends at its place, so the step comes before the point.
        axes.step([0, *places[keep]], [0.0, *values[keep]], color=RULE_COLOURS[aces], lw=1.8, label=text)
        rows += [(aces, int(place), float(value)) for place, value in zip(places[keep], values[keep], strict=True)]
    _label(axes, title)
    _frame(axes, values)
    return figure, _columns(["aces", "hands", "expected"], rows)


def _residuals(tolerances: Sequence[float], title: str) -> Sheet:
    order, places = _ascending(_solved(3))
    exact = _solved(3).expected[order]
    figure, (axes,) = blank()
    rows: list[tuple[Any, ...]] = []
    for tolerance, colour in zip(tolerances, cycle([BLUE, ORANGE, GREEN, PINK]), strict=False):
        run = _run(3, tolerance)
        errors = run.expected[order] - exact
        text = f"tolerance {tolerance:g}: largest {run.max_error:.4f}, mean {run.mean_error:.4f}"
        axes.plot(places, errors, ".", color=colour, ms=4, label=text)
        rows += [(tolerance, int(place), float(value), float(error)) for place, value, error in zip(places, exact, errors, strict=True)]
    _label(axes, title)
    axes.legend(loc="upper left")
    axes.set_ylabel("estimate less E (turns)")
    axes.set_ylim(top=1.35 * axes.get_ylim()[1])  # room for the legend
    return figure, _columns(["tolerance", "hands", "exact", "error"], rows)


def _locking(tolerances: Sequence[float], title: str) -> Sheet:
    _, hands, exact = _solved(4).rows()
    figure, panels = blank(panels=len(tolerances), size=(7.0, 5.0) if len(tolerances) == 1 else (5.0, 4.5))
    rows: list[tuple[Any, ...]] = []
    for axes, tolerance in zip(panels, tolerances, strict=True):
        run = _run(4, tolerance)
        order = np.lexsort((np.arange(len(hands)), run.cohort_of))
        places = np.cumsum(hands[order])
        spread = _evenly(places, MOST_POINTS // len(tolerances))
        keep, at = order[spread], places[spread]
        axes.plot(at, run.expected[keep], ".", color=ORANGE, ms=3, label=f"tolerance {tolerance:g}, {len(run.cohorts):,} cohorts")
        axes.plot(at, exact[keep], ".", color=BLUE, ms=2, label="exact, same hands")
        _label(axes, title if len(tolerances) == 1 else "")
        _frame(axes, exact)
        axes.set_xlabel("hands in the order of locking")
        columns = zip(at, run.cohort_of[keep], run.expected[keep], exact[keep], strict=True)
        rows += [(tolerance, int(place), int(cohort), float(value), float(true)) for place, cohort, value, true in columns]
    if len(tolerances) > 1:
        figure.suptitle(title, fontsize=11)
    return figure, _columns(["tolerance", "hands", "cohort", "approximate", "exact"], rows)


def _evenly(places: NDArray[np.int64], many: int) -> NDArray[np.int64]:
    """Return which points of a cloud to keep: spread evenly over the hands, and the last."""
    return np.unique(np.searchsorted(places, np.linspace(places[0], places[-1], many)))


def _work(cards: int, tolerances: Sequence[float], published: float, title: str) -> Sheet:
    trials = tolerance_study(WaitingGame(cards), tolerances, _solved(cards))
    exponent = fitted_exponent(trials)
    figure, (axes,) = blank()
    work = np.array([trial.evaluated for trial in trials])
    logs = np.log(tolerances)
    middle = np.exp(np.log(work).mean() - exponent * logs.mean())
    at = np.array(sorted(tolerances))
    axes.loglog(tolerances, work, "o", color=BLUE, label="hands evaluated")
    axes.loglog(at, middle * at**exponent, color=BLUE, lw=1.5, label=f"fitted: tolerance$^{{{exponent:.3f}}}$")
    last = np.exp(np.log(work).mean() - published * logs.mean())
    axes.loglog(at, last * at**published, "--", color=RED, lw=1.5, label=f"thesis, of its time: tolerance$^{{{published:.3f}}}$")
    axes.set_xlabel("tolerance (turns)")
    axes.set_ylabel("hands evaluated")
    axes.grid(alpha=0.3)
    axes.legend(loc="upper right")
    axes.set_title(title, fontsize=11)
    rows = [(trial.tolerance, trial.cohorts, trial.evaluated, trial.max_error, trial.mean_error) for trial in trials]
    return figure, _columns(["tolerance", "cohorts", "evaluated", "max_error", "mean_error"], rows)


def _label(axes: "Axes", title: str) -> None:
    axes.set_title(title, fontsize=11)
    axes.set_xlabel("hands, by ascending E")
    axes.set_ylabel("E (turns)")
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right")


def _frame(axes: "Axes", values: NDArray[np.float64]) -> None:
    """Leave the complete hands, with E = 0, below the frame: everything else happens far above them."""
    axes.set_ylim(bottom=0.97 * float(values[values > 0].min()))


def _columns(names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> Data:
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
