"""The player written from the description of MARJJ: each sentence of it, and how it fares."""

from random import Random
from typing import Any

import numpy as np
import pytest

from meldlab.arena.contest import play_contest
from meldlab.cards import CARDS, Card, Hand
from meldlab.errors import MeldlabError, NotLegalHere
from meldlab.gin import Gin, Move, Rules, Verb, players
from meldlab.gin.kernel_hand import FULL, discards, least_after_discard, list_melds, melds_with_fewest_lay_offs
from meldlab.gin.players import MarjjPlayer
from meldlab.gin.view import View, meld_of
from meldlab.melds import deadwood, lay_off
from meldlab.play import Deal, RandomPlayer, Table
from tests.gin.histories import with_history
from tests.gin.test_kernel_is_table import assert_alike
from tests.gin.test_players import view_of

CHANCE = Deal(1).chance(0, 0)
MARJJ = MarjjPlayer()


@pytest.mark.parametrize(
    ("hand", "upcard", "taken"),
    [
        ("2C 3C 9D 9H KS QS 7D 5H 4S AS", "4C", True),
        ("2C 3C 9D 9H KS QS 7D 5H 4S AS", "2S", False),  # lower than KS, but no meld
        ("2C 3C 4C 5C 9D 9H 9S KC KD KH", "6C", False),  # melds, but there is no deadwood to lower
    ],
)
def test_marjj_takes_only_what_melds_and_lowers_deadwood(hand: str, upcard: str, taken: bool) -> None:
    assert MARJJ.takes(view_of(hand, upcard), Card.parse(upcard)) is taken


def value_in_words(player: MarjjPlayer, view: View, card: Card) -> float:
    """Deadwood, look-ahead and danger as the page tells them, over every card and every discard."""
    rest = Hand(view.hand - {card})
    unseen = [other for other in CARDS if other not in view.hand and other not in view.known and other not in view.pile]
    now = deadwood(rest)
    saved = [now - min(now, min(deadwood(Hand((rest | {drawn}) - {gone})) for gone in rest)) for drawn in unseen]
    held = {other: 1.0 if other in view.known else (10 - len(view.known)) / len(unseen) if other in unseen else 0.0 for other in CARDS}
    safe = 1.0
    for one in CARDS:
        for other in CARDS:
            if one < other and card not in (one, other) and is_meld(card, one, other):
                safe *= 1 - held[one] * held[other]
    turn = (view.turn - 1) // player.turn_draws + 1
    return player.look * player.fades ** (turn - 1) * float(np.mean(saved)) / 10 - now - player.danger * (1 - safe)


def is_meld(*cards: Card) -> bool:
    ranks = sorted(card.rank for card in cards)
    alike = len({card.suit for card in cards}) == 1
    return len(set(ranks)) == 1 or (alike and ranks[0] + 1 == ranks[1] == ranks[2] - 1)


def test_marjj_think_agrees_with_the_description() -> None:
    looked, game = 0, Gin(Rules(match_points=0))
    for number in range(3):
        for step in Table(game, [RandomPlayer(), players.parse("simple")]).steps(Deal(4, number)):
            view = step.before.view(step.seat)
            if len(view.cards) != 11 or step.number % 3:
                continue
            for player in (MARJJ, players.parse("marjj:paper")):
                assert isinstance(player, MarjjPlayer)
                found = {CARDS[move.index]: value for move, value in player.evaluate(view, CHANCE)}
                assert set(found) == set(view.cards) - {view.taken}
                for card, value in found.items():
                    assert value == pytest.approx(value_in_words(player, view, card))
                best = max(found, key=found.__getitem__)
                assert player.drop(view, CHANCE) in ((best, False), (player.drop(view, CHANCE).card, True))
                looked += 1
    assert looked > 20


