"""The light player: what the tables and much play have taught a small network, without the tables.

>>> LightPlayer.parse("computed:light").against
'simple'
"""

import json
import zipfile
import zlib
from dataclasses import dataclass
from functools import cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from meldlab.cards import CARDS, Card
from meldlab.errors import NoSuchThing, NotLegalHere
from meldlab.gin import kernel_ensemble
from meldlab.gin.book import NO_BOOK, Book, check_network
from meldlab.gin.kernel_light import NARROW, WIDE, light_discard, light_takes
from meldlab.gin.move import Verb
from meldlab.gin.players.player import Drop, GinPlayer, Valued, valued_drops
from meldlab.gin.view import HAND_CARDS, View
from meldlab.play import Chance

__all__ = ["LightPlayer"]

KNOCKS = 64  # what the kernel adds to a discard that it knocks with
NO_KEY = np.uint64(0)
FOLDER = resources.files("meldlab.gin") / "networks"


@cache
def _networks() -> tuple[str, ...]:
    return tuple(sorted(file.name.removesuffix(".npz") for file in FOLDER.iterdir() if file.name.endswith(".npz")))


@cache
def _network(name: str) -> tuple[Book, str]:
    try:
        with (FOLDER / f"{name}.npz").open("rb") as file:
            arrays = np.load(file)
            rows, first, last = (np.ascontiguousarray(arrays[part], np.float32) for part in ("rows", "first", "last"))
            against = str(json.loads(str(arrays["notes"]))["against"])
    except (OSError, EOFError, KeyError, TypeError, ValueError, zipfile.BadZipFile, zlib.error) as problem:
        raise NotLegalHere(f"the network {name}.npz is damaged: {' '.join(str(problem).split())}") from None
    deck = np.array([(1 << 52) - 1, 10], np.int64)
    book = NO_BOOK._replace(deck=deck, rows=rows, first=first, last=last)
    try:
        check_network(book)
    except NotLegalHere as problem:
        raise NotLegalHere(f"the network {name}.npz is damaged: {problem}") from None
    return book, against


@dataclass(frozen=True, eq=False)
class LightPlayer(GinPlayer):
    """Plays by a network; it minds the score, and the cards that the opponent took, dropped or left."""

    book: Book
    name: str = "computed:light"
    against: str = "simple"
    """The player it has learned against."""

    def __post_init__(self) -> None:
        check_network(self.book)

    @classmethod
    def parse(cls, text: str) -> "LightPlayer":
        """Read ``computed:NAME`` with a network of the package."""
        _, _, name = text.partition(":")
        if name not in _networks():
            raise NoSuchThing("network", name, _networks())
        book, against = _network(name)
        return cls(book, text, against)

    @classmethod
    def knows(cls, text: str) -> bool:
        """Tell whether a text names a network."""
        return text.partition(":")[2] in _networks()

    def vector(self) -> NDArray[np.float64]:
        """Return the player as the batch kernel takes it; it takes the book as well."""
        vector = np.zeros(kernel_ensemble.PARAMETERS)
        vector[kernel_ensemble.KIND] = kernel_ensemble.LIGHT
        return vector

    def takes(self, view: View, upcard: Card) -> bool:
        """Tell whether the upcard is worth more than a card from stock."""
        seen = view.known_mask, *_seen(view), view.limit
        return bool(light_takes(view.mask, upcard.index, view.turn, *seen, self.book, *_sheets(np.zeros(53))))

    def drop(self, view: View, chance: Chance) -> Drop:
        """Return the card without which the hand is worth most, and whether knocking is worth more than waiting."""
        chosen, _ = self._weighed(view)
        return Drop(CARDS[chosen % KNOCKS], chosen >= KNOCKS)

    def think(self, view: View, chance: Chance) -> list[Valued]:
        """Return what the hand is worth after each discard."""
        return valued_drops(view, self._weighed(view)[1]) if len(view.card_indices) > HAND_CARDS else []

    def _weighed(self, view: View) -> tuple[int, NDArray[np.float64]]:
        """Return the kernel's choice, and what each discard leaves."""
        values = np.full(53, np.nan)
        barred = 1 << view.taken_index if view.taken_index >= 0 else 0
        seen = view.known_mask, *_seen(view), view.limit
        return int(light_discard(view.mask, barred, view.turn, *seen, 0.0, NO_KEY, self.book, *_sheets(values))), values


def _sheets(values: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float32], NDArray[np.float32]]:
    """Return what the kernels write on: deadwood and value of every discard, and the insides of the network."""
    return np.zeros(52, np.int64), values, np.zeros((2, WIDE), np.float32), np.zeros(NARROW, np.float32)


def _seen(view: View) -> tuple[int, int, int, int]:
    """Return the pile, what the opponent has dropped, and the scores, own first."""
    pile = sum(1 << card for card in view.pile_indices)
    dropped = 0
    for seat, move in view.history:
        if seat != view.seat and move.verb is Verb.DROP:
            dropped |= 1 << move.index
    return pile, dropped, view.scores[view.seat], view.scores[1 - view.seat]
