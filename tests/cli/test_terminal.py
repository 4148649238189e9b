"""Each table through a pseudo-terminal, as a person sits at it: mistakes, hints, undo, quit, resume, replay."""

import os
import pty
import re
import select
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from meldlab.games import load_game
from meldlab.play import Record, replay
from tests.cli.test_app import run
from tests.processes import start

SRC = Path(__file__).parents[2] / "src"
CODES = re.compile(r"\x1b(\[[0-9;?]*[A-Za-z]|[=>])|[\r\x07\x08]")
PROMPT = r"\n>+ *>* *$"  # nothing after it: a key is read at once, and not kept for a line
ARROW_UP, CONTROL_A, CONTROL_C, CONTROL_D, TAB = "\x1b[A", "\x01", "\x03", "\x04", "\t"


class Terminal:
    """A command with a terminal of its own, to type at and to read from."""

    def __init__(self, *arguments: str, columns: int = 80) -> None:
        self.master, inner = pty.openpty()
        # Whoever asks a terminal where its cursor is gets no answer from this one.
        known = {"PROMPT_TOOLKIT_NO_CPR": "1", "TERM": "xterm", "COLUMNS": str(columns), "LINES": "50"}
        self.process = start(*arguments, stdin=inner, stdout=inner, stderr=inner, env=known)
        os.close(inner)
        self.seen = ""

    def type(self, line: str, answer: str) -> str:
        """Type a line and wait for what is answered; return all that came."""
        os.write(self.master, f"{line}\r".encode())
        return self.wait(answer)

    def wait(self, answer: str, seconds: float = 60) -> str:
        """Wait until a pattern is shown after what was seen before, and return what came."""
        came, end = "", time.monotonic() + seconds
        while not re.search(answer, came):
            if time.monotonic() > end:
                raise AssertionError(f"no {answer!r} in {came!r}")
            if select.select([self.master], [], [], 0.2)[0]:
                try:
                    came += CODES.sub("", os.read(self.master, 65536).decode(errors="replace"))
                except OSError:  # the other side of the terminal is closed
                    assert re.search(answer, came), f"no {answer!r} in {came!r}"
        self.seen += came
        return came

    def end(self) -> int:
        """Wait for the end of the command and return its status."""
        return self.process.wait(timeout=120)


@contextmanager
def terminal(*arguments: str, columns: int = 80) -> Iterator[Terminal]:
    one = Terminal(*arguments, columns=columns)
    try:
        yield one
    finally:
        if one.process.poll() is None:
            one.process.kill()
            one.process.wait()
        os.close(one.master)


TABLES = {
    "gin": (["gin", "play", "--against", "simple", "--seed", "6"], "you may .*\n"),
    "rummikub": (["rummikub", "play", "--against", "greedy", "--seed", "7"], "rack: .*\n"),
    "recycle": (["recycle", "play", "hearts", "--seed", "7"], " 1  pass .*\n"),
}


@pytest.mark.parametrize("name", TABLES)
def test_a_sitting(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command, asks = TABLES[name]
    path = tmp_path / "game.toml"
    with terminal(*command, "--save", str(path)) as table:
        assert "seed " in table.wait(asks)
        assert re.search("no move|no option|is not a command|nothing that can be done", table.type("fly away", "error: .*\n"))
        assert "take your last action back" in table.type("HELP", "quit: q")
        assert table.type("rules", r"\n>")
        assert "best: " in table.type("?", "best: .*\n")
        table.type("sort", r"\(sorted by .*\)")
        assert "nothing to undo" in table.type("undo", "nothing to undo")
        table.type("quit", r"continues\s+the\s+game")
        assert table.end() == 0
    record = Record.parse(path.read_text())
    assert record.result is None
    before = list(replay(load_game(record), record))
    with terminal(*command[: 3 if name == "recycle" else 2], "--resume", str(path)) as table:
        table.wait(asks)
        table.type({"gin": "pass", "rummikub": "draw", "recycle": "1"}[name], PROMPT)
        os.write(table.master, CONTROL_D.encode())
        table.wait(r"continues\s+the\s+game")
        assert table.end() == 0
    record = Record.parse(path.read_text())
    after = list(replay(load_game(record), record))
    assert [step.line for step in after[: len(before)]] == [step.line for step in before]
    assert sum(step.seat == 0 for step in after) > sum(step.seat == 0 for step in before)
    status, shown, _ = run(capsys, "replay", str(path))
    assert status == 0
    assert shown.count("\np") == len(after)


def test_undo_takes_back_what_taught_nothing() -> None:
    with terminal(*TABLES["gin"][0]) as table:
        table.wait("you may .*\n")
        table.type("t", r"you may drop\b.*\n")
        table.type("u", "you may pass or take .*\n")
        table.type("q", "stopped")


def test_a_line_can_be_edited_completed_and_called_again() -> None:
    with terminal(*TABLES["rummikub"][0], columns=40) as table:
        table.wait("rack: .*\n")
        # A letter is put in at the beginning of the line: 'ules' becomes 'rules'.
        table.type(f"ules{CONTROL_A}r", "penalty")
        table.type(ARROW_UP, "penalty")
        os.write(table.master, f"dra{TAB}".encode())
        time.sleep(0.5)
        table.type("", PROMPT)
        assert "you: draw " in table.seen
        os.write(table.master, CONTROL_C.encode())
        table.wait("stopped")
        assert table.end() == 0


def test_a_turn_by_hand() -> None:
    with terminal(*TABLES["rummikub"][0]) as table:
        table.wait("rack: .*\n")
        assert "new" in table.seen or "no sets" in table.seen or " 1  " in table.seen
        found = re.search(r"rack: +(\S+) (\S+)", table.seen)
        assert found
        table.type(f"new {found[1]} {found[2]}", "rack: .*\n")
        assert "at least 3 tiles" in table.type("done", "error: set .*")
        assert "done plays them" in table.type("draw", "error: .*")
        table.type("undo", "rack: .*\n")
        assert "laid nothing yet" in table.type("done", "error: .*")
        assert "draw" in table.type("fail", "yes or no")
        table.type("n", r"\n>")
        table.type("D", "you: draw ")
        table.type("q", "stopped")


def test_a_closed_window_keeps_the_record(tmp_path: Path) -> None:
    path = tmp_path / "game.toml"
    with terminal(*TABLES["rummikub"][0], "--save", str(path)) as table:
        table.wait("rack: .*\n")
        table.type("draw", "rack: .*\n")
        table.process.send_signal(signal.SIGHUP)
        table.end()
    assert any(line.startswith("p1 draw ") for line in Record.parse(path.read_text()).actions)


def test_the_pile_answers_the_same_words() -> None:
    with terminal("stopping", "play", "--seed", "3") as table:
        table.wait("left>")
        table.type("?", "draw: worth")
        table.type("Rules", "black cards win")
        table.type("undo", "cannot be unseen")
        table.type("d", "left>")
        table.type("quit", "on average")
        assert table.end() == 0
