"""``meldlab gin advise``: what to do with a hand, and why."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from meldlab.cli.gin.options import RulesOption
from meldlab.cli.options import JsonOption, print_json, read_by
from meldlab.errors import BadText

if TYPE_CHECKING:
    from rich.console import Console

    from meldlab.gin import View
    from meldlab.gin.advice import Advice
    from meldlab.gin.review import Candidate

TELLING = 0.1  # chances that differ by less say nothing
FEW = 6


def _scores(text: str | tuple[int, int]) -> tuple[int, int]:
    """Read two scores as they are said, ``40 to 70``, or with a comma or a dash between them."""
    if isinstance(text, tuple):  # the default
        return text
    words = text.replace("to", " ").replace(",", " ").replace("-", " ").split()
    if len(words) != len((0, 0)) or not all(word.isdecimal() and len(word) <= FEW for word in words):
        raise BadText("two scores wanted, yours first, as in 40,70", text, 0)
    return int(words[0]), int(words[1])


def advise(
    hand: Annotated[str, typer.Option("--hand", help="Ten cards before a draw, or eleven before a discard.")],
    upcard: Annotated[str, typer.Option("--upcard", help="The top of the discard pile.")] = "",
    discards: Annotated[str, typer.Option("--discards", help="The pile below the upcard, oldest first.")] = "",
    opponent: Annotated[str, typer.Option("--opponent", help="Cards the opponent is known to hold.")] = "",
    turn: Annotated[int, typer.Option("--turn", min=0, help="Cards you have drawn, if more than the pile tells.")] = 0,
    scores: Annotated[Any, typer.Option("--scores", **read_by(_scores, "YOURS,OTHERS"), help="Points in the match.")] = (0, 0),
    knock_limit: Annotated[
        int | None,
        typer.Option("--knock-limit", help="Most deadwood to knock with under Oklahoma rules, if the first upcard is not given."),
    ] = None,
    player: Annotated[
        str | None, typer.Option("--player", help="Ask this one instead: any that says what its moves are worth, also yours.")
    ] = None,
    rules: RulesOption = "eaai",
    json: JsonOption = False,
) -> None:
    """Say what to do and why, with the chance to win the match and the points that each move leads to.

    Each move is played out on 200 deals of the unseen cards, as champion believes them to lie.

    Example: meldlab gin advise --hand "2C 3C 4C 9D 9H 9S KC KD 4H 5S" --upcard KH
    """
    from rich.console import Console

    from meldlab.gin.advice import advise as ask
    from meldlab.gin.advice import position_view
    from meldlab.gin.players import parse
    from meldlab.gin.turn_estimate import turns_after, turns_text
    from meldlab.waiting.storage import table_turns

    view = position_view(hand, upcard, discards, opponent, turn=turn, rules=rules, scores=scores, limit=knock_limit)
    advice = ask(view, parse(player) if player else None)
    turns = turns_after(view, advice.move, table_turns)
    if json:
        print_json(
            {
                "hand": str(view.hand),
                "move": str(advice.move),
                "reason": advice.reason,
                "expected_turns": {name: round(one.value, 3) for name, one in turns.items()},
                "expected_turns_error": {name: round(one.error, 3) for name, one in turns.items()},
                "deadwood": advice.deadwood,
                "deadwood_after": {str(card): left for card, left in advice.after.items()},
                "in_stock": {str(card): round(p, 4) for card, p in advice.outlook.in_stock.items()},
                "meldability": {str(card): round(value, 3) for card, value in advice.outlook.meldability.items()},
                "moves": [one.as_json() for one in advice.prospects],
                "values": {str(move): round(value, 5) for move, value in advice.values},
            }
        )
        return
    console = Console(highlight=False)
    print_advice(console, view, advice)
    if text := turns_text(turns):
        console.print(text, soft_wrap=not console.is_terminal)


def print_advice(console: "Console", view: "View", advice: "Advice", *, legend: bool = True) -> None:
    """Print the best move and why, then every move that was weighed, the best first, and if wanted what the columns are."""
    from rich.table import Table

    from meldlab.cli.pictures import cards_drawn, cards_text
    from meldlab.gin import Verb

    best = str(advice.move).partition(" | ")[0]
    console.print(cards_drawn(f"best: {advice.move}: {advice.reason}"), soft_wrap=not console.is_terminal)
    left = {f"{verb} {card}": left for card, left in advice.after.items() for verb in (Verb.DROP, Verb.KNOCK)}
    numbers = _numbers(best, advice)
    if numbers:
        heads = ("win", "loses", "points") if advice.prospects else ("worth",)
        table = Table("move", box=None, padding=(0, 1))
        for head in (*heads, *(("deadwood left",) if left else ())):
            table.add_column(head, justify="right")
        for move, told in numbers.items():
            table.add_row(cards_drawn(move), *told, *([str(left.get(move, ""))] if left else []))
        console.print(table)
        if legend:
            words = _legend(view) if advice.prospects else "worth: what the player expects of the move, more is better"
            console.print(words, soft_wrap=not console.is_terminal)
    sure = sorted(advice.outlook.in_stock.items(), key=lambda item: item[1])
    if advice.move.verb is not Verb.SHOW and sure and sure[-1][1] - sure[0][1] > TELLING:
        far, near = ([card for card, _ in some[:FEW]] for some in (sure, sure[::-1]))
        console.print("by what the other took and left, likely in stock:", cards_text(near), "- hardly:", cards_text(far))


def _numbers(best: str, advice: "Advice") -> dict[str, tuple[str, ...]]:
    """Return what is known of each move, in words of its columns; the melds of a knock are told once."""
    if advice.prospects:
        # Of several ways to show the melds of a knock the best stands for all.
        heads = {str(one.move).partition(" | ")[0]: one for one in reversed(advice.prospects)}
        rows = sorted(heads.items(), key=lambda row: row[1].cost)
        return {head: (f"{one.win_probability:.0%}", _loss(one), f"{one.points:+.1f}") for head, one in rows}
    worth = {str(move).partition(" | ")[0]: (f"{value:+.1f}",) for move, value in sorted(advice.values, key=lambda one: -one.value)}
    return {best: ("",), **worth} if worth else {}


def _loss(one: "Candidate") -> str:
    """Return what a move loses against the best in percent, with its standard error."""
    return f"{100 * one.cost:.1f} ± {100 * one.error:.1f}" if one.cost else ""


def _legend(view: "View") -> str:
    """Say what the columns are, and under what they hold."""
    from meldlab.gin.review import PLAYER

    wanted, (own, other) = view.rules.match_points, (view.scores[view.seat], view.scores[1 - view.seat])
    win = f"to win the match to {wanted}, now {own} to {other}" if wanted else "to win the round"
    return (
        f"win: your chance {win}; loses: percent less than the best, ± its standard error; points: of this round, on average."
        f" They hold if you and the other go on like the light network inside {PLAYER}, with the hidden cards where it believes them to be."
    )
