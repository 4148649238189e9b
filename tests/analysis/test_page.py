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

import numpy as np
import pytest
from jinja2 import UndefinedError
from matplotlib import rc_context
from matplotlib.figure import Figure

from meldlab.analysis.comparison import Comparison, write_comparison
from meldlab.analysis.heuristics import NAMES
from meldlab.analysis.library_range import LibraryRange
from meldlab.analysis.page import analysis_page, write_analysis
from meldlab.analysis.study import Analysis, StudyConfig
from meldlab.analysis.tables import Labelled, tables
from meldlab.errors import NotPossible
from meldlab.recycle import library
from meldlab.recycle.language.header import Header, highlight
from meldlab.reports.page import download_link, figure_svg, render
from meldlab.statistics import Interval
from tests.analysis.samples import BY_HAND
from tests.analysis.test_study import study

VOID = {"meta", "br", "img"}
PAGES = Path(__file__).parents[2] / "docs" / "games"


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
    return study("gin_rummy", tmp_path_factory.mktemp("study"), StudyConfig(3, 50, simulations=5, seed=1, quick=True), LIMIT=30)


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
    # Seven figures, and a strip for each heuristic.
    assert page.count("<svg") == 7 + sum(each.interval is not None for each in analysis.heuristics)
    assert headings(page) == contents(page)
    assert {"Summary", "Rules of play", "Variants used", "Information flow", "Decision spread", "RECYCLE code"} <= set(
        contents(page).values()
    )
    assert "Quick look" in read.text
    assert "(declare 30 'LIMIT)" in read.text
    for each in analysis.heuristics:
        assert each.meaning in read.text
    shown = [f"as published {each.published.value:.3f}" for each in analysis.heuristics if each.published]
    assert len(shown) == 7
    assert f"An estimate rests on {analysis.skilled.determinizations_text}." in read.text
    assert all(text in read.text for text in shown)
    assert "divided by the largest spread of all these games, as in the published pictures" in " ".join(read.text.split())


def headings(page: str) -> dict[str, str]:
    assert page.count("<h2") == len(re.findall(r'<h2 id="', page)), "every heading can be linked to"
    return dict(re.findall(r'<h2 id="([^"]+)">([^<]+)</h2>', page))


def contents(page: str) -> dict[str, str]:
    return dict(re.findall(r'<li><a href="#([^"]+)">([^<]+)</a></li>', page))


def test_text_in_figures_is_text_and_suits_the_dark(analysis: Analysis) -> None:
    page = analysis_page(analysis)
    pictures = re.findall(r'<div class="picture".*?</div>', page, flags=re.DOTALL)
    assert len(pictures) == 7
    for words in (">STOCK</text>", ">decision point</text>", ">lead (1 first, 0 last)</text>", ">median time per game (ms)</text>"):
        assert words in page
    for picture in pictures:
        styles = " ".join(re.findall(r'style="([^"]*)"', picture))
        # Black and white are the page's ink and paper; nothing says a font, so that the page's own serves where another is missing.
        assert not re.search(r"#000000|#ffffff|font-family", styles)
        assert "currentColor" in picture
    assert "@media (prefers-color-scheme: dark)" in page
    assert "font-family" in page[: page.index("</style>")]


def test_comments_are_told_once(analysis: Analysis) -> None:
    read = Reader(analysis_page(analysis))
    said = " ".join(read.text.split())
    assert said.count("A pack of 52; aces are low.") == 1
    assert said.count("Rules: https://www.pagat.com/rummy/ginrummy.html") == 1
    comments = [line.partition(";;")[2] for line in analysis.variant.header.code.splitlines() if ";;" in line]
    inside = [comment.strip() for comment in comments if not comment.startswith("=")]  # labels may be repeated
    assert inside
    assert all(said.count(note) == 1 for note in inside)


def test_a_strip_has_a_mark_for_every_other_game_of_the_library() -> None:
    games = {mark.game for name in NAMES for mark in LibraryRange.for_heuristic(name, "", Interval(0.5, 0.4, 0.6)).others}  # type: ignore[union-attr]
    assert games == set(library.names()), "library.csv is of another library; make it anew"
    strip = LibraryRange.for_heuristic("order", "golf", Interval(0.5, -9.0, 9.0))
    assert strip is not None
    assert "golf" not in {mark.game for mark in strip.others}
    places = [strip.position(mark.value) for mark in strip.others]
    assert places == sorted(places)
    assert (places[0], places[-1]) == (0, 100)
    assert (strip.position(-9.0), strip.position(9.0)) == (0, 100)
    assert LibraryRange.for_heuristic("order", "golf", None) is None


def test_whatever_a_game_is_called_stays_text(tmp_path: Path) -> None:
    path = tmp_path / "odd.rcy"
    text = library.entry("kuhn_poker").text.splitlines(keepends=True)
    path.write_text("".join([";; <script>alert('1')</script> & co\n", *text[1:]]))
    page = analysis_page(study(str(path), tmp_path / "runs", StudyConfig(2, 20, simulations=5, quick=True)))
    assert "<script" not in page
    assert "<h1>&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt; &amp; co</h1>" in page
    assert Reader(page).open == []


def test_a_template_without_its_values_is_a_mistake() -> None:
    with pytest.raises(UndefinedError, match="is undefined"):
        render("meldlab.analysis", "page.html.jinja")


