"""What the hand is waiting for: gin (every card melded) or a knock (deadwood at most K)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from meldlab.errors import BadText, whole_number
from meldlab.melds import Aces
from meldlab.melds.arrangement import ONE_EACH, leftovers

__all__ = ["GIN", "Goal"]

MOST_DEADWOOD = 100


@dataclass(frozen=True)
class Goal:
    """A goal; ``knock`` is the most deadwood it allows, None for a complete hand.

    >>> Goal.parse("knock:10"), str(Goal.parse("gin"))
    (Goal(knock=10), 'gin')
    """

    knock: int | None = None

    def __post_init__(self) -> None:
        if self.knock is not None:
            object.__setattr__(self, "knock", whole_number(self.knock, "the deadwood of a knock", maximum=MOST_DEADWOOD))

    @classmethod
    def parse(cls, text: str) -> "Goal":
        """Read ``gin`` or ``knock:K``."""
        if text == "gin":
            return cls()
        word, _, number = text.partition(":")
        if word != "knock":
            raise BadText(f"no goal {text!r} (use gin or knock:K)", text, 0)
        if not (number.isascii() and number.isdigit() and len(number) <= 3 and int(number) <= MOST_DEADWOOD):
            raise BadText(f"the deadwood of a knock is a whole number from 0 to {MOST_DEADWOOD}", text, len("knock:"))
        return cls(int(number))

    def __str__(self) -> str:
        return "gin" if self.knock is None else f"knock:{self.knock}"

    def leftovers(self, aces: Aces | str) -> tuple[NDArray[np.uint16], int]:
        """Return the leftovers (melds.kernel) for the kernels and the most points that reach the goal."""
        return (leftovers(aces, ONE_EACH), 0) if self.knock is None else (leftovers(aces), self.knock)


GIN = Goal()
