"""The front door: quick help, and every mistake in one line with status 2."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from meldlab import __version__
from meldlab.cli.app import COMMANDS, build_app, main

SRC = Path(__file__).parents[2] / "src"
HEAVY = ["numba", "numpy", "scipy", "matplotlib", "fastapi", "pandas", "sqlalchemy", "joblib", "distributed", "pyarrow"]


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Return status, what was printed, and what was complained about."""
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    said = capsys.readouterr()
    assert isinstance(stopped.value.code, int)
    return stopped.value.code, said.out, said.err


def python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a new interpreter, in which nothing is imported yet."""
    known = {**os.environ, "PYTHONPATH": str(SRC), "COLUMNS": "100", **environment}
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=known, check=False)


def verbs(command: Any = None, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Give every way to a verb through the whole tree of doors."""
    command = command or typer.main.get_command(build_app(*COMMANDS))
    below = getattr(command, "commands", None)
    if below is None:
        yield path
    else:
        for name, each in below.items():
            yield from verbs(each, (*path, name))


VERBS = list(verbs())
# Verbs that talk with a person, or whose answer is a text in a format of its own.
WITHOUT_JSON = {
    "gin play",
    "serve",
    "rummikub play",
    "recycle play",
    "stopping play",
    "recycle new",
    "recycle format",
    "recycle migrate",
    "waiting table",
}


def test_help_loads_nothing_heavy() -> None:
    # One interpreter for all: what one of them loads would still be there at the end.
    doors = sorted({verb[:many] for verb in VERBS for many in range(len(verb) + 1)})
    pages = [[*door, option] for door in doors for option in ("--help", "-h")]
    code = f"""
import sys
from meldlab.cli.app import main
found = set()
for arguments in [["--version"], *{pages!r}]:
    try:
        main(arguments)
    except SystemExit as stopped:
        found.add(stopped.code)
print("status", found, "loaded", sorted(set({HEAVY!r}) & set(sys.modules)))
"""
    assert python(code).stdout.splitlines()[-1] == "status {0} loaded []"


def test_help_names_every_door(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, "--help")
    assert (status, err) == (0, "")
    assert len(VERBS) > 50
    for door in {verb[0] for verb in VERBS}:
        assert f" {door} " in out


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_every_verb_shows_an_example(verb: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, *verb, "--help")
    assert status == 0
    assert f"Example: meldlab {' '.join(verb)}" in out
    assert ("--json" in out) == (" ".join(verb) not in WITHOUT_JSON)


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "--version") == (0, f"meldlab {__version__}\n", "")


MANY = "AC 2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC AD 2D 3D 4D 5D 6D 7D 8D 9D TD JD QD KD AH"

BAD = [
    (["deadwood", "5H 6H 7X"], "error: no suit 'X' (use C D H S)\n  5H 6H 7X\n         ^\n"),
    (["deadwood", "5H 6H ZZ"], "error: no rank 'Z' (use A 2 3 4 5 6 7 8 9 T J Q K)\n  5H 6H ZZ\n        ^\n"),
    (["deadwood", "5H 6H 5h"], "error: 5H twice\n  5H 6H 5h\n        ^\n"),
    (["deadwood", ""], "error: no cards\n"),
    (["deadwood", "  "], "error: no cards\n"),
    (["deadwood", MANY], f"error: 27 cards are too many to arrange (at most 26)\n  {MANY[18:]}\n  {'^':>61}\n"),
    (["deadwood", "5H", "--aces", "x"], "error: no ace rule 'x' (use low, both, round)\n"),
    (["deadwood", "5H", "--aces", "lo"], "error: no ace rule 'lo' (use low, both, round); did you mean low?\n"),
]


@pytest.mark.parametrize(("arguments", "line"), BAD)
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_bad_input_is_one_line_and_a_caret(arguments: list[str], line: str, form: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, *arguments, *form) == (2, "", line)


@pytest.mark.parametrize(
    "arguments",
    [["nope"], ["deadwood"], ["deadwood", "5H", "--nope"], ["deadwood", "5H", "--aces"], ["gin", "nope"], ["--nope"], ["demo", "more"]]
    + [["waiting", "table", "--samples", number] for number in ("0", "-1", "many", "1.5")],
)
def test_bad_usage_is_one_line_that_points_at_help(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, *arguments)
    assert (status, out) == (2, "")
    assert err.startswith("error: ")
    assert err.endswith("--help')\n")
    assert err.count("\n") == 1


def test_a_seed_beyond_the_kernels(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, "rummikub", "puzzle", "--seed", str(2**64))
    assert (status, out) == (2, "")
    assert err == f"error: seed must be a whole number from 0 to 2^63 - 1, not {2**64}\n"


def test_a_mistake_has_no_traceback_and_its_own_status() -> None:
    done = python("from meldlab.cli.app import main; main(['deadwood', '5H 6X'])")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: no suit 'X' (use C D H S)\n  5H 6X\n      ^\n"


def test_a_cache_that_cannot_be_created(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    done = python("from meldlab.cli.app import main; main(['deadwood', '5H 6H'])", MELDLAB_CACHE=str(tmp_path / "file" / "below"))
    assert done.returncode == 2
    assert done.stderr.startswith("error: cannot create the cache folder ")
    assert done.stderr.endswith("set MELDLAB_CACHE to another folder\n")


@pytest.mark.slow
def test_compiling_is_announced_once_and_never_when_warm(tmp_path: Path) -> None:
    code = "from meldlab.cli.app import main; main(['deadwood', '5H 6H 7H KS', '--json'])"
    cold, warm = (python(code, MELDLAB_CACHE=str(tmp_path)) for _ in range(2))
    assert cold.stderr == "compiling kernels, once for this version ('meldlab doctor' does it ahead) ...\n"
    assert warm.stderr == ""
    assert json.loads(cold.stdout) == json.loads(warm.stdout)


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "latin-1"])
def test_suits_that_the_reader_cannot_show_become_letters(encoding: str) -> None:
    done = python("from meldlab.cli.app import main; main(['deadwood', '5H 6H 7H KS'])", PYTHONIOENCODING=encoding)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "[5H 6H 7H]  KS\ndeadwood 10\n"


def test_tiles_that_the_reader_cannot_show_can_be_typed() -> None:
    from meldlab.cli.output import ERRORS
    from meldlab.cli.pictures import tile_text
    from meldlab.rummikub.tiles import read_tiles

    text = "R2 K4 B10 O8 G3 V1 J"
    tiles = [tile for tile, _ in read_tiles(text)]
    assert " ".join(str(tile_text(tile)) for tile in tiles).encode("ascii", ERRORS).decode() == text


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no such device here")
def test_a_full_disk_is_one_line() -> None:
    code = "from meldlab.cli.app import main; main(['deadwood', '5H 6H 7H KS'])"
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-c", code],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(SRC)},
            check=False,
        )
    assert (done.returncode, done.stderr) == (2, "error: No space left on device\n")


def test_a_reader_that_has_gone_is_no_mistake() -> None:
    code = "from meldlab.cli.app import main; main(['--help'])"
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(SRC)}) as job:
        assert job.stdout is not None
        assert job.stderr is not None
        job.stdout.close()
        assert job.stderr.read() == b""
    assert job.returncode == 0
