"""Tiles, positions and answers draw themselves: well-formed SVG that names its tiles, marks what is new and what was moved."""

from xml.etree import ElementTree

from meldlab.rummikub import COLOURS, Position, TileSet, parse_rack, solve
from meldlab.rummikub.picture import FACES, INKS, draw

SVG = "{http://www.w3.org/2000/svg}"
MARK = "#b07c00"


def tiles(picture: str) -> list[ElementTree.Element]:
    return ElementTree.fromstring(picture).findall(f"{SVG}g")


def framed(picture: str) -> list[str]:
    """Return the numbers of the tiles with a frame, those from the rack with a plus behind."""
    found = []
    for tile in tiles(picture):
        if tile.find(f"{SVG}rect").get("stroke") == MARK:  # type: ignore[union-attr]
            found.append("".join("".join(text.itertext()) for text in tile.findall(f"{SVG}text")))
    return found


def test_each_colour_and_the_joker_have_a_shape_and_an_ink() -> None:
    assert set(FACES) == set(INKS) == {*COLOURS, "J"}
    assert len(set(FACES.values())) == len(set(INKS.values())) == 7


def test_a_set_and_a_position_show_their_tiles_in_order() -> None:
    picture = ElementTree.fromstring(TileSet.parse("R5 J R7")._repr_svg_())
    assert picture.findtext(f"{SVG}title") == "R5 J=R6 R7"
    assert ["".join(text.itertext()) for text in picture.iter(f"{SVG}text")] == ["5", "6", "7"]
    position = ElementTree.fromstring(Position.parse("K9 B9 O9", "R8 J")._repr_svg_())
    assert position.findtext(f"{SVG}title") == "K9 B9 O9 + R8 J"
    assert len(position.findall(f"{SVG}g")) == 5


def test_an_answer_marks_what_came_from_the_rack_and_what_moved() -> None:
    answer = solve(Position.parse("R3-5 | K5 B5 O5 | K6-8", "R5 B6 B7 O1"))
    assert sorted(framed(answer._repr_svg_())) == ["5", "5+", "6+", "7+"]
    assert "3 tiles, 18 points, 1 moved; proven best" in answer._repr_svg_()
    assert len(tiles(answer._repr_svg_())) == 9 + 3 + 1


def test_nothing_to_play_and_no_tiles() -> None:
    answer = solve(Position.parse("K9 B9 O9", "R1"))
    assert "nothing to play: draw" in answer._repr_svg_()
    assert framed(answer._repr_svg_()) == []
    assert ElementTree.fromstring(draw([])).findtext(f"{SVG}title") == "no tiles"


def test_a_wide_table_has_several_lines_and_what_is_said_is_escaped() -> None:
    picture = draw([parse_rack(f"{colour}1-13") for colour in "RKBO"], says="<b> & so")
    assert "&lt;b&gt; &amp; so" in picture
    root = ElementTree.fromstring(picture)
    assert float(root.get("width", "")) < 900
    assert float(root.get("height", "")) > 4 * 60
