"""RECYCLE games at the table: options, what others hear, positions and records."""

from dataclasses import replace

import pytest

from meldlab.errors import MeldlabError, NotLegalHere
from meldlab.play import Deal, RandomPlayer, Record, Table
from meldlab.recycle.game import RecycleGame
from meldlab.recycle.language.limits import Limits
from meldlab.recycle.machine.machine import Machine
from meldlab.recycle.state import Option

GAMES = {name: RecycleGame.load(name) for name in ("kuhn_poker", "block_rummy", "hearts", "go_fish", "golf", "goofspiel")}


def test_options_read_back_by_their_words_and_numbers() -> None:
    state = GAMES["block_rummy"].start(2, Deal(seed=3))
    for step in range(40):
        view = state.view(state.seat or 0)
        options = view.legal_actions()
        assert len({str(option) for option in options}) == len(options)
        for option in options:
            assert view.parse(str(option)) == option == view.parse(str(option.index + 1))
            assert view.parse(state.describe(option)) == option
        state = state.apply(options[step % len(options)])


def test_a_hidden_card_is_not_named_and_what_follows_it_is_left_out() -> None:
    state = GAMES["block_rummy"].start(2, Deal(seed=3))
    assert "??" in str(state.view(0).legal_actions()[0])
    view = dict(state.view(1).locations)
    assert set(view["HAND of p1"]) == set(view["STOCK"]) == {"??"}
    assert "??" not in view["HAND of p2"]


def test_others_hear_only_what_they_see() -> None:
    state = GAMES["goofspiel"].start(3, Deal(seed=3))
    assert state.describe(state.view(0).legal_actions()[0], 1) == "has chosen"
    rummy = GAMES["block_rummy"].start(2, Deal(seed=3))
    draw = rummy.view(0).legal_actions()[0]
    assert rummy.describe(draw, 1).startswith("move ?? from STOCK to HAND of p1")
    assert "??" not in rummy.describe(draw, 0)


def test_what_is_not_an_option_is_refused() -> None:
    state = GAMES["kuhn_poker"].start(2, Deal(seed=3))
    view = state.view(0)
    for text in ("99", "fold everything"):
        with pytest.raises(MeldlabError):
            view.parse(text)
    with pytest.raises(NotLegalHere):
        state.apply(Option(1, (7,), state.view(0)))
    with pytest.raises(NotLegalHere):
        GAMES["kuhn_poker"].start(3, Deal())
    with pytest.raises(NotLegalHere):
        GAMES["kuhn_poker"].start(2, Deal(given=("2H",)))


def test_redealing_keeps_backs_and_remembered_cards() -> None:
    text = (
        "(game (setup (create players 2)"
        " (create deck RED (game hloc A) (deck (R (A, B, C, D)))) (create deck (game hloc A) (deck (R (E, F, G, H)))))"
        " (do ((remember (bottom (game hloc A)) (top (game mem M))))) (choice ((turn pass))) (scoring max 1))"
    )
    state = RecycleGame("backs", text).start(2, Deal())
    assert dict(state.view(0).locations) == {"A": ("??RED",) * 4 + ("??",) * 4, "memory M": ("A",)}
    others = [state.redeal(0, Deal(1).chance(step, 0)) for step in range(20)]
    assert all(other.view(0) == state.view(0) for other in others)
    assert len({other.position.key for other in others}) > 5


def test_positions_are_equal_whatever_empty_places_were_named() -> None:
    text = (
        "(game (setup (create players 1) (create deck (game vloc A) (deck (R (X, Y))))) (choice ("
        " ((== (size (game vloc B 1)) 0) (do ((move (top (game vloc A)) (top (game vloc B 2))))))"
        " ((== (size (game vloc B 3)) 0) (move (top (game vloc A)) (top (game vloc B 2))))))"
        " (choice ((all (indexed game vloc B) 'L (turn pass)))) (scoring max 1))"
    )
    position = Machine.compile(text).start(seed=1)
    one, other = position.take(0), position.take(1)
    assert one == other
    assert hash(one) == hash(other)
    assert one != position
    assert replace(one) == one


def test_a_record_has_the_limits_that_may_end_a_game() -> None:
    game = RecycleGame.load("kuhn_poker", limits=Limits(decisions=2))
    assert game.rules()["limits"]["decisions"] == 2
    record = Table(game, [RandomPlayer()] * 2).play(Deal(seed=2)).record
    assert Record.parse(str(record)) == record
