"""Links of README and the pages lead to files that exist, and to headings that they have."""

import re
from functools import cache
from pathlib import Path

from markdown.extensions.toc import slugify

from tests.docs.pages import FENCE, ROOT, pages

LINK = re.compile(r"!?\[[^\]]*\]\((?P<address>[^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.*?)(?: *\{#(?P<id>[\w-]+)\})?$", re.MULTILINE)
ANCHOR = re.compile(r'\bid="([^"]+)"')
TEXTS = [*pages(), ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "examples").glob("*.md"))]


@cache
def anchors(page: Path) -> frozenset[str]:
    """Return the anchors of a page: its headings as the site and GitHub name them, and its elements with an id."""
    text = FENCE.sub("", page.read_text())
    result = set(ANCHOR.findall(text))
    for heading in HEADING.finditer(text):
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)|[`*]|<[^>]*>", lambda part: part[1] or "", heading[1])
        slug = heading["id"] or slugify(title, "-")
        result.add(slug if slug not in result else next(f"{slug}_{n}" for n in range(1, 99) if f"{slug}_{n}" not in result))
    return frozenset(result)


def broken_links(page: Path) -> list[str]:
    """Return the relative links of a page that lead nowhere."""
    broken = []
    for link in LINK.finditer(FENCE.sub("", page.read_text())):
        path, _, anchor = link["address"].partition("#")
        target = (page.parent / path).resolve() if path else page
        if re.match(r"[a-z]+:", path) or (anchor.startswith("meldlab.") and target.parent.name == "reference"):
            continue  # another host, or a name of the reference, which `make docs` checks
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors(target)):
            broken.append(link["address"])
    return broken


def test_links_lead_to_files_and_headings() -> None:
    assert {str(page.relative_to(ROOT)): broken for page in TEXTS if (broken := broken_links(page))} == {}


def test_broken_links_finds_missing_files_and_headings(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# A *title* of `two`\n[1](other.md) [2](#a-title-of-two) [3](#nothing) [4](https://example.org)\n```text\n[5](x.md)\n```\n"
    )
    assert broken_links(page) == ["other.md", "#nothing"]
