"""Gin rummy for two agents, under any of our rules: ``meldlab/gin_rummy-v0``.

>>> env = env(rules="pagat")
>>> env.reset(seed=7)
>>> print(env.unwrapped.table)
p1 to move: take the upcard, or pass
pile 4D, 31 cards in the stock, knock with 10
p1 AC 2H 2S 3H 4S 7C 7D 8S JD KC, deadwood 54, score 0
p2 2C 2D 3S 5H 6C 8H 9D TH TS JH, deadwood 65, score 0

The 108 actions and the 432 numbers of an observation are those of ``meldlab.gin.vector``: pass, draw, take, drop a card, knock with a card
as the discard, big gin. Melds are shown and cards laid off by the environment, as the built-in players do it; a match is a game, and rounds
follow one another within it. Rewards: ``reward="win"``, 1 for winning the match and -1 for losing it; ``reward="points"``, (own - other's
points) / 100 at the end of each round. By default matches are rewarded by winning, and a single round (``match_points = 0``) by points.
"""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pettingzoo.utils import AECEnv, ParallelEnv
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from meldlab.adapters.pettingzoo.aec import environment
from meldlab.cards import CARDS, Hand
from meldlab.gin.rules import Rules
from meldlab.gin.vector import ACTIONS, FEATURES, PLANES, SCALARS, GinVector
from meldlab.gin.view import Phase
from meldlab.play import Deal

TO_DO = {
    Phase.OFFER: "take the upcard, or pass",
    Phase.FORCED: "draw",
    Phase.DRAW: "draw or take",
    Phase.DROP: "drop or knock",
    Phase.WALL: "knock with the upcard, or pass",
    Phase.LAST: "knock",
}


class GinTable:
    """One table of the vector environment."""

    seats, actions, width = 2, ACTIONS, FEATURES

    def __init__(self, rules: Rules, reward: Literal["win", "points"] | None = None) -> None:
        self.vector = GinVector(1, rules, reward=reward, final_observations=True)
        seen = self.vector.observe()
        self._features, self._mask, self._to_move = seen.features[0], seen.mask[0], seen.to_move
        self._action, self._over = np.zeros(1, np.int64), False

    def deal(self, deal: Deal) -> int:
        """Begin a game and return who is to move."""
        self.vector.reset([deal.seed], first=deal.number)
        self._over = False
        return int(self._to_move[0])

    def step(self, action: int) -> tuple[int, Sequence[float] | None, bool]:
        """Do an action."""
        self._action[0] = action
        stepped = self.vector.step(self._action)
        self._over = bool(stepped.done[0])
        rewards = stepped.rewards[0]
        return int(self._to_move[0]), rewards.tolist() if rewards[0] else None, self._over

    def mask(self) -> NDArray[np.int8]:
        """Return what the seat to move may do."""
        return np.array(self._mask)

    def features(self, seat: int) -> NDArray[np.uint8]:
        """Return what a seat sees, or saw last."""
        if self._over:
            return np.array(self.vector.final_observations[0, seat])
        return np.array(self._features if seat == self._to_move[0] else self.vector.observe_both()[0, seat])

    def forfeit(self, seat: int) -> list[float]:
        """Return the rewards when a seat forfeits."""
        return [-self.vector.max_loss if other == seat else self.vector.max_loss for other in range(2)]

    def __str__(self) -> str:
        rows = [self.features(seat) for seat in range(2)]
        pile = sorted((int(place), CARDS[card]) for card, place in enumerate(rows[0][PLANES["order"]]) if place)
        facts = {name: int(rows[0][index]) for name, index in SCALARS.items()}
        head = "the game is over" if self._over else f"p{self._to_move[0] + 1} to move: {TO_DO[Phase(facts['phase'])]}"
        lines = [
            head,
            f"pile {' '.join(str(card) for _, card in pile)}, {facts['stock']} cards in the stock, knock with {facts['knock_limit']}",
        ]
        for seat, row in enumerate(rows):
            hand = Hand(CARDS[card] for card in np.flatnonzero(row[PLANES["own"]]))
            lines.append(f"p{seat + 1} {hand}, deadwood {row[SCALARS['deadwood']]}, score {row[SCALARS['own_score']]}")
        return "\n".join(lines)


def env(
    *,
    rules: Rules | str = "eaai",
    reward: Literal["win", "points"] | None = None,
    illegal: str = "loss",
    max_cycles: int | None = None,
    render_mode: str | None = None,
) -> AECEnv[str, Any, int]:
    """Return the environment: ``rules`` by name, TOML file or value, ``max_cycles`` the actions after which a game is truncated."""
    house = Rules.named(rules) if isinstance(rules, str) else rules
    return environment("gin_rummy_v0", GinTable(house, reward), illegal, max_cycles, render_mode)


def parallel_env(**options: Any) -> ParallelEnv[str, Any, int]:
    """Return the same for libraries in which all agents act at once: only the action of the agent to move counts."""
    return turn_based_aec_to_parallel(env(**options))
