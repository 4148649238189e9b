"""Small games: fewer cards, ranks and suits by the rules, dealt and played by the same code, at the table and in the kernel alike."""

from dataclasses import replace
from typing import Any

import pytest

from meldlab.cards import Hand
from meldlab.errors import MeldlabError, NotLegalHere
from meldlab.gin import MINI, Gin, Rules, players
from meldlab.gin.advice import advise
from meldlab.gin.batch import play_batch, plays_here
from meldlab.gin.kernel_layout import SCORE
from meldlab.gin.vector import GinVector
from meldlab.play import Deal, RandomPlayer, Record, Table, replay

SIMPLE = [players.parse("simple"), players.parse("knock:5,0,1")]


def test_a_small_game_is_dealt_from_a_small_deck() -> None:
    first = Gin(MINI).start(2, Deal(3)).round
    assert Hand.from_mask(sum(1 << card for card in first.deck)) == Hand.parse("AC 2C 3C 4C AD 2D 3D 4D")
    assert [len(hand) for hand in first.hands] == [3, 3]
    assert (len(first.pile), first.stock) == (1, 1)
    decks = {Gin(MINI).start(2, Deal(3, game)).round.deck for game in range(50)}
    assert len(decks) > 40


@pytest.mark.parametrize(
    "rules", [replace(MINI, most_draws=20), replace(MINI, suits=3, most_draws=20), Rules(cards=5, ranks=6, match_points=50)]
)
def test_the_kernel_plays_small_games_as_the_table_does(rules: Rules) -> None:
    games = 60
    counts = play_batch(SIMPLE[0], SIMPLE[1], rules, 7, 0, games, threads=1)
    scores = [Table(Gin(rules), SIMPLE).play(Deal(7, game)).last.scores for game in range(games)]
    assert [tuple(row) for row in counts[:, SCORE : SCORE + 2].tolist()] == scores
    assert len(set(scores)) > 3


def test_a_record_of_a_small_game_is_replayed() -> None:
    record = Table(Gin(MINI), [RandomPlayer(), RandomPlayer()]).play(Deal(5)).record
    again = Record.parse(str(record))
    game = Gin.read(again.rules)
    assert game.rule == MINI
    assert [step.line for step in replay(game, again)] == list(record.actions)


@pytest.mark.parametrize("player", ["ensemble", "computed:light", "mc:8"])
def test_players_that_know_the_whole_deck_say_so(player: str) -> None:
    seated = players.parse(player)
    assert not plays_here(MINI, [seated, seated])
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
        ({"stock_floor": 1}, "stock_floor is 0 to 0, not 1"),
        ({"suits": 5}, "suits must be a whole number from 1 to 4, not 5"),
        ({"cards": 2}, "cards must be a whole number from 3 to 10, not 2"),
    ],
)
def test_decks_that_cannot_be_dealt_are_refused(changes: dict[str, Any], why: str) -> None:
    with pytest.raises(NotLegalHere, match=why):
        replace(MINI, **changes)