def test_two_figures_do_not_mix_up_their_marks() -> None:
    figure = Figure()
    figure.subplots().plot([1, 2], [1, 2])
    one, other = (set(re.findall(r' id="([^"]+)"', figure_svg(figure, name, "A line"))) for name in ("one", "other"))
    assert one
    assert not one & other
    for name in ("one", "other"):
        picture = figure_svg(figure, name, "A line")
        assert set(re.findall(r'(?:href="|url\()#([^")]+)', picture)) == set(re.findall(r' id="([^"]+)"', picture))


def test_downloads_carry_their_files(analysis: Analysis) -> None:
    downloads = Reader(analysis_page(analysis)).downloads
    assert set(downloads) == {"movement.dot", "gin_rummy.rcy", "choice.csv", "results.csv", "lead.csv", "spread.csv", "analysis.json"}

    def content(name: str) -> str:
        return base64.b64decode(downloads[name].partition("base64,")[2]).decode()

    assert content("gin_rummy.rcy") == analysis.variant.game.text
    assert content("choice.csv") == analysis.tables["choice.csv"]
    assert json.loads(content("analysis.json"))["game"] == "gin_rummy"
    large = download_link("big.csv", "x,y\n" * 50_000)
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
    with pytest.raises(NotPossible, match="cannot be written"):
        write_analysis(analysis, tmp_path / "file")


COMMON = "game,numPlayers,ai,imperfect,samples,tests,run,"
HEADS = {
    "choice.csv": "move,player,choices,choice,time",
    "results.csv": "player,score,rank,time",
    "lead.csv": "move,recorder,player,score,rank,rankestimate",
    "spread.csv": "pmove,player,spread",
}


def test_tables_have_the_published_columns() -> None:
    found = tables("tiny", [Labelled("MM", BY_HAND, "private", 10, 1000)])
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
    shown = str(highlight(text))
    assert '<span class="w">game</span>' in shown
    assert '<span class="c">;; a &lt;b&gt; &amp; c</span>' in shown
    assert Reader(f"<pre>{shown}</pre>").text == text


def test_comments_become_rules() -> None:
    head = ";; Title\n;; Players: 2\n;; Rules: here\n;;\n;; A pack of\n;; cards.\n;; 1. Draw\n;; 2. Play\n;; a card\n;; - last\n\n"
    header = Header.parse("\ufeff" + head + "(game ;; deal\n ;; ten cards\n)\n")
    assert header.title == "Title"
    assert header.lines == ("Players: 2", "Rules: here", "A pack of cards.", "1. Draw", "2. Play a card", "- last")
    assert header.code == "(game ;; deal\n ;; ten cards\n)"
    assert header.blocks[1:] == [("ol", 1, ["Draw", "Play a card"]), ("ul", 1, ["last"])]
    assert Header.parse("(game)") == Header("", (), "(game)")
    assert Header.parse(";; only a title").code == ""


@pytest.mark.parametrize("name", library.names())
def test_library_texts_tell_the_rules_that_the_documentation_tells(name: str) -> None:
    told = PAGES.joinpath(f"{name}.md").read_text().split("## Rules\n")[1].split("\n## ")[0]
    lines = Header.parse(library.entry(name).text).lines
    assert " ".join(lines[2:]).split() == told.split()


def test_games_side_by_side(analysis: Analysis, tmp_path: Path) -> None:
    other = study("gin_rummy", tmp_path, StudyConfig(3, 50, simulations=5, seed=1))
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
    assert read.text.count(analysis.skilled.determinizations_text) == 3
    assert len(list(csv.DictReader((tmp_path / "out" / "comparison.csv").open()))) == 30


@pytest.mark.parametrize("path", sorted(PAGES.parent.joinpath("analysed").glob("*.html")), ids=lambda path: path.stem)
def test_pages_of_the_documentation_stand_alone(path: Path) -> None:
    page = path.read_text()
    read = Reader(page)
    assert read.open == []
    assert headings(page) == contents(page)
    assert all(link.startswith(("#", "data:", "https://www.pagat.com/")) for link in read.links)
    assert path.stat().st_size < 1_000_000
    # A page of another text than the library's would show another game.
    packed = read.downloads[f"{path.stem}.rcy"].partition("base64,")[2]
    assert base64.b64decode(packed).decode() == library.entry(path.stem).text
    assert "Quick look" in read.text or "--simulations" not in read.text


def test_figure_svg_has_outlines_with_one_decimal() -> None:
    figure = Figure(figsize=(4, 3))
    rng = np.random.default_rng(0)
    axes = figure.add_subplot()
    axes.plot(np.linspace(0, 1, 120), rng.random(120))
    axes.plot(rng.random(5000), rng.random(5000), ".", alpha=0.3, rasterized=True)
    paper = io.StringIO()
    with rc_context({"savefig.dpi": 130}):
        figure.savefig(paper, format="svg")
    before, after = (max(re.findall(r' d="([^"]+)"', text), key=len) for text in (paper.getvalue(), figure_svg(figure, "light", "A line")))
    points, rounded = (np.array(re.findall(r"-?[0-9.]+", text), float) for text in (before, after))
    assert np.abs(points - rounded).max() < 0.1
    assert len(after) < 0.7 * len(before)
    assert len(figure_svg(figure, "light", "A line")) < 0.5 * len(paper.getvalue())
