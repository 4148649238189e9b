"""``meldlab deadwood``: how a hand falls into melds, and what is left."""

from typing import Annotated

import typer

from meldlab.cli.options import AcesOption, JsonOption, print_json
from meldlab.errors import BadText


def deadwood(
    hand: Annotated[list[str], typer.Argument(help="Cards, such as 5H 6H 7H 9C 9D KS.", show_default=False)],
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
    every = list(arrangements(cards, rule))
    best = every[0]
    if json:
        print_json(
            {
                "hand": str(cards),
                "melds": [list(map(str, meld.cards)) for meld in best.melds],
                "deadwood_cards": list(map(str, best.deadwood_cards)),
                "deadwood": best.deadwood,
                "complete": best.complete,
            }
        )
        return
    from rich.console import Console

    from meldlab.cli.pictures import arrangement_text

    console = Console(highlight=False)
    console.print(arrangement_text(best))
    ways = f", {len(every)} ways" if len(every) > 1 else ""
    console.print("complete" + ways if best.complete else f"deadwood {best.deadwood}{ways}")
