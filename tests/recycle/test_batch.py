"""Many games at once are the games that a table plays: the same actions, scores and endings for the same seed."""

from collections.abc import Sequence

import numpy as np
import pytest

from meldlab.errors import NotLegalHere
from meldlab.play import Deal, FinishedGame, RandomPlayer, Table, win_shares
from meldlab.recycle import library
from meldlab.recycle.game import RecycleGame
from meldlab.recycle.language.limits import Limits
from meldlab.recycle.players import SearchPlayer
from meldlab.recycle.players import parse_batch_player as parse
from meldlab.recycle.players.search import play_games
from meldlab.recycle.state import Option, State
from tests.recycle.tiny import BREAKING, PEEKING, SECRET

SEARCHERS = [
    SearchPlayer("pimc", 2, 2),
    SearchPlayer("mcts", 2, 2),
    SearchPlayer("ismcts", 2),
    SearchPlayer("ismcts", 2, memory="taken", reward="rank"),
]


def at_the_table(game: RecycleGame, players: Sequence[SearchPlayer | RandomPlayer], seed: int, number: int) -> FinishedGame[State]:
    return Table(game, players, raise_errors=True).play(Deal(seed, number))


def options(played: FinishedGame[State]) -> list[Option]:
    assert all(isinstance(action, Option) for action in played.actions)
    return [action for action in played.actions if isinstance(action, Option)]


@pytest.mark.parametrize("name", library.names())
def test_the_kernel_and_the_table_play_the_same_actions(name: str) -> None:
    game = RecycleGame.load(name, limits=Limits(decisions=60))
    every: list[SearchPlayer | RandomPlayer] = [*SEARCHERS, RandomPlayer()]
    players = [every[(seat + len(name)) % 5] for seat in range(game.machine.players)]
    for number in range(2):
        played = at_the_table(game, players, 3, number)
        searched = play_games(game.machine, players, games=1, seed=3, first=number, threads=1)
        assert [option.index for option in options(played)] == searched.chosen.tolist()
        assert played.result.scores == tuple(searched.scores[0].tolist())
        players = players[1:] + players[:1]


@pytest.mark.parametrize(
    "players",
    [
        [RandomPlayer()] * 4,
        [parse("mcts:2"), RandomPlayer(), parse("pimc:2"), parse("ismcts:2:taken")],
    ],
)
def test_a_batch_adds_up_what_the_table_plays(players: Sequence[SearchPlayer | RandomPlayer]) -> None:
    game, first = RecycleGame.load("hearts"), 4
    batch = game.batch(players, seed=2, first=first, games=3, threads=2)
    for row in range(3):
        played = at_the_table(game, players, 2, first + row)
        assert tuple(batch.scores[row].tolist()) == played.result.scores
        assert tuple(batch.wins[row].tolist()) == win_shares(played.result)
        assert game.counted(played) == {name: batch.counts[name][row] for name in game.counted(played)}
    assert set(batch.counts) == set(game.counts)
    assert batch.counts["finished"].all()
    assert not batch.abnormal_ends
    searching = any(player.name != "random" for player in players)
    assert bool(batch.counts["simulations"].all()) == searching


FAILING = {
    "in an option": BREAKING,
    "while exploring": PEEKING.replace("(turn pass)", "((== 1 2) (turn pass))"),
    "while scoring": BREAKING.replace("(do (((== (game sto GO) 1) (set (game sto X) (// 1 0)))))", "").replace(
        "(scoring max 1)", "(scoring max (// 1 (- 1 (game sto GO))))"
    ),
}


@pytest.mark.parametrize("where", FAILING)
def test_games_that_fail_do_so_at_the_table_too(where: str) -> None:
    game = RecycleGame("failing", FAILING[where])
    players: list[SearchPlayer | RandomPlayer] = [RandomPlayer()] * game.machine.players
    batch = game.batch(players, seed=1, first=10, games=20)
    failed = 0
    for row in range(20):
        result = at_the_table(game, players, 1, 10 + row).result
        assert result.scores == tuple(batch.scores[row].tolist())
        assert win_shares(result) == tuple(batch.wins[row].tolist())
        assert (10 + row in batch.abnormal_ends) == result.reason.startswith("failed: ")
        failed += 10 + row in batch.abnormal_ends
    assert 0 < failed < 20


@pytest.mark.parametrize("text", [PEEKING, SECRET])
def test_programs_that_look_at_hidden_cards_or_hide_choices_are_played_alike(text: str) -> None:
    game, players = RecycleGame("odd", text), [parse("ismcts:4"), parse("mcts:4")]
    for number in range(8):
        played = at_the_table(game, players, 1, number)
        searched = play_games(game.machine, players, games=1, seed=1, first=number, threads=1)
        assert [option.index for option in options(played)] == searched.chosen.tolist()


def test_a_capped_game_is_scored_as_it_stands_in_both() -> None:
    game = RecycleGame.load("block_rummy", limits=Limits(decisions=5))
    batch = game.batch([RandomPlayer()] * 2, seed=1, first=0, games=2)
    assert batch.counts["capped"].all()
    for row in range(2):
        result = at_the_table(game, [RandomPlayer()] * 2, 1, row).result
        assert result.scores == tuple(batch.scores[row].tolist())
        assert result.reason.endswith("(stopped: too many decisions)")


def test_any_threads_and_any_pieces_give_the_same_batch() -> None:
    game = RecycleGame.load("scopa")
    whole, parts = (
        game.batch([RandomPlayer()] * 2, 1, 0, 9, 3),
        [game.batch([RandomPlayer()] * 2, 1, first, 3, 1) for first in (0, 3, 6)],
    )
    assert np.array_equal(whole.scores, np.concatenate([part.scores for part in parts]))


def test_who_is_no_player_of_the_kernel_sits_at_the_table() -> None:
    class Own(SearchPlayer):
        """May choose otherwise."""

    game = RecycleGame.load("kuhn_poker")
    assert not game.can_batch([Own("pimc", 2), RandomPlayer()])
    assert game.can_batch([SearchPlayer("pimc", 2), RandomPlayer()])
    with pytest.raises(NotLegalHere, match="kuhn_poker is for 2 players, not 3"):
        game.batch([RandomPlayer()] * 3, 1, 0, 1)


def test_a_batch_of_no_games_is_empty() -> None:
    batch = RecycleGame.load("kuhn_poker").batch([parse("mcts:2")] * 2, 1, 0, 0)
    assert batch.scores.shape == batch.wins.shape == (0, 2)
