"""Gin for Gymnasium: one agent, the other seat played inside by one of our players.

>>> import gymnasium
>>> env = gymnasium.make("meldlab.adapters.gymnasium:meldlab/Gin-v0", opponent="simple", rules="pagat")
>>> seen, info = env.reset(seed=7)
>>> seen.shape, info["action_mask"].nonzero()[0].tolist()
((432,), [0, 2])
>>> seen, reward, terminated, truncated, info = env.step(0)

Observations and actions are those of ``meldlab.gin.vector``; the mask of legal actions is ``info["action_mask"]`` (int8, for
``action_space.sample(mask)``) and ``action_masks()`` (bool, for MaskablePPO). The agent sits in seat 0 in games of even number and in seat
1 in the others. ``reset(seed=s)`` deals game 0 of seed ``s``, each ``reset()`` after it the next one; without any seed the first one is
taken from the operating system. Rewards are those of the vector environment: for winning a match, or for points.

An illegal action loses the game by the worst loss (``illegal="loss"``), is replaced by a legal one drawn by the seed (``"random"``), or
raises NotLegalHere (``"raise"``).

Many tables at once come from the same name, without a loop in Python; tables that are done are dealt anew in the same step:

>>> envs = gymnasium.make_vec("meldlab.adapters.gymnasium:meldlab/Gin-v0", 100, vectorization_mode="vector_entry_point")
>>> seen, infos = envs.reset(seed=7)
>>> seen.shape, envs.unwrapped.action_masks().shape
((100, 432), (100, 108))
"""

import secrets
from operator import index
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from meldlab.errors import NoSuchThing, NotLegalHere, NotPossible
from meldlab.gin.rules import Rules
from meldlab.gin.vector import ACTIONS, FEATURES, GinVector

try:
    import gymnasium
except ImportError:
    raise NotPossible("gymnasium is not installed: pip install 'meldlab[environments]'") from None
from gymnasium.spaces import Box, Discrete
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

ILLEGAL = ("loss", "random", "raise")
ILLEGAL_OF_MANY = ("raise", "random")
FRESH_SEEDS = 2**31
Features = NDArray[np.uint8]
Info = dict[str, Any]


class GinEnv(gymnasium.Env[Features, np.int64]):
    """One seat of a gin table; ``rules`` by name, TOML file or value, ``opponent`` any player that plays in the kernels."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": []}  # type: ignore[misc]  # Gymnasium has it on the class, too

    def __init__(self, rules: Rules | str = "eaai", opponent: Any = "simple", reward: Any = None, illegal: str = "loss") -> None:
        if illegal not in ILLEGAL:
            raise NoSuchThing("way with illegal actions", illegal, ILLEGAL)
        _check(opponent)
        self.table = GinVector(1, rules_from(rules), [0], opponent, reward=reward, final_observations=True)
        self.illegal = illegal
        self.observation_space, self.action_space = Box(0, 255, (FEATURES,), np.uint8), Discrete(ACTIONS)
        self._dealt, self._over = False, True

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[Features, Info]:
        """Deal game 0 of a seed; without one, the next game of the seed that is played."""
        super().reset(seed=seed)
        if seed is not None or not self._dealt:
            self.table.reset([secrets.randbelow(FRESH_SEEDS) if seed is None else seed])
        elif not self._over:
            self.table.reset()  # where a game was over, the next one lies there already
        self._dealt, self._over = True, False
        return self._seen()

    def step(self, action: Any) -> tuple[Features, float, bool, bool, Info]:
        """Do an action, and all that the other seat does before it is the agent's turn again."""
        if self._over:
            raise NotLegalHere("the game is over: call reset()" if self._dealt else "nothing is dealt yet: call reset()")
        seen = self.table.observe()
        seat, nothing = int(seen.to_move[0]), np.zeros(ACTIONS, np.int8)
        if not _is_legal(action, seen.mask[0]):
            if self.illegal == "raise":
                raise NotLegalHere(f"action {action!r} is not legal here: {np.flatnonzero(seen.mask[0]).tolist()} are")
            if self.illegal == "loss":
                last, self._over = seen.features[0].copy(), True
                self.table.reset()
                return last, -self.table.max_loss, True, False, {"action_mask": nothing}
            action = self.table.random_actions()[0]
        stepped = self.table.step([int(action)])
        reward, self._over = float(stepped.rewards[0, seat]), bool(stepped.done[0])
        if self._over:
            scores = stepped.scores[0, [seat, 1 - seat]]
            return self.table.final_observations[0, seat].copy(), reward, True, False, {"action_mask": nothing, "scores": scores}
        features, info = self._seen()
        return features, reward, False, False, info

    def _seen(self) -> tuple[Features, Info]:
        seen = self.table.observe()
        return seen.features[0].copy(), {"action_mask": seen.mask[0].copy()}

    def action_masks(self) -> NDArray[np.bool_]:
        """Return [actions], which are legal, as MaskablePPO asks for them."""
        return np.array(self.table.observe().mask[0], np.bool_)


