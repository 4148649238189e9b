"""Gin for PufferLib 3: many tables in one environment, the mask of legal actions packed into the observation.

An observation is the 432 numbers of ``meldlab.gin.vector`` and behind them the mask, 108 numbers that are 0 or 1: ``split`` takes them
apart, numpy arrays and tensors alike. PufferLib's own policies know no masks, so an action that is not legal is replaced by a legal one
drawn by the seed; a policy that reads the mask never sees that happen.

    import pufferlib.vector
    from meldlab.adapters.pufferlib import gin

    env = pufferlib.vector.make(gin, env_kwargs={"tables": 4096, "opponent": "simple"}, backend=pufferlib.PufferEnv)
"""

from functools import cache
from typing import Any

import numpy as np

from meldlab.errors import NotLegalHere, NotPossible, whole_number
from meldlab.gin.rules import Rules
from meldlab.gin.vector import ACTIONS, FEATURES, GinVector

__all__ = ["gin", "split"]


def gin(
    tables: int = 1024,
    rules: Rules | str = "eaai",
    opponent: Any = "simple",
    reward: Any = None,
    threads: int = 0,
    buf: Any = None,
    seed: int | None = 0,
) -> Any:
    """Return a PufferEnv in which each table is an agent; ``rules`` by name, TOML file or value.

    ``opponent`` is any player that plays in the kernels. Now and then ``infos`` hold the share of games ``won`` and the points ``gained``
    by a game, of as many games as there are tables.
    """
    if opponent is None:
        raise NotLegalHere("an agent of PufferLib has one seat: name the opponent that has the other")
    house = Rules.named(rules) if isinstance(rules, str) else rules
    many = whole_number(tables, "number of tables", 1)
    return _kind()(GinVector(many, house, seed or 0, opponent, reward=reward, threads=threads), buf)


def split(observations: Any) -> tuple[Any, Any]:
    """Return the features and the mask of observations.

    >>> features, mask = split(np.zeros((7, 540), np.uint8))
    >>> features.shape, mask.shape
    ((7, 432), (7, 108))
    """
    return observations[..., :FEATURES], observations[..., FEATURES:]


@cache
def _kind() -> Any:
    """Return the class of the environment, made when it is first asked for: its parent is PufferLib's."""
    try:
        import pufferlib
    except ImportError:
        raise NotPossible("pufferlib is not installed: pip install pufferlib") from None
    from gymnasium.spaces import Box, Discrete

    class GinPuffer(pufferlib.PufferEnv):  # type: ignore[misc]  # PufferLib has no types
        """Tables of gin behind PufferLib's buffers."""

        def __init__(self, tables: GinVector, buf: Any) -> None:
            self.single_observation_space = Box(0, 255, (FEATURES + ACTIONS,), np.uint8)
            self.single_action_space = Discrete(ACTIONS)
            self.num_agents, self.tables = tables.n, tables
            super().__init__(buf)
            self._all = np.arange(tables.n)
            self._games, self._won, self._gained = 0, 0, 0.0
            self._write()

        def _write(self) -> None:
            seen = self.tables.observe()
            self.observations[:, :FEATURES] = seen.features
            self.observations[:, FEATURES:] = seen.mask

        def reset(self, seed: int | None = None) -> tuple[Any, list[Any]]:
            """Deal the first games of a seed; without one, the next games."""
            self.tables.reset(seed)
            self._write()
            self.rewards[:], self.terminals[:], self.truncations[:] = 0.0, False, False
            return self.observations, []

        def step(self, actions: Any) -> tuple[Any, Any, Any, Any, list[Any]]:
            """Do an action at each table, and write what comes of it into the buffers."""
            seen, given = self.tables.observe(), np.asarray(actions, np.int64).reshape(-1)
            seats, inside = seen.to_move.astype(np.int64), np.clip(given, 0, ACTIONS - 1)
            legal = (inside == given) & (seen.mask[self._all, inside] == 1)
            stepped = self.tables.step(given if legal.all() else np.where(legal, given, self.tables.random_actions()))
            self.rewards[:] = stepped.rewards[self._all, seats]
            self.terminals[:] = stepped.done
            self._write()
            return self.observations, self.rewards, self.terminals, self.truncations, self._infos(stepped, seats)

        def _infos(self, stepped: Any, seats: Any) -> list[Any]:
            """Return the games since the last info, once every table may have ended one; PufferLib takes the mean of such infos."""
            if stepped.done.any():
                ended = np.flatnonzero(stepped.done)
                own, other = stepped.scores[ended, seats[ended]], stepped.scores[ended, 1 - seats[ended]]
                self._games, self._won = self._games + len(ended), self._won + int((own > other).sum())
                self._gained += float((own - other).sum())
            if self._games < self.num_agents:
                return []
            info = {"games": self._games, "won": self._won / self._games, "gained": self._gained / self._games}
            self._games, self._won, self._gained = 0, 0, 0.0
            return [info]

        def close(self) -> None:
            """Leave: there is nothing to give back."""

    return GinPuffer
