"""The stopping game: draw cards one by one, win on black, lose on red, stop at any time.

>>> game = Urn(black=26, red=26)
>>> game.value()
Fraction(41984711742427, 15997372030584)
>>> game.floats.value()
2.624475548993925
>>> game.advise(drawn=20, black=13)
Advice(keep_drawing=False, value=Fraction(6, 1), stop_value=Fraction(6, 1), next_black=Fraction(13, 32))
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb, lcm
from typing import TYPE_CHECKING, Self

from meldlab.errors import NotLegalHere, NotPossible, parse_part
from meldlab.formatting import time_text
from meldlab.stopping import exact
from meldlab.stopping.notation import read_amount, read_deck
from meldlab.stopping.results import MAX_SECONDS, Advice, Policy, Winnings, verify_positions

if TYPE_CHECKING:
    from meldlab.stopping.floats import Floats

Amount = Fraction | int | str
MAX_CARDS = 10_000_000  # of a colour: the kernels store a few numbers for each
AT_ONCE = 2.0  # seconds up to which exact fractions are computed by default
MAX_FRACTIONS = 250_000  # positions of an exact matrix: about 100 MB


@dataclass(frozen=True, init=False)
class Urn:
    """A face-down pile: each of ``black`` cards wins ``gain``, each of ``red`` cards loses ``loss``.

    >>> Urn(1, 1).value(), Urn(1, 1, gain="1/2", loss=2).value()
    (Fraction(1, 2), Fraction(0, 1))
    >>> str(Urn(26, 26)), Urn.parse("3,4 +1/2 -2")
    ('26,26', Urn(black=3, red=4, gain=Fraction(1, 2), loss=Fraction(2, 1)))
    """

    black: int
    red: int
    gain: Fraction
    loss: Fraction

    def __init__(self, black: int, red: int, gain: Amount = 1, loss: Amount = 1) -> None:
        for colour, count in (("black", black), ("red", red)):
            if type(count) is not int or not 0 <= count <= MAX_CARDS:
                raise NotLegalHere(f"{count} {colour} cards cannot be in a deck (0 to {MAX_CARDS:,} of a colour)")
            object.__setattr__(self, colour, count)
        for name, amount in (("gain", gain), ("loss", loss)):
            # A float would bring its rounding along.
            if isinstance(amount, bool) or not isinstance(amount, int | str | Fraction):
                raise NotLegalHere(f"a {name} of {amount!r} is not exact (use a whole number, a Fraction, or text such as '0.1')")
            exact = read_amount(amount) if isinstance(amount, str) else Fraction(amount)
            if exact < 0:
                raise NotLegalHere(f"a {name} of {amount} is negative (black wins, red loses; exchange the colours if need be)")
            object.__setattr__(self, name, exact)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``26,26``, or ``26,26 +1/2 -2`` with another gain and loss than 1."""
        parts = text.split()
        if len(parts) < 3 or not (parts[-2].startswith("+") and parts[-1].startswith("-")):
            return cls(*read_deck(text))
        loss_at = text.rindex(parts[-1])
        gain_at = text.rindex(parts[-2], 0, loss_at)
        black, red = read_deck(text[:gain_at])
        amounts = []
        for part, offset in ((parts[-2], gain_at), (parts[-1], loss_at)):
            amounts.append(parse_part(read_amount, part[1:], text, offset + 1))
        return cls(black, red, *amounts)

    def __str__(self) -> str:
        amounts = "" if self.gain == self.loss == 1 else f" +{self.gain} -{self.loss}"
        return f"{self.black},{self.red}{amounts}"

    def value(self) -> Fraction:
        """Return the expected winnings before the first card, under the best policy."""
        self._verify_exact()
        return exact.premium(self.black, self.red, *self.units) / self.denominator

    def advise(self, drawn: int, black: int) -> Advice:
        """Return whether to draw again after ``drawn`` cards, ``black`` of them black.

        >>> Urn(26, 26).advise(drawn=49, black=25)  # one black and two red cards are left: both have the same value
        Advice(keep_drawing=False, value=Fraction(1, 1), stop_value=Fraction(1, 1), next_black=Fraction(1, 3))
        """
        remaining = self.remaining(drawn, black)
        return Advice.from_premium(self, remaining, remaining.value())

    def policy(self) -> Policy:
        """Return the best policy.

        >>> Urn(26, 26).policy().indifferent
        ((1, 2),)
        """
        self._verify_exact()
        boundary: list[int] = []
        ties: list[tuple[int, int]] = []
        for red, (premiums, _) in enumerate(exact.rows(self.black, self.red, *self.units)):
            boundary.append(max(black for black, value in enumerate(premiums) if value <= 0))
            ties.extend((black, red) for black, value in enumerate(premiums) if value == 0 and black + red > 0)
        return Policy(self, tuple(boundary), tuple(sorted(ties)))

    def winnings(self) -> Winnings:
        """Return the probability of each amount under the best policy."""
        boundary, orders = self.policy().boundary, comb(self.black + self.red, self.black)
        return Winnings.from_stops(self, boundary, [Fraction(count, orders) for count in exact.stop_counts(self.black, boundary)])

    def values(self) -> tuple[tuple[Fraction, ...], ...]:
        """Return the paper's matrix ``currentValue[C, D]``: the value, winnings so far included, with C black and D red cards left.

        >>> Urn(1, 1).values()
        ((Fraction(0, 1), Fraction(1, 1)), (Fraction(0, 1), Fraction(1, 2)))
        """
        verify_positions(self, MAX_FRACTIONS)
        gain, loss = self.units
        columns = []
        for red, (premiums, orders) in enumerate(exact.rows(self.black, self.red, gain, loss)):
            lost = loss * (self.red - red)
            columns.append(
                tuple(
                    (gain * (self.black - black) - lost + Fraction(max(0, value), count)) / self.denominator
                    for black, (value, count) in enumerate(zip(premiums, orders, strict=True))
                )
            )
        return tuple(zip(*columns, strict=True))

    @property
    def floats(self) -> "Floats":
        """Return the same deck with all results in double precision, up to tens of thousands of cards."""
        from meldlab.stopping.floats import Floats

        return Floats(self)

    @property
    def exact_at_once(self) -> bool:
        """Return whether exact results take less than two seconds."""
        return self.exact_seconds < AT_ONCE

    @property
    def fastest(self) -> "Urn | Floats":
        """Return the deck itself, for results in fractions, or in floats where fractions take too long.

        >>> Urn(26, 26).fastest, Urn(5000, 5000).fastest == Urn(5000, 5000).floats
        (Urn(black=26, red=26, gain=Fraction(1, 1), loss=Fraction(1, 1)), True)
        """
        return self if self.exact_at_once else self.floats

    def remaining(self, drawn: int, black: int) -> "Urn":
        """Return the pile after ``drawn`` cards, ``black`` of them black: a smaller game of the same kind."""
        red = drawn - black
        if not (0 <= black <= self.black and 0 <= red <= self.red):
            raise NotLegalHere(f"{drawn} cards with {black} black cannot come from {self.black} black and {self.red} red")
        return Urn(self.black - black, self.red - red, self.gain, self.loss)

    def won(self, remaining: "Urn") -> Fraction:
        """Return the winnings so far when ``remaining`` is left."""
        return self.gain * (self.black - remaining.black) - self.loss * (self.red - remaining.red)

    @cached_property
    def denominator(self) -> int:
        """Return the number of units in 1; gain and loss are whole numbers of units."""
        return lcm(self.gain.denominator, self.loss.denominator)

    @property
    def units(self) -> tuple[int, int]:
        """Return gain and loss in units: integers, so that floats start exact, too.

        >>> Urn(1, 1, "1/2", "1/3").units
        (3, 2)
        """
        return int(self.gain * self.denominator), int(self.loss * self.denominator)

    @property
    def exact_seconds(self) -> float:
        """Estimate the seconds of an exact result."""
        return exact.exact_seconds(self.black, self.red)

    def _verify_exact(self) -> None:
        """Raise for a deck whose exact solution takes more than a minute."""
        if self.exact_seconds > MAX_SECONDS:
            raise NotPossible(
                f"{self.black} black and {self.red} red cards in exact fractions would take about "
                f"{time_text(self.exact_seconds)} (floats are faster)"
            )
