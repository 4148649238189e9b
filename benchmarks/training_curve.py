"""Draw the learning curve of ``champion`` from its evaluations: docs/pictures/training-champion.csv to .svg.

python benchmarks/training_curve.py
"""

import csv
from pathlib import Path

from meldlab.reports.plot import new_figure, save

TABLE = Path("docs/pictures/training-champion.csv")
COLOURS = ("#000000", "#0072B2", "#E69F00", "#D55E00", "#CC79A7")


def main() -> None:
    rows = list(csv.DictReader(TABLE.read_text().splitlines()))
    figure, (axes,) = new_figure(size=(8.0, 4.5))
    opponents = list(dict.fromkeys(row["opponent"] for row in rows))
    for opponent, colour in zip(opponents, COLOURS, strict=True):
        points = [[float(row[key]) for key in ("billion_decisions", "won", "low", "high")] for row in rows if row["opponent"] == opponent]
        steps, won, low, high = zip(*points, strict=True)
        axes.plot(steps, won, "o-", color=colour, label=opponent, markersize=4, linewidth=1.4)
        axes.fill_between(steps, low, high, color=colour, alpha=0.15, linewidth=0)
    axes.set(xlabel="billion decisions", ylabel="share of games won, 95 % interval", title="champion: held-out games against each opponent")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    save(figure, {key: [row[key] for row in rows] for key in rows[0]}, TABLE.with_suffix(".svg"))


if __name__ == "__main__":
    main()
