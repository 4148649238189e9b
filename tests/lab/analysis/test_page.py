"""The page: one file with everything inside, and the tables with the published names."""

import base64
import csv
import gzip
import io
import json
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest

from meldlab.errors import NotLegalHere
from meldlab.lab.analysis.comparison import Comparison, write_comparison
from meldlab.lab.analysis.html import download
from meldlab.lab.analysis.page import analysis_page, write_analysis
from meldlab.lab.analysis.study import Analysis, Budget
from meldlab.lab.analysis.tables import Played, tables
from meldlab.lab.analysis.writing import Rules, highlighted
from meldlab.recycle import library
from tests.lab.analysis.records import BY_HAND
from tests.lab.analysis.test_study import study

VOID = {"meta", "br", "img"}
PAGES = Path(__file__).parents[3] / "docs" / "games"


class Reader(HTMLParser):
    """Follows a page: tags that close, marks, links, and the text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.downloads: dict[str, str] = {}
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.ids += [given["id"]] if "id" in given else []
        self.links += [given[name] for name in ("href", "src", "xlink:href") if name in given]
        if "download" in given:
            self.downloads[given["download"]] = given["href"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self.text += data


@pytest.fixture(scope="module")
def analysis(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    return study("gin_rummy", tmp_path_factory.mktemp("study"), Budget(3, 50, simulations=5, seed=1, quick=True), LIMIT=30)


def test_the_page_has_everything_inside(analysis: Analysis) -> None:
    page = analysis_page(analysis)
    read = Reader(page)
    assert read.open == []
    assert max(Counter(read.ids).values()) == 1
    outside = [link for link in read.links if not link.startswith(("#", "data:"))]
    # The only address is where the rules were taken from, as a link to follow.
    assert all(link.startswith("https://www.pagat.com/") for link in outside)
    assert not re.search(r"@import|url\((?!#)|<script|<link|<iframe", page)
    assert {link[1:] for link in read.links if link.startswith("#")} <= set(read.ids)
    assert '<meta name="viewport"' in page
    assert page.count("<svg") == 7
    for heading in ("Summary", "Rules of Play", "Variants Used", "Information Flow", "Branching Factor", "Decision Spread", "Lead History"):
        assert f"<h2>{heading}</h2>" in page
    assert "Quick look" in read.text
    assert "(declare 30 'LIMIT)" in read.text
    for each in analysis.heuristics:
        assert each.meaning in read.text
    shown = [f"as published {each.published.value:.3f}" for each in analysis.heuristics if each.published]
    assert len(shown) == 3
    assert all(text in read.text for text in shown)
    assert "divided by the largest spread of all these games, as in the published pictures" in " ".join(read.text.split())


def test_downloads_carry_their_files(analysis: Analysis) -> None:
    downloads = Reader(analysis_page(analysis)).downloads
    assert set(downloads) == {"movement.dot", "gin_rummy.rcy", "choice.csv", "results.csv", "lead.csv", "spread.csv", "analysis.json"}

    def content(name: str) -> str:
        return base64.b64decode(downloads[name].partition("base64,")[2]).decode()

    assert content("gin_rummy.rcy") == analysis.subject.described.text
    assert content("choice.csv") == analysis.tables["choice.csv"]
    assert json.loads(content("analysis.json"))["game"] == "gin_rummy"
    large = download("big.csv", "x,y\n" * 50_000)
    packed = re.search(r'download="big.csv.gz" href="data:application/gzip;base64,([^"]+)"', large)
    assert packed is not None
    assert gzip.decompress(base64.b64decode(packed[1])).decode() == "x,y\n" * 50_000


def test_everything_is_written(analysis: Analysis, tmp_path: Path) -> None:
    files = write_analysis(analysis, tmp_path / "new" / "folder")
    names = {str(path.relative_to(tmp_path / "new" / "folder")) for path in files}
    figures = {f"figures/{name}.{kind}" for name in analysis.sheets for kind in ("svg", "png", "csv")}
    texts = {"index.html", "choice.csv", "results.csv", "lead.csv", "spread.csv", "movement.dot", "analysis.json", "gin_rummy.rcy"}
    assert names == figures | texts
    assert all(path.stat().st_size > 50 for path in files)
    assert set(analysis.sheets) == {"movement", "branching", "spread", "lead", "decisions", "scores", "times"}
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(NotLegalHere, match="cannot write"):
        write_analysis(analysis, tmp_path / "file")


COMMON = "game,numPlayers,ai,imperfect,samples,tests,run,"
HEADS = {
    "choice.csv": "move,player,choices,choice,time",
    "results.csv": "player,score,rank,time",
    "lead.csv": "move,recorder,player,score,rank,rankestimate",
    "spread.csv": "pmove,player,spread",
}


def test_tables_have_the_published_columns() -> None:
    found = tables("tiny", [Played("MM", BY_HAND, "private", 10, 1000)])
    assert {name: text.splitlines()[0] for name, text in found.items()} == {name: COMMON + head for name, head in HEADS.items()}
    rows = {name: list(csv.DictReader(io.StringIO(text))) for name, text in found.items()}
    assert len(rows["choice.csv"]) == 11
    assert {row["imperfect"] for row in rows["choice.csv"]} == {"PRIVATE"}
    assert [row["rank"] for row in rows["results.csv"]] == ["1", "2", "2", "1", "", ""]  # the last game failed
    # Nine decisions of two games for two players, and the true results.
    assert len(rows["lead.csv"]) == 2 * (9 + 2)
    truth = [row for row in rows["lead.csv"] if row["recorder"] == "0"]
    assert [(row["move"], row["score"], row["rankestimate"]) for row in truth] == [
        ("5", "9", "0"),
        ("5", "1", "1"),
        ("6", "2", "1"),
        ("6", "8", "0"),
    ]
    first = rows["lead.csv"][0]
    assert (first["recorder"], first["player"], first["rank"], first["rankestimate"]) == ("1", "1", "1", "0.75")
    assert [(row["run"], row["pmove"], row["player"], row["spread"]) for row in rows["spread.csv"]][:4] == [
        ("1", "1", "1", "2"),
        ("1", "1", "2", "0"),
        ("1", "2", "1", "0"),
        ("1", "2", "2", "4"),
    ]


def test_code_is_coloured_and_nothing_is_lost() -> None:
    text = '(game (== 1 2) (< \'A "&") ;; a <b> & c\n)'
    shown = highlighted(text)
    assert "<b>game</b>" in shown
    assert "<s>;; a &lt;b&gt; &amp; c</s>" in shown
    assert Reader(f"<pre>{shown}</pre>").text == text


def test_comments_become_rules() -> None:
    head = ";; Title\n;; Players: 2\n;; Rules: here\n;;\n;; A pack of\n;; cards.\n;; 1. Draw\n;; 2. Play\n\n"
    rules = Rules.of("\ufeff" + head + "(game ;; deal\n ;; ten cards\n\n ;; end!\n)")
    assert rules.title == "Title"
    assert rules.head == ("Players: 2", "Rules: here", "A pack of cards.", "1. Draw", "2. Play")
    assert rules.notes == ("Deal ten cards.", "End!")
    assert Rules.of("(game)").head == ()


@pytest.mark.parametrize("name", library.names())
def test_library_texts_tell_the_rules_that_the_documentation_tells(name: str) -> None:
    told = PAGES.joinpath(f"{name}.md").read_text().split("## Rules\n")[1].split("\n## ")[0]
    head = Rules.of(library.entry(name).text).head
    assert " ".join(head[2:]).split() == told.split()


def test_games_side_by_side(analysis: Analysis, tmp_path: Path) -> None:
    other = study("gin_rummy", tmp_path, Budget(3, 50, simulations=5, seed=1))
    comparison = Comparison([other, analysis, other])
    assert comparison.names == ["Gin Rummy", "Gin Rummy (LIMIT=30)", "Gin Rummy"]
    assert comparison.scaled.min() == 0
    assert comparison.scaled.max() == 1
    # The same game twice hangs together at distance 0; the variant joins them at the distance of their vectors.
    assert comparison.linkage[0, [0, 1, 2]].tolist() == [0, 2, 0]
    apart = ((comparison.scaled[0] - comparison.scaled[1]) ** 2).sum() ** 0.5
    assert comparison.linkage[1, 2] == pytest.approx(apart)
    files = {path.name for path in write_comparison(comparison, tmp_path / "out")}
    assert {"index.html", "comparison.csv", "comparison.json", "parallel.svg", "parallel.png", "dendrogram.svg", "dendrogram.png"} <= files
    read = Reader((tmp_path / "out" / "index.html").read_text())
    assert read.open == []
    assert all(link.startswith(("#", "data:")) for link in read.links)
    assert len(list(csv.DictReader((tmp_path / "out" / "comparison.csv").open()))) == 30


@pytest.mark.parametrize("path", sorted(PAGES.parent.joinpath("analysed").glob("*.html")), ids=lambda path: path.stem)
def test_pages_of_the_documentation_stand_alone(path: Path) -> None:
    read = Reader(path.read_text())
    assert read.open == []
    assert all(link.startswith(("#", "data:", "https://www.pagat.com/")) for link in read.links)
    assert path.stat().st_size < 1_500_000
    # A page of another text than the library's would show another game.
    packed = read.downloads[f"{path.stem}.rcy"].partition("base64,")[2]
    assert base64.b64decode(packed).decode() == library.entry(path.stem).text
    assert "Quick look" in read.text or "--simulations" not in read.text
