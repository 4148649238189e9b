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
from meldlab.gin import kernel_ensemble
from meldlab.gin.book import Book, check_tables
from meldlab.gin.kernel_computed import computed_discard, computed_takes
from meldlab.gin.players.player import Drop, GinPlayer, Valued, valued_drops
from meldlab.gin.values.folder import load
from meldlab.gin.view import HAND_CARDS, View
from meldlab.play import Chance

__all__ = ["ComputedPlayer"]

KNOCKS = 64  # what the kernel adds to a discard that it knocks with


@dataclass(frozen=True, eq=False)
class ComputedPlayer(GinPlayer):
    """Plays from a book of values; ``facts`` is the head of a saved one."""

    book: Book
    name: str = "computed"
    facts: Any = None

    def __post_init__(self) -> None:
        check_tables(self.book)

    @classmethod
    def parse(cls, text: str) -> "ComputedPlayer":
        """Read ``computed:DIR``, a folder that ``meldlab gin compute --save`` has written."""
        _, _, folder = text.partition(":")
        if not folder:
            raise BadText("a folder wanted, as in computed:DIR", text, len(text))
        book, facts = load(Path(folder))
        if (facts["cards"], facts["ranks"]) != (10, 13):
            raise NotLegalHere(f"{folder} was computed for {facts['cards']} cards of {4 * facts['ranks']}; the table deals 10 of 52")
        return cls(book, text, facts)

    @cached_property
    def _vector(self) -> NDArray[np.float64]:
        vector = np.zeros(kernel_ensemble.PARAMETERS)
        vector[kernel_ensemble.KIND] = kernel_ensemble.COMPUTED
        return vector

    def vector(self) -> NDArray[np.float64]:
        """Return the player as the batch kernel takes it; it takes the book as well."""
        return self._vector

    def takes(self, view: View, upcard: Card) -> bool:
        """Tell whether the upcard is worth more than a card from stock."""
        left, risks, values = _sheets()
        taken = computed_takes(view.mask, upcard.index, view.turn, view.known_mask, _pile(view), view.limit, self.book, left, risks, values)
        return bool(taken)

    def drop(self, view: View, chance: Chance) -> Drop:
        """Return the card without which the hand is worth most, and whether knocking is worth more than waiting."""
        chosen, _ = self._weighed(view)
        return Drop(CARDS[chosen % KNOCKS], chosen >= KNOCKS)

    def think(self, view: View, chance: Chance) -> list[Valued]:
        """Return what the hand is worth after each discard."""
        return valued_drops(view, self._weighed(view)[1]) if len(view.card_indices) > HAND_CARDS else []

    def _weighed(self, view: View) -> tuple[int, NDArray[np.float64]]:
        """Return the kernel's choice, and what each discard leaves."""
        left, risks, values = _sheets()
        values[:] = np.nan
        barred = 1 << view.taken_index if view.taken_index >= 0 else 0
        chosen = computed_discard(view.mask, barred, view.turn, view.known_mask, _pile(view), view.limit, self.book, left, risks, values)
        return int(chosen), values


def _sheets() -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Return what the kernels write on: deadwood and risk of every discard, and values."""
    return np.zeros(52, np.int64), np.zeros(52), np.zeros(53)


def _pile(view: View) -> int:
    return sum(1 << card for card in view.pile_indices)
