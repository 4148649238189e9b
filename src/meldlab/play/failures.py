"""The error of a player as one line of text, with its line in the player's own file."""

import sys
from pathlib import Path
from traceback import walk_tb

from meldlab.errors import BadText, MeldlabError

MAX_LENGTH = 200  # characters of a player's text that are repeated


def error_text(error: BaseException) -> str:
    """Return an error as one line: the message of our own errors, the type and message of others.

    >>> error_text(BadText("no suit 'X'", "5X", 1)), error_text(KeyError("x"))
    ("no suit 'X'", "KeyError: 'x'")
    """
    text = error.problem if isinstance(error, BadText) else one_line(error)
    return text if isinstance(error, MeldlabError) else f"{type(error).__name__}: {text}".rstrip(": ")


def one_line(value: object) -> str:
    """Return the text of a player's object as one line of limited length, or its type if ``str`` fails."""
    try:
        text = " ".join(str(value).split())
    except Exception:  # the code of a player can raise anything
        return f"a {type(value).__name__}"
    return text if len(text) <= MAX_LENGTH else f"{text[:MAX_LENGTH]}..."


def player_file(player: object) -> str | None:
    """Return the source file of a player, or of its ``__wrapped__`` player."""
    module = sys.modules.get(type(getattr(player, "__wrapped__", player)).__module__)
    return getattr(module, "__file__", None)


def error_line(file: str | None, error: BaseException) -> str:
    """Return the last line of ``file`` in an error's traceback, as ``mine.py:7``; empty if there is none."""
    lines = [line for frame, line in walk_tb(error.__traceback__) if frame.f_code.co_filename == file]
    if isinstance(error, SyntaxError) and error.filename == file:
        lines.append(error.lineno or 1)
    return f"{Path(str(file)).name}:{lines[-1]}" if lines else ""
