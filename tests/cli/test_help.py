"""Help, renamed options, and completion by the shell."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from meldlab.cli.app import COMMANDS, build_app
from tests.cli.test_app import SRC, run


@pytest.mark.parametrize("words", [(), ("gin",), ("rummikub", "solve"), ("tune", "knock")])
def test_help_of_40_columns_shows_every_option(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    wide = run(capsys, *words, "--help")[1]
    monkeypatch.setenv("COLUMNS", "40")
    status, out, err = run(capsys, *words, "--help")
    assert (status, err) == (0, "")
    assert {word for word in wide.split() if word.startswith("--")} <= set(out.replace(",", " ").split())


def test_root_help_equals_the_help_of_each_command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    for name, (_, line) in COMMANDS.items():
        assert line in " ".join(run(capsys, name, "--help")[1].split()), name


def test_group_without_command_prints_help(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, "stopping")
    assert (status, out) == (2, "") or (status, err) == (2, "")
    assert (out + err).startswith("Usage: meldlab stopping")
    assert "Example: meldlab stopping value" in out + err


def test_unknown_command_names_the_closest(capsys: pytest.CaptureFixture[str]) -> None:
    assert "waiting" in run(capsys, "waitin")[2]


@pytest.mark.parametrize(
    ("line", "offers"),
    [("meldlab sto", {"stopping"}), ("meldlab gin a", {"advise", "arena"}), ("meldlab waiting hand AC --de", {"--device", "--dead"})],
)
def test_completion_offers_commands_and_options(line: str, offers: set[str]) -> None:
    asked = {"_MELDLAB_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}
    command = [sys.executable, "-m", "meldlab"]
    known = {**os.environ, "PYTHONPATH": str(SRC), **asked}
    assert set(subprocess.run(command, capture_output=True, text=True, env=known, check=False, timeout=120).stdout.split()) == offers


def test_completion_is_installed_for_bash(tmp_path: Path) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash on this machine")
    known = {**os.environ, "PYTHONPATH": str(SRC), "HOME": str(tmp_path), "SHELL": bash}
    # The shell is found among the parent processes; the second command keeps bash from replacing itself by ours.
    command = [bash, "--norc", "-c", f"{sys.executable} -m meldlab --install-completion; exit $?"]
    done = subprocess.run(command, capture_output=True, text=True, env=known, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    script = tmp_path / ".bash_completions" / "meldlab.sh"
    assert f"source '{script}'" in (tmp_path / ".bashrc").read_text()


def test_build_app_imports_the_named_commands_alone() -> None:
    import typer

    groups = typer.main.get_command(build_app("gin")).commands  # type: ignore[attr-defined]
    assert set(groups) == set(COMMANDS)
    assert set(groups["gin"].commands) > {"play", "arena"}
    assert not hasattr(groups["waiting"], "commands")
