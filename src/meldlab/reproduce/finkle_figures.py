"""The figures of Finkle's thesis from one table of entries, and two more: Theorem 4, and win rate by tolerance.

Each entry draws our data. Where the thesis prints numbers, a second panel shows them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, cycle
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from meldlab.reports.plot import BLUE, GREEN, ORANGE, PINK, RED, Plot, columns, new_figure
from meldlab.reproduce.run import Context
from meldlab.reproduce.tolerance import approximation, fitted_exponent, solution, win_rates

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RULES = {"low": "aces low", "both": "aces high or low", "round": "round the corner"}
RULE_COLOURS = {"low": BLUE, "both": ORANGE, "round": GREEN}
MAX_POINTS = 2000  # of one series: an SVG of it takes about 200 kB
# The thesis measured 17 and 7 tolerances, a dozen for its Theorem 4, and does not list them.
MANY = tuple(float(f"{t:.3g}") for t in np.geomspace(0.001, 1, 17))
FEW = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
DOZEN = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 2.0, 4.0, 6.0, 10.0, 30.0)
KNOWLEDGE = (1000.0, 20.0, 10.0, 5.0, 4.0, 2.0, 1.0, 0.1)
GAMES = {3: 100_000, 4: 50_000}
# Seconds that the text prints for four cards, by tolerance, and its fits: seconds = a t^b.
SECONDS_4 = {1.0: 225.0, 0.001: 27_108.0}
FITS = {3: (7.0, -0.538), 4: (225.0, -0.710)}


def _pairs(text: str) -> tuple[tuple[int, float], ...]:
    return tuple((int(hands), float(value)) for hands, value in (entry.split() for entry in text.replace("\n", "|").strip("|").split("|")))


# Appendix 7.2: the classes of the three-card game with aces round, as (hands, E).
ROUND_CLASSES = _pairs("""
312 12.2500000000|312 14.2916666667|104 15.0340909091|312 15.1825757576|1768 15.2289772727|624 15.4648516414|1560 15.4671717172
312 15.4672327718|312 15.4728992646|52 15.9763986014|312 17.0074215715|312 17.0732305628|312 17.0737070109|520 17.0751942232
312 17.0752304967|104 17.0953850796|156 17.1010958053|312 18.0920515788|624 18.1338076896|312 18.1394661776|624 18.1401919365
624 18.1437838885|312 18.1437859037|624 18.1438418627|312 18.1438635222|624 18.1440412502|312 18.1443161989|312 18.1445854036
312 18.1487838203|312 18.1540668969|624 18.1540684957|312 18.1558105415|156 18.1559882568|312 18.1579439075|312 18.1583001130
624 18.1583682569|624 18.1583950372|312 18.1584902829|312 18.1587980145|312 18.1605346891|312 18.1607829051|624 18.1608152911
312 18.1608372793|312 18.1608457260|52 18.1651663447|156 18.1653875144|312 18.1654198678|312 18.1654807138|156 18.1757181485
312 18.1836742219|312 18.1838851671|312 18.1979628021|312 18.1987828975|52 18.2034678729|104 18.2036285598|312 18.2044667946
156 18.2044988437|52 18.2442485400
""")

# Appendix 7.3: cohorts of the three-card game with aces low, as (hands, least E), by tolerance.
COHORTS = {
    1.0: _pairs(
        "240 12.25|216 14.2916666667|3912 14.875|564 15.75|2116 17.0207896270|4192 17.3911492987|8180 18.2932809113|2488 18.7476800197"
        "|96 19.3163153484"
    ),
    0.5: _pairs(
        "240 12.25|216 14.2916666667|1752 14.875|2184 15.4731867284|420 15.9763986014|120 16.3252494553|1484 17.0145782073"
        "|672 17.2325884407|696 17.6765799652|6972 18.1432355981|6424 18.4305322314|824 18.8536850047"
    ),
}


@dataclass(frozen=True)
class FinkleFigure:
    """A figure: its title, how ours is drawn, and how it is shown next to printed numbers."""

    title: str
    draw: Callable[[str], Plot]
    """Draws our data under a title."""
    claim: str = ""
    compare: Callable[[], Plot] | None = None
    """Draws the printed numbers and ours in two panels."""
    says: str = "The thesis prints the picture, not its numbers; ours alone."
    name: str = ""
    """The title on the page of the reproduction, if it is not the number."""


def _ascending(cards: int, aces: str = "low") -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Return the classes by ascending E, the number of hands up to and including each of them, and their E."""
    _, hands, values = solution(cards, aces).rows()
    order = np.argsort(values, kind="stable")
    return order, np.cumsum(hands[order]), values[order]


