"""The Gymnasium environment under Gymnasium's own checks, one table and many, with the opponent inside."""

import warnings
from dataclasses import replace
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

from meldlab.adapters.gymnasium import GinEnv, GinVectorEnv
from meldlab.errors import MeldlabError, NoSuchThing, NotLegalHere
from meldlab.gin import Gin, Phase, Rules, players
from meldlab.gin.players import SimplePlayer
from meldlab.gin.vector import action_of, move_of
from meldlab.play import Deal

NAME = "meldlab.adapters.gymnasium:meldlab/Gin-v0"
ONE_ROUND = Rules(match_points=0)


@pytest.mark.parametrize("options", [{}, {"rules": ONE_ROUND}, {"illegal": "random"}, {"opponent": "network:light"}])
def test_gymnasium_finds_nothing_wrong(options: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.make(NAME, **options).unwrapped)


def played(env: Any, seed: int, games: int = 1) -> list[tuple[float, list[int]]]:
    """Play games with the first legal action that does not pass, and give reward and scores of each."""
    ends = []
    for number in range(games):
        _, info = env.reset(seed=seed if number == 0 else None)
        total, over = 0.0, False
        while not over:
            _, reward, over, truncated, info = env.step(np.flatnonzero(info["action_mask"])[-1])
            total += reward
            assert not truncated
        assert not info["action_mask"].any()
        ends.append((total, info["scores"].tolist()))
    return ends


def test_a_seed_is_a_series_of_games() -> None:
    env: Any = gymnasium.make(NAME, rules=ONE_ROUND)
    first = played(env, 3, games=6)
    assert played(env, 3, games=6) == first == played(gymnasium.make(NAME, rules=ONE_ROUND), 3, games=6)
    assert played(env, 4, games=6) != first
    assert {reward == pytest.approx((own - other) / 100) for reward, (own, other) in first} == {True}
    # A game that is broken off is left, and the next one dealt.
    begun, _ = env.reset(seed=3)
    following, _ = env.reset()
    assert env.unwrapped.table.games.tolist() == [1]
    assert (begun != following).any()
    assert (env.reset(seed=3)[0] == begun).all()


def test_a_game_that_ends_before_the_agent_is_asked_is_nobodys_reward() -> None:
    # With such a limit the opponent knocks as soon as it has drawn, so of the games that it begins the agent sees nothing.
    env = GinEnv(replace(ONE_ROUND, knock_limit=98, offer_upcard=False), opponent=SimplePlayer("hasty", 98, 98))
    simple = players.parse("simple")
    _, info = env.reset(seed=2)
    ended = list[int]()
    for _ in range(40):
        deal, agent = Deal(2, int(env.table.games[0])), int(env.table.games[0]) % 2
        state = Gin(env.table.rules).start(2, deal)
        assert state.seat == agent
        over, step = False, 0
        while not over:
            _, reward, over, _, info = env.step(np.flatnonzero(info["action_mask"])[-1])
        while state.seat is not None:
            # The agent draws or takes, and knocks with its last card that allows it; the other shows.
            view = state.view(state.seat)
            chance = deal.chance(step, state.seat)
            legal = [move for move in view.legal_actions() if state.round.phase is not Phase.SHOW]
            move = move_of(view, max(map(action_of, legal)), chance) if legal else simple.choose(view, chance)
            state, step = state.apply(move), step + 1
        own, other = state.scores[agent], state.scores[1 - agent]
        assert reward == pytest.approx((own - other) / 100)
        ended.append(deal.number)
        _, info = env.reset()
    assert ended != list(range(ended[0], ended[0] + 40))


def test_the_agent_plays_the_game_of_the_table_against_that_player() -> None:
    env, simple, looked = GinEnv(opponent="simple"), players.parse("simple"), 0
    for number in range(2):
        deal = Deal(5, number)
        state, step, agent = Gin().start(2, deal), 0, number % 2
        _, info = env.reset(seed=5 if number == 0 else None)
        over = False
        while not over:
            while state.seat is not None and (state.seat != agent or state.round.phase is Phase.SHOW):
                state, step = state.apply(simple.choose(state.view(state.seat), deal.chance(step, state.seat))), step + 1
            assert state.seat == agent
            view = state.view(agent)
            assert set(np.flatnonzero(info["action_mask"]).tolist()) == {action_of(move) for move in view.legal_actions()}
            action = action_of(simple.choose(view, deal.chance(step, agent)))
            state, step = state.apply(move_of(view, action, deal.chance(step, agent))), step + 1
            _, reward, over, _, info = env.step(action)
            looked += 1
        while state.seat is not None:
            state, step = state.apply(simple.choose(state.view(state.seat), deal.chance(step, state.seat))), step + 1
        assert state.result is not None
        assert reward == (1.0 if state.result.winners == (agent,) else -1.0)
        assert info["scores"].tolist() == [state.scores[agent], state.scores[1 - agent]]
    assert looked > 50


