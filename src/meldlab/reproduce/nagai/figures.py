"""Figures of the three experiments from their results: the paper's Figures 1 and 2, and the rates of winners when chosen and later."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.image import AxesImage
from numpy.typing import NDArray

from meldlab.reports.plot import BLUE, ORANGE, RED, Plot, columns, new_figure, save
from meldlab.reproduce.nagai.knocking import FIGURE_2

Result = Mapping[str, Any]


def draw_tracking(result: Result) -> Plot:
    """Draw Figure 1: the fitness of the best trackers and the baseline by the number of turns, with 95 % bands."""
    figure, (axes,) = new_figure()
    rows: list[tuple[Any, ...]] = []
    styles = {"every draw": (BLUE, "adjacency updates"), "paper": (ORANGE, "the paper's values"), "baseline": (RED, "baseline only")}
    for curve in result["curves"]:
        low, high = np.array(curve["ci95"]).T
        points = zip(curve["turns"], curve["fitness"], low.tolist(), high.tolist(), strict=True)
        rows += [(curve["name"], curve["ad"], *point) for point in points]
        kind, _, own = curve["name"].partition(", ad = ")
        if kind in styles and own in ("", str(curve["ad"])):
            colour, label = styles[kind]
            line = "--" if curve["ad"] else "-"
            axes.plot(curve["turns"], curve["fitness"], line, color=colour, label=f"{label}, ad = {curve['ad']}")
            axes.fill_between(curve["turns"], low, high, color=colour, alpha=0.2, linewidth=0)
    axes.set(xlabel="own draws", ylabel="share of the opponent's hidden cards guessed", title="State tracking (Figure 1)")
    axes.legend()
    return figure, columns(("tracker", "ad", "turn", "fitness", "low", "high"), rows)


def _draw_rates(axes: Axes, rates: NDArray[np.float64], *, fontsize: int = 8, limits: tuple[float, float] | None = None) -> AxesImage:
    """Draw win rates by the early and late threshold, [10, 10], as a heat map with its numbers; ``limits``: of the scale."""
    low, high = limits or (None, None)
    image = axes.imshow(rates, cmap="viridis", vmin=low, vmax=high)
    for (row, column), value in np.ndenumerate(rates):
        if not np.isnan(value):
            axes.text(column, row, f"{value:.2f}", ha="center", va="center", fontsize=fontsize, color="white" if value < 0.47 else "black")
    axes.set_xticks(range(10), [str(late) for late in range(10)])
    axes.set_yticks(range(10), [str(early) for early in range(1, 11)])
    axes.set(xlabel="most deadwood late", ylabel="most deadwood early")
    return image


def _rates(result: Result, turn: int) -> NDArray[np.float64]:
    rates = np.full((10, 10), np.nan)
    for score in result["two_stages"]:
        early, late, when = score["knock"]
        if when == turn:
            rates[early - 1, late] = score["win_rate"]
    return rates


def draw_knocking(result: Result, turn: int = 6) -> Plot:
    """Draw Figure 2: win rates of two-stage players against one that waits for gin, as a heat map."""
    figure, (axes,) = new_figure(size=(7.5, 6.0))
    image = _draw_rates(axes, _rates(result, turn))
    axes.set_title(f"Games won against gin-only, late from draw {turn} on (Figure 2)")
    figure.colorbar(image, ax=axes, shrink=0.8)
    rows = [(*score["knock"], score["games"], score["win_rate"], *score["ci95"]) for score in result["two_stages"]]
    return figure, columns(("early", "late", "turn", "games", "win_rate", "low", "high"), rows)


def compare_knocking(result: Result) -> Plot:
    """Draw the printed Figure 2 and ours with one scale."""
    theirs, ours = np.full((10, 10), np.nan), _rates(result, 6)
    for row, printed in enumerate(FIGURE_2):
        theirs[row, : len(printed)] = printed
    figure, panels = new_figure(panels=2, size=(5.6, 5.0))
    titles = ("theirs: 2,000 games a cell", f"ours: {result['two_stages'][0]['games']:,} games a cell")
    for axes, rates, title in zip(panels, (theirs, ours), titles, strict=True):
        image = _draw_rates(axes, rates, fontsize=7, limits=(0.3, 0.6))
        axes.set_title(title, fontsize=11)
    figure.colorbar(image, ax=panels, shrink=0.7, label="games won")
    cells = [(row, late) for row in range(10) for late in range(row + 1)]
    rows = [(row + 1, late, float(theirs[row, late]), float(ours[row, late])) for row, late in cells]
    return figure, columns(("early", "late", "theirs", "ours"), rows)


def draw_inflation(result: Result) -> Plot:
    """Draw, for each search, the winner's rate when it was chosen and on fresh deals, with 95 % intervals."""
    searches: Sequence[Result] = result["searches"]
    figure, (axes,) = new_figure(size=(8.0, 5.0))
    x = np.arange(len(searches))
    for shift, key, colour, label in ((-0.12, "after", ORANGE, "when chosen"), (0.12, "fresh_after", BLUE, "on fresh deals")):
        rates = np.array([search[key]["win_rate"] for search in searches])
        ends = np.array([search[key]["ci95"] for search in searches])
        axes.errorbar(x + shift, rates, [rates - ends[:, 0], ends[:, 1] - rates], fmt="o", color=colour, label=label, capsize=3)
    axes.axhline(0.739, color=RED, linewidth=1, linestyle=":", label="the paper's 0.739")
    axes.set_xticks(x, [f"{search['search']}\n{search['iteration']}" for search in searches], fontsize=8)
    axes.set(ylabel="games won against the simple player", title="The best of each grid, when chosen and measured again")
    axes.legend()
    rows = [
        (search["iteration"], search["search"], *(number for key in ("after", "fresh_after") for number in _rate(search[key])))
        for search in searches
    ]
    return figure, columns(("iteration", "search", "chosen", "chosen_low", "chosen_high", "fresh", "fresh_low", "fresh_high"), rows)


def _rate(score: Result) -> tuple[float, float, float]:
    return score["win_rate"], score["ci95"][0], score["ci95"][1]


FIGURES = {"track": ("tracking", draw_tracking), "knock": ("knocking", draw_knocking), "ensemble": ("inflation", draw_inflation)}


def save_figure(result: Result, folder: Path) -> list[Path]:
    """Write the figure of an experiment as SVG and PNG with its data; return the paths."""
    name, draw = FIGURES[result["experiment"]]
    figure, data = draw(result)
    paths = [path for kind in ("svg", "png") for path in save(figure, data, folder / f"{name}.{kind}")]
    return list(dict.fromkeys(paths))
