"""Notation and sets: everything reads back, every mistake has its place."""

from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meldlab.errors import BadText, MeldlabError, NoSuchThing, NotLegalHere
from meldlab.rummikub import JOKER, Column, Position, Rules, Tile, TileSet, best_reading, columns, format_table, parse_rack, parse_table
from meldlab.rummikub.checker import is_legal
from meldlab.rummikub.random_positions import box
from meldlab.rummikub.sets import readings

some_columns = st.sampled_from(columns())
some_tiles = st.lists(st.sampled_from(box()), max_size=8).map(tuple)


@given(st.sampled_from(box()), st.booleans())
def test_tiles_read_back(tile: Tile, joker: bool) -> None:
    laid = Tile(tile.colour, tile.number, joker=True) if joker and not tile.joker else tile
    assert Tile.parse(str(laid)) == laid
    assert Tile.parse(str(laid).lower()) == laid
    assert eval(repr(laid)) == laid


@given(some_columns)
def test_sets_read_back_in_every_reading(column: Column) -> None:
    for reading in readings(column):
        assert TileSet.parse(str(TileSet(reading))).tiles == reading
        assert is_legal([tile.stands_for for tile in reading], Rules())
    assert best_reading(column).points == max(sum(tile.number for tile in reading) for reading in readings(column))


@given(some_tiles)
def test_readings_exist_exactly_for_sets(tiles: tuple[Tile, ...]) -> None:
    column = Column.of(tiles)
    if len(column) <= 5 and column.jokers <= Rules().jokers:
        assert bool(readings(column)) == (column in set(columns()))


@given(st.lists(some_columns, max_size=4), st.sampled_from([" | ", ";", "\n", " ;\n", "\n\n", "|\r\n"]))
def test_tables_read_with_every_separator(some: list[Column], separator: str) -> None:
    table = tuple(best_reading(column) for column in some)
    assert parse_table(separator.join(map(str, table))) == table


@given(st.sampled_from(box()))
def test_names_of_colours_read_as_their_letters(tile: Tile) -> None:
    names = {"R": "red", "K": "black", "B": "Blue", "O": "ORANGE"}
    text = "joker" if tile.joker else f"{names[str(tile)[0]]} {tile.number}"
    assert Tile.parse(text) == tile


@pytest.mark.parametrize(
    ("text", "table"),
    [
        ("R3-5, K5 B5 O5", "R3-5 | K5 B5 O5"),
        ("R3, R4, R5", "R3-5"),
        ("R1-3, R4-6", "R1-6"),
        ("R5, J, R7 | red 1-3, black 1, black 2, black 3", None),
        ("R3-5, K5 B5", None),
        ("red 3-5, joker blue 2 blue 3; orange 9, red 9, black 9", "R3-5 | J B2 B3 | O9 R9 K9"),
        ("R1-3\nR4-6", "R1-3 | R4-6"),
        ("red1-3; black4, Black5 black6", "R1-3 | K4-6"),
    ],
)
def test_commas_separate_tiles_or_whole_sets(text: str, table: str | None) -> None:
    if table is None:
        with pytest.raises(BadText, match="neither one number nor one colour"):
            parse_table(text)
    else:
        assert parse_table(text) == parse_table(table)


@given(st.lists(some_columns, max_size=4))
def test_tables_read_back(some: list[Column]) -> None:
    table = tuple(best_reading(column) for column in some)
    assert parse_table(format_table(table)) == table


@given(st.text(alphabet="RKBOJGrjed=0123456789-|; ,x♠\n", max_size=30))
def test_nonsense_is_one_of_our_errors(text: str) -> None:
    for read in (parse_table, parse_rack, Tile.parse):
        with suppress(MeldlabError):
            read(text)


def test_336_columns_have_more_than_one_value() -> None:
    values = [{sum(tile.number for tile in reading) for reading in readings(column)} for column in columns()]
    assert sum(len(some) > 1 for some in values) == 336


@pytest.mark.parametrize(
    ("text", "problem", "at"),
    [
        ("R5 X6", "no colour 'X'", 3),
        ("R5 R14", "no number 14", 4),
        ("R5 R0", "no number 0", 4),
        ("R7-R5", "a range goes upwards", 4),
        ("R5-K7", "a range stays in one colour", 3),
        ("J=R5", "a joker on the rack stands for nothing", 0),
        ("J=J", "a joker stands for one tile", 2),
        ("R", "no tile 'R'", 1),
        ("R5x", "no tile 'R5x'", 2),
        ("red", "no tile 'red'", 0),
        ("B3 red, 12", "no tile 'red'", 3),
        ("red x", "no tile 'red'", 0),
        ("red 14", "no number 14", 4),
        ("red 12x", "no number '12x' after red", 6),
        ("red 7-5", "a range goes upwards", 6),
        ("red 5 6", "no tile '6'", 6),
        ("green 5", "no colour 'G'", 0),
    ],
)
def test_a_bad_rack_has_a_caret(text: str, problem: str, at: int) -> None:
    with pytest.raises(BadText, match=problem) as caught:
        parse_rack(text, Rules())
    assert caught.value.offset == at


