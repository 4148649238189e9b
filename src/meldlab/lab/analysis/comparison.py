"""Games side by side: their heuristics in a table, along parallel axes, and as a tree in which like games hang together."""

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import rc_context
from numpy.typing import NDArray

from meldlab import __version__
from meldlab.errors import NotLegalHere
from meldlab.lab.analysis.captions import PLAYERS
from meldlab.lab.analysis.figures import RANK_COLOURS
from meldlab.lab.analysis.heuristics import NAMES
from meldlab.lab.analysis.html import figure_block, page, table
from meldlab.lab.analysis.page import shown
from meldlab.lab.analysis.study import Analysis
from meldlab.lab.figures.sheet import Sheet, blank, save
from meldlab.statistics import Interval, difference

__all__ = ["Comparison", "write_comparison"]

Real = NDArray[np.float64]

PARALLEL = """Each line is a game, each axis a heuristic, scaled so that the smallest value of all games is 0 and the largest is 1. Bars are
95 % intervals on the same scale: where they are long, the axis shows noise."""
ARROWS = """▲ and ▼ mark what differs from the first game by more than chance: the 95 % interval of the difference leaves out 0. Spread is
in points of each game's own score."""
DENDROGRAM = """Games whose heuristics are alike hang together; the height at which two branches meet is the mean distance between their
games on the scale of the parallel axes (average linkage). Heuristics that are not defined for all of the games are left out."""


