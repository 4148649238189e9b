"""``recycle search`` as a designer calls it: what it answers and writes, what it says to nonsense, and that it can be killed."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from meldlab.cli.app import main
from tests.variants.tiny import GAME, written

ROOT = Path(__file__).parents[2]
SMALL = ("--games", "8", "--test-games", "6", "--simulations", "4", "--threads", "1", "--seed", "2")
WISH = ("--vary", "TURNS=1..3", "--vary", "DEAL=5..6", "--maximise", "drama", "--require", "fairness > 0.1", "--require", "decisions<100")


def heard(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(["recycle", "search", *words])
    printed = capsys.readouterr()
    return int(ended.value.code or 0), printed.out, printed.err


def timeless(text: str) -> dict[str, Any]:
    return {**json.loads(text), "seconds": 0}


def test_a_search_answers_writes_and_says_what_is_no_game(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    game, store = written(tmp_path), str(tmp_path / "runs.sqlite")
    status, out, err = heard(capsys, game, *WISH, *SMALL, "--store", store, "--out", str(tmp_path / "out"))
    assert status == 0, err
    assert "the winner is TURNS=" in out
    assert "racing saved" in out
    assert out.endswith(f"the page is {tmp_path / 'out' / 'index.html'}\n")
    assert "fails: there is no card here" in err
    assert "Variants of Dare" in (tmp_path / "out" / "index.html").read_text()
    assert main_text(tmp_path / "out" / "dare.rcy") == main_text(tmp_path / "dare.rcy")
    status, out, _ = heard(capsys, game, *WISH, *SMALL, "--store", store, "--json")
    answer = json.loads(out)
    assert status == 0
    assert answer["vary"] == ["TURNS=1..3", "DEAL=5..6"]
    assert answer["keep"] == ["fairness > 0.1", "decisions < 100"]
    assert len(answer["attempts"]) == 7
    assert answer["winner"]["problem"] == answer["winner"]["stopped"] == ""
    assert answer["files"] == []


def main_text(path: Path) -> list[str]:
    """Return the lines of a program that no number and no comment is in."""
    return [line for line in path.read_text().splitlines() if line.strip() and not line.startswith(";;") and "declare" not in line]


def test_where_no_variant_will_do_the_status_is_one(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = (
        "--vary",
        "TURNS=1..2",
        "--minimise",
        "ties",
        "--require",
        "decisions > 50",
        "--player",
        "random",
        "--store",
        str(tmp_path / "s"),
    )
    status, out, err = heard(capsys, written(tmp_path), *words, *SMALL)
    assert status == 1
    assert "the front of the best" in out
    assert "error: no variant fulfils decisions > 50" in err
    status, out, err = heard(
        capsys, written(tmp_path), "--set", "TURNS=3", "--vary", "DEAL=6..9", *words[2:4], "--player", "random", *words[-2:], *SMALL
    )
    assert (status, "Traceback" in err) == (0, False)  # all variants fail; the game as it is written is left
    assert "0  DEAL=1" in err


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["nogame", *WISH], "no game 'nogame'"),
        (["whist", *WISH], "whist declares no number that could vary"),
        (["leduc_poker", "--maximise", "drama"], "leduc_poker declares BET=2, RAISES=2"),
        (["leduc_poker", "--vary", "BETS=1..2", "--maximise", "drama"], "did you mean BET?\n  BETS=1..2\n  ^"),
        (["leduc_poker", "--vary", "BET=2..1", "--maximise", "drama"], "nothing lies from 2 to 1\n  BET=2..1\n      ^"),
        (["leduc_poker", "--vary", "BET=1-2", "--maximise", "drama"], "NAME=LOW..HIGH"),
        (["leduc_poker", "--vary", "BET=1..2"], "--maximise MEASURE or --minimise MEASURE"),
        (["leduc_poker", "--vary", "BET=1..2", "--maximise", "drama", "--minimise", "ties"], "expected one objective"),
        (["leduc_poker", "--vary", "BET=1..2", "--maximise", "dramma"], "did you mean drama?"),
        (["leduc_poker", "--vary", "BET=1..2", "--maximise", "drama", "--require", "fairness"], "MEASURE > NUMBER"),
        (["leduc_poker", "--vary", "BET=1..2", "--maximise", "drama", "--require", "fun > 1"], "no measure 'fun'"),
        (["leduc_poker", "--vary", "BET=1..2", "--maximise", "drama", "--player", "random"], "drama needs players that search"),
        (["leduc_poker", "--vary", "BET=1..2", "--maximise", "drama", "--trials", "0"], "--trials"),
        (["leduc_poker", "--vary", "BET=1..2", "--maximise", "drama", "--store", "gopher://x"], "gopher://x is not a store"),
    ],
)
def test_nonsense_is_one_mistake(capsys: pytest.CaptureFixture[str], words: list[str], problem: str) -> None:
    status, out, err = heard(capsys, *words)
    assert (status, out) == (2, "")
    assert err.startswith("error: ")
    assert problem in err


def test_a_cluster_gives_the_same(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed", reason="the extra 'cluster' is not installed")
    words = (written(tmp_path), "--vary", "TURNS=1..2", "--maximise", "drama", *SMALL, "--json")
    _, here, _ = heard(capsys, *words, "--store", str(tmp_path / "a.sqlite"))
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, protocol="tcp", dashboard_address=None, host="127.0.0.1"
    ) as cluster:
        _, there, _ = heard(capsys, *words, "--store", str(tmp_path / "b.sqlite"), "--cluster", cluster.scheduler_address)
    assert timeless(there) == timeless(here)


def done(store: Path) -> int:
    """Count finished pieces with a connection of our own."""
    if not store.exists():
        return 0
    connection = sqlite3.connect(store, timeout=10)
    try:
        return int(connection.execute("SELECT count(*) FROM evaluations WHERE done_at IS NOT NULL").fetchone()[0])
    except sqlite3.OperationalError:
        return 0  # the tables are not there yet
    finally:
        connection.close()


def test_interrupted_and_killed_a_search_ends_as_if_left_alone(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "dare.rcy").write_text(GAME.replace("(declare 2 'TURNS)", "(declare 150 'TURNS)"))
    words = ["--vary", "TURNS=150..151", "--maximise", "drama", "--games", "8", "--test-games", "2", "--simulations", "5", "--threads", "1"]
    words = [str(tmp_path / "dare.rcy"), *words, "--limits", "options=100,branches=10,lists=1000", "--json"]
    store = tmp_path / "runs.sqlite"
    program = [sys.executable, "-m", "meldlab", "recycle", "search", *words, "--store", str(store)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    for how, status, pieces in ((signal.SIGINT, 130, 7), (signal.SIGKILL, -signal.SIGKILL, 8)):
        process = subprocess.Popen(program, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while done(store) < pieces:
            assert process.poll() is None, process.communicate()
            time.sleep(0.01)
        process.send_signal(how)
        begun = time.monotonic()
        out, err = process.communicate(timeout=60)
        assert (process.returncode, out, "Traceback" in err) == (status, "", False)
        assert time.monotonic() - begun < 10, "a key is heard at once"
    before = done(store)
    status, out, _ = heard(capsys, *words, "--store", str(store))
    assert status == 0
    assert done(store) > before
    _, alone, _ = heard(capsys, *words, "--store", str(tmp_path / "other.sqlite"))
    assert timeless(out) == timeless(alone)
