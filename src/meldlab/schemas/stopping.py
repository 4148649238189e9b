"""Answers about the stopping game."""

from fractions import Fraction
from typing import TYPE_CHECKING, Self

from pydantic import Field

from meldlab.schemas import Answer, Number, Pair

if TYPE_CHECKING:
    from meldlab.stopping import SimulationResult, Winnings


class StoppingAdvice(Answer):
    """The optimal decision in a position."""

    value: Number
    """Expected winnings of the optimal policy, in all."""
    stop_value: Number
    keep_drawing: bool = Field(serialization_alias="continue")
    next_black: Number | None
    """Probability that the next card is black; None if no card is left."""


class WinningsRow(Answer):
    """An amount, its probability under the optimal policy, and its share of the simulated games."""

    amount: str
    chance: float
    exact: str | None
    """The probability as a fraction, if it was computed in fractions."""
    simulated: float


class WinningsAnswer(Answer):
    """The distribution of the winnings under the optimal policy, computed and simulated."""

    winnings: list[WinningsRow]
    mean: float
    sd: float
    games: int
    simulated_mean: float
    ci95: Pair
    """95 % interval of the simulated mean."""

    @classmethod
    def from_winnings(cls, computed: "Winnings", simulated: "SimulationResult", games: int) -> Self:
        """Return the distribution next to the simulated one."""
        shares = dict(zip(simulated.winnings.amounts, simulated.winnings.chances, strict=True))
        rows = [
            WinningsRow(
                amount=str(amount),
                chance=float(chance),
                exact=f"{chance.numerator}/{chance.denominator}" if isinstance(chance, Fraction) else None,
                simulated=float(shares.get(amount, 0)),
            )
            for amount, chance in zip(computed.amounts, computed.chances, strict=True)
        ]
        return cls(
            winnings=rows,
            mean=float(computed.mean),
            sd=computed.sd,
            games=games,
            simulated_mean=float(simulated.winnings.mean),
            ci95=(simulated.interval.low, simulated.interval.high),
        )
