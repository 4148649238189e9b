"""Figures of the stopping game: value, policy, Shepp's asymptotics, and the distribution of the winnings."""

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.colors import ListedColormap, PowerNorm
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from meldlab.errors import NotPossible
from meldlab.reports.plot import BLUE, ORANGE, RED, Plot, new_figure
from meldlab.stopping import Urn, equal_decks, simulate
from meldlab.stopping.shepp import ALPHA, VALUE, decay, fitted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_CARDS = 500  # of a colour, in a heat map: more squares than a picture has pixels
MAX_NUMBERED = 10  # cards of a colour up to which a number fits into a square
MAX_BARS = 60
GAMES, DRAWS = 100_000, 30_000_000  # simulated, at most: about a second
LARGEST = 10_000


def draw_value(urn: Urn) -> Plot:
    """Draw the value of every position, the paper's matrix ``currentValue``."""
    _verify_squares(urn)
    table, boundary = urn.floats.values(), urn.policy().boundary
    figure, (axes,) = new_figure()
    # The square root spreads the low values, where decisions are close.
    image = axes.imshow(table, origin="lower", norm=PowerNorm(0.5), cmap="viridis", aspect="auto")
    figure.colorbar(image, label="expected winnings in all")
    if max(urn.black, urn.red) <= MAX_NUMBERED:
        # The upper half of the colours is light; the root is that of the norm.
        light = table.min() + 0.36 * (table.max() - table.min())
        for (black, red), value in np.ndenumerate(table):
            ink = "black" if value > light else "white"
            axes.text(red, black, f"{value:.2f}", ha="center", va="center", fontsize=8, color=ink)
    edges, steps = np.arange(urn.red + 2) - 0.5, np.array([*boundary, boundary[-1]]) + 0.5
    axes.step(edges, steps, where="post", color="white", lw=1.5)
    axes.set_title(f"Value of each position, {_deck_text(urn)}\n(stop below the white line)", fontsize=11)
    _label_squares(axes)
    return figure, {**_positions(urn), "value": table.ravel().tolist()}


def draw_policy(urn: Urn) -> Plot:
    """Draw where to stop and where to draw, the paper's matrix ``continueOrNot``, with Shepp's boundary for large decks."""
    _verify_squares(urn)
    best = urn.policy()
    table = np.arange(urn.black + 1)[:, None] > np.array(best.boundary)
    ties = set(best.indifferent or ())
    figure, (axes,) = new_figure()
    axes.imshow(table, origin="lower", cmap=ListedColormap([ORANGE, BLUE]), vmin=0, vmax=1, aspect="auto")
    keys: list[object] = [Patch(color=BLUE, label="draw"), Patch(color=ORANGE, label="stop")]
    if ties:
        keys += axes.plot([red for _, red in ties], [black for black, _ in ties], "wo", mec="black", ms=7, label="either")
    if urn.gain == urn.loss > 0:
        cards = np.linspace(0, urn.black + urn.red, 400)
        lead = ALPHA * np.sqrt(cards)
        inside = ((cards + lead) / 2 <= urn.red) & (cards >= lead) & ((cards - lead) / 2 <= urn.black)
        keys += axes.plot(
            ((cards + lead) / 2)[inside],
            ((cards - lead) / 2)[inside],
            "--",
            color="black",
            lw=1.2,
            label="Shepp: ahead by 0.8399 √cards left",
        )
    axes.legend(handles=keys, loc="upper left", framealpha=0.95)
    axes.set_title(f"Best policy, {_deck_text(urn)}", fontsize=11)
    _label_squares(axes)
    positions = _positions(urn)
    either = [position in ties for position in zip(positions["black_left"], positions["red_left"], strict=True)]
    return figure, {**positions, "continue": table.ravel().astype(int).tolist(), "indifferent": list(map(int, either))}


