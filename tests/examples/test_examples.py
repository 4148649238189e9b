"""The examples run as they are, and reach what they say."""

import re
import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"


def run(name: str, *arguments: str) -> str:
    """Run an example in a process of its own, as one does, and return what it prints."""
    done = subprocess.run([sys.executable, EXAMPLES / name, *arguments], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_your_own_gin_player_beats_the_simple_one() -> None:
    [rate] = re.findall(r"late wins (0\.\d+) ", run("own_gin_player.py", "60"))
    assert float(rate) > 0.5


def test_a_table_of_values_learns_a_described_game() -> None:
    [chips] = re.findall(r"the learner wins (\d\.\d+) chips", run("recycle_environment.py", "100"))
    assert float(chips) > 1.5
