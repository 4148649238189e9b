"""The arena of described games: fair to every seat, and honest about chance."""

import pytest

from meldlab.errors import NotLegalHere
from meldlab.lab.arena.recycle import contest, seatings
from meldlab.recycle import library
from meldlab.recycle.game import Described
from meldlab.recycle.machine.machine import Machine
from meldlab.recycle.players import Searcher
from meldlab.recycle.players.searching import searched_games

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
    machine = Machine.of(library.entry(game).text)
    ways = seatings(machine, ["mcts"] * players)
    assert len(set(ways)) == len(ways)
    for player in range(players):
        sits = [sum(way[seat] == player for way in ways) for seat in range(machine.players)]
        assert len(set(sits)) == 1


def test_where_nobody_can_do_anything_everybody_has_his_share() -> None:
    described = Described("worthless", WORTHLESS)
    fight = contest(described, "mcts:2,random", games=29, seed=1, threads=1)
    # Every deal is played from all three seats, so luck cancels exactly.
    assert (fight.games, fight.deals, fight.ahead, fight.finished) == (30, 10, (0, 0), 30)
    assert fight.rates[0].value == pytest.approx(1 / 3)
    assert fight.scores[0].value == fight.scores[1].value == 2
    assert fight.lead.value == 0
    assert fight.sign_test == 1


def test_looking_ahead_pays() -> None:
    fight = contest(Described.named("leduc_poker"), "pimc:100,random", games=200, seed=1, threads=1)
    assert fight.sign_test < 0.01
    assert fight.lead.low > 0
    told = fight.as_json()
    assert told["deals_ahead"] == fight.ahead[0] > fight.ahead[1]


def test_the_arena_plays_the_games_of_its_seed() -> None:
    described = Described.named("scopa")
    fight = contest(described, "pimc,random", games=4, seed=3, simulations=5, threads=2)
    machine = described.machine
    one, other = Searcher("pimc", 5), Searcher("random")
    first = searched_games(machine, [one, other], 2, seed=3).scores
    second = searched_games(machine, [other, one], 2, seed=3).scores
    assert fight.scores[0].value == (first[:, 0].sum() + second[:, 1].sum()) / 4


def test_one_deal_has_no_interval() -> None:
    told = contest(Described.named("kuhn_poker"), "random", games=1, seed=3, threads=1).as_json()
    assert told["score_lead_ci95"] is None


def test_too_many_players_are_named() -> None:
    with pytest.raises(NotLegalHere, match="3 players for 2 seats"):
        contest(Described.named("kuhn_poker"), "mcts,mcts,random", games=2)
