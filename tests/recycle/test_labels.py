"""Labels: where they are read, the texts they give, and that they show no hidden card."""

from collections.abc import Iterator
from typing import Any

import pytest

from meldlab.play import Deal, RandomPlayer, Step, Table
from meldlab.recycle import library
from meldlab.recycle.check import check_program
from meldlab.recycle.game import RecycleGame
from meldlab.recycle.language.labels import COMMENT, Labels
from meldlab.recycle.language.parser import parse

DECK = "(create deck (game iloc STOCK) (deck (RANK (ACE, TWO, THREE)) (SUIT (CLUBS, HEARTS))))"
TURN = """(game
 (setup (create players 2) {deck})
 (do ((all player 'P (repeat 2 (move (top (game iloc STOCK)) (top ('P iloc HAND)))))))
 (stage player
  (end (== (size ((current player) iloc HAND)) 0))
  (choice (
   {above}
   (any ((current player) iloc HAND) 'C
    (any (other player) 'P
     (do ((set (game sto ASKED) (pid 'P)) (move 'C (top (game vloc PILE))))))))))
 (scoring max (size ((current player) iloc HAND))))"""


def game(before: str = "", above: str = "") -> RecycleGame:
    return RecycleGame("turn", before + "\n" + TURN.format(deck=DECK, above=above))


def steps(name: str, seed: int, limit: int) -> Iterator[Step[Any]]:
    loaded = RecycleGame.load(name)
    for number, step in enumerate(Table(loaded, [RandomPlayer()] * loaded.machine.players).steps(Deal(seed))):
        if number == limit:
            return
        yield step


@pytest.mark.parametrize(
    ("before", "above", "text"),
    [
        ("", "", "asked 2; play 3♥"),
        (";;= HAND -> PILE: throw {cards}\n;;= set ASKED:", "", "throw 3♥"),
        (";;= set ASKED: call {value}\n;;= HAND -> PILE:", "", "call 2"),
        (";;= HAND -> PILE: {giver} gives {cards} to {taker}\n;;= set ASKED:", "", "p1 gives 3♥ to the table"),
        ("", ";;= ask {'P} for {'C}", "ask p2 for 3♥"),
        ("", ";;= ask number {ASKED}", "ask number 2"),
        (";;= HAND -> PILE:\n;;= set ASKED:", "", "continue"),
    ],
)
def test_label_of_option_fills_its_fields(before: str, above: str, text: str) -> None:
    view = game(before, above).start(2, Deal(1)).view(0)
    assert view.label(0) == text


@pytest.mark.parametrize(
    ("before", "above", "message"),
    [
        (";;= HNAD -> PILE: play {cards}", "", "no location HNAD; did you mean HAND?"),
        (";;= HAND -> PILE: play {card}", "", "no field card; did you mean cards?"),
        (";;= set ASK: {value}", "", "no storage ASK; did you mean ASKED?"),
        (";;= match: many", "", "expected the score that ends a match, got 'many'"),
        (";;= play a card", "", "a label before (game starts with what it labels: NAME:, NAME -> NAME:, set NAME:, next:, pass: or match:"),
        ("", ";;= ask {'Q}", "no variable 'Q"),
        ("", ";;= HAND -> PILE: play", "this label stands before (game"),
    ],
)
def test_label_of_nothing_is_reported_at_its_place(before: str, above: str, message: str) -> None:
    text = game(before, above).text
    diagnostics = [diagnostic for diagnostic in check_program(text, games=0).diagnostics if diagnostic.code == "W115"]
    assert [diagnostic.message for diagnostic in diagnostics] == [message]
    assert text[diagnostics[0].offset :].startswith(";;=")


def test_label_inside_must_stand_above_a_choice_item_or_any() -> None:
    text = game().text.replace(" (stage player\n", " ;;= a turn\n (stage player\n")
    assert [diagnostic.message for diagnostic in Labels.parse(text, parse(text)).diagnostics] == [
        "this label stands above a choice, an item of a choice or an any"
    ]


def test_program_with_labels_plays_like_one_without() -> None:
    text = library.entry("hearts").text
    bare = RecycleGame("bare", COMMENT.sub("", text))
    labelled, plain = RecycleGame("labelled", text).machine.random_games(50, seed=1), bare.machine.random_games(50, seed=1)
    assert labelled.scores.tolist() == plain.scores.tolist()
    assert labelled.decisions.tolist() == plain.decisions.tolist()


@pytest.mark.parametrize("name", library.names())
def test_labels_of_the_library_name_what_the_program_has(name: str) -> None:
    labels = RecycleGame.load(name).machine.checked.labels
    assert labels.diagnostics == ()
    assert labels.moves


@pytest.mark.parametrize("name", library.names())
def test_label_of_an_option_names_that_option_again(name: str) -> None:
    for step in steps(name, seed=2, limit=12):
        view = step.before.view(step.seat)
        options = view.legal_actions()
        labels = [view.label(index) for index in range(len(options))]
        assert len(set(labels)) == len(labels)
        records = set(map(str, options))
        assert all(view.parse(label) == option for label, option in zip(labels, options, strict=True) if label not in records)


@pytest.mark.parametrize("name", library.names())
def test_narration_does_not_depend_on_hidden_cards(name: str) -> None:
    """A redeal of the cards that a seat cannot see changes neither its labels nor what it sees of an action without cards of others."""
    for step in steps(name, seed=3, limit=8):
        view = step.before.view(step.seat)
        other = step.before.redeal(step.seat, Deal(9).chance(0, step.seat)).view(step.seat)
        count = len(view.legal_actions())
        assert [view.label(index) for index in range(count)] == [other.label(index) for index in range(count)]
        assert (view.facts, view.places) == (other.facts, other.places)


def test_narration_hides_cards_that_a_seat_does_not_see() -> None:
    step = next(step for step in steps("cribbage", seed=3, limit=2))
    seen, hidden = (step.narrate(seat) for seat in (step.seat, 1 - step.seat))
    assert hidden == "put 2 cards into the crib"
    assert seen == step.before.view(step.seat).label(step.action.index)


def test_listing_sorts_options_that_differ_in_their_cards() -> None:
    view = next(step for step in steps("hearts", seed=3, limit=2) if step.seat == 3).before.view(3)
    assert [view.label(index) for index in view.listing] == ["play 3♣", "play 4♣", "play 5♣", "play 9♣"]
