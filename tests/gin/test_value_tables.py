"""Value tables in a folder: saved and loaded unchanged, written whole or not at all, and rejected when damaged."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from meldlab.cards import classes
from meldlab.errors import NotPossible
from meldlab.gin.kernel_state import ValueTable
from meldlab.gin.value_tables import SMALL_ARRAYS, check_folder, dead_cards, load, save

FACTS = {"cards": 3, "ranks": 4, "against": "simple", "rules": {"preset": "eaai"}, "turns": [1, 9], "price": 5.0}


def small_table(kind: type[np.unsignedinteger], seed: int = 1) -> ValueTable:
    chance, size = np.random.default_rng(seed), classes.numbering(3, dead_cards(4))
    arrays = {name: chance.random(SMALL_ARRAYS[name][0]) for name in ("turns", "odds", "knock", "caught")}
    arrays["turns"][:, 0] = chance.integers(0, 2, len(arrays["turns"]))
    deck = np.array([((1 << 52) - 1) & ~dead_cards(4).mask, 3], np.int64)
    codes = chance.integers(0, np.iinfo(kind).max, (2, size.classes), kind, endpoint=True)
    return ValueTable(codes=codes, keys=size.keys, patterns=size.patterns, deck=deck, **arrays)


@pytest.mark.parametrize("kind", [np.uint8, np.uint16])
def test_load_returns_what_was_saved(tmp_path: Path, kind: type[np.unsignedinteger]) -> None:
    table = small_table(kind)
    size = save(table, FACTS, tmp_path / "mine")
    assert size == (tmp_path / "mine" / "values.npy").stat().st_size
    found, head = load(tmp_path / "mine")
    assert FACTS.items() <= head.items()
    for name in ValueTable._fields:
        assert np.array_equal(getattr(found, name), getattr(table, name)), name
        # The kernels are compiled for these types; another one would be compiled again.
        assert getattr(found, name).dtype == getattr(table, name).dtype
        assert getattr(found, name).flags.writeable
        assert getattr(found, name).flags.c_contiguous
    assert isinstance(found.codes.base, np.memmap)
    assert os.listdir(tmp_path) == ["mine"]


def test_save_replaces_an_earlier_player(tmp_path: Path) -> None:
    save(small_table(np.uint8, 1), FACTS, tmp_path / "mine")
    save(small_table(np.uint8, 2), FACTS, tmp_path / "mine")
    assert np.array_equal(load(tmp_path / "mine")[0].codes, small_table(np.uint8, 2).codes)
    assert os.listdir(tmp_path) == ["mine"]


KILLED = """
import os, signal, sys
from pathlib import Path
from tests.gin.test_value_tables import FACTS, save, small_table
import numpy as np

class Row:
    # The second row of values never comes: the process is killed while it waits for it.
    def __init__(self, codes):
        self.codes, self.shape, self.dtype = codes, codes.shape, codes.dtype
    def __getitem__(self, slot):
        if slot == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return self.codes[slot]

table = small_table(np.uint8, 3)
save(table._replace(codes=Row(table.codes)), FACTS, Path(sys.argv[1]))
"""


@pytest.mark.parametrize("before", [True, False])
def test_save_that_is_killed_leaves_no_half_player(tmp_path: Path, before: bool) -> None:
    folder = tmp_path / "mine"
    if before:
        save(small_table(np.uint8, 1), FACTS, folder)
    root = Path(__file__).parents[2]
    paths = os.pathsep.join([str(root), str(root / "src")])
    done = subprocess.run([sys.executable, "-c", KILLED, str(folder)], env={**os.environ, "PYTHONPATH": paths}, check=False)
    assert done.returncode == -signal.SIGKILL
    assert len(list(tmp_path.glob(".mine-*.part"))) == 1
    if before:
        assert np.array_equal(load(folder)[0].codes, small_table(np.uint8, 1).codes)
    else:
        assert not folder.exists()


def test_check_folder_rejects_a_place_in_use(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("chapter one")
    for folder, why in (
        (tmp_path, "holds something else"),
        (tmp_path / "thesis.txt", "is a file"),
        (tmp_path / "a" / "b", "there is no folder"),
    ):
        with pytest.raises(NotPossible, match=why):
            check_folder(folder)
    (tmp_path / "empty").mkdir()
    save(small_table(np.uint8), FACTS, tmp_path / "empty")
    assert (tmp_path / "thesis.txt").read_text() == "chapter one"


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-40])


def other_format(path: Path) -> None:
    path.write_text(path.read_text().replace("player 1", "player 7"))


def other_size(path: Path) -> None:
    path.write_text(path.read_text().replace("ranks = 4", "ranks = 5"))


@pytest.mark.parametrize(
    ("file", "damage", "why"),
    [
        ("values.npy", cut, "is damaged"),
        ("book.npz", cut, "is damaged"),
        ("head.toml", cut, "is damaged|no computed player"),
        ("head.toml", other_format, "not a computed player of this format"),
        ("head.toml", other_size, "values.npy does not hold"),
        ("values.npy", Path.unlink, "no computed player in"),
        ("head.toml", Path.unlink, "no computed player in"),
    ],
)
def test_load_rejects_a_damaged_player(tmp_path: Path, file: str, damage: object, why: str) -> None:
    assert callable(damage)
    save(small_table(np.uint8), FACTS, tmp_path / "mine")
    damage(tmp_path / "mine" / file)
    with pytest.raises(NotPossible, match=why):
        load(tmp_path / "mine")
