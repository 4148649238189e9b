"""The chance to win a match from its score: what points of a round are worth.

Two equal players meet, the one who reviews in both seats: how often a round brings how many points is measured over rounds of theirs, and
taken to be the same at every score. From the highest scores down, the chance to win follows by the rules of the match. The counts are kept
in the cache, under a digest of everything they depend on.

>>> equity = Equity.of(np.array([[0.0, 0.25, 0.25], [0.0, 0.25, 0.25]]), Rules(match_points=2))
>>> equity.chance((0, 0), starter=0), equity.chance((1, 0), starter=0), equity.chance((0, 1), starter=0)
(0.5, 0.625, 0.375)
"""

import hashlib
import json
import zlib
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meldlab.cache import cache_folder, replace_file
from meldlab.chance import Purpose, derived
from meldlab.errors import NotPossible
from meldlab.gin import kernel_layout, kernel_round
from meldlab.gin.batch import Seated, pair_of, rule_vector
from meldlab.gin.review.kernel import fill_equity
from meldlab.gin.rules import Rules
from meldlab.pieces import on_cores
from meldlab.sources import code_digest

__all__ = ["Equity"]

ROUNDS = 8192  # of which the points are counted; the chance that the starter wins is known to half a hundredth then
CHUNK = 16
MOST_POINTS = 1000  # of a match: the chances of a longer one take too long
EVEN = 0.5
STARTERS = {"alternates": ((1, 1), (0, 0)), "winner": ((0, 1), (0, 1)), "loser": ((1, 0), (1, 0))}  # by who started and who won


@dataclass(frozen=True, eq=False)
class Equity:
    """The chance to win a match, by the points of both and who starts the next round."""

    rules: Rules
    chances: NDArray[np.float64]
    """[points wanted, points wanted, 2]: own points, the other's, 0 if one starts oneself; nothing for a match of one round."""

    @classmethod
    def of(cls, odds: NDArray[np.float64], rules: Rules) -> "Equity":
        """Return the chances if rounds bring points by ``odds``: [2, points], how often the starter wins so many, and the other."""
        wanted = rules.match_points
        if wanted > MOST_POINTS:
            raise NotPossible(f"a match of {wanted:,} points is too long to say who will win it; {MOST_POINTS:,} can be reviewed")
        chances = np.zeros((wanted, wanted, 2))
        fill_equity(odds, np.array(STARTERS[rules.next_starter], np.int64), chances)
        return cls(rules, chances)

    @classmethod
    def measured(cls, player: Seated, rules: Rules, threads: int = 1) -> "Equity":
        """Return the chances between two of this player; how their rounds end is counted once on a machine."""
        if not rules.match_points:
            return cls.of(np.zeros((2, 1)), rules)
        one_round = rule_vector(replace(rules, match_points=0, first_starter="first", wall_knock=False))
        one_round[kernel_layout.ANY_SCORES] = 1
        place = _place(player, one_round)
        counts = _read(place)
        if counts is None:
            counts = _counted(player, one_round, threads)
            _keep(counts, place)
        return cls.of(counts / ROUNDS, rules)

    def chance(self, scores: tuple[int, int], starter: int) -> float:
        """Return the chance to win from the own points and the other's; ``starter``: 0 if one starts the next round, else 1."""
        return float(self._at(np.array(scores[0]), np.array(scores[1]), np.array(starter)))

    def even(self, scores: tuple[int, int]) -> float:
        """Return the chance to win in the middle of a round that is as good for one as for the other, whoever starts the next."""
        return (self.chance(scores, 0) + self.chance(scores, 1)) / 2

    def after(self, scores: tuple[int, int], starter: int, outcomes: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the chance to win after a round that ``starter`` began, for each of its outcomes, coded as in ``play_worlds``."""
        points, lost = np.maximum(abs(outcomes) - 1, 0), outcomes < 0
        if not self.rules.match_points:
            return EVEN + np.sign(outcomes) / 2
        following = np.array(STARTERS[self.rules.next_starter])[starter, lost.astype(np.int64)]
        return self._at(scores[0] + points * ~lost, scores[1] + points * lost, np.where(outcomes == 0, starter, following))

    def _at(self, own: NDArray[Any], other: NDArray[Any], starter: NDArray[Any]) -> NDArray[np.float64]:
        last = self.rules.match_points - 1
        if last < 0:
            return np.full(own.shape, EVEN)
        going = self.chances[np.minimum(own, last), np.minimum(other, last), starter]
        return np.where(own > last, 1.0, np.where(other > last, 0.0, going))


def _counted(player: Seated, rules: NDArray[Any], threads: int) -> NDArray[np.int64]:
    """Return [2, points], in how many rounds the starter won so many, and the other, at scores drawn at random."""
    pair, counts = pair_of(player, player), np.zeros((ROUNDS, kernel_layout.COUNTS), np.int32)
    seed, log = derived(0, Purpose.REVIEW), np.empty((0, kernel_layout.LOG_WIDTH), np.int64)

    def play(first: int, many: int) -> None:
        kernel_round.play_some(pair, rules, seed, first, many, log, counts[first : first + many])

    on_cores(play, ROUNDS, threads=threads, size=CHUNK)
    scores, won = (counts[:, place : place + 2] for place in (kernel_layout.SCORE, kernel_layout.WON))
    most = int(scores.max()) + 1
    return np.array([np.bincount(scores[won[:, seat] > 0, seat], minlength=most) for seat in range(2)])


def _place(player: Seated, rules: NDArray[Any]) -> Path:
    """Return where the counts of a player under the rules of a round are kept; other code, another player or rule is another place."""
    digest = hashlib.sha256(code_digest("cli", "lab", "web", "waiting", "stopping", "rummikub", "recycle").encode())
    for array in (rules, player.vector, *(array for part in player.book for array in part)):
        digest.update(f"{array.dtype} {array.shape} ".encode() + array.tobytes())
    return cache_folder("gin", "equity") / f"{digest.hexdigest()[:32]}.json"


def _keep(counts: NDArray[np.int64], place: Path) -> None:
    told = counts.tolist()
    with replace_file(place) as file:
        file.write(json.dumps({"counts": told, "crc32": zlib.crc32(json.dumps(told).encode())}).encode())


def _read(place: Path) -> NDArray[np.int64] | None:
    """Return counts that were kept; nothing where there are none, or damaged ones, which are then counted anew."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        kept = json.loads(place.read_bytes())
        if zlib.crc32(json.dumps(kept["counts"]).encode()) == kept["crc32"]:
            return np.array(kept["counts"], np.int64)
    return None
