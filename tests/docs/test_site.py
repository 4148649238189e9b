"""The site is built without a warning: no dead link, no name that is missing; it asks no other host for anything, and can be searched."""

import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PUBLIC = ["meldlab.cards.Hand", "meldlab.gin.Gin", "meldlab.rummikub.Solution", "meldlab.arena.contest.play_contest"]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("mkdocs", reason="mkdocs is not installed (make docs installs it)")
    pytest.importorskip("mkdocstrings", reason="mkdocstrings is not installed (make docs installs it)")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"})
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


class Asked(HTMLParser):
    """Collects what a page loads by itself."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found = list[str]()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        loads = "src" in given or (tag == "link" and given.get("rel") in ("stylesheet", "icon", "preconnect"))
        if loads and (address := given.get("src") or given.get("href")):
            self.found.append(address)


def test_no_page_asks_another_host_for_anything(site: Path) -> None:
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 60
    asked = {address for page in pages for address in Asked(page.read_text()).found}
    assert asked
    assert [address for address in asked if re.match(r"(https?:)?//", address)] == []


def test_the_first_page_opens_six_doors_with_pictures(site: Path) -> None:
    doors = re.search(r'<div class="grid cards">(.*?)</div>', (site / "index.html").read_text(), re.DOTALL)
    assert doors is not None
    assert re.findall(r"<strong><a[^>]*>(.*?)</a></strong>", doors[1]) == [
        "Open the web app",
        "Play",
        "Solve",
        "Describe",
        "Tune",
        "Reproduce",
    ]
    assert len(re.findall(r'<img alt="[^"]+"', doors[1])) == 6


def test_the_reference_has_what_is_public_with_its_examples(site: Path) -> None:
    text = "".join(page.read_text() for page in (site / "reference").rglob("*.html"))
    assert [name for name in PUBLIC if f'id="{name}"' not in text] == []
    # An example is a block of Python, not a quotation.
    assert "<blockquote>" not in text


def test_the_search_knows_every_error_code(site: Path) -> None:
    titles = {entry["title"] for entry in json.loads((site / "search" / "search_index.json").read_text())["docs"]}
    assert "E101: a variable that nothing binds" in titles
    assert "Player: an evening at the table" in titles
