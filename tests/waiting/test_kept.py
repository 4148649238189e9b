"""Tables in files: what is saved is what is loaded, and nothing else is."""

from pathlib import Path

import numpy as np
import pytest

from meldlab.cards import Hand
from meldlab.errors import NoSuchThing, NotLegalHere, NotPossible
from meldlab.waiting import Goal, Solution, Waiting, solve
from meldlab.waiting.kept import cached_solution, load, save


@pytest.fixture(scope="module")
def four() -> Solution:
    return solve(Waiting(4, "both", Goal.parse("knock:3"), Hand.parse("2H 2D")), device="cpu")


@pytest.mark.parametrize(("precision", "bytes_each", "off"), [("f64", 8, 0.0), ("f32", 4, 2e-6), ("u16", 2, 5e-4)])
def test_a_table_comes_back(four: Solution, precision: str, bytes_each: int, off: float, tmp_path: Path) -> None:
    path = tmp_path / "four.table"
    error = save(four, path, precision)
    again = load(path)
    assert again.game == four.game
    assert path.stat().st_size == 4096 + bytes_each * four.game.small.classes
    measured = np.abs(again.expected.astype(float) * again.unit - four.expected).max()
    assert measured == error == again.error <= off
    assert np.array_equal(again.expected == 0, four.expected == 0)
    assert again.turns("AC 5D 9H KS") == pytest.approx(four.turns("AC 5D 9H KS"), abs=error + 1e-15)
    assert again.residual == four.residual


def test_a_rounded_table_still_answers(four: Solution, tmp_path: Path) -> None:
    save(four, tmp_path / "t", "u16")
    again = load(tmp_path / "t")
    assert again.summary().goal_hands == four.summary().goal_hands
    assert again.summary().mean == pytest.approx(four.summary().mean, abs=again.error)
    with pytest.raises(NotLegalHere, match="more precisely"):
        save(again, tmp_path / "finer", "f32")


def test_damaged_and_foreign_files_are_refused_by_name(four: Solution, tmp_path: Path) -> None:
    path = tmp_path / "four.table"
    save(four, path)
    whole = path.read_bytes()
    for name, content, why in [
        ("short", whole[:-8], "cut short"),
        ("head", whole[:50], "damaged header"),
        ("bits", whole[:-1] + bytes([whole[-1] ^ 1]), "checksum"),
        ("foreign", b"PNG" + whole, "not a waiting table"),
        ("empty", b"", "not a waiting table"),
        ("lie", whole.replace(b'"cards": 4', b'"cards": 5', 1), "cut short"),
        ("strange", whole.replace(b'"aces": "both"', b'"aces": "high"', 1), "high"),
    ]:
        other = tmp_path / name
        other.write_bytes(content)
        with pytest.raises(ValueError, match=why):
            load(other)
    with pytest.raises(NotPossible, match="nowhere"):
        load(tmp_path / "nowhere")


def test_wrong_names(four: Solution, tmp_path: Path) -> None:
    with pytest.raises(NoSuchThing, match="no precision 'f16'"):
        save(four, tmp_path / "t", "f16")
    with pytest.raises(NotPossible, match="cannot be written"):
        save(four, tmp_path / "no" / "such" / "folder")
    assert list(tmp_path.iterdir()) == []


def test_solutions_are_kept_and_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MELDLAB_CACHE", str(tmp_path))
    first = cached_solution(Waiting(3))
    second = cached_solution(Waiting(3))
    assert isinstance(second.expected, np.memmap)
    assert np.array_equal(first.expected, second.expected)
    kept = next(tmp_path.rglob("*.table"))
    kept.write_bytes(b"garbage")
    assert np.array_equal(cached_solution(Waiting(3)).expected, first.expected)
    save(first, tmp_path / "mine")
    assert cached_solution(Waiting(3), tmp_path / "mine").turns("AC QH KD") == first.turns("AC QH KD")
    with pytest.raises(NotPossible, match="holds 3 cards, aces low, gin, not 3 cards, aces both"):
        cached_solution(Waiting(3, "both"), tmp_path / "mine")
