"""Every verb that takes a seed takes the same ones, and refuses the others in the same line before it does anything."""

from pathlib import Path
from typing import Any

import pytest
import typer

from meldlab.cli.app import COMMANDS, build_app, main

BAD = ["-1", str(2**63), str(2**64), str(10**30), "1.5", "True", "seven", "", "0x10", "9" * 5000]
# What a verb needs beside a seed to begin at all.
NEEDED = {
    "waiting simulate": ["AC QH KD"],
    "gin arena": ["simple", "simple"],
    "rummikub arena": ["random", "random"],
    "recycle arena": ["kuhn_poker", "random", "random"],
    "stopping draw": ["policy"],
    "recycle compare": ["kuhn_poker", "leduc_poker"],
}
RECYCLE = ("run", "play", "transcript", "perft", "analyse", "search", "heuristics", "movement")


def verbs_with_seeds() -> list[str]:
    """All verbs of the command line that have an option --seed."""
    found: list[str] = []

    def walk(command: Any, words: tuple[str, ...]) -> None:
        for name, inner in getattr(command, "commands", {}).items():
            walk(inner, (*words, name))
        if any("--seed" in getattr(option, "opts", ()) for option in command.params):
            found.append(" ".join(words))

    walk(typer.main.get_command(build_app(*COMMANDS)), ())
    return found


VERBS = verbs_with_seeds()


def test_there_are_as_many_as_we_think() -> None:
    assert {"waiting simulate", "gin arena", "gin play", "gin compute", "rummikub play", "recycle run", "stopping play", "tune best"} <= {
        *VERBS
    }
    assert len(VERBS) >= 25


@pytest.mark.parametrize("verb", VERBS)
def test_a_bad_seed_is_one_line_and_leaves_nothing(
    verb: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MELDLAB_STORE", str(tmp_path / "runs.sqlite"))
    monkeypatch.chdir(tmp_path)
    words = verb.split()
    needed = NEEDED.get(verb, ["kuhn_poker"] if words[0] == "recycle" and words[-1] in RECYCLE else [])
    for seed in BAD:
        with pytest.raises(SystemExit) as end:
            main([*words, *needed, "--seed", seed])
        out, err = capsys.readouterr()
        assert (end.value.code, out) == (2, ""), (verb, seed, err)
        assert err.startswith(("error: seed must be a whole number from 0 to 2^63 - 1, not ", "error: Invalid value for '--seed': ")), err
        assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_the_search_takes_seeds_of_all_sizes(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for seed in (2**32, 2**63 - 1):
        small = ["--generations", "1", "--population", "4", "--games", "10", "--test-games", "2", "--threads", "1", "--json"]
        with pytest.raises(SystemExit) as end:
            main(["tune", "best", *small, "--seed", str(seed), "--store", str(tmp_path / "runs.sqlite")])
        out, err = capsys.readouterr()
        assert end.value.code == 0, err
        assert f'"seed": {seed}' in out
