"""What both seats see in the vector environment, at the end of a game too, and where games begin."""

from random import Random

import numpy as np
import pytest

from meldlab.gin import PRESETS, Rules
from meldlab.gin.vector import FEATURES, GinVector
from tests.gin.test_vector import Beside, chosen, seen


@pytest.mark.parametrize("preset", ["eaai", "openspiel"])
def test_observe_both_shows_each_seat_its_own_view(preset: str) -> None:
    rules, chance = PRESETS[preset], Random(6)
    env, one = GinVector(1, rules, 3), Beside(rules, 3, 0)
    for _ in range(120):
        for seat in range(2):
            assert env.observe_both()[0, seat].tolist() == seen(one.state.view(seat), one.state.round.deck[20]).tolist()
        assert (env.observe_both()[0, one.state.seat] == env.observe().features[0]).all()
        action = chosen(one, chance)
        one.apply(action)
        if env.step([action]).done[0]:
            one = Beside(rules, 3, int(env.games[0]))


def test_final_observations_are_the_last_of_a_game() -> None:
    env, ended = GinVector(50, Rules(match_points=0, knock_limit=60), final_observations=True), 0
    twin = env.copy()
    for _ in range(60):
        before, hidden, to_move = env.observe_both(), env.hidden(), env.observe().to_move.copy()
        actions = env.random_actions()
        done = env.step(actions).done
        ended += done.sum()
        for table in np.flatnonzero(done):
            # The other seat still holds what it held.
            assert (env.final_observations[table, 1 - to_move[table], :52] == before[table, 1 - to_move[table], :52]).all()
            assert (env.final_observations[table, 1 - to_move[table], :52] == hidden[table]).all()
            assert env.final_observations[table, to_move[table], :52].sum() in (10, 11)
        twin.step(actions)
        assert (twin.final_observations == env.final_observations).all()
    assert ended > 20
    assert GinVector(50).final_observations.shape == (50, 2, 0)


def test_reset_goes_on_to_the_next_games_or_to_any() -> None:
    env = GinVector(3, seed=5)
    env.reset()
    assert (env.seeds.tolist(), env.games.tolist()) == ([5] * 3, [3, 4, 5])
    env.reset([7, 8, 7], first=2)
    assert (env.seeds.tolist(), env.games.tolist()) == ([7, 8, 7], [2, 2, 2])
    env.reset()
    assert env.games.tolist() == [3, 3, 3]
    again = GinVector(1, seed=[8])
    again.reset(8, first=3)
    assert (again.observe().features[0] == env.observe().features[1]).all()
    assert again.observe().features.shape == (1, FEATURES)
