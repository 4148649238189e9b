"""README, the pages and the ladder show the programs and measured figures of today, as ``make figures`` writes them."""

import json
import re

import pytest

from tests.docs.figures import Figure, figures
from tests.docs.filling import FIGURE, FILE_BLOCK, LADDER, filled, ladder
from tests.docs.pages import ROOT, pages

FIGURE_OF_A_RATE = Figure(
    value=0.81, interval=(0.8, 0.825), format=".3f", command="meldlab x", commit="abc", date="2026-11-19", machine="two cores"
)


def test_pages_show_the_files_and_figures_of_today() -> None:
    texts = {page: page.read_text() for page in pages()}
    assert [str(page.relative_to(ROOT)) for page, text in texts.items() if filled(text) != text] == [], "run make figures"
    # Every marker is one that make figures reads.
    for page, text in texts.items():
        assert len(re.findall(r"<!-- /?figure", text)) == 2 * len(FIGURE.findall(text)), page
        assert len(re.findall(r"<!-- file:", text)) == len(FILE_BLOCK.findall(text)), page


def test_ladder_shows_the_figures_of_today() -> None:
    assert json.loads(LADDER.read_text()) == json.loads(json.dumps(ladder())), "run make figures"


def test_every_figure_is_shown_somewhere() -> None:
    shown = {marker["name"] for page in pages() for marker in FIGURE.finditer(page.read_text())}
    shown |= {f"ladder/{rung['name']}/{what}" for rung in ladder()["players"] for what in ("rating", "simple")}
    assert sorted(figures().keys() - shown) == []


def test_filled_replaces_a_block_with_the_file_it_names() -> None:
    block = "<!-- file: examples/dask_cluster.py -->\n```python\nold\n```"
    program = (ROOT / "examples" / "dask_cluster.py").read_text()
    assert filled(f"before\n\n{block}\n\n```python\nkept\n```\n") == (
        f"before\n\n<!-- file: examples/dask_cluster.py -->\n```python\n{program}```\n\n```python\nkept\n```\n"
    )


def test_filled_replaces_the_text_of_each_figure() -> None:
    name, figure = next(iter(figures().items()))
    text = f"| <!-- figure: {name} -->old<!-- /figure --> | <!-- figure: {name} date -->older<!-- /figure --> |"
    assert (
        filled(text)
        == f"| <!-- figure: {name} -->{figure.text()}<!-- /figure --> | <!-- figure: {name} date -->{figure.date}<!-- /figure --> |"
    )


@pytest.mark.parametrize(
    ("part", "text"),
    [
        ("", "0.810 (0.800 to 0.825)"),
        ("value", "0.810"),
        ("interval", "0.800 to 0.825"),
        ("command", "`meldlab x`"),
        ("machine", "two cores"),
        ("source", "`meldlab x`, two cores, 2026-11-19, commit abc"),
    ],
)
def test_figure_text_shows_the_part(part: str, text: str) -> None:
    assert FIGURE_OF_A_RATE.text(part) == text


def test_figure_text_of_a_count_has_separators_and_unit() -> None:
    figure = Figure(value=987000, unit=" rounds/s", command="", commit="", date="", machine="")
    assert figure.text() == "987,000 rounds/s"
