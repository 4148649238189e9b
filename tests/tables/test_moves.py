"""Moves as data: a verb, a card and melds name one legal move of a table."""

from typing import Any

import pytest

from meldlab.errors import NotLegalHere
from meldlab.gin import Gin
from meldlab.play import Deal, Game, RandomPlayer
from meldlab.play import Table as PlayTable
from meldlab.recycle.game import RecycleGame
from meldlab.rummikub.game import Rummikub
from meldlab.tables import Table, build_table


def tables(game: Game[Any]) -> list[Table]:
    """Return the table before each decision of a random game, from the seat that decides."""
    seats = game.seats[0]
    steps = PlayTable(game, [RandomPlayer()] * seats, max_actions=150).steps(Deal(seed=5))
    return [build_table(game, step.before.view(step.seat), [], ["random"] * seats) for step in steps]


@pytest.mark.parametrize("game", [Gin(), RecycleGame.load("hearts"), RecycleGame.load("crazy_eights")], ids=lambda game: game.name)
def test_find_move_finds_each_move_that_its_data_names_alone(game: Game[Any]) -> None:
    num_found = 0
    for table in tables(game):
        for index, move in enumerate(table.moves):
            card = move.cards[0] if len(move.cards) == 1 else None
            same = [other for other in table.moves if other.verb == move.verb and (card is None or card in other.cards)]
            if len([other for other in same if sorted(map(sorted, other.melds)) == sorted(map(sorted, move.melds))]) == 1:
                assert table.find_move(move.verb, card, move.melds) == index
                num_found += 1
    assert num_found > 100


def test_find_move_rejects_a_verb_that_several_moves_have() -> None:
    table = next(table for table in tables(Gin()) if len([move for move in table.moves if move.verb == "drop"]) > 1)
    with pytest.raises(NotLegalHere, match=r"10 moves with verb 'drop' \(legal verbs: drop"):
        table.find_move("drop")


def test_find_move_names_the_legal_verbs() -> None:
    with pytest.raises(NotLegalHere, match=r"no move with verb 'fold' and card '5H' \(legal verbs: draw"):
        tables(Rummikub())[0].find_move("fold", "5H")


def test_cards_of_moves_are_faces_of_cards_at_the_table() -> None:
    for table in tables(RecycleGame.load("hearts")):
        faces = {card.face for zone in table.zones for card in zone.cards}
        assert {card for move in table.moves for card in move.cards} <= faces
