"""The worker ``gin.contest``: the games of one shard in the batch kernel, and shards put together again.

>>> from meldlab.arena.contest import contest
>>> from meldlab.runs.tasks import Shard
>>> pieces = Shard("gin.contest", "simple", "gin-only", seed=1, games=40).split(10)
>>> joined = gather(map(play_shard, pieces), ("simple", "gin-only"))
>>> joined.wins() == contest(Gin(), ["simple", "gin-only"], 40, seed=1).wins()
True
"""

import base64
import json
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from meldlab.arena.contest import Contest, columns, unit_of
from meldlab.errors import NotLegalHere
from meldlab.gin import Gin, Rules, players
from meldlab.gin.batch import PlayerParameters, batch_from_matches, kernel_parameters, play_batch
from meldlab.play import Batch
from meldlab.runs.store import Counts
from meldlab.runs.tasks import Player, Shard
from meldlab.statistics import Moments

__all__ = ["gather", "play_shard", "rules_of", "won"]

WAYS = ((0, 1), (1, 0))
UNIT = unit_of(WAYS)
UPPER = np.triu_indices(len(columns(2, Gin.counts)))


def play_shard(shard: Shard) -> Counts:
    """Play deals on one core, two games of each, and return what was counted; ``won`` has a bit for each game."""
    if shard.first % 2 or shard.games % 2:
        raise NotLegalHere(f"games {shard.first} to {shard.first + shard.games - 1} are not mirrored pairs")
    rules, (names, seated) = rules_of(shard.rules), zip(*map(_seat, (shard.player, shard.opponent)), strict=True)
    batches = [
        batch_from_matches(play_batch(seated[a], seated[b], rules, shard.seed, shard.first // 2, shard.games // 2, threads=1), rules)
        for a, b in WAYS
    ]
    found = Contest.of(Gin(rules), list(names), WAYS, batches)
    return {
        "games": shard.games,
        "wins": int(found.wins()),
        "swept": int((found.won[:, 0] == 2).sum()),
        "sums": (found.moments.sums // UNIT).tolist(),
        "products": (found.moments.products[UPPER] // UNIT**2).tolist(),
        "won": _bits(batches, 0),
        "lost": _bits(batches, 1),
    }


def gather(counts: Iterable[Counts], names: tuple[str, str] = ("", ""), seconds: float = 0.0) -> Contest:
    """Return the contest that shards of one player against one other add up to."""
    parts: list[Contest] = []
    for each in counts:
        products = np.zeros((UPPER[0][-1] + 1,) * 2, object)
        products[UPPER] = each["products"]
        products.T[UPPER] = each["products"]
        moments = Moments(each["games"] // 2, UNIT * np.array(each["sums"], object), UNIT**2 * products)
        both = np.stack([won([each], which).reshape(-1, 2).sum(1) for which in ("won", "lost")], 1).astype(np.float64)
        parts.append(Contest("gin", names, WAYS, Gin.counts, moments, both, (), seconds if not parts else 0.0))
    return Contest.joined(parts)


def won(counts: Iterable[Counts], which: str = "won") -> NDArray[np.int64]:
    """Return [games] int64, 1 for each game that the first player won (or ``lost``), in the order of the shards: for paired tests."""
    pieces = [np.unpackbits(np.frombuffer(base64.b64decode(each[which]), np.uint8), count=each["games"]) for each in counts]
    return np.concatenate(pieces).astype(np.int64) if pieces else np.zeros(0, np.int64)


def rules_of(text: str) -> Rules:
    """Return the rules of a preset, or of a JSON object as ``Rules.as_record`` gives it.

    >>> rules_of("eaai") == rules_of('{"preset": "eaai"}')
    True
    """
    return Rules.read(json.loads(text)) if text.startswith("{") else Rules.preset(text)


def _seat(player: Player) -> tuple[str, PlayerParameters]:
    """Return the name of a player and its parameters."""
    parsed = players.parse(player) if isinstance(player, str) else player
    return getattr(parsed, "name", "numbers"), kernel_parameters(parsed)


def _bits(batches: Sequence[Batch], player: int) -> str:
    """Return which games a player won, a bit for each game, the games of a deal beside each other."""
    games = np.stack([batch.wins[:, way[player]] for way, batch in zip(WAYS, batches, strict=True)], 1)
    return base64.b64encode(np.packbits(games > 0).tobytes()).decode()
