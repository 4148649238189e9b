"""What a player did wrong, in one line: the problem in words, and the place in the player's own file."""

import sys
from pathlib import Path
from traceback import walk_tb

from meldlab.errors import BadText, MeldlabError

__all__ = ["file_of", "line_in", "said", "text_of"]

LONGEST = 200  # characters of what a player said that are repeated


def said(problem: BaseException) -> str:
    """Return one line: our own errors speak for themselves, others need their kind.

    >>> said(BadText("no suit 'X'", "5X", 1)), said(KeyError("x"))
    ("no suit 'X'", "KeyError: 'x'")
    """
    text = problem.problem if isinstance(problem, BadText) else text_of(problem)
    return text if isinstance(problem, MeldlabError) else f"{type(problem).__name__}: {text}".rstrip(": ")


def text_of(thing: object) -> str:
    """Return what a thing of a player's prints as, in one line of bearable length; it may not even print."""
    try:
        text = " ".join(str(thing).split())
    except Exception:  # it is the player's, so it may do anything
        return f"a {type(thing).__name__}"
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def file_of(player: object) -> str | None:
    """Return the file that a player was written in; one that passes questions on names the other as ``__wrapped__``."""
    module = sys.modules.get(type(getattr(player, "__wrapped__", player)).__module__)
    return getattr(module, "__file__", None)


def line_in(file: str | None, problem: BaseException) -> str:
    """Return ``mine.py:7``, the last place in a file that a problem passed; nothing if it did not."""
    lines = [line for frame, line in walk_tb(problem.__traceback__) if frame.f_code.co_filename == file]
    if isinstance(problem, SyntaxError) and problem.filename == file:
        lines.append(problem.lineno or 1)
    return f"{Path(str(file)).name}:{lines[-1]}" if lines else ""
