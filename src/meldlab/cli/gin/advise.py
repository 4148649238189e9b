"""``meldlab gin advise``: what to do with a hand, and why."""

from typing import TYPE_CHECKING, Annotated

import typer

from meldlab.cli.gin.options import RulesOption
from meldlab.cli.options import JsonOption, print_json

if TYPE_CHECKING:
    from rich.console import Console

    from meldlab.gin.advice import Advice

TEN = 10


def advise(
    hand: Annotated[str, typer.Option("--hand", help="Ten cards before a draw, or eleven before a discard.")],
    upcard: Annotated[str, typer.Option("--upcard", help="The top of the discard pile.")] = "",
    discards: Annotated[str, typer.Option("--discards", help="The pile below the upcard, oldest first.")] = "",
    opponent: Annotated[str, typer.Option("--opponent", help="Cards the opponent is known to hold.")] = "",
    turn: Annotated[int, typer.Option("--turn", min=0, help="Cards you have drawn, if more than the pile tells.")] = 0,
    player: Annotated[str, typer.Option("--player", help="Any player that says what its moves are worth, also yours.")] = "computed:light",
    rules: RulesOption = "eaai",
    json: JsonOption = False,
) -> None:
    """Say what a player would do: deadwood after each discard, where each unseen card may be, what may still be melded.

    Example: meldlab gin advise --hand "2C 3C 4C 9D 9H 9S KC KD 4H 5S" --upcard KH
    """
    from rich.console import Console

    from meldlab.cards import Hand
    from meldlab.cli.gin.hints import expected_turns, hint
    from meldlab.gin.advice import advise as ask
    from meldlab.gin.advice import imagined_view
    from meldlab.gin.players import parse

    view = imagined_view(hand, upcard, discards, opponent, turn=turn, rules=rules)
    advice = ask(view, parse(player))
    rest = view.hand - Hand.from_mask(1 << advice.move.index) if advice.move.index >= 0 else view.hand
    turns = expected_turns(rest) if len(rest) == TEN else {}
    if json:
        print_json(
            {
                "hand": str(view.hand),
                "move": str(advice.move),
                "reason": advice.reason,
                "expected_turns": {name: round(value, 3) for name, value in turns.items()},
                "deadwood": advice.deadwood,
                "deadwood_after": {str(card): left for card, left in advice.after.items()},
                "in_stock": {str(card): round(p, 4) for card, p in advice.outlook.in_stock.items()},
                "meldability": {str(card): round(value, 3) for card, value in advice.outlook.meldability.items()},
                "values": {str(move): round(value, 5) for move, value in advice.values},
            }
        )
        return
    console = Console(highlight=False)
    print_advice(console, advice)
    if turns:
        console.print(hint(turns))


def print_advice(console: "Console", advice: "Advice") -> None:
    """Print the move, its reason, and the numbers behind it."""
    from rich.table import Table

    from meldlab.cli.pictures import cards_text

    console.print(f"{advice.move}: {advice.reason}", markup=False)
    values = {str(move): value for move, value in advice.values}
    table = Table("card", "may meld", box=None, padding=(0, 1))
    if advice.after:
        table.add_column("deadwood without it", justify="right")
        table.add_column("value without it", justify="right")
    for card, value in sorted(advice.outlook.meldability.items(), key=lambda item: item[1]):
        row = [f"{value:.2f}" if value < 40 else "melded"]
        if advice.after:
            value_after = values.pop(f"drop {card}", None)
            row += [str(advice.after[card]), "" if value_after is None else f"{value_after:.4f}"]
        table.add_row(cards_text([card]), *row)
    console.print(table)
    for move, value in values.items():
        console.print(f"{move}: {value:.4f}", markup=False)
    likely = sorted(advice.outlook.in_stock.items(), key=lambda item: -item[1])
    console.print("in stock, likeliest:  ", *(f"{card} {p:.2f}" for card, p in likely[:8]))
    console.print("in stock, unlikeliest:", *(f"{card} {p:.2f}" for card, p in likely[:-9:-1]))
