"""What a player may choose from does not depend on cards that he may not see."""

import random

import pytest

from meldlab.recycle import library
from tests.recycle.oracle import Oracle
from tests.recycle.oracle_board import Board, Player, Spot
from tests.recycle.playing import new_game


def hidden(spot: Spot, seat: int) -> bool:
    owner, kind, _, _ = spot
    return kind == "hloc" or (kind == "iloc" and owner != Player(seat)) or (kind == "oloc" and owner == Player(seat))


def dealt_anew(board: Board, seat: int, dice: random.Random) -> Board:
    """Return a board with the cards unseen by a seat permuted, among those with the same back; what is remembered stays."""
    other = board.copy()
    remembered = {card for spot, cards in board.spots.items() if spot[1] == "mem" for card in cards}
    unseen = [(spot, i, card) for spot, cards in board.spots.items() if hidden(spot, seat) for i, card in enumerate(cards)]
    places = [(spot, i) for spot, i, card in unseen if card not in remembered]
    for back in set(board.backs):
        here = [(spot, i) for spot, i in places if board.backs[board.spots[spot][i].number] == back]
        cards = [board.spots[spot][i] for spot, i in here]
        dice.shuffle(cards)
        for (spot, i), card in zip(here, cards, strict=True):
            other.spots[spot][i], other.home[card] = card, spot
    return other


def options_after_a_new_deal(oracle: Oracle, seat: int, dice: random.Random) -> tuple[object, ...]:
    assert oracle.choice is not None
    board = oracle.board
    oracle.board = dealt_anew(board, seat, dice)
    options = oracle.options(oracle.choice)
    oracle.board = board
    return tuple(options)


@pytest.mark.parametrize("name", library.names())
def test_options_do_not_tell_what_is_hidden(name: str) -> None:
    game, dice = new_game(name, 4), random.Random(4)
    for decision, _ in game.decisions(4, 0):
        assert options_after_a_new_deal(game.oracle, decision.seat, dice) == decision.options
