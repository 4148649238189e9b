"""Our environments under PettingZoo's own tests, and what those do not ask: zero sums, masks, seeds, illegal actions, leaks."""

import random
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pettingzoo
import pytest
from gymnasium.spaces import Discrete
from pettingzoo.test import api_test, max_cycles_test, render_test, seed_test
from pettingzoo.utils.conversions import parallel_to_aec, turn_based_aec_to_parallel

from meldlab.adapters.pettingzoo import gin_rummy_v0, recycle_v0, rummikub_v0
from meldlab.adapters.pettingzoo.aec import Actions, TableEnv
from meldlab.adapters.pettingzoo.rummikub_picking import Picking
from meldlab.errors import NoSuchThing, NotLegalHere
from meldlab.gin import PRESETS
from meldlab.play import Chance, Deal
from meldlab.rummikub import Objective, Position, Rules, Tile
from meldlab.rummikub.game import Play, Rummikub
from meldlab.rummikub.solver import solve_if_possible
from tests.gin.test_vector import Beside, legal, seen

SMALL = Rules(dealt=7, jokers=1)
MODULES: dict[str, Any] = {"gin_rummy": gin_rummy_v0, "rummikub": rummikub_v0, "recycle": recycle_v0}
ENVIRONMENTS: dict[str, Callable[..., Any]] = {
    "gin": lambda **options: gin_rummy_v0.env(**options),
    "one round of gin": lambda **options: gin_rummy_v0.env(rules=replace(PRESETS["openspiel"], knock_limit=30), **options),
    "rummikub": lambda **options: rummikub_v0.env(rules=SMALL, **options),
    "block rummy": lambda **options: recycle_v0.env(**options),
    "euchre": lambda **options: recycle_v0.env(game="euchre", reward="score", **options),
    "rummikub for three": lambda **options: rummikub_v0.env(rules=SMALL, seats=3, reward="win", **options),
}
every = pytest.mark.parametrize("make", ENVIRONMENTS.values(), ids=ENVIRONMENTS)


def steps(env: Any, seed: int = 1) -> Iterator[tuple[str, dict[str, Any], int]]:
    """Play one game by random legal actions, and give before each who is to move, what it sees, and what it is about to do."""
    chance = random.Random(seed)
    env.reset(seed=seed)
    for agent in env.agent_iter():
        observed, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            env.step(None)
        else:
            action = chance.choice(np.flatnonzero(observed["action_mask"]))
            yield agent, observed, int(action)
            env.step(action)


