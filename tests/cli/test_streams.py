"""Standard streams that are closed, full or left by their reader: no traceback, and a status that says whether the work was done."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SRC = Path(__file__).parents[2] / "src"
HAND, MISTAKE = ["deadwood", "4H", "5H", "6H"], ["deadwood", "4H", "5X"]
ARENA = ["gin", "arena", "simple", "random", "--games", "10"]
CASES = [
    (HAND, ">&-", 0),
    (HAND, "2>&-", 0),
    (HAND, "<&-", 0),
    (HAND, "<&- >&- 2>&-", 0),
    (HAND, ">/dev/full", 2),
    (HAND, "2>/dev/full", 0),
    (MISTAKE, ">&-", 2),
    (MISTAKE, "2>&-", 2),
    (MISTAKE, "2>/dev/full", 2),
    (ARENA, ">&-", 0),
    (ARENA, "2>&-", 0),
    (["--help"], ">&-", 0),
    (["--help"], ">/dev/full", 2),
    (["gin", "play"], "<&- >&-", 2),
]


def shell(line: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a line of the shell in which "$@" is the command."""
    words = ["bash", "-c", line, "bash", sys.executable, "-m", "meldlab", *arguments]
    return subprocess.run(words, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(SRC)}, check=False, timeout=300)


@pytest.mark.parametrize(("arguments", "redirection", "status"), CASES, ids=lambda value: str(value) if isinstance(value, str) else None)
def test_main_with_a_closed_or_full_stream_has_its_own_status(arguments: list[str], redirection: str, status: int) -> None:
    done = shell(f'exec "$@" {redirection}', *arguments)
    assert done.returncode == status
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


@pytest.mark.parametrize("arguments", [["--help"], ["stopping", "policy", "--deck", "2000,2000"]])
def test_main_ends_quietly_when_its_reader_has_gone(arguments: list[str]) -> None:
    done = shell('"$@" | head -1; echo "${PIPESTATUS[0]}" >&2', *arguments)
    assert done.stderr.splitlines()[-1] == "0"
    assert "Traceback" not in done.stderr


def test_main_opens_no_file_on_a_closed_standard_stream(tmp_path: Path) -> None:
    path = tmp_path / "picture.svg"
    done = shell('exec "$@" <&- >&- 2>&-', "card-picture", "5H 6H", "--out", str(path))
    assert done.returncode == 0
    assert path.read_text().startswith("<svg")
    assert path.read_text().rstrip().endswith("</svg>")
