"""The game in double precision, up to tens of thousands of cards: the results that the deck itself gives in fractions.

>>> from meldlab.stopping.urn import Urn
>>> round(Urn(1000, 1000).floats.value(), 9)
16.489495866
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from meldlab.errors import NotPossible
from meldlab.formatting import time_text
from meldlab.parallel import chunks
from meldlab.stopping import kernel
from meldlab.stopping.results import MAX_POSITIONS, MAX_SECONDS, Advice, Policy, Winnings, verify_positions

if TYPE_CHECKING:
    from meldlab.stopping.urn import Urn

SECONDS_PER_POSITION = 2e-9  # of the kernels, on one 2.8 GHz core


@dataclass(frozen=True)
class Floats:
    """A deck with results in double precision, which cannot distinguish a tie from a difference of 1e-15."""

    urn: "Urn"

    def value(self) -> float:
        """Return the expected winnings before the first card, under the best policy."""
        return self._sweep()[0] / self.urn.denominator

    def advise(self, drawn: int, black: int) -> Advice:
        """Return whether to draw again after ``drawn`` cards, ``black`` of them black."""
        remaining = self.urn.remaining(drawn, black)
        return Advice.from_premium(self.urn, remaining, remaining.floats.value())

    def policy(self) -> Policy:
        """Return the best policy.

        >>> from meldlab.stopping.urn import Urn
        >>> Urn(4, 4).floats.policy().boundary
        (0, 0, 1, 1, 2)
        """
        return Policy(self.urn, tuple(self._sweep()[1].tolist()), None)

    def winnings(self) -> Winnings:
        """Return the probability of each amount under the best policy."""
        black, red, boundary = self.urn.black, self.urn.red, self._sweep()[1]
        reach, probabilities = np.zeros(black + 1), np.zeros(red + 1)
        reach[black] = 1.0
        for done, rows in chunks(red + 1):
            kernel.stop_probabilities(red - done, rows, boundary, reach, probabilities)
        return Winnings.from_stops(self.urn, boundary.tolist(), probabilities.tolist())

    def values(self) -> NDArray[np.float64]:
        """Return the paper's matrix ``currentValue``, [black + 1, red + 1] float64.

        >>> from meldlab.stopping.urn import Urn
        >>> Urn(1, 1).floats.values().tolist()
        [[0.0, 1.0], [0.0, 0.5]]
        """
        urn = self.urn
        verify_positions(urn, MAX_POSITIONS)
        gain, loss = map(float, urn.units)
        won = gain * (urn.black - np.arange(urn.black + 1.0))[:, None] - loss * (urn.red - np.arange(urn.red + 1.0))
        kernel.premiums(gain, loss, premiums := np.zeros_like(won))
        values: NDArray[np.float64] = (won + premiums) / urn.denominator
        return values

    def _sweep(self) -> tuple[float, NDArray[np.int64], NDArray[np.float64]]:
        return sweep(self.urn.black, self.urn.red, *map(float, self.urn.units))


def sweep(black: int, red: int, gain: float, loss: float) -> tuple[float, NDArray[np.int64], NDArray[np.float64]]:
    """Return the premium of the whole deck, its boundary, [red + 1], and the premiums of n black and n red cards, [n + 1].

    >>> premium, boundary, equal = sweep(4, 4, 1.0, 1.0)
    >>> boundary.tolist(), premium == float(equal[4])
    ([0, 0, 1, 1, 2], True)
    """
    seconds = (black + 1) * (red + 1) * SECONDS_PER_POSITION
    if seconds > MAX_SECONDS:
        raise NotPossible(f"{black} black and {red} red cards would take about {time_text(seconds)}")
    boundary, equal = np.zeros(red + 1, np.int64), np.zeros(min(black, red) + 1)
    old, new, first = np.zeros(black + 1), np.zeros(black + 1), 1
    for done, count in chunks(black + red, 64):
        first = kernel.sweep(done + 1, count, first, old, new, boundary, equal, (gain, loss))
        if count % 2:
            old, new = new, old
    return float(old[black]), boundary, equal
