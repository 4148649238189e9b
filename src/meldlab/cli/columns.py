"""Rows of text in aligned columns."""

import shutil
import sys
from collections.abc import Mapping, Sequence

__all__ = ["aligned", "terminal_width"]


def aligned(rows: Sequence[Sequence[str]], width: int | None = None, cut: Mapping[int, int] | None = None) -> list[str]:
    """Return each row as a line, its cells padded to columns two spaces apart.

    Lines longer than ``width`` are shortened in the columns of ``cut``, in that order, each down to its least width.

    >>> aligned([("a", "letter"), ("10", "number")])
    ['a   letter', '10  number']
    >>> aligned([("a", "the first letter"), ("10", "a number")], width=12, cut={1: 4})
    ['a   the fir…', '10  a number']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for column, least in (cut or {}).items():
        excess = max(0, sum(widths) + 2 * (len(widths) - 1) - (width or sys.maxsize))
        widths[column] -= min(excess, max(0, widths[column] - least))
    return ["  ".join(_fitted(cell, wide).ljust(wide) for cell, wide in zip(row, widths, strict=True)).rstrip() for row in rows]


def terminal_width() -> int | None:
    """Return the width of the terminal that stdout is; None where it is a file or a pipe."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def _fitted(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"
