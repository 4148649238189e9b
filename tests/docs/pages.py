"""README and the pages under docs, and the blocks of code in them."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^(?P<indent> *)```(?P<language>\w*)\n(?P<text>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A block of code on a page, with the paragraphs before and after it."""

    language: str
    text: str
    before: str
    after: str


def pages() -> list[Path]:
    """Return README and every page under docs."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(page: str) -> list[Block]:
    """Return the blocks of code in the text of a page."""
    return [
        Block(fence["language"], fence["text"], _last_paragraph(page[: fence.start()]), _first_paragraph(page[fence.end() :]))
        for fence in FENCE.finditer(page)
    ]


def _last_paragraph(text: str) -> str:
    return text.rstrip().rpartition("\n\n")[2]


def _first_paragraph(text: str) -> str:
    return text.lstrip().partition("\n\n")[0]
