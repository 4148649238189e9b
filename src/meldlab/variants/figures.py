"""Two figures of a search: all variants by the aim and what is to be kept, and the aim over each number that varied."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from meldlab.reports.plot import BLUE, ORANGE, RED, Plot, new_figure
from meldlab.statistics import Interval
from meldlab.variants.effects import fitted
from meldlab.variants.search import Attempt, Discovery

__all__ = ["draw_front", "draw_numbers"]

GREY = "#777777"
KINDS = {
    "the winner": (RED, "D"),
    "as it is written": (ORANGE, "s"),
    "on the front": (BLUE, "o"),
    "not on the front": (GREY, "o"),
    "stopped early": (GREY, "x"),
}


def kind_of(found: Discovery, one: Attempt) -> str:
    """Return which of the kinds above a variant is."""
    if one is found.winner:
        return "the winner"
    if one is found.written:
        return "as it is written"
    return "stopped early" if one.stopped else "on the front" if one in found.front else "not on the front"


def draw_front(found: Discovery) -> Plot:
    """Draw the aim over the first measure that is to be kept, or over the length of a game where nothing is."""
    aim = found.wishes.aim.measure
    demand = next((each for each in found.wishes.demands if each.measure != aim), None)
    across = demand.measure if demand else "decisions" if aim != "decisions" else "fairness"
    figure, (axes,) = new_figure(size=(7.5, 5.0))
    columns = _points(axes, found, across, aim)
    if demand is not None:
        axes.axvline(demand.bound, color=GREY, lw=1, ls="--")
        axes.annotate(f" {demand}", (demand.bound, 1.0), xycoords=("data", "axes fraction"), va="bottom", ha="center", fontsize=9)
    axes.set_xlabel(across)
    axes.set_ylabel(aim)
    handles, labels = axes.get_legend_handles_labels()
    if handles:
        axes.legend(handles, labels, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=3, fontsize=9, frameon=False)
    return figure, columns


def _points(axes: Axes, found: Discovery, across: str, aim: str) -> dict[str, list[object]]:
    columns: dict[str, list[object]] = {name: [] for name in ("variant", "kind", "games", across, aim)}
    places = [found_.value for one in found.attempts if not one.problem and (found_ := one.measures[across])]
    middle = (min(places) + max(places)) / 2 if places else 0.0
    for kind, (colour, mark) in KINDS.items():
        some = [one for one in found.attempts if not one.problem and kind_of(found, one) == kind]
        some = [one for one in some if one.measures[across] and one.measures[aim]]
        x, y = ([found_ for one in some if (found_ := one.measures[name])] for name in (across, aim))
        if not some:
            continue
        faint = kind in ("not on the front", "stopped early")
        axes.errorbar(
            [each.value for each in x],
            [each.value for each in y],
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
        for one, a, b in zip(some, x, y, strict=True):
            for name, value in zip(columns, (one.variant.name, kind, one.games, a.value, b.value), strict=True):
                columns[name].append(value)
            if kind in ("the winner", "as it is written"):
                # Towards the middle, where there is room for words.
                side = {"xytext": (-7, 7), "ha": "right"} if a.value > middle else {"xytext": (7, 7), "ha": "left"}
                axes.annotate(one.variant.name, (a.value, b.value), textcoords="offset points", fontsize=9, color=colour, **side)
    return columns


def _bars(intervals: list[Interval]) -> NDArray[np.float64]:
    """Return [2, points] as matplotlib wants it."""
    ends = np.array([[each.value - each.low, each.high - each.value] for each in intervals])
    return np.where(np.isfinite(ends), np.maximum(0, ends), 0).T


def draw_numbers(found: Discovery) -> Plot:
    """Draw the aim over each number that varied, with the straight line through all variants."""
    aim, spans = found.wishes.aim.measure, found.wishes.spans
    figure, panels = new_figure(len(spans), size=(max(3.2, 7.5 / len(spans)), 3.8))
    some = [(one, value) for one in found.attempts if not one.problem and (value := one.measures[aim]) is not None]
    columns: dict[str, list[object]] = {name: [] for name in (*(span.name for span in spans), aim, "low", "high", "games")}
    for one, value in some:
        row = [*(one.variant.settings[span.name] for span in spans), value.value, value.low, value.high, one.games]
        for name, each in zip(columns, row, strict=True):
            columns[name].append(each)
    settings = np.array([[one.variant.settings[span.name] for span in spans] for one, _ in some], np.float64).reshape(-1, len(spans))
    values = np.array([value.value for _, value in some])
    weights = np.array([max(1, one.games) for one, _ in some], np.float64)
    slopes, _ = fitted(settings, values, weights)
    for place, (axes, span) in enumerate(zip(panels, spans, strict=True)):
        for kind in ("stopped early", "not on the front"):
            chosen = [i for i, (one, _) in enumerate(some) if bool(one.stopped) == (kind == "stopped early")]
            if chosen:
                bars = _bars([some[i][1] for i in chosen])
                colour = GREY if kind == "stopped early" else BLUE
                axes.errorbar(settings[chosen, place], values[chosen], bars, fmt=KINDS[kind][1], color=colour, lw=1, ms=5, alpha=0.6)
        slope = slopes[place]
        if slope is not None:
            ends = np.array([span.low, span.high], np.float64)
            middle = np.average(settings[:, place], weights=weights)
            axes.plot(ends, np.average(values, weights=weights) + slope.value * (ends - middle), color=ORANGE, lw=2)
        axes.set_xlabel(span.name)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    if panels:
        panels[0].set_ylabel(aim)
    return figure, columns
