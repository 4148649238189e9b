"""RECYCLE games with the seats as agents: ``meldlab/recycle-v0``.

>>> env = env(game="kuhn_poker")
>>> env.reset(seed=7)
>>> print(env.unwrapped.table)
p1 to move
STOCK: QUEEN
HAND of p1: JACK
HAND of p2: KING
PAID of p1 1, PAID of p2 1

``game`` is the name of a game in the library or of a file, or a ``RecycleGame``. Actions are the options of the agent to move, by their
indexes as ``legal_actions()`` of its view lists them (``env.unwrapped.table.state.view(seat)`` has them as text). The action space has
``options`` of them; where there are more, ``overflow="error"`` raises NotPossible with the number that is needed, and
``overflow="truncate"`` offers the first ones only. The numbers of an observation are those of ``meldlab.recycle.features``, by name in
``env.unwrapped.table.vector.features.names``. Rewards come at the end and are those of ``meldlab.recycle.vector``: ``reward="place"``, the
share of opponents behind the seat less the share ahead of it, or ``reward="score"``, the score less the mean of all. A seat that forfeits
is behind all others, and so is its team; by score it is one point behind the worst score as the game stands.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pettingzoo.utils import AECEnv, ParallelEnv
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from meldlab.adapters.pettingzoo.aec import environment
from meldlab.play import Deal
from meldlab.recycle.game import RecycleGame
from meldlab.recycle.state import State
from meldlab.recycle.vector import Overflow, RecycleVector, Reward


class RecycleTable:
    """One table of the vector environment."""

    def __init__(self, game: RecycleGame | str, options: int, reward: Reward, overflow: Overflow) -> None:
        self.vector = RecycleVector(game, 1, options=options, reward=reward, overflow=overflow)
        self.seats, self.actions, self.width = self.vector.seats, options, self.vector.features.width
        seen = self.vector.observe()
        self._features, self._mask, self._to_move = seen.features[0], seen.mask[0], seen.to_move
        self._ending: tuple[State, int] | None = None  # the last decision of a game that is over

    def deal(self, deal: Deal) -> int:
        """Begin a game and return who is to move."""
        self._ending = None
        self.__dict__.pop("_last", None)
        self.vector.reset([deal.seed], first=deal.number)
        return int(self._to_move[0])

    def step(self, action: int) -> tuple[int, Sequence[float] | None, bool]:
        """Carry out an option."""
        before = self.vector.state(0)
        stepped = self.vector.step([action])
        if not stepped.done[0]:
            return int(self._to_move[0]), None, False
        self._ending = before, action
        return int(self._to_move[0]), stepped.rewards[0].tolist(), True

    @property
    def state(self) -> State:
        """Return the state of the game, also when it is over."""
        return self.vector.state(0) if self._ending is None else self._last

    @cached_property
    def _last(self) -> State:
        # The vector environment has dealt the next game already.
        assert self._ending is not None
        before, action = self._ending
        return before.apply(before.view(before.seat or 0).legal_actions()[action])

    def mask(self) -> NDArray[np.int8]:
        """Return what the seat to move may do."""
        return np.array(self._mask)

    def features(self, seat: int) -> NDArray[np.uint8]:
        """Return what a seat sees."""
        if self._ending is None and seat == self._to_move[0]:
            return np.array(self._features)
        return self.vector.features.of(self.state, seat)

    def forfeit(self, seat: int) -> list[float]:
        """Return the rewards when a seat forfeits."""
        machine, scores = self.vector.game.machine, self.state.forfeit(seat, "an illegal action").scores
        sign = 1 if machine.scoring == "max" else -1
        if self.seats == 1:
            return [float(sign * scores[0])]
        if self.vector.reward == "score":
            return [sign * (score - sum(scores) / self.seats) for score in scores]
        teams = self.state.position.teams
        lost = [other == seat or teams[other] == teams[seat] != 0 for other in range(self.seats)]
        return [-1.0 if gone else sum(lost) / max(1, self.seats - sum(lost)) for gone in lost]

    def __str__(self) -> str:
        state = self.state
        position, result, describer = state.position, state.result, state.describer
        head = f"p{position.to_move + 1} to move" if result is None else f"the game is over, scores {' '.join(map(str, result.scores))}"
        lines = [head]
        for location, cards in position.locations():
            names = " ".join(describer.card_names[position.type_of(card)] for card in cards)
            lines.append(f"{describer.location_name(location)}: {names}")
        cells = [f"{name}{describer.owner_text(category, owner)} {value}" for _, category, owner, name, value in position.cells()]
        return "\n".join([*lines, *([", ".join(cells)] if cells else [])])


def env(
    *,
    game: RecycleGame | str = "block_rummy",
    options: int = 64,
    reward: Reward = "place",
    overflow: Overflow = "error",
    illegal: str = "loss",
    max_cycles: int | None = None,
    render_mode: str | None = None,
) -> AECEnv[str, Any, int]:
    """Return the environment; ``max_cycles`` is how many actions may be taken before a game is truncated."""
    return environment("recycle_v0", RecycleTable(game, options, reward, overflow), illegal, max_cycles, render_mode)


def parallel_env(**options: Any) -> ParallelEnv[str, Any, int]:
    """Return the same for libraries in which all agents act at once: only the action of the agent to move counts."""
    return turn_based_aec_to_parallel(env(**options))
