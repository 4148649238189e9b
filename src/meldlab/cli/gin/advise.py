"""``meldlab gin advise``: what to do with a hand, and why."""

from typing import TYPE_CHECKING, Annotated

import typer

from meldlab.cli.gin.options import RulesOption
from meldlab.cli.options import JsonOption, print_json

if TYPE_CHECKING:
    from rich.console import Console

    from meldlab.gin.advice import Advice

TEN = 10
TELLING = 0.1  # chances that differ by less say nothing
FEW = 6


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
    """Say what a player would do and why, and what it makes of the other moves.

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
    """Print the best move and why, then every move that was weighed, the best first."""
    from rich.table import Table

    from meldlab.cli.pictures import cards_drawn, cards_text
    from meldlab.gin import Verb

    best = str(advice.move).partition(" | ")[0]
    console.print(cards_drawn(f"best: {advice.move}: {advice.reason}"), soft_wrap=not console.is_terminal)
    worth = {str(move).partition(" | ")[0]: value for move, value in sorted(advice.values, key=lambda one: -one.value)}
    left = {f"{verb} {card}": left for card, left in advice.after.items() for verb in (Verb.DROP, Verb.KNOCK)}
    moves = dict.fromkeys((best, *worth)) if worth else ()
    table = Table("move", box=None, padding=(0, 1))
    table.add_column("worth", justify="right")
    if left:
        table.add_column("deadwood left", justify="right")
    for move in moves:
        known = [f"{worth[move]:+.1f}" if move in worth else ""] + ([str(left.get(move, ""))] if left else [])
        table.add_row(cards_drawn(move), *known)
    if moves:
        console.print(table)
        console.print("worth: what the adviser expects of the move, more is better")
    sure = sorted(advice.outlook.in_stock.items(), key=lambda item: item[1])
    if advice.move.verb is not Verb.SHOW and sure and sure[-1][1] - sure[0][1] > TELLING:
        far, near = ([card for card, _ in some[:FEW]] for some in (sure, sure[::-1]))
        console.print("in stock hardly:", cards_text(far), "  likely:", cards_text(near))