@pytest.mark.parametrize("action", [-1, 108, 1, 2.5, "draw", None])
def test_an_illegal_action_loses_or_is_refused_or_replaced(action: Any) -> None:
    losing, strict, lenient = (GinEnv(rules=ONE_ROUND, illegal=way) for way in ("loss", "raise", "random"))
    for env in (losing, strict, lenient):
        env.reset(seed=1)
    assert losing.step(action)[1:4] == (-1.23, True, False)
    with pytest.raises(NotLegalHere, match="the game is over: call reset"):
        losing.step(0)
    losing.reset()
    assert losing.table.games.tolist() == [1]
    with pytest.raises(NotLegalHere, match="is not legal here: "):
        strict.step(action)
    assert strict.table.games.tolist() == [0]
    assert not lenient.step(action)[2]


def test_what_cannot_be_made_says_so() -> None:
    with pytest.raises(NoSuchThing):
        GinEnv(illegal="shrug")
    with pytest.raises(MeldlabError):
        GinEnv(opponent="nobody")
    with pytest.raises(TypeError), pytest.warns(UserWarning, match="render_mode"):
        gymnasium.make(NAME, render_mode="rgb_array")  # stable-baselines3 tries this first, and goes on without it
    with pytest.raises(NoSuchThing):
        GinVectorEnv(2, illegal="loss")
    for make in (GinEnv, GinVectorEnv):
        with pytest.raises(NotLegalHere, match="name the opponent"):
            make(opponent=None)
    with pytest.raises(NotLegalHere, match="nothing is dealt yet"):
        GinEnv().step(0)
    with pytest.raises(NotLegalHere, match="nothing is dealt yet"):
        GinVectorEnv(2).step([0, 0])


def test_many_tables_are_reached_by_name_and_are_the_same_games() -> None:
    envs: Any = gymnasium.make_vec(NAME, 5, vectorization_mode="vector_entry_point", rules=ONE_ROUND)
    assert isinstance(envs.unwrapped, GinVectorEnv)
    assert envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    singles = [GinEnv(rules=ONE_ROUND) for _ in range(5)]
    seen, infos = envs.reset(seed=[5, 6, 7, 8, 9])
    begun = [env.reset(seed=5 + number) for number, env in enumerate(singles)]
    ended = 0
    for _ in range(120):
        assert seen in envs.observation_space
        assert (envs.unwrapped.action_masks() == infos["action_mask"]).all()
        actions = envs.unwrapped.tables.random_actions()
        assert (envs.unwrapped.action_masks()[np.arange(5), actions]).all()
        seen, rewards, done, truncated, infos = envs.step(actions)
        assert not truncated.any()
        for number, env in enumerate(singles):
            alone, reward, over, _, info = env.step(actions[number])
            assert reward == pytest.approx(rewards[number])
            assert over == done[number]
            if over:
                assert (infos["final_obs"][number] == alone).all()
                assert infos["_final_obs"][number]
                assert (infos["final_info"]["scores"][number] == info["scores"]).all()
                begun[number] = alone, info = env.reset()
                ended += 1
            assert (seen[number] == alone).all()
            assert (infos["action_mask"][number] == info["action_mask"]).all()
        if not done.any():
            assert "final_obs" not in infos
    assert ended > 5


def test_observations_are_the_callers_own_unless_it_says_otherwise() -> None:
    for copy in (True, False):
        envs = GinVectorEnv(3, copy=copy)
        before, _ = envs.reset(seed=1)
        after, *_ = envs.step(envs.tables.random_actions())
        assert np.shares_memory(before, after) != copy


def test_an_illegal_action_at_many_tables_is_refused_or_replaced() -> None:
    envs = GinVectorEnv(3)
    envs.reset(seed=1)
    with pytest.raises(NotLegalHere, match="table 1: "):
        envs.step([0, 108, 0])
    lenient = GinVectorEnv(3, illegal="random")
    lenient.reset(seed=1)
    expected = envs.tables.random_actions()
    envs.step(expected)
    lenient.step([-7, 108, 1])
    assert (envs.tables.observe().features == lenient.tables.observe().features).all()
