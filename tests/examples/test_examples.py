"""The examples run as they are, and reach what they say."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).parents[2] / "examples"


def run(name: str, *arguments: str) -> str:
    """Run an example in a process of its own, as one does, and return what it prints."""
    # One core each: the tests beside it have the others.
    alone = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, EXAMPLES / name, *arguments], capture_output=True, text=True, timeout=300, env=alone)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_examples_page_lists_and_shows_every_example() -> None:
    scripts = sorted(path.name for path in EXAMPLES.glob("*.py"))
    page = (EXAMPLES.parent / "docs" / "examples.md").read_text()
    assert sorted(re.findall(r"^\| `(\w+\.py)` \|", page, re.MULTILINE)) == scripts
    shown = re.findall(r"^<!-- file: examples/(\w+\.py) -->$", page, re.MULTILINE)
    assert sorted(shown) == scripts


SHORT = ["best_deadwood", "four_card_rummy", "rummikub_move", "waiting_curve", "replay_record", "own_gin_player"]
SHORT += ["tune_two_parameters", "recycle_game", "dask_cluster"]


@pytest.mark.parametrize("name", SHORT)
def test_what_people_copy_is_short(name: str) -> None:
    assert len((EXAMPLES / f"{name}.py").read_text().splitlines()) < 40


def test_the_best_arrangement_is_told() -> None:
    assert run("best_deadwood.py").splitlines() == ["4H 5H 6H | 7C 7D 7H + QD KS   deadwood 20", "throw KS: 10 is left"]
    assert run("best_deadwood.py", "5H", "6H", "7H").startswith("5H 6H 7H   deadwood 0")


def test_four_card_rummy_is_solved() -> None:
    told = run("four_card_rummy.py")
    assert told.startswith("270,725 hands, on average 38.6612 turns, at most 41.8873")
    assert "if 3C comes, throw 9D: 24.0000 turns are left" in told


def test_the_rummikub_move_is_told_step_by_step() -> None:
    told = run("rummikub_move.py").splitlines()
    assert told[0] == "1. take B5 from the group K5 B5 O5, begin the run B5 B6 B7 with it"
    assert told[-1] == "3 tiles, 18 points, nothing is better; of the table 1 moved"


def test_the_waiting_curve_is_a_picture_and_its_numbers(tmp_path: Path) -> None:
    run("waiting_curve.py", str(tmp_path / "curve.svg"), "AC", "QH", "KD")
    assert "AC QH KD: 19.18 turns on average" in (tmp_path / "curve.svg").read_text()
    turns, done = (tmp_path / "curve.csv").read_text().splitlines()[-1].split(",")
    assert int(turns) == 65
    assert 0.99 <= float(done) < 0.992


def test_a_record_is_replayed_as_one_seat_saw_it() -> None:
    lines = run("replay_record.py").splitlines()
    assert lines[-1].startswith("Result(")
    # The cards that the other draws are not told.
    assert any(re.search(r"p1 draw stock [2-9TJQKA]", line) for line in lines)
    assert any("p2 draw stock  " in line for line in lines)
    assert not any(re.search(r"p2 draw stock [2-9TJQKA]", line) for line in lines)


def test_two_parameters_are_tuned_and_the_best_is_measured_anew() -> None:
    told = run("tune_two_parameters.py", "40").splitlines()
    assert len(told) == 10
    assert re.fullmatch(r"best knock:\d+,0,\d: 0\.\d+ when it was chosen, 0\.\d+ \(0\.\d+ to 0\.\d+\) on fresh deals", told[-1])


def test_a_game_is_written_checked_and_analysed() -> None:
    told = run("recycle_game.py").splitlines()
    assert told[0] == "nothing to complain of"
    assert [line.split()[0] for line in told[1:4]] == ["fairness", "order", "gain"]
    assert len(told) == 11


def test_a_cluster_plays_contests() -> None:
    pytest.importorskip("distributed", reason="the extra 'cluster' is not installed")
    told = run("dask_cluster.py")
    assert re.findall(r"^knock:(\d+),0,6 0\.\d+", told, re.MULTILINE) == ["4", "7", "10"]


def test_your_own_gin_player_beats_the_simple_one() -> None:
    [rate] = re.findall(r"late wins (0\.\d+) ", run("own_gin_player.py", "60"))
    assert float(rate) > 0.5


def test_maskable_ppo_runs() -> None:
    pytest.importorskip("sb3_contrib", reason="sb3-contrib (with PyTorch) is not installed")
    assert re.search(r"after 2,048 steps [+-][\d.]+ points a round against simple", run("maskable_ppo.py", "2048"))


def test_a_table_of_values_learns_a_recycle_game() -> None:
    [chips] = re.findall(r"the learner wins (\d\.\d+) chips", run("recycle_environment.py", "100"))
    assert float(chips) > 1.5


def test_exploitability_of_the_mini_gin_is_the_documented_one() -> None:
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed (pip install open_spiel)")
    page = (EXAMPLES.parent / "docs" / "environments" / "openspiel.md").read_text()
    [block] = re.findall(r"^```\n([\d,]+ information states\n.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert block.count(" points a round\n") == 5
    assert run("exploitability.py") == block


@pytest.mark.parametrize("name", ["train_with_numpy.py", "train_with_pytorch.py"])
def test_a_policy_learns_to_beat_random_play(name: str) -> None:
    if "pytorch" in name:
        pytest.importorskip("torch", reason="PyTorch is not installed")
    [rate] = re.findall(r"^wins (\d\.\d+) of scored rounds against random$", run(name, "280", "1e6"), re.MULTILINE)
    assert float(rate) > 0.6
