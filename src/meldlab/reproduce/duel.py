"""Two policies from mirrored deals, each with its own table of E: the worth of a smaller tolerance in games won."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from meldlab.chance import check_seed
from meldlab.errors import NotLegalHere
from meldlab.parallel import run_on_cores
from meldlab.reproduce import kernel_duel
from meldlab.statistics import Interval, Moments
from meldlab.waiting import Solution
from meldlab.waiting.simulation import verify_games

CHUNK = 1 << 10  # games of the first chunk


@dataclass(frozen=True)
class Duel:
    """Games between two policies from mirrored deals: the first one's wins, and its win rate with an interval, clustered by pairs.

    ``undecided`` games never end: each side holds the cards that the other waits for. They are half a win for either.
    """

    games: int
    wins: int
    undecided: int
    interval: Interval

    @property
    def rate(self) -> float:
        """Return the part of games that the first policy won."""
        return (self.wins + self.undecided / 2) / self.games


def duel(exact: Solution, first: NDArray[np.float64], second: NDArray[np.float64] | None, games: int = 100_000, seed: int = 0) -> Duel:
    """Let two tables of E, [classes] each, race for the goal with one real deck; without a second table, that side discards at random."""
    verify_games(games)
    if games % 2 or games < 4:
        raise NotLegalHere(f"games are played in mirrored pairs, so their number is even and at least 4, not {games}")
    winners, deals = np.full(games, -1, np.int8), check_seed(seed)
    sides = kernel_duel.Sides(first, first if second is None else second, exact.expected, int(second is None))
    run_on_cores(kernel_duel.play_duel, games, winners, exact.game.cards, deals, sides, exact.game.numbering, size=CHUNK)
    # By winner: none, the first, the second.
    won = np.array([0.5, 1.0, 0.0])[winners + 1]
    pairs = won.reshape(-1, 2).sum(axis=1)
    rate = Moments.from_counts(np.column_stack((np.full(len(pairs), 2), pairs))).rate(1, 0)
    return Duel(games, int(np.count_nonzero(winners == 0)), int(np.count_nonzero(winners < 0)), rate)
