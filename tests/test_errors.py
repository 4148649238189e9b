"""Mistakes: their text, the caret under the right place, and whole numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from meldlab.errors import MAX_COLUMNS, BadText, MeldlabError, NoSuchThing, NotLegalHere, whole_number


@pytest.mark.parametrize("mistake", [BadText("no suit", "5X", 1), NotLegalHere("not now"), NoSuchThing("player", "x", ["simple"])])
def test_whoever_catches_value_errors_catches_ours(mistake: MeldlabError) -> None:
    with pytest.raises(ValueError, match=r"no suit|not now|no player"):
        raise mistake


def test_the_caret_stands_under_the_place() -> None:
    assert str(BadText("no suit", "5H 6X", 4)) == "no suit\n  5H 6X\n      ^"
    # Behind the end of the text, and where tabs would push it away.
    assert str(BadText("more", "5H", 9)) == "more\n  5H\n    ^"
    assert str(BadText("no suit", "5H\t6X", 4)) == "no suit\n  5H 6X\n      ^"
    assert str(BadText("no cards", "  \n", 0)) == "no cards"


def test_the_line_is_named_where_there_are_several() -> None:
    assert str(BadText("wrong", "one\ntwo\nthree", 5)) == "line 2: wrong\n  two\n   ^"
    assert str(BadText("wrong", "one\n", 1)) == "wrong\n  one\n   ^"


@given(st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=MAX_COLUMNS + 1, max_size=1000), st.data())
def test_a_long_line_is_shown_around_the_place(text: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text) - 1))
    _, line, caret = str(BadText("wrong", text, at)).split("\n")
    assert len(line) <= MAX_COLUMNS + 2
    assert line[caret.index("^")] == text[at]
    assert line[2:] in text


def test_a_name_that_is_nearly_right_is_suggested() -> None:
    assert str(NoSuchThing("player", "simpel", ["simple", "random"])) == "no player 'simpel' (use simple, random); did you mean simple?"
    assert str(NoSuchThing("player", "zzz", ["simple", "random"])) == "no player 'zzz' (use simple, random)"


def test_no_such_thing_without_names_lists_none() -> None:
    assert str(NoSuchThing("match", "X", [])) == "no match 'X'"


@pytest.mark.parametrize("value", [0, 13, np.int64(7), np.uint8(3), True])
def test_whole_numbers_of_any_kind(value: int) -> None:
    found = whole_number(value, "number", maximum=13)
    assert type(found) is int
    assert found == value


@pytest.mark.parametrize("value", [-1, 14, 1.0, "3", None, np.float64(3)])
def test_what_is_no_such_number(value: int) -> None:
    with pytest.raises(NotLegalHere, match="number must be a whole number from 0 to 13, not "):
        whole_number(value, "number", maximum=13)


def test_the_end_of_all_numbers_is_spoken() -> None:
    assert whole_number(2**63 - 1, "seed") == 2**63 - 1
    with pytest.raises(NotLegalHere, match=r"from 0 to 2\^63 - 1, not 9223372036854775808"):
        whole_number(2**63, "seed")


def test_of_very_many_names_only_some_are_told() -> None:
    said = str(NoSuchThing("option", "x" * 2000, [f"name {number}" for number in range(50_000)]))
    assert "name 199 or 49800 more)" in said
    assert "name 200" not in said