def draw_shepp(urn: Urn) -> Plot:
    """Draw the value of decks with n black and n red cards against Shepp's 0.369136 sqrt(2n); the size of ``urn`` is marked."""
    marked = urn.black if urn.black == urn.red else 0
    values = equal_decks(max(LARGEST, marked))
    sizes = np.unique(np.geomspace(1, len(values) - 1, 200).round().astype(int))
    roots = np.sqrt(2.0 * sizes)
    _, short = fitted(values)
    figure, (left, right) = new_figure(panels=2, size=(6.0, 4.5))
    left.loglog(sizes, VALUE * roots, color=ORANGE, lw=2.5, label=f"Shepp: {VALUE:.6f} √2n")
    left.loglog(sizes[::6], values[sizes[::6]], "o", color=BLUE, ms=4, label="computed")
    left.set_ylabel("value V(n, n)")
    right.semilogx(sizes, values[sizes] / roots, color=BLUE, lw=2, label="computed")
    corrected = VALUE - short * sizes ** -decay() / roots
    right.semilogx(sizes, corrected, ":", color=RED, lw=2, label=f"Shepp less {short:.4f} $n^{{-{decay():.4f}}}$")
    right.axhline(VALUE, color=ORANGE, lw=2, label=f"Shepp: {VALUE:.6f}")
    right.set_ylabel("V(n, n) / √2n")
    if marked:
        for axes, value in ((left, values[marked]), (right, values[marked] / np.sqrt(2 * marked))):
            axes.plot([marked], [value], "o", color="black", label=f"n = {marked}: {value:.4f}")
    for axes in (left, right):
        axes.set_xlabel("n black and n red cards")
        axes.grid(alpha=0.3)
        axes.legend(loc="upper left" if axes is left else "lower right")
    figure.suptitle("The stopping game on large decks: gain 1, loss 1", fontsize=11)
    return figure, {"n": sizes.tolist(), "value": values[sizes].tolist(), "shepp": (VALUE * roots).tolist()}


def draw_winnings(urn: Urn, seed: int = 0) -> Plot:
    """Draw the probability of each amount under the best policy, and the shares in simulated games."""
    best = urn.fastest.winnings()
    played = simulate(urn, min(GAMES, max(1000, DRAWS // (urn.black + urn.red + 1))), seed)
    shares = dict(zip(played.winnings.amounts, played.winnings.chances, strict=True))
    amounts = [float(amount) for amount in best.amounts]
    probabilities = [float(chance) for chance in best.chances]
    simulated = [float(shares.get(amount, 0)) for amount in best.amounts]
    low, high = played.interval.low, played.interval.high
    figure, (axes,) = new_figure()
    if len(amounts) <= MAX_BARS:
        width = 0.8 * min(np.diff(amounts), default=1.0)
        axes.bar(amounts, probabilities, width, color=BLUE, label="best policy")
        axes.plot(amounts, simulated, "o", color=ORANGE, mec="black", label=f"{played.games:,} simulated games, seed {seed}")
    else:
        axes.vlines(amounts, 0, probabilities, color=BLUE, lw=1, label="best policy")
        axes.plot(amounts, simulated, ".", color=ORANGE, ms=4, label=f"{played.games:,} simulated games, seed {seed}")
    mean = float(best.mean)
    axes.axvline(mean, ymax=0.78, color=RED, ls="--", lw=2, label=f"mean {mean:.4f} (simulated {low:.4f} to {high:.4f})")
    axes.xaxis.set_major_locator(MaxNLocator(integer=all(amount.is_integer() for amount in amounts), min_n_ticks=1))
    axes.set_ylim(0, 1.3 * max(probabilities))
    axes.set_xlabel("winnings")
    axes.set_ylabel("probability")
    axes.legend(loc="upper right")
    axes.set_title(f"Winnings under the best policy, {_deck_text(urn)}", fontsize=11)
    return figure, {"winnings": [str(amount) for amount in best.amounts], "chance": probabilities, "simulated": simulated}


def _verify_squares(urn: Urn) -> None:
    if max(urn.black, urn.red) > MAX_CARDS:
        raise NotPossible(f"{urn.black} black and {urn.red} red cards are too many for a heat map (at most {MAX_CARDS} of a colour)")


def _label_squares(axes: "Axes") -> None:
    axes.set_xlabel("red cards left")
    axes.set_ylabel("black cards left")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))


def _positions(urn: Urn) -> dict[str, list[int]]:
    black, red = np.indices((urn.black + 1, urn.red + 1)).reshape(2, -1)
    return {"black_left": black.tolist(), "red_left": red.tolist()}


def _deck_text(urn: Urn) -> str:
    return f"{urn.black} black at +{urn.gain} and {urn.red} red at −{urn.loss}"
