"""Completion by the shell: it is installed into the home of whoever asks, and offers doors, verbs and options."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = "import sys; sys.argv[0] = 'meldlab'; from meldlab.cli.app import main; main()"


def meldlab(*arguments: str, **variables: str) -> str:
    command = [sys.executable, "-c", PROGRAM, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env={**os.environ, **variables})
    assert done.returncode == 0, done.stderr
    return done.stdout


def offered(line: str) -> list[str]:
    """Return what bash is told to offer at the end of a line."""
    return meldlab(_MELDLAB_COMPLETE="complete_bash", COMP_WORDS=line, COMP_CWORD=str(line.count(" "))).split()


@pytest.mark.parametrize(
    ("line", "offers"),
    [("meldlab sto", ["stopping"]), ("meldlab gin a", ["advise", "arena"]), ("meldlab rummikub solve --ra", ["--rack"])],
)
def test_doors_verbs_and_options_are_offered(line: str, offers: list[str]) -> None:
    assert offered(line) == offers


def test_it_is_installed_for_the_shell_one_sits_at(tmp_path: Path) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash on this machine")
    # The shell is found among the processes above; a command behind it keeps bash from making room for ours.
    started = f'"{sys.executable}" -c "{PROGRAM}" --install-completion; true'
    done = subprocess.run(
        [bash, "-c", started], capture_output=True, text=True, timeout=120, env={**os.environ, "HOME": str(tmp_path), "SHELL": bash}
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("bash completion installed in ")
    script = tmp_path / ".bash_completions" / "meldlab.sh"
    assert str(script) in (tmp_path / ".bashrc").read_text()
    # A bash that reads the script knows how to complete our command.
    told = subprocess.run([bash, "-c", f"source '{script}'; complete -p meldlab"], capture_output=True, text=True, timeout=60)
    assert told.stdout == "complete -o default -F _meldlab_completion meldlab\n"
