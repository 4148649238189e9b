"""Playing by the policy: does the bag model keep its word, how far is it from a real deck, and what is knowledge worth?"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from meldlab.cards import Hand
from meldlab.chance import verified
from meldlab.errors import NotLegalHere
from meldlab.statistics import Moments, mean
from meldlab.waiting import kernel_simulation
from meldlab.waiting.solution import Solution

__all__ = ["Duel", "Turns", "duel", "play_bag", "play_deck"]

MOST_GAMES = 100_000_000


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
    """Games between two policies from mirrored deals: the first one's wins and the 95 % interval of its rate, clustered by pairs."""

    games: int
    wins: int
    interval: tuple[float, float]

    @property
    def rate(self) -> float:
        """Return the part of games that the first policy won."""
        return self.wins / self.games


def play_bag(solution: Solution, hand: Hand | str, games: int = 100_000, seed: int = 0) -> Turns:
    """Play the bag model from a hand by the solution's own policy; the mean must come out as E."""
    _check(games)
    cards = Hand.parse(hand) if isinstance(hand, str) else hand
    solution.of(cards)
    size = solution.game.small
    return Turns(
        kernel_simulation.play_bag(cards.mask, games, verified(seed), solution.game.alive, solution.expected, size.keys, size.patterns)
    )


def play_deck(solution: Solution, hand: Hand | str | None = None, games: int = 100_000, seed: int = 0) -> Turns:
    """Play with the real deck: no card comes back before the stock is used up, and an opponent draws and throws at random.

    Without a ``hand`` every game is dealt at random; the solution must know of no dead cards.
    """
    _check(games)
    if solution.game.dead:
        raise NotLegalHere("the real deck has no dead cards; solve the game without them")
    cards = Hand.parse(hand) if isinstance(hand, str) else hand
    if cards is not None:
        solution.of(cards)
    size = solution.game.small
    mask = 0 if cards is None else cards.mask
    return Turns(kernel_simulation.play_deck(mask, solution.game.cards, games, verified(seed), solution.expected, size.keys, size.patterns))


def duel(exact: Solution, first: NDArray[np.float64], second: NDArray[np.float64] | None, games: int = 100_000, seed: int = 0) -> Duel:
    """Let the policies of two tables of E, [classes] each, race for the goal with one real deck; no second table: it throws at random."""
    _check(games)
    if games % 2 or games < 4:
        raise NotLegalHere(f"games are played in mirrored pairs, so their number is even and at least 4, not {games}")
    game, size = exact.game, exact.game.small
    other = first if second is None else second
    won = kernel_simulation.play_duel(
        game.cards, games, verified(seed), first, other, int(second is None), exact.expected, size.keys, size.patterns
    )
    pairs = won.reshape(-1, 2).sum(axis=1)
    rate = Moments.of(np.column_stack((np.full(len(pairs), 2), pairs))).rate(1, 0)
    return Duel(games, int(won.sum()), (rate.low, rate.high))


def _check(games: int) -> None:
    if not 2 <= games <= MOST_GAMES:
        raise NotLegalHere(f"{games} games cannot be played (2 to {MOST_GAMES:,} can)")
