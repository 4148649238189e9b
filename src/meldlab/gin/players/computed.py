"""The computed player at the table: a look-ahead of one card on top of the values of all hands.

The decisions are those of the kernels, so that it plays the same cards at the table and in batches.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from meldlab.errors import BadText, NotLegalHere
from meldlab.gin.kernel_state import ValueTable
from meldlab.gin.players.player import KernelPlayer
from meldlab.gin.value_tables import check_values, load


@dataclass(frozen=True, eq=False)
class ComputedPlayer(KernelPlayer):
    """Plays from value tables; ``facts`` is the head of saved ones."""

    plays_in_kernel: ClassVar[bool] = True
    values: ValueTable
    name: str = "computed"
    facts: Any = None

    def __post_init__(self) -> None:
        check_values(self.values)

    @classmethod
    def parse(cls, text: str) -> "ComputedPlayer":
        """Read ``tables:DIR``, a folder that ``meldlab gin compute --save`` has written."""
        _, _, folder = text.partition(":")
        if not folder:
            raise BadText("expected a folder, as in tables:DIR", text, len(text))
        values, facts = load(Path(folder))
        if (facts["cards"], facts["ranks"]) != (10, 13):
            raise NotLegalHere(f"{folder} was computed for {facts['cards']} cards of {4 * facts['ranks']}; the table deals 10 of 52")
        return cls(values, text, facts)

    def parameters(self) -> ValueTable:
        """Return the parameters of the player in kernels."""
        return self.values
