"""The page of errors and warnings of RECYCLE: its sections, and the diagnostics for their examples today.

``python -m tests.docs.mistakes`` writes the diagnostics into the page.
"""

import re
from functools import cache
from pathlib import Path

from meldlab.recycle.check import check_program
from meldlab.recycle.language.diagnostics import Diagnostic
from tests.docs import reference

PAGE = Path(__file__).parents[2] / "docs" / "recycle-errors.md"

_SECTION = re.compile(r"^## ([EW]\d{3}): (.*)$", re.MULTILINE)
_EXAMPLE = re.compile(r"```scheme\n(.*?)```\n\n```text\n(.*?)```", re.DOTALL)


@cache
def titles() -> dict[str, str]:
    """Return the title of each code."""
    return dict(_SECTION.findall(PAGE.read_text()))


@cache
def sections() -> dict[str, str]:
    """Return the text under each code."""
    parts = _SECTION.split(PAGE.read_text())[1:]
    return dict(zip(parts[::3], parts[2::3], strict=True))


def examples(section: str) -> list[tuple[str, str]]:
    """Return (example, what the page says the checker says)."""
    return _EXAMPLE.findall(section)


def said(code: str, example: str) -> str:
    """Return how the checker finds a code in an example, line and caret as if the example stood alone."""
    text = reference.program(example)
    at = text.index(example.strip())
    for diagnostic in check_program(text).diagnostics:
        # What is found before the example is of the table on which it stands.
        if diagnostic.code == code and diagnostic.offset >= at:
            return f"{Diagnostic(code, diagnostic.message, diagnostic.offset - at).error(example.rstrip())}\n"
    return "nothing\n"


def rewritten(page: str) -> str:
    """Return the text of the page with what the checker says today."""
    parts = re.split(r"^(?=## )", page, flags=re.MULTILINE)
    for nth, part in enumerate(parts):
        if found := _SECTION.match(part):
            parts[nth] = _EXAMPLE.sub(lambda each, code=found[1]: f"```scheme\n{each[1]}```\n\n```text\n{said(code, each[1])}```", part)
    return "".join(parts)


if __name__ == "__main__":
    PAGE.write_text(rewritten(PAGE.read_text()))
