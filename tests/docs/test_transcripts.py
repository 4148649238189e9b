"""The examples and transcripts in README and docs do what the page shows, and the pictures are what the drawing makes."""

import doctest
import re
import shlex
from io import StringIO
from pathlib import Path

import pytest

from meldlab import __version__
from meldlab.cards import Hand, draw
from meldlab.melds import arrange
from meldlab.reproduce.claims import NAMES, publications
from meldlab.reproduce.run import bundled_result
from meldlab.rummikub import Position, solve
from tests.cli.test_app import run
from tests.docs.browser_pictures import MOST_BYTES, SHOTS
from tests.docs.filling import FIGURE
from tests.docs.pages import blocks
from tests.docs.rewriting import commands, typed, with_typed, without_speed

ROOT = Path(__file__).parents[2]
# Blocks of output that another test compares.
COMPARED_ELSEWHERE = {
    "docs/recycle-reference.md": "tests/docs/test_recycle_pages.py",
    "docs/recycle-errors.md": "tests/docs/test_recycle_pages.py",
    "docs/environments/openspiel.md": "tests/examples/test_examples.py",
}


def python_blocks(page: str) -> str:
    """Return a page's Python, each line where it stands, so that a failure names the right one."""
    keep, lines = False, []
    for line in (ROOT / page).read_text().splitlines():
        keep = line.startswith("```python") if line.startswith("```") else keep
        lines.append(line if keep and not line.startswith("```") else "")
    return "\n".join(lines)


# Commands, with the lines that continue them, and comments.
ONLY_COMMANDS = re.compile(r"((\$ |#|(make|python|python3|pip|meldlab|\.venv/bin/\w+) )([^\n]|\\\n)*\n)+")
NOTE = re.compile("[Aa]bridged|[Ii]llustration")
ALL_PAGES = ["README.md", *(str(page.relative_to(ROOT)) for page in sorted((ROOT / "docs").rglob("*.md")))]


