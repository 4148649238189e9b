"""Ctrl-C in long commands: one line at once that says what is saved and how to resume, and status 130."""

import os
import re
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from meldlab.cli.interruption import no_lost_interrupts
from meldlab.play import Record
from meldlab.runs.store import Store
from meldlab.waiting import WaitingGame
from meldlab.waiting.storage import checkpoint_path
from tests.cli.test_terminal import terminal

pytestmark = pytest.mark.slow

SLOW = """
import time

class Slow:
    name = "slow"

    def choose(self, view, chance):
        print("thinking", flush=True)
        time.sleep(600)
"""


def interrupted(*arguments: str, bar: str, ready: Callable[[], bool] = lambda: True) -> str:
    """Return the line of a command that gets SIGINT, with its whole process group, when its ``bar`` is shown and it is ``ready``."""
    with terminal(*arguments, columns=200) as table:
        table.wait(bar, 240)
        end = time.monotonic() + 120
        while not ready():
            assert time.monotonic() < end
            time.sleep(0.1)
        time.sleep(0.5)
        sent = time.monotonic()
        os.killpg(table.process.pid, signal.SIGINT)
        table.wait(r"interrupted: .*\n", 30)
        assert time.monotonic() - sent < 10
        assert table.end() == 130
        assert "Traceback" not in table.seen
        [line] = re.findall(r"interrupted: .*", table.seen)
        return str(line)


@pytest.mark.parametrize(
    ("arguments", "bar"),
    [
        (["gin", "arena", "simple", "gin-only", "--games", "5000000"], r"games .* [1-9]\d* %"),
        (["recycle", "arena", "hearts", "random", "random", "--games", "5000000"], r"games .* [1-9]\d* %"),
    ],
)
def test_interrupt_of_unsaved_work_says_that_nothing_is_saved(arguments: list[str], bar: str) -> None:
    assert interrupted(*arguments, bar=bar) == "interrupted: nothing is saved; --dry-run estimates the time"


def test_interrupt_of_a_solve_says_whether_a_checkpoint_is_saved() -> None:
    line = interrupted("waiting", "solve", "--cards", "7", bar=r"solving .* [1-9]\d* %")
    saved = "a checkpoint is saved in the cache; run the same command again to resume"
    unsaved = "nothing is saved; --dry-run estimates the time"
    assert line == f"interrupted: {saved if checkpoint_path(WaitingGame(7)).exists() else unsaved}"


def test_interrupt_of_an_arena_names_the_records_that_are_saved(tmp_path: Path) -> None:
    command = ["gin", "arena", "simple", "gin-only", "--games", "5000000", "--save", str(tmp_path), "--save-games", "2"]
    line = interrupted(*command, bar=r"games .* [1-9]\d* %", ready=(tmp_path / "game-0002.toml").exists)
    assert line == f"interrupted: 2 records are in {tmp_path}; counts are not saved"


@pytest.mark.parametrize("save", [True, False])
def test_interrupt_of_a_game_names_the_record(save: bool, tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    path = tmp_path / "game.toml"
    command = ["gin", "play", "--against", f"{tmp_path / 'slow.py'}:Slow", "--seed", "6"]
    with terminal(*command, *(["--save", str(path)] if save else []), columns=200) as table:
        table.wait("you may .*\n")
        os.write(table.master, b"pass\r")
        table.wait("thinking")
        os.killpg(table.process.pid, signal.SIGINT)
        saved = f"the record is in {path}; --resume {path} continues the game"
        table.wait(re.escape(f"interrupted: {saved if save else 'nothing is saved; --save FILE saves the record'}"), 30)
        assert table.end() == 130
    assert not save or Record.parse(path.read_text()).actions == ("p1 pass",)


def test_interrupt_inside_a_destructor_is_not_lost() -> None:
    class Closing:
        def __del__(self) -> None:
            raise KeyboardInterrupt

    def work() -> None:
        Closing()
        time.sleep(60)

    start = time.monotonic()
    with no_lost_interrupts(), pytest.raises(KeyboardInterrupt):
        work()
    assert time.monotonic() - start < 30


def test_interrupt_of_a_search_names_the_store_and_it_resumes(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite"
    command = ["tune", "knock", "--full", "--store", str(path)]
    line = f"interrupted: finished games are saved in sqlite:///{path}; run the same command again to resume"
    counts = [0]

    def games() -> int:
        return sum(row.games for run in Store.open_read_only(path).runs() for row in run.evaluations())

    for _ in range(2):
        assert interrupted(*command, bar="knock", ready=lambda: path.exists() and games() > counts[-1]) == line
        counts.append(games())
    assert len(Store.open_read_only(path).runs()) == 1
    assert 0 < counts[1] < counts[2]
