"""How many turns a hand of ten cards is from a knock and from gin: by the exact tables where they lie in the cache, else by estimate.

The estimate looks at every card that may come, and asks a small network how many turns the best hand that can be kept is from the goal.
``benchmarks/fit_turns.py`` made the networks and measured them; each carries its error in bands of what it says.

>>> found = estimated_turns(Hand.parse("2C 3C 4C 9D 9H 9S KC KD 4H 5S"), "knock")
>>> found.exact, 7 < found.value < 9, 0 < found.error < 1
(False, True, True)
"""

from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from meldlab.cache import cache_folder
from meldlab.cards import Hand
from meldlab.errors import NotLegalHere
from meldlab.melds import deadwood, deadwoods
from meldlab.waiting.game import Waiting
from meldlab.waiting.goal import Goal

__all__ = ["GOALS", "TurnsLeft", "estimated_turns", "expected_turns", "table_path"]

GOALS = {"knock": Goal.parse("knock:10"), "gin": Goal.parse("gin")}
TEN, BAG = 10, 42
# Rows of a network: four neighbouring ranks of a suit, from each of ten places; how many of a rank; the deadwood.
WINDOWS, MOST_DEADWOOD = 10, 98
RANK_ROWS = 16 * WINDOWS
DEADWOOD_ROWS = RANK_ROWS + 5 * 13
ROWS = DEADWOOD_ROWS + MOST_DEADWOOD + 1


@dataclass(frozen=True)
class TurnsLeft:
    """Expected turns; ``error`` is what 95 of 100 estimates are not further off than, 0 where the value is exact."""

    value: float
    error: float = 0.0

    @property
    def exact(self) -> bool:
        """Tell whether it comes from a table, or the goal is reached."""
        return not self.error

    def __str__(self) -> str:
        return f"{self.value:.1f}" if self.exact else f"about {self.value:.1f} ± {self.error:.1f}"


class TurnsNetwork(NamedTuple):
    """What an estimate rests on."""

    rows: Any  # [ROWS, wide] float32
    first: Any  # [wide + 1, inner] float32, the last row is added
    last: Any  # [inner + 1] float32
    bands: Any  # [bands] float64, up to which estimate each error holds; the last one holds beyond, too
    errors: Any  # [bands] float64


def table_path(name: str) -> Path:
    """Return where the table of a goal is looked for."""
    return cache_folder("gin") / f"{name}.table"


def expected_turns(hand: Hand) -> dict[str, TurnsLeft]:
    """Return the expected turns to a knock and to gin, drawing from stock alone."""
    from meldlab.waiting.kept import cached_solution

    found = {}
    for name, goal in GOALS.items():
        path = table_path(name)
        found[name] = (
            TurnsLeft(cached_solution(Waiting(TEN, goal=goal), path).turns(hand)) if path.is_file() else estimated_turns(hand, name)
        )
    return found


def estimated_turns(hand: Hand, name: str) -> TurnsLeft:
    """Return what a network makes of a hand of ten cards, by a look at every card that may come; ``name``: knock or gin."""
    return estimated(hand, name, shipped_network(name))


def estimated(hand: Hand, name: str, network: TurnsNetwork) -> TurnsLeft:
    """Return the same of any network."""
    if len(hand) != TEN:
        raise NotLegalHere(f"{len(hand)} cards where {TEN} are wanted: {hand or 'no cards'}")
    if deadwood(hand) <= (GOALS[name].knock or 0):
        return TurnsLeft(0.0)
    unseen = np.array([1 << card for card in range(52) if not hand.mask >> card & 1], np.int64)
    held = np.array([1 << card.index for card in hand], np.int64)
    kept = (hand.mask | unseen[:, None]) ^ held
    best = np.sort(believed(kept.ravel(), name, network).reshape(kept.shape).min(axis=1))
    # Who keeps the k best of the 42 cards waits 42 / k turns for one of them, and goes on from there: the best k is the answer.
    value = float(((BAG + np.cumsum(best)) / np.arange(1, BAG + 1)).min())
    return TurnsLeft(value, float(network.errors[min(int(np.searchsorted(network.bands, value)), len(network.bands) - 1)]))


def believed(hands: NDArray[np.int64], name: str, network: TurnsNetwork) -> NDArray[np.float64]:
    """Return [hands] float64, the turns that a network expects, 0 at the goal."""
    left = deadwoods(hands).astype(np.int64)
    totals = network.rows[rows_of(hands, left)].sum(axis=1, dtype=np.float64)
    inner = np.maximum(np.maximum(totals, 0) @ network.first[:-1] + network.first[-1], 0)
    turns: NDArray[np.float64] = np.exp(inner @ network.last[:-1] + network.last[-1])
    return np.where(left <= (GOALS[name].knock or 0), 0.0, turns)


def rows_of(hands: NDArray[np.int64], left: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return [hands, 54] int64, the rows that the cards and the deadwood of hands add up; suits count alike."""
    lanes = hands[:, None] >> 13 * np.arange(4) & 0x1FFF
    windows = 16 * np.arange(WINDOWS) + (lanes[:, :, None] >> np.arange(WINDOWS) & 15)
    ranks = RANK_ROWS + 5 * np.arange(13) + (lanes[:, :, None] >> np.arange(13) & 1).sum(axis=1)
    return np.concatenate([windows.reshape(len(hands), -1), ranks, DEADWOOD_ROWS + np.minimum(left, MOST_DEADWOOD)[:, None]], axis=1)


@cache
def shipped_network(name: str) -> TurnsNetwork:
    """Return the network of a goal that comes with the package."""
    with as_file(files("meldlab.waiting").joinpath(f"{name}_turns.npz")) as path:
        return read_network(path)


def read_network(path: Path) -> TurnsNetwork:
    """Read a network as ``benchmarks/fit_turns.py`` writes it."""
    with np.load(path) as parts:
        kinds = {"bands": np.float64, "errors": np.float64}
        return TurnsNetwork(**{part: parts[part].astype(kinds.get(part, np.float32)) for part in TurnsNetwork._fields})
