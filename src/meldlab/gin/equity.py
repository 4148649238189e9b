"""Match equity: the probability to win a match by score.

The odds of a round, the probability of each number of points for each seat, are assumed to be the same at every score. The win
probability follows from them by the rules of the match, from the highest scores down.

>>> equity = MatchEquity.from_odds(np.array([[0.0, 0.25, 0.25], [0.0, 0.25, 0.25]]), Rules(match_points=2))
>>> [equity.win_probability(scores, starter=0) for scores in ((0, 0), (1, 0), (0, 1))]
[0.5, 0.625, 0.375]
"""

import hashlib
import json
import zlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meldlab.cache import cache_folder, replace_file
from meldlab.chance import Purpose, derive_seed
from meldlab.digests import import_digest
from meldlab.errors import NotPossible
from meldlab.gin.batch import PlayerParameters, batch_rules, play_matches
from meldlab.gin.kernel_equity import EVEN, fill_equity
from meldlab.gin.kernel_state import RuleNumbers
from meldlab.gin.rules import Rules
from meldlab.gin.view import View

ROUNDS = 8192  # measured; the standard error of the starter's win rate is then half a percent
MAX_POINTS = 1000  # of a match; the table of a longer one takes too long
MAX_ROUND_POINTS = 200  # of a round in ``from_points``; more count as these
# The next starter, by starter and winner.
NEXT_STARTER = {"alternates": ((1, 1), (0, 0)), "winner": ((0, 1), (0, 1)), "loser": ((1, 0), (1, 0))}
OWN_START = ((0, 0), (0, 0))


