"""The policy player: its input is the observation of the vector environment, and suits are only names."""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from meldlab.errors import MeldlabError, NotPossible
from meldlab.gin import Gin, Move, Rules, players
from meldlab.gin.batch import play_batch
from meldlab.gin.kernel_players import policy_workspace
from meldlab.gin.kernel_policy import POSITION_PLANE, POSITION_SCALE, forward, head_output, policy_input, write_card_logits
from meldlab.gin.kernel_state import FLOAT_PLANES, PRIOR_DISCARD, PRIOR_KNOCK, PolicyInput, PolicyParameters, PolicyWeights
from meldlab.gin.kernel_state import SCALARS as NUM_SCALARS
from meldlab.gin.network_files import FOLDER, blank_policy, file_name, policy_shapes, read_weights
from meldlab.gin.observation import PLANES, SCALARS, action_of, features_of, state_of
from meldlab.gin.players import LightPlayer
from meldlab.gin.players.policy import PolicyPlayer
from meldlab.gin.sampling import position_of
from meldlab.gin.vector import KNOCK, GinVector
from meldlab.gin.view import Phase
from meldlab.play import Deal, RandomPlayer, Table
from tests.gin.test_bounds import random_rules
from tests.gin.test_kernel_is_table import assert_alike

READ = ("own", "known", "dropped", "declined", "own_dropped", "pile", "upcard")
SCALED = {"turn": 16, "other_turn": 16, "stock": 32, "own_score": 100, "other_score": 100, "knock_limit": 10, "deadwood": 50}


def some_policy(wide: int = 8, deep: int = 2, seed: int = 0) -> PolicyWeights:
    rng = np.random.default_rng(seed)
    return PolicyWeights(*(rng.normal(0, 0.5, shape).astype(np.float32) for shape in policy_shapes(wide, deep)))


def file_arrays(weights: PolicyWeights) -> dict[str, Any]:
    return {file_name(name): array for name, array in weights._asdict().items()}


def outputs(weights: PolicyWeights, inputs: PolicyInput) -> tuple[list[float], Any]:
    """The outputs of the heads that are not about a card, and [3, 52] of those that are."""
    workspace, cards = policy_workspace(PolicyParameters(weights, 0.0, 0.0)), []
    half, count = forward(inputs, weights, workspace)
    workspace.plain.left[:] = range(52)
    for about in range(3):
        write_card_logits(0, 52, about, count, half, weights, workspace)
        cards.append(workspace.values[:52].tolist())
    return [head_output(workspace.layers[half], head, weights) for head in range(5)], np.array(cards)


def input_of(states: Any, seat: int, weights: PolicyWeights, has_prior: bool = True) -> PolicyInput:
    inputs: PolicyInput = policy_input(states[0], seat, has_prior, weights, policy_workspace(PolicyParameters(weights, 0.0, 0.0)))
    return inputs


def as_hand(plane: Any) -> int:
    return sum(1 << int(card) for card in np.flatnonzero(plane))


def test_policy_input_is_the_observation_of_the_vector_environment() -> None:
    env, light, seen = GinVector(1, seed=3), LightPlayer.parse("network:light"), 0
    policy = some_policy()._replace(**light.network._asdict())
    for step in Table(Gin(), [RandomPlayer(), PolicyPlayer(policy)]).steps(Deal(3, 0)):
        view = step.before.view(step.seat)
        if view.phase is Phase.SHOW:  # no action of the environment
            continue
        features, mask, to_move = (array[0] for array in env.observe())
        inputs, prior = input_of(state_of(view), step.seat, policy), env.prior(light)[0]
        assert to_move == step.seat
        assert inputs.planes.tolist() == [*(as_hand(features[PLANES[name]]) for name in READ), as_hand(mask[KNOCK : KNOCK + 52])]
        numbers = [float(features[SCALARS["phase"]] == phase) for phase in range(4)]
        numbers += [features[SCALARS[name]] / scale for name, scale in SCALED.items()]
        numbers += prior[:PRIOR_DISCARD].tolist()
        assert len(numbers) == NUM_SCALARS
        float_planes = features[PLANES["order"]] / POSITION_SCALE, prior[PRIOR_DISCARD:PRIOR_KNOCK], prior[PRIOR_KNOCK:]
        assert inputs.float_planes == pytest.approx(np.stack(float_planes))
        assert inputs.scalars.tolist() == pytest.approx(numbers)
        env.step([action_of(step.action)])
        seen += 1
    assert seen > 50


