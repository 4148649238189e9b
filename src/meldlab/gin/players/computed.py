"""The computed player at the table: looks one card ahead on top of the values of all hands.

The decisions are the kernels of the batches, so that it plays the same cards here and there.
"""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meldlab.cards import CARDS, Card
from meldlab.errors import BadText, NotLegalHere
from meldlab.gin import kernel_layout
from meldlab.gin.book import NO_BOOK, check_values
from meldlab.gin.kernel_layout import Book, Values
from meldlab.gin.kernel_round import new_sheet
from meldlab.gin.players.kernel_looking import computed_discard, computed_takes
from meldlab.gin.players.player import Drop, GinPlayer, Valued, valued_drops
from meldlab.gin.players.sight import sight_of
from meldlab.gin.values.folder import load
from meldlab.gin.view import View
from meldlab.play import Chance

__all__ = ["ComputedPlayer"]

KNOCKS = 64  # what the kernel adds to a discard that it knocks with


@dataclass(frozen=True, eq=False)
class ComputedPlayer(GinPlayer):
    """Plays from a book of values; ``facts`` is the head of a saved one."""

    values: Values
    name: str = "computed"
    facts: Any = None

    def __post_init__(self) -> None:
        check_values(self.values)

    @classmethod
    def parse(cls, text: str) -> "ComputedPlayer":
        """Read ``computed:DIR``, a folder that ``meldlab gin compute --save`` has written."""
        _, _, folder = text.partition(":")
        if not folder:
            raise BadText("a folder wanted, as in computed:DIR", text, len(text))
        values, facts = load(Path(folder))
        if (facts["cards"], facts["ranks"]) != (10, 13):
            raise NotLegalHere(f"{folder} was computed for {facts['cards']} cards of {4 * facts['ranks']}; the table deals 10 of 52")
        return cls(values, text, facts)

    @cached_property
    def _vector(self) -> NDArray[np.float64]:
        vector = np.zeros(kernel_layout.PARAMETERS)
        vector[kernel_layout.KIND] = kernel_layout.COMPUTED
        return vector

    @property
    def book(self) -> Book:
        """Return what the batch kernel computes with."""
        return NO_BOOK._replace(values=self.values)

    def vector(self) -> NDArray[np.float64]:
        """Return the player as the batch kernel takes it; it takes the book as well."""
        return self._vector

    def takes(self, view: View, upcard: Card) -> bool:
        """Tell whether the upcard is worth more than a card from stock."""
        return bool(computed_takes(sight_of(view), upcard.index, self.values, new_sheet()))

    def drop(self, view: View, chance: Chance) -> Drop:
        """Return the card without which the hand is worth most, and whether knocking is worth more than waiting."""
        chosen, _ = self._weighed(view)
        return Drop(CARDS[chosen % KNOCKS], chosen >= KNOCKS)

    def think(self, view: View, chance: Chance) -> list[Valued]:
        """Return what the hand is worth after each discard."""
        return valued_drops(view, self._weighed(view)[1]) if len(view.card_indices) > view.rules.cards else []

    def _weighed(self, view: View) -> tuple[int, NDArray[np.float64]]:
        """Return the kernel's choice, and what each discard leaves."""
        sheet = new_sheet()
        sheet.values[:] = np.nan
        return int(computed_discard(sight_of(view), self.values, sheet)), sheet.values
