"""The GPU kernels of the vector environment under numba's simulator, in a process of its own, against the compiled ones."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from meldlab.gin import PRESETS, Rules
from meldlab.gin.book import on_host
from meldlab.gin.vector import GinVector

ROOT = Path(__file__).parents[2]
SINGLE = Rules(match_points=0, knock_limit=60, stock_floor=26)
CASES: dict[str, tuple[Rules, str | None]] = {"alone": (PRESETS["openspiel"], None), "inside": (SINGLE, "simple")}

SIMULATE = """
import sys
import numpy as np
from numba import cuda
from meldlab.gin import stepping_cuda
from meldlab.gin.values import recursion

# No driver to be asked, a thread or two are enough, and the simulator copies arguments back, so it wants arrays of its own.
recursion.use_gpu = lambda: cuda
stepping_cuda.THREADS, stepping_cuda.WRITERS, stepping_cuda.MOST_BLOCKS = 2, 2, 1
recursion.Engine.up = lambda self, array: cuda.to_device(np.array(array))
from tests.gin.test_vector_cuda import work
np.savez(sys.argv[1] + "/found.npz", **work("cuda", sys.argv[1] + "/saved.npz"))
"""


def work(device: Any, path: str) -> dict[str, Any]:
    """Play at a few tables, break a rule, save, load and go on; everything that was told on the way."""
    found: dict[str, Any] = {}
    for name, (rules, inside) in CASES.items():
        env = GinVector(2, rules, 3, inside, device, finals=True)
        for step in range(24):
            if step == 10:
                env.save(path)
                env = GinVector.load(path, device=device)
            if step == 12:
                env = env.copy()
            actions = env.random_actions()
            told = (*env.observe(), *env.step(actions), env.hidden(), actions, env.seen(), env.finals)
            for place, array in enumerate(told):
                found[f"{name} {step} {place}"] = on_host(array).copy()
        before = on_host(env.observe().features).copy()
        try:
            env.step([107, 107])
            env.step([0, 0])  # moves nothing on a GPU, and the first mistake is the one that counts
            env.check()
        except ValueError as problem:
            found[f"{name} refusal"] = np.array(str(problem))
        found[f"{name} unmoved"] = np.array(np.array_equal(before, on_host(env.observe().features)))
        found[f"{name} games"] = env.games
    return found


def test_the_simulated_kernels_do_what_the_compiled_ones_do(tmp_path: Path) -> None:
    expected = work("cpu", str(tmp_path / "saved.npz"))
    paths = os.pathsep.join([str(ROOT), str(ROOT / "src")])
    simulated = {**os.environ, "PYTHONPATH": paths, "NUMBA_ENABLE_CUDASIM": "1", "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run([sys.executable, "-c", SIMULATE, str(tmp_path)], env=simulated, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    found = np.load(tmp_path / "found.npz")
    assert set(found.files) == set(expected)
    for name, array in expected.items():
        assert np.array_equal(found[name], array), name
    assert "no action 107" in str(expected["alone refusal"])
    assert expected["inside unmoved"]
    # Games have ended, or little was compared.
    assert expected["inside games"].max() > 1
