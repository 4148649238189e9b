"""One table as an environment of PettingZoo: the seats are agents and act in turn, an observation carries the mask of legal actions.

An observation is ``{"observation": uint8 [F], "action_mask": int8 [A]}``, and ``infos[agent]["action_mask"]`` is the same mask; for an
agent that is not to move the mask is all zeros. Rewards of all agents add up to nothing in every step.

``reset(seed=s)`` deals game 0 of seed ``s``, the game that ``meldlab ... --seed s`` plays first, and each ``reset()`` after it the next
game of that seed; without any seed the first ``reset()`` takes one from the operating system. ``env.unwrapped.deal`` tells which game it
is: not a part of ``infos``, since it determines the cards.

What an illegal action does is chosen when the environment is made:

- ``illegal="loss"``: the game is over, the agent loses as much as by the worst loss, and the others share that;
- ``illegal="random"``: a legal one is drawn in its place, by the seed; for learners that know no masks;
- ``illegal="raise"``: NotLegalHere, and nothing has changed;
- ``illegal="pettingzoo"``: PettingZoo's own wrapper, under which the agent has -1 and the others nothing.
"""

import secrets
from collections.abc import Sequence
from operator import index
from typing import Any, Protocol

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from numpy.typing import NDArray
from pettingzoo.utils import AECEnv
from pettingzoo.utils.wrappers import TerminateIllegalWrapper

from meldlab.errors import NoSuchThing, NotLegalHere, whole_number
from meldlab.play import Deal

ILLEGAL = ("loss", "random", "raise", "pettingzoo")
RENDER_MODES = ("ansi", "human")
FRESH_SEEDS = 2**31  # as many as PettingZoo's own environments draw from


class IntegerGame(Protocol):
    """A game in progress whose seats, actions and observations are numbers; what the environment drives."""

    seats: int
    actions: int
    """Actions are 0 .. actions - 1."""
    width: int
    """The length of an observation."""

    def deal(self, deal: Deal) -> int:
        """Begin a game and return who is to move."""

    def step(self, action: int) -> tuple[int, Sequence[float] | None, bool]:
        """Do a legal action; return who is to move, the rewards of the seats (None: none), and whether the game is over."""

    def mask(self) -> NDArray[np.int8]:
        """Return [actions], what the seat to move may do, in an array of the caller's own."""

    def features(self, seat: int) -> NDArray[np.uint8]:
        """Return [width], what a seat sees, in an array of the caller's own; also when the game is over."""

    def forfeit(self, seat: int) -> Sequence[float]:
        """Return the rewards when a seat forfeits: the worst loss."""

    def __str__(self) -> str:
        """Return the whole table as lines of text, for onlookers."""


class Actions(Discrete):
    """The numbers of actions; of a mask one is drawn as ``Discrete`` does it, in a tenth of the time.

    >>> Actions(4, seed=1).sample(np.array([0, 1, 0, 1], np.int8)) in (1, 3)
    True
    """

    def sample(self, mask: Any = None, probability: Any = None) -> np.int64:
        """Draw an action, of the legal ones if there is a mask."""
        if probability is None and type(mask) is np.ndarray and mask.dtype == np.int8 and mask.shape == (self.n,):
            legal = mask.nonzero()[0]
            return np.int64(legal[self.np_random.integers(len(legal))]) if len(legal) else self.start
        return super().sample(mask, probability)


