"""What the best policy wins, and how likely: exact, in floats, and by playing.

The best policy stops where that is worth as much as going on, and with each number of red cards left it can stop in one place only, so
that a distribution has at most one entry for each number of red cards.

>>> from meldlab.stopping.urn import Urn
>>> winnings(Urn(2, 2))
Winnings(amounts=(Fraction(0, 1), Fraction(1, 1)), chances=(Fraction(1, 3), Fraction(2, 3)))
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, sqrt

import numpy as np

from meldlab.chance import verified
from meldlab.errors import NotLegalHere, time_text
from meldlab.pieces import pieces
from meldlab.statistics import around
from meldlab.stopping import counting, kernel
from meldlab.stopping.policies import boundary_in_floats, policy
from meldlab.stopping.urn import MOST_SECONDS, Urn

__all__ = ["Simulated", "Winnings", "simulate", "winnings", "winnings_in_floats"]

Number = Fraction | float
SECONDS_PER_DRAW = 2e-8


@dataclass(frozen=True)
class Winnings:
    """Amounts in ascending order, and the chance of each."""

    amounts: tuple[Fraction, ...]
    chances: tuple[Number, ...]

    @property
    def mean(self) -> Number:
        """Return the expected winnings: the value of the game."""
        return sum((amount * chance for amount, chance in zip(self.amounts, self.chances, strict=True)), Fraction(0))

    @property
    def sd(self) -> float:
        """Return the standard deviation."""
        mean = self.mean
        # About the mean rather than from the square: floats would lose most digits there.
        return sqrt(sum(float((amount - mean) ** 2 * chance) for amount, chance in zip(self.amounts, self.chances, strict=True)))

    def at_least(self, amount: Fraction | int) -> Number:
        """Return the chance to win ``amount`` or more.

        >>> winnings(Urn(2, 2)).at_least(1)
        Fraction(2, 3)
        """
        return sum((chance for won, chance in zip(self.amounts, self.chances, strict=True) if won >= amount), Fraction(0))


@dataclass(frozen=True)
class Simulated:
    """A number of games played by the best policy: the shares of what they won, and where the mean lies with 95 % confidence."""

    games: int
    winnings: Winnings

    @property
    def interval(self) -> tuple[float, float]:
        """Return the 95 % interval of the mean."""
        # The deviation is that of these games; the error of their mean has a degree of freedom less.
        found = around(float(self.winnings.mean), self.winnings.sd / sqrt(self.games - 1), self.games - 1)
        return found.low, found.high


def winnings(urn: Urn) -> Winnings:
    """Return the exact distribution under the best policy."""
    boundary = policy(urn).boundary
    orders = comb(urn.black + urn.red, urn.black)
    return _gathered(urn, boundary, [Fraction(count, orders) for count in counting.stop_counts(urn.black, boundary)])


def winnings_in_floats(urn: Urn) -> Winnings:
    """Return the distribution in double precision, for large decks."""
    boundary = boundary_in_floats(urn)
    reach, chances = np.zeros(urn.black + 1), np.zeros(urn.red + 1)
    reach[urn.black] = 1.0
    for done, rows in pieces(urn.red + 1):
        kernel.stop_chances(urn.red - done, rows, boundary, reach, chances)
    return _gathered(urn, boundary.tolist(), chances.tolist())


def simulate(urn: Urn, games: int, seed: int) -> Simulated:
    """Play ``games`` games by the best policy; the same seed plays the same games.

    >>> simulate(Urn(2, 2), games=1000, seed=1) == simulate(Urn(2, 2), games=1000, seed=1)
    True
    """
    if games < 2:
        raise NotLegalHere(f"{games} games tell no interval (at least 2)")
    seconds = games * (urn.black + urn.red) * SECONDS_PER_DRAW
    if seconds > MOST_SECONDS:
        raise NotLegalHere(f"{games:,} games of up to {urn.black + urn.red:,} cards would take about {time_text(seconds)}")
    boundary = np.array(policy(urn).boundary) if urn.exact_seconds < 1 else boundary_in_floats(urn)
    stops = np.zeros(urn.red + 1, np.int64)
    for first, part in pieces(games, 64):
        kernel.simulate(first, part, verified(seed), urn.black, boundary, stops)
    return Simulated(games, _gathered(urn, boundary.tolist(), (stops / games).tolist()))


def _gathered(urn: Urn, boundary: Sequence[int], chances: Sequence[Number]) -> Winnings:
    # Different stops can be worth the same; stops that are never reached are left out.
    by_amount: defaultdict[Fraction, Number] = defaultdict(Fraction)
    for red, (black, chance) in enumerate(zip(boundary, chances, strict=True)):
        if chance:
            by_amount[urn.gain * (urn.black - black) - urn.loss * (urn.red - red)] += chance
    amounts = sorted(by_amount)
    return Winnings(tuple(amounts), tuple(by_amount[amount] for amount in amounts))
