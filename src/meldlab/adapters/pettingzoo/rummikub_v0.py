"""Rummikub for two to four agents, a turn put together tile by tile: ``meldlab/rummikub-v0``.

With K kinds of tiles (53 in the usual box: red, black, blue and orange 1 to 13, then the joker) there are K + 2 actions:

- ``0 .. K - 1``: pick a tile of that kind from the rack; only tiles that can still be part of a play are legal;
- ``K``: lay all tiles picked; legal as soon as they make a play, which ends the turn. The table is arranged by search, as few sets
  changed as possible;
- ``K + 1``: play nothing, draw a tile (or pass when the pool is empty); legal while nothing is picked.

So everything that one can get rid of in a turn can be played, and no sequence of legal actions leads nowhere. Which of several
arrangements of the same tiles comes to lie is not chosen, nor can one own up to a failed rearrangement for penalty tiles.

>>> env = env(rules="paper", seats=2)
>>> env.reset(seed=3)
>>> print(env.unwrapped.table)
p2 to move, 78 tiles in the pool
table
p1 R1 R6 R7 R13 K5 K12 K13 B10 O2 O4 O6 O7 O13 J
p2 R1 R9 K1 K4 K9 K11 B1 B3 B5 B5 B9 O11 O13 J

An observation is five planes of K numbers (``planes``) and 16 scalars (``SCALARS``). Rewards come at the end: ``reward="points"``, the
score divided by 100 (losers lose what they hold, the winner gets it), or ``reward="win"``, -1 for each loser, which the winners share.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pettingzoo.utils import AECEnv, ParallelEnv
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from meldlab.adapters.pettingzoo.aec import environment
from meldlab.adapters.pettingzoo.rummikub_picking import Picking
from meldlab.errors import NoSuchThing, NotLegalHere
from meldlab.play import Deal, Result
from meldlab.rummikub.game import Play, Rummikub
from meldlab.rummikub.position import format_table
from meldlab.rummikub.rules import Rules
from meldlab.rummikub.tiles import JOKER, Tile, show

REWARDS = ("points", "win")
PLANES = ("rack", "picked", "runs", "groups", "jokers")
"""Tiles of each kind on the own rack, picked by oneself, in runs and in groups on the table, and those that jokers there stand for."""
SCALARS = {
    **{f"tiles of seat + {ahead}": ahead for ahead in range(4)},
    **{f"opened by seat + {ahead}": 4 + ahead for ahead in range(4)},
    **{
        name: 8 + i
        for i, name in enumerate(("pool", "seats", "sets on the table", "points on the rack", "points to open", "passes", "to move"))
    },
}
"""Offset of each scalar behind the planes; seats are counted from the own one, and the last of the 16 is unused. Clipped at 255."""
WIDTH = 16


def kinds(rules: Rules) -> tuple[Tile, ...]:
    """Return the kinds of tiles in the order of the actions.

    >>> print(*kinds(Rules())[:3], *kinds(Rules())[-2:])
    R1 R2 R3 O13 J
    """
    return (*(Tile(colour, number) for colour in range(rules.colours) for number in range(1, rules.numbers + 1)), JOKER)


def planes(rules: Rules) -> dict[str, slice]:
    """Return where each plane of an observation lies.

    >>> planes(Rules())["picked"]
    slice(53, 106, None)
    """
    count = len(kinds(rules))
    return {name: slice(count * index, count * (index + 1)) for index, name in enumerate(PLANES)}


class RummikubTable:
    """A game of Rummikub whose actions are numbers."""

    def __init__(self, rules: Rules, seats: int = 2, reward: str = "points") -> None:
        self.game = Rummikub(rules)
        if seats not in self.game.seats:
            raise NotLegalHere(f"rummikub is for {self.game.seats[0]} to {self.game.seats[-1]} players, not {seats}")
        if reward not in REWARDS:
            raise NoSuchThing("reward", reward, REWARDS)
        self.rules, self.seats, self.reward, self.kinds = rules, seats, reward, kinds(rules)
        self._number = {tile: number for number, tile in enumerate(self.kinds)}
        self.actions, self.width = len(self.kinds) + 2, len(PLANES) * len(self.kinds) + WIDTH

    def deal(self, deal: Deal) -> int:
        """Begin a game and return who is to move."""
        self.state = self.game.start(self.seats, deal)
        return self._begin()

    def _begin(self) -> int:
        seat = self.state.turn
        self.turn = Picking(self.state.view(seat).position)
        return seat

    def mask(self) -> NDArray[np.int8]:
        """Return what the seat to move may do."""
        mask = np.zeros(self.actions, np.int8)
        mask[[self._number[tile] for tile in self.turn.open]] = 1
        mask[-2], mask[-1] = self.turn.table is not None, not self.turn.picked
        return mask

    def step(self, action: int) -> tuple[int, Sequence[float] | None, bool]:
        """Pick a tile, or end the turn."""
        state = self.state
        if action < len(self.kinds):
            self.turn = self.turn.pick(self.kinds[action])
            return state.turn, None, False
        if action == len(self.kinds):
            assert self.turn.table is not None
            self.state = state.apply(Play(self.turn.table))
        else:
            self.state = state.apply(state.view(state.turn).idle)
        result = self.state.result
        return self._begin(), None if result is None else self._rewards(result), result is not None

    def _rewards(self, result: Result) -> list[float]:
        if self.reward == "points":
            return [score / 100 for score in result.scores]
        won = len(result.winners)
        return [(self.seats - won) / won if seat in result.winners else -1.0 for seat in range(self.seats)]

    def forfeit(self, seat: int) -> list[float]:
        """Return the rewards when a seat forfeits."""
        return self._rewards(self.state.forfeit(seat, "an illegal action"))

    def features(self, seat: int) -> NDArray[np.uint8]:
        """Return what a seat sees: planes, then scalars."""
        view, seen = self.state.view(seat), np.zeros(self.width, np.int64)
        rack, picked, runs, groups, jokers = seen[:-WIDTH].reshape(len(PLANES), -1)
        to_move = view.acting == seat
        for plane, tiles in ((rack, view.rack), (picked, self.turn.picked if to_move else ())):
            for tile in tiles:
                plane[self._number[tile]] += 1
        for tile_set in view.table:
            plane = groups if tile_set.is_group else runs
            for tile in tile_set.tiles:
                plane[self._number[tile.piece]] += 1
                if tile.joker:
                    jokers[self._number[tile.stands_for]] += 1
        order = [(seat + ahead) % self.seats for ahead in range(self.seats)]
        scalars = seen[-WIDTH:]
        scalars[: self.seats] = [view.sizes[other] for other in order]
        scalars[4 : 4 + self.seats] = [view.opened[other] for other in order]
        points = sum(self.rules.joker_value if tile.joker else tile.number for tile in view.rack)
        scalars[8:15] = view.pool, self.seats, len(view.table), points, self.rules.opening, self.state.idle, to_move
        return np.minimum(seen, 255).astype(np.uint8)

    def __str__(self) -> str:
        state = self.state
        ending = state.result
        head = f"p{state.turn + 1} to move" if ending is None else f"{ending.reason}, scores {' '.join(map(str, ending.scores))}"
        picked = [f"picked {show(self.turn.picked)}"] if self.turn.picked else []
        racks = [f"p{seat + 1} {show(rack)}".rstrip() for seat, rack in enumerate(state.racks)]
        lines = [f"{head}, {len(state.pool)} tiles in the pool", f"table {format_table(state.table)}".rstrip(), *racks, *picked]
        return "\n".join(lines)


def env(
    *,
    rules: Rules | str = "official",
    seats: int = 2,
    reward: str = "points",
    illegal: str = "loss",
    max_cycles: int | None = None,
    render_mode: str | None = None,
) -> AECEnv[str, Any, int]:
    """Return the environment: ``rules`` by name, TOML file or value, ``max_cycles`` the actions after which a game is truncated."""
    house = Rules.named(rules) if isinstance(rules, str) else rules
    return environment("rummikub_v0", RummikubTable(house, seats, reward), illegal, max_cycles, render_mode)


def parallel_env(**options: Any) -> ParallelEnv[str, Any, int]:
    """Return the same for libraries in which all agents act at once: only the action of the agent to move counts."""
    return turn_based_aec_to_parallel(env(**options))
