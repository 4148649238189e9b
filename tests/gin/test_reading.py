"""Moves as people type them: short forms mean what the notation of records says, and nonsense is refused in one line."""

import pytest

from meldlab.errors import MeldlabError
from meldlab.gin import Gin, View
from meldlab.gin.advice import position_view
from meldlab.gin.typed_moves import possible_now, read_move
from meldlab.play import Deal

GIN = position_view("2C 3C 4C 9D 9H 9S KC KD KH KS 5H")
HIGH = position_view("2C 3C 4C 9D 9H 9S KC QD JH TS 8H")


def after(*moves: str) -> View:
    """Return what the seat to act sees after some moves of a deal; ``drop`` throws its first card."""
    state = Gin().start(2, Deal(1))
    for move in moves:
        view = state.view(state.seat or 0)
        state = state.apply(read_move(view, f"drop {view.cards[0]}" if move == "drop" else move))
    return state.view(state.seat or 0)


OFFERED, DRAWING = after(), after("pass", "pass", "draw stock", "drop")


@pytest.mark.parametrize(
    ("typed", "means"),
    [
        ("5h", "drop 5H"),
        ("drop 10s", None),
        ("throw ♥5", "drop 5H"),
        ("d 5H", "drop 5H"),
        ("discard KS", "drop KS"),
        ("k", "knock 5H | 9D 9H 9S | KC KD KH KS | 2C 3C 4C"),
        ("gin", "knock 5H | 9D 9H 9S | KC KD KH KS | 2C 3C 4C"),
        ("k KS", "knock KS | 9D 9H 9S | KC KD KH | 2C 3C 4C"),
        ("knock 5H | 2C 3C 4C | 9D 9H 9S | KC KD KH KS", "knock 5H | 2C 3C 4C | 9D 9H 9S | KC KD KH KS"),
    ],
)
def test_with_eleven_cards(typed: str, means: str | None) -> None:
    if means is None:  # read, and refused by the rules: it is not in the hand
        with pytest.raises(MeldlabError):
            GIN.verify(read_move(GIN, typed))
    else:
        assert read_move(GIN, typed) == GIN.parse(means)


@pytest.mark.parametrize(
    ("view", "typed", "means"),
    [(OFFERED, "p", "pass"), (OFFERED, "t", None), (DRAWING, "d", "draw stock"), (DRAWING, "stock", "draw stock"), (DRAWING, "T", None)],
)
def test_before_a_card_is_drawn(view: View, typed: str, means: str | None) -> None:
    take = view.parse(f"take {view.upcard}")
    assert read_move(view, typed) == (view.parse(means) if means else take)
    assert read_move(view, str(view.upcard)) == take


def test_every_legal_move_reads_itself() -> None:
    for view in (GIN, HIGH, OFFERED, DRAWING):
        assert [read_move(view, str(move)) for move in view.legal_actions()] == list(view.legal_actions())


@pytest.mark.parametrize(
    ("view", "typed", "says"),
    [
        (HIGH, "k", "is more than the 10 you may knock with; you may drop"),
        (HIGH, "zebra", "no move 'zebra'; you may drop"),
        (HIGH, "drop", "which card"),
        (HIGH, "draw", "you have drawn already"),
        (HIGH, "show", "no player has knocked"),
        (GIN, "drop 5H 6H", "5H 6H"),
        (GIN, "", "no move ''"),
    ],
)
def test_why_something_cannot_be_done_now(view: View, typed: str, says: str) -> None:
    with pytest.raises(MeldlabError, match=says):
        read_move(view, typed)


def test_nonsense_behind_a_word_is_not_passed_over() -> None:
    with pytest.raises(MeldlabError):
        read_move(DRAWING, "draw zebra")
    with pytest.raises(MeldlabError):
        read_move(OFFERED, "pass the salt")
    assert possible_now(OFFERED).startswith("pass or take ")
