"""Ways to learn a small gin: exploitability is OpenSpiel's, and what is learned is less exploitable than chance."""

import importlib.util
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed (pip install open_spiel)")

from meldlab.adapters.openspiel.trees import GameTree  # noqa: E402

ONE_DRAW = "python_meldlab_mini_gin(most_draws=1,offer_upcard=0)"
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
