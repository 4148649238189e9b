"""Expected turns of a ten-card hand to a knock and to gin, drawing from stock alone: from solved tables, else estimated by a network.

For every card that may be drawn, a small network estimates the turns of the hand after the best discard. ``benchmarks/fit_turns.py`` made
the networks and measured them; each carries its errors by bands of its estimate.

>>> estimate = estimate_turns(Hand.parse("2C 3C 4C 9D 9H 9S KC KD 4H 5S"), "knock")
>>> estimate.exact, 7 < estimate.value < 9, 0 < estimate.error < 1
(False, True, True)
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from meldlab.cards import Hand
from meldlab.errors import NotLegalHere
from meldlab.gin.move import Move
from meldlab.gin.view import View
from meldlab.melds import deadwood, deadwoods

GOALS = {"knock": 10, "gin": 0}  # deadwood that reaches each goal
GOAL_TEXTS = {"knock": "to a knock", "gin": "to gin"}
TEN, BAG = 10, 42
# Input rows of a network: four neighbouring ranks of a suit, from each of ten ranks on; the number of cards of a rank; the deadwood.
WINDOWS, MAX_DEADWOOD = 10, 98
RANK_ROWS = 16 * WINDOWS
DEADWOOD_ROWS = RANK_ROWS + 5 * 13
ROWS = DEADWOOD_ROWS + MAX_DEADWOOD + 1

TableLookup = Callable[[Hand, str], float | None]
"""The turns of a hand to a goal from a solved table, None without one: ``meldlab.waiting.storage.table_turns``."""


@dataclass(frozen=True)
class TurnEstimate:
    """Expected turns; ``error`` bounds the error of 95 of 100 estimates and is 0 where the value is exact."""

    value: float
    error: float = 0.0

    @property
    def exact(self) -> bool:
        """Return whether the value comes from a table, or the goal is reached."""
        return not self.error

    def __str__(self) -> str:
        return f"{self.value:.1f}" if self.exact else f"about {self.value:.1f} ± {self.error:.1f}"


class TurnNetwork(NamedTuple):
    """The weights of a network, and its errors."""

    rows: Any  # [ROWS, width] float32
    first: Any  # [width + 1, hidden] float32, the last row is the bias
    last: Any  # [hidden + 1] float32, the last entry is the bias
    bands: Any  # [bands] float64, the largest estimate of each band; the last band is open
    errors: Any  # [bands] float64, the error of each band


def turns_after(view: View, move: Move, lookup: TableLookup) -> dict[str, TurnEstimate]:
    """Return the turns from the ten cards before a draw or after a discard; nothing for another number of cards.

    The turns to a knock are known under the usual limit only.
    """
    hand = view.hand - Hand.from_mask(1 << move.index) if move.index >= 0 else view.hand
    if len(hand) != TEN or view.rules.small:
        return {}
    return {goal: turns for goal, turns in expected_turns(hand, lookup).items() if goal == "gin" or view.limit == GOALS[goal]}


def turns_text(turns: Mapping[str, TurnEstimate]) -> str:
    """Return the turns as one line without the goals that are reached, empty if all are.

    >>> turns_text({"knock": TurnEstimate(3.14159), "gin": TurnEstimate(9.75)}), turns_text({"knock": TurnEstimate(0.0)})
    ('turns from stock alone: 3.1 to a knock, 9.8 to gin', '')
    """
    parts = [f"{estimate} {GOAL_TEXTS[goal]}" for goal, estimate in turns.items() if estimate.value]
    return "turns from stock alone: " + ", ".join(parts) if parts else ""


def expected_turns(hand: Hand, lookup: TableLookup) -> dict[str, TurnEstimate]:
    """Return the expected turns to a knock and to gin: those of the solved tables, else estimates."""
    exact = {goal: lookup(hand, goal) for goal in GOALS}
    return {goal: estimate_turns(hand, goal) if value is None else TurnEstimate(value) for goal, value in exact.items()}


def estimate_turns(hand: Hand, goal: str, network: TurnNetwork | None = None) -> TurnEstimate:
    """Return the estimate of a network, the shipped one by default, for a ten-card hand; ``goal``: knock or gin."""
    if len(hand) != TEN:
        raise NotLegalHere(f"expected {TEN} cards, got {len(hand)}: {hand or 'no cards'}")
    if deadwood(hand) <= GOALS[goal]:
        return TurnEstimate(0.0)
    network = network or shipped_network(goal)
    unseen = np.array([1 << card for card in range(52) if not hand.mask >> card & 1], np.int64)
    held = np.array([1 << card.index for card in hand], np.int64)
    after = (hand.mask | unseen[:, None]) ^ held
    best = np.sort(predict_turns(after.ravel(), goal, network).reshape(after.shape).min(axis=1))
    # Waiting for the k best of the 42 cards takes 42 / k turns, and then the turns of the hand reached: the best k is the answer.
    value = float(((BAG + np.cumsum(best)) / np.arange(1, BAG + 1)).min())
    return TurnEstimate(value, float(network.errors[min(int(np.searchsorted(network.bands, value)), len(network.bands) - 1)]))


def predict_turns(hands: NDArray[np.int64], goal: str, network: TurnNetwork) -> NDArray[np.float64]:
    """Return [hands] float64, the turns that a network predicts, 0 at the goal."""
    points = deadwoods(hands).astype(np.int64)
    totals = network.rows[network_rows(hands, points)].sum(axis=1, dtype=np.float64)
    hidden = np.maximum(np.maximum(totals, 0) @ network.first[:-1] + network.first[-1], 0)
    turns: NDArray[np.float64] = np.exp(hidden @ network.last[:-1] + network.last[-1])
    return np.where(points <= GOALS[goal], 0.0, turns)


def network_rows(hands: NDArray[np.int64], points: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return [hands, 54] int64, the input rows of hands with ``points`` of deadwood; all suits have the same rows."""
    suits = hands[:, None] >> 13 * np.arange(4) & 0x1FFF
    windows = 16 * np.arange(WINDOWS) + (suits[:, :, None] >> np.arange(WINDOWS) & 15)
    ranks = RANK_ROWS + 5 * np.arange(13) + (suits[:, :, None] >> np.arange(13) & 1).sum(axis=1)
    return np.concatenate([windows.reshape(len(hands), -1), ranks, DEADWOOD_ROWS + np.minimum(points, MAX_DEADWOOD)[:, None]], axis=1)


@cache
def shipped_network(goal: str) -> TurnNetwork:
    """Return the network of a goal that comes with the package."""
    with as_file(files("meldlab.gin").joinpath(f"{goal}_turns.npz")) as path:
        return read_network(path)


def read_network(path: Path) -> TurnNetwork:
    """Read a network as ``benchmarks/fit_turns.py`` writes it."""
    with np.load(path) as arrays:
        types = {"bands": np.float64, "errors": np.float64}
        return TurnNetwork(**{name: arrays[name].astype(types.get(name, np.float32)) for name in TurnNetwork._fields})
