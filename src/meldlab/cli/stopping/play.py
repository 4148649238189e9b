"""``meldlab stopping play``: a person against the pile."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from meldlab.cli.options import need_input, seed_option, taking
from meldlab.cli.stopping.options import AT_ONCE, advice_text, read_urn
from meldlab.errors import NotLegalHere

if TYPE_CHECKING:
    from rich.text import Text

    from meldlab.stopping import Sitting, Urn


@taking(urn=read_urn)
def play(
    urn: "Urn",
    seed: Annotated[int | None, seed_option("The same seed gives the same pile; without one it is random.")] = None,
) -> None:
    """Play against the pile: draw, stop, or ask for advice.

    Example: meldlab stopping play --seed 7
    """
    from secrets import randbelow

    from meldlab.stopping import Sitting

    need_input()
    if urn.exact_seconds > AT_ONCE:
        raise NotLegalHere(f"{urn.black},{urn.red} is too large a deck for advice at once; play with a smaller one")
    seed = randbelow(10**6) if seed is None else seed
    table = Sitting.shuffled(urn, seed)
    try:
        print(f"{urn.black} black cards win {urn.gain} each, {urn.red} red cards lose {urn.loss} each. Seed {seed}.")
        print("d or Enter: draw   s: stop   ?: advice")
        table = _played(table)
    except KeyboardInterrupt:
        print("\ninterrupted", file=sys.stderr)
        raise typer.Exit(130) from None
    _end(table, seed)


def _played(table: "Sitting") -> "Sitting":
    """Return where the player stops, or the empty pile."""
    from rich.console import Console

    from meldlab.stopping.notation import amount_text

    console = Console(highlight=False)
    while not table.over:
        rest = table.rest
        asked = _ask(f"won {amount_text(table.urn.won(rest))}; {rest.black} black and {rest.red} red left> ")
        if asked in ("", "d", "draw"):
            table = table.draw()
            console.print(" ", _card_text(table))
        elif asked in ("s", "stop", "q", "quit"):
            return table
        elif asked == "?":
            print(" ", advice_text(table.advice()))
        else:
            print(f"  no move {asked!r} (use d, s or ?)")
    return table


def _card_text(table: "Sitting") -> "Text | str":
    from meldlab.cli.pictures import cards_text

    card = table.last_card
    return card if isinstance(card, str) else cards_text([card])


def _ask(prompt: str) -> str:
    """Return what the player types; the end of the input means to stop."""
    try:
        return input(prompt).strip().lower()
    except EOFError:
        print()
        return "s"


def _end(table: "Sitting", seed: int) -> None:
    from meldlab.stopping import Sitting
    from meldlab.stopping.notation import amount_text

    urn = table.urn
    best = Sitting.shuffled(urn, seed).played_out()
    why = "The pile is empty" if table.over else "You stop"
    print(f"{why}: you won {amount_text(urn.won(table.rest))} with {table.drawn} cards.")
    here, average = amount_text(urn.won(best.rest)), amount_text(urn.value())
    print(f"The best policy wins {here} on this pile, with {best.drawn} cards, and {average} on average.")
