"""The arena: what it counts, and that nobody can take it down."""

from pathlib import Path

import numpy as np
import pytest

from meldlab.cards import Card
from meldlab.errors import NotLegalHere
from meldlab.gin import Gin, Rules, View, players
from meldlab.lab.arena.gin import GINS, duel, round_robin
from meldlab.play import Deal, RandomPlayer, Result, Table

KEYS = {
    *("players", "games", "wins", "win_rate", "ci95", "rounds", "rounds_per_game", "turns_per_round", "points_per_round"),
    *("gin_rate", "undercut_rate", "void_rate", "seconds", "games_per_second", "rounds_per_second"),
}


@pytest.fixture
def copycat(tmp_path: Path) -> str:
    """The simple player, from a file, so that it has to sit at the Table."""
    path = tmp_path / "copycat.py"
    path.write_text("from meldlab.gin.players import GinPlayer\nclass Copycat(GinPlayer):\n    name = 'copycat'\n")
    return f"{path}:Copycat"


def test_table_and_kernel_count_the_same(copycat: str) -> None:
    kernel, table = duel("simple", "simple", 20, seed=7), duel(copycat, "simple", 20, seed=7)
    assert np.array_equal(kernel.moments.sums, table.moments.sums)
    assert np.array_equal(kernel.moments.products, table.moments.products)
    assert kernel.swept == table.swept
    assert table.players == ("copycat", "simple")


def test_the_answer_has_every_field() -> None:
    told = duel("simple", "gin-only", 40, seed=1, threads=1).as_json()
    assert set(told) >= KEYS
    assert told["games"] == 40
    assert isinstance(told["ci95"], list)
    assert told["ci95"][0] < told["win_rate"] < told["ci95"][1]


def test_the_same_seed_gives_the_same_games_on_any_number_of_threads() -> None:
    one, all_of_them = duel("ensemble", "simple", 100, seed=3, threads=1), duel("ensemble", "simple", 100, seed=3)
    assert np.array_equal(one.moments.products, all_of_them.moments.products)
    assert not np.array_equal(one.moments.products, duel("ensemble", "simple", 100, seed=4).moments.products)


def test_mirrored_deals_take_luck_out() -> None:
    plain, mirrored = duel("ensemble", "simple", 4000, seed=5, mirror=False), duel("ensemble", "simple", 4000, seed=5)
    assert mirrored.win_rate.high - mirrored.win_rate.low < plain.win_rate.high - plain.win_rate.low
    assert plain.swept == (0, 0)


def test_a_player_that_breaks_down_loses_and_the_arena_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "fool.py"
    path.write_text("class Fool:\n    name = 'fool'\n    def choose(self, view, chance):\n        return 1 / (view.number - 2)\n")
    fight = duel(f"{path}:Fool", "simple", 4, seed=1)
    assert fight.wins == 0
    assert len(fight.forfeits) == 4
    assert "fool answered" in fight.forfeits[0]
    assert fight.forfeited == (4, 0)


SUBCLASSES = """
from meldlab.gin.players import EnsemblePlayer, SimplePlayer

class Mine(EnsemblePlayer):
    name = "mine"
    def knocks(self, view, card):
        return False

class Nameless(SimplePlayer):
    def knocks(self, view, card):
        return False

class Broken(SimplePlayer):
    name = "broken"
    def choose(self, view, chance):
        raise RuntimeError("asked")
"""


@pytest.fixture
def subclasses(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(SUBCLASSES)
    return path


def test_a_subclass_of_a_built_in_player_is_played_as_itself(subclasses: Path) -> None:
    never = duel(f"{subclasses}:Mine", "simple", 6, seed=1)
    assert never.players == ("mine", "simple")
    # It never knocks, so all it can do is to undercut.
    assert never.moments.sums[GINS] == 0 < duel("ensemble", "simple", 60, seed=1).moments.sums[GINS]
    nameless = duel(f"{subclasses}:Nameless", "simple", 6, seed=1)
    assert nameless.players == (f"{subclasses}:Nameless", "simple")
    assert nameless.moments.sums[GINS] == 0 < duel("simple", "gin-only", 60, seed=1).moments.sums[GINS]


def test_a_subclass_that_fails_forfeits(subclasses: Path) -> None:
    fight = duel(f"{subclasses}:Broken", "simple", 2, seed=1)
    assert fight.players == ("broken", "simple")
    assert len(fight.forfeits) == 2
    assert "RuntimeError: asked" in fight.forfeits[0]


def test_table_players_play_the_same_games_in_several_processes(copycat: str) -> None:
    one, two = (duel(copycat, "random", 12, seed=7, threads=threads) for threads in (1, 2))
    assert np.array_equal(one.moments.products, two.moments.products)
    assert (one.swept, one.wins, one.forfeits) == (two.swept, two.wins, two.forfeits)


def test_progress_reaches_the_end() -> None:
    seen: list[int] = []
    duel("random", "simple", 6, seed=1, progress=seen.append)
    assert seen == [2, 4, 6]


@pytest.mark.parametrize(("games", "why"), [(7, "7 games cannot be played in mirrored pairs"), (0, "0 games cannot be played")])
def test_games_that_do_not_pair_up(games: int, why: str) -> None:
    with pytest.raises(NotLegalHere, match=why):
        duel("simple", "simple", games)


def test_too_many_threads_are_refused() -> None:
    with pytest.raises(NotLegalHere, match="999 threads asked for"):
        duel("simple", "simple", 2, threads=999)


def test_a_round_robin_rates_everyone() -> None:
    robin = round_robin(["simple", "ensemble", "gin-only"], 1000, seed=2)
    assert [one.name for one in robin.ratings] == ["ensemble", "gin-only", "simple"]
    assert len(robin.duels) == 3
    told = robin.as_json()["misfit"]
    assert isinstance(told, dict)
    assert 0 < told["by_ratings"] < 1
    assert set(told["players"]) < set(robin.players)
    with pytest.raises(NotLegalHere, match="against itself"):
        round_robin(["simple", "simple", "random"], 10)


def test_a_match_that_nobody_wins_ends() -> None:
    class Timid(players.GinPlayer):
        name = "timid"

        def knocks(self, view: View, card: Card) -> bool:
            return False

    played = Table(Gin(), [Timid(), Timid()], most_actions=2_000).play(Deal(1))
    assert played.result == Result((0, 0), (), "no end after 2,000 actions")


def test_one_hand_can_be_drawn() -> None:
    fight = duel("random", "random", 20, seed=1, rules=Rules.preset("openspiel"))
    rounds = [Table(Gin(Rules.preset("openspiel")), [RandomPlayer()] * 2).play(Deal(1, n)).result for n in range(10)]
    assert fight.draws == 2 * sum(result.winners == () for result in rounds) > 0
    assert fight.wins == sum(len(result.winners) for result in rounds)
