"""Differences of two programs: found where they begin, and none between equal ones."""

import json

import pytest

from meldlab.cli.app import main
from meldlab.recycle import library
from meldlab.recycle.differ import differ
from meldlab.recycle.game import RecycleGame

BASE = """(game (setup (create players 2) (create deck (game iloc S) (deck (RANK (A, B, C, D)))))
 (do ((shuffle (game iloc S)) (all player 'P (move (top (game iloc S)) (top ('P iloc HAND))))))
 (stage player once (choice ((turn pass) (set ((current player) str SAID) HELLO))))
 (scoring max (size ((current player) iloc HAND))))"""


def game(*changes: str) -> RecycleGame:
    text = BASE
    for old, new in zip(changes[::2], changes[1::2], strict=True):
        assert old in text
        text = text.replace(old, new)
    return RecycleGame("game", text)


@pytest.mark.parametrize(
    ("changes", "what", "history"),
    [
        (("players 2", "players 3"), "numbers of players", 0),
        (("('P iloc HAND)", "('P vloc HAND)", "player) iloc HAND", "player) vloc HAND"), "cards that p1 sees", 0),
        (("str SAID) HELLO", "str SAID) BYE"), "options", 0),
        (("(turn pass) ", ""), "options", 0),
        (("(size ((current player) iloc HAND))", "2"), "scores", 2),
        (("scoring max", "scoring min"), "scores", 2),
        (("stage player once", "stage player (end (== ((2 player) str SAID) HELLO))"), "turns", 2),
        (("(turn pass) ", "(turn pass) ((== (pid (current player)) 2) (set (game sto X) 1)) "), "options", 1),
    ],
)
def test_differ_finds_the_first_difference(changes: tuple[str, ...], what: str, history: int) -> None:
    difference = differ(game(), game(*changes), games=50).difference
    assert difference is not None
    assert (difference.what, len(difference.history)) == (what, history)
    assert difference.first != difference.second


@pytest.mark.parametrize("name", ["kuhn_poker", "hearts", "gin_rummy"])
def test_differ_finds_no_difference_after_changes_without_effect(name: str) -> None:
    text = library.entry(name).text
    comment = text.replace("(scoring", ";; a comment\n (scoring")
    result = differ(RecycleGame("a", text), RecycleGame("b", comment), games=30, stepped=2)
    assert result.difference is None
    assert result.games == 30
    assert result.histories > 2


def test_differ_maps_options_in_another_order() -> None:
    swapped = game("((turn pass) (set ((current player) str SAID) HELLO))", "((set ((current player) str SAID) HELLO) (turn pass))")
    assert differ(game(), swapped, games=20).difference is None


def test_differ_command_prints_text_and_json(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["recycle", "differ", "kuhn_poker", "kuhn_poker", "--games", "10"])
    assert capsys.readouterr().out == "no difference in 10 games, 32 histories\n"
    with pytest.raises(SystemExit):
        main(["recycle", "differ", "kuhn_poker", "leduc_poker", "--json"])
    answer = json.loads(capsys.readouterr().out)
    assert (answer["differs"], answer["where"]["game"]) == (True, 0)


def test_hearts_without_passing_is_the_last_deal_of_a_round() -> None:
    game = RecycleGame.load("hearts")
    assert differ(game, RecycleGame.load("hearts", settings={"DEAL": 4}), games=50, stepped=1).difference is None
    difference = differ(game, RecycleGame.load("hearts", settings={"DEAL": 1}), games=5).difference
    assert difference is not None
    assert any("to PASSED of p" in line for line in difference.second)
