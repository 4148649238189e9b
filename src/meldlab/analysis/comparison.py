"""Comparison of games: heuristics in a table, on parallel axes, and as a dendrogram."""

import json
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import rc_context
from numpy.typing import NDArray

from meldlab.analysis.figures import COLOURS
from meldlab.analysis.heuristics import NAMES
from meldlab.analysis.page import PLAYERS
from meldlab.analysis.study import Analysis
from meldlab.reports.page import render, write_report
from meldlab.reports.plot import Plot, columns, new_figure
from meldlab.reports.rows import csv_text
from meldlab.statistics import Interval, difference

Real = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Comparison:
    """Several games analysed with the same configuration; the others are compared with the first."""

    analyses: Sequence[Analysis]

    @property
    def names(self) -> list[str]:
        """Return the titles of the games, with their settings."""
        return [analysis.variant.title for analysis in self.analyses]

    @cached_property
    def intervals(self) -> dict[str, list[Interval | None]]:
        """Return each heuristic of every game."""
        intervals = [{heuristic.name: heuristic.interval for heuristic in analysis.heuristics} for analysis in self.analyses]
        return {name: [game[name] for game in intervals] for name in NAMES}

    @cached_property
    def shared(self) -> dict[str, list[Interval]]:
        """Return the heuristics that are defined for every game."""
        return {name: [value for value in row if value] for name, row in self.intervals.items() if all(row)}

    @cached_property
    def scaled(self) -> Real:
        """Return [games, shared heuristics] float64, each column from 0 to 1; a column in which all are equal is 0.5."""
        values = np.array([[interval.value for interval in row] for row in self.shared.values()]).T.reshape(len(self.analyses), -1)
        low, high = values.min(axis=0), values.max(axis=0)
        width = np.where(high > low, high - low, 1.0)
        return np.where(high > low, (values - low) / width, 0.5)

    def draw_parallel(self) -> Plot:
        """Draw a line for each game over parallel axes."""
        figure, (axes,) = new_figure(size=(8.0, 4.6))
        x = np.arange(len(self.shared))
        for number, name in enumerate(self.names):
            colour = COLOURS[number % len(COLOURS)]
            axes.plot(x, self.scaled[number], "o-", color=colour, lw=2, label=name)
            for i, row in enumerate(self.shared.values()):
                values = [interval.value for interval in row]
                width = (max(values) - min(values)) or 1.0
                below, above = ((row[number].value - row[number].low) / width, (row[number].high - row[number].value) / width)
                if np.isfinite(below + above):
                    offset = 0.05 * (number - (len(self.analyses) - 1) / 2)
                    axes.errorbar(x[i] + offset, self.scaled[number, i], [[below], [above]], color=colour, lw=1, alpha=0.6)
        axes.set_xticks(x, list(self.shared), rotation=35, ha="right")
        axes.set_ylim(-0.25, 1.25)
        axes.set_ylabel("smallest to largest")
        axes.grid(alpha=0.3)
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, 1.18), ncols=3, fontsize=9, frameon=False)
        rows = [
            (game, name, row[i].value, self.scaled[i, j])
            for i, game in enumerate(self.names)
            for j, (name, row) in enumerate(self.shared.items())
        ]
        return figure, columns(("game", "heuristic", "value", "scaled"), rows)

    @cached_property
    def linkage(self) -> Real:
        """Return the tree of average linkage as scipy writes it, [games - 1, 4] float64."""
        from scipy.cluster.hierarchy import linkage

        tree: Real = linkage(self.scaled, "average")
        return tree

    def draw_dendrogram(self) -> Plot:
        """Draw the tree."""
        from scipy.cluster.hierarchy import dendrogram

        figure, (axes,) = new_figure(size=(7.0, 1.4 + 0.45 * len(self.analyses)))
        with rc_context({"lines.linewidth": 2}), warnings.catch_warnings():
            # Equal games have a tree of length 0.
            warnings.filterwarnings("ignore", "Attempting to set identical")
            dendrogram(self.linkage, labels=self.names, orientation="left", ax=axes, color_threshold=0, above_threshold_color="steelblue")
        axes.set_xlabel("distance")
        return figure, columns(("one", "other", "distance", "games"), self.linkage.tolist())

    @cached_property
    def sheets(self) -> dict[str, Plot]:
        """Return the figures by name; one game has no tree."""
        return {"parallel": self.draw_parallel(), **({"dendrogram": self.draw_dendrogram()} if len(self.analyses) > 1 else {})}

    def as_json(self) -> dict[str, Any]:
        """Return the comparison as JSON."""
        games = [analysis.as_json() for analysis in self.analyses]
        return {"games": games, "linkage": self.linkage.tolist() if len(games) > 1 else []}

    def csv(self) -> str:
        """Return the table as text: a row for each game and heuristic."""
        rows = [
            [analysis.variant.game.name, analysis.variant.settings_text, name, interval["value"], interval["low"], interval["high"]]
            for analysis in self.analyses
            for name, interval in analysis.as_json()["heuristics"].items()
        ]
        return csv_text([["game", "settings", "heuristic", "value", "low", "high"], *rows], digits=6)

    def page(self, frame: str = "base.html.jinja") -> str:
        """Return the comparison as one self-contained HTML text, or in another frame."""
        names = {"heuristics": "Heuristics", "parallel": "Parallel axes", "dendrogram": "Dendrogram"}
        return render(
            "meldlab.analysis",
            "comparison.html.jinja",
            frame=frame,
            title=" and ".join(self.names) if len(self.names) < 4 else f"{self.names[0]} and {len(self.names) - 1} other games",
            contents={id: name for id, name in names.items() if id == "heuristics" or id in self.sheets},
            comparison=self,
            sheets=self.sheets,
            players=PLAYERS[self.analyses[0].config.algorithm],
            arrow=arrow,
        )


def arrow(value: Interval | None, first: Interval | None) -> str:
    """Return a mark for a value that differs significantly from the first game's, empty for others.

    >>> arrow(Interval(0.9, 0.8, 1.0), Interval(0.5, 0.4, 0.6)), arrow(Interval(0.6, 0.5, 0.7), Interval(0.5, 0.4, 0.6))
    (' ▲', '')
    """
    if value is None or first is None:
        return ""
    gap = difference(value, first)
    if gap.low <= 0 <= gap.high:
        return ""
    return " ▲" if gap.value > 0 else " ▼"


def write_comparison(comparison: Comparison, folder: Path) -> list[Path]:
    """Write page, table, JSON and figures into a folder; return the files."""
    texts = {
        "index.html": comparison.page(),
        "comparison.csv": comparison.csv(),
        "comparison.json": json.dumps(comparison.as_json(), indent=1) + "\n",
    }
    return write_report(folder, texts, comparison.sheets)