class GinVectorEnv(VectorEnv[Features, NDArray[np.int64], NDArray[Any]]):
    """Many gin tables, all stepped by the kernel; with ``copy=False`` observations and masks are its own arrays, written by the next step.

    ``reset(seed=s)`` lets table i play games i, i + n, i + 2n ... of seed ``s``; a list of seeds gives each table its own, of which it
    plays games 0, 1, 2. A table that is done shows its next game, and ``infos["final_obs"]`` and ``infos["final_info"]`` (with ``scores``,
    the agent's first) tell of the one that ended. An illegal action raises NotLegalHere that names its table, and nothing has changed; or
    it is replaced by a legal one (``illegal="random"``).
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": [], "autoreset_mode": AutoresetMode.SAME_STEP}  # type: ignore[misc]

    def __init__(
        self,
        num_envs: int = 1,
        rules: Rules | str = "eaai",
        opponent: Any = "simple",
        reward: Any = None,
        illegal: str = "raise",
        *,
        copy: bool = True,
        threads: int = 0,
    ) -> None:
        if illegal not in ILLEGAL_OF_MANY:
            raise NoSuchThing("way with illegal actions at many tables", illegal, ILLEGAL_OF_MANY)
        _check(opponent)
        self.tables = GinVector(num_envs, rules_from(rules), 0, opponent, reward=reward, threads=threads, final_observations=True)
        self.num_envs, self.illegal, self.copy = num_envs, illegal, copy
        self.single_observation_space, self.single_action_space = Box(0, 255, (FEATURES,), np.uint8), Discrete(ACTIONS)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._dealt, self._all = False, np.arange(num_envs)

    def reset(self, *, seed: int | list[int] | None = None, options: Info | None = None) -> tuple[Features, Info]:
        """Deal the first games of a seed, or of a seed for each table; without one, the next games of those that are played."""
        super().reset(seed=seed if isinstance(seed, int) else None)
        if seed is not None or not self._dealt:
            self.tables.reset(secrets.randbelow(FRESH_SEEDS) if seed is None else seed)
        else:
            self.tables.reset()
        self._dealt = True
        return self._seen()

    def step(self, actions: Any) -> tuple[Features, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], Info]:
        """Do an action at each table, and all that the other seats do before it is the agents' turn again."""
        if not self._dealt:
            raise NotLegalHere("nothing is dealt yet: call reset()")
        seen = self.tables.observe()
        seats = seen.to_move.astype(np.int64)
        if self.illegal == "random":
            given = np.asarray(actions, np.int64)
            legal = (given >= 0) & (given < ACTIONS)
            legal[legal] = seen.mask[self._all[legal], given[legal]] == 1
            actions = np.where(legal, given, self.tables.random_actions())
        stepped = self.tables.step(actions)
        rewards, done = stepped.rewards[self._all, seats].astype(np.float64), stepped.done.copy()
        features, infos = self._seen()
        if done.any():
            ended = np.flatnonzero(done)
            last = np.full(self.num_envs, None, object)
            for table in ended:
                last[table] = self.tables.final_observations[table, seats[table]].copy()
            scores = np.zeros((self.num_envs, 2), np.int64)
            scores[ended, 0], scores[ended, 1] = stepped.scores[ended, seats[ended]], stepped.scores[ended, 1 - seats[ended]]
            infos |= {"final_obs": last, "_final_obs": done.copy()}
            infos |= {"final_info": {"scores": scores, "_scores": done.copy()}, "_final_info": done.copy()}
        return features, rewards, done, np.zeros(self.num_envs, np.bool_), infos

    def _seen(self) -> tuple[Features, Info]:
        seen = self.tables.observe()
        features, mask = (seen.features.copy(), seen.mask.copy()) if self.copy else (seen.features, seen.mask)
        return features, {"action_mask": mask, "_action_mask": np.ones(self.num_envs, np.bool_)}

    def action_masks(self) -> NDArray[np.bool_]:
        """Return [tables, actions], which are legal."""
        return np.array(self.tables.observe().mask, np.bool_)


def rules_from(rules: Rules | str) -> Rules:
    """Return rules, or the preset of a name."""
    return Rules.named(rules) if isinstance(rules, str) else rules


def _check(opponent: Any) -> None:
    if opponent is None:
        raise NotLegalHere("one agent has one seat: name the opponent that has the other (for both seats use PettingZoo, or GinVector)")


def _is_legal(action: Any, mask: NDArray[np.int8]) -> bool:
    try:
        number = index(action)
    except TypeError:
        return False
    return 0 <= number < ACTIONS and bool(mask[number])


gymnasium.register("meldlab/Gin-v0", entry_point=f"{__name__}:GinEnv", vector_entry_point=f"{__name__}:GinVectorEnv")