@dataclass(frozen=True, eq=False)
class Comparison:
    """Several games that were analysed with the same budget; the first is what the others are measured against."""

    analyses: Sequence[Analysis]

    @property
    def names(self) -> list[str]:
        """Return the games, variants with what was set."""
        return [analysis.subject.title for analysis in self.analyses]

    @cached_property
    def intervals(self) -> dict[str, list[Interval | None]]:
        """Return each heuristic of every game."""
        found = [{each.name: each.interval for each in analysis.heuristics} for analysis in self.analyses]
        return {name: [one[name] for one in found] for name in NAMES}

    @cached_property
    def shared(self) -> dict[str, list[Interval]]:
        """Return the heuristics that every game has."""
        return {name: [each for each in row if each] for name, row in self.intervals.items() if all(row)}

    @cached_property
    def scaled(self) -> Real:
        """Return [games, shared heuristics] float64, each column from 0 to 1; a column in which all are equal is 0.5."""
        values = np.array([[each.value for each in row] for row in self.shared.values()]).T.reshape(len(self.analyses), -1)
        low, high = values.min(axis=0), values.max(axis=0)
        width = np.where(high > low, high - low, 1.0)
        return np.where(high > low, (values - low) / width, 0.5)

    def draw_parallel(self) -> Sheet:
        """Draw a line for each game over parallel axes."""
        figure, (axes,) = blank(size=(8.0, 4.6))
        at = np.arange(len(self.shared))
        for number, name in enumerate(self.names):
            colour = RANK_COLOURS[number % len(RANK_COLOURS)]
            axes.plot(at, self.scaled[number], "o-", color=colour, lw=2, label=name)
            for i, row in enumerate(self.shared.values()):
                values = [each.value for each in row]
                width = (max(values) - min(values)) or 1.0
                below, above = ((row[number].value - row[number].low) / width, (row[number].high - row[number].value) / width)
                if np.isfinite(below + above):
                    beside = at[i] + 0.05 * (number - (len(self.analyses) - 1) / 2)
                    axes.errorbar(beside, self.scaled[number, i], [[below], [above]], color=colour, lw=1, alpha=0.6)
        axes.set_xticks(at, list(self.shared), rotation=35, ha="right")
        axes.set_ylim(-0.25, 1.25)
        axes.set_ylabel("smallest to largest")
        axes.grid(alpha=0.3)
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, 1.18), ncols=3, fontsize=9, frameon=False)
        rows = [
            (game, name, row[i].value, self.scaled[i, j])
            for i, game in enumerate(self.names)
            for j, (name, row) in enumerate(self.shared.items())
        ]
        return figure, {title: [row[i] for row in rows] for i, title in enumerate(("game", "heuristic", "value", "scaled"))}

    @cached_property
    def linkage(self) -> Real:
        """Return the tree of average linkage as scipy writes it, [games - 1, 4] float64."""
        from scipy.cluster.hierarchy import linkage

        tree: Real = linkage(self.scaled, "average")
        return tree

    def draw_dendrogram(self) -> Sheet:
        """Draw the tree."""
        from scipy.cluster.hierarchy import dendrogram

        figure, (axes,) = blank(size=(7.0, 1.4 + 0.45 * len(self.analyses)))
        with rc_context({"lines.linewidth": 2}):
            dendrogram(self.linkage, labels=self.names, orientation="left", ax=axes, color_threshold=0, above_threshold_color="steelblue")
        axes.set_xlabel("distance")
        columns = ("one", "other", "distance", "games")
        return figure, {name: self.linkage[:, i].tolist() for i, name in enumerate(columns)}

    @cached_property
    def sheets(self) -> dict[str, Sheet]:
        """Return the figures by name; one game alone has no tree."""
        return {"parallel": self.draw_parallel(), **({"dendrogram": self.draw_dendrogram()} if len(self.analyses) > 1 else {})}

    def answer(self) -> dict[str, Any]:
        """Return the comparison as plain JSON."""
        games = [analysis.answer() for analysis in self.analyses]
        return {"games": games, "linkage": self.linkage.tolist() if len(games) > 1 else []}

    def csv(self) -> str:
        """Return the table as text: a row for each game and heuristic."""
        paper = io.StringIO()
        writer = csv.writer(paper, lineterminator="\n")
        writer.writerow(["game", "settings", "heuristic", "value", "low", "high"])
        for analysis in self.analyses:
            for name, found in analysis.answer()["heuristics"].items():
                cells = [found["value"], found["low"], found["high"]]
                writer.writerow(
                    [analysis.subject.described.name, analysis.subject.variant, name, *("" if x is None else f"{x:.6g}" for x in cells)]
                )
        return paper.getvalue()

    def page(self) -> str:
        """Return the comparison as one self-contained HTML text."""
        budget = self.analyses[0].budget
        rows = []
        for name in NAMES:
            first, *others = self.intervals[name]
            cells = [shown(first), *(shown(each) + _arrow(each, first) for each in others)]
            rows.append([f"<strong>{name.capitalize()}</strong>", *cells])
        thought = f"{PLAYERS[budget.searcher.kind]}, {budget.searcher.simulations} simulations for each option"
        played = f"{'A quick look: ' * budget.quick}{budget.games} games of each line-up, {thought}, seed {budget.seed}"
        title = " and ".join(self.names) if len(self.names) < 4 else f"{self.names[0]} and {len(self.names) - 1} other games"
        arrows = f"<p>{ARROWS}</p>"
        counts = [analysis.records.values() for analysis in self.analyses]
        stopped = [sum(record.games - record.finished for record in records) for records in counts]
        ends = "".join(
            f"<p>{escape(name)}: {many} games did not come to their end.</p>"
            for name, many in zip(self.names, stopped, strict=True)
            if many
        )
        says = {"parallel": ("Parallel axes", PARALLEL), "dendrogram": ("Dendrogram", DENDROGRAM)}
        drawn = [
            f"<h2>{says[name][0]}</h2>\n{figure_block(figure, name, says[name][0], says[name][1])}"
            for name, (figure, _) in self.sheets.items()
        ]
        parts = [
            f"<h1>{escape(title)}</h1>",
            f"<p>{played[0].upper()}{played[1:]}.</p>",
            table(["", *map(escape, self.names)], rows, numbers=range(1, len(self.names) + 1)),
            arrows if len(self.names) > 1 else "",
            ends,
            *drawn,
            f"<footer>Made by meldlab {__version__}.</footer>",
        ]
        return page(f"{title} – meldlab", parts)


def _arrow(one: Interval | None, first: Interval | None) -> str:
    if one is None or first is None:
        return ""
    gap = difference(one, first)
    if gap.low <= 0 <= gap.high:
        return ""
    return " ▲" if gap.value > 0 else " ▼"


def write_comparison(comparison: Comparison, folder: Path) -> list[Path]:
    """Write page, table, findings and figures into a folder; return the files."""
    texts = {
        "index.html": comparison.page(),
        "comparison.csv": comparison.csv(),
        "comparison.json": json.dumps(comparison.answer(), indent=1) + "\n",
    }
    files = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (folder / name).write_text(text, "utf-8")
            files.append(folder / name)
    except OSError as problem:
        raise NotLegalHere(f"cannot write to {folder}: {problem.strerror}") from None
    for name, (figure, data) in comparison.sheets.items():
        files += [*save(figure, data, folder / "figures" / f"{name}.svg"), save(figure, data, folder / "figures" / f"{name}.png")[0]]
    return files
