"""The Monte Carlo player: candidates share their sampled deals, every draw has an address, and the opponent's hand is developed."""

import numpy as np

from meldlab.chance import Purpose
from meldlab.gin import Gin, Phase, Rules
from meldlab.gin.players import MonteCarloPlayer, SimplePlayer
from meldlab.gin.players.montecarlo import ROLLOUT_PLAYERS
from meldlab.gin.sampling import points_of, rollouts
from meldlab.gin.view import View
from meldlab.play import Chance, Deal, Table
from tests.gin.histories import with_history

THINKER = MonteCarloPlayer.parse("mc:60")


def positions() -> list[tuple[View, Chance]]:
    """Discards with a choice, out of rounds of two simple players."""
    found: list[tuple[View, Chance]] = []
    for number in range(20):
        for step in Table(Gin(Rules(match_points=0)), [SimplePlayer(), SimplePlayer()]).steps(Deal(4, number)):
            view, chance = step.before.view(step.seat), Deal(4, number).chance(step.number, step.seat)
            if view.phase is Phase.DROP and view.turn > 2 and len(THINKER.candidates(view, chance)) > 1:
                found.append((view, chance))
    return found


def test_points_of_candidates_share_their_luck() -> None:
    # Had each candidate deals of its own, a difference would vary as much as both together.
    together, apart = 0.0, 0.0
    for view, chance in positions()[:20]:
        points = THINKER.points(view, THINKER.candidates(view, chance), chance)[:, :2]
        together += float((points[:, 0] - points[:, 1]).var())
        apart += float(points.var(axis=0).sum())
    assert together < 0.75 * apart


def test_points_of_equal_candidates_are_equal() -> None:
    view, chance = positions()[0]
    first, *_ = THINKER.candidates(view, chance)
    points = THINKER.points(view, [first, first], chance)
    assert np.array_equal(points[:, 0], points[:, 1])
    assert points[:, 0].std() > 0


def test_points_depend_on_the_address_of_the_decision() -> None:
    view, chance = positions()[1]
    moves = THINKER.candidates(view, chance)
    points = THINKER.points(view, moves, chance)
    assert np.array_equal(points, THINKER.points(view, moves, Chance(chance.root, chance.step, chance.seat)))
    # More deals are the same ones and others; another step or seat has others.
    assert np.array_equal(points, MonteCarloPlayer.parse("mc:90").points(view, moves, chance)[:60])
    for other in (Chance(chance.root, chance.step + 1, chance.seat), Chance(chance.root, chance.step, 1 - chance.seat)):
        assert not np.array_equal(points, THINKER.points(view, moves, other))


def test_points_of_a_knock_fall_with_the_turns_of_the_opponent() -> None:
    # The same knock against an opponent of whom nothing was seen, who would have 50 points and more, whatever turn it is.
    early, late = [], []
    for view, chance in positions():
        knock = next((move for move in THINKER.candidates(view, chance) if str(move).startswith("knock")), None)
        if knock is not None:
            fresh = with_history(view, [one for one in view.history if one[0] == view.seat])
            key = chance.key(Purpose.SAMPLED_HANDS)
            late.append(points_of(rollouts(view, [knock], key, range(60), ROLLOUT_PLAYERS).outcomes).mean())
            early.append(points_of(rollouts(fresh, [knock], key, range(60), ROLLOUT_PLAYERS).outcomes).mean())
    assert len(late) > 3
    assert np.mean(late) < np.mean(early) - 10


def test_rollouts_go_for_gin_against_an_opponent_that_knocks_at_once() -> None:
    assert (SimplePlayer.parse("gin-only").parameters(), SimplePlayer().parameters()) == ROLLOUT_PLAYERS
