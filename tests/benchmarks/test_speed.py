"""The scripts of ``benchmarks/speed``: what they measure, on small sizes, as JSON and as text."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
NO_ADAPTER = "import sys; sys.modules['pyspiel'] = sys.modules['rlcard'] = None"


def run(*arguments: str, first: str = "") -> "subprocess.CompletedProcess[str]":
    """Run ``benchmarks/speed`` in a process, after the statements ``first``."""
    code = (
        f"{first}\nimport runpy, sys; sys.argv = ['speed', *{list(arguments)!r}]; runpy.run_path('benchmarks/speed', run_name='__main__')"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def answer(*arguments: str) -> dict[str, Any]:
    """Return the JSON that a measurement prints."""
    done = run(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures


def test_speed_of_melds_agrees_with_other_implementations() -> None:
    figures = answer("melds", "--hands", "1000")
    assert figures["ns_uniform"] > 0
    assert figures["ns_played"] > 0
    assert all(ns > 0 for ns in figures["others"].values())
    assert all(share == 1 for share in figures["agreement"].values())


def test_speed_without_other_implementations_says_so() -> None:
    done = run("melds", "--hands", "1000", first=NO_ADAPTER)
    assert done.returncode == 0, done.stderr
    assert "no other implementation is installed" in done.stdout


def test_speed_of_vector_environments() -> None:
    figures = answer("vector", "--seconds", "0.1", "--tables", "300")
    assert list(figures["rows"])[:3] == ["gin", "gin against simple", "Block Rummy"]
    assert all(row is None or row["steps_per_second"] > 0 for row in figures["rows"].values())
    done = run("vector", "--seconds", "0.1", "--tables", "300", first=NO_ADAPTER)
    assert done.returncode == 0, done.stderr
    assert re.search(r"OpenSpiel gin_rummy +not installed", done.stdout)


def test_speed_of_stopping_computes_the_value_of_the_paper() -> None:
    figures = answer("stopping", "--cards", "50", "--exact", "20")
    assert (figures["cards"], figures["exact_cards"]) == (50, 20)
    assert {"floats_s", "winnings_s", "exact_s", "plain_s", "plain_times"} <= set(figures)
    loop = "import sys; sys.path.insert(0, 'benchmarks/speed'); from stopping import paper_loop; print(paper_loop(26)); raise SystemExit"
    assert float(run(first=loop).stdout) == pytest.approx(2.624475548993925, abs=1e-12)


def test_speed_of_tuning_projects_the_searches_of_the_paper() -> None:
    figures = answer("tuning", "--games", "100", "--shards", "2")
    assert figures["projected_games"] == 23_720_000
    assert figures["projected_hours"] == pytest.approx(23_720_000 / figures["games_per_second_on_cores"] / 3600)
    assert all(figures[name] > 0 for name in ("kernel_games_per_second", "sharded_games_per_second", "games_per_second_by_the_clock"))
    assert figures["overhead"] == pytest.approx(figures["seconds_per_shard"] * figures["kernel_games_per_second"] / 100)


def test_speed_of_search_projects_a_page() -> None:
    size = ("analyse", "--game", "kuhn_poker", "--games", "1", "--simulations", "5")
    figures = answer(*size)
    assert set(figures["opening_decision_seconds"]) == {"pimc", "mcts", "ismcts"}
    assert figures["options"] == 2
    assert figures["page_minutes_on_two_cores"] > 0
    assert "2 options x 1,000 simulations" in run(*size).stdout


def test_speed_rejects_an_invalid_seed_in_one_line() -> None:
    done = run("melds", "--hands", "1000", "--seed", str(2**64))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"error: seed must be a whole number from 0 to 2^63 - 1, not {2**64}\n"