@pytest.mark.parametrize(
    ("text", "problem", "at"),
    [
        ("R5 R6 R7 | K9 B9", "set 2, K9 B9: a set has at least 3 tiles", 11),
        ("R5 R6 R8", "set 1, R5 R6 R8: the run lacks R7", 0),
        ("R5 K6 B7", "set 1, R5 K6 B7: neither one number nor one colour", 0),
        ("R5 K5 B5 O5 J", "set 1, R5 K5 B5 O5 J: a group has at most 4 tiles", 0),
        ("R5 K5 R5", "set 1, R5 K5 R5: R5 twice", 0),
        ("R5 R6 R7 | | K9 B9 O9", "set 2 is empty", 10),
        ("R5 J=K9 R7", "set 1, no set reads R5 J=K9 R7", 0),
        ("R5-7\nK9 B9", "set 2, K9 B9: a set has at least 3 tiles", 5),
        ("R5-7; ; K9 B9 O9", "set 2 is empty", 5),
        ("R5-7\n\nK9 B9 X9", "set 2, no colour 'X'", 12),
    ],
)
def test_a_bad_table_names_the_set(text: str, problem: str, at: int) -> None:
    with pytest.raises(BadText, match=problem) as caught:
        parse_table(text)
    assert caught.value.offset == at


def test_a_joker_means_what_its_place_says() -> None:
    assert str(TileSet.parse("J R5 R6")) == "J=R4 R5 R6"
    assert str(TileSet.parse("R5 R6 J")) == "R5 R6 J=R7"
    assert str(TileSet.parse("J R1 R2")) == "R1 R2 J=R3"
    assert str(TileSet.parse("J=R7 R5 R6")) == "R5 R6 J=R7"
    assert TileSet.parse("R5 J J").points == 18


@given(st.lists(some_columns, max_size=3), some_tiles, st.booleans())
def test_positions_read_back(some: list[Column], rack: tuple[Tile, ...], opened: bool) -> None:
    try:
        position = Position(tuple(best_reading(column) for column in some), tuple(sorted(rack)), opened=opened)
    except NotLegalHere:
        return
    assert Position.parse(str(position)) == position
    assert eval(repr(position)) == position
    other = replace(position, rules=Rules(joker_rule="strict", opening=20))
    assert eval(repr(other)) == other
    assert Position.parse(str(other), rules=other.rules) == other


@pytest.mark.parametrize(("text", "problem"), [("R5 R6 R7", "its table, a plus and the rack"), ("R5 R6 R7 + X1", "no colour 'X'")])
def test_a_position_that_cannot_be_read(text: str, problem: str) -> None:
    with pytest.raises(BadText, match=problem):
        Position.parse(text)


@pytest.mark.parametrize(
    ("table", "rack", "problem"),
    [
        ((), (Tile(4, 3),), "no tile G3 can be on a rack"),
        ((), (Tile(0, 14),), "no tile R14 can be on a rack"),
        ((), (Tile(0, 0),), "no tile R0 can be on a rack"),
        ((), (Tile(-1, 5),), r"no tile \(-1, 5\) can be on a rack"),
        ((), (Tile(99, 5),), r"no tile \(99, 5\) can be on a rack"),
        ((), (Tile(0, 5, joker=True),), "no tile J=R5 can be on a rack"),
        ((TileSet(()),), (), "is not a set"),
        ((TileSet((Tile(0, 1), Tile(0, 2))),), (), "R1 R2 is not a set"),
        ((TileSet((Tile(0, 1), Tile(0, 2), Tile(0, 4))),), (), "R1 R2 R4 is not a set"),
        ((TileSet((Tile(0, 12), Tile(0, 13), Tile(0, 14))),), (), "R12 R13 R14 is not a set"),
        ((TileSet((Tile(4, 1), Tile(4, 2), Tile(4, 3))),), (), "G1 G2 G3 is not a set"),
        ((TileSet((JOKER, Tile(0, 2), Tile(0, 3))),), (), "J R2 R3 is not a set"),
    ],
)
def test_the_constructor_checks(table: tuple[TileSet, ...], rack: tuple[Tile, ...], problem: str) -> None:
    with pytest.raises(NotLegalHere, match=problem):
        Position(table, rack)


def test_too_many_copies() -> None:
    with pytest.raises(NotLegalHere, match="3 tiles R5 on table and rack together"):
        Position.parse("R5 R6 R7", "R5 R5")
    with pytest.raises(NotLegalHere, match="3 tiles J"):
        Position.parse("R5 J J", "J")


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"colours": 9}, "9 colours"),
        ({"jokers": 5}, "5 jokers"),
        ({"smallest": 5, "colours": 3, "numbers": 4}, "no set of 5 tiles exists"),
        ({"numbers": 1}, "1 numbers"),
        ({"numbers": 13.5}, "whole number, not 13.5"),
        ({"copies": 10**30}, "copies"),
    ],
)
def test_contradictory_rules(fields: dict[str, float], problem: str) -> None:
    with pytest.raises(NotLegalHere, match=problem):
        Rules(**fields)  # type: ignore[arg-type]


def test_an_unknown_family() -> None:
    with pytest.raises(NoSuchThing, match="did you mean free"):
        Rules(joker_rule="fre")
    assert JOKER.piece == JOKER
