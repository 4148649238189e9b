"""A player in a file of one's own: loaded once, and its mistakes are one line with the place."""

import sys
from pathlib import Path

import pytest

from meldlab.errors import NoSuchThing, NotLegalHere, NotPossible
from meldlab.gin import Gin, players
from meldlab.play import Deal, Table

GOOD = "def choose(self, view, chance): return view.legal_actions()[0]"
BAD = [
    ("class Mine:\n    x = (\n", "mine.py:2: SyntaxError: '(' was never closed (mine.py, line 2)"),
    ("import os\n\nraise KeyError('lost')\n", "mine.py:3: KeyError: 'lost'"),
    ("import sys\nsys.exit(3)\n", "mine.py:2: SystemExit: 3"),
    ("import nowhere_to_be_found\n", "mine.py:1: ModuleNotFoundError: No module named 'nowhere_to_be_found'"),
    (f"class Mine:\n    name = 'm'\n    def __init__(self, depth): pass\n    {GOOD}\n", "mine.py:3: TypeError: Mine.__init__() missing 1"),
    (
        f"class Mine:\n    name = 'm'\n    def __init__(self):\n        self.x = 1 / 0\n    {GOOD}\n",
        "mine.py:4: ZeroDivisionError: division",
    ),
    (f"class Mine:\n    __slots__ = ()\n    {GOOD}\n", "mine.py:Mine cannot play: it has no name, and none can be given to it"),
    (f"class Mine:\n    name = 5\n    {GOOD}\n", "mine.py:Mine cannot play: its name is '5' and not a line of text"),
    (f"class Mine:\n    name = 'a\\nb'\n    {GOOD}\n", "mine.py:Mine cannot play: its name is 'a b' and not a line of text"),
    (f"class Mine:\n    name = ' '\n    {GOOD}\n", "mine.py:Mine cannot play: its name is '' and not a line of text"),
    (
        f"class Mine:\n    @property\n    def name(self): return dict()['y']\n    {GOOD}\n",
        "mine.py:3: KeyError: 'y'",
    ),
    ("class Mine:\n    name = 'm'\n    choose = 5\n", "mine.py:Mine cannot play: it has no method choose(view, chance)"),
]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("text", "line"), BAD)
def test_parse_names_a_mistake_and_its_place_in_one_line(text: str, line: str) -> None:
    Path("mine.py").write_text(text)
    with pytest.raises(NotLegalHere) as raised:
        players.parse("mine.py:Mine")
    assert str(raised.value).startswith(line)
    assert "\n" not in str(raised.value)


def test_parse_names_a_mistake_in_a_module(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    Path("mine_by_name.py").write_text("\n\nraise KeyError('lost')\n")
    with pytest.raises(NotLegalHere, match=r"mine_by_name.py:3: KeyError: 'lost'") as raised:
        players.parse("mine_by_name:Mine")
    assert isinstance(raised.value.__cause__, KeyError)
    with pytest.raises(NotPossible, match=r"no player in nowhere.at.all: no such module"):
        players.parse("nowhere.at.all:Mine")


def test_parse_of_a_missing_class_names_the_others() -> None:
    Path("mine.py").write_text(f"class Mine:\n    {GOOD}\n")
    with pytest.raises(NoSuchThing, match="did you mean Mine"):
        players.parse("mine.py:Mind")


def test_parse_runs_a_file_once_until_it_changes() -> None:
    path = Path("mine.py")
    path.write_text(f"class Mine:\n    name = 'first'\n    {GOOD}\n")
    one, two = players.parse("mine.py:Mine"), players.parse("mine.py:Mine")
    assert type(one) is type(two)
    assert one is not two
    path.write_text(f"class Mine:\n    name = 'second'\n    {GOOD}\n")
    assert players.parse("mine.py:Mine").name == "second"


def test_parse_keeps_files_of_one_name_apart() -> None:
    for folder in ("a", "b"):
        Path(folder).mkdir()
        Path(folder, "mine.py").write_text(f"class Mine:\n    name = '{folder}'\n    {GOOD}\n")
    one, two = players.parse("a/mine.py:Mine"), players.parse("b/mine.py:Mine")
    assert (one.name, two.name) == ("a", "b")
    assert sys.modules[type(one).__module__] is not sys.modules[type(two).__module__]


def test_forfeit_names_the_line() -> None:
    Path("mine.py").write_text(
        "import json\nclass Mine:\n    name = 'mine'\n    def choose(self, view, chance):\n        json.loads('nope')\n"
    )
    played = Table(Gin(), [players.parse("mine.py:Mine"), players.parse("simple")]).play(Deal(1))
    assert played.forfeit.startswith("p1 forfeits: mine gave no answer: JSONDecodeError: ")
    assert played.forfeit.endswith(" (mine.py:5)")
