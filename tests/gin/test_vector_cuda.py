"""The GPU kernels of the vector environment under numba's simulator, in a process of its own, against the compiled ones."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from meldlab.gin import PRESETS, Rules
from meldlab.gin.vector import GinVector
from meldlab.gpu import on_host
from tests.cudasim import run_simulated

SINGLE = Rules(match_points=0, knock_limit=60, stock_floor=26)
CASES: dict[str, tuple[Rules, str | None]] = {"alone": (PRESETS["openspiel"], None), "inside": (SINGLE, "simple")}

SIMULATE = """
import sys
import numpy as np
from numba import cuda
from meldlab import gpu
from meldlab.gin import vector_devices

# No driver to be asked, a thread or two are enough, and the simulator copies arguments back, so it wants arrays of its own.
gpu.use_gpu = lambda: cuda
vector_devices.THREADS, vector_devices.WRITERS, vector_devices.MAX_BLOCKS = 2, 2, 1
gpu.Device.up = lambda self, array: cuda.to_device(np.array(array))
from tests.gin.test_vector_cuda import play
np.savez(sys.argv[1] + "/results.npz", **play("cuda"))
"""


def play(device: Any) -> dict[str, Any]:
    """Play at a few tables, take a copy on the way, and give illegal actions; return all arrays of all steps."""
    results: dict[str, Any] = {}
    for name, (rules, inside) in CASES.items():
        env = GinVector(2, rules, 3, inside, device, final_observations=True)
        for step in range(24):
            if step == 10:
                env = env.copy()
            actions = env.random_actions()
            arrays = (*env.observe(), *env.step(actions), env.hidden(), actions, env.observe_both(), env.final_observations)
            for index, array in enumerate(arrays):
                results[f"{name} {step} {index}"] = on_host(array).copy()
        results[f"{name} prior"] = on_host(env.prior("network:light"))
        before = on_host(env.observe().features).copy()
        try:
            env.step([107, 107])
            env.step([0, 0])  # moves nothing on a GPU, where the first illegal step is reported
            env.check()
        except ValueError as error:
            results[f"{name} error"] = np.array(str(error))
        results[f"{name} unmoved"] = np.array(np.array_equal(before, on_host(env.observe().features)))
        results[f"{name} games"] = env.games
    return results


@pytest.mark.slow
def test_simulated_kernels_equal_compiled_kernels(tmp_path: Path) -> None:
    expected = play("cpu")
    results = run_simulated(SIMULATE, tmp_path)
    assert set(results) == set(expected)
    for name, array in expected.items():
        if name.endswith("prior"):  # sums of float32 in another order
            np.testing.assert_allclose(results[name], array, rtol=0, atol=1e-4)
        else:
            assert np.array_equal(results[name], array), name
    assert "no action 107" in str(expected["alone error"])
    assert expected["inside unmoved"]
    # Games have ended, or little was compared.
    assert expected["inside games"].max() > 1
