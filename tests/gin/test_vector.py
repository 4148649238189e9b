"""The vector environment plays as the Table does, action by action, and shows what the View shows."""

import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from meldlab.errors import MeldlabError, NotLegalHere
from meldlab.gin import PRESETS, Gin, Match, Phase, Rules, Verb, View, kernel_state, players
from meldlab.gin.network_files import FOLDER
from meldlab.gin.players import GinPlayer
from meldlab.gin.vector import ACTIONS, BIG_GIN, DISCARD, FEATURES, PLANES, SCALARS, GinVector, action_of, action_text, move_of
from meldlab.melds import deadwood
from meldlab.play import Chance, Deal

SINGLE = Rules(match_points=0)
UNASKED = Rules(match_points=0, first_starter="first", offer_upcard=False, max_draws=1)


def seen(view: View, first: int) -> NDArray[np.uint8]:
    """The features of a view, the slow way: from the first upcard and the history, plane by plane."""
    planes: dict[str, set[int]] = {name: set() for name in PLANES}
    planes["own"] = set(view.card_indices)
    planes["pile"] = set(view.pile_indices)
    planes["upcard"] = set(view.pile_indices[-1:])
    turns, upcards, pile = [0, 0], 0, [first]
    drawn = False
    for seat, move in view.history:
        other = seat != view.seat
        if move.verb in (Verb.PASS, Verb.DRAW) and other:
            planes["declined"].add(pile[-1])
        if move.verb in (Verb.DRAW, Verb.TAKE):
            turns[other] += 1
        if move.verb is Verb.TAKE:
            # The first upcard, while it is on offer, does not count.
            upcards += drawn or not view.rules.offer_upcard
            pile.pop()
            if other:
                planes["known"].add(move.index)
        drawn = drawn or move.verb in (Verb.DRAW, Verb.TAKE)
        if move.verb is Verb.DROP:
            pile.append(move.index)
            planes["dropped" if other else "own_dropped"].add(move.index)
            planes["known"].discard(move.index)
    assert tuple(pile) == view.pile_indices
    row = np.zeros(FEATURES, np.uint8)
    for name, cards in planes.items():
        row[PLANES[name].start + np.array(sorted(cards), int)] = 1
    for place, card in enumerate(view.pile_indices):
        row[PLANES["order"].start + card] = place + 1
    numbers = {
        "phase": view.phase,
        "turn": turns[0],
        "other_turn": turns[1],
        "stock": view.stock,
        "upcard_draws": upcards - (view.phase is Phase.LAST),
        "own_score": view.scores[view.seat],
        "other_score": view.scores[1 - view.seat],
        "knock_limit": view.limit,
        "match_points": view.rules.match_points,
        "round": view.number,
        "is_starter": view.starter == view.seat,
        "taken": view.taken_index + 1,
        "deadwood": deadwood(view.hand),
    }
    assert list(numbers) == list(SCALARS)
    for name, number in numbers.items():
        row[SCALARS[name]] = min(number, 255)
    return row


def legal(view: View) -> set[int]:
    return {action_of(move) for move in view.legal_actions()}


class Beside:
    """The same game at the Table; ``inside`` is who answers in the seat that is not ``own``."""

    def __init__(self, rules: Rules, seed: int, game: int, inside: Any = None, own: int = 0) -> None:
        self.deal, self.inside, self.own = Deal(seed, game), inside, own
        self.state: Match = Gin(rules).start(2, self.deal)
        self.number = 0
        self._answer()

    @property
    def view(self) -> View:
        assert self.state.seat is not None
        return self.state.view(self.state.seat)

    @property
    def chance(self) -> Chance:
        assert self.state.seat is not None
        return self.deal.chance(self.number, self.state.seat)

    def seen(self) -> NDArray[np.uint8]:
        return seen(self.view, self.state.round.deck[20])

    def apply(self, action: int) -> tuple[int, int]:
        """Apply an action, show if need be, and return the points of a round that it ended."""
        before = len(self.state.outcomes)
        self._go(move_of(self.view, action, self.chance))
        self._answer()
        points = [0, 0]
        for outcome in self.state.outcomes[before:]:
            if outcome.winner is not None:
                points[outcome.winner] += outcome.points
        return points[0], points[1]

    def _answer(self) -> None:
        """Show what is to be shown, and let the player inside go on until the other seat is asked."""
        while self.state.seat is not None:
            inside = self.inside is not None and self.state.seat != self.own
            if not inside and self.state.round.phase is not Phase.SHOW:
                return
            self._go((self.inside if inside else GinPlayer()).choose(self.view, self.chance))

    def _go(self, move: Any) -> None:
        self.state, self.number = self.state.apply(move), self.number + 1