@every
def test_pettingzoo_finds_nothing_wrong(make: Callable[..., Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # Its own environments are excused by name from these: an observation with a mask is no array, and off turn nothing is legal.
        warnings.filterwarnings(
            "ignore", "Observation is not a NumPy array|Observation space for each agent probably|Action mask numpy array is all"
        )
        env = make()
        for number, agent in enumerate(env.possible_agents):
            env.action_space(agent).seed(number)
        api_test(env, num_cycles=30)
        seed_test(make, num_cycles=30)


@every
def test_it_is_rendered(make: Callable[..., Any], capsys: pytest.CaptureFixture[str]) -> None:
    render_test(make, custom_tests={"ansi": lambda text: "p2" in text})
    assert "to move" in capsys.readouterr().out


@every
def test_max_cycles_cut_a_game(make: Callable[..., Any]) -> None:
    # The test of PettingZoo is for agents that act all at once and know no masks.
    def parallel(max_cycles: int) -> Any:
        return turn_based_aec_to_parallel(make(max_cycles=max_cycles, illegal="random"))

    max_cycles_test(SimpleNamespace(parallel_env=parallel, env=lambda max_cycles: parallel_to_aec(parallel(max_cycles))))
    env = make(max_cycles=5)
    assert len(list(steps(env))) == 5


@pytest.mark.parametrize("name", MODULES)
def test_the_registry_and_the_module_give_the_same(name: str) -> None:
    for kind, made in (("aec", MODULES[name].env), ("parallel", MODULES[name].parallel_env)):
        env = pettingzoo.make(kind, f"meldlab/{name}-v0")
        assert str(env.unwrapped) == str(made().unwrapped) == f"{name}_v0"


@every
def test_rewards_add_up_to_nothing_and_the_mask_is_zero_off_turn(make: Callable[..., Any]) -> None:
    env, total, ended = make(), dict.fromkeys(make().possible_agents, 0.0), 0
    for agent, observed, _ in steps(env):
        assert observed["action_mask"].any()
        for other in env.agents:
            mask = env.observe(other)["action_mask"]
            assert (mask == env.infos[other]["action_mask"]).all()
            assert (other == agent) == mask.any()
        assert sum(env.rewards.values()) == 0.0
    env.reset(seed=1)
    chance = random.Random(1)
    for agent in env.agent_iter():
        observed, reward, terminated, *_ = env.last()
        assert sum(env.rewards.values()) == pytest.approx(0.0)
        total[agent] += reward
        ended += terminated
        env.step(None if terminated else chance.choice(np.flatnonzero(observed["action_mask"])))
    assert ended == len(total)
    assert sum(total.values()) == pytest.approx(0.0)
    assert any(total.values())


@every
def test_a_seed_is_a_deal_and_later_games_follow_it(make: Callable[..., Any]) -> None:
    one, other = make(), make()
    one.reset(seed=5)
    first = str(one.unwrapped.table)
    assert one.unwrapped.deal == Deal(5, 0)
    one.reset()
    assert one.unwrapped.deal == Deal(5, 1)
    assert str(one.unwrapped.table) != first
    other.reset(seed=6)
    assert str(other.unwrapped.table) != first
    other.reset(seed=5)
    assert str(other.unwrapped.table) == first
    fresh = [make() for _ in range(3)]
    for env in fresh:
        env.reset()
    assert len({env.unwrapped.deal for env in fresh}) > 1
    with pytest.raises(NotLegalHere):
        one.reset(seed=-1)


@every
@pytest.mark.parametrize("action", [-1, 10**6, 2.5, "draw", None, np.array([0, 1])])
def test_nonsense_loses_or_is_refused(make: Callable[..., Any], action: Any) -> None:
    env = make()
    env.reset(seed=1)
    loser = env.agent_selection
    env.step(action)
    assert all(env.terminations.values())
    assert env.rewards[loser] == min(env.rewards.values()) < 0
    assert sum(env.rewards.values()) == pytest.approx(0.0)
    strict = make(illegal="raise")
    strict.reset(seed=1)
    before = str(strict.unwrapped.table), strict.last()[1:4]
    with pytest.raises(NotLegalHere, match="is not legal here"):
        strict.step(action)
    assert (str(strict.unwrapped.table), strict.last()[1:4]) == before


@every
def test_an_illegal_action_can_be_left_to_chance_or_to_pettingzoo(make: Callable[..., Any]) -> None:
    one, other = make(illegal="random"), make(illegal="random")
    for env in (one, other):
        env.reset(seed=1)
        for agent in env.agent_iter(20):
            env.step(env.action_space(agent).n + 5)
        assert not any(env.terminations.values())
    assert str(one.unwrapped.table) == str(other.unwrapped.table)
    theirs = make(illegal="pettingzoo")
    theirs.reset(seed=1)
    loser, mask = theirs.agent_selection, theirs.last()[0]["action_mask"]
    theirs.step(int(np.flatnonzero(mask == 0)[0]))
    assert theirs.rewards[loser] == sum(theirs.rewards.values()) == -1
    for option in ({"illegal": "shrug"}, {"render_mode": "rgb_array"}):
        with pytest.raises(NoSuchThing):
            make(**option)


@every
def test_nothing_goes_before_a_reset_or_after_the_end(make: Callable[..., Any]) -> None:
    env = make(render_mode="ansi")
    for early in (lambda: env.step(0), env.render, lambda: env.observe("player_0")):
        with pytest.raises(NotLegalHere, match="call reset"):
            early()
    list(steps(env))
    with pytest.raises(NotLegalHere, match="the game is over"):
        env.step(None)
    env.reset()
    assert env.agents == env.possible_agents


@pytest.mark.parametrize("rules", [SMALL, Rules(dealt=7, joker_rule="modern")], ids=["free", "modern"])
def test_unseen_tiles_change_nothing_that_an_agent_sees(rules: Rules) -> None:
    env, differed = rummikub_v0.env(rules=rules, seats=3), 0
    table = env.unwrapped.table
    for number, (agent, observed, _) in enumerate(steps(env)):
        if number % 5:
            continue
        state, turn = table.state, table.turn
        for seat, other in enumerate(env.agents):
            before = observed if other == agent else env.observe(other)
            table.state = state.redeal(seat, Chance(7, number, seat))
            differed += table.state != state
            if other == agent and not turn.picked:
                table.turn = Picking(table.state.view(seat).position)
                assert (table.mask() == before["action_mask"]).all()
            assert (table.features(seat) == before["observation"]).all()
            table.state, table.turn = state, turn
    assert differed


@pytest.mark.parametrize("rules", ["oklahoma", "openspiel"])
def test_an_agent_at_the_gin_table_sees_what_its_view_shows(rules: str) -> None:
    # No view depends on unseen cards, which is tested for all games; so this does not either.
    env, beside = gin_rummy_v0.env(rules=rules), Beside(PRESETS[rules], 9, 0)
    for number, (agent, observed, action) in enumerate(steps(env, seed=9)):
        assert agent == f"player_{beside.state.seat}"
        assert set(np.flatnonzero(observed["action_mask"]).tolist()) == legal(beside.view)
        for seat, other in enumerate(env.possible_agents):
            assert (env.observe(other)["observation"] == seen(beside.state.view(seat), beside.state.round.deck[20])).all()
        beside.apply(action)
        if number == 150:
            break
    assert number > 20


@pytest.mark.parametrize(("name", "seats"), [("gin_rummy", 2), ("hearts", 4), ("goofspiel", 3)])
def test_unseen_cards_of_a_recycle_game_change_nothing_that_an_agent_sees(name: str, seats: int) -> None:
    env, differed = recycle_v0.env(game=name), 0
    table = env.unwrapped.table
    assert env.num_agents == 0
    assert len(env.possible_agents) == seats
    for number, (agent, observed, _) in enumerate(steps(env)):
        state = table.state
        assert agent == f"player_{state.seat}"
        for seat, other in enumerate(env.agents if number % 9 == 0 else []):
            before = observed if other == agent else env.observe(other)
            redealt = state.redeal(seat, Chance(7, number, seat))
            differed += redealt != state
            table.vector.set_state(0, redealt)
            assert (table.features(seat) == before["observation"]).all()
            assert other != agent or (table.mask() == before["action_mask"]).all()
            table.vector.set_state(0, state)
    assert differed
    assert table.state.result is not None
    assert "the game is over, scores" in str(table)


@pytest.mark.parametrize("reward", ["place", "score"])
def test_who_breaks_off_a_recycle_game_loses_with_its_team(reward: Any) -> None:
    env = recycle_v0.env(game="euchre", reward=reward)
    env.reset(seed=1)
    loser = env.agents.index(env.agent_selection)
    env.step(-1)
    rewards = list(env.rewards.values())
    assert [value < 0 for value in rewards] == [seat % 2 == loser % 2 for seat in range(4)]
    assert env.observe("player_0")["observation"].any()


def test_a_game_of_rummikub_is_that_of_the_table() -> None:
    env = rummikub_v0.env(rules=SMALL)
    env.reset(seed=4)
    table, turns = env.unwrapped.table, 0
    state = Rummikub(SMALL).start(2, Deal(4))
    for _ in steps(env, seed=4):
        if table.state is not state and table.state != state:
            # One turn of the table, made of several actions here.
            play = Play(table.state.table) if table.state.table != state.table else state.view(state.turn).idle
            state, turns = state.apply(play), turns + 1
        assert table.state == state
    assert turns > 5


def test_every_play_can_be_picked_and_no_other() -> None:
    position = Position.parse("R5 R6 R7 | K9 B9 O9", "R4 R8 R9 K5 J O3", Rules(joker_rule="modern"))
    reached, seen, todo = set(), set(), [Picking(position)]
    while todo:
        turn = todo.pop()
        assert turn.open or turn.table
        if turn.table:
            reached.add(turn.picked)
        for tile in turn.open:
            more = turn.pick(tile)
            if more.picked not in seen:
                seen.add(more.picked)
                todo.append(more)
    for number in range(1, 64):
        tiles = tuple(tile for at, tile in enumerate(position.rack) if number >> at & 1)
        alone = Position(position.table, tiles, position.rules)
        assert (solve_if_possible(alone, Objective("tiles", "none", required=tiles)) is not None) == (tiles in reached), tiles
    assert len(reached) > 5
    with pytest.raises(NotLegalHere, match="K1 cannot be played"):
        Picking(position).pick(Tile.parse("K1"))


def test_the_environment_of_a_table_is_told_apart_by_its_name() -> None:
    assert isinstance(rummikub_v0.env().unwrapped, TableEnv)
    assert str(rummikub_v0.env()) == "rummikub_v0"
    with pytest.raises(NotLegalHere, match="2 to 4 players, not 7"):
        rummikub_v0.env(seats=7)
    with pytest.raises(NoSuchThing, match="no reward"):
        rummikub_v0.env(reward="money")


def test_actions_are_drawn_among_the_legal_ones_alone() -> None:
    space, mask = Actions(6, seed=1), np.array([0, 1, 1, 0, 0, 1], np.int8)
    drawn = [space.sample(mask) for _ in range(300)]
    assert {action: drawn.count(action) > 60 for action in drawn} == {1: True, 2: True, 5: True}
    assert all(type(action) is np.int64 and action in space for action in drawn)
    assert space == Discrete(6)
    assert space.sample(np.zeros(6, np.int8)) == 0
    assert {int(space.sample()) for _ in range(200)} == set(range(6))
    for wrong in (mask[:3], mask.astype(np.int64), [1, 0, 0, 0, 0, 0]):
        with pytest.raises(AssertionError):
            space.sample(wrong)
