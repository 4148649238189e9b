"""``meldlab card-picture``: a hand as a file."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from meldlab.cards import Card, draw
from tests.cli.test_app import run


def test_cards_are_drawn_in_the_order_given(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "hand.svg"
    assert run(capsys, "card-picture", "KS", "10h", "5H", "--out", str(file)) == (0, f"{file}\n", "")
    picture = ElementTree.fromstring(file.read_text())
    assert picture.findtext("{*}title") == "KS TH 5H"
    cards = list(map(Card.parse, ("KS", "TH", "5H")))
    assert file.read_text() == draw(cards)
    words = ("KS TH 5H", "--out", str(file), "--marked", "TH", "--four-colours", "--json")
    assert json.loads(run(capsys, "card-picture", *words)[1]) == {"files": [str(file)]}
    assert file.read_text() == draw(cards, four_colours=True, marked=cards[1:2])


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("5H 6X", "--out", "a.svg"), "error: no suit 'X' (use C D H S)\n  5H 6X\n      ^\n"),
        (("5H 6H", "--out", "a.png"), "error: no picture format '.png' (use .svg)\n"),
        (("5H 6H", "--marked", "KS", "--out", "a.svg"), "error: no card in the picture 'KS' (use 5H, 6H)\n"),
        ((" ", "--out", "a.svg"), "error: no cards\n"),
        (("5H", "--out", "nowhere/a.svg"), "error: nowhere/a.svg cannot be written"),
    ],
)
def test_mistakes_are_one_line(
    words: tuple[str, ...], line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    status, out, err = run(capsys, "card-picture", *words)
    assert (status, out) == (2, "")
    assert err.startswith(line)
    assert not list(tmp_path.iterdir())
