"""The search space of all parameters of an ensemble: dimensions with bounds, and the player of a point.

Weights that sum to one and ordered pairs do not suit CMA-ES. Here the weights of a discard are in points of deadwood, which has weight
one, and the smaller value of a pair is a ratio to the larger; every point within the bounds is a player.

>>> len(DIMENSIONS), ensemble_at(START).knock
(32, (10, 10, 0))
>>> round(ensemble_at({**START, "promise": 0.2}).weights[0], 3)
0.607
"""

from collections.abc import Mapping
from dataclasses import dataclass

from meldlab.gin.kernel_ensemble import DEADWOOD_MOST
from meldlab.gin.players import Ensemble

Point = Mapping[str, float]


@dataclass(frozen=True)
class Dimension:
    """A parameter, its bounds, and the start of the search."""

    name: str
    low: float
    high: float
    start: float


DIMENSIONS = (
    # When to knock: up to about this draw; the other weights move that draw.
    Dimension("knock_draw", -2.0, 9.0, 4.5),
    Dimension("knock_deadwood", -1.0, 1.0, 0.0),
    Dimension("knock_gin_cards", -5.0, 1.0, -0.5),
    Dimension("knock_taken", -6.0, 2.0, -1.0),
    # What a discard costs that the opponent can meld, in points, and more with every draw.
    Dimension("feed", -1.0, 8.0, 2.0),
    Dimension("feed_draw", -0.5, 2.0, 0.0),
    # Points of deadwood that a unit of meldability, a melded card, an ace or two, a unit of adjacency are worth.
    Dimension("promise", 0.005, 4.0, 0.05),
    Dimension("melded", 0.0, 8.0, 1.6),
    Dimension("low", 0.0, 8.0, 2.0),
    Dimension("near", 0.0, 4.0, 0.6),
    Dimension("sets", 0.05, 0.95, 0.4),
    Dimension("same_rank", 0.0, 1.0, 0.5),
    Dimension("two_away", 0.0, 1.0, 0.25),
    Dimension("taken_card", 0.0, 0.6, 0.1),
    Dimension("unknown_card", 0.2, 1.0, 0.75),
    Dimension("power", 0.5, 1.5, 1.0),
    # By how much of itself the weight of deadwood grows with a draw, and with a card the opponent took.
    Dimension("by_draw", 0.0, 0.5, 0.008),
    Dimension("by_draw_power", 0.3, 2.0, 1.0),
    Dimension("by_taken", 0.0, 0.8, 0.015),
    # Upcards: points they must save at any time, what their meldability adds to that, and the same late.
    Dimension("draw_need", 0.5, 14.0, 12.0),
    Dimension("draw_promise", 0.0, 8.0, 0.5),
    Dimension("draw_turn", 0.0, 20.0, 13.0),
    Dimension("draw_reduction", 0.5, 9.0, 2.0),
    # State tracking: one rank away, two away as a share of that, same rank.
    Dimension("draws_one", 0.0, 0.98, 0.838),
    Dimension("draws_two", 0.0, 1.0, 0.074),
    Dimension("draws_same", 0.0, 0.98, 0.383),
    Dimension("declines_one", 0.0, 0.98, 0.398),
    Dimension("declines_two", 0.0, 1.0, 0.271),
    Dimension("declines_same", 0.0, 0.98, 0.378),
    Dimension("discards_one", 0.0, 0.98, 0.271),
    Dimension("discards_two", 0.0, 1.0, 0.768),
    Dimension("discards_same", 0.0, 0.98, 0.479),
)
START = {axis.name: axis.start for axis in DIMENSIONS}
MELDED_SHARE = 0.5  # of a melded card's meldability counts on average, as sets and runs share the weight


def ensemble_at(point: Point) -> Ensemble:
    """Return the player of a point."""
    start = Ensemble()
    raw = (
        start.meldability_most * point["promise"],
        DEADWOOD_MOST,
        0.0,
        0.0,
        8 * point["low"],
        start.adjacency_most * point["near"],
    )
    whole = sum(raw)
    weights = tuple(_rounded(value / whole) for value in raw)
    of_deadwood = DEADWOOD_MOST / whole
    near = 1 - _rounded(point["same_rank"])
    two = _rounded(near * 0.5 * point["two_away"])
    two = min(two, near - two)  # half of it, rounded up, would be the larger half
    sets = _rounded(point["sets"])
    return Ensemble(
        knock=(10, 10, 0),
        knock_weights=(
            _rounded(point["knock_draw"]),
            -1.0,
            _rounded(point["knock_deadwood"]),
            _rounded(point["knock_gin_cards"]),
            _rounded(point["knock_taken"]),
        ),
        feed=(_rounded(point["feed"]), _rounded(point["feed_draw"])),
        # The first weight takes what rounding left over, so that all sum to one.
        weights=(1 - sum(weights[1:]), *weights[1:]),  # type: ignore[arg-type]
        melded=_rounded(point["melded"] / point["promise"] / MELDED_SHARE),
        meldability=(_rounded(point["taken_card"]), _rounded(point["unknown_card"]), sets, 1 - sets),
        adjacency=(1 - near, near - two, two),
        deadwood_power=_rounded(point["power"]),
        turn_penalty=(_rounded(of_deadwood * point["by_draw"]), _rounded(point["by_draw_power"])),
        known_penalty=(_rounded(of_deadwood * point["by_taken"]), 1.0),
        draw_need=_rounded(point["draw_need"]),
        draw_promise=_rounded(point["draw_promise"]),
        draw_turn=round(point["draw_turn"]),
        draw_reduction=_rounded(point["draw_reduction"]),
        **{
            name: (
                _rounded(point[f"{name}_one"]),
                _rounded(point[f"{name}_one"] * point[f"{name}_two"]),
                _rounded(point[f"{name}_same"]),
            )
            for name in ("draws", "declines", "discards")
        },  # type: ignore[arg-type]
    )


def _rounded(value: float) -> float:
    """Return a number that prints short; differences beyond five decimals are below any noise of a search."""
    return round(value, 5)
