"""Printed answers: JSON, aligned columns, and letters for suits and tiles that the terminal's character set lacks.

>>> "5♥ K♠  ▲8 ☺ … ▼".encode("ascii", ERRORS).decode()
'5H KS  R8 J ... v'
"""

import codecs
import json
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from meldlab.cost import Cost, machine_memory, memory_text

if TYPE_CHECKING:
    from pydantic import BaseModel

ERRORS = "meldlab.spelling"  # the error handler of stdout and stderr
SUITS = {"♣": "C", "♦": "D", "♥": "H", "♠": "S"}
TILES = {"▲": "R", "✕": "K", "■": "B", "●": "O", "◆": "G", "★": "V", "☺": "J"}
MARKS = {"▲": "^", "▼": "v", "…": "...", "√": "sqrt ", "α": "alpha", "−": "-", "—": "-", "≤": "<=", "≥": ">=", "·": "-"}


def print_json(answer: "Mapping[str, Any] | BaseModel") -> None:
    """Print one JSON object, with cards, hands and paths as text."""
    values = answer if isinstance(answer, Mapping) else answer.model_dump(mode="json", by_alias=True)
    print(json.dumps(values, default=str, ensure_ascii=False))


def print_estimate(work: str, cost: Cost, as_json: bool) -> None:
    """Print the estimated time and memory of work that is not started."""
    if as_json:
        print_json({"work": work, "dry_run": True, **asdict(cost)})
    else:
        # The memory of a GPU is not compared: the estimate may be for another GPU.
        excess = cost.memory > machine_memory() and "core" in cost.where
        print(f"{work}: {cost}" + f", more than the {memory_text(machine_memory())} of this machine" * excess)
        print(f"an estimate, from {cost.basis}; nothing was started")


def score_text(score: Mapping[str, Any]) -> str:
    """Return the win rate of ``Score.as_json`` with its interval."""
    from meldlab.statistics import Interval

    return str(Interval(score["win_rate"], *score["ci95"]))


def print_files(files: Sequence[Path], as_json: bool) -> None:
    """Print the paths of written files."""
    if as_json:
        print_json({"files": files})
    else:
        print(*files, sep="\n")


def aligned(rows: Sequence[Sequence[str]], width: int | None = None, cut: Mapping[int, int] | None = None) -> list[str]:
    """Return each row as a line, its cells padded to columns two spaces apart.

    Lines longer than ``width`` are shortened in the columns of ``cut``, in that order, each down to its minimum width.

    >>> aligned([("a", "letter"), ("10", "number")])
    ['a   letter', '10  number']
    >>> aligned([("a", "the first letter"), ("10", "a number")], width=12, cut={1: 4})
    ['a   the fir…', '10  a number']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for column, minimum in (cut or {}).items():
        excess = max(0, sum(widths) + 2 * (len(widths) - 1) - (width or sys.maxsize))
        widths[column] -= min(excess, max(0, widths[column] - minimum))
    return ["  ".join(_fitted(cell, wide).ljust(wide) for cell, wide in zip(row, widths, strict=True)).rstrip() for row in rows]


def terminal_width() -> int | None:
    """Return the width of the terminal that stdout is; None if stdout is a file or a pipe."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def _fitted(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"


def _spelled(error: UnicodeError) -> tuple[str, int]:
    """Return letters for the characters that cannot be encoded; "?" for the unknown ones."""
    assert isinstance(error, UnicodeEncodeError)
    text, end = error.object, error.end
    letters = []
    for index in range(error.start, end):
        # A triangle is a red tile before its number, and an arrow elsewhere.
        is_tile = text[index + 1 : index + 2].isdigit() or text[index] not in MARKS
        known = SUITS | MARKS | (TILES if is_tile else {})
        letters.append(known.get(text[index], "?"))
    return "".join(letters), end


codecs.register_error(ERRORS, _spelled)