@dataclass(frozen=True, eq=False)
class MatchEquity:
    """The probability to win a match, by the scores of both seats and the starter of the next round."""

    rules: Rules
    table: NDArray[np.float64]
    """[points + 1, points + 1, 2]: own score and the other's, up to those of the match; 0 if the own seat starts, else 1."""

    @classmethod
    def from_odds(cls, odds: NDArray[np.float64], rules: Rules) -> "MatchEquity":
        """Return the equity where rounds end by ``odds``: [2, points], probability that the starter, or the other, wins by such points."""
        return cls(rules, _filled(odds, rules, NEXT_STARTER[rules.next_starter]))

    @classmethod
    def from_self_play(cls, player: PlayerParameters, rules: Rules, threads: int = 1) -> "MatchEquity":
        """Return the equity between two of this player; the counts of its rounds are cached, and measured where they are missing."""
        if not rules.match_points:
            return cls.from_odds(np.zeros((2, 1)), rules)
        one_round = batch_rules(replace(rules, match_points=0, first_starter="first", wall_knock=False))
        one_round = one_round._replace(random_scores=rules.match_points)
        path = _cached_path(player, one_round)
        counts = _read(path)
        if counts is None:
            counts = _counted(player, one_round, threads)
            _save(counts, path)
        return cls.from_odds(counts / ROUNDS, rules)

    @classmethod
    def from_counts(cls, counts: NDArray[Any], rules: Rules) -> "MatchEquity":
        """Return the equity between equals without an advantage of the starter; ``counts``: [points], rounds won by each number."""
        odds = np.asarray(counts, np.float64) / (2 * max(1.0, float(np.sum(counts))))
        return cls.from_odds(np.stack([odds, odds]), rules)

    @classmethod
    def from_points(cls, points: NDArray[np.int64], rules: Rules) -> "MatchEquity":
        """Return the equity where rounds bring ``points``, [rounds], negative where the other seat wins, for either starter."""
        counts = np.bincount(np.clip(points, -MAX_ROUND_POINTS, MAX_ROUND_POINTS) + MAX_ROUND_POINTS, minlength=2 * MAX_ROUND_POINTS + 1)
        odds = np.stack([counts[MAX_ROUND_POINTS:], counts[MAX_ROUND_POINTS::-1]]) / len(points)
        odds[:, 0] = 0.0  # a round without points changes nothing
        # If the own seat starts every round, the odds of the starter are its own.
        table = _filled(odds, rules, OWN_START)
        return cls(rules, np.repeat(table[:, :, :1], 2, axis=2))

    def win_probability(self, scores: tuple[int, int], starter: int) -> float:
        """Return the win probability at the own and the other's score; ``starter``: 0 if the own seat starts the next round, else 1."""
        return float(self._lookup(np.array(scores[0]), np.array(scores[1]), np.array(starter)))

    def even(self, scores: tuple[int, int]) -> float:
        """Return the win probability within a round in which both seats are equally good: the mean over both starters of the next."""
        return (self.win_probability(scores, 0) + self.win_probability(scores, 1)) / 2

    def after_round(self, scores: tuple[int, int], starter: int, outcomes: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the win probability after each outcome of a round that ``starter`` started, coded as in ``kernel_sampling.Rollouts``."""
        signs, points = decode_outcomes(outcomes)
        lost = signs < 0
        if not self.rules.match_points:
            return EVEN + signs / 2
        following = np.array(NEXT_STARTER[self.rules.next_starter])[starter, lost.astype(np.int64)]
        return self._lookup(scores[0] + points * ~lost, scores[1] + points * lost, np.where(signs == 0, starter, following))

    def after_rollouts(self, view: View, outcomes: NDArray[np.int64], expected: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """Return the win probability of the seat of a view after each rollout, in the shape of ``outcomes``.

        ``expected``: change of the win probability where a rollout was truncated, NaN where its round ended; None if all rounds ended.
        """
        scores = view.scores[view.seat], view.scores[1 - view.seat]
        ended = self.after_round(scores, int(view.starter != view.seat), outcomes)
        if expected is None:
            return ended
        return np.where(np.isnan(expected), ended, np.clip(self.even(scores) + expected, 0.0, 1.0))

    def _lookup(self, own: NDArray[Any], other: NDArray[Any], starter: NDArray[Any]) -> NDArray[np.float64]:
        last = self.rules.match_points
        probabilities: NDArray[np.float64] = self.table[np.minimum(own, last), np.minimum(other, last), starter]
        return probabilities


def decode_outcomes(outcomes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return who scores, 1 for the own seat, -1 for the other, 0 without a score, and the points; coded by ``encode_outcome``."""
    return np.sign(outcomes), np.maximum(abs(outcomes) - 1, 0)


def _filled(odds: NDArray[np.float64], rules: Rules, next_starter: Sequence[Sequence[int]]) -> NDArray[np.float64]:
    """Return the table of a match; of a match of one round a single entry."""
    size = rules.match_points + 1
    if size > MAX_POINTS + 1:
        raise NotPossible(f"expected a match of at most {MAX_POINTS:,} points for its equity, got {size - 1:,}")
    table = np.full((size, size, 2), EVEN)
    if rules.match_points:
        fill_equity(odds, np.array(next_starter, np.int64), table)
    return table


def _counted(player: PlayerParameters, rules: RuleNumbers, threads: int) -> NDArray[np.int64]:
    """Return [2, points], the number of rounds that the starter, and the other, won by each number of points, at random scores."""
    matches = play_matches(player, player, rules, derive_seed(0, Purpose.REVIEW), 0, ROUNDS, threads)
    scores, won = matches["points"], matches["rounds_won"]
    most = int(scores.max()) + 1
    return np.array([np.bincount(scores[won[:, seat] > 0, seat], minlength=most) for seat in range(2)])


def _cached_path(player: PlayerParameters, rules: RuleNumbers) -> Path:
    """Return the path of the counts of a player under the rules of a round; it depends on the code, the player and the rules."""
    digest = hashlib.sha256(f"{import_digest('gin.equity')} {rules} {type(player).__name__}".encode())
    for value in player:
        for number in value if isinstance(value, tuple) else (value,):
            digest.update(np.ascontiguousarray(number).tobytes())
    return cache_folder("gin", "equity") / f"{digest.hexdigest()[:32]}.json"


def _save(counts: NDArray[np.int64], path: Path) -> None:
    rows = counts.tolist()
    with replace_file(path) as file:
        file.write(json.dumps({"counts": rows, "crc32": zlib.crc32(json.dumps(rows).encode())}).encode())


def _read(path: Path) -> NDArray[np.int64] | None:
    """Return the cached counts, or None if they are missing or damaged."""
    with suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
        cached = json.loads(path.read_bytes())
        if zlib.crc32(json.dumps(cached["counts"]).encode()) == cached["crc32"]:
            return np.array(cached["counts"], np.int64)
    return None
