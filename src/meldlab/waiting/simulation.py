"""Games by the policy: with the bag of the model, whose mean turns are E, and with a real deck."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meldlab.cards import Hand
from meldlab.chance import check_seed
from meldlab.errors import NotLegalHere, NotPossible
from meldlab.parallel import run_on_cores
from meldlab.statistics import Interval, mean
from meldlab.waiting import kernel_simulation
from meldlab.waiting.solution import Solution

MAX_GAMES = 100_000_000
CHUNK = 1 << 10  # games of the first chunk


@dataclass(frozen=True, eq=False)
class Turns:
    """The turns of many games, with the mean and its 95 % interval."""

    turns: NDArray[np.int64]

    @property
    def mean(self) -> float:
        """Return the mean number of turns."""
        return float(self.turns.mean())

    @property
    def interval(self) -> Interval:
        """Return the mean with its 95 % interval."""
        return mean(self.turns)


def play_bag(solution: Solution, hand: Hand | str, games: int = 100_000, seed: int = 0) -> Turns:
    """Play the bag model from a hand by the solution's own policy; the mean is E up to chance."""
    mask = solution.hand(hand).mask
    return _play(kernel_simulation.play_bag, games, mask, check_seed(seed), solution.expected, solution.game.space)


def play_deck(solution: Solution, hand: Hand | str | None = None, games: int = 100_000, seed: int = 0) -> Turns:
    """Play with a real deck: no card returns before the stock is used up, and an opponent draws and discards at random.

    Without a ``hand`` every game is dealt at random; the solution must have no dead cards.
    """
    if solution.game.dead:
        raise NotLegalHere("the real deck has no dead cards; solve the game without them")
    mask, game = 0 if hand is None else solution.hand(hand).mask, solution.game
    return _play(kernel_simulation.play_deck, games, mask, game.cards, check_seed(seed), solution.expected, game.numbering)


def _play(kernel: Callable[..., None], games: int, *arguments: Any) -> Turns:
    """Return the turns of games; raise if one has not ended, since the mean would then be wrong."""
    verify_games(games)
    turns = np.zeros(games, np.int64)
    run_on_cores(kernel, games, turns, *arguments, size=CHUNK)
    if turns.max() >= kernel_simulation.MAX_TURNS:
        raise NotPossible(f"a game has not ended after {kernel_simulation.MAX_TURNS:,} turns: these are no values to play by")
    return Turns(turns)


def verify_games(games: int) -> None:
    """Raise unless this number of games can be played."""
    if not 2 <= games <= MAX_GAMES:
        raise NotLegalHere(f"{games} games cannot be played (2 to {MAX_GAMES:,} can)")