@pytest.mark.parametrize("path", [page for page in ALL_PAGES if ">>> " in python_blocks(page)])
def test_examples_answer_what_the_page_shows(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    examples = doctest.DocTestParser().get_doctest(python_blocks(path), {}, path, path, 0)
    said: list[str] = []
    found = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(examples, out=said.append)
    assert found.attempted
    assert not found.failed, "".join(said)


def unchecked_output(page: str) -> list[str]:
    """Return the first lines of the blocks of output in the text of a page that no test runs and no note calls abridged."""
    shown = [block for block in blocks(page) if block.language in ("", "text", "sh") and not ONLY_COMMANDS.fullmatch(block.text)]
    return [block.text.partition("\n")[0] for block in shown if not NOTE.search(block.before) and not NOTE.search(block.after)]


def test_output_is_run_or_marked_as_abridged() -> None:
    texts = {path: (ROOT / path).read_text() for path in ALL_PAGES if path not in COMPARED_ELSEWHERE and not path.startswith("docs/notes/")}
    assert {path: lines for path, text in texts.items() if (lines := unchecked_output(text))} == {}


@pytest.mark.parametrize(
    ("block", "lines"),
    [
        ("```text\n$ meldlab --version\n0.1.0\n```", ["$ meldlab --version"]),
        ("```\nthree lines\n```", ["three lines"]),
        ("```text\n$ meldlab gin play \\\n    --seed 7\n$ meldlab replay x.toml\n```", []),
        ("```text\n$ meldlab --version\n0.1.0\n```\n\nThe output is abridged.", []),
        ("```console\n$ meldlab --version\n0.1.0\n```", []),
    ],
)
def test_unchecked_output_finds_blocks_that_no_test_runs(block: str, lines: list[str]) -> None:
    assert unchecked_output(f"# Title\n\n{block}\n\nText.\n") == lines


@pytest.mark.parametrize("path", [path for path in ALL_PAGES if commands((ROOT / path).read_text())])
def test_commands_print_what_the_page_shows(path: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    shown = commands((ROOT / path).read_text())
    assert shown
    for line, printed in shown:
        program, *arguments = shlex.split(line)
        assert program == "meldlab"
        lines = typed(printed)
        monkeypatch.setattr("sys.stdin", StringIO("".join(f"{text}\n" for text in lines)))
        _, out, err = run(capsys, *arguments)
        assert without_speed(with_typed(out + err, lines)) == without_speed(printed), line


def test_output_of_one_version_is_marked_as_an_illustration() -> None:
    for path in ALL_PAGES:
        text = (ROOT / path).read_text()
        for version in () if path.startswith("docs/notes/") else re.finditer(r"\d+\.\d+\.\d+\+[0-9a-f]{8}", text):
            assert "illustration" in text[: version.start()].rpartition("\n## ")[2], f"{path}: {version[0]}"


def test_reproduce_page_has_the_games_of_the_bundled_search() -> None:
    bundled = bundled_result("ensemble")
    assert bundled is not None
    row = next(line for line in (ROOT / "docs/reproduce.md").read_text().splitlines() if line.startswith("| grid searches"))
    assert f"{bundled['games']:,} games" in row


def test_the_site_leads_to_every_page() -> None:
    listed = re.findall(r"^ +- (\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE)
    assert sorted(f"docs/{page}" for page in listed) == sorted(ALL_PAGES[1:])


def test_the_citation_names_this_version() -> None:
    assert f"\nversion: {__version__}\n" in (ROOT / "CITATION.cff").read_text()


@pytest.mark.parametrize("name", NAMES)
def test_citation_and_docs_name_every_publication(name: str) -> None:
    publication = publications()[name]
    assert re.search(rf'^    title: "?{re.escape(publication.title)}', (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    assert f"*{publication.title.partition(':')[0]}*" in (ROOT / "docs" / "reproduce.md").read_text()


@pytest.mark.parametrize("name", NAMES)
def test_readme_has_authors_year_title_and_command_of_every_publication(name: str) -> None:
    publication = publications()[name]
    readme = (ROOT / "README.md").read_text()
    row = next(line for line in readme.splitlines() if f"`meldlab reproduce {name}`" in line)
    assert f"| {publication.authors} ({publication.year}), *{publication.title}*" in row


def test_readme_fits_on_a_screen_with_figures_of_the_file() -> None:
    readme = (ROOT / "README.md").read_text()
    assert len(readme.splitlines()) <= 60
    table = readme.partition("| what | meldlab |")[2].partition("\n\n")[0].splitlines()[2:]
    assert 4 <= len(table) <= 8
    assert [row for row in table if re.search(r"\b\d", FIGURE.sub("", row))] == []


def test_pictures_of_the_browser_are_small_and_shown() -> None:
    taken = sorted(path.name for path in (ROOT / "docs" / "pictures").glob("web-*.png"))
    assert taken == sorted(f"web-{name}.png" for name in SHOTS)
    assert [name for name in taken if (ROOT / "docs" / "pictures" / name).stat().st_size > MOST_BYTES] == []
    pages = "".join((ROOT / page).read_text() for page in ALL_PAGES)
    assert [name for name in taken if name not in pages] == []


PICTURES = {
    "hand.svg": lambda: arrange("4H 5H 6H 7H 7C 7D KS")._repr_svg_(),
    "answer.svg": lambda: solve(Position.parse("R3-5 | K5 B5 O5 | K6-8", "R5 B6 B7 O1"))._repr_svg_(),
    "four-colours.svg": lambda: draw(Hand.parse("AC 5D 6H 7H TS JC QD KS"), four_colours=True, marked=Hand.parse("6H 7H")),
}


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_are_drawn_by_this_version(name: str) -> None:
    assert (ROOT / "docs" / "pictures" / name).read_text() == PICTURES[name]() + "\n"
