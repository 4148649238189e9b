"""``meldlab demo``: a tour of what works, ending with published numbers beside ours."""

from math import comb

from meldlab.cli.options import JsonOption, print_json

Row = tuple[str, str, str]


def demo(json: JsonOption = False) -> None:
    """Tour the laboratory in under two minutes; ends with a table of published and computed numbers.

    Example: meldlab demo
    """
    rows = [*meld_rows(), *stopping_rows()]
    if json:
        print_json({"rows": [{"what": what, "published": published, "computed": computed} for what, published, computed in rows]})
        return
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    show_melds(console)
    table = Table(title="published / computed here", title_justify="left")
    for column in ("what", "published", "computed here"):
        table.add_column(column)
    for row in rows:
        table.add_row(*row)
    console.print(table)
    console.print('Next: meldlab deadwood "4H 5H 6H 7H 7C 7D KS"   meldlab bench melds   meldlab --help')


def show_melds(console: object) -> None:
    """Arrange one hand and say what to throw away."""
    from rich.console import Console

    from meldlab.cards import Hand
    from meldlab.cli.pictures import arrangement_text, cards_text
    from meldlab.melds import arrange, best_discard, discards

    assert isinstance(console, Console)
    hand = Hand.parse("4H 5H 6H 7H 7C 7D 9S TS QC QD KD")
    best = arrange(hand)
    card = best_discard(hand)
    console.print("A gin hand of eleven cards:", cards_text(hand))
    console.print("arranged:                  ", arrangement_text(best), f" deadwood {best.deadwood}")
    console.print("best discard:              ", cards_text([card]), f" leaves {discards(hand)[card]}\n")


def meld_rows() -> list[Row]:
    """Count complete hands of three and four cards under the three ace rules (Finkle 2017, sections 3 and 4)."""
    import numpy as np

    from meldlab.cards import classes
    from meldlab.cards.kernel import orbit_size
    from meldlab.melds import Aces, deadwoods

    rows: list[Row] = []
    published = {3: ("96", "-", "-"), 4: ("53", "57", "65")}
    for cards, known in published.items():
        hands = classes.hands(cards)
        for rule, figure in zip(Aces, known, strict=True):
            complete = hands[deadwoods(hands, rule, (1,) * 13) == 0]
            found = sum(orbit_size(hand) for hand in complete.astype(np.int64))
            rows.append((f"complete hands of {cards} cards, aces {rule}, of {comb(52, cards):,}", figure, str(found)))
    return rows


def stopping_rows() -> list[Row]:
    """Value the stopping game: the full deck, and Shepp's constant (1969) from the values of two large ones."""
    from meldlab.stopping import Urn, equal_decks
    from meldlab.stopping.shepp import fitted

    constant, _ = fitted(equal_decks(10_000))
    return [
        ("stopping game, 26 black and 26 red", "2.62", f"{float(Urn(26, 26).value()):.2f}"),
        ("stopping game, value over root of the cards", "0.3691", f"{constant:.4f}"),
    ]
