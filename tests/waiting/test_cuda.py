"""The GPU kernels under numba's simulator: the steps of a solve of three cards, in a process of its own, against the compiled kernels."""

from pathlib import Path

import numpy as np
import pytest

from meldlab.cards import Hand
from meldlab.errors import NotPossible
from meldlab.gpu import has_gpu
from meldlab.waiting import WaitingGame, kernel, solve
from tests.cudasim import run_simulated

# The simulator is about a thousand times slower, and the steps are slower still with a thread for every pattern.
SIMULATE = """
import sys
import numpy as np
from numba import cuda
from meldlab.waiting import WaitingGame, solver_cuda

class Device:
    # The simulator copies every argument back, so it wants arrays that may be written to.
    to_device = staticmethod(lambda array: cuda.to_device(np.array(array)))
    device_array = staticmethod(cuda.device_array)

solver_cuda.GRID, out = (1, 2), sys.argv[1]
given = np.load(out + "/given.npz")
work = solver_cuda._GpuSolve(Device, WaitingGame.parse(str(given["game"])))
work.start()
goals = work.values.expected.copy_to_host() == 0
work.values.expected.copy_to_device(given["expected"])
untold = work.check()
work.lower_all()
residual, after, sums = work.check(), work.values.after.copy_to_host(), work.sums()
work.values.expected.copy_to_device(given["start"])
work.lower_all()
change = work.lower(1)
lowered, told = work.values.expected.copy_to_host(), work.values.after.copy_to_host()
found = {"goals": goals, "after": after, "untold": untold, "residual": residual, "change": change, "lowered": lowered, "told": told}
np.savez(out + "/results.npz", **found, **sums._asdict())
"""


def only(ranks: str) -> Hand:
    """Return the dead cards that leave these ranks in play: the simulator is slow."""
    return Hand.parse(" ".join(rank + suit for rank in "A23456789TJQK" if rank not in ranks for suit in "CDHS"))


@pytest.mark.slow
@pytest.mark.parametrize("game", [WaitingGame(3, dead=only("238K")), WaitingGame(3, "both", dead=only("A27QK") | Hand.parse("2H 7S 7D"))])
def test_the_simulated_steps_do_what_the_compiled_kernels_do(game: WaitingGame, tmp_path: Path) -> None:
    solution = solve(game, device="cpu")
    expected, sums = solution.expected, kernel.new_sums(game.numbering.classes)
    kernel.summarise(0, len(sums.totals), sums, expected, game.space.numbering)
    # Half as much again everywhere: a sweep must bring every value down, and none below the truth.
    start = 1.5 * expected
    np.savez(tmp_path / "given.npz", game=str(game), expected=expected, start=start)
    found = run_simulated(SIMULATE, tmp_path)
    assert np.array_equal(found["goals"], expected == 0)
    assert np.array_equal(found["after"], [*least_after(game, expected), np.inf])
    assert found["untold"] > 0.1, "F stands where it was after the goals"
    assert found["residual"] <= 1e-12
    for name, values in sums._asdict().items():
        assert np.array_equal(found[name], values), name
    lowered, told, before = found["lowered"], found["told"][:-1], least_after(game, start)
    assert (lowered >= expected - 1e-12).all()
    assert (lowered < start)[expected > 0].all()
    assert found["change"] == pytest.approx((start - lowered).max())
    # Whoever was the best discard has told its hands; who has become it does so in the next sweep.
    assert (told >= least_after(game, lowered)).all()
    assert (told < before)[before > 0].all()
    assert found["told"][-1] == np.inf


def least_after(game: WaitingGame, expected: np.ndarray) -> np.ndarray:
    """Return F of every larger hand as the CPU finds it."""
    after = np.empty(game.drawn_numbering.classes)
    kernel.sweep_discards(0, game.drawn_numbering.classes, after, None, expected, game.space)
    return after


def test_without_a_gpu_the_error_says_so() -> None:
    if has_gpu():
        pytest.skip("this machine has a GPU, so there is nothing to complain about")
    with pytest.raises(NotPossible, match="CUDA"):
        solve(WaitingGame(3), device="cuda")
