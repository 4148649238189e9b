"""A forfeit counts in everything that is counted: games, points, pairs and the sign test."""

from dataclasses import replace

from meldlab.lab.arena.table import tournament
from meldlab.play import Chance, TimeLimit
from meldlab.rummikub import PRESETS
from meldlab.rummikub.game import Rummikub, Turn, View
from meldlab.rummikub.players import PLAYERS


class Raising:
    name = "raising"

    def choose(self, view: View, chance: Chance) -> Turn:
        raise KeyError("lost my glasses")


class Looping(Raising):
    name = "looping"

    def choose(self, view: View, chance: Chance) -> Turn:
        while True:
            pass


def test_who_raises_loses_points_and_pairs() -> None:
    game = Rummikub(PRESETS["paper"])
    bout = tournament(game, Raising(), PLAYERS["greedy"], games=20, seed=1)
    assert (bout.wins, bout.swept, bout.forfeited) == (0, (0, 10), (20, 0))
    assert bout.sign_test < 0.01
    honest = tournament(game, PLAYERS["random"], PLAYERS["greedy"], games=4, seed=1)
    assert bout.points.high < honest.points.value
    told = bout.as_json()
    assert (told["forfeits"], told["unended"]) == ([20, 0], 0)
    line = Raising.choose.__code__.co_firstlineno + 1
    assert told["troubles"] == [
        f"game {n}: p1 forfeits: raising gave no answer: KeyError: 'lost my glasses' (test_forfeits.py:{line})" for n in range(5)
    ]
    assert bout.troubles()[0] == "forfeits      20 by raising, 0 by greedy"
    assert len(bout.troubles()) == 7


def test_a_time_limit_in_a_tournament() -> None:
    bout = tournament(Rummikub(), PLAYERS["greedy"], Looping(), games=2, seed=1, time_limit=TimeLimit(per_move=5, per_game=5))
    assert bout.forfeited == (0, 2)
    assert bout.points.value > 0


def test_games_without_an_end_are_told_apart() -> None:
    bout = tournament(Rummikub(PRESETS["paper"]), PLAYERS["greedy"], PLAYERS["greedy"], games=2, seed=1)
    assert bout.troubles() == []
    lines = ("game 0: no end after 100,000 actions", "game 1: p2 forfeits: greedy gave no answer: KeyError: 'p1 '")
    told = replace(bout, forfeits=lines)
    assert told.troubles() == ["forfeits      0 by greedy, 1 by greedy; 1 without an end", *(f"  {line}" for line in lines)]
    assert (told.as_json()["forfeits"], told.as_json()["unended"]) == ([0, 1], 1)
