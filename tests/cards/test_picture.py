"""Pictures are well-formed SVG, name their cards, and tell suits apart without colour."""

from xml.etree import ElementTree

import pytest

from meldlab.cards import CARDS, Card, Hand, draw
from meldlab.cards.picture import FOUR_COLOURS, TWO_COLOURS
from meldlab.errors import NotLegalHere
from meldlab.melds import Meld, arrange

SVG = "{http://www.w3.org/2000/svg}"


def texts(picture: str) -> list[str]:
    return ["".join(element.itertext()) for element in ElementTree.fromstring(picture).iter(f"{SVG}text")]


@pytest.mark.parametrize("four_colours", [False, True])
def test_a_picture_of_the_whole_deck(four_colours: bool) -> None:
    picture = ElementTree.fromstring(draw(CARDS, four_colours=four_colours))
    assert picture.tag == f"{SVG}svg"
    assert picture.findtext(f"{SVG}title") == " ".join(map(str, CARDS))
    palette = FOUR_COLOURS if four_colours else TWO_COLOURS
    colours = [group.get("fill") for group in picture.findall(f"{SVG}g")]
    assert colours == [palette[card.suit] for card in CARDS]


@pytest.mark.parametrize(("four_colours", "colours"), [(False, 2), (True, 4)])
def test_each_suit_has_its_own_shape_and_in_four_colours_its_own_colour(four_colours: bool, colours: int) -> None:
    cards = ElementTree.fromstring(draw(Hand.parse("AC AD AH AS"), four_colours=four_colours)).findall(f"{SVG}g")
    shapes = [[path.get("d") for path in card.iter(f"{SVG}path")] for card in cards]
    # A card shows its suit twice, the same both times; no two suits look alike.
    assert all(len(each) == 2 and len(set(each)) == 1 for each in shapes)
    assert len({each[0] for each in shapes}) == 4
    assert len({card.get("fill") for card in cards}) == colours


def test_every_value_draws_itself() -> None:
    assert texts(Card.parse("TS")._repr_svg_()) == ["10"]
    assert texts(Hand.parse("KS 5H")._repr_svg_()) == ["5", "K"]
    assert texts(Meld.parse("AH KH QH")._repr_svg_()) == ["Q", "K", "A"]
    assert texts(arrange("KS 5H 6H 7H")._repr_svg_()) == ["5", "6", "7", "K"]


def test_marked_cards_stand_higher() -> None:
    plain, marked = (draw(Hand.parse("5H 6H"), marked=Hand.parse(text)) for text in ("", "6H"))
    places = [[group.get("transform") for group in ElementTree.fromstring(svg).findall(f"{SVG}g")] for svg in (plain, marked)]
    assert places[0][0] == places[1][0]
    assert places[0][1] != places[1][1]


def test_groups_stand_apart() -> None:
    widths = [float(ElementTree.fromstring(arrange(hand)._repr_svg_()).get("width", "")) for hand in ("5H 6H 7H 8H", "5H 6H 7H KS")]
    assert widths[0] < widths[1]


def test_no_cards_and_no_card() -> None:
    assert ElementTree.fromstring(draw([])).findtext(f"{SVG}title") == "no cards"
    for nothing in ("5H", 5, [None]):
        with pytest.raises(NotLegalHere):
            draw(nothing)  # type: ignore[arg-type]
