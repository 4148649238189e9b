"""The worker ``gin.duel``: the games of one shard in the batch kernel, and shards put together again.

>>> from meldlab.lab.runs.shards import Shard
>>> pieces = Shard("gin.duel", "simple", "gin-only", seed=1, games=40).split(10)
>>> gather(map(play_shard, pieces), ("simple", "gin-only")).wins == duel("simple", "gin-only", 40, seed=1).wins
True
"""

import base64
import json
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from meldlab.gin import Rules, kernel_layout, players
from meldlab.gin.batch import Seated, play_pairs, seat
from meldlab.lab.arena.fight import WINS
from meldlab.lab.arena.gin import KINDS, Duel, clusters_of, duel, sweeps_of
from meldlab.lab.runs.shards import Player, Shard
from meldlab.lab.runs.store import Counts
from meldlab.statistics import Moments

__all__ = ["duel", "gather", "play_shard", "rules_of", "won"]

UPPER = np.triu_indices(KINDS)


def play_shard(shard: Shard) -> Counts:
    """Play mirrored games on one core and return what was counted; ``won`` has a bit for each game."""
    first, second = _seat(shard.player), _seat(shard.opponent)
    counts = play_pairs(first, second, rules_of(shard.rules), shard.seed, shard.first, shard.games, parallel=False)
    moments, (swept, lost) = Moments.of(clusters_of(counts, 2)), sweeps_of(counts)
    bits = np.packbits(counts[:, kernel_layout.WINNER_SEAT] == 0)
    return {
        "games": shard.games,
        "wins": int(moments.sums[WINS]),
        "swept": swept,
        "lost": lost,
        "draws": int((counts[:, kernel_layout.WINNER_SEAT] < 0).sum()),
        "sums": moments.sums.astype(np.int64).tolist(),
        "products": moments.products[UPPER].astype(np.int64).tolist(),
        "won": base64.b64encode(bits.tobytes()).decode(),
    }


def gather(counts: Iterable[Counts], names: tuple[str, str] = ("", ""), seconds: float = 0.0) -> Duel:
    """Return the fight that shards of one player against one other add up to."""
    moments, swept, draws = Moments.of(np.zeros((0, KINDS), np.int64)), np.zeros(2, np.int64), 0
    for each in counts:
        products = np.zeros((KINDS, KINDS))
        products[UPPER] = each["products"]
        products.T[UPPER] = each["products"]
        moments += Moments(each["games"] // 2, np.array(each["sums"], np.float64), products)
        swept += each["swept"], each["lost"]
        draws += each["draws"]
    games = 2 * moments.clusters
    return Duel(names, games, moments, (int(swept[0]), int(swept[1])), (), seconds, True, draws)


def won(counts: Iterable[Counts]) -> NDArray[np.int64]:
    """Return [games] int64, 1 for each game that the first player won, in the order of the shards: for paired tests."""
    pieces = [np.unpackbits(np.frombuffer(base64.b64decode(each["won"]), np.uint8), count=each["games"]) for each in counts]
    return np.concatenate(pieces).astype(np.int64) if pieces else np.zeros(0, np.int64)


def rules_of(text: str) -> Rules:
    """Return the rules of a preset, or of a JSON object as ``Rules.as_record`` gives it.

    >>> rules_of("eaai") == rules_of('{"preset": "eaai"}')
    True
    """
    return Rules.read(json.loads(text)) if text.startswith("{") else Rules.preset(text)


def _seat(player: Player) -> Seated:
    return seat(players.parse(player) if isinstance(player, str) else player)
