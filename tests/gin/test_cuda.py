"""The GPU kernels of gin under numba's simulator: three cards of a tiny deck, in a process of its own, against the compiled kernels."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from meldlab.gin import Rules
from meldlab.gin.computing import playing
from meldlab.gin.computing.opponent_model import OpponentModel
from meldlab.gin.computing.solver import HandClasses, solve, value_under, values_of
from meldlab.gin.kernel_state import TURN_WIDTH
from meldlab.gin.players import MarjjPlayer, SimplePlayer
from meldlab.gin.rules import kernel_rules
from meldlab.gin.value_tables import dead_cards
from meldlab.gpu import on_host
from tests.cudasim import run_simulated

ROUNDS, GAMES, LIMIT = 6, 2, 2
RULES = Rules(knock_limit=LIMIT, match_points=10)

SIMULATE = """
import sys
import numpy as np
from numba import cuda
from meldlab import gpu
from meldlab.gin.computing import kernel_cuda, playing, solver

# No driver to be asked, a thread or two are enough, and the simulator copies arguments back, so it wants arrays of its own.
gpu.use_gpu, solver.GRID, playing.MAX_BLOCKS, kernel_cuda.THREADS = (lambda: cuda), (1, 2), 2, 2
gpu.Device.up = lambda self, array: cuda.to_device(np.array(array))
from tests.gin.test_cuda import compute
np.savez(sys.argv[1] + "/results.npz", **compute("cuda"))
"""


def compute(device: str) -> dict[str, Any]:
    """Solve, follow a guide, play and tally with the kernels of a device."""
    classes, rules = HandClasses(3, dead_cards(3), device), kernel_rules(replace(RULES, cards=3, ranks=3))
    simple, marjj, on = SimplePlayer().parameters(), MarjjPlayer().parameters(), classes.device
    first = playing.tally(on, (simple, simple), rules, 1, ROUNDS)
    model = OpponentModel.of(first)
    values = {}

    def store(turn: int, value: object) -> None:
        values[turn] = np.array(on_host(value))

    solved = solve(classes, model, LIMIT, upcard=0.3, kind=np.uint8, slots=[1, 8], on_turn=store)
    guided = value_under(classes, model.until(4), solved, model, LIMIT, upcard=0.3)
    store(0, classes.value)
    table = values_of(classes, solved, model, 2.0)
    trajectories = on.up(np.zeros((ROUNDS, 2, 4, TURN_WIDTH)))
    playing.record(on, (table, simple), rules, 5, trajectories)
    return {
        "first": first,
        "second": playing.tally(on, (table, simple), rules, 3, ROUNDS),
        "value": values[1],
        "guided": values[0],
        "means": np.array([solved.value, guided]),
        "codes": on_host(solved.codes),
        "wins": playing.mirrored_wins(on, (table, simple), rules, 2, GAMES),
        "matches": playing.play(on, (simple, table), rules, 4, 0, GAMES),
        "marjj": playing.play(on, (marjj, simple), rules, 4, 0, GAMES),
        "trajectories": on_host(trajectories),
    }


@pytest.mark.slow
def test_simulated_kernels_equal_compiled_kernels(tmp_path: Path) -> None:
    expected = compute("cpu")
    results = run_simulated(SIMULATE, tmp_path)
    for name in ("wins", "matches", "marjj"):
        assert np.array_equal(results[name], expected[name]), name
    for name in ("first", "second", "value", "guided", "means", "trajectories"):
        np.testing.assert_allclose(results[name], expected[name], rtol=0, atol=1e-4)
    # A value on the edge between two codes may fall to either side.
    assert np.abs(results["codes"].astype(int) - expected["codes"]).max() <= 1
    assert expected["first"].any()
    assert expected["trajectories"].any((0, 2, 3)).all()
    assert expected["value"].std() > 0.1
    assert (expected["guided"] < expected["value"]).any()
