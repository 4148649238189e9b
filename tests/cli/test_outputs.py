"""``--out``: a place that cannot be written is refused when the command line is read, by every command that has the option."""

from pathlib import Path

import pytest

from meldlab.cli.app import COMMANDS, build_app
from meldlab.cli.options import writable_file, writable_folder
from meldlab.errors import NotPossible
from tests.cli.test_app import VERBS, run

FOLDERS = {
    "tune track": [],
    "tune knock": [],
    "tune ensemble": [],
    "waiting figures": [],
    "stopping figures": [],
    "recycle analyse": ["hearts"],
    "recycle compare": ["hearts", "spades"],
    "recycle search": ["leduc_poker", "--vary", "BET=1..4", "--maximise", "drama"],
    "reproduce": [],
}
FILES = {
    "tune best": [],
    "waiting table": ["--cards", "3"],
    "stopping draw": ["policy"],
    "runs export": ["1"],
    "gin review": ["game.toml"],
    "gin export": ["--players", "simple,random"],
    "card-picture": ["5H"],
}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MELDLAB_STORE", str(tmp_path / "runs.sqlite"))
    Path("file").write_text("in the way")
    Path("folder").mkdir()


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_every_command_with_out_is_tried_here(verb: tuple[str, ...]) -> None:
    import typer

    command = typer.main.get_command(build_app(*COMMANDS))
    for word in verb:
        command = command.commands[word]  # type: ignore[attr-defined]
    has_out = any("--out" in parameter.opts for parameter in command.params)
    assert has_out == (" ".join(verb) in {**FOLDERS, **FILES})


@pytest.mark.parametrize("verb", FOLDERS)
@pytest.mark.parametrize(
    ("out", "reason"),
    [
        ("file", "expected a folder, got the file {here}/file"),
        ("file/below", "expected a folder, got the file {here}/file"),
        ("/proc/nowhere", "No such file or directory"),
    ],
)
def test_out_folder_is_refused_before_the_work(
    verb: str, out: str, reason: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    line = f"error: {out} cannot be written: {reason.format(here=tmp_path)}\n"
    assert run(capsys, *verb.split(), *FOLDERS[verb], "--out", out) == (2, "", line)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]


@pytest.mark.parametrize("verb", FILES)
@pytest.mark.parametrize("out", ["folder", "/proc/nowhere.svg"])
def test_out_file_is_refused_before_the_work(verb: str, out: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    status, printed, err = run(capsys, *verb.split(), *FILES[verb], "--out", out)
    assert (status, printed, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"error: {out} cannot be written: ")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]


def test_writable_folder_leaves_nothing_behind(tmp_path: Path) -> None:
    assert writable_folder(Path("folder/new/newer")) == Path("folder/new/newer")
    assert writable_file(Path("file")) == Path("file")
    assert writable_file(Path("new/picture.svg"), parents=True) == Path("new/picture.svg")
    assert list(Path("folder").iterdir()) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]
    assert Path("file").read_text() == "in the way"
    with pytest.raises(NotPossible, match=r"new/picture.svg cannot be written: there is no folder .*/new"):
        writable_file(Path("new/picture.svg"))
