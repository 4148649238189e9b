"""Text of other files in README and the pages: programs from their files; ``python -m tests.docs.filling`` writes them in.

``<!-- file: examples/best_deadwood.py -->`` before a block of code names the file that the block shows in full.
"""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
FILE_BLOCK = re.compile(r"^<!-- file: (?P<path>\S+) -->\n```(?P<language>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


def pages() -> list[Path]:
    """Return README and every page under docs."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def filled(page: str) -> str:
    """Return the text of a page with the text of today's files in it."""
    return FILE_BLOCK.sub(_block_of_file, page)


def _block_of_file(block: re.Match[str]) -> str:
    text = (ROOT / block["path"]).read_text()
    return f"<!-- file: {block['path']} -->\n```{block['language']}\n{text}```"


if __name__ == "__main__":
    for page in pages():
        text = page.read_text()
        if (new := filled(text)) != text:
            page.write_text(new)
            print(page.relative_to(ROOT))
