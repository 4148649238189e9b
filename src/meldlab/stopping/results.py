"""Results for a deck, in fractions or in floats: advice, policy, and the distribution of the winnings.

The best policy stops where stopping has the value of continuing, and with each number of red cards left it can stop in one position only,
so that a distribution has at most one entry for each number of red cards.

>>> from meldlab.stopping.urn import Urn
>>> Urn(4, 4).policy().boundary
(0, 0, 1, 1, 2)
>>> Urn(2, 2).winnings()
Winnings(amounts=(Fraction(0, 1), Fraction(1, 1)), chances=(Fraction(1, 3), Fraction(2, 3)))
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import TYPE_CHECKING, Self

from meldlab.errors import NotLegalHere, NotPossible
from meldlab.formatting import html_table

if TYPE_CHECKING:
    from meldlab.stopping.urn import Urn

Number = Fraction | float
MAX_SECONDS = 60  # a longer computation raises an error with its estimated time
MAX_POSITIONS = 16_000_000  # of a matrix: 128 MB
SIDE = 320  # pixels of the longer side of a picture


@dataclass(frozen=True)
class Advice:
    """The best decision in a position, its value with the winnings so far, and the probability of black next (None without a card).

    Continuing must have a greater value than stopping: where both have the same value the advice is to stop.
    """

    keep_drawing: bool
    value: Number
    stop_value: Fraction
    next_black: Fraction | None

    @classmethod
    def from_premium(cls, urn: "Urn", remaining: "Urn", premium: Number) -> Self:
        """Return the advice with ``remaining`` left of ``urn``, a pile whose value is ``premium``."""
        won, cards = urn.won(remaining), remaining.black + remaining.red
        return cls(premium > 0, won + premium, won, Fraction(remaining.black, cards) if cards else None)


@dataclass(frozen=True)
class Policy:
    """Where to stop.

    ``boundary[r]`` is the largest number of black cards left at which to stop when r red cards are left. ``indifferent`` has the positions
    (black left, red left) where stopping and continuing have the same value, the empty pile excepted, and is None if floats cannot decide.
    """

    urn: "Urn"
    boundary: tuple[int, ...]
    indifferent: tuple[tuple[int, int], ...] | None

    def stops_at(self, black_left: int, red_left: int) -> bool:
        """Return whether to stop in a position of this deck."""
        if not (0 <= black_left <= self.urn.black and 0 <= red_left <= self.urn.red):
            raise NotLegalHere(
                f"{black_left} black and {red_left} red cards left cannot come from {self.urn.black} black and {self.urn.red} red"
            )
        return black_left <= self.boundary[red_left]

    def continues(self) -> tuple[tuple[bool, ...], ...]:
        """Return the paper's matrix ``continueOrNot[C, D]``: whether to continue with C black and D red cards left.

        >>> from meldlab.stopping.urn import Urn
        >>> Urn(1, 2).policy().continues()
        ((False, False, False), (True, True, False))
        """
        verify_positions(self.urn, MAX_POSITIONS)
        return tuple(tuple(black > stop for stop in self.boundary) for black in range(self.urn.black + 1))

    def _repr_svg_(self) -> str:
        # Red cards left to the right, black ones upwards, as in the paper; each position is a square, smaller in larger decks.
        size = SIDE / (1 + max(self.urn.black, self.urn.red))
        wide, high = size * (self.urn.red + 1), size * (self.urn.black + 1)
        every = -(-len(self.boundary) // SIDE)  # more steps than pixels would not be visible
        steps = [(self.boundary[red], min(red + every, self.urn.red + 1)) for red in range(0, self.urn.red + 1, every)]
        stops = "".join(f"V{high - size * (stop + 1):.2f}H{size * until:.2f}" for stop, until in steps)
        title = f"{self.urn.black} black and {self.urn.red} red cards: draw above the line, stop below it"
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide + 90:.0f}" height="{high + 40:.0f}" viewBox="-30 -8 {wide + 90:.2f} '
            f'{high + 40:.2f}" role="img" font-family="Helvetica, Arial, sans-serif" font-size="13"><title>{title}</title>'
            f'<rect width="{wide:.2f}" height="{high:.2f}" fill="#0072B2"/><path d="M0 {high:.2f}{stops}V{high:.2f}Z" fill="#E69F00"/>'
            f'<g fill="#777"><text y="{high + 16:.0f}">0 red cards left</text><text x="{wide:.2f}" y="{high + 16:.0f}" text-anchor="end">'
            f'{self.urn.red}</text><text x="-4" y="{high:.2f}" text-anchor="end">0</text><text x="-4" y="10" text-anchor="end">'
            f'{self.urn.black}</text></g><g fill="#0072B2"><text x="{wide + 5:.2f}" y="14">draw</text></g>'
            f'<text x="{wide + 5:.2f}" y="{high:.2f}" fill="#a06c00">stop</text></svg>'
        )


@dataclass(frozen=True)
class Winnings:
    """Amounts in ascending order, and the probability of each."""

    amounts: tuple[Fraction, ...]
    chances: tuple[Number, ...]

    @classmethod
    def from_stops(cls, urn: "Urn", boundary: Sequence[int], chances: Sequence[Number]) -> Self:
        """Return the winnings of a boundary whose stops have these probabilities."""
        # Different stops can win the same amount; stops that are never reached are left out.
        by_amount: defaultdict[Fraction, Number] = defaultdict(Fraction)
        for red, (black, chance) in enumerate(zip(boundary, chances, strict=True)):
            if chance:
                by_amount[urn.gain * (urn.black - black) - urn.loss * (urn.red - red)] += chance
        amounts = sorted(by_amount)
        return cls(tuple(amounts), tuple(by_amount[amount] for amount in amounts))

    @property
    def mean(self) -> Number:
        """Return the expected winnings: the value of the game."""
        return sum((amount * chance for amount, chance in zip(self.amounts, self.chances, strict=True)), Fraction(0))

    @property
    def sd(self) -> float:
        """Return the standard deviation."""
        mean = self.mean
        # Around the mean, not from the mean square: floats would lose most digits there.
        return sqrt(sum(float((amount - mean) ** 2 * chance) for amount, chance in zip(self.amounts, self.chances, strict=True)))

    def _repr_html_(self) -> str:
        rows = [(amount, f"{float(chance):.4f}") for amount, chance in zip(self.amounts, self.chances, strict=True)]
        return html_table(["winnings", "chance"], rows, f"mean {float(self.mean):.6f}, standard deviation {self.sd:.4f}")


def verify_positions(urn: "Urn", limit: int) -> None:
    """Raise for a matrix of more than ``limit`` positions."""
    positions = (urn.black + 1) * (urn.red + 1)
    if positions > limit:
        raise NotPossible(f"a matrix of {urn.black + 1} x {urn.red + 1} positions is too large (at most {limit:,} positions)")
