"""Figures of the tuning lab, each from the answer of an experiment: the paper's Figures 1 and 2 again, and what a choice inflates."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from numpy.typing import NDArray

from meldlab.reports.plot import BLUE, ORANGE, RED, Data, blank, save

__all__ = ["draw", "draw_knocks", "inflation_figure", "knocking_figure", "tracking_figure"]

Answer = Mapping[str, Any]


def tracking_figure(answer: Answer) -> tuple[Figure, Data]:
    """Return Figure 1: how well the best trackers and the baseline guess, by the number of turns, with 95 % bands."""
    figure, (axes,) = blank()
    columns: dict[str, list[Any]] = {name: [] for name in ("tracker", "ad", "turn", "fitness", "low", "high")}
    styles = {"every draw": (BLUE, "adjacency updates"), "paper": (ORANGE, "the paper's values"), "baseline": (RED, "baseline only")}
    for one in answer["curves"]:
        low, high = np.array(one["ci95"]).T
        for row in zip(one["turns"], one["fitness"], low.tolist(), high.tolist(), strict=True):
            for name, value in zip(columns, (one["name"], one["ad"], *row), strict=True):
                columns[name].append(value)
        kind, _, own = one["name"].partition(", ad = ")
        if kind not in styles or own not in ("", str(one["ad"])):
            continue
        colour, label = styles[kind]
        axes.plot(one["turns"], one["fitness"], "--" if one["ad"] else "-", color=colour, label=f"{label}, ad = {one['ad']}")
        axes.fill_between(one["turns"], low, high, color=colour, alpha=0.2, linewidth=0)
    axes.set_xlabel("own draws")
    axes.set_ylabel("share of the opponent's hidden cards guessed")
    axes.set_title("State tracking (Figure 1)")
    axes.legend()
    return figure, columns


def draw_knocks(axes: Axes, rates: NDArray[np.float64], *, letters: int = 8, ends: tuple[float, float] | None = None) -> AxesImage:
    """Draw win rates by what is knocked with early and late, [10, 10], as a heat map with the numbers in it; ``ends``: of the scale."""
    low, high = ends or (None, None)
    picture = axes.imshow(rates, cmap="viridis", vmin=low, vmax=high)
    for (row, column), value in np.ndenumerate(rates):
        if not np.isnan(value):
            axes.text(column, row, f"{value:.2f}", ha="center", va="center", fontsize=letters, color="white" if value < 0.47 else "black")
    axes.set_xticks(range(10), [str(late) for late in range(10)])
    axes.set_yticks(range(10), [str(early) for early in range(1, 11)])
    axes.set_xlabel("most deadwood late")
    axes.set_ylabel("most deadwood early")
    return picture


def knocking_figure(answer: Answer, turn: int = 6) -> tuple[Figure, Data]:
    """Return Figure 2: win rates of two-stage players against one that waits for gin, as a heat map."""
    rates = np.full((10, 10), np.nan)
    columns: dict[str, list[Any]] = {name: [] for name in ("early", "late", "turn", "games", "win_rate", "low", "high")}
    for one in answer["two_stages"]:
        early, late, when = one["knock"]
        for name, value in zip(columns, (early, late, when, one["games"], one["win_rate"], *one["ci95"]), strict=True):
            columns[name].append(value)
        if when == turn:
            rates[early - 1, late] = one["win_rate"]
    figure, (axes,) = blank(size=(7.5, 6.0))
    picture = draw_knocks(axes, rates)
    axes.set_title(f"Games won against gin-only, late from draw {turn} on (Figure 2)")
    figure.colorbar(picture, ax=axes, shrink=0.8)
    return figure, columns


def inflation_figure(answer: Answer) -> tuple[Figure, Data]:
    """Return, for each search, the winner's rate when it was chosen and on fresh deals, with 95 % intervals."""
    searches: Sequence[Answer] = answer["searches"]
    columns: dict[str, list[Any]] = {
        name: [] for name in ("iteration", "search", "chosen", "chosen_low", "chosen_high", "fresh", "fresh_low", "fresh_high")
    }
    figure, (axes,) = blank(size=(8.0, 5.0))
    places = np.arange(len(searches))
    for shift, key, colour, label in ((-0.12, "after", ORANGE, "when chosen"), (0.12, "fresh_after", BLUE, "on fresh deals")):
        rates = np.array([one[key]["win_rate"] for one in searches])
        ends = np.array([one[key]["ci95"] for one in searches])
        axes.errorbar(places + shift, rates, [rates - ends[:, 0], ends[:, 1] - rates], fmt="o", color=colour, label=label, capsize=3)
    for one in searches:
        row = [one["iteration"], one["search"], one["after"]["win_rate"], *one["after"]["ci95"]]
        row += [one["fresh_after"]["win_rate"], *one["fresh_after"]["ci95"]]
        for name, value in zip(columns, row, strict=True):
            columns[name].append(value)
    axes.axhline(0.739, color=RED, linewidth=1, linestyle=":", label="the paper's 0.739")
    axes.set_xticks(places, [f"{one['search']}\n{one['iteration']}" for one in searches], fontsize=8)
    axes.set_ylabel("games won against the simple player")
    axes.set_title("The best of each grid, when chosen and measured again")
    axes.legend()
    return figure, columns


FIGURES = {"track": ("tracking", tracking_figure), "knock": ("knocking", knocking_figure), "ensemble": ("inflation", inflation_figure)}


def draw(answer: Answer, folder: Path) -> list[Path]:
    """Write the figure of an experiment as SVG and PNG with its data beside it; return the paths."""
    name, figure_of = FIGURES[answer["experiment"]]
    figure, data = figure_of(answer)
    written = [path for kind in ("svg", "png") for path in save(figure, data, folder / f"{name}.{kind}")]
    return list(dict.fromkeys(written))
