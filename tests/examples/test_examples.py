"""The examples run as they are, and reach what they say."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def run(name: str, *arguments: str) -> str:
    """Run an example in a process of its own, as one does, and return what it prints."""
    # One core each: the tests beside it have the others.
    alone = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, EXAMPLES / name, *arguments], capture_output=True, text=True, timeout=300, env=alone)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_your_own_gin_player_beats_the_simple_one() -> None:
    [rate] = re.findall(r"late wins (0\.\d+) ", run("own_gin_player.py", "60"))
    assert float(rate) > 0.5


def test_maskable_ppo_runs() -> None:
    pytest.importorskip("sb3_contrib", reason="sb3-contrib (with PyTorch) is not installed")
    assert re.search(r"after 2,048 steps [+-][\d.]+ points a round against simple", run("maskable_ppo.py", "2048"))


def test_a_table_of_values_learns_a_described_game() -> None:
    [chips] = re.findall(r"the learner wins (\d\.\d+) chips", run("recycle_environment.py", "100"))
    assert float(chips) > 1.5


def test_openspiel_solves_a_small_gin() -> None:
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed (pip install open_spiel)")
    told = run("exploitability.py", "python_meldlab_mini_gin(most_draws=1)")
    found = {name.strip(): float(points) for name, points in re.findall(r"^(.+?) +(\d+\.\d+) points a round$", told, re.MULTILINE)}
    assert found["random"] > 2
    assert 0.5 < found["simple"] < found["random"]
    assert found["CFR+, 40 iterations"] < 0.02


@pytest.mark.parametrize("name", ["train_with_numpy.py", "train_with_pytorch.py"])
def test_a_policy_learns_to_beat_random_play(name: str) -> None:
    if "pytorch" in name:
        pytest.importorskip("torch", reason="PyTorch is not installed")
    [rate] = re.findall(r"^wins (\d\.\d+) of scored rounds against random$", run(name, "280", "1e6"), re.MULTILINE)
    assert float(rate) > 0.6
