"""The kernels play as the Table does: move by move and count by count, under random rules and with every pair of kinds of players."""

from itertools import combinations_with_replacement
from random import Random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from meldlab.gin import Gin, Move, Rules, players
from meldlab.gin.batch import batch_from_matches, play_batch
from meldlab.gin.kernel_state import MAX_ROUNDS
from meldlab.gin.players import EnsemblePlayer, GinPlayer
from meldlab.play import Deal, Table, win_shares
from tests.gin.test_bounds import random_ensemble, random_rules
from tests.gin.tracing import move_of, trace

SEED = 8


def assert_alike(seated: list[Any], rules: Rules, games: int) -> NDArray[Any]:
    """Play deals at both with the players in either seat, and compare every move and every count."""
    batches = []
    for both in (seated, seated[::-1]):
        matches = play_batch(both[0], both[1], rules, SEED, 0, games, threads=1)
        for game, match in enumerate(matches):
            played = Table(Gin(rules), both).play(Deal(SEED, game))
            assert not played.forfeit
            state, told = played.first, []
            for move in played.actions:
                assert isinstance(move, Move)
                told.append((state.seat, move.verb, move.index, tuple(meld.hand.mask for meld in move.melds)))
                state = state.apply(move)
            log = trace(both[0], both[1], rules, SEED, game).tolist()
            assert told == [move_of(step) for step in log]
            assert match["actions"] == len(told)
            batch = batch_from_matches(matches[game : game + 1], rules)
            assert tuple(batch.scores[0].tolist()) == played.result.scores
            assert tuple(batch.wins[0].tolist()) == win_shares(played.result)
            assert {name: tuple(each[0]) if each.ndim > 1 else each[0] for name, each in batch.counts.items()} == Gin().counted(played)
        batches.append(matches)
    return np.concatenate(batches)


@pytest.mark.slow
@pytest.mark.parametrize("portion", range(8))
def test_play_batch_agrees_with_table_under_random_rules(portion: int) -> None:
    chance = Random(100 + portion)
    known = ["simple", "gin-only", "knock:10,0,6", "ensemble", "ensemble:best", "network:light", "marjj"]
    for _ in range(5):
        rules = random_rules(chance)
        seated: list[Any] = [players.parse(chance.choice(known)), EnsemblePlayer(random_ensemble(chance))]
        chance.shuffle(seated)
        assert_alike(seated, rules, games=2)


@pytest.mark.parametrize(
    ("first", "second"), [*combinations_with_replacement(["knock:10,0,6", "ensemble:best", "marjj", "network:light"], 2)]
)
def test_play_batch_agrees_with_table_for_every_pair_of_kinds(first: str, second: str) -> None:
    # Tables of a computed player and policies have tests of their own. A batch normalises the order of the kinds, trace does not.
    assert_alike([players.parse(first), players.parse(second)], Rules(big_gin_bonus=31), games=3)


@pytest.mark.parametrize("other", ["simple", "knock:10,3,4", "ensemble:best", "marjj", "network:light"])
def test_play_batch_agrees_with_table_under_a_knock_limit_above_ten(other: str) -> None:
    assert_alike([players.parse("simple"), players.parse(other)], Rules(knock_limit=20), games=6)


@pytest.mark.parametrize("limit", [0, 10, 11, 20, 60])
def test_gin_player_is_the_simple_player_under_every_knock_limit(limit: int) -> None:
    for wall in (False, True):
        game = Gin(Rules(knock_limit=limit, wall_knock=wall, match_points=30))
        for number in range(4):
            one, other = (Table(game, [player, player]).play(Deal(SEED, number)) for player in (GinPlayer(), players.parse("simple")))
            assert one.actions == other.actions


@pytest.mark.parametrize(
    ("changes", "happens"),
    [
        ({"equal_deadwood": "nothing", "match_points": 0, "knock_limit": 40}, "equal"),
        ({"offer_upcard": False}, ""),
        ({"stock_floor": 20}, "void"),
        ({"max_upcard_draws": 2}, "void"),
        ({"max_draws": 8}, "void"),
        ({"first_starter": "first", "next_starter": "loser"}, ""),
        ({"match_points": 0}, ""),
        ({"next_starter": "winner", "big_gin_bonus": 31, "oklahoma": True}, ""),
    ],
)
def test_play_batch_agrees_with_table_under_each_rule(changes: dict[str, Any], happens: str) -> None:
    rules = Rules(**changes)
    matches = assert_alike([players.parse("simple"), players.parse("ensemble")], rules, games=12)
    voids, rounds, scored = (matches[name].sum() for name in ("voids", "rounds", "rounds_won"))
    if happens == "void":
        assert voids > 0
    if happens == "equal":
        # Rounds with equal deadwood score nothing and are not void.
        assert rounds - scored > voids
    else:
        assert rounds == scored + voids


def test_play_batch_draws_a_match_that_nobody_can_win() -> None:
    rules = Rules(max_draws=1, knock_limit=0)
    matches = assert_alike([players.parse("simple"), players.parse("simple")], rules, games=1)
    assert matches["winner"].tolist() == [-1, -1]
    assert matches["rounds"].tolist() == [MAX_ROUNDS] * 2
