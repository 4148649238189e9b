"""The twelve figures of Finkle's thesis: ours, and beside them what can be drawn of the numbers that it prints."""

from collections.abc import Callable, Sequence
from itertools import accumulate

import numpy as np

from meldlab.reports.plot import BLUE, ORANGE, RED, Sheet, blank
from meldlab.reproduce.bench import Reproducer
from meldlab.reproduce.cohorts import approximate
from meldlab.reproduce.printed import COHORTS, ROUND_CLASSES
from meldlab.reproduce.tolerance import tolerance_study
from meldlab.reproduce.waiting_figures import FEW, FIGURES, MANY
from meldlab.waiting import WaitingGame, solve

__all__ = ["draw_all"]

# Seconds that the text prints for four cards, by tolerance; its fits are 7 t^-0.538 and 225 t^-0.710.
SECONDS_4 = {1.0: 225.0, 0.001: 27_108.0}
FITS = {3: (7.0, -0.538), 4: (225.0, -0.710)}
PICTURE_ONLY = "The thesis prints the picture, not its numbers; ours alone."
CLAIMS = {
    "1": "figure-1",
    "3": "classes-4-round",
    "5": "figure-6",
    "6": "figure-6",
    "8": "cohorts-4",
    "9": "figure-9",
    "10": "bound-4",
    "12": "worst-4-both",
}


def draw_all(bench: Reproducer) -> None:
    """Draw the twelve figures, those with printed numbers in two panels, and the one about Theorem 4."""
    theirs: dict[str, Callable[[], Sheet]] = {"2": _figure_2, "4": _figure_4, "7": lambda: _work(3, MANY), "11": lambda: _work(4, FEW)}
    says = {
        "2": "Left: the 58 printed classes round the corner (appendix 7.2), with the missing 312 hands as a gap. Right: ours.",
        "4": "Left: the cohorts printed in appendix 7.3, each at its least E, so below the cloud it stands for. Right: all hands, ours.",
        "7": "Left: the printed fit of seconds. Right: hands evaluated, and our fit.",
        "11": "Left: the printed fit of seconds and the two times that the text gives. Right: hands evaluated, and our fit.",
    }
    for number, draw in FIGURES.items():
        if number.isdigit():
            sheet = theirs.get(number, draw)()
            claim = CLAIMS.get(number, "")
            bench.draw(f"finkle-figure-{number}", f"Figure {number}", sheet, says.get(number, PICTURE_ONLY), claim)
    bench.draw(
        "finkle-theorem-4",
        "Theorem 4: errors beyond the bound",
        FIGURES["theorem-4"](),
        "Not in the thesis: its tolerances end at 1.",
        "theorem-4",
    )


def _figure_2() -> Sheet:
    """Draw the classes round the corner as printed and as they come out."""
    _, hands, values = solve(WaitingGame(3, "round"), device="cpu").rows()
    order = np.argsort(values, kind="stable")
    complete = int(hands[values == 0].sum())
    ours = [(int(many), float(value)) for many, value in zip(hands[order], values[order], strict=True) if value > 0]
    figure, panels = blank(panels=2, size=(5.4, 4.4))
    rows: list[tuple[str, int, float]] = []
    for axes, some, title, colour in zip(
        panels, (ROUND_CLASSES, ours), ("theirs: 58 classes", "ours: 59 classes"), (ORANGE, BLUE), strict=True
    ):
        places = list(accumulate((many for many, _ in some), initial=complete))
        axes.step(places, [some[0][1], *(value for _, value in some)], color=colour, lw=1.8)
        axes.set_title(f"round the corner, {title}", fontsize=11)
        axes.set_xlabel("hands, by ascending E")
        axes.set_ylabel("E (turns)")
        axes.set_xlim(0, 22_100)
        axes.grid(alpha=0.3)
        rows += [(title.split(":")[0], place, value) for place, (_, value) in zip(places[1:], some, strict=True)]
    return figure, _columns(("whose", "hands", "expected"), rows)


def _figure_4() -> Sheet:
    """Draw the printed cohorts of tolerance 1, and all hands beside the exact values."""
    exact = solve(WaitingGame(3), device="cpu")
    run = approximate(WaitingGame(3), 1.0, exact)
    _, hands, values = exact.rows()
    order = np.argsort(values, kind="stable")
    places, open_ = np.cumsum(hands[order]), values[order] > 0
    figure, (left, right) = blank(panels=2, size=(5.4, 4.4))
    steps = list(accumulate((many for many, _ in COHORTS[1.0]), initial=int(hands[values == 0].sum())))
    left.step(
        steps, [COHORTS[1.0][0][1], *(value for _, value in COHORTS[1.0])], color=ORANGE, lw=1.8, label="theirs: least E of each cohort"
    )
    right.plot(places[open_], run.expected[order][open_], ".", color=ORANGE, ms=3, label="ours: tolerance 1")
    for axes in (left, right):
        axes.plot(places[open_], values[order][open_], color="black", lw=1.2, label="exact")
        axes.set_xlabel("hands, by ascending E")
        axes.set_ylabel("E (turns)")
        axes.grid(alpha=0.3)
        axes.legend(loc="lower right")
    rows = [("theirs", place, value) for place, (_, value) in zip(steps[1:], COHORTS[1.0], strict=True)]
    rows += [("ours", int(place), float(value)) for place, value in zip(places[open_], run.expected[order][open_], strict=True)]
    return figure, _columns(("whose", "hands", "expected"), rows)


def _work(cards: int, tolerances: Sequence[float]) -> Sheet:
    """Draw the printed fit of seconds, and the hands that are evaluated here."""
    constant, power = FITS[cards]
    at = np.array(sorted(tolerances))
    trials = tolerance_study(WaitingGame(cards), tolerances)
    slope, level = np.polyfit(np.log(tolerances), np.log([trial.evaluated for trial in trials]), 1)
    figure, (left, right) = blank(panels=2, size=(5.4, 4.4))
    left.loglog(at, constant * at**power, color=ORANGE, lw=1.8, label=f"theirs: {constant:g} t$^{{{power}}}$ seconds")
    if cards == 4:
        left.loglog(list(SECONDS_4), list(SECONDS_4.values()), "s", color=RED, label="times that the text prints")
    right.loglog(tolerances, [trial.evaluated for trial in trials], "o", color=BLUE, label="ours: hands evaluated")
    right.loglog(at, np.exp(level) * at**slope, color=BLUE, lw=1.4, label=f"fit: t$^{{{slope:.3f}}}$")
    for axes, words in ((left, "seconds"), (right, "hands evaluated")):
        axes.set_xlabel("tolerance t (turns)")
        axes.set_ylabel(words)
        axes.set_title(f"{cards} cards, aces low", fontsize=11)
        axes.grid(alpha=0.3)
        axes.legend(loc="upper right")
    rows = [(tolerance, constant * tolerance**power, trial.evaluated) for tolerance, trial in zip(tolerances, trials, strict=True)]
    return figure, _columns(("tolerance", "their_fit_seconds", "our_hands_evaluated"), rows)


def _columns(names: Sequence[str], rows: Sequence[tuple[object, ...]]) -> dict[str, list[object]]:
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
