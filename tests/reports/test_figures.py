"""Sheets: picture and numbers, whole or not at all, and the pictures of the stopping game."""

import csv
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from meldlab.cli.app import main
from meldlab.errors import NoSuchThing, NotPossible
from meldlab.reports import new_figure, save, stopping
from meldlab.stopping import Urn


def read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_a_picture_has_its_numbers_beside_it(tmp_path: Path) -> None:
    figure, (left, right) = new_figure(panels=2)
    left.plot([1, 2], [3, 4])
    right.plot([1, 2], [5, 6])
    for name in ("new/a.svg", "new/b.png", "new/c.PNG"):
        picture, numbers = save(figure, {"x": [1, 2], "y": [3, 4]}, tmp_path / name)
        assert numbers.read_text() == "x,y\n1,3\n2,4\n"
        assert picture.stat().st_size > 1000
    assert ElementTree.parse(tmp_path / "new/a.svg").getroot().tag.endswith("svg")
    assert (tmp_path / "new/b.png").read_bytes()[1:4] == b"PNG"
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == ["a.csv", "a.svg", "b.csv", "b.png", "c.PNG", "c.csv"]


def test_the_same_figure_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a.svg", "b.svg"):
        save(*stopping.draw_policy(Urn(5, 5)), tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_what_cannot_be_written_is_named_and_leaves_nothing(tmp_path: Path) -> None:
    figure, _ = new_figure()
    with pytest.raises(NoSuchThing, match=r"no picture format '.gif' \(use .svg, .png\)"):
        save(figure, {"x": [1]}, tmp_path / "a.gif")
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(NotPossible, match="cannot be written"):
        save(figure, {"x": [1]}, tmp_path / "file" / "a.svg")
    (tmp_path / "folder.svg").mkdir()
    with pytest.raises(NotPossible, match="cannot be written"):
        save(figure, {"x": [1]}, tmp_path / "folder.svg")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder.svg"]


def test_columns_of_different_length_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    figure, _ = new_figure()
    with pytest.raises(ValueError, match="shorter"):
        save(figure, {"x": [1, 2], "y": [1]}, tmp_path / "a.svg")
    assert not list(tmp_path.iterdir())


def test_the_maps_show_the_matrices() -> None:
    urn = Urn(4, 6, Fraction(1, 2))
    _, value = stopping.draw_value(urn)
    _, policy = stopping.draw_policy(urn)
    exact, goes_on = urn.values(), urn.policy().continues()
    for black, red, worth, go, either in zip(
        value["black_left"], value["red_left"], value["value"], policy["continue"], policy["indifferent"], strict=True
    ):
        assert worth == pytest.approx(float(exact[black][red]))
        assert bool(go) == goes_on[black][red]
        assert not (go and either)


def test_small_maps_have_their_numbers_in_the_squares() -> None:
    urn = Urn(2, 3)
    figure, data = stopping.draw_value(urn)
    written = {(int(text.get_position()[1]), int(text.get_position()[0])): text.get_text() for text in figure.axes[0].texts}
    assert written == {
        (black, red): f"{worth:.2f}" for black, red, worth in zip(data["black_left"], data["red_left"], data["value"], strict=True)
    }
    assert not stopping.draw_value(Urn(11, 3))[0].axes[0].texts


def test_shepps_figure_shows_both_curves() -> None:
    figure, data = stopping.draw_shepp(Urn(26, 26))
    assert len(figure.axes) == 2
    assert data["n"][0] == 1
    assert data["n"][-1] == 10_000
    ratio = np.array(data["value"]) / np.array(data["shepp"])
    assert (ratio < 1).all()
    assert ratio[-1] > 0.9997


@pytest.mark.parametrize("urn", [Urn(0, 0), Urn(0, 3), Urn(3, 0), Urn(26, 26), Urn(8, 5, "1/2", "1/3"), Urn(2500, 2500)])
def test_the_winnings_add_up(urn: Urn) -> None:
    _, data = stopping.draw_winnings(urn, seed=2)
    assert sum(data["chance"]) == pytest.approx(1)
    assert sum(data["simulated"]) == pytest.approx(1, abs=1e-3)
    if urn.exact_at_once:
        assert [Fraction(amount) for amount in data["winnings"]] == list(urn.winnings().amounts)


@pytest.mark.parametrize("deck", ["0,0", "1,9"])
def test_the_door_draws_every_picture_of_odd_decks(deck: str, tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["stopping", "figures", "--deck", deck, "--out", str(tmp_path / "pictures")])
    assert stopped.value.code == 0
    names = {path.name for path in (tmp_path / "pictures").iterdir()}
    assert names == {f"stopping-{picture}.{kind}" for picture in ("value", "policy", "shepp", "winnings") for kind in ("svg", "csv")}
    black, red = map(int, deck.split(","))
    assert len(read(tmp_path / "pictures" / "stopping-value.csv")) == (black + 1) * (red + 1)
