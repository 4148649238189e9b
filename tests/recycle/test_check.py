"""Check of a program by playing: failures of random games, their place, and the limit of work."""

import pytest

from meldlab.play import Deal, RandomPlayer, Table
from meldlab.recycle import RecycleGame, library
from meldlab.recycle.check import GAMES, LATE_GAMES, check_program, simulate
from meldlab.recycle.language.limits import Limits
from meldlab.recycle.machine.machine import Machine

ALL = GAMES + LATE_GAMES
SETUP = "(setup (create players 2) (create deck (game iloc S) (deck (RANK (A, B, C)) (SUIT (X, Y)))))"
DEAL = "(do ((shuffle (game iloc S)) (all player 'P (repeat {} (move (top (game iloc S)) (top ('P iloc HAND)))))))"
HAND = "((current player) iloc HAND)"
THROW = f"(any {HAND} 'C (move 'C (top (game vloc PILE))))"
FOREVER = "(stage player (end (== 1 2)) (choice ((turn pass))))"


def program(phases: str, score: str = "(size (game vloc PILE))") -> str:
    return f"(game {SETUP} {phases} (scoring max {score}))"


def diagnostics(text: str, limits: Limits = Limits()) -> list[tuple[str, str, str]]:  # noqa: B008  # frozen
    """Return code, message and the text from the place on, of what playing a program finds."""
    found = [diagnostic for diagnostic in check_program(text, limits=limits).diagnostics if diagnostic.code in ("W107", "W113", "W114")]
    return [(diagnostic.code, diagnostic.message, text[diagnostic.offset :]) for diagnostic in found]


@pytest.mark.parametrize("name", library.names())
def test_playing_finds_nothing_in_the_library(name: str) -> None:
    report = check_program(library.entry(name).text)
    assert report.diagnostics == ()
    assert report.simulation is not None
    assert report.simulation.finished >= GAMES


@pytest.mark.parametrize(
    ("name", "guard"),
    [
        ("block_rummy", "   ((== (size ((current player) iloc HAND)) 0)\n    (turn pass))\n"),
        ("crazy_eights", "   ((== (size (game iloc STOCK)) 0)\n    (turn pass))"),
        ("five_hundred_rum", "   ((== (size ((current player) iloc HAND)) 0)\n    (turn pass))\n"),
        ("golf_solitaire", "   ((== (size (game iloc STOCK)) 0)\n    (set (game str STATUS) STUCK))"),
    ],
)
def test_a_game_without_one_of_its_guards_has_a_choice_without_options(name: str, guard: str) -> None:
    text = library.entry(name).text
    assert text.count(guard) == 1
    (code, problem, place), *others = diagnostics(text.replace(guard, ""))
    assert (code, others) == ("W107", [])
    assert problem.startswith("this choice has no option in ")
    assert place.startswith("(choice")


def test_the_seed_of_a_failure_shows_the_game_that_fails() -> None:
    text = program(DEAL.format(2) + f"(stage player (end (== 1 2)) (choice (((any {HAND} 'C (== (cardatt SUIT 'C) X)) {THROW}))))")
    [(code, problem, place)] = diagnostics(text)
    assert code == "W107"
    assert place.startswith("(choice")
    assert f"in {ALL} of {ALL} random games (seed 0)" in problem
    rare = program(DEAL.format(1) + f"(choice (((all player 'P (== (cardatt RANK (top ('P iloc HAND))) A)) {THROW}) ((any player 'P "
                   f"(!= (cardatt RANK (top ('P iloc HAND))) C)) {THROW})))")  # fmt: skip
    [(code, problem, _)] = diagnostics(rare)
    seed = int(problem.split("(seed ")[1].rstrip(")"))
    table = Table(RecycleGame("rare", rare), [RandomPlayer()] * 2)
    assert table.play(Deal(seed)).result.reason == "failed: the choice has no option"
    assert all("failed" not in table.play(Deal(earlier)).result.reason for earlier in range(seed))


def test_a_deal_of_more_cards_than_there_are_is_found_at_its_place() -> None:
    text = program(DEAL.format(4) + f"(choice ({THROW}))")
    [(code, problem, place)] = diagnostics(text)
    assert (code, problem) == ("W113", f"there is no card here: the list is empty, in {ALL} of {ALL} random games (seed 0)")
    assert place.startswith("(move (top (game iloc S))")
    assert diagnostics(program(DEAL.format(3) + f"(choice ({THROW}))")) == []


def test_a_failure_of_the_scoring_is_found() -> None:
    [(code, problem, _)] = diagnostics(program("(do ((turn pass)))", score="(// 1 (size (game vloc PILE)))"))
    assert code == "W113"
    assert problem.startswith("division by zero, ")


def test_a_game_that_does_not_end_is_found() -> None:
    [(code, problem, place)] = diagnostics(program(FOREVER), Limits(decisions=50))
    assert (code, problem) == ("W114", f"more than 50 decisions in {GAMES} of {ALL} random games (seed 0)")
    assert place.startswith("(choice ((turn pass))")
    slow = "(stage player (end (== 1 2)) (choice ((repeat 100000 (inc (game sto X))))))"
    [(code, problem, place)] = diagnostics(program(slow))
    assert place.startswith("(choice ((repeat")
    assert code == "W114"
    assert problem == "a random game has not ended after 100,000,000 instructions"


def test_the_limit_of_work_ends_the_playing_the_same_way_each_time() -> None:
    machine = Machine.compile(library.entry("hearts").text)
    few, again = simulate(machine, work=200_000), simulate(machine, work=200_000)
    assert few == again
    assert 0 < few.games < simulate(machine).games == ALL


def test_errors_are_reported_without_playing() -> None:
    report = check_program(program("(do ((move 'C (top (game vloc T)))))"))
    assert (report.ok, report.simulation, report.diagnostics[0].code) == (False, None, "E101")
    assert report.checked is not None
    report = check_program("(game")
    assert (report.ok, report.simulation, report.checked, report.diagnostics[0].code) == (False, None, None, "E004")
