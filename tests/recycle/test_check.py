"""Check of a program by playing: failures of random games, their place, and the limit of work."""

import pytest

from meldlab.play import Deal, RandomPlayer, Table
from meldlab.recycle import RecycleGame, library
from meldlab.recycle.check import GAMES, SimulationFailure, check_program, simulate
from meldlab.recycle.language.limits import Limits
from meldlab.recycle.machine.machine import Machine
from meldlab.recycle.players import LastOptionPlayer

RANDOM_GAMES = 200  # of them; the others are played by players who mostly take the last option
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
    assert report.simulation.finished >= RANDOM_GAMES


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
    assert f"in {GAMES} of {GAMES} random games (seed 0)" in problem
    rare = program(DEAL.format(1) + f"(choice (((all player 'P (== (cardatt RANK (top ('P iloc HAND))) A)) {THROW}) ((any player 'P "
                   f"(!= (cardatt RANK (top ('P iloc HAND))) C)) {THROW})))")  # fmt: skip
    [(code, problem, _)] = diagnostics(rare)
    seed = int(problem.split("(seed ")[1].rstrip(")"))
    table = Table(RecycleGame("rare", rare), [RandomPlayer()] * 2)
    assert table.play(Deal(seed)).result.reason == "failed: the choice has no option"
    assert all("failed" not in table.play(Deal(earlier)).result.reason for earlier in range(seed))


def test_check_names_the_player_that_replays_a_failure() -> None:
    guard = "   ((== (size (game iloc STOCK)) 0)\n    (turn pass))"
    text = library.entry("crazy_eights").text.replace(guard, "")
    report = check_program(text)
    assert report.simulation is not None
    [failure] = report.simulation.failures
    assert failure == SimulationFailure(report.diagnostics[0], "random:last", 0)
    game = RecycleGame("crazy eights", text)
    assert Table(game, [LastOptionPlayer()] * 4).play(Deal(failure.seed)).result.reason == "failed: the choice has no option"
    assert "failed" not in Table(game, [RandomPlayer()] * 4).play(Deal(failure.seed)).result.reason


@pytest.mark.parametrize("name", ["hearts", "kuhn_poker", "block_rummy", "go_fish"])
def test_last_option_player_plays_as_the_kernel(name: str) -> None:
    game = RecycleGame.load(name, limits=Limits(decisions=100))
    for seed in range(5):
        result, _ = game.machine.random_game(seed, work=10**8, late=True)
        played = Table(game, [LastOptionPlayer()] * game.machine.players).play(Deal(seed))
        assert (len(played.actions), played.result.scores) == (int(result.decisions[0]), tuple(result.scores[0].tolist()))


def test_check_plays_the_number_of_games_that_is_asked_for() -> None:
    text = library.entry("kuhn_poker").text
    report = check_program(text, games=7)
    assert report.simulation is not None
    assert report.simulation.games == 7
    assert check_program(text, games=0).simulation is None


def test_a_deal_of_more_cards_than_there_are_is_found_at_its_place() -> None:
    text = program(DEAL.format(4) + f"(choice ({THROW}))")
    [(code, problem, place)] = diagnostics(text)
    assert (code, problem) == ("W113", f"there is no card here: the list is empty, in {GAMES} of {GAMES} random games (seed 0)")
    assert place.startswith("(move (top (game iloc S))")
    assert diagnostics(program(DEAL.format(3) + f"(choice ({THROW}))")) == []


def test_a_failure_of_the_scoring_is_found() -> None:
    [(code, problem, _)] = diagnostics(program("(do ((turn pass)))", score="(// 1 (size (game vloc PILE)))"))
    assert code == "W113"
    assert problem.startswith("division by zero, ")


def test_a_game_that_does_not_end_is_found() -> None:
    [(code, problem, place)] = diagnostics(program(FOREVER), Limits(decisions=50))
    assert (code, problem) == ("W114", f"more than 50 decisions in {RANDOM_GAMES} of {GAMES} random games (seed 0)")
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
    assert 0 < few.games < simulate(machine).games == GAMES


def test_errors_are_reported_without_playing() -> None:
    report = check_program(program("(do ((move 'C (top (game vloc T)))))"))
    assert (report.ok, report.simulation, report.diagnostics[0].code) == (False, None, "E101")
    assert report.checked is not None
    report = check_program("(game")
    assert (report.ok, report.simulation, report.checked, report.diagnostics[0].code) == (False, None, None, "E004")
