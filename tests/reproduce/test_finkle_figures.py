"""The figures of Finkle's thesis and the studies behind them, and the command that writes them."""

import csv
import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import typer

from meldlab.cards import Hand, classes
from meldlab.cli.waiting import figures
from meldlab.errors import NoSuchThing, NotLegalHere
from meldlab.reproduce.cohorts import approximate
from meldlab.reproduce.finkle_figures import FIGURES, MAX_POINTS, draw_figure
from meldlab.reproduce.tolerance import approximation, fitted_exponent, win_rates
from meldlab.waiting import WaitingGame, solve


def test_the_work_of_a_run_is_every_open_hand_in_every_round() -> None:
    run = approximation(3, 0.5)
    # The thesis's appendix: hands of its twelve cohorts; 96 of the 22,100 hands are complete.
    printed = [240, 216, 1752, 2184, 420, 120, 1484, 672, 696, 6972, 6424, 824]
    assert len(run.cohorts) == len(printed)
    assert run.evaluated == sum(22_100 - 96 - sum(printed[:done]) for done in range(len(printed)))


def test_errors_stay_below_the_tolerances_that_the_thesis_tried() -> None:
    tolerances = [float(tolerance) for tolerance in np.geomspace(0.001, 1, 12)]
    for cards in (3, 4):
        for tolerance in tolerances:
            run = approximation(cards, tolerance)
            assert 0 < run.mean_error < run.max_error < tolerance


def test_theorem_4_fails_for_four_cards_and_a_tolerance_of_four() -> None:
    # Found by the library, and proved here by following the thesis's rule for the one hand, card by card.
    game, hand = WaitingGame(4), Hand.parse("AC AD 2C QC")
    exact = solve(game)
    run = approximate(game, 4.0, exact)
    cohort = run.cohort_of[classes.number(hand)]
    known = []
    for card in range(52):
        if not hand.mask >> card & 1:
            after = [classes.number(Hand.from_mask(hand.mask ^ 1 << gone | 1 << card)) for gone in (one.index for one in hand)]
            locked = [run.expected[rank] for rank in after if run.cohort_of[rank] < cohort]
            known += [min(locked)] if locked else []
    estimate = (48 + sum(known)) / len(known)
    assert run.cohorts[cohort].expected <= estimate < run.cohorts[cohort].expected + 4
    assert estimate == pytest.approx(run.expected[classes.number(hand)])
    assert estimate - exact.turns(hand) == pytest.approx(4.24552050627, abs=1e-10)


def test_the_exponent_of_a_power_is_found() -> None:
    assert fitted_exponent({tolerance: 1e9 * tolerance**-0.7 for tolerance in (0.001, 0.02, 1.0)}) == pytest.approx(-0.7)
    with pytest.raises(NotLegalHere, match="at least two"):
        fitted_exponent({0.02: 1.0})


def test_knowledge_wins_games() -> None:
    (table, random), (_, least), (_, most) = win_rates(solve(WaitingGame(3)), [20.0, 1e-9], games=6000, seed=3)
    assert table is None
    assert random.high < 0.07 < 0.4 < least.low
    assert least.high < 0.5
    # A table that is exact to nine digits plays like the exact one.
    assert most.value == pytest.approx(0.5, abs=0.002)


def test_every_figure_of_the_thesis_has_a_name() -> None:
    assert list(FIGURES) == [*map(str, range(1, 13)), "theorem-4", "knowledge"]


@pytest.mark.parametrize(("name", "hands", "largest"), [("1", 22_100, 19.1800550962), ("3", 270_725, 38.6563243418)])
def test_curves_end_at_the_last_hand_and_the_largest_value(name: str, hands: int, largest: float) -> None:
    _, data = draw_figure(name)
    assert data["hands"][-1] == hands
    assert data["expected"][-1] == pytest.approx(largest, abs=1e-9)
    assert data["expected"][0] == 0
    assert list(data["expected"]) == sorted(data["expected"])
    assert len(data["hands"]) <= MAX_POINTS + 2


def test_figure_4_shows_the_largest_error_of_the_thesis() -> None:
    _, data = draw_figure("4")
    assert max(np.subtract(data["approximate"], data["exact"])) == pytest.approx(0.6109, abs=5e-5)


def test_figure_8_is_in_the_order_of_locking() -> None:
    _, data = draw_figure("8")
    assert list(data["cohort"]) == sorted(data["cohort"])
    assert data["cohort"][-1] == 18
    assert data["hands"][-1] == 270_725
    assert (np.subtract(data["approximate"], data["exact"]) > -1e-9).all()


def test_figure_7_prints_both_exponents() -> None:
    figure, data = draw_figure("7")
    said = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]  # type: ignore[union-attr]
    assert "-0.475" in said[1]
    assert "-0.538" in said[2]
    assert len(data["tolerance"]) == 17


def test_the_door_writes_what_is_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures(out=tmp_path / "new", only=["5", "1"], format=["png", "svg"], json=True)
    files = [Path(name) for name in json.loads(capsys.readouterr().out)["files"]]
    assert sorted(path.name for path in files) == sorted(f"waiting-figure-{n}.{kind}" for n in (1, 5) for kind in ("csv", "png", "svg"))
    assert set(files) == set((tmp_path / "new").iterdir())
    assert ElementTree.parse(tmp_path / "new/waiting-figure-5.svg").getroot().tag.endswith("svg")
    with (tmp_path / "new/waiting-figure-5.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 1755
    assert max(float(row["error"]) for row in rows) == pytest.approx(0.2547936, abs=1e-7)


def test_the_door_as_a_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    app = typer.Typer()
    app.command()(figures)
    typer.main.get_command(app).main(["--out", str(tmp_path), "--only", "2"], standalone_mode=False)
    assert capsys.readouterr().out.split() == [str(tmp_path / "waiting-figure-2.svg"), str(tmp_path / "waiting-figure-2.csv")]


def test_the_door_names_what_it_does_not_know(tmp_path: Path) -> None:
    app = typer.Typer()
    app.command()(figures)
    command = typer.main.get_command(app)
    for arguments, problem in ((["--only", "13"], "no figure '13'"), (["--format", "gif"], "no picture format 'gif'")):
        with pytest.raises(NoSuchThing, match=problem):
            command.main(["--out", str(tmp_path), *arguments], standalone_mode=False)
    assert not list(tmp_path.iterdir())
