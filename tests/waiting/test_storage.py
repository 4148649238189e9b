"""Tables in files: what is saved is what is loaded, and nothing else is."""

from pathlib import Path

import numpy as np
import pytest

from meldlab.cards import Hand
from meldlab.errors import NoSuchThing, NotLegalHere, NotPossible
from meldlab.waiting import Goal, Solution, WaitingGame, solve
from meldlab.waiting.storage import cached_path, load, load_cached, save, solve_cached


@pytest.fixture(scope="module")
def four() -> Solution:
    return solve(WaitingGame(4, "both", Goal.parse("knock:3"), Hand.parse("2H 2D")), device="cpu")


@pytest.mark.parametrize(("precision", "bytes_each", "off"), [("f64", 8, 0.0), ("f32", 4, 2e-6), ("u16", 2, 5e-4)])
def test_a_table_comes_back(four: Solution, precision: str, bytes_each: int, off: float, tmp_path: Path) -> None:
    path = tmp_path / "four.table"
    error = save(four, path, precision)
    again = load(path)
    assert again.game == four.game
    assert path.stat().st_size == 4096 + bytes_each * four.game.numbering.classes
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


def test_solve_cached_saves_and_reads_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MELDLAB_CACHE", str(tmp_path))
    first = solve_cached(WaitingGame(3))
    second = solve_cached(WaitingGame(3))
    assert not isinstance(first.expected, np.memmap)
    assert isinstance(second.expected, np.memmap)
    assert second.seconds == first.seconds
    assert np.array_equal(first.expected, second.expected)


def test_solve_cached_solves_again_with_refresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MELDLAB_CACHE", str(tmp_path))
    first = solve_cached(WaitingGame(3))
    again = solve_cached(WaitingGame(3), refresh=True)
    assert not isinstance(again.expected, np.memmap)
    assert np.array_equal(first.expected, again.expected)


def test_solve_cached_replaces_a_damaged_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MELDLAB_CACHE", str(tmp_path))
    first = solve_cached(WaitingGame(3))
    cached_path(WaitingGame(3)).write_bytes(b"garbage")
    assert load_cached(WaitingGame(3)) is None
    assert np.array_equal(solve_cached(WaitingGame(3)).expected, first.expected)
    assert load_cached(WaitingGame(3)) is not None


def test_solve_cached_checks_the_device_before_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MELDLAB_CACHE", str(tmp_path))
    solve_cached(WaitingGame(3))
    with pytest.raises(NoSuchThing, match="no device 'tpu'"):
        solve_cached(WaitingGame(3), "tpu")


def test_load_rejects_the_table_of_another_game(tmp_path: Path) -> None:
    solution = solve(WaitingGame(3), device="cpu")
    save(solution, tmp_path / "mine")
    assert load(tmp_path / "mine", WaitingGame(3)).turns("AC QH KD") == solution.turns("AC QH KD")
    with pytest.raises(NotPossible, match="holds 3 cards, aces low, gin, not 3 cards, aces both"):
        load(tmp_path / "mine", WaitingGame(3, "both"))
