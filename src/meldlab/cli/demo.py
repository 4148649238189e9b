"""``meldlab demo``: a tour of what works, ending with published numbers beside ours."""

from math import comb

from meldlab.cli.options import JsonOption, print_json

Row = tuple[str, str, str]


def demo(json: JsonOption = False) -> None:
    """Tour the laboratory in under two minutes; ends with a table of published and computed numbers.

    Example: meldlab demo
    """
    rows = [*meld_rows(), *rummikub_rows()]
    if json:
        print_json({"rows": [{"what": what, "published": published, "computed": computed} for what, published, computed in rows]})
        return
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    show_melds(console)
    show_rummikub(console)
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


def show_rummikub(console: object) -> None:
    """Solve one Rummikub turn and say how to carry it out."""
    from rich.console import Console

    from meldlab.cli.tiles import rack_text, table_text
    from meldlab.rummikub import Position, moves, solve

    assert isinstance(console, Console)
    position = Position.parse("R3-5 | K5 B5 O5 | K6-8", "R5 B6 B7 O1")
    answer = solve(position)
    console.print("A Rummikub rack:", rack_text(position.rack), "and the table after the best move:")
    console.print(table_text(answer.table, answer))
    for number, move in enumerate(moves(answer), 1):
        console.print(f"  {number}. {move}")
    console.print()


def rummikub_rows() -> list[Row]:
    """Count the sets of Rummikub (den Hertog and Hulshof 2006, Table 1, which counts one run of five too many)."""
    from meldlab.rummikub import columns

    return [("different sets in Rummikub, jokers included", "1174 (one too many)", str(len(columns())))]