class TableEnv(AECEnv[str, dict[str, NDArray[Any]], int]):  # type: ignore[misc]  # PettingZoo has no types of its own
    """The agents ``player_0`` and on at one table; everything that PettingZoo's wrappers check is checked here."""

    def __init__(
        self, name: str, table: IntegerGame, *, illegal: str = "loss", max_cycles: int | None = None, render_mode: str | None = None
    ) -> None:
        if illegal not in ILLEGAL:
            raise NoSuchThing("way with illegal actions", illegal, ILLEGAL)
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise NoSuchThing("render mode", render_mode, RENDER_MODES)
        self.metadata = {"name": name, "render_modes": list(RENDER_MODES), "is_parallelizable": False, "render_fps": 2}
        self.table, self.illegal, self.render_mode = table, illegal, render_mode
        self.max_steps = 0 if max_cycles is None else whole_number(max_cycles, "max_cycles", minimum=1)
        self.possible_agents = [f"player_{seat}" for seat in range(table.seats)]
        self.deal: Deal | None = None
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._nothing = np.zeros(table.actions, np.int8)
        self._nothing.flags.writeable = False
        self._actions = {agent: Actions(table.actions) for agent in self.possible_agents}
        self._observations = {
            agent: Dict({"observation": Box(0, 255, (table.width,), np.uint8), "action_mask": Box(0, 1, (table.actions,), np.int8)})
            for agent in self.possible_agents
        }
        self.agents: list[str] = []
        self.agent_selection = ""

    def __str__(self) -> str:
        return str(self.metadata["name"])

    def observation_space(self, agent: str) -> Dict:
        """Return the space of what an agent sees."""
        return self._observations[agent]

    def action_space(self, agent: str) -> Discrete:
        """Return the space of the actions, legal or not."""
        return self._actions[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal game 0 of a seed; without one, the next game of the seed that is played."""
        if seed is not None:
            self.deal = Deal(seed)
        elif self.deal is None:
            self.deal = Deal(secrets.randbelow(FRESH_SEEDS))
        else:
            self.deal = Deal(self.deal.seed, self.deal.number + 1)
        self._steps = 0
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations, self.truncations = dict.fromkeys(self.agents, False), dict.fromkeys(self.agents, False)
        self._over = self._paid = False
        self._turn(self.table.deal(self.deal))

    def observe(self, agent: str) -> dict[str, NDArray[Any]]:
        """Return what an agent sees, and what it may do; nothing while it is not to move."""
        if self.deal is None:
            raise NotLegalHere("nothing is dealt yet: call reset()")
        seat = self._seats[agent]
        return {"observation": self.table.features(seat), "action_mask": self._mask if seat == self._seat else self._nothing}

    def step(self, action: int | None) -> None:
        """Do the action of the agent that is to move; an agent whose game is over steps with None."""
        agent = self.agent_selection
        if not self.agents:
            raise NotLegalHere("nothing is dealt yet: call reset()" if self.deal is None else "the game is over: call reset()")
        if self._over:
            self._was_dead_step(action)
            return
        try:
            number = index(action)  # type: ignore[arg-type]
            legal = number >= 0 and self._mask[number]
        except (TypeError, IndexError):
            legal = False
        if not legal:
            if self.illegal != "random":
                self._break_off(action)
                return
            number = self._legal_action()
        self._cumulative_rewards[agent] = 0.0
        seat, rewards, over = self.table.step(number)
        self._steps += 1
        if rewards is not None:
            self._pay(rewards)
        elif self._paid:
            self._clear_rewards()
            self._paid = False
        if over:
            self._end(self.terminations)
        elif self._steps == self.max_steps:
            self._end(self.truncations)
        else:
            self._turn(seat)
        if self.render_mode == "human":
            self.render()

    def _legal_action(self) -> int:
        """Return a random legal action."""
        assert self.deal is not None
        legal: list[int] = np.flatnonzero(self._mask).tolist()
        return self.deal.chance(self._steps, self._seat).pick(legal)

    def _turn(self, seat: int) -> None:
        self._seat, self._mask = seat, self.table.mask()
        self.agent_selection = self.possible_agents[seat]
        self.infos = {agent: {"action_mask": self._nothing} for agent in self.agents}
        self.infos[self.agent_selection] = {"action_mask": self._mask}

    def _pay(self, rewards: Sequence[float]) -> None:
        for agent, reward in zip(self.agents, rewards, strict=True):
            self.rewards[agent] = float(reward)
            self._cumulative_rewards[agent] += float(reward)
        self._paid = True

    def _break_off(self, action: object) -> None:
        if self.illegal == "raise":
            raise NotLegalHere(f"action {action!r} of {self.agent_selection} is not legal here: {np.flatnonzero(self._mask).tolist()} are")
        self._cumulative_rewards[self.agent_selection] = 0.0
        self._pay(self.table.forfeit(self._seat))
        self._end(self.terminations)

    def _end(self, ends: dict[str, bool]) -> None:
        for agent in self.agents:
            ends[agent] = True
        self._over, self._seat, self.agent_selection = True, -1, self.agents[0]
        self.infos = {agent: {"action_mask": self._nothing} for agent in self.agents}

    def render(self) -> str | None:
        """Return (``ansi``) or print (``human``) the whole table, all hands open; agents see what ``observe`` gives them."""
        if self.deal is None:
            raise NotLegalHere("nothing is dealt yet: call reset()")
        if self.render_mode == "human":
            print(self.table, end="\n\n")
        return str(self.table) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Leave: there is nothing to give back."""


def environment(name: str, table: IntegerGame, illegal: str, max_cycles: int | None, render_mode: str | None) -> AECEnv[str, Any, int]:
    """Return the environment of a table, behind PettingZoo's wrapper where that is to judge illegal actions."""
    env = TableEnv(name, table, illegal=illegal, max_cycles=max_cycles, render_mode=render_mode)
    return TerminateIllegalWrapper(env, illegal_reward=-1.0) if illegal == "pettingzoo" else env
