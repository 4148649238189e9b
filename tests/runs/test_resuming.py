"""A search that is killed, or shared by two processes, ends with the answer of one that was left alone."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from meldlab.runs.store import Store
from tests.runs import kinds
from tests.runs.search import GAMES, PIECE, PIECES, PLAYERS, search

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


def start(*arguments: str, module: str = "search") -> "subprocess.Popen[str]":
    """Start the search, or another module, in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}", "SEARCH_PACE": "0.15"}
    program = [sys.executable, "-m", f"tests.runs.{module}", *arguments]
    return subprocess.Popen(program, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)


def count(store: Path, where: str) -> int:
    """Count rows with a connection of our own, not the code under test."""
    if not store.exists():
        return 0
    connection = sqlite3.connect(store, timeout=10)
    try:
        return int(connection.execute(f"SELECT count(*) FROM evaluations WHERE {where}").fetchone()[0])
    except sqlite3.OperationalError:
        return 0  # the tables are not there yet
    finally:
        connection.close()


def wait_for(store: Path, where: str, many: int, process: "subprocess.Popen[str]") -> None:
    while count(store, where) < many:
        assert process.poll() is None, "the search ended before it could be interrupted"
        time.sleep(0.01)


@pytest.fixture(scope="module")
def left_alone(tmp_path_factory: pytest.TempPathFactory) -> str:
    return search(str(tmp_path_factory.mktemp("alone") / "runs.sqlite"))


def test_killed_twice_a_search_ends_with_the_same_answer(tmp_path: Path, left_alone: str) -> None:
    store = tmp_path / "runs.sqlite"
    for moment, many in (("claimed_by IS NOT NULL", 1), ("done_at IS NOT NULL", 1)):
        process = start(str(store))
        wait_for(store, moment, many, process)
        os.kill(process.pid, signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
    done = count(store, "done_at IS NOT NULL")
    assert 1 <= done < PIECES
    assert count(store, "done_at IS NULL") > 0, "a killed search leaves its claims behind"
    assert search(str(store), lease=1.0).encode() == left_alone.encode()
    assert count(store, "done_at IS NOT NULL") == count(store, "1") == PIECES
    assert Store.open(store).find(1).result["best"] in PLAYERS


def test_a_finished_search_is_read_and_not_played(tmp_path: Path) -> None:
    store, log = str(tmp_path / "runs.sqlite"), str(tmp_path / "log")
    first = search(store, log)
    played = Path(log).read_text()
    assert search(store, log) == first
    assert Path(log).read_text() == played


def test_two_processes_on_one_store_do_no_piece_twice(tmp_path: Path, left_alone: str) -> None:
    store, log = tmp_path / "runs.sqlite", tmp_path / "log"
    both = [start(str(store), str(log)) for _ in range(2)]
    answers = [process.communicate(timeout=100)[0].strip() for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert answers == [left_alone, left_alone]
    lines = [line.split() for line in log.read_text().splitlines()]
    assert Counter(key for key, _ in lines) == Counter({key: 1 for key, _ in lines})
    assert len(lines) == PIECES
    assert {process for _, process in lines} == {str(process.pid) for process in both}, "both had a share"
    assert count(store, "1") * PIECE == len(PLAYERS) * GAMES


def expire_leases(store: Path) -> None:
    """Let as much time pass for the claims of a killed process as a lease lasts."""
    connection = sqlite3.connect(store, timeout=10)
    with connection:
        for table in ("evaluations", "run_queue"):
            connection.execute(f"UPDATE {table} SET claimed_at = 0")
    connection.close()


# A search for variants is killed in tests/cli/test_recycle_search.py, a review in tests/web/test_server.py.
@pytest.mark.parametrize("kind", kinds.KINDS)
def test_killed_run_of_each_kind_resumes_to_the_same_answer(kind: str, tmp_path: Path) -> None:
    store = tmp_path / "killed.sqlite"
    process = start(kind, str(store), module="kinds")
    wait_for(store, "done_at IS NOT NULL", 1, process)
    os.kill(process.pid, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    done = count(store, "done_at IS NOT NULL")
    expire_leases(store)
    resumed = kinds.play(kind, str(store))
    assert resumed == kinds.play(kind, str(tmp_path / "alone.sqlite"))
    assert count(store, "done_at IS NOT NULL") == count(tmp_path / "alone.sqlite", "1") > done