@pytest.mark.parametrize(("name", "last"), [("marjj", 6), ("marjj:paper", 6)])
def test_marjj_knocks_early_and_then_only_with_gin(name: str, last: int) -> None:
    player = players.parse(name)
    ten_left = view_of("2C 3C 4C 9D 9H 9S KC KD 4H 5S", "KH", "take KH")
    gin = view_of("2C 3C 4C 9D 9H 9S KC KD KH 5S", "KS", "take KS")
    history = ten_left.history
    for turn in range(1, 10):
        # Own draws are counted from the history.
        drawn = tuple((0, Move(Verb.DRAW)) for _ in range(turn - 1))
        assert with_history(ten_left, (*drawn, *history)).turn == turn
        knocks = player.choose(with_history(ten_left, (*drawn, *history)), CHANCE).verb is Verb.KNOCK
        assert knocks is (turn <= last)
        assert str(player.choose(with_history(gin, (*drawn, *gin.history)), CHANCE)).startswith("knock 5S | ")


def test_melds_with_fewest_lay_offs_agrees_with_all_arrangements() -> None:
    # On four fives and 6H 7H 8H only 9H can be laid; on three fives and 5H 6H 7H 8H also 4H.
    hand, melds = Hand.parse("5C 5D 5S 5H 6H 7H 8H 2C 2D 2S"), np.zeros(4, np.int64)
    assert melds_with_fewest_lay_offs(hand.mask, FULL & ~hand.mask, melds) == 3
    assert Hand.parse("5C 5D 5S 5H").mask in melds.tolist()
    chance, tried = Random(5), 0
    for _ in range(400):
        mask = sum(1 << card for card in chance.sample([card for card in range(52) if 2 < card % 13 < 9], 10))
        ways = list_melds(mask)
        unseen = FULL & ~mask
        many = melds_with_fewest_lay_offs(mask, unseen, melds)
        counts = [num_lay_offs(way.tolist(), unseen) for way in ways]
        assert num_lay_offs(melds[:many].tolist(), unseen) == min(counts)
        assert melds.tolist() in ways.tolist()
        tried += len(set(counts)) > 1
    assert tried > 3


def num_lay_offs(melds: list[int], unseen: int) -> int:
    """How many unseen cards, each alone, could be laid off on melds."""
    shown = [meld_of(mask) for mask in melds if mask]
    return sum(bool(lay_off(Hand.from_mask(1 << card), shown).laid) for card in range(52) if unseen >> card & 1)


def test_least_after_discard_is_that_of_all_discards() -> None:
    chance, left = Random(2), np.zeros(52, np.int64)
    for cards in (10, 11):
        for _ in range(2000):
            # Half a deck: melds are frequent.
            hand = sum(1 << card for card in chance.sample(range(26) if chance.random() < 0.5 else range(52), cards))
            discards(hand, left)
            assert least_after_discard(hand) == left.min()


@pytest.mark.parametrize(
    ("other", "changes"), [("simple", {}), ("ensemble:best", {"oklahoma": True}), ("marjj:paper", {"big_gin_bonus": 31})]
)
def test_marjj_acts_in_the_batch_as_at_the_table(other: str, changes: dict[str, Any]) -> None:
    assert_alike([players.parse("marjj"), players.parse(other)], Rules(**changes), games=5)


def test_marjj_wins_as_often_as_the_program() -> None:
    # The program's own results, on its authors' table: 0.773 against simple, 0.455 against network:light.
    assert 0.71 < play_contest(Gin(), ["marjj", "simple"], games=2000, seed=3).win_rate().value < 0.78
    assert 0.42 < play_contest(Gin(), ["marjj", "network:light"], games=2000, seed=3).win_rate().value < 0.49


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"look": float("nan")}, "look: expected 0 to 1,000, got nan"),
        ({"danger": -1.0}, "danger: expected 0"),
        ({"fades": 2.0}, "fades: expected 0 to 1"),
        ({"turn_draws": 0}, "turns are counted"),
        ({"knock_turns": 1_000_000}, "turns are counted"),
    ],
)
def test_marjj_rejects_bad_numbers(change: dict[str, float], why: str) -> None:
    with pytest.raises(NotLegalHere, match=why):
        MarjjPlayer(**change)  # type: ignore[arg-type]
    with pytest.raises(MeldlabError, match=r"no player 'marjj:file' .*marjj:paper"):
        players.parse("marjj:file")
