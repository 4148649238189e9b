"""Playing by the policy: whether the bag model agrees with E, how far it is from a real deck, and what knowledge is worth."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from meldlab.cards import Hand
from meldlab.chance import check_seed
from meldlab.errors import NotLegalHere, NotPossible
from meldlab.parallel import run_on_cores
from meldlab.statistics import Moments, mean
from meldlab.waiting import kernel_simulation
from meldlab.waiting.solution import Solution

__all__ = ["Duel", "Turns", "duel", "play_bag", "play_deck"]

MOST_GAMES = 100_000_000
PIECE = 1 << 10  # games of the first piece


@dataclass(frozen=True, eq=False)
class Turns:
    """The turns of many games, with the mean and its 95 % interval."""

    turns: NDArray[np.int64]

    @property
    def mean(self) -> float:
        """Return the mean number of turns."""
        return float(self.turns.mean())

    @property
    def interval(self) -> tuple[float, float]:
        """Return the 95 % interval of the mean."""
        found = mean(self.turns)
        return found.low, found.high


@dataclass(frozen=True)
class Duel:
    """Games between two policies from mirrored deals: the first one's wins and the 95 % interval of its rate, clustered by pairs.

    ``undecided`` games never end: each side holds what the other waits for. They are half a win for either.
    """

    games: int
    wins: int
    undecided: int
    interval: tuple[float, float]

    @property
    def rate(self) -> float:
        """Return the part of games that the first policy won."""
        return (self.wins + self.undecided / 2) / self.games


def play_bag(solution: Solution, hand: Hand | str, games: int = 100_000, seed: int = 0) -> Turns:
    """Play the bag model from a hand by the solution's own policy; the mean must come out as E."""
    _check(games)
    mask, space = solution.hand(hand).mask, solution.game.space
    deals, turns = check_seed(seed), np.zeros(games, np.int64)

    def play(first: int, many: int) -> None:
        kernel_simulation.play_bag(first, many, turns, mask, deals, solution.expected, space)

    run_on_cores(play, games, size=PIECE)
    return _ended(turns)


def play_deck(solution: Solution, hand: Hand | str | None = None, games: int = 100_000, seed: int = 0) -> Turns:
    """Play with the real deck: no card comes back before the stock is used up, and an opponent draws and throws at random.

    Without a ``hand`` every game is dealt at random; the solution must know of no dead cards.
    """
    _check(games)
    if solution.game.dead:
        raise NotLegalHere("the real deck has no dead cards; solve the game without them")
    mask, game = 0 if hand is None else solution.hand(hand).mask, solution.game
    deals, turns = check_seed(seed), np.zeros(games, np.int64)

    def play(first: int, many: int) -> None:
        kernel_simulation.play_deck(first, many, turns, mask, game.cards, deals, solution.expected, game.small)

    run_on_cores(play, games, size=PIECE)
    return _ended(turns)


def duel(exact: Solution, first: NDArray[np.float64], second: NDArray[np.float64] | None, games: int = 100_000, seed: int = 0) -> Duel:
    """Let the policies of two tables of E, [classes] each, race for the goal with one real deck; no second table: it throws at random."""
    _check(games)
    if games % 2 or games < 4:
        raise NotLegalHere(f"games are played in mirrored pairs, so their number is even and at least 4, not {games}")
    winners, deals = np.full(games, -1, np.int8), check_seed(seed)
    sides = kernel_simulation.Sides(first, first if second is None else second, exact.expected, int(second is None))

    def play(first_game: int, many: int) -> None:
        kernel_simulation.play_duel(first_game, many, winners, exact.game.cards, deals, sides, exact.game.small)

    run_on_cores(play, games, size=PIECE)
    # Nobody, the first or the second.
    won = np.array([0.5, 1.0, 0.0])[winners + 1]
    pairs = won.reshape(-1, 2).sum(axis=1)
    rate = Moments.from_counts(np.column_stack((np.full(len(pairs), 2), pairs))).rate(1, 0)
    return Duel(games, int(np.count_nonzero(winners == 0)), int(np.count_nonzero(winners < 0)), (rate.low, rate.high))


def _ended(turns: NDArray[np.int64]) -> Turns:
    """Return the turns of games that have all ended: the mean of others would be made up."""
    if turns.max() >= kernel_simulation.MOST_TURNS:
        raise NotPossible(f"a game has not ended after {kernel_simulation.MOST_TURNS:,} turns: these are no values to play by")
    return Turns(turns)


def _check(games: int) -> None:
    if not 2 <= games <= MOST_GAMES:
        raise NotLegalHere(f"{games} games cannot be played (2 to {MOST_GAMES:,} can)")