def _thinned(hands: NDArray[np.int64], values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the points of a curve to draw: evenly spread along both axes, and both ends."""
    along = np.searchsorted(hands, np.linspace(hands[0], hands[-1], MAX_POINTS // 2))
    ascending = np.maximum.accumulate(values)
    up = np.searchsorted(ascending, np.linspace(ascending[0], ascending[-1], MAX_POINTS // 2))
    return np.unique(np.concatenate((along, up, [0, len(hands) - 1])))


def _rule_sets(cards: int, rules: Sequence[str], title: str) -> Plot:
    """Draw E against the number of hands."""
    figure, (axes,) = new_figure()
    rows: list[tuple[Any, ...]] = []
    for aces in rules:
        _, hands, values = _ascending(cards, aces)
        points = _thinned(hands, values)
        text = f"{RULES[aces]}: mean {solution(cards, aces).summary().mean:.4f}, largest {values[-1]:.4f}"
        # Each class is a horizontal stretch that ends at its point, so the step comes before the point.
        axes.step([0, *hands[points]], [0.0, *values[points]], color=RULE_COLOURS[aces], lw=1.8, label=text)
        rows += [(aces, int(count), float(value)) for count, value in zip(hands[points], values[points], strict=True)]
    _frame(axes, title)
    _hide_goals(axes, values)
    return figure, columns(["aces", "hands", "expected"], rows)


def _tolerance_and_exact(title: str) -> Plot:
    """Draw three cards with tolerance 1 and the exact values, hands in the order of these."""
    order, hands, exact = _ascending(3)
    approximated = approximation(3, 1.0).expected[order]
    figure, (axes,) = new_figure()
    axes.plot(hands, approximated, ".", color=ORANGE, ms=3, label="tolerance 1")
    axes.step([0, *hands], [exact[0], *exact], color="black", lw=1.5, label="exact")
    _frame(axes, title)
    _hide_goals(axes, exact)
    return figure, {"hands": hands.tolist(), "exact": exact.tolist(), "approximate": approximated.tolist()}


def _errors(tolerances: Sequence[float], title: str) -> Plot:
    """Draw the errors of three cards."""
    order, hands, exact = _ascending(3)
    figure, (axes,) = new_figure()
    rows: list[tuple[Any, ...]] = []
    for tolerance, colour in zip(tolerances, cycle([BLUE, ORANGE, GREEN, PINK]), strict=False):
        run = approximation(3, tolerance)
        errors = run.expected[order] - exact
        text = f"tolerance {tolerance:g}: largest {run.max_error:.4f}, mean {run.mean_error:.4f}"
        axes.plot(hands, errors, ".", color=colour, ms=4, label=text)
        rows += [(tolerance, int(count), float(value), float(error)) for count, value, error in zip(hands, exact, errors, strict=True)]
    _frame(axes, title, up="estimate less E (turns)", legend="upper left")
    axes.set_ylim(top=1.35 * axes.get_ylim()[1])  # space for the legend
    return figure, columns(["tolerance", "hands", "exact", "error"], rows)


def _locking(tolerances: Sequence[float], title: str) -> Plot:
    """Draw four cards in the order of locking."""
    _, hands, exact = solution(4).rows()
    figure, panels = new_figure(panels=len(tolerances), size=(7.0, 5.0) if len(tolerances) == 1 else (5.0, 4.5))
    rows: list[tuple[Any, ...]] = []
    for axes, tolerance in zip(panels, tolerances, strict=True):
        run = approximation(4, tolerance)
        order = np.lexsort((np.arange(len(hands)), run.cohort_of))
        counts = np.cumsum(hands[order])
        # Spread evenly over the hands, and the last.
        points = np.unique(np.searchsorted(counts, np.linspace(counts[0], counts[-1], MAX_POINTS // len(tolerances))))
        shown, x = order[points], counts[points]
        axes.plot(x, run.expected[shown], ".", color=ORANGE, ms=3, label=f"tolerance {tolerance:g}, {len(run.cohorts):,} cohorts")
        axes.plot(x, exact[shown], ".", color=BLUE, ms=2, label="exact, same hands")
        _frame(axes, title if len(tolerances) == 1 else "", "hands in the order of locking")
        _hide_goals(axes, exact)
        data = zip(x, run.cohort_of[shown], run.expected[shown], exact[shown], strict=True)
        rows += [(tolerance, int(count), int(cohort), float(value), float(true)) for count, cohort, value, true in data]
    if len(tolerances) > 1:
        figure.suptitle(title, fontsize=11)
    return figure, columns(["tolerance", "hands", "cohort", "approximate", "exact"], rows)


def _power_line(work: Mapping[float, float], power: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the points of the power of the tolerance that fits some work best."""
    x, logs = np.array(sorted(work)), np.log(list(work))
    return x, np.exp(np.log(list(work.values())).mean() - power * logs.mean()) * x**power


def _work(cards: int, tolerances: Sequence[float], title: str) -> Plot:
    """Draw the hands evaluated against the tolerance, with the fitted power of the tolerance and that of the thesis."""
    runs, published = [approximation(cards, tolerance) for tolerance in tolerances], FITS[cards][1]
    figure, (axes,) = new_figure()
    work = {run.tolerance: run.evaluated for run in runs}
    axes.loglog(list(work), list(work.values()), "o", color=BLUE, label="hands evaluated")
    for power, style, colour, text in ((fitted_exponent(work), "-", BLUE, "fitted"), (published, "--", RED, "thesis, of its time")):
        axes.loglog(*_power_line(work, power), style, color=colour, lw=1.5, label=f"{text}: tolerance$^{{{power:.3f}}}$")
    _frame(axes, title, "tolerance (turns)", "hands evaluated", "upper right")
    rows = [(run.tolerance, len(run.cohorts), run.evaluated, run.max_error, run.mean_error) for run in runs]
    return figure, columns(["tolerance", "cohorts", "evaluated", "max_error", "mean_error"], rows)


def _theorem_4(title: str) -> Plot:
    """Draw the largest and the mean error against the tolerance, with the bound that Theorem 4 claims."""
    figure, panels = new_figure(panels=2, size=(6.0, 4.5))
    rows: list[tuple[Any, ...]] = []
    for axes, cards in zip(panels, (3, 4), strict=True):
        runs = [approximation(cards, tolerance) for tolerance in DOZEN]
        axes.loglog(DOZEN, DOZEN, "--", color="black", lw=1.2, label="Theorem 4: the tolerance itself")
        axes.loglog(DOZEN, [run.max_error for run in runs], "o-", color=BLUE, label="largest error")
        axes.loglog(DOZEN, [run.mean_error for run in runs], "s-", color=ORANGE, label="mean error")
        over = [(run.tolerance, run.max_error) for run in runs if run.max_error > run.tolerance]
        if over:
            axes.plot(*zip(*over, strict=True), "o", color=RED, ms=11, mfc="none", mew=1.8, label="beyond the bound")
        _frame(axes, f"{cards} cards, aces low", "tolerance (turns)", "error (turns)", "upper left")
        rows += [(cards, run.tolerance, len(run.cohorts), run.max_error, run.mean_error) for run in runs]
    return figure, columns(["cards", "tolerance", "cohorts", "max_error", "mean_error"], rows)


def _knowledge(title: str, seed: int = 0) -> Plot:
    """Draw the win rate of players with approximate tables, and of one without any, against the best policy."""
    figure, (left, right) = new_figure(panels=2, size=(6.0, 4.8))
    rows: list[tuple[Any, ...]] = []
    ticks = ["random", *(f"{tolerance:g}" for tolerance in KNOWLEDGE)]
    for cards, colour, shape in ((3, BLUE, "o"), (4, ORANGE, "s")):
        rates = list(win_rates(solution(cards), KNOWLEDGE, GAMES[cards], seed))
        for axes, first in ((left, 0), (right, 1)):
            values, halves = [rate.value for _, rate in rates[first:]], [rate.high - rate.value for _, rate in rates[first:]]
            axes.errorbar(range(first, len(rates)), values, halves, fmt=f"{shape}-", color=colour, capsize=3, label=f"{cards} cards")
        for tolerance, rate in rates:
            run = tolerance and approximation(cards, tolerance)
            errors = (len(run.cohorts), run.mean_error) if run else (0, None)
            rows.append((cards, tolerance, *errors, GAMES[cards], rate.value, rate.low, rate.high))
    for axes, first, text in ((left, 0, "all players, with 95 % intervals"), (right, 1, "tables only")):
        axes.axhline(0.5, color="black", lw=1, ls="--")
        axes.set_xticks(range(first, len(ticks)), ticks[first:], rotation=45)
        _frame(axes, text, "tolerance of the player's table (knowledge grows to the right)", "games won against the best policy")
    left.set_ylim(0, 0.55)
    figure.suptitle(title, fontsize=11)
    return figure, columns(["cards", "tolerance", "cohorts", "mean_error", "games", "rate", "low", "high"], rows)


def _compare_classes() -> Plot:
    """Draw the classes round the corner as printed and as computed."""
    order, counts, values = _ascending(3, "round")
    hands, complete = solution(3, "round").rows()[1][order], int(counts[values == 0][-1])
    ours = [(int(count), float(value)) for count, value in zip(hands, values, strict=True) if value > 0]
    figure, panels = new_figure(panels=2, size=(5.4, 4.4))
    rows: list[tuple[str, int, float]] = []
    series = (("theirs: 58 classes", ROUND_CLASSES, ORANGE), ("ours: 59 classes", ours, BLUE))
    for axes, (title, classes, colour) in zip(panels, series, strict=True):
        ends = list(accumulate((count for count, _ in classes), initial=complete))
        axes.step(ends, [classes[0][1], *(value for _, value in classes)], color=colour, lw=1.8)
        _frame(axes, f"round the corner, {title}", legend="")
        axes.set_xlim(0, 22_100)
        rows += [(title.split(":")[0], count, value) for count, (_, value) in zip(ends[1:], classes, strict=True)]
    return figure, columns(("whose", "hands", "expected"), rows)


def _compare_cohorts() -> Plot:
    """Draw the printed cohorts of tolerance 1, and all hands with the exact values."""
    order, counts, values = _ascending(3)
    estimates, open_ = approximation(3, 1.0).expected[order], values > 0
    figure, (left, right) = new_figure(panels=2, size=(5.4, 4.4))
    printed = COHORTS[1.0]
    steps = list(accumulate((count for count, _ in printed), initial=int(counts[~open_][-1])))
    left.step(steps, [printed[0][1], *(value for _, value in printed)], color=ORANGE, lw=1.8, label="theirs: least E of each cohort")
    right.plot(counts[open_], estimates[open_], ".", color=ORANGE, ms=3, label="ours: tolerance 1")
    for axes in (left, right):
        axes.plot(counts[open_], values[open_], color="black", lw=1.2, label="exact")
        _frame(axes, "")
    rows = [("theirs", count, value) for count, (_, value) in zip(steps[1:], printed, strict=True)]
    rows += [("ours", int(count), float(value)) for count, value in zip(counts[open_], estimates[open_], strict=True)]
    return figure, columns(("whose", "hands", "expected"), rows)


def _compare_work(cards: int, tolerances: Sequence[float]) -> Plot:
    """Draw the printed fit of seconds, and our hands evaluated."""
    constant, power = FITS[cards]
    work = {tolerance: approximation(cards, tolerance).evaluated for tolerance in tolerances}
    x, slope = np.array(sorted(work)), fitted_exponent(work)
    figure, (left, right) = new_figure(panels=2, size=(5.4, 4.4))
    left.loglog(x, constant * x**power, color=ORANGE, lw=1.8, label=f"theirs: {constant:g} t$^{{{power}}}$ seconds")
    if cards == 4:
        left.loglog(list(SECONDS_4), list(SECONDS_4.values()), "s", color=RED, label="times that the text prints")
    right.loglog(tolerances, list(work.values()), "o", color=BLUE, label="ours: hands evaluated")
    right.loglog(*_power_line(work, slope), color=BLUE, lw=1.4, label=f"fit: t$^{{{slope:.3f}}}$")
    for axes, text in ((left, "seconds"), (right, "hands evaluated")):
        _frame(axes, f"{cards} cards, aces low", "tolerance t (turns)", text, "upper right")
    rows = [(tolerance, constant * tolerance**power, evaluated) for tolerance, evaluated in work.items()]
    return figure, columns(("tolerance", "their_fit_seconds", "our_hands_evaluated"), rows)


def _frame(axes: "Axes", title: str, across: str = "hands, by ascending E", up: str = "E (turns)", legend: Any = "lower right") -> None:
    axes.set_title(title, fontsize=11)
    axes.set(xlabel=across, ylabel=up)
    axes.grid(alpha=0.3)
    if legend:
        axes.legend(loc=legend)


def _hide_goals(axes: "Axes", values: NDArray[np.float64]) -> None:
    """Leave the complete hands, with E = 0, below the frame: all other values are far above them."""
    axes.set_ylim(bottom=0.97 * float(values[values > 0].min()))


_LEFT_FIT = "Left: the printed fit of seconds"
FIGURES: dict[str, FinkleFigure] = {
    "1": FinkleFigure("Figure 1: E for three cards, aces low", partial(_rule_sets, 3, ["low"]), "figure-1"),
    "2": FinkleFigure(
        "Figure 2: E for three cards under the three ace rules",
        partial(_rule_sets, 3, list(RULES)),
        compare=_compare_classes,
        says="Left: the 58 printed classes round the corner (appendix 7.2), with the missing 312 hands as a gap. Right: ours.",
    ),
    "3": FinkleFigure("Figure 3: E for four cards, round the corner", partial(_rule_sets, 4, ["round"]), "classes-4-round"),
    "4": FinkleFigure(
        "Figure 4: three cards, aces low, tolerance 1 and exact",
        _tolerance_and_exact,
        compare=_compare_cohorts,
        says="Left: the cohorts printed in appendix 7.3, each at its least E, below the hands of the cohort. Right: all hands, ours.",
    ),
    "5": FinkleFigure("Figure 5: errors with tolerance 0.5, three cards, aces low", partial(_errors, [0.5]), "figure-6"),
    "6": FinkleFigure(
        "Figure 6: errors with several tolerances, three cards, aces low", partial(_errors, [1.0, 0.5, 0.2, 0.1]), "figure-6"
    ),
    "7": FinkleFigure(
        "Figure 7: work and tolerance, three cards, aces low",
        partial(_work, 3, MANY),
        compare=partial(_compare_work, 3, MANY),
        says=f"{_LEFT_FIT}. Right: hands evaluated, and our fit.",
    ),
    "8": FinkleFigure("Figure 8: four cards, aces low, tolerance 1", partial(_locking, [1.0]), "cohorts-4"),
    "9": FinkleFigure("Figure 9: four cards, aces low, several tolerances", partial(_locking, [0.5, 0.1, 0.01]), "figure-9"),
    "10": FinkleFigure("Figure 10: four cards, aces low, tolerance 0.001", partial(_locking, [0.001]), "bound-4"),
    "11": FinkleFigure(
        "Figure 11: work and tolerance, four cards, aces low",
        partial(_work, 4, FEW),
        compare=partial(_compare_work, 4, FEW),
        says=f"{_LEFT_FIT} and the two times that the text gives. Right: hands evaluated, and our fit.",
    ),
    "12": FinkleFigure("Figure 12: E for four cards under the three ace rules", partial(_rule_sets, 4, list(RULES)), "worst-4-both"),
    "theorem-4": FinkleFigure(
        "",
        _theorem_4,
        "theorem-4",
        says="Not in the thesis: its tolerances end at 1.",
        name="Theorem 4: errors beyond the bound",
    ),
    "knowledge": FinkleFigure("What knowledge is worth: a race with one real deck, aces low", _knowledge),
}


def draw_figure(name: str, seed: int = 0) -> Plot:
    """Draw a figure from our data; ``seed`` is that of the games of ``knowledge``."""
    figure = FIGURES[name]
    return _knowledge(figure.title, seed) if name == "knowledge" else figure.draw(figure.title)


def draw_all(context: Context) -> None:
    """Draw the twelve figures of the thesis, those with printed numbers in two panels, and the one about Theorem 4."""
    for name, figure in FIGURES.items():
        if name.isdigit() or figure.name:
            stem = f"finkle-figure-{name}" if name.isdigit() else f"finkle-{name}"
            plot = figure.compare() if figure.compare else draw_figure(name)
            context.draw(stem, figure.name or f"Figure {name}", plot, figure.says, figure.claim)
