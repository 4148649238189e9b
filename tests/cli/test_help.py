"""How help reads, and the completion of words in a shell."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.test_app import SRC, VERBS, run


@pytest.mark.parametrize("words", VERBS, ids=" ".join)
def test_flags_are_flags_and_arguments_are_words(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    _, out, _ = run(capsys, *words, "--help")
    assert "bool" not in out
    assert not set("{}") & set(out)
    usage = next(line for line in out.splitlines() if "Usage:" in line).partition("[OPTIONS]")[2]
    assert usage == usage.upper() or "|" in usage  # a choice is among words that are typed


def test_arguments_that_may_be_many_or_none_show_it(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    assert "Usage: meldlab waiting hand [OPTIONS] CARDS...  " in run(capsys, "waiting", "hand", "--help")[1]
    assert "Usage: meldlab replay [OPTIONS] FILE  " in run(capsys, "replay", "--help")[1]


@pytest.mark.parametrize("words", [(), ("gin",), ("rummikub", "solve"), ("tune", "knock")])
def test_forty_columns_cut_nothing(words: tuple[str, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    wide = run(capsys, *words, "--help")[1]
    monkeypatch.setenv("COLUMNS", "40")
    status, out, err = run(capsys, *words, "--help")
    assert (status, err) == (0, "")
    options = {word for word in wide.split() if word.startswith("--")}
    assert options <= set(out.replace(",", " ").split())
    assert "…" not in out
    # A list of choices is one word, and stays one.
    assert all(len(line) < 40 for line in out.splitlines() if "|" not in line)


def test_a_door_without_a_verb_shows_its_verbs_on_a_narrow_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    status, out, err = run(capsys, "stopping")
    assert (status, err) == (2, "")
    assert "\nmatrices\n  Print the paper's two matrices" in out
    assert "Example: meldlab stopping value" in " ".join(out.split())


def shell(home: Path, line: str, **more: str) -> subprocess.CompletedProcess[str]:
    known = {**os.environ, "PYTHONPATH": str(SRC), "HOME": str(home), "PYTHON": sys.executable, **more}
    return subprocess.run(["bash", "--norc", "-c", f"{line}; exit $?"], capture_output=True, text=True, env=known, check=False, timeout=120)


def test_completion_is_installed_for_bash(tmp_path: Path) -> None:
    done = shell(tmp_path, "$PYTHON -m meldlab --install-completion")
    assert (done.returncode, done.stderr) == (0, "")
    script = tmp_path / ".bash_completions" / "meldlab.sh"
    assert "complete -o default -F _meldlab_completion meldlab" in script.read_text()
    assert f"source '{script}'" in (tmp_path / ".bashrc").read_text()


@pytest.mark.parametrize(
    ("typed", "words"),
    [("meldlab wai", {"waiting"}), ("meldlab gin re", {"review"}), ("meldlab waiting hand AC --de", {"--device", "--dead"})],
)
def test_words_are_completed(typed: str, words: set[str], tmp_path: Path) -> None:
    asked = {"_MELDLAB_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(len(typed.split()) - 1)}
    assert set(shell(tmp_path, "$PYTHON -m meldlab", **asked).stdout.split()) == words
