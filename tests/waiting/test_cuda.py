"""The GPU kernels under numba's simulator: one sweep of three cards, in a process of its own, against the compiled kernels."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from meldlab.errors import NotPossible
from meldlab.gpu import has_gpu
from meldlab.waiting import Waiting, kernel, solve

SRC = Path(__file__).parents[2] / "src"
HANDS, LARGER = 400, 300  # classes that the simulator goes through: it is about a thousand times slower

SIMULATE = f"""
import sys
import numpy as np
from numba import cuda
from meldlab.cards.kernel import Numbering
from meldlab.waiting import Waiting, kernel_cuda

game, out = Waiting(3), sys.argv[1]
def up(array):
    # The simulator copies every argument back, so it wants arrays that may be written to.
    return cuda.to_device(np.array(array))
small, large = (Numbering(size.classes, size.renamings, *map(up, size[2:])) for size in (game.small, game.large))
given = {{name: up(array) for name, array in np.load(out + "/given.npz").items()}}
hands, larger = cuda.to_device(np.zeros({HANDS}, np.int64)), cuda.to_device(np.zeros({LARGER}, np.int64))
kernel_cuda.list_hands[1, 2](hands, small)
kernel_cuda.list_hands[1, 2](larger, large)
marks, (leftovers, limit) = cuda.to_device(np.zeros({HANDS})), game.goal.leftovers(game.aces)
kernel_cuda.mark_goals[1, 2](marks, hands, up(leftovers), limit)
after, choice = cuda.to_device(np.zeros({LARGER})), cuda.to_device(np.zeros({LARGER}, np.uint8))
kernel_cuda.sweep_discards[1, 2](after, choice, given['expected'], larger, small.keys, small.patterns)
kept = cuda.to_device(np.zeros({LARGER}))
kernel_cuda.keep_discards[1, 2](kept, choice, given['expected'], larger, small.keys, small.patterns)
expected, change = given['start'], cuda.to_device(np.zeros(1))
kernel_cuda.sweep_draws[1, 2](expected, given['after'], hands, 49.0, change, up(game.space.alive), small.keys, large.patterns)
np.savez(out + "/found.npz", **{{name: array.copy_to_host() for name, array in
    dict(hands=hands, larger=larger, marks=marks, after=after, kept=kept, expected=expected, change=change).items()}})
"""


def test_the_simulated_kernels_do_what_the_compiled_ones_do(tmp_path: Path) -> None:
    game = Waiting(3)
    small, large = game.small, game.large
    expected = solve(game, device="cpu").expected
    after = np.empty(large.classes)
    kernel.sweep_discards(0, large.classes, after, expected, game.space)
    # One turn too much everywhere: a sweep must bring every value down, and by how much is known from the compiled kernel.
    start = np.where(expected > 0, expected + 1.0, 0.0)
    swept = start.copy()
    change = kernel.sweep_draws(0, small.classes, swept, after, game.space)
    np.savez(tmp_path / "given.npz", expected=expected, after=after, start=start[:HANDS])
    simulated = {**os.environ, "PYTHONPATH": str(SRC), "NUMBA_ENABLE_CUDASIM": "1", "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run([sys.executable, "-c", SIMULATE, str(tmp_path)], env=simulated, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = np.load(tmp_path / "found.npz")
    masks, _, values = solve(game, device="cpu").rows()
    assert np.array_equal(found["hands"], masks[:HANDS])
    assert np.array_equal(found["marks"] == 0, values[:HANDS] == 0)
    assert np.array_equal(found["after"], after[:LARGER])
    assert np.array_equal(found["kept"], after[:LARGER])
    np.testing.assert_allclose(found["expected"], swept[:HANDS], rtol=0, atol=1e-12)
    assert 0 < found["change"][0] <= change + 1e-12


def test_without_a_gpu_the_error_says_so() -> None:
    if has_gpu():
        pytest.skip("this machine has a GPU, so there is nothing to complain about")
    with pytest.raises(NotPossible, match="CUDA"):
        solve(Waiting(3), device="cuda")
