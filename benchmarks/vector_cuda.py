"""Gin tables stepped on a GPU: equal to the CPU, shared with PyTorch and CuPy without a copy, and how many steps a second.

Run on a machine with an NVIDIA GPU: python benchmarks/vector_cuda.py [--seconds 3]. Random legal actions are drawn by a kernel of its own,
which is part of the time; features and mask are written at every step. The last line is JSON.
"""

import argparse
import importlib
import json
import time
from typing import Any

import numpy as np

from meldlab.gin import PRESETS, Rules
from meldlab.gin.vector import GinVector
from meldlab.gpu import gpu_name, on_host, use_gpu

TABLES = (1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20)
WARM = 200  # steps, after which tables are at all stages of a round
INSIDE = ("simple", "ensemble", "network:light")


def told(env: GinVector) -> list[Any]:
    return [on_host(array) for array in (*env.observe(), *env._result, env.hidden(), env.random_actions())]


def compare(rules: Rules, opponent: str | None, tables: int, steps: int) -> float:
    """Step both side by side and return the share of tables at which they differ; floats of a network may round otherwise."""
    here, there = (GinVector(tables, rules, 5, opponent, device) for device in ("cpu", "cuda"))
    differ = np.zeros(tables, bool)
    for step in range(steps):
        for one, other in zip(told(here), told(there), strict=True):
            differ |= (one != other).reshape(tables, -1).any(1)
        if differ.any():
            assert opponent not in (None, "simple"), f"step {step}: {differ.sum()} of {tables} tables differ under {rules}"
            break
        actions = here.random_actions()
        here.step(actions)
        there.step(actions)
    return float(differ.mean())


def check_sharing(found: dict[str, Any]) -> None:
    """Look at the arrays with other programs, at the same address, before and after a step."""
    env = GinVector(1000, seed=1, device="cuda")
    seen = env.observe()
    address = seen.features.__cuda_array_interface__["data"][0]
    for name, look in (
        ("torch", lambda module: module.as_tensor(seen.features, device="cuda")),
        ("cupy", lambda module: module.asarray(seen.features)),
    ):
        try:
            module = importlib.import_module(name)
        except ImportError:
            found[name] = "not installed"
            continue
        view = look(module)
        pointer = view.data_ptr() if name == "torch" else view.data.ptr
        assert pointer == address, f"{name} has made a copy"
        legal = module.as_tensor(seen.mask, device="cuda") if name == "torch" else module.asarray(seen.mask)
        env.step(legal.argmax(1))  # of its own memory: the lowest legal action
        after = view.cpu().numpy() if name == "torch" else module.asnumpy(view)
        assert np.array_equal(after, on_host(seen.features)), f"{name} sees something else after a step"
        found[name] = "shared without a copy"
    env.check()
    before = on_host(seen.features).copy()
    env.step(np.full(1000, 107))
    env.step(env.random_actions())
    try:
        env.check()
        raise AssertionError("an illegal action was taken")
    except ValueError as problem:
        found["refusal"] = str(problem)
    assert np.array_equal(before, on_host(seen.features)), "tables moved after an illegal action"
    env.step(env.random_actions())
    env.check()
    assert not np.array_equal(before, on_host(seen.features)), "tables stand still after the check"


def rate(tables: int, seconds: float, opponent: str | None = None) -> float:
    """Return steps per second, random actions included."""
    cuda = use_gpu()
    env = GinVector(tables, seed=2, opponent=opponent, device="cuda")
    for _ in range(WARM):
        env.step(env.random_actions())
    cuda.synchronize()
    steps, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        for _ in range(10):
            env.step(env.random_actions())
        steps += 10
    env.check()
    return steps * tables / (time.perf_counter() - start)


def parts(tables: int) -> dict[str, float]:
    """Return the milliseconds of each kernel of a step."""
    cuda = use_gpu()
    env = GinVector(tables, seed=2, device="cuda")
    for _ in range(WARM):
        env.step(env.random_actions())
    engine = env._engine
    from meldlab.gin import kernel_vector_cuda as kernels
    from meldlab.gin.vector_devices import WRITERS, _shape

    actions = env.random_actions()
    jobs = {
        "random_actions": lambda: engine.run("choose_at_random", engine._tables.states, actions),
        "find_illegal": lambda: engine.run("find_illegal", engine._tables.states, actions, 0, engine._illegal),
        "write_words": lambda: kernels.write_words[_shape(tables * kernels.TABLE_WORDS, WRITERS)](engine._tables.states, engine._outputs),
        "step": lambda: env.step(env.random_actions()),
    }
    found = {}
    for name, job in jobs.items():
        job()
        cuda.synchronize()
        start = time.perf_counter()
        for _ in range(20):
            job()
        cuda.synchronize()
        found[name] = (time.perf_counter() - start) / 20 * 1000
    return found


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--seconds", type=float, default=2.0, help="per measurement")
    seconds = arguments.parse_args().seconds
    found: dict[str, Any] = {"gpu": gpu_name()}
    begun = time.perf_counter()
    print(found["gpu"], flush=True)
    for name, rules in PRESETS.items():
        compare(rules, None, 500, 1000)
        print(f"equal to the CPU under {name}: 500 tables, 1,000 steps each   {time.perf_counter() - begun:6.1f} s", flush=True)
    for opponent in INSIDE:
        found[f"differ {opponent}"] = compare(Rules(), opponent, 500, 300)
        share = f"{found[f'differ {opponent}']:.1%} of tables differ"
        print(f"against {opponent}: 500 tables, 300 steps, {share}   {time.perf_counter() - begun:6.1f} s", flush=True)
    check_sharing(found)
    print({key: value for key, value in found.items() if key != "rates"}, flush=True)
    found["rates"] = {tables: rate(tables, seconds) for tables in TABLES}
    for tables, speed in found["rates"].items():
        print(f"{tables:>9,} tables   {speed:14,.0f} steps/s", flush=True)
    found["parts"] = parts(TABLES[-1])
    print(f"milliseconds at {TABLES[-1]:,} tables: {found['parts']}", flush=True)
    found["inside"] = {opponent: rate(1 << 16, seconds, opponent) for opponent in INSIDE}
    for opponent, speed in found["inside"].items():
        print(f"   65,536 tables against {opponent:15} {speed:14,.0f} steps/s", flush=True)
    found["seconds"] = time.perf_counter() - begun
    print(json.dumps(found))


if __name__ == "__main__":
    main()
