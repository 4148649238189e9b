"""Ways to learn a small gin: exploitability is OpenSpiel's, and what is learned is less exploitable than chance."""

import importlib.util
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed (pip install open_spiel)")

from meldlab.adapters.openspiel.gin import Position, information_text  # noqa: E402
from meldlab.adapters.openspiel.trees import GameTree  # noqa: E402
from meldlab.gin import players  # noqa: E402
from meldlab.gin.vector import action_of  # noqa: E402
from meldlab.play import Deal  # noqa: E402

ONE_DRAW = "python_meldlab_mini_gin(max_draws=1,offer_upcard=0)"
PLACE = Path(__file__).parents[2] / "benchmarks" / "small_gin.py"


@pytest.fixture(scope="module")
def bench() -> ModuleType:
    spec = importlib.util.spec_from_file_location("small_gin", PLACE)
    assert spec
    assert spec.loader
    # By this name numba finds the types of what it has compiled before.
    module = sys.modules["small_gin"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def walked() -> GameTree:
    return GameTree.of(pyspiel.load_game(ONE_DRAW))


def test_exploitability_is_that_of_openspiel(bench: ModuleType, walked: GameTree) -> None:
    tree, dice = bench.tree_of(walked.text), np.random.default_rng(1)
    weights = dice.random(tree.place[-1]) ** 3
    names = dict(zip(walked.seen, range(len(walked.seen)), strict=True))  # in the order in which both met them
    table, policy = {}, weights.copy()
    for name, row in names.items():
        first, last = tree.place[row], tree.place[row + 1]
        policy[first:last] /= weights[first:last].sum()
        table[name] = list(enumerate(policy[first:last].tolist()))
    assert bench.exploitability(tree, policy) == pytest.approx(pyspiel.exploitability(walked.game, pyspiel.TabularPolicy(table)), abs=1e-9)


Choose = Callable[[Position], Mapping[int, float]]


def best_response(root: Position, choose: Choose, seat: int) -> float:
    """What ``seat`` wins on average against an opponent that plays by ``choose``, over all positions and without a tree of OpenSpiel."""
    positions: dict[str, list[tuple[Position, float]]] = defaultdict(list)

    def others(position: Position) -> list[tuple[int, float]]:
        if position.seat < 0:
            return position.chance_outcomes()
        weights = choose(position)
        return [(action, weight / sum(weights.values())) for action, weight in weights.items() if weight]

    def collect(position: Position, likely: float) -> None:
        if position.node == "over":
            return
        if position.seat == seat:
            positions[information_text(position, seat)].append((position, likely))
            for action in position.legal:
                collect(position.after(action), likely)
            return
        for action, share in others(position):
            collect(position.after(action), likely * share)

    @cache
    def answer(seen: str) -> int:
        def gain(action: int) -> float:
            return sum(likely * value(position.after(action)) for position, likely in positions[seen])

        return max(positions[seen][0][0].legal, key=gain)

    def value(position: Position) -> float:
        if position.node == "over":
            return position.lead[0] * (1 - 2 * seat)
        if position.seat == seat:
            return value(position.after(answer(information_text(position, seat))))
        return sum(share * value(position.after(action)) for action, share in others(position))

    collect(root, 1.0)
    return value(root)


def simple_weights(position: Position) -> dict[int, float]:
    move = players.parse("simple").choose(position.match.view(position.seat), Deal(0).chance(0, 0))
    return {action_of(move): 1.0}


@pytest.mark.parametrize(
    "choose", [simple_weights, lambda position: {action: 1.0 + action % 7 for action in position.legal}], ids=["simple", "uneven"]
)
def test_exploitability_of_a_policy_of_the_tree_is_that_of_plain_best_responses(walked: GameTree, choose: Choose) -> None:
    root = pyspiel.load_game(ONE_DRAW).first
    expected = sum(best_response(root, choose, seat) for seat in range(2)) / 2
    assert pyspiel.exploitability(walked.game, walked.policy(choose)) == pytest.approx(expected, abs=1e-9)


def test_every_way_learns_and_the_same_seed_learns_the_same(bench: ModuleType, walked: GameTree) -> None:
    tree = bench.tree_of(walked.text)
    blank = np.zeros(tree.place[-1])
    bench.mixed(tree, blank.copy(), blank)
    chance = bench.exploitability(tree, blank)

    def end(way: Any, seed: int) -> tuple[int, float, float]:
        *_, last = bench.learn(tree, way, 200_000, seed, lap=4000)
        return last  # type: ignore[no-any-return]

    for way in {each.way: each for each in bench.ALONE}.values():  # each kind once
        assert end(way, 1)[2] < chance / 2, way.name
    way = bench.WAYS[3]
    assert end(way, 1) == end(way, 1) != end(way, 2)
    assert end(replace(way, share=0.0), 1) != end(way, 1)
