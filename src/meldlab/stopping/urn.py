"""The stopping game: draw cards one by one, win on black, lose on red, stop when you like.

>>> game = Urn(black=26, red=26)
>>> game.value()
Fraction(41984711742427, 15997372030584)
>>> game.value_in_floats()
2.624475548993925
>>> game.advise(drawn=20, black=13)
Advice(keep_drawing=False, value=Fraction(6, 1), stop_value=Fraction(6, 1), next_black=Fraction(13, 32))
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Self

from meldlab.errors import BadText, NotLegalHere, time_text
from meldlab.stopping import counting
from meldlab.stopping.notation import read_amount, read_deck

__all__ = ["Advice", "Urn"]

Amount = Fraction | int | str
MOST_SECONDS = 60  # an answer that takes longer is refused with the time it would take
MOST_CARDS = 10_000_000  # of a colour: the kernels keep a few numbers for each
SECONDS_PER_POSITION = 2e-9  # of the kernels, on one 2.8 GHz core


@dataclass(frozen=True)
class Advice:
    """What to do in a position, what it is worth in all, and the chance that the next card is black (None when no card is left).

    One goes on only where that is worth more than stopping: where both are worth the same the advice is to stop.
    """

    keep_drawing: bool
    value: Fraction | float
    stop_value: Fraction
    next_black: Fraction | None


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
            if type(count) is not int or not 0 <= count <= MOST_CARDS:
                raise NotLegalHere(f"{count} {colour} cards cannot lie in a deck (0 to {MOST_CARDS:,} of a colour)")
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
        words = text.split()
        if len(words) < 3 or not (words[-2].startswith("+") and words[-1].startswith("-")):
            return cls(*read_deck(text))
        loss_at = text.rindex(words[-1])
        gain_at = text.rindex(words[-2], 0, loss_at)
        black, red = read_deck(text[:gain_at])
        amounts = []
        for word, at in ((words[-2], gain_at), (words[-1], loss_at)):
            try:
                amounts.append(read_amount(word[1:]))
            except BadText as problem:
                raise BadText(problem.problem, text, at + 1 + problem.at) from None
        return cls(black, red, *amounts)

    def __str__(self) -> str:
        amounts = "" if self.gain == self.loss == 1 else f" +{self.gain} -{self.loss}"
        return f"{self.black},{self.red}{amounts}"

    def value(self) -> Fraction:
        """Return the expected winnings before the first card, under the best policy."""
        self.verify_exact()
        return counting.premium(self.black, self.red, *self.units) / self.denominator

    def value_in_floats(self) -> float:
        """Return the same in double precision, for decks of tens of thousands of cards too.

        >>> round(Urn(1000, 1000).value_in_floats(), 9)
        16.489495866
        """
        from meldlab.stopping.sweep import sweep

        self.verify_floats()
        return sweep(self.black, self.red, *map(float, self.units))[0] / self.denominator

    def advise(self, drawn: int, black: int) -> Advice:
        """Say whether to go on with ``drawn`` cards taken, ``black`` of them black.

        >>> Urn(26, 26).advise(drawn=49, black=25)  # one black and two red cards are left: it does not matter
        Advice(keep_drawing=False, value=Fraction(1, 1), stop_value=Fraction(1, 1), next_black=Fraction(1, 3))
        """
        rest = self.rest(drawn, black)
        return self._advice(rest, rest.value())

    def advise_in_floats(self, drawn: int, black: int) -> Advice:
        """Say the same in double precision, which cannot tell a tie from a difference of 1e-15."""
        rest = self.rest(drawn, black)
        return self._advice(rest, rest.value_in_floats())

    def rest(self, drawn: int, black: int) -> "Urn":
        """Return the pile that is left with ``drawn`` cards taken, ``black`` of them black: a smaller game of the same kind."""
        red = drawn - black
        if not (0 <= black <= self.black and 0 <= red <= self.red):
            raise NotLegalHere(f"{drawn} cards with {black} black cannot come from {self.black} black and {self.red} red")
        return Urn(self.black - black, self.red - red, self.gain, self.loss)

    def won(self, rest: "Urn") -> Fraction:
        """Return the winnings so far when ``rest`` is left."""
        return self.gain * (self.black - rest.black) - self.loss * (self.red - rest.red)

    def _advice(self, rest: "Urn", premium: Fraction | float) -> Advice:
        won, cards = self.won(rest), rest.black + rest.red
        return Advice(premium > 0, won + premium, won, Fraction(rest.black, cards) if cards else None)

    @cached_property
    def denominator(self) -> int:
        """Return the number of units in 1, a unit being what gain and loss are whole multiples of."""
        return lcm(self.gain.denominator, self.loss.denominator)

    @property
    def units(self) -> tuple[int, int]:
        """Return gain and loss in units: whole numbers, so that floats start exact too.

        >>> Urn(1, 1, "1/2", "1/3").units
        (3, 2)
        """
        return int(self.gain * self.denominator), int(self.loss * self.denominator)

    @property
    def exact_seconds(self) -> float:
        """Estimate the seconds that an exact answer takes."""
        return counting.exact_seconds(self.black, self.red)

    def verify_exact(self) -> None:
        """Refuse a deck whose exact solution takes absurdly long."""
        if self.exact_seconds > MOST_SECONDS:
            raise NotLegalHere(
                f"{self.black} black and {self.red} red cards in exact fractions would take about "
                f"{time_text(self.exact_seconds)} (floats are faster)"
            )

    def verify_floats(self) -> None:
        """Refuse a deck that takes absurdly long even in floats."""
        seconds = (self.black + 1) * (self.red + 1) * SECONDS_PER_POSITION
        if seconds > MOST_SECONDS:
            raise NotLegalHere(f"{self.black} black and {self.red} red cards would take about {time_text(seconds)}")
