"""The kernel plays what the Table plays: move by move and count by count, under rules drawn at random."""

from random import Random
from typing import Any

import numpy as np
import pytest

from meldlab.gin import Gin, Move, Rules, kernel_round, players
from meldlab.gin.batch import batch_of, play_batch, trace
from meldlab.gin.players import EnsemblePlayer
from meldlab.play import Deal, Table, wins_of
from tests.gin.test_bounds import random_ensemble, random_rules
from tests.gin.test_players import move_of

SEED = 8


def assert_alike(seated: list[Any], rules: Rules, games: int) -> list[list[int]]:
    """Play deals at both with the players in either seat, and compare every move and every count."""
    counts: list[list[int]] = []
    for both in (seated, seated[::-1]):
        rows: list[list[int]] = play_batch(both[0], both[1], rules, SEED, 0, games, threads=1).tolist()
        for game, row in enumerate(rows):
            played = Table(Gin(rules), both).play(Deal(SEED, game))
            assert not played.forfeit
            state, told = played.first, []
            for move in played.actions:
                assert isinstance(move, Move)
                told.append((state.seat, move.verb, move.index, tuple(meld.hand.mask for meld in move.melds)))
                state = state.apply(move)
            log = trace(both[0], both[1], rules, SEED, game).tolist()
            if len(told) <= 20_000:
                assert told == [move_of(step) for step in log]
            assert row[kernel_round.STEPS] == len(told)
            batch = batch_of(np.array([row], np.int32), rules)
            assert tuple(batch.scores[0].tolist()) == played.result.scores
            assert tuple(batch.wins[0].tolist()) == wins_of(played.result)
            assert {name: tuple(each[0]) if each.ndim > 1 else each[0] for name, each in batch.counts.items()} == Gin().counted(played)
        counts += rows
    return counts


@pytest.mark.parametrize("portion", range(8))
def test_under_random_rules(portion: int) -> None:
    chance = Random(100 + portion)
    known = ["simple", "gin-only", "knock:10,0,6", "ensemble", "ensemble:best", "computed:light", "marjj"]
    for _ in range(5):
        rules = random_rules(chance)
        seated: list[Any] = [players.parse(chance.choice(known)), EnsemblePlayer(random_ensemble(chance))]
        chance.shuffle(seated)
        assert_alike(seated, rules, games=2)


@pytest.mark.parametrize(
    ("changes", "happens"),
    [
        ({"equal_deadwood": "nothing", "match_points": 0, "knock_limit": 40}, "equal"),
        ({"offer_upcard": False}, ""),
        ({"stock_floor": 20}, "void"),
        ({"most_upcard_draws": 2}, "void"),
        ({"most_draws": 8}, "void"),
        ({"first_starter": "first", "next_starter": "loser"}, ""),
        ({"match_points": 0}, ""),
        ({"next_starter": "winner", "big_gin_bonus": 31, "oklahoma": True}, ""),
    ],
)
def test_under_each_rule(changes: dict[str, Any], happens: str) -> None:
    rules = Rules(**changes)
    counts = assert_alike([players.parse("simple"), players.parse("ensemble")], rules, games=12)
    voids, rounds = sum(row[kernel_round.VOIDS] for row in counts), sum(row[kernel_round.ROUNDS] for row in counts)
    scored = sum(row[kernel_round.WON] + row[kernel_round.WON + 1] for row in counts)
    if happens == "void":
        assert voids > 0
    if happens == "equal":
        # Rounds with equal deadwood score nothing and are not void.
        assert rounds - scored > voids
    else:
        assert rounds == scored + voids


def test_a_match_that_nobody_can_win_is_a_draw() -> None:
    rules = Rules(most_draws=1, knock_limit=0)
    counts = assert_alike([players.parse("simple"), players.parse("simple")], rules, games=1)
    assert [row[kernel_round.WINNER_SEAT] for row in counts] == [-1, -1]
    assert [row[kernel_round.ROUNDS] for row in counts] == [kernel_round.MOST_ROUNDS] * 2
