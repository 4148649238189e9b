"""Rows as comma-separated text.

>>> print(csv_text([["name", "rate"], ["a, b", 0.123456789], [None, float("nan")]], digits=5), end="")
name,rate
"a, b",0.12346
,
"""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any


def csv_text(rows: Iterable[Sequence[Any]], digits: int | None = None) -> str:
    """Return rows as text; None and NaN are empty cells, and floats have ``digits`` significant digits, or all of them."""

    def cell(value: Any) -> Any:
        if value is None or value != value:  # NaN differs from itself
            return ""
        return f"{value:.{digits}g}" if digits and isinstance(value, float) else value

    paper = io.StringIO()
    csv.writer(paper, lineterminator="\n").writerows([cell(value) for value in row] for row in rows)
    return paper.getvalue()
