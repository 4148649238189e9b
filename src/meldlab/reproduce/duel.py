"""Two policies from mirrored deals, each with its own table of E: the worth of a smaller tolerance in games won."""

import numpy as np
from numpy.typing import NDArray

from meldlab.chance import check_seed
from meldlab.errors import NotLegalHere
from meldlab.parallel import run_on_cores
from meldlab.reproduce import kernel_duel
from meldlab.statistics import Interval, mean_share
from meldlab.waiting import Solution
from meldlab.waiting.simulation import verify_games

CHUNK = 1 << 10  # games of the first chunk


def duel(exact: Solution, first: NDArray[np.float64], second: NDArray[np.float64] | None, games: int = 100_000, seed: int = 0) -> Interval:
    """Let two tables of E, [classes] each, race for the goal with one real deck; return the first one's win rate, clustered by pairs.

    Without a second table that side discards at random. Games that never end, because each side holds the cards that the other waits for,
    are half a win for either.
    """
    verify_games(games)
    if games % 2 or games < 4:
        raise NotLegalHere(f"games are played in mirrored pairs, so their number is even and at least 4, not {games}")
    winners, deals = np.full(games, -1, np.int8), check_seed(seed)
    sides = kernel_duel.Sides(first, first if second is None else second, exact.expected, int(second is None))
    run_on_cores(kernel_duel.play_duel, games, winners, exact.game.cards, deals, sides, exact.game.numbering, size=CHUNK)
    # By winner: none, the first, the second.
    won = np.array([0.5, 1.0, 0.0])[winners + 1]
    return mean_share(won.reshape(-1, 2).mean(axis=1))
