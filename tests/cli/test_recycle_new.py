"""A program to begin with: it is complete, it plays, and nothing is ever written over."""

import json
from pathlib import Path

import pytest

from meldlab.recycle import library
from meldlab.recycle.language.checker import check
from tests.cli.test_app import run


def test_the_template_is_a_good_game_under_its_own_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "three_little-pigs.rcy"
    status, out, err = run(capsys, "recycle", "new", str(file))
    assert (status, err, out.count("\n")) == (0, "", 1)
    text = file.read_text()
    assert text.startswith(";; Three Little Pigs\n;; Players: 2\n")
    assert check(text).diagnostics == ()
    status, out, _ = run(capsys, "recycle", "perft", str(file), "--depth", "6", "--json")
    answer = json.loads(out)
    # Three turns each: keep, or exchange one of three cards.
    assert (status, answer["histories"], answer["levels"][6]["ended"]) == (0, 4**6, 4**6)


def test_every_part_of_the_template_is_explained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "recycle", "new", str(tmp_path / "my_game.rcy"))
    lines = (tmp_path / "my_game.rcy").read_text().splitlines()
    for part in (" (declare", " (setup", " (do (", " (stage", "  (choice (", " (scoring"):
        where = next(i for i, line in enumerate(lines) if line.startswith(part))
        assert lines[where - 1].strip().startswith(";;"), part


@pytest.mark.parametrize("name", ["block_rummy", "hearts"])
def test_a_copy_is_the_text_of_the_library(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "recycle", "new", str(tmp_path / "mine.rcy"), "--like", name)[0] == 0
    assert (tmp_path / "mine.rcy").read_text() == library.entry(name).text


def test_nothing_is_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine.rcy"
    file.write_text("weeks of work")
    assert run(capsys, "recycle", "new", str(file)) == (2, "", f"error: {file} exists already; name a new file\n")
    assert file.read_text() == "weeks of work"


@pytest.mark.parametrize(
    ("name", "more", "says"),
    [
        ("nowhere/mine.rcy", [], "No such file or directory"),
        ("file/mine.rcy", [], "Not a directory"),
        ("mine", [], "expected a file .rcy, got 'mine'"),
        ("mine.rcy", ["--like", "harts"], "did you mean hearts?"),
    ],
)
def test_what_cannot_be_written_is_one_line(
    name: str, more: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("in the way")
    status, out, err = run(capsys, "recycle", "new", str(tmp_path / name), *more)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("error: ")
    assert err.endswith(f"{says}\n")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
