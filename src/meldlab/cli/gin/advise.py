"""``meldlab gin advise``: the best move with a hand, and the reason."""

from typing import TYPE_CHECKING, Annotated

import typer

from meldlab.cli.options import GinRulesOption, JsonOption
from meldlab.cli.output import print_json
from meldlab.errors import BadText

if TYPE_CHECKING:
    from rich.console import Console

    from meldlab.gin import View
    from meldlab.gin.advice import Advice
    from meldlab.gin.review import Candidate

MIN_SPREAD = 0.1  # smaller differences between the probabilities of cards are not worth a line
MAX_CARDS = 6  # cards in that line
MAX_DIGITS = 6  # of a score


def read_scores(text: str) -> tuple[int, int]:
    """Read two scores: ``40,70``, ``40-70`` or ``40 to 70``.

    >>> read_scores("40 to 70")
    (40, 70)
    """
    words = text.replace("to", " ").replace(",", " ").replace("-", " ").split()
    if len(words) != len((0, 0)) or not all(word.isdecimal() and len(word) <= MAX_DIGITS for word in words):
        raise BadText("expected two scores, yours first, as in 40,70", text, 0)
    return int(words[0]), int(words[1])


def advise(
    hand: Annotated[str, typer.Option("--hand", help="Ten cards before a draw, or eleven before a discard.")],
    upcard: Annotated[str, typer.Option("--upcard", help="Top of the discard pile.")] = "",
    discards: Annotated[str, typer.Option("--discards", help="Pile below the upcard, oldest first.")] = "",
    opponent: Annotated[str, typer.Option("--opponent", help="Cards the opponent is known to hold.")] = "",
    turn: Annotated[int, typer.Option("--turn", min=0, help="Cards you have drawn, if more than the pile shows.")] = 0,
    scores: Annotated[str, typer.Option("--scores", metavar="YOURS,OTHERS", help="Points in the match.")] = "0,0",
    knock_limit: Annotated[
        int | None,
        typer.Option("--knock-limit", help="Maximum deadwood to knock with under Oklahoma rules, if the first upcard is not given."),
    ] = None,
    player: Annotated[
        str | None, typer.Option("--player", help="Player to ask instead; any player that evaluates its moves, also FILE.py:CLASS.")
    ] = None,
    rules: GinRulesOption = "eaai",
    json: JsonOption = False,
) -> None:
    """Print the best move and the reason, with the match-win probability and the expected points of each move.

    Each move is evaluated on 200 sampled deals of the unseen cards, drawn from the belief of champion.

    Example: meldlab gin advise --hand "2C 3C 4C 9D 9H 9S KC KD 4H 5S" --upcard KH
    """
    from rich.console import Console

    from meldlab.gin import Rules
    from meldlab.gin.advice import advise as advise_on
    from meldlab.gin.advice import position_view
    from meldlab.gin.players import parse
    from meldlab.gin.turn_estimate import turns_after, turns_text
    from meldlab.waiting.storage import table_turns

    view = position_view(
        hand, upcard, discards, opponent, turn=turn, rules=Rules.named(rules), scores=read_scores(scores), limit=knock_limit
    )
    advice = advise_on(view, parse(player) if player else None)
    turns = turns_after(view, advice.move, table_turns)
    if json:
        from meldlab.schemas.gin import HandAdvice

        print_json(HandAdvice.from_advice(view, advice, turns))
        return
    console = Console(highlight=False)
    print_advice(console, view, advice)
    if text := turns_text(turns):
        console.print(text, soft_wrap=not console.is_terminal)


def print_advice(console: "Console", view: "View", advice: "Advice", *, legend: bool = True) -> None:
    """Print the best move and the reason, then every compared move, best first, and with ``legend`` the meaning of the columns."""
    from rich.table import Table

    from meldlab.cli.pictures import cards_drawn, cards_text
    from meldlab.gin import Verb

    best = str(advice.move).partition(" | ")[0]
    console.print(cards_drawn(f"best: {advice.move}: {advice.reason}"), soft_wrap=not console.is_terminal)
    left = {f"{verb} {card}": deadwood for card, deadwood in advice.after.items() for verb in (Verb.DROP, Verb.KNOCK)}
    numbers = _numbers(best, advice)
    if numbers:
        heads = ("win", "loses", "points") if advice.candidates else ("value",)
        table = Table("move", box=None, padding=(0, 1))
        for head in (*heads, *(("deadwood left",) if left else ())):
            table.add_column(head, justify="right")
        for move, columns in numbers.items():
            table.add_row(cards_drawn(move), *columns, *([str(left.get(move, ""))] if left else []))
        console.print(table)
        if legend:
            text = _legend(view) if advice.candidates else "value: the player's estimate for the move; more is better"
            console.print(text, soft_wrap=not console.is_terminal)
    in_stock = sorted(advice.belief.in_stock.items(), key=lambda item: item[1])
    if advice.move.verb is not Verb.SHOW and in_stock and in_stock[-1][1] - in_stock[0][1] > MIN_SPREAD:
        unlikely, likely = ([card for card, _ in cards[:MAX_CARDS]] for cards in (in_stock, in_stock[::-1]))
        console.print("by what the other took and left, likely in stock:", cards_text(likely), "- hardly:", cards_text(unlikely))


def _numbers(best: str, advice: "Advice") -> dict[str, tuple[str, ...]]:
    """Return the columns of each move; a knock is listed once, with its best melds."""
    if advice.candidates:
        heads = {str(candidate.move).partition(" | ")[0]: candidate for candidate in reversed(advice.candidates)}
        rows = sorted(heads.items(), key=lambda row: row[1].cost)
        return {head: (f"{candidate.win_probability:.0%}", _loss(candidate), f"{candidate.points:+.1f}") for head, candidate in rows}
    descending = sorted(advice.values, key=lambda move: -move.value)
    values = {str(move).partition(" | ")[0]: (f"{value:+.1f}",) for move, value in descending}
    return {best: ("",), **values} if values else {}


def _loss(candidate: "Candidate") -> str:
    """Return the loss of a move against the best in percent, with its standard error."""
    return f"{100 * candidate.cost:.1f} ± {100 * candidate.error:.1f}" if candidate.cost else ""


def _legend(view: "View") -> str:
    """Return the meaning of the columns, and the assumptions behind them."""
    from meldlab.gin.review import PLAYER

    target, (own, other) = view.rules.match_points, (view.scores[view.seat], view.scores[1 - view.seat])
    win = f"to win the match to {target}, now {own} to {other}" if target else "to win the round"
    return (
        f"win: your chance {win}; loses: percent less than the best, ± its standard error; points: of this round, on average."
        f" They assume that both players continue like the light network inside {PLAYER}, with the hidden cards as it expects them."
    )
