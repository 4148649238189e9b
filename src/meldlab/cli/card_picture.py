"""``meldlab card-picture``: a hand drawn as SVG."""

from pathlib import Path
from typing import Annotated, Any

import typer

from meldlab.cli.options import JsonOption, print_files, read_by
from meldlab.cli.outputs import out_file
from meldlab.errors import BadText, NoSuchThing


def card_picture(
    hand: Annotated[list[str], typer.Argument(help="Cards, such as 5H 6H 7H KS, drawn in this order.")],
    out: Annotated[Path, out_file("A file ending in .svg.")],
    marked: Annotated[
        Any, typer.Option("--marked", **read_by("meldlab.cards:Hand.parse", "CARDS"), help="Of them, those that stand higher.")
    ] = "",
    four_colours: Annotated[bool, typer.Option("--four-colours", help="A colour for each suit.")] = False,
    json: JsonOption = False,
) -> None:
    """Draw cards side by side into a file.

    Example: meldlab card-picture 5H 6H 7H KS --out hand.svg
    """
    from meldlab.cache import replace_file
    from meldlab.cards import draw
    from meldlab.cards.card import read_cards

    text = " ".join(hand)
    cards = [card for card, _ in read_cards(text)]
    if not cards:
        raise BadText("no cards", text, 0)
    for card in marked:
        if card not in cards:
            raise NoSuchThing("card in the picture", str(card), map(str, cards))
    if out.suffix != ".svg":
        raise NoSuchThing("picture format", out.suffix or out.name, [".svg"])
    with replace_file(out) as file:
        file.write(draw(cards, four_colours, marked).encode())
    print_files([out], json)
