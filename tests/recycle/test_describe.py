"""Descriptions for one seat: cards that it sees are named, others are hidden; the plain interpreter says which."""

import re

import pytest

from meldlab.play import Deal
from meldlab.recycle import RecycleGame
from meldlab.recycle.describe import HIDDEN
from meldlab.recycle.language.parser import parse
from tests.recycle.oracle_board import Card, Spot
from tests.recycle.playing import Game, game_of, new_game
from tests.recycle.test_no_leaks import hidden

RESHUFFLE = (
    "(game (setup (create players 2) (create deck (game vloc PILE) (deck (RANK (ACE, TWO, THREE, FOUR)) (SUIT (CLUBS, HEARTS)))))"
    " (stage player (end (== (size (game vloc PILE)) 2))"
    "  (choice ((set ((current player) sto READY) 1)))"
    "  (do ((repeat all (move (top (game vloc PILE)) (top (game hloc STOCK)))) (shuffle (game hloc STOCK))"
    "       (move (top (game hloc STOCK)) (top ((current player) iloc HAND)))"
    "       (repeat all (move (top (game hloc STOCK)) (top (game vloc PILE)))))))"
    " (scoring max 1))"
)


def moved_cards(text: str) -> list[str]:
    """Return the cards of all moves of a description, in order."""
    moves = re.findall(r"move ([^;\n]*?) from ", text)
    return [card for cards in moves for card in cards.split(", ")]


def seen_cards(game: Game, moves: list[tuple[Card, Spot, Spot]], seat: int) -> list[str]:
    """Return the cards of moves: the name where a seat sees the location that the card leaves or reaches."""
    return [
        HIDDEN if hidden(source, seat) and hidden(target, seat) else "-".join(game.oracle.board.attributes[card.number].values())
        for card, source, target in moves
    ]


def check_descriptions(recycle_game: RecycleGame, game: Game, seed: int) -> int:
    """Compare each description of a game with the moves of the plain interpreter; return the number of hidden cards."""
    state, hidden_cards = recycle_game.start(recycle_game.machine.players, Deal(seed)), 0
    seats = range(recycle_game.machine.players)
    expected: list[list[str]] = []

    def check() -> None:
        moves = game.oracle.moves[done:]
        for seat, cards in enumerate(expected):
            assert cards == seen_cards(game, moves, seat + 1), (seat, moves)

    done = 0
    for _, index in game.decisions(seed, 0):
        check()
        done = len(game.oracle.moves)
        option = state.view(state.seat or 0).legal_actions()[index]
        expected = [moved_cards(state.describe(option, seat)) for seat in seats]
        hidden_cards += sum(cards.count(HIDDEN) for cards in expected)
        state = state.apply(option)
    check()
    return hidden_cards


@pytest.mark.parametrize("name", ["spades", "hearts", "block_rummy", "crazy_eights", "go_fish", "cribbage", "scopa", "goofspiel"])
def test_describe_names_the_cards_that_a_seat_sees_move(name: str) -> None:
    check_descriptions(RecycleGame.load(name), new_game(name, 4), 4)


def test_describe_does_not_name_a_card_drawn_after_a_shuffle() -> None:
    recycle_game = RecycleGame("reshuffle", RESHUFFLE)
    assert check_descriptions(recycle_game, game_of(parse(RESHUFFLE), 4), 4) > 5


@pytest.mark.parametrize("name", ["spades", "hearts"])
def test_describe_names_the_last_card_of_a_trick(name: str) -> None:
    recycle_game = RecycleGame.load(name)
    state = recycle_game.start(recycle_game.machine.players, Deal(3))
    tricks = 0
    while state.result is None:
        option = state.view(state.seat or 0).legal_actions()[0]
        lines = [state.describe(option, seat) for seat in range(recycle_game.machine.players)]
        if "to TRICK" in lines[0] and "from TRICK" in lines[0]:
            tricks += 1
            assert len(set(lines)) == 1
            assert HIDDEN not in lines[0]
        state = state.apply(option)
    assert tricks >= 12


@pytest.mark.parametrize(
    ("name", "abbreviated"), [("hearts", "move Q♠ to PILE"), ("scopa", "move ACE-COINS to PILE"), ("goofspiel", "move ACE-COINS to PILE")]
)
def test_describer_abbreviates_only_where_all_cards_are_standard(name: str, abbreviated: str) -> None:
    describer = RecycleGame.load(name).start(RecycleGame.load(name).machine.players, Deal(1)).describer
    assert describer.standard_cards == (name == "hearts")
    text = abbreviated.replace("Q♠", "QUEEN-SPADES")
    assert describer.abbreviate(text) == abbreviated
    assert describer.abbreviate("ACE-CLUBS") == ("A♣" if name == "hearts" else "ACE-CLUBS")
