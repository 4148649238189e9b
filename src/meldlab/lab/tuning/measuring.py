"""How good candidates are: games won on the same mirrored deals, counted by the batch kernel on all cores.

>>> paper, again = by_kernel([Ensemble(), Ensemble()], "simple", seed=1, first=0, games=40)
>>> paper == again, paper.games
(True, 40)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from meldlab.chance import verified
from meldlab.errors import NotLegalHere
from meldlab.gin import Rules, kernel_round, players
from meldlab.gin.batch import Seated, pair_of, rule_vector, seat
from meldlab.gin.players import Ensemble
from meldlab.pieces import on_cores
from meldlab.statistics import Interval, of_pairs

__all__ = ["Measure", "Measured", "by_kernel", "won_games"]


@dataclass(frozen=True)
class Measured:
    """Mirrored games of one player against another; they add up over any split of the games."""

    games: int = 0
    wins: int = 0
    swept: int = 0
    """Pairs of which both games were won."""

    def __add__(self, other: "Measured") -> "Measured":
        return Measured(self.games + other.games, self.wins + other.wins, self.swept + other.swept)

    @property
    def rate(self) -> Interval:
        """Return the share of games won; a mirrored pair is one observation."""
        return of_pairs(self.games, self.wins, self.swept)


class Measure(Protocol):
    """Whatever lets candidates play: the kernel at once, or shards whose counts are kept."""

    def __call__(self, candidates: Sequence[Ensemble], opponent: str, *, seed: int, first: int, games: int) -> list[Measured]:
        """Return what each candidate does in games ``first`` and following; all meet the same mirrored deals."""


def by_kernel(candidates: Sequence[Ensemble], opponent: str, *, seed: int, first: int, games: int) -> list[Measured]:
    """Let candidates play in the batch kernel, on all cores."""
    found = won_games(candidates, opponent, seed=seed, first=first, games=games)
    return [Measured(games, int(won.sum()), int((won.reshape(-1, 2).sum(1) == 2).sum())) for won in found]


def won_games(candidates: Sequence[Ensemble], opponent: str, *, seed: int, first: int, games: int) -> list[NDArray[np.int64]]:
    """Return [games] int64 for each candidate, 1 for each game that it wins: for paired tests."""
    if games < 2 or games % 2 or first % 2:
        raise NotLegalHere(f"games {first} to {first + games - 1} are not mirrored pairs")
    number, rules, log = verified(seed), rule_vector(Rules()), np.empty((0, kernel_round.LOG_WIDTH), np.int64)
    other, deals = _seat(opponent), games // 2
    seated = [pair for each in candidates for pair in (pair_of(each, other), pair_of(other, each))]
    counts = np.zeros((len(seated), deals, kernel_round.COUNTS), np.int32)

    def play(at: int, many: int) -> None:
        # Games of all candidates in one row; a piece may end one candidate's games and begin the next one's.
        for who in range(at // deals, max(at // deals + 1, -(-(at + many) // deals))):
            start, end = max(at - who * deals, 0), min(at + many - who * deals, deals)
            kernel_round.play_some(*seated[who], rules, number, first // 2 + start, end - start, log, counts[who, start:end])

    on_cores(play, deals * len(seated), size=16)
    winners = counts[:, :, kernel_round.WINNER_SEAT].reshape(len(candidates), 2, deals)
    return [np.stack([each[0] == 0, each[1] == 1], 1).astype(np.int64).reshape(games) for each in winners]


@cache
def _seat(name: str) -> Seated:
    return seat(players.parse(name))
