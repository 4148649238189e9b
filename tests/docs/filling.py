"""Text from one source in README, the pages and the ladder: ``python -m tests.docs.filling`` (``make figures``) writes it in.

- ``<!-- file: examples/best_deadwood.py -->`` before a block of code: the file that the block shows in full.
- ``<!-- figure: champion/simple -->0.814 (0.802 to 0.825)<!-- /figure -->``: a figure of docs/figures.toml; a second word, as in
  ``figure: champion/simple command``, chooses a part of it: value, interval, command, commit, date, machine or source.
- The ladder of gin players has the figures ``ladder/NAME/rating`` and ``ladder/NAME/simple``.
"""

import json
import re
from typing import Any

from tests.docs.figures import figures
from tests.docs.pages import ROOT, pages

FILE_BLOCK = re.compile(r"^<!-- file: (?P<path>\S+) -->\n```(?P<language>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
FIGURE = re.compile(r"<!-- figure: (?P<name>\S+)(?: (?P<part>\w+))? -->(?P<text>[^\n]*?)<!-- /figure -->")
LADDER = ROOT / "src" / "meldlab" / "web" / "ladder.json"


def filled(page: str) -> str:
    """Return the text of a page with today's files and figures in it."""
    return FIGURE.sub(_figure, FILE_BLOCK.sub(_block_of_file, page))


def _block_of_file(block: re.Match[str]) -> str:
    text = (ROOT / block["path"]).read_text()
    return f"<!-- file: {block['path']} -->\n```{block['language']}\n{text}```"


def _figure(marker: re.Match[str]) -> str:
    start = marker[0].partition("-->")[0]
    return f"{start}-->{figures()[marker['name']].text(marker['part'] or '')}<!-- /figure -->"


def ladder() -> dict[str, Any]:
    """Return the ladder with the figures of today, weakest player first."""
    content: dict[str, Any] = json.loads(LADDER.read_text())
    for rung in content["players"]:
        rating, simple = (figures().get(f"ladder/{rung['name']}/{what}") for what in ("rating", "simple"))
        assert rating is not None
        content["command"] = rating.command
        rung |= {"rating": rating.value, "ci95": rating.interval}
        rung |= {"beats_simple": simple and simple.value, "beats_simple_ci95": simple and simple.interval}
    content["players"].sort(key=lambda rung: rung["rating"])
    return content


def main() -> None:
    """Fill README, the pages and the ladder; print which have changed."""
    today = {page: filled(page.read_text()) for page in pages()} | {LADDER: json.dumps(ladder(), indent=1) + "\n"}
    for path, text in today.items():
        if text != path.read_text():
            path.write_text(text)
            print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