def chosen(one: Beside, chance: Random) -> int:
    """A legal action: half of them as the simple player would, so that rounds come to an end, the others at random."""
    if chance.random() < 0.5:
        return action_of(GinPlayer().choose(one.view, one.chance))
    return chance.choice(sorted(legal(one.view)))


def assert_alike(
    rules: Rules, tables: int, steps: int, chance: Random, seed: Any = 3, inside: Any = None, fixed: Any = None
) -> dict[str, int]:
    """Step the environment and the Table side by side; return what has happened how often."""
    env = GinVector(tables, rules, seed, inside, seats=fixed)
    stride = tables if np.ndim(seed) == 0 else 1
    beside = []
    for i, game in enumerate(env.games.tolist()):
        begins = i if stride > 1 else 0
        own = fixed[i] if fixed else (begins + (game - begins) // stride) % 2
        beside.append(Beside(rules, int(env.seeds[i]), game, inside, own))
    happened = {"games": 0, "rounds": 0, "voids": 0, "wall": 0, "big gin": 0, "unasked": 0}
    for _ in range(steps):
        features, mask, to_move = env.observe()
        for i, one in enumerate(beside):
            assert to_move[i] == one.state.seat
            assert set(np.flatnonzero(mask[i]).tolist()) == legal(one.view)
            assert features[i].tolist() == one.seen().tolist()
        actions = [chosen(one, chance) for one in beside]
        happened["wall"] += int((features[:, SCALARS["phase"]] == Phase.WALL).sum())
        happened["big gin"] += int(mask[:, BIG_GIN].sum())
        rounds = [len(one.state.outcomes) for one in beside]
        expected = [one.apply(action) for one, action in zip(beside, actions, strict=True)]
        stepped = env.step(np.array(actions))
        assert (stepped.rewards.sum(1) == 0).all()
        for i, one in enumerate(beside):
            points, rewards, done = np.array(expected[i]), np.zeros(2), one.state.result is not None
            result = one.state.result
            if result is not None and rules.match_points and result.winners:
                rewards[result.winners[0]], rewards[1 - result.winners[0]] = 1, -1
            last = one
            while one.state.result is not None:
                happened["games"] += 1
                happened["voids"] += one.state.outcomes[-1].kind == "void"
                one = Beside(rules, one.deal.seed, one.deal.number + stride, inside, one.own if fixed else 1 - one.own)
                # Rounds of it, or all, may be over before anybody was asked; nothing is told of them.
                happened["unasked"] += one.state.result is not None
            if not rules.match_points:
                rewards = np.array([points[0] - points[1], points[1] - points[0]]) / 100
            assert stepped.points[i].tolist() == points.tolist()
            assert stepped.rewards[i].tolist() == pytest.approx(rewards.tolist(), abs=1e-5)
            assert stepped.done[i] == done
            assert tuple(stepped.scores[i]) == last.state.scores
            assert stepped.over[i] == (len(last.state.outcomes) > rounds[i])
            assert stepped.winner[i] == (result.winners[0] if result is not None and result.winners else -1)
            assert (env.seeds[i], env.games[i]) == (one.deal.seed, one.deal.number)
            happened["rounds"] += any(points)
            beside[i] = one
    return happened


def test_phases_of_kernels_are_those_of_the_table() -> None:
    names = ("OFFERED", "FORCED", "DRAWING", "DISCARDING", "AT_WALL", "LAST")
    assert [getattr(kernel_state, name) for name in names] == list(Phase)[:6]
    assert (FEATURES, ACTIONS) == (432, 108)


@pytest.mark.parametrize("preset", PRESETS)
def test_step_agrees_with_table_under_every_preset(preset: str) -> None:
    happened = assert_alike(PRESETS[preset], 4, 250, Random(1))
    assert happened["rounds"] > 4
    assert (happened["wall"] > 0) == PRESETS[preset].wall_knock


ANY_RULES = st.builds(
    lambda back, twice, **fields: Rules(return_upcard=back, void_if_returned_twice=back and twice, **fields),
    back=st.booleans(),
    twice=st.booleans(),
    knock_limit=st.sampled_from((0, 10, 30, 98, 10_000)),
    oklahoma=st.booleans(),
    gin_bonus=st.sampled_from((0, 25)),
    big_gin_bonus=st.sampled_from((0, 31)),
    undercut_bonus=st.sampled_from((0, 25, 300)),
    equal_deadwood=st.sampled_from(("undercut", "nothing")),
    lay_off=st.sampled_from(("greedy", "choice")),
    offer_upcard=st.booleans(),
    stock_floor=st.integers(0, 30),
    wall_knock=st.booleans(),
    max_upcard_draws=st.sampled_from((0, 1, 3)),
    max_draws=st.sampled_from((1, 7, 1000)),
    first_starter=st.sampled_from(("random", "first")),
    next_starter=st.sampled_from(("alternates", "winner", "loser")),
    match_points=st.sampled_from((0, 1, 30, 500)),
)


@settings(max_examples=30, deadline=None)
@given(ANY_RULES, st.integers(0, 2**63 - 1))
def test_step_agrees_with_table_under_any_rules(rules: Rules, seed: int) -> None:
    assert_alike(rules, 2, 60, Random(seed), seed)


@pytest.mark.parametrize("name", ["simple", "knock:10,0,6", "ensemble", "ensemble:best", "network:light"])
def test_opponent_inside_plays_as_at_the_table(name: str) -> None:
    happened = assert_alike(Rules(), 3, 140, Random(5), inside=players.parse(name))
    assert happened["rounds"] > 4


@settings(max_examples=12, deadline=None)
@given(st.sampled_from(("simple", "ensemble", "network:light")), ANY_RULES, st.integers(0, 2**63 - 1))
def test_opponent_inside_plays_as_at_the_table_under_any_rules(name: str, rules: Rules, seed: int) -> None:
    # Where a round is over after a turn, a thousand of them may go by before the own seat is asked; the Table takes long for those.
    longer = replace(rules, max_draws=max(rules.max_draws, 7), stock_floor=min(rules.stock_floor, 24))
    assert_alike(longer, 2, 30, Random(seed), seed, players.parse(name))


def test_step_passes_over_games_that_end_before_the_own_seat_is_asked() -> None:
    happened = assert_alike(Rules(match_points=0, offer_upcard=False, stock_floor=30), 4, 30, Random(5), inside=players.parse("simple"))
    assert happened["unasked"] > 0


def test_seats_keep_the_own_seat_the_same() -> None:
    rules, simple = Rules(match_points=0), players.parse("simple")
    happened = assert_alike(rules, 4, 120, Random(7), [8, 8, 9, 9], simple, fixed=[0, 1, 1, 0])
    assert happened["games"] > 8
    env = GinVector(3, rules, opponent=simple, seats=1)
    env.reset(4)
    assert env.copy().observe().to_move.tolist() == [1, 1, 1]


def test_seed_may_differ_by_table() -> None:
    happened = assert_alike(Rules(match_points=0, knock_limit=60), 3, 60, Random(4), np.array([5, 2**63 - 1, 5], np.uint64))
    assert happened["games"] > 3
    env = GinVector(3, seed=[9, 4, 9])
    assert env.seeds.tolist() == [9, 4, 9]
    assert np.array_equal(env.observe().features[0], env.observe().features[2])


def played(tables: int, rules: Rules = SINGLE, steps: int = 40, **options: Any) -> GinVector:
    env = GinVector(tables, rules, seed=11, **options)
    for _ in range(steps):
        env.step(env.random_actions())
    return env


def told(env: GinVector) -> list[NDArray[Any]]:
    return [array.copy() for array in (*env.observe(), env.hidden(), env.seeds, env.games)]


def trail(env: GinVector, steps: int = 60) -> Iterator[list[NDArray[Any]]]:
    for _ in range(steps):
        yield [*(array.copy() for array in env.step(env.random_actions())), *told(env)]


def same(one: Iterator[list[NDArray[Any]]], other: Iterator[list[NDArray[Any]]]) -> bool:
    return all(np.array_equal(a, b) for left, right in zip(one, other, strict=True) for a, b in zip(left, right, strict=True))


def test_observe_shows_nothing_hidden() -> None:
    rules, chance = PRESETS["openspiel"], Random(6)
    env, one = GinVector(1, rules, 3), Beside(rules, 3, 0)
    for step in range(300):
        features, mask, _ = env.observe()
        assert env.hidden()[0].tolist() == [one.state.round.masks[1 - one.view.seat] >> card & 1 for card in range(52)]
        # The same play with the unseen cards elsewhere looks the same.
        other = one.state.redeal(one.view.seat, Chance(step, 0, 0)).view(one.view.seat)
        assert seen(other, one.state.round.deck[20]).tolist() == features[0].tolist()
        assert legal(other) == set(np.flatnonzero(mask[0]).tolist())
        action = chosen(one, chance)
        one.apply(action)
        if env.step([action]).done[0]:
            one = Beside(rules, 3, int(env.games[0]))


@pytest.mark.parametrize("opponent", [None, "simple", "ensemble"])
def test_copy_continues_in_the_same_way_and_by_itself(opponent: str | None) -> None:
    env = played(5, opponent=opponent)
    twin, other = env.copy(), env.copy()
    assert (twin.rules, twin.reward, twin.n, twin.opponent) == (env.rules, env.reward, env.n, env.opponent)
    before = told(env)
    assert all(np.array_equal(a, b) for a, b in zip(before, told(twin), strict=True))
    list(trail(other, 5))
    assert all(np.array_equal(a, b) for a, b in zip(before, told(env), strict=True))
    assert same(trail(env), trail(twin))


def test_step_does_not_depend_on_threads() -> None:
    assert same(trail(played(600, steps=2, threads=1)), trail(played(600, steps=2, threads=2)))


@pytest.mark.parametrize("by_name", [True, False])
def test_prior_of_a_file_is_written_into_one_array(by_name: bool, tmp_path: Path) -> None:
    path = tmp_path / "mine.npz"
    with (FOLDER / "light.npz").open("rb") as file:
        path.write_bytes(file.read())
    env, name = played(3), f"network:{path}"
    tracemalloc.start()
    first = env.prior(name if by_name else players.parse(name))
    [before, _] = tracemalloc.get_traced_memory()
    for _ in range(20):
        assert env.prior(name if by_name else players.parse(name)) is first
    [after, _] = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert after - before < path.stat().st_size  # not one network more
    assert env.prior("network:light") is first  # the same network
    other = env.prior("network:light-ensemble")
    assert other is not first
    assert env.prior("network:light-ensemble") is other
    assert env.copy().prior(name) is not first


def test_random_actions_are_legal_and_of_every_kind() -> None:
    env, kinds = GinVector(200, Rules(knock_limit=60)), set()
    for _ in range(60):
        actions = env.random_actions().copy()
        assert np.array_equal(actions, env.random_actions())
        assert env.observe().mask[np.arange(200), actions].all()
        kinds |= {action_text(action).split()[0] for action in actions.tolist()}
        env.step(actions)
    assert kinds == {"pass", "draw", "take", "drop", "knock"}


def test_reset_begins_again() -> None:
    env = played(4)
    env.reset(11)
    assert same(trail(env, 10), trail(GinVector(4, SINGLE, seed=11), 10))


@pytest.mark.parametrize(
    ("actions", "problem"),
    [
        ([0, 0], r"expected 3 whole numbers as actions, one for each table, got 2 of int64"),
        ([[0], [0], [0]], r"got 3 x 1 of int64"),
        (0, r"got one of int64"),
        ([0.0, 0.0, 0.0], r"got 3 of float64"),
        ([True, True, True], r"got 3 of bool"),
        (["pass"] * 3, r"got 3 of <U4"),
        ([[0], [0, 0], 0], r"got lists of several lengths"),
        (None, r"got one of object"),
        ([0, 1, 0], r"table 1: no action 1 \(draw stock\) now; there are 0 pass, 2 take$"),
        ([0, 0, 108], r"table 2: no action 108; there are"),
        ([0, 0, -1], r"table 2: no action -1; there are"),
        (np.array([0, 0, 2**64 - 1], np.uint64), r"table 2: no action 18446744073709551615; there are"),
        ([0, 0, 107], r"table 2: no action 107 \(big gin\) now"),
    ],
)
def test_step_rejects_bad_actions_and_moves_nothing(actions: Any, problem: str) -> None:
    env = GinVector(3)
    before = told(env)
    with pytest.raises(NotLegalHere, match=problem):
        env.step(actions)
    assert all(np.array_equal(a, b) for a, b in zip(before, told(env), strict=True))


def test_writing_into_the_mask_makes_no_action_legal() -> None:
    env = GinVector(1)
    env.observe().mask[:] = 1
    with pytest.raises(NotLegalHere, match="no action 3 "):
        env.step([DISCARD])


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"n": 0}, "number of tables"),
        ({"n": 2, "seed": -1}, "seed"),
        ({"n": 2, "seed": [1, -1]}, "seed"),
        ({"n": 2, "seed": [1, 2, 3]}, "expected one seed or 2, whole numbers, got 3 of int64"),
        ({"n": 2, "seed": 1.5}, "seed"),
        ({"n": 2, "reward": "gold"}, "no reward 'gold'"),
        ({"n": 2, "opponent": "mc:8"}, "mc:8 does not play in the batch kernel"),
        ({"n": 2, "opponent": "nobody"}, "no player 'nobody'"),
        ({"n": 2, "rules": "eaai"}, "expected Rules, such as .* got a str"),
        ({"n": 2, "seats": 0}, "expected an opponent"),
        ({"n": 2, "opponent": "simple", "seats": 2}, "expected seats 0 or 1, one number or 2"),
        ({"n": 2, "opponent": "simple", "seats": [0, 1, 0]}, "expected seats 0 or 1, one number or 2"),
        ({"n": 2, "rules": UNASKED, "opponent": "simple", "seats": [0, 1]}, "seat 1 is never asked"),
        ({"n": 2, "device": "tpu"}, "no device 'tpu'"),
        ({"n": 2, "threads": 10_000}, "10000 threads asked for"),
    ],
)
def test_gin_vector_names_bad_arguments(arguments: dict[str, Any], problem: str) -> None:
    with pytest.raises(MeldlabError, match=problem):
        GinVector(**arguments)


def test_action_of_and_move_of_are_inverse() -> None:
    view = Beside(Rules(), 7, 0).view
    for move in view.legal_actions():
        assert move_of(view, action_of(move)) == move
    with pytest.raises(NotLegalHere, match="expected an action from 0 to 107, got 108"):
        move_of(view, 108)
