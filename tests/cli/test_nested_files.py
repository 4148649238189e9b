"""Files of users with nested brackets and dotted keys: one error, status 2."""

from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from tests.cli.test_app import run


@pytest.mark.parametrize(
    "text", ["x = " + 20_000 * "[", "x = " + 20_000 * "{a=", "a" + 30_000 * ".a" + " = 1", '"a"' + 15_000 * '. "a"' + " = 1"]
)
@pytest.mark.parametrize(
    "words",
    [
        ["replay", "FILE"],
        ["gin", "review", "FILE"],
        ["gin", "advise", "--hand", "2C 3C 4C 9D 9H 9S KC KD 4H 5S", "--rules", "FILE"],
        ["gin", "arena", "simple", "ensemble:FILE", "--games", "2"],
        ["rummikub", "solve", "--rack", "R5", "--rules", "FILE"],
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_nested_toml_is_an_error_of_one_line(text: str, words: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "deep.toml"
    path.write_text(text)
    status, out, err = run(capsys, *(word.replace("FILE", str(path)) for word in words))
    assert (status, out) == (2, "")
    assert err.startswith(("error: brackets are nested too deeply\n", "error: a key has too many parts\n"))


def test_nested_json_in_a_file_is_an_error_of_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    network = tmp_path / "deep.npz"
    with np.load(str(files("meldlab.gin.players.networks").joinpath("light.npz"))) as arrays:
        np.savez(network, **{**arrays, "notes": np.array(100_000 * "[")})
    status, out, err = run(capsys, "gin", "arena", "simple", f"computed:{network}", "--games", "2")
    assert (status, out) == (2, "")
    assert err.startswith(f"error: {network} holds no network: ")
