"""What commands print today: ``python -m tests.docs.rewriting docs/recycle-tutorial.md`` writes it into the console blocks of a page."""

import contextlib
import io
import re
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from meldlab.cli.app import main

_BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
_SPEED = re.compile(r"[\d,.]+ s, [\d,.]+ games/s|[\d.]+\s+ms|(?<=; )[\d.]+ s$", re.MULTILINE)


def commands(page: str) -> list[tuple[str, str]]:
    """Return (command, what it prints) for every command in the console blocks of a page's text."""
    found = []
    for block in _BLOCK.findall(page):
        for command in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            line, _, printed = command.partition("\n")
            found.append((line, printed))
    return found


def typed(printed: str) -> list[str]:
    """Return what a person types in an interactive command: the lines behind a prompt."""
    return [line[2:] for line in printed.splitlines() if line.startswith("> ")]


def with_typed(printed: str, lines: Sequence[str]) -> str:
    """Return what an interactive command printed, with each line that was typed behind its prompt.

    >>> with_typed("your turn\\n> best: pass\\n> stopped", ["?", "quit"])
    'your turn\\n> ?\\nbest: pass\\n> quit\\nstopped'
    """
    left = iter(lines)
    return re.sub(r"^> ", lambda _: f"> {next(left)}\n", printed, count=len(lines), flags=re.MULTILINE) if lines else printed


def without_speed(printed: str) -> str:
    """Return what was printed with every speed masked: no two runs have the same."""
    return _SPEED.sub("#", printed)


def rewritten(page: str) -> str:
    """Return the text of a page with the answers of today."""
    return _BLOCK.sub(
        lambda block: f"```console\n{''.join(f'$ {line}{chr(10)}{printed(line, typed(old))}' for line, old in commands(block[0]))}```", page
    )


def printed(line: str, lines: Sequence[str] = ()) -> str:
    """Return what a command prints when some lines are typed, complaints included."""
    out, sys.stdin = io.StringIO(), io.StringIO("".join(f"{text}\n" for text in lines))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out), contextlib.suppress(SystemExit):
        main(shlex.split(line)[1:])
    return with_typed(out.getvalue(), lines)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        Path(name).write_text(rewritten(Path(name).read_text()))
