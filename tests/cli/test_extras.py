"""What is not installed: a verb that needs it names the extra in one line, and the others do without."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from meldlab.cli.options import EXTRAS

ROOT = Path(__file__).parents[2]
PACKAGES = {"PIL": "pillow"}  # whose name is not that of the import

WITHOUT = """
import contextlib, io, json, sys


class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in MISSING:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


MISSING, verbs = json.loads(sys.argv[1])
sys.meta_path.insert(0, Missing())
from meldlab.cli.app import main

found = {}
for verb in verbs:
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
            main(verb.split())
    except SystemExit as stopped:
        found[verb] = stopped.code, said.getvalue()
print(json.dumps(found))
"""

PLAIN = ["--version", "doctor --help", "deadwood 5H,6H,7H", "stopping value --deck 3,3", "recycle list", "recycle check kuhn_poker"]
PLAIN += ["gin arena random simple --games 2", "rummikub solve --table R7-9|R10-12 --rack K1", "recycle run kuhn_poker --games 10"]
LAB = ["stopping figures --deck 9,9 --out figures", "recycle analyse kuhn_poker --games 10", "tune knock", "runs list", "serve"]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, str]]:
    missing = [*EXTRAS, "fastapi", "uvicorn", "distributed", "torch"]
    command = [sys.executable, "-c", WITHOUT, json.dumps([missing, PLAIN + LAB])]
    known = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    folder = tmp_path_factory.mktemp("without")
    job = subprocess.run(command, capture_output=True, text=True, env=known, cwd=folder, check=False)
    assert job.returncode == 0, job.stderr
    answers: dict[str, tuple[int, str]] = json.loads(job.stdout)
    return answers


@pytest.mark.parametrize("verb", PLAIN)
def test_a_plain_installation_plays_solves_and_describes(found: dict[str, tuple[int, str]], verb: str) -> None:
    assert found[verb][0] == 0, found[verb][1]


@pytest.mark.parametrize("verb", LAB)
def test_a_verb_names_the_extra_that_it_needs(found: dict[str, tuple[int, str]], verb: str) -> None:
    status, said = found[verb]
    assert status == 2
    assert said.startswith("error: ")
    assert said.count("\n") == 1
    assert f"pip install 'meldlab[{'web' if verb == 'serve' else 'lab'}]'" in said


def test_the_extra_has_what_is_said_to_be_in_it() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lab = {line.split(">")[0] for line in project["optional-dependencies"]["lab"]}
    assert {PACKAGES.get(name, name) for name in EXTRAS} == lab
    assert not lab & {line.split(">")[0] for line in project["dependencies"]}
