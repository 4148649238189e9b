"""Declared numbers set to something else: what changes, what stays, and what cannot be set."""

import pytest

from meldlab.errors import BadText, NoSuchThing, NotLegalHere
from meldlab.recycle import library
from meldlab.recycle.language.parser import parse
from meldlab.recycle.language.settings import declared_numbers, parse_settings, with_settings
from meldlab.recycle.machine.machine import Machine

TEXT = """;; a game
(game (declare 1 0 ;; ten, with 'X in a comment
 'X) (declare (+ 'X (* 2 3)) 'Y) (declare (RED, BLUE) 'COLOURS) (declare 3 'SEATS)
 (setup (create players 'SEATS) (create deck (game iloc S) (deck (C (RED, BLUE)))))
 (do ((turn pass))) (scoring max (+ 'X 'Y)))"""


def scores(text: str) -> list[int]:
    found: list[int] = Machine.compile(text).random_games(1, 0).scores[0].tolist()
    return found


def test_numbers_change_and_everything_else_stays() -> None:
    assert scores(TEXT) == [26] * 3
    assert scores(with_settings(TEXT, {"X": 4})) == [14] * 3
    assert scores(with_settings(TEXT, {"X": -4, "SEATS": 1})) == [-2]
    assert scores(with_settings(TEXT, {"Y": 100})) == [110] * 3
    assert with_settings(TEXT, {"X": 4}) == TEXT.replace("1 0 ;;", "4 ;;")
    assert with_settings(TEXT, {}) == TEXT
    assert declared_numbers(TEXT) == {"X": 10, "SEATS": 3}


@pytest.mark.parametrize("name", [name for name in library.names() if declared_numbers(library.entry(name).text)])
def test_the_value_it_has_changes_nothing(name: str) -> None:
    text = library.entry(name).text
    numbers = declared_numbers(text)
    assert parse(with_settings(text, numbers)) == parse(text)
    sevens = dict.fromkeys(numbers, 7)
    assert declared_numbers(with_settings(text, sevens)) == sevens


def test_what_cannot_be_set_is_named() -> None:
    with pytest.raises(NoSuchThing, match=r"no declared number 'SEAT' \(use X, Y, SEATS\); did you mean SEATS"):
        with_settings(TEXT, {"SEAT": 2})
    with pytest.raises(BadText, match="'COLOURS is declared, but not as a number") as wrong:
        with_settings(TEXT, {"COLOURS": 2})
    assert TEXT[wrong.value.offset :].startswith("(RED, BLUE)")
    with pytest.raises(NotLegalHere, match="the program declares no number"):
        with_settings(library.entry("whist").text, {"LIMIT": 2})
    with pytest.raises(BadText, match="0 players"):
        Machine.compile(with_settings(TEXT, {"SEATS": 0}))


@pytest.mark.parametrize(
    ("text", "problem", "at"),
    [
        ("X=", "whole number", 2),
        ("A=1,B=two", "whole number", 6),
        ("x=1", "NAME=VALUE", 0),
        ("A=1,", "NAME=VALUE", 4),
        ("X=2.5", "whole", 2),
    ],
)
def test_settings_that_cannot_be_read(text: str, problem: str, at: int) -> None:
    with pytest.raises(BadText, match=problem) as wrong:
        parse_settings(text)
    assert wrong.value.offset == at
    with pytest.raises(BadText, match="32 bits"):
        parse_settings("X=3000000000")