def test_policy_outputs_follow_renamed_suits() -> None:
    policy, rng = some_policy(), np.random.default_rng(1)
    for _ in range(20):
        planes, float_planes = rng.integers(0, 1 << 52, 8), rng.normal(0, 1, (FLOAT_PLANES, 4, 13)).astype(np.float32)
        scalars = rng.normal(0, 1, NUM_SCALARS).astype(np.float32)
        order = rng.permutation(4)
        lanes = [[(int(plane) >> 13 * suit) & 8191 for suit in range(4)] for plane in planes]
        renamed = np.array([sum(lanes[plane][suit] << 13 * int(order[suit]) for suit in range(4)) for plane in range(8)], np.int64)
        moved = float_planes[:, np.argsort(order)].reshape(FLOAT_PLANES, 52)
        plain, cards = outputs(policy, PolicyInput(planes, float_planes.reshape(FLOAT_PLANES, 52), scalars, np.int64(0)))
        other_plain, other_cards = outputs(policy, PolicyInput(renamed, moved, scalars, np.int64(0)))
        assert plain == pytest.approx(other_plain, abs=1e-3)
        assert cards.reshape(3, 4, 13)[:, np.argsort(order)] == pytest.approx(other_cards.reshape(3, 4, 13), abs=1e-3)
        assert abs(cards - other_cards).max() > 0.1 or (order == range(4)).all()


def test_parse_reads_a_policy_and_rejects_a_damaged_one(tmp_path: Path) -> None:
    policy, path = some_policy(), tmp_path / "mine.npz"
    np.savez(path, **file_arrays(policy), notes=json.dumps({}))
    player = players.parse(f"network:{path}")
    assert Table(Gin(), [player, players.parse("simple")]).play(Deal(1)).result is not None
    for name, array in (
        ("own", policy.own[:5]),
        ("plain", policy.plain * np.nan),
        ("deep_own", policy.deep_own[0]),
        ("rows", policy.rows[:7]),
    ):
        np.savez(path, **{**file_arrays(policy), name: array}, notes=json.dumps({}))
        with pytest.raises(NotPossible, match=name):
            players.parse(f"network:{path}")
    path.write_text("nonsense")
    with pytest.raises(NotPossible, match="holds no network"):
        players.parse(f"network:{path}")


def test_policy_player_plays_the_likeliest_action_at_temperature_0_only() -> None:
    state = Gin().start(2, Deal(5))
    assert state.seat is not None
    view, policy = state.view(state.seat), some_policy()
    still, mixed = (
        {str(PolicyPlayer(policy, temperature=heat).choose(view, Deal(5).chance(step, view.seat))) for step in range(60)}
        for heat in (0.0, 20.0)
    )
    assert (len(still), len(mixed)) == (1, 2)


def test_policy_player_without_layers_plays_as_its_prior() -> None:
    light = LightPlayer.parse("network:light-ensemble")
    weights = blank_policy(4, 1)._replace(**light.network._asdict(), prior_scale=np.ones(3, np.float32))
    follower, asked = PolicyPlayer(weights), 0
    for step in Table(Gin(), [light, light]).steps(Deal(11, 0)):
        view = step.before.view(step.seat)
        if view.phase is not Phase.SHOW:
            assert action_of(follower.choose(view, Deal(11, 0).chance(step.number, step.seat))) == action_of(step.action)
            asked += 1
    assert asked > 50


