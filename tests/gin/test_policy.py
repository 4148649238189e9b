"""The player by policy: what it reads is what the vector environment tells, and suits are only names."""

import json
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from meldlab.errors import MeldlabError, NotPossible
from meldlab.gin import Gin, Rules, players
from meldlab.gin.batch import pair_of, play_batch
from meldlab.gin.features import features_of
from meldlab.gin.kernel_layout import ADVISED_DROP, ADVISED_KNOCK, LOG_WIDTH, WINNER_SEAT, Known, PolicyLayers
from meldlab.gin.kernel_layout import SCALARS as NUMBERS
from meldlab.gin.kernel_round import new_desk
from meldlab.gin.kernel_worlds import remember, set_out
from meldlab.gin.players.kernel_policy import ORDER_SHADE, card_answer, new_bench, plain_answer, thought, write_known
from meldlab.gin.players.light import FOLDER
from meldlab.gin.players.policy import PolicyPlayer, adviser_of, known_of, read_policy, shapes
from meldlab.gin.vector import KNOCK, PLANES, SCALARS, GinVector, action_of
from meldlab.gin.view import Phase, View
from meldlab.gin.worlds import memory_of, situation_of
from meldlab.play import Deal, RandomPlayer, Table
from tests.gin.test_bounds import random_rules
from tests.gin.test_kernel_is_table import assert_alike

READ = ("own", "known", "dropped", "declined", "own_dropped", "pile", "upcard")
SCALED = {"turn": 16, "other_turn": 16, "stock": 32, "own_score": 100, "other_score": 100, "knock_limit": 10, "deadwood": 50}


def some_policy(wide: int = 8, deep: int = 2, seed: int = 0) -> PolicyLayers:
    rng = np.random.default_rng(seed)
    return PolicyLayers(*(rng.normal(0, 0.5, shape).astype(np.float32) for shape in shapes(wide, deep)))


def answers(policy: PolicyLayers, known: Known) -> tuple[list[float], Any]:
    bench = new_bench(policy.own.shape[1] + 1)  # wider than it needs to be
    at = thought(known, policy, bench.layers)
    cards = [[card_answer(bench.layers[at], card, about, policy) for card in range(52)] for about in range(3)]
    return [plain_answer(bench.layers[at], which, policy) for which in range(5)], np.array(cards)


def as_hand(plane: Any) -> int:
    return sum(1 << int(card) for card in np.flatnonzero(plane))


def test_what_it_reads_is_what_the_environment_tells() -> None:
    env, adviser, seen = GinVector(1, seed=3), players.parse("computed:light"), 0
    for step in Table(Gin(), [RandomPlayer(), PolicyPlayer(some_policy())]).steps(Deal(3, 0)):
        view = step.before.view(step.seat)
        if view.phase is Phase.SHOW:  # no action of the environment
            continue
        features, mask, to_move = (array[0] for array in env.observe())
        known, advice = known_of(view, adviser.network), env.advice(adviser)[0]  # type: ignore[attr-defined]
        assert to_move == step.seat
        assert known.planes.tolist() == [*(as_hand(features[PLANES[name]]) for name in READ), as_hand(mask[KNOCK : KNOCK + 52])]
        numbers = [float(features[SCALARS["phase"]] == phase) for phase in range(4)]
        numbers += [features[SCALARS[name]] / scale for name, scale in SCALED.items()]
        numbers += advice[:ADVISED_DROP].tolist()
        assert len(numbers) == NUMBERS
        shades = features[PLANES["order"]] / 32, advice[ADVISED_DROP:ADVISED_KNOCK], advice[ADVISED_KNOCK:]
        assert known.shades == pytest.approx(np.stack(shades))
        assert known.scalars.tolist() == pytest.approx(numbers)
        env.step([action_of(step.action)])
        seen += 1
    assert seen > 50


def test_suits_are_only_names() -> None:
    policy, rng = some_policy(), np.random.default_rng(1)
    for _ in range(20):
        planes, shades = rng.integers(0, 1 << 52, 8), rng.normal(0, 1, (3, 4, 13)).astype(np.float32)
        scalars = rng.normal(0, 1, NUMBERS).astype(np.float32)
        order = rng.permutation(4)
        lanes = [[(int(plane) >> 13 * suit) & 8191 for suit in range(4)] for plane in planes]
        renamed = np.array([sum(lanes[plane][suit] << 13 * int(order[suit]) for suit in range(4)) for plane in range(8)], np.int64)
        moved = shades[:, np.argsort(order)].reshape(3, 52)
        plain, cards = answers(policy, Known(planes, shades.reshape(3, 52), scalars, np.int64(0)))
        other_plain, other_cards = answers(policy, Known(renamed, moved, scalars, np.int64(0)))
        assert plain == pytest.approx(other_plain, abs=1e-3)
        assert cards.reshape(3, 4, 13)[:, np.argsort(order)] == pytest.approx(other_cards.reshape(3, 4, 13), abs=1e-3)
        assert abs(cards - other_cards).max() > 0.1 or (order == range(4)).all()


