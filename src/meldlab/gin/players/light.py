"""The light player: what the tables and much play have taught a small network, without the tables.

>>> LightPlayer.parse("computed:light").against
'simple'
"""

import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meldlab.cards import CARDS, Card
from meldlab.errors import NoSuchThing
from meldlab.gin import kernel_layout
from meldlab.gin.book import NO_BOOK, check_network, read_layers
from meldlab.gin.kernel_layout import Book, Network
from meldlab.gin.kernel_round import new_sheet
from meldlab.gin.move import DRAW, DROPS, PASS, TAKES, Move, Verb
from meldlab.gin.players.kernel_light import KNOCK_ANSWER, answer, light_best, light_discard, light_draws, light_takes
from meldlab.gin.players.player import Drop, GinPlayer, Valued
from meldlab.gin.players.sight import sight_of
from meldlab.gin.view import Phase, View, best_melds
from meldlab.play import Chance

__all__ = ["MATCH_WORTH", "LightPlayer", "read_network"]

KNOCKS = 64  # what the kernel adds to a discard that it knocks with
MATCH_WORTH = 150.0  # in points of a light network: a whole match
NO_KEY = np.uint64(0)
FOLDER = resources.files("meldlab.gin.players") / "networks"


@cache
def _networks() -> tuple[str, ...]:
    return tuple(sorted(file.name.removesuffix(".npz") for file in FOLDER.iterdir() if file.name.startswith("light")))


def read_network(file: Any, name: str) -> tuple[Network, dict[str, Any]]:
    """Return the network of an open file or a path, and the notes that are kept with it."""
    return read_layers(Network, check_network, file, name)


@cache
def _shipped(name: str) -> tuple[Network, dict[str, Any]]:
    with (FOLDER / f"{name}.npz").open("rb") as file:
        return read_network(file, f"{name}.npz")


def _holds_values(path: str) -> bool:
    """Tell whether a file holds a network of this kind; of one that cannot be read others say what is wrong."""
    try:
        with zipfile.ZipFile(path) as file:
            # A policy has one of this kind beside its own layers, as its adviser.
            return "rows.npy" in file.namelist() and "own.npy" not in file.namelist()
    except (OSError, zipfile.BadZipFile):
        return False


@dataclass(frozen=True, eq=False)
class LightPlayer(GinPlayer):
    """Plays by a network; it minds the score, and the cards that the opponent took, dropped or left."""

    network: Network
    name: str = "computed:light"
    notes: Mapping[str, Any] = field(default_factory=dict)
    """What is known of how it was taught."""

    def __post_init__(self) -> None:
        check_network(self.network)

    @classmethod
    def parse(cls, text: str) -> "LightPlayer":
        """Read ``computed:NAME`` with a network of the package, or ``computed:FILE.npz``."""
        name = text.partition(":")[2]
        if name.endswith(".npz"):
            network, notes = read_network(name, name)
        elif name in _networks():
            network, notes = _shipped(name)
        else:
            raise NoSuchThing("network", name, [*_networks(), "FILE.npz"])
        return cls(network, text, notes)

    @classmethod
    def knows(cls, text: str) -> bool:
        """Tell whether a text names a network of this kind."""
        name = text.partition(":")[2]
        return _holds_values(name) if name.endswith(".npz") else name in _networks()

    @property
    def against(self) -> str:
        """Return whom it has learned against, with commas between."""
        return str(self.notes.get("against", ""))

    @property
    def book(self) -> Book:
        """Return what the batch kernel computes with."""
        return NO_BOOK._replace(network=self.network)

    def vector(self) -> NDArray[np.float64]:
        """Return the player as the batch kernel takes it; it takes the book as well."""
        vector = np.zeros(kernel_layout.PARAMETERS)
        vector[kernel_layout.KIND] = kernel_layout.LIGHT
        return vector

    def takes(self, view: View, upcard: Card) -> bool:
        """Tell whether the upcard is worth more than a card from stock."""
        return bool(light_takes(sight_of(view), upcard.index, self.network, new_sheet()))

    def drop(self, view: View, chance: Chance) -> Drop:
        """Return the card without which the hand is worth most, and whether knocking is worth more than waiting."""
        chosen = int(light_discard(sight_of(view), 0.0, NO_KEY, self.network, new_sheet()))
        return Drop(CARDS[chosen % KNOCKS], chosen >= KNOCKS)

    def think(self, view: View, chance: Chance) -> list[Valued]:
        """Return what each move is worth: the upcard and the stock, or every discard and the knocks with it."""
        if len(view.card_indices) > view.rules.cards:
            return [one for card in view.card_indices if card != view.taken_index for one in self._dropping(view, card)]
        if view.phase not in (Phase.OFFER, Phase.DRAW):
            return []
        sight, sheet, upcard = sight_of(view), new_sheet(), view.pile_indices[-1]
        stock = float(light_draws(sight, sight.turn + 1, self.network, sheet))
        one = 1 << upcard
        taken = sight._replace(hand=sight.hand | one, barred=one, turn=sight.turn + 1, pile=sight.pile & ~one)
        value = float(light_best(taken, 0.0, NO_KEY, self.network, new_sheet()))
        return [Valued(TAKES[upcard], value), Valued(PASS if view.phase is Phase.OFFER else DRAW, stock)]

    def _dropping(self, view: View, card: int) -> list[Valued]:
        """Return what it is worth to discard one card, with a knock and without; the last card looked at stays on the sheet."""
        sheet = new_sheet()
        light_best(sight_of(view)._replace(barred=view.mask & ~(1 << card)), 0.0, NO_KEY, self.network, sheet)
        waits = Valued(DROPS[card], float(sheet.values[card]))
        if sheet.left[card] > view.limit:
            return [waits]
        knock = Move(Verb.KNOCK, card, best_melds(view.mask ^ 1 << card)[0])
        return [Valued(knock, float(answer(sheet.inner, self.network, KNOCK_ANSWER))), waits]