@pytest.mark.parametrize("portion", range(3))
def test_policy_player_acts_in_the_batch_as_at_the_table(portion: int) -> None:
    chance = Random(portion)
    mixing = PolicyPlayer(some_policy(wide=5, deep=1), "mixing", temperature=1.0)
    assert_alike([players.parse("champion"), mixing], random_rules(chance), games=1)
    assert_alike([mixing, players.parse("ensemble:best")], random_rules(chance), games=2)
    assert_alike([players.parse("champion"), players.parse("champion")], Rules(match_points=0, return_upcard=bool(portion)), games=2)


def test_policy_player_answers_in_the_vector_environment_as_at_the_table() -> None:
    player, rules = PolicyPlayer(some_policy(), temperature=0.5), Rules(wall_knock=True, stock_floor=20, match_points=0)
    for game in range(6):
        env = GinVector(1, rules, seed=4, opponent=player, seats=0)
        env.reset(4, first=game)
        for step in Table(Gin(rules), [RandomPlayer(), player]).steps(Deal(4, game)):
            view = step.before.view(step.seat)
            if step.seat == 0 and view.phase is not Phase.SHOW:
                features, _, to_move = (array[0] for array in env.observe())
                assert to_move == 0
                assert np.array_equal(features, features_of(view))
                env.step([action_of(step.action)])


class Unread(tuple[tuple[int, Move], ...]):
    """A history that must not be walked through: its sums are in the view."""

    __slots__ = ()

    def __iter__(self) -> Iterator[tuple[int, Move]]:
        raise AssertionError


def test_champion_decides_without_a_walk_over_the_history() -> None:
    champion, asked = players.parse("champion"), 0
    for step in Table(Gin(Rules(match_points=0)), [RandomPlayer(), RandomPlayer()]).steps(Deal(3)):
        view, chance = step.before.view(step.seat), Deal(3).chance(step.number, step.seat)
        if view.phase in (Phase.OFFER, Phase.DRAW, Phase.DROP):
            assert champion.choose(view._replace(history=Unread(view.history)), chance) == champion.choose(view, chance)
            asked += 1
    assert asked > 20


def test_position_of_gives_a_policy_the_input_of_its_seat() -> None:
    weights, seen = some_policy(), 0
    for step in Table(Gin(Rules(match_points=0)), [RandomPlayer(), PolicyPlayer(weights)]).steps(Deal(9)):
        view = step.before.view(step.seat)
        if view.phase not in (Phase.OFFER, Phase.DRAW, Phase.DROP):
            continue
        # In a sampled deal the seat of the view is seat 0.
        expected, found = input_of(state_of(view), view.seat, weights), input_of(position_of(view).states, 0, weights)
        assert found.allowed == expected.allowed
        assert found.planes.tolist() == expected.planes.tolist()
        assert found.scalars.tolist() == expected.scalars.tolist()
        assert found.float_planes.tolist() == expected.float_planes.tolist()
        assert expected.float_planes[POSITION_PLANE].any() == bool(view.pile_indices)
        seen += 1
    assert seen > 20


# Of 300 games: they win 0.82 and 0.86 of games against the simple player.
@pytest.mark.parametrize(("name", "least"), [("champion", 220), ("specialist", 235)])
def test_shipped_policies_win_and_have_their_lineage(name: str, least: int) -> None:
    player, simple = players.parse(name), players.parse("simple")
    there, back = play_batch(player, simple, Rules(), 2026, 0, 150), play_batch(simple, player, Rules(), 2026, 0, 150)
    assert player.name == name
    assert (there["winner"] == 0).sum() + (back["winner"] == 1).sum() > least
    with (FOLDER / f"{name}.npz").open("rb") as file:
        lineage = read_weights(PolicyWeights, file, name)[1]["lineage"]
    assert all(piece["steps"] > 0 and piece["adviser"] for piece in lineage)


@pytest.mark.parametrize("text", ["specialist:", "specialist:mine.npz", "specialist:search:10", "champion:mine.npz", "champion:search:x"])
def test_parse_reads_files_of_computed_players_only(text: str) -> None:
    with pytest.raises(MeldlabError):
        players.parse(text)
