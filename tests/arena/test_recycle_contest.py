"""Contests of RECYCLE games: fair to every seat, honest about chance, and the same by kernel and at the table."""

from collections.abc import Sequence

import pytest

from meldlab.arena.contest import ContestResult, play_contest, seatings
from meldlab.arena.round_robin import round_robin
from meldlab.play import RandomPlayer, TimeLimit
from meldlab.recycle import RecycleGame
from meldlab.recycle.players import SearchPlayer, parse
from meldlab.recycle.players.search import play_games

WORTHLESS = """(game
 (setup (create players 3) (create deck (game hloc STOCK) (deck (N (A, B, C)))))
 (do ((shuffle (game hloc STOCK)) (all player 'P (move (top (game hloc STOCK)) (top ('P iloc HAND))))
  (set (game points WORTH) (((N : A) 1) ((N : B) 2) ((N : C) 3)))))
 (stage player once (choice ((turn pass) (turn pass))))
 (scoring min (sum ((current player) iloc HAND) using (game points WORTH))))"""


@pytest.mark.parametrize(
    ("game", "players"), [("hearts", 2), ("hearts", 3), ("hearts", 4), ("block_rummy", 2), ("spades", 2), ("euchre", 1)]
)
def test_every_player_sits_everywhere_equally_often(game: str, players: int) -> None:
    recycle_game = RecycleGame.load(game)
    ways = seatings(recycle_game, players)
    assert len(set(ways)) == len(ways)
    for player in range(players):
        sits = [sum(way[seat] == player for way in ways) for seat in range(recycle_game.machine.players)]
        assert len(set(sits)) == 1


def test_where_nobody_can_do_anything_everybody_has_his_share() -> None:
    found = play_contest(RecycleGame("worthless", WORTHLESS), ["mcts:2", "random"], games=29, seed=1, threads=1)
    # Every deal is played from all three seats, so luck cancels exactly.
    assert (found.games, found.deals, found.deals_ahead, found.failures) == (30, 10, (0, 0), ())
    assert found.win_rate(0).value == pytest.approx(1 / 3)
    assert found.mean_score(0).value == found.mean_score(1).value == 2
    assert found.score_margin.value == 0
    assert found.sign_test is None


@pytest.mark.parametrize(
    ("game", "players"), [("scopa", ["pimc:2", "random"]), ("whist", ["random", "random"]), ("kuhn_poker", ["random"])]
)
def test_kernel_and_table_count_the_same(game: str, players: list[str]) -> None:
    class AtTheTable(RecycleGame):
        def can_batch(self, players: Sequence[object]) -> bool:
            return False

    kernel = play_contest(RecycleGame.load(game), players, games=4, seed=3, threads=1)
    seated = [parse(one) for one in players]
    table = play_contest(AtTheTable.load(game), seated, games=4, seed=3)
    assert kernel.deal_wins.tolist() == table.deal_wins.tolist()
    for player in range(len(players)):
        assert kernel.mean_score(player) == table.mean_score(player)
    for name in ("decisions", "options", "capped"):
        assert kernel.count(name) == table.count(name)


def test_looking_ahead_pays_where_the_most_wins_and_where_the_least_does() -> None:
    most = play_contest(RecycleGame.load("leduc_poker"), ["pimc:100", "random"], games=200, seed=1, threads=1)
    assert most.sign_test is not None
    assert most.sign_test < 0.01
    assert most.score_margin.low > 0
    assert most.deals_ahead[0] > most.deals_ahead[1]
    least = play_contest(RecycleGame.load("golf"), ["pimc:10", "random"], games=16, seed=1)
    assert least.mean_score(0).value < least.mean_score(1).value
    assert least.score_margin.value > 0


def test_a_contest_plays_the_games_of_its_seed() -> None:
    recycle_game = RecycleGame.load("scopa")
    found = play_contest(recycle_game, ["pimc:5", "random"], games=4, seed=3, threads=2)
    one, other = SearchPlayer("pimc", 5), RandomPlayer()
    first = play_games(recycle_game.machine, [one, other], 2, seed=3).scores
    second = play_games(recycle_game.machine, [other, one], 2, seed=3).scores
    assert found.mean_score(0).value == (first[:, 0].sum() + second[:, 1].sum()) / 4
    assert found.total("simulations") > 0


def test_partners_are_rated_together() -> None:
    robin = round_robin(RecycleGame.load("whist"), ["random", "pimc:1"], 2, seed=1)
    assert robin.contests[0].seatings == ((0, 1, 0, 1), (1, 0, 1, 0))


def test_recycle_games_are_played_in_processes() -> None:
    limited, kernel = (
        play_contest(RecycleGame.load("kuhn_poker"), ["pimc:2", "random"], 8, seed=1, time_limit=TimeLimit(per_move=limit))
        for limit in (60, None)
    )
    assert limited.deal_wins.tolist() == kernel.deal_wins.tolist()
    assert not limited.failures


def test_signs_are_tested_only_where_chance_is_even() -> None:
    hearts, kuhn = RecycleGame.load("hearts"), RecycleGame.load("kuhn_poker")
    assert play_contest(hearts, ["random", "random"], games=8, seed=1, threads=1).sign_test is None
    assert play_contest(kuhn, ["random", "random"], games=8, seed=1, threads=1, mirrored=False).sign_test is None
    assert play_contest(kuhn, ["random", "random"], games=8, seed=1, threads=1).sign_test is not None


def test_from_counts_reads_the_names_of_earlier_versions() -> None:
    game, players = RecycleGame.load("kuhn_poker"), ["mcts:2", "random"]
    result = play_contest(game, players, games=4, seed=3, threads=1)
    counts = result.counts()
    old = dict(zip(("unmatched", "failed_simulations"), ("changed", "broken"), strict=True))
    earlier = {**counts, "counted": [old.get(name, name) for name in counts["counted"]]}
    assert ContestResult.from_counts(game, players, [earlier]).counts() == counts