def test_a_file_plays_and_a_damaged_one_is_refused(tmp_path: Path) -> None:
    policy, path = some_policy(), tmp_path / "mine.npz"
    np.savez(path, **policy._asdict(), notes=json.dumps({}))
    player = players.parse(f"computed:{path}")
    assert Table(Gin(), [player, players.parse("simple")]).play(Deal(1)).result is not None
    for name, array in (
        ("own", policy.own[:5]),
        ("plain", policy.plain * np.nan),
        ("deep_own", policy.deep_own[0]),
        ("rows", policy.rows[:7]),
    ):
        np.savez(path, **{**policy._asdict(), name: array}, notes=json.dumps({}))
        with pytest.raises(NotPossible, match=name):
            players.parse(f"computed:{path}")
    path.write_text("nonsense")
    with pytest.raises(NotPossible, match="holds no network"):
        players.parse(f"computed:{path}")


def test_at_temperature_0_it_plays_the_likeliest_and_else_it_mixes() -> None:
    state = Gin().start(2, Deal(5))
    assert state.seat is not None
    view, policy = state.view(state.seat), some_policy()
    still, mixed = (
        {str(PolicyPlayer(policy, temperature=heat).choose(view, Deal(5).chance(step, view.seat))) for step in range(60)}
        for heat in (0.0, 20.0)
    )
    assert (len(still), len(mixed)) == (1, 2)


def test_without_layers_of_its_own_it_plays_as_its_adviser() -> None:
    adviser = players.parse("computed:light-ensemble")
    layers = {name: np.zeros(shape, np.float32) for name, shape in shapes(4, 1)._asdict().items()}
    layers |= {**adviser.network._asdict(), "trust": np.ones(3, np.float32)}  # type: ignore[attr-defined]
    follower, asked = PolicyPlayer(PolicyLayers(**layers)), 0
    for step in Table(Gin(), [adviser, adviser]).steps(Deal(11, 0)):
        view = step.before.view(step.seat)
        if view.phase is not Phase.SHOW:
            assert action_of(follower.choose(view, Deal(11, 0).chance(step.number, step.seat))) == action_of(step.action)
            asked += 1
    assert asked > 50


@pytest.mark.parametrize("portion", range(3))
def test_the_kernel_plays_what_the_table_plays(portion: int) -> None:
    chance = Random(portion)
    mixing = PolicyPlayer(some_policy(wide=5, deep=1), "mixing", temperature=1.0)
    assert_alike([players.parse("champion"), mixing], random_rules(chance), games=1)
    assert_alike([mixing, players.parse("ensemble:best")], random_rules(chance), games=2)
    assert_alike([players.parse("champion"), players.parse("champion")], Rules(match_points=0, return_upcard=bool(portion)), games=2)


def test_inside_the_environment_it_answers_as_at_the_table() -> None:
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


def test_a_round_set_out_in_the_middle_is_what_the_seat_knows() -> None:
    policy, seen = PolicyPlayer(some_policy()), 0
    for step in Table(Gin(Rules(match_points=0)), [RandomPlayer(), policy]).steps(Deal(9)):
        view = step.before.view(step.seat)
        if view.phase not in (Phase.OFFER, Phase.DRAW, Phase.DROP):
            continue
        known = known_of(view, adviser_of(policy.policy))
        notes, pile = round_of(view)
        bench = new_bench(1)
        barred = np.int64(0 if view.taken_index < 0 else 1 << view.taken_index)
        assert write_known(notes, pile, 0, int(view.phase), barred, bench) == known.allowed
        assert bench.planes.tolist() == known.planes.tolist()
        assert bench.scalars.tolist()[:-3] == known.scalars.tolist()[:-3]  # the last are advice
        assert bench.shades[ORDER_SHADE].tolist() == known.shades[ORDER_SHADE].tolist()
        seen += 1
    assert seen > 20


def round_of(view: View) -> tuple[Any, Any]:
    """Return notes and pile of a world imagined from a view, whose own seat is 0 in it."""
    both = pair_of(PolicyPlayer(some_policy()), PolicyPlayer(some_policy()))
    situation, memory, desk = situation_of(view), memory_of(view, both), new_desk(np.empty((0, LOG_WIDTH), np.int64), both)
    set_out(desk, situation, np.int64(0), view.limit)
    remember(desk, memory, situation.known, np.int64(-1))
    return desk.notes, desk.pile


# Of 300 games: they win 0.82 and 0.86 of games against the simple player.
@pytest.mark.parametrize(("name", "least"), [("champion", 220), ("specialist", 235)])
def test_shipped_networks_win_and_know_where_they_come_from(name: str, least: int) -> None:
    player, simple = players.parse(name), players.parse("simple")
    there, back = play_batch(player, simple, Rules(), 2026, 0, 150), play_batch(simple, player, Rules(), 2026, 0, 150)
    assert player.name == name
    assert (there[:, WINNER_SEAT] == 0).sum() + (back[:, WINNER_SEAT] == 1).sum() > least
    with (FOLDER / f"{name}.npz").open("rb") as file:
        lineage = read_policy(file, name)[1]["lineage"]
    assert all(piece["steps"] > 0 and piece["adviser"] for piece in lineage)


@pytest.mark.parametrize("text", ["specialist:", "specialist:mine.npz", "specialist:search:10", "champion:mine.npz", "champion:search:x"])
def test_only_computed_reads_a_file(text: str) -> None:
    with pytest.raises(MeldlabError):
        players.parse(text)
