"""Figures of a search: all variants by objective and constrained measure, and the objective over each number."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from meldlab.reports.plot import BLUE, ORANGE, RED, Plot, columns, new_figure
from meldlab.statistics import Interval
from meldlab.variants.effects import MeasuredTrials, fit_lines
from meldlab.variants.search import SearchResult, Trial

GREY = "#777777"
KINDS = {
    "the winner": (RED, "D"),
    "as it is written": (ORANGE, "s"),
    "on the front": (BLUE, "o"),
    "not on the front": (GREY, "o"),
    "stopped early": (GREY, "x"),
}


def trial_kind(result: SearchResult, trial: Trial) -> str:
    """Return the kind of a trial, as in ``KINDS``."""
    if trial is result.winner:
        return "the winner"
    if trial is result.baseline:
        return "as it is written"
    return "stopped early" if trial.stopped else "on the front" if trial in result.pareto_front else "not on the front"


def draw_front(result: SearchResult) -> Plot:
    """Draw the objective over the first constrained measure, or over the length of a game without constraints."""
    objective = result.spec.objective.measure
    constraint = next((constraint for constraint in result.spec.constraints if constraint.measure != objective), None)
    across = constraint.measure if constraint else "decisions" if objective != "decisions" else "fairness"
    figure, (axes,) = new_figure(size=(7.5, 5.0))
    rows = _points(axes, result, across, objective)
    if constraint is not None:
        axes.axvline(constraint.bound, color=GREY, lw=1, ls="--")
        axes.annotate(f" {constraint}", (constraint.bound, 1.0), xycoords=("data", "axes fraction"), va="bottom", ha="center", fontsize=9)
    axes.set_xlabel(across)
    axes.set_ylabel(objective)
    handles, labels = axes.get_legend_handles_labels()
    if handles:
        axes.legend(handles, labels, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=3, fontsize=9, frameon=False)
    return figure, columns(("variant", "kind", "games", across, objective), rows)


def _points(axes: Axes, result: SearchResult, across: str, objective: str) -> list[tuple[object, ...]]:
    """Draw the variants; return their rows of the data."""
    rows: list[tuple[object, ...]] = []
    values = [value.value for trial in result.trials if not trial.problem and (value := trial.measures[across])]
    middle = (min(values) + max(values)) / 2 if values else 0.0
    for kind, (colour, mark) in KINDS.items():
        trials = [trial for trial in result.trials if not trial.problem and trial_kind(result, trial) == kind]
        trials = [trial for trial in trials if trial.measures[across] and trial.measures[objective]]
        x, y = ([value for trial in trials if (value := trial.measures[name])] for name in (across, objective))
        if not trials:
            continue
        faint = kind in ("not on the front", "stopped early")
        axes.errorbar(
            [value.value for value in x],
            [value.value for value in y],
            xerr=None if faint else _bars(x),
            yerr=None if faint else _bars(y),
            fmt=mark,
            color=colour,
            ms=6 if faint else 8,
            lw=1,
            alpha=0.7 if faint else 1.0,
            label=kind,
            zorder=2 if faint else 3,
        )
        for trial, a, b in zip(trials, x, y, strict=True):
            rows.append((trial.variant.settings_text, kind, trial.games, a.value, b.value))
            if kind in ("the winner", "as it is written"):
                # Towards the middle, where the text fits.
                side = {"xytext": (-7, 7), "ha": "right"} if a.value > middle else {"xytext": (7, 7), "ha": "left"}
                axes.annotate(trial.variant.settings_text, (a.value, b.value), textcoords="offset points", fontsize=9, color=colour, **side)
    return rows


def _bars(intervals: list[Interval]) -> NDArray[np.float64]:
    """Return [2, points], the lengths of the bars below and above."""
    ends = np.array([[interval.value - interval.low, interval.high - interval.value] for interval in intervals]).reshape(-1, 2)
    return np.where(np.isfinite(ends), np.maximum(0, ends), 0).T


def draw_numbers(result: SearchResult) -> Plot:
    """Draw the objective over each number, with the straight line through all variants."""
    objective, ranges = result.spec.objective.measure, result.spec.ranges
    figure, panels = new_figure(len(ranges), size=(max(3.2, 7.5 / len(ranges)), 3.8))
    points = MeasuredTrials.from_result(result, objective)
    _, _, settings, values, weights = points
    slopes, _ = fit_lines(settings, values, weights)
    stopped = np.array([bool(trial.stopped) for trial in points.trials], bool)
    bars = _bars(points.estimates)
    for column, (axes, span) in enumerate(zip(panels, ranges, strict=True)):
        for kind, colour, chosen in (("stopped early", GREY, stopped), ("not on the front", BLUE, ~stopped)):
            if chosen.any():
                mark = KINDS[kind][1]
                axes.errorbar(settings[chosen, column], values[chosen], bars[:, chosen], fmt=mark, color=colour, lw=1, ms=5, alpha=0.6)
        slope = slopes[column]
        if slope is not None:
            ends = np.array([span.low, span.high], np.float64)
            middle = np.average(settings[:, column], weights=weights)
            axes.plot(ends, np.average(values, weights=weights) + slope.value * (ends - middle), color=ORANGE, lw=2)
        axes.set_xlabel(span.name)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    panels[0].set_ylabel(objective)
    rows = [
        (*(trial.variant.settings[span.name] for span in ranges), estimate.value, estimate.low, estimate.high, trial.games)
        for trial, estimate in zip(points.trials, points.estimates, strict=True)
    ]
    return figure, columns((*(span.name for span in ranges), objective, "low", "high", "games"), rows)
