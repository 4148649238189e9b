"""``meldlab deadwood`` and ``card-picture``: one hand arranged into melds, or drawn as SVG."""

from pathlib import Path
from typing import Annotated

import typer

from meldlab.cli.options import AcesOption, JsonOption, out_file
from meldlab.cli.output import print_files, print_json
from meldlab.errors import BadText, NoSuchThing


def deadwood(
    hand: Annotated[list[str], typer.Argument(metavar="CARDS", help="Cards, such as 5H 6H 7H 9C 9D KS.", show_default=False)],
    aces: AcesOption = "low",
    json: JsonOption = False,
) -> None:
    """Arrange a hand into melds with the least deadwood.

    Example: meldlab deadwood "5H 6H 7H 9C 9D KS"
    """
    from meldlab.cards import Hand
    from meldlab.cards.card import read_cards
    from meldlab.melds import MAX_CARDS, Aces, arrangements

    text = " ".join(hand)
    rule, cards = Aces.parse(aces), Hand.parse(text)
    if not cards:
        raise BadText("no cards", text, 0)
    if len(cards) > MAX_CARDS:
        first_too_many = list(read_cards(text))[MAX_CARDS][1]
        raise BadText(f"{len(cards)} cards are too many to arrange (at most {MAX_CARDS})", text, first_too_many)
    ways = list(arrangements(cards, rule))
    best = ways[0]
    if json:
        from meldlab.schemas.hands import DeadwoodAnswer

        print_json(DeadwoodAnswer.from_arrangement(cards, best))
        return
    from rich.console import Console

    from meldlab.cli.pictures import arrangement_text

    console = Console(highlight=False)
    console.print(arrangement_text(best))
    count = f", {len(ways)} ways" if len(ways) > 1 else ""
    console.print("complete" + count if best.complete else f"deadwood {best.deadwood}{count}")


def card_picture(
    hand: Annotated[list[str], typer.Argument(metavar="CARDS", help="Cards, such as 5H 6H 7H KS, drawn in this order.")],
    out: Annotated[Path, out_file("SVG file to write.", "FILE.svg")],
    marked: Annotated[str, typer.Option("--marked", metavar="CARDS", help="Cards of the picture that are raised.")] = "",
    four_colours: Annotated[bool, typer.Option("--four-colours", help="Draw each suit in its own colour.")] = False,
    json: JsonOption = False,
) -> None:
    """Draw cards side by side into an SVG file.

    Example: meldlab card-picture 5H 6H 7H KS --out hand.svg
    """
    from meldlab.cache import replace_file
    from meldlab.cards import Hand, draw
    from meldlab.cards.card import read_cards

    text, raised = " ".join(hand), Hand.parse(marked)
    cards = [card for card, _ in read_cards(text)]
    if not cards:
        raise BadText("no cards", text, 0)
    for card in raised:
        if card not in cards:
            raise NoSuchThing("card in the picture", str(card), map(str, cards))
    if out.suffix != ".svg":
        raise NoSuchThing("picture format", out.suffix or out.name, [".svg"])
    with replace_file(out) as file:
        file.write(draw(cards, four_colours, raised).encode())
    print_files([out], json)
