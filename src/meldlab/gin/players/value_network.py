"""The light player: a small value network, trained on value tables and games, in place of the tables.

>>> LightPlayer.parse("network:light").against
'simple'
"""

import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, ClassVar

from meldlab.errors import NoSuchThing
from meldlab.gin.kernel_players import plain_workspace
from meldlab.gin.kernel_round import observe
from meldlab.gin.kernel_state import NetworkParameters, ValueWeights
from meldlab.gin.kernel_value_network import draw_value, take_value
from meldlab.gin.move import DRAW, DROPS, PASS, TAKES, Move, Verb
from meldlab.gin.network_files import FOLDER, check_weights, read_shipped, read_weights
from meldlab.gin.observation import state_of
from meldlab.gin.players.player import KernelPlayer, MoveValue
from meldlab.gin.view import Phase, View, best_melds
from meldlab.play import Chance

POINTS_PER_MATCH = 150.0  # points of a light network for a whole match, the scale of its training; not tuned


@cache
def _networks() -> tuple[str, ...]:
    return tuple(sorted(file.name.removesuffix(".npz") for file in FOLDER.iterdir() if file.name.startswith("light")))


def _holds_values(path: str) -> bool:
    """Return whether a file holds a value network; False if it cannot be read, which PolicyPlayer reports."""
    try:
        with zipfile.ZipFile(path) as file:
            # A policy has a value network, its prior, next to its own layers.
            return "rows.npy" in file.namelist() and "own.npy" not in file.namelist()
    except (OSError, zipfile.BadZipFile):
        return False


@dataclass(frozen=True, eq=False)
class LightPlayer(KernelPlayer):
    """Plays by a value network, whose input has the score and the cards that the opponent took and dropped."""

    plays_in_kernel: ClassVar[bool] = True
    network: ValueWeights
    name: str = "network:light"
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """Metadata of the training run."""
    noise: float = 0.0
    """Spread of the noise added to the value of each discard, to explore others in training."""

    def __post_init__(self) -> None:
        check_weights(self.network)

    @classmethod
    def parse(cls, text: str) -> "LightPlayer":
        """Read ``network:NAME`` with a network of the package, or ``network:FILE.npz``."""
        name = text.partition(":")[2]
        if name.endswith(".npz"):
            network, metadata = read_weights(ValueWeights, name, name)
        elif name in _networks():
            network, metadata = read_shipped(ValueWeights, name)
        else:
            raise NoSuchThing("network", name, [*_networks(), "FILE.npz"])
        return cls(network, text, metadata)

    @classmethod
    def knows(cls, text: str) -> bool:
        """Return whether a text names a value network."""
        name = text.partition(":")[2]
        return _holds_values(name) if name.endswith(".npz") else name in _networks()

    @property
    def against(self) -> str:
        """Return the opponents in training, separated by commas."""
        return str(self.metadata.get("against", ""))

    def parameters(self) -> NetworkParameters:
        """Return the parameters of the player in kernels."""
        return NetworkParameters(self.network, self.noise)

    def evaluate(self, view: View, chance: Chance) -> list[MoveValue]:
        """Return the value of each move: the upcard and the stock, or every discard and the knocks with it."""
        if len(view.card_indices) > view.rules.cards:
            return self._drop_values(view, chance)
        if view.phase not in (Phase.OFFER, Phase.DRAW):
            return []
        self._parameters_for(view)
        observation, upcard = observe(state_of(view)[0], view.seat, 0), view.pile_indices[-1]
        workspace = plain_workspace(self.network)
        stock = float(draw_value(observation, observation.turn + 1, self.network, workspace))
        value = float(take_value(observation, upcard, self.network, workspace))
        return [MoveValue(TAKES[upcard], value), MoveValue(PASS if view.phase is Phase.OFFER else DRAW, stock)]

    def _drop_values(self, view: View, chance: Chance) -> list[MoveValue]:
        """Return the value of every discard, with a knock where it is possible and without."""
        workspace, values = self._discard(view, chance)[2].workspace, list[MoveValue]()
        for card in view.card_indices:
            if card != view.taken_index and workspace.left[card] <= view.limit:
                knock = Move(Verb.KNOCK, card, best_melds(view.mask ^ 1 << card)[0])
                values.append(MoveValue(knock, float(workspace.risks[card])))
            if card != view.taken_index:
                values.append(MoveValue(DROPS[card], float(workspace.values[card])))
        return values
