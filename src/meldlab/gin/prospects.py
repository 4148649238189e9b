"""What each move leads to: chances to win the match and points of the round, found by playing the round out many times.

>>> from meldlab.gin.advice import imagined_view
>>> first, *others = prospects(imagined_view(hand="2C 2D 2H 2S 4D 4H 4S 8D 8H 8S AC"))
>>> str(first.move)[:8], first.points > 25, 0.5 < first.win < 1
('knock AC', True, True)
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from meldlab.chance import Purpose
from meldlab.gin import kernel_layout
from meldlab.gin.batch import playing_out
from meldlab.gin.equity import equity_of
from meldlab.gin.move import Move, Verb
from meldlab.gin.players.kernel_rollout import rollouts
from meldlab.gin.players.light import LightPlayer
from meldlab.gin.players.sight import rules_of, situation_of
from meldlab.gin.view import Phase, View
from meldlab.play import Deal

__all__ = ["Prospect", "prospects"]

DEALS = 200  # for every move: what two moves differ by is then right to about one hundredth
# The network has learned chances to win the match from play against another opponent. By so much its numbers are divided, and as much as
# so many deals they count; both fit what 1,200 deals say about the four best moves of 40 positions.
NETWORK_SCALE, NETWORK_DEALS = 120, 100
KINDS = {
    Verb.PASS: kernel_layout.PASS,
    Verb.TAKE: kernel_layout.TAKE,
    Verb.DRAW: kernel_layout.DRAW,
    Verb.DROP: kernel_layout.DROP,
    Verb.KNOCK: kernel_layout.KNOCK,
    Verb.BIG_GIN: kernel_layout.BIG,
}


class Prospect(NamedTuple):
    """A move and what comes of it, if the unseen cards lie anyhow and both go on like the light player."""

    move: Move
    win: float
    """The chance to win the match."""
    points: float
    """Of this round in the mean, those that the other wins counted against them."""


def prospects(view: View) -> list[Prospect]:
    """Return every move of the seat that acts, the best first; nothing where there is no choice, or the cards lie open.

    All moves meet the same deals, so that luck cancels out of the comparison; what is left of it is weighed against the opinion that the
    light player itself has of the moves.
    """
    if view.acting != view.seat or view.phase not in (Phase.OFFER, Phase.DRAW, Phase.DROP, Phase.LAST):
        return []
    # One knock for each discard: in which of the best ways its melds are shown decides little.
    moves = list({(move.verb, move.index): move for move in reversed(view.legal_actions())}.values())[::-1]
    light, chance = LightPlayer.parse("computed:light"), Deal(0).chance(len(view.history), view.seat)
    points = _played_out(view, moves, light, np.uint64(chance.key(Purpose.IMAGINED_HANDS)))
    wins = equity_of(view.rules).after(points, view.scores[view.seat], view.scores[1 - view.seat])
    told = {(move.verb, move.index): value / NETWORK_SCALE for move, value in light.think(view, chance)}
    found = wins.mean(1)
    opinion = np.array([told.get((move.verb, move.index), np.nan) for move in moves])
    # The network says by how much moves differ; where all of them stand is what the deals say.
    opinion = np.where(np.isnan(opinion), found, opinion + np.nanmean(found - opinion) if told else found)
    judged = np.clip((DEALS * found + NETWORK_DEALS * opinion) / (DEALS + NETWORK_DEALS), 0, 1)
    return sorted(map(Prospect, moves, judged.tolist(), points.mean(1).tolist()), key=lambda one: -one.win)


def _played_out(view: View, moves: list[Move], light: LightPlayer, key: np.uint64) -> NDArray[np.int64]:
    """Return [moves, deals], the points of the round."""
    points = np.zeros((len(moves), DEALS), np.int32)
    candidates = np.array([(KINDS[move.verb], max(move.index, 0)) for move in moves], np.int64)
    rollouts(candidates, key, situation_of(view), playing_out(light, light), rules_of(view), points)
    return points.astype(np.int64)
