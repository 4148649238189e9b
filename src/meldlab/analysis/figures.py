"""Figures of an analysis: branching factor, decision spread, lead history, decisions, scores and time of games."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator
from numpy.typing import NDArray

from meldlab.analysis.sample import Sample
from meldlab.analysis.smoothing import loess
from meldlab.reports.plot import Plot, columns, new_figure
from meldlab.statistics import mean

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Real = NDArray[np.float64]

# Okabe and Ito's palette, distinguishable with every common kind of colour blindness. Seats, ranks and games take them in this order.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9")
GRID = np.linspace(0.0, 1.0, 101)
SIZE = (7.0, 4.4)


def draw_branching(random: Sample, seed: int = 0) -> Plot:
    """Draw options against decision point over random games, a dot for each decision in the colour of its seat, and a smooth line."""
    figure, (axes,) = new_figure(size=SIZE)
    jitter = np.random.default_rng(seed).uniform(-0.2, 0.2, (2, len(random.options)))
    move, options = random.move + 1, random.options
    colours = np.array([COLOURS[seat % len(COLOURS)] for seat in range(random.seats)])[random.seat]
    # As a picture inside the picture: twenty thousand dots would be megabytes of shapes. Where they are few they are larger.
    area = float(np.clip(6000 / max(1, len(options)), 1.2, 12))
    axes.scatter(move + jitter[0], options + jitter[1], s=area, c=colours, alpha=0.5, linewidths=0, rasterized=True)
    keys = [Line2D([], [], marker="o", ls="", ms=5, color=COLOURS[s % len(COLOURS)], label=f"p{s + 1}") for s in range(random.seats)]
    if len(np.unique(move)) > 3:
        x = np.linspace(1, move.max(), min(201, int(move.max())))
        keys += axes.plot(x, loess(move.astype(float), options.astype(float), x, 0.3), color="steelblue", lw=2.5, label="smoothed")
    _frame(axes, "decision point", "options")
    axes.set_ylim(0, max(2.0, 1.05 * float(options.max(initial=1))))
    axes.set_xlim(0, 1.02 * max(2.0, float(move.max(initial=1))))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(integer=True))
    _legend(axes, keys)
    data = {"run": random.game + 1, "move": move, "player": random.seat + 1, "choices": options}
    return figure, {name: values.tolist() for name, values in data.items()}


def normalised_spread(skilled: Sample) -> tuple[Real, Real, Real]:
    """Return for each decision the part of the game played, and best minus worst estimate in two ways.

    The first is divided by the largest of all games, as in the published pictures, the second by the largest of the same game.
    """
    apart = np.nan_to_num(np.abs(skilled.best - skilled.worst))
    largest = np.zeros(skilled.games)
    np.maximum.at(largest, skilled.game, apart)
    divisor = np.where(largest > 0, largest, 1.0)[skilled.game]
    return _portion(skilled), apart / (apart.max(initial=0.0) or 1.0), apart / divisor


def _portion(sample: Sample) -> Real:
    """Return the part of the game played at each decision, 0 at the first and 1 at the last."""
    last = np.maximum(1, sample.decisions - 1)[sample.game]
    portion: Real = sample.move / last
    return portion


def draw_spread(skilled: Sample) -> Plot:
    """Draw the normalised spread over the part of the game played: a thin line for each game, their average thick and black."""
    figure, panels = new_figure(panels=2, size=(SIZE[0] * 0.7, SIZE[1]))
    portion, published, own = normalised_spread(skilled)
    titles = "spread / largest of all games (as published)", "spread / largest of the same game"
    for axes, spread, title in zip(panels, (published, own), titles, strict=True):
        curves = []
        for number in np.unique(skilled.game):
            mine = skilled.game == number
            axes.plot(portion[mine], spread[mine], color=COLOURS[number % len(COLOURS)], lw=0.4, alpha=0.45)
            curves.append(np.interp(GRID, portion[mine], spread[mine]))
        keys = [Line2D([], [], color=COLOURS[0], lw=0.8, label="one game")]
        if curves:
            # Each game on the same points: short games have too few places of their own to fit lines to.
            smooth = loess(GRID, np.mean(curves, axis=0), GRID, 0.1)
            keys += axes.plot(GRID, np.clip(smooth, 0, 1), color="black", lw=3, label="average, smoothed")
        _frame(axes, "part of the game played", title)
        axes.set_xlim(0, 1)
        axes.set_ylim(0, 1.02)
        _legend(axes, keys)
    data = {"run": skilled.game + 1, "portion": portion, "player": skilled.seat + 1, "published": published, "spread": own}
    return figure, {name: values.tolist() for name, values in data.items()}


def lead_curves(skilled: Sample) -> dict[int, Real]:
    """Return by final place, from 0 and ties broken by seat, the lead of every game that has scores at 101 points, [games, 101] float64.

    A series has the estimates of every decision's player, and the true result at its end.
    """
    result: dict[int, Real] = {place: np.zeros((0, len(GRID))) for place in range(skilled.seats)}
    if skilled.seats < 2:
        return {}
    truth = (skilled.seats - 1 - skilled.ranks) / (skilled.seats - 1)
    for number in np.flatnonzero(skilled.ended):
        mine = (skilled.game == number) & ~np.isnan(skilled.own_leads)
        if not mine.any():
            continue
        series = np.concatenate((skilled.leads[mine], truth[number][None]))
        x = np.linspace(0.0, 1.0, len(series))
        for seat in range(skilled.seats):
            curve = np.interp(GRID, x, series[:, seat])
            place = int(skilled.places[number, seat])
            result[place] = np.concatenate((result[place], curve[None]))
    return result


def draw_lead(skilled: Sample) -> Plot:
    """Draw the average lead by final rank, smoothed, with a band of 95 % over games."""
    figure, (axes,) = new_figure(size=SIZE)
    rows: dict[str, list[Any]] = {"rank": [], "portion": [], "lead": [], "low": [], "high": []}
    keys: list[Line2D] = []
    for place, curves in lead_curves(skilled).items():
        if not len(curves):
            continue
        # The points of one game hang together, so the band comes from the spread between games, not between points.
        smooth = loess(GRID, curves.T, GRID, 0.1).T
        intervals = [mean(column) for column in smooth.T]
        middle = np.array([interval.value for interval in intervals])
        # A lead lies between 0 and 1; one game alone has no band.
        low, high = (
            np.clip([getattr(interval, end) if interval.ends else np.nan for interval in intervals], 0, 1) for end in ("low", "high")
        )
        colour = COLOURS[place % len(COLOURS)]
        axes.fill_between(GRID, low, high, color=colour, alpha=0.25, linewidth=0)
        keys += axes.plot(GRID, middle, color=colour, lw=2, label=f"final rank {place + 1}")
        for name, values in zip(rows, ([place + 1] * len(GRID), GRID, middle, low, high), strict=True):
            rows[name] += np.asarray(values).tolist()
    _frame(axes, "part of the game played", "lead (1 first, 0 last)")
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    if keys:
        _legend(axes, keys)
    else:
        _say(axes, "no lead with one player, or no estimates")
    return figure, rows


def draw_decisions(samples: Mapping[str, Sample]) -> Plot:
    """Draw the decision points per game as boxes, on a logarithmic axis unless a game had none."""
    figure, (axes,) = new_figure(size=(7.0, 1.2 + 0.55 * len(samples)))
    names = list(samples)
    axes.boxplot([sample.decisions for sample in samples.values()], orientation="horizontal", tick_labels=names, widths=0.6)
    if all(sample.decisions.all() for sample in samples.values()):
        axes.set_xscale("log")
        _plain_logs(axes)
    axes.invert_yaxis()
    _frame(axes, "decision points per game", "")
    rows = [(name, run + 1, int(count)) for name, sample in samples.items() for run, count in enumerate(sample.decisions)]
    return figure, columns(["ai", "run", "decisions"], rows)


def draw_scores(samples: Mapping[str, Sample]) -> Plot:
    """Draw the final scores by seat as violins with medians, a panel for each line-up of players."""
    figure, panels = new_figure(panels=len(samples), size=(max(2.6, 7.0 / len(samples)), 3.8))
    rows: list[tuple[Any, ...]] = []
    shared = [sample.scores[sample.ended] for sample in samples.values()]
    low = min((float(scores.min()) for scores in shared if scores.size), default=0.0)
    high = max((float(scores.max()) for scores in shared if scores.size), default=1.0)
    for axes, (name, sample), scores in zip(panels, samples.items(), shared, strict=True):
        seats = np.arange(1, sample.seats + 1)
        if len(scores):
            parts: Any = axes.violinplot([scores[:, seat] for seat in range(sample.seats)], seats, showmedians=True, widths=0.8)
            for seat, body in enumerate(parts["bodies"]):
                body.set_facecolor(COLOURS[seat % len(COLOURS)])
                body.set_alpha(0.5)
        else:
            _say(axes, "no game has scores")
        axes.set_title(name, fontsize=10)
        _frame(axes, "seat", "score" if axes is panels[0] else "")
        axes.set_xticks(seats, [f"p{seat}" for seat in seats])
        axes.set_ylim(low - 0.05 * (high - low) - 0.5, high + 0.05 * (high - low) + 0.5)
        runs = np.flatnonzero(sample.ended) + 1
        rows += [(name, int(run), seat + 1, int(score)) for run, row in zip(runs, scores, strict=True) for seat, score in enumerate(row)]
    return figure, columns(["ai", "run", "player", "score"], rows)


def draw_times(samples: Mapping[str, Sample]) -> Plot:
    """Draw the median time of a game as bars, on a logarithmic axis."""
    figure, (axes,) = new_figure(size=(7.0, 1.2 + 0.5 * len(samples)))
    names = list(samples)
    medians = [max(1e-3, 1000 * float(np.median(sample.seconds))) for sample in samples.values()]
    bars = axes.barh(names, medians, color="steelblue", height=0.6)
    axes.bar_label(bars, [f" {_spoken(value)}" for value in medians])
    axes.set_xscale("log")
    axes.set_xlim(min(medians) / 10, 10 * max(medians))
    axes.invert_yaxis()
    _plain_logs(axes, subs=(1.0,))
    _frame(axes, "median time per game (ms)", "")
    return figure, {"ai": names, "median_ms": medians}


def _spoken(milliseconds: float) -> str:
    return f"{milliseconds / 1000:.3g} s" if milliseconds >= 1000 else f"{milliseconds:.3g} ms"


def _frame(axes: "Axes", across: str, up: str) -> None:
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.grid(alpha=0.3)


def _legend(axes: "Axes", keys: Sequence[Line2D]) -> None:
    # Above the picture: dots and lines are everywhere inside it.
    axes.legend(handles=keys, loc="lower left", bbox_to_anchor=(0, 1), fontsize=9, frameon=False, ncols=5)


def _say(axes: "Axes", text: str) -> None:
    axes.text(0.5, 0.5, text, ha="center", va="center", transform=axes.transAxes)


def _plain_logs(axes: "Axes", subs: Sequence[float] = (1.0, 2.0, 5.0)) -> None:
    """Write numbers on a logarithmic axis as they are spoken."""
    axes.xaxis.set_major_locator(LogLocator(subs=subs))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_formatter(FuncFormatter(lambda value, _: ""))
