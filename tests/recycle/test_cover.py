"""Coverage: actions that cannot be reached are reported, at their line, and the counters change no game."""

import json

import pytest

from meldlab.cli.app import main
from meldlab.recycle import library
from meldlab.recycle.cover import cover
from meldlab.recycle.game import RecycleGame

TEXT = """(game (setup (create players 2) (create deck (game iloc S) (deck (RANK (A, B)))))
 (do ((shuffle (game iloc S)) (all player 'P (move (top (game iloc S)) (top ('P iloc HAND))))
  ((== (size (game iloc S)) 1)
   (do ((set (game sto REACHED) 1)
    (turn pass))))))
 (stage player once (choice ((turn pass)
  ((== (game sto X) 1)
   (set ((current player) str SAID) HELLO)))))
 (scoring max (size ((current player) iloc HAND))))"""


def test_cover_reports_actions_and_options_that_are_not_reached() -> None:
    result = cover(RecycleGame("game", TEXT), games=5, search_games=1)
    assert [(gap.line, gap.is_option, gap.text) for gap in result.missed] == [
        (4, False, "(set (game sto REACHED) 1)"),
        (5, False, "(turn pass)"),
        (8, True, "(set ((current player) str SAID) HELLO)"),
    ]
    assert (result.games, result.actions) == (6, 6)


@pytest.mark.parametrize("name", library.names())
def test_cover_plays_every_game_of_the_library(name: str) -> None:
    result = cover(RecycleGame.load(name), games=3, search_games=0)
    assert len(result.missed) < result.actions


def test_cover_reaches_more_with_more_games() -> None:
    game = RecycleGame.load("kuhn_poker")
    few, all_reached = cover(game, games=1, search_games=0), cover(game, games=100, search_games=0)
    assert (len(few.missed) > 0, all_reached.missed) == (True, ())


def test_cover_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["recycle", "cover", "hearts", "--games", "2", "--search-games", "0", "--json"])
    answer = json.loads(capsys.readouterr().out)
    assert answer["games"] == 2
    assert answer["reached"] + len(answer["missed"]) == answer["actions"]
    assert any("PASSED" in gap["text"] and gap["option"] for gap in answer["missed"])
    with pytest.raises(SystemExit):
        main(["recycle", "cover", "kuhn_poker"])
    assert "13 of 13 actions reached in 210 games" in capsys.readouterr().out
