"""Small games: fewer cards, ranks and suits by the rules, played alike at the table and in the kernels."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from meldlab.cards import Hand
from meldlab.errors import MeldlabError, NotLegalHere
from meldlab.gin import MINI, PRESETS, Gin, Rules, players
from meldlab.gin.advice import advise
from meldlab.gin.batch import can_batch, play_batch
from meldlab.gin.vector import DRAW, PLANES, GinVector
from meldlab.play import Deal, RandomPlayer, Record, Table, replay
from meldlab.reproduce.nagai.tracking import track_task
from meldlab.runs.tasks import Task

SIMPLE = [players.parse("simple"), players.parse("knock:5,0,1")]


def test_small_game_is_dealt_from_a_small_deck() -> None:
    first = Gin(MINI).start(2, Deal(3)).round
    assert Hand.from_mask(sum(1 << card for card in first.deck)) == Hand.parse("AC 2C 3C 4C AD 2D 3D 4D")
    assert [len(hand) for hand in first.hands] == [3, 3]
    assert (len(first.pile), first.stock) == (1, 1)
    decks = {Gin(MINI).start(2, Deal(3, game)).round.deck for game in range(50)}
    assert len(decks) > 40


@pytest.mark.parametrize(
    "rules", [replace(MINI, max_draws=20), replace(MINI, suits=3, max_draws=20), Rules(cards=5, ranks=6, match_points=50)]
)
def test_play_batch_agrees_with_table_in_small_games(rules: Rules) -> None:
    games = 60
    matches = play_batch(SIMPLE[0], SIMPLE[1], rules, 7, 0, games, threads=1)
    scores = [Table(Gin(rules), SIMPLE).play(Deal(7, game)).last.scores for game in range(games)]
    assert [tuple(row) for row in matches["points"].tolist()] == scores
    assert len(set(scores)) > 3


SIZES = [Rules(cards=cards, stock_floor=0) for cards in range(3, 11)]
NAMED = {**PRESETS, "mini": MINI, "three suits": replace(MINI, suits=3), "five of 24": Rules(cards=5, ranks=6)}


@pytest.mark.parametrize("rules", [*SIZES, *NAMED.values()], ids=[*(f"{rules.cards} cards" for rules in SIZES), *NAMED])
def test_copy_continues_in_the_same_way(rules: Rules) -> None:
    env = GinVector(3, replace(rules, match_points=0), seed=4, final_observations=True)
    for _ in range(7):
        env.step(env.random_actions())
        other = env.copy()
        for _ in range(4):
            actions = env.random_actions()
            assert all(map(np.array_equal, env.step(actions), other.step(actions)))
            assert np.array_equal(env.observe_both(), other.observe_both())
            assert np.array_equal(env.final_observations, other.final_observations)


@pytest.mark.parametrize("rules", SIZES, ids=[f"{rules.cards} cards" for rules in SIZES])
def test_vector_environment_has_space_for_every_pile(rules: Rules) -> None:
    # Nobody takes an upcard or knocks, so that in the end all cards but the hands are on the pile.
    env = GinVector(2, replace(rules, knock_limit=0, offer_upcard=False, match_points=0), seed=1, final_observations=True)
    for _ in range(2 * (52 - 2 * rules.cards) - 2):
        done = env.step([DRAW if mask[DRAW] else np.flatnonzero(mask)[0] for mask in env.observe().mask]).done
    assert done.all()
    assert (env.final_observations[:, :, PLANES["order"]].max(axis=2) == 52 - 2 * rules.cards).all()


def test_track_task_rejects_small_games() -> None:
    shard = Task("gin.track", (0.5,) * 9, "simple", games=2, rules='{"preset": "eaai", "cards": 7}')
    with pytest.raises(NotLegalHere, match="state tracking expects hands of 10 cards from a deck of 52, got 7 from 52"):
        track_task(shard)


def test_record_of_a_small_game_is_replayed() -> None:
    record = Table(Gin(MINI), [RandomPlayer(), RandomPlayer()]).play(Deal(5)).record
    again = Record.parse(str(record))
    game = Gin.read(again.rules)
    assert game.rule == MINI
    assert [step.line for step in replay(game, again)] == list(record.actions)


@pytest.mark.parametrize("player", ["ensemble", "network:light", "mc:8"])
def test_players_of_the_whole_deck_reject_small_games(player: str) -> None:
    seated = players.parse(player)
    assert not can_batch(MINI, [seated, seated])
    view = Gin(MINI).start(2, Deal(1)).view(0)
    with pytest.raises(NotLegalHere, match="small decks are for random, simple"):
        seated.choose(view, Deal(1).chance(0, 0))
    with pytest.raises(MeldlabError):
        advise(view)
    if player != "mc:8":
        with pytest.raises(NotLegalHere, match="small decks are for"):
            play_batch(seated, seated, MINI, 1, 0, 1)
        with pytest.raises(NotLegalHere, match="small decks are for"):
            GinVector(1, MINI, opponent=seated)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"ranks": 3}, "6 cards are too few to deal 3 to each player"),
        ({"stock_floor": 1}, "expected stock_floor from 0 to 0, got 1"),
        ({"suits": 5}, "suits must be a whole number from 1 to 4, not 5"),
        ({"cards": 2}, "cards must be a whole number from 3 to 10, not 2"),
    ],
)
def test_rules_reject_decks_that_cannot_be_dealt(changes: dict[str, Any], why: str) -> None:
    with pytest.raises(NotLegalHere, match=why):
        replace(MINI, **changes)
