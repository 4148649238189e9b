"""``meldlab gin review``: the decisions of a game that cost most, and what would have been better."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from meldlab.cli.options import JsonOption, print_json
from meldlab.cli.progress import tracked
from meldlab.cli.replay import RecordArgument, read_record

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from meldlab.gin.move import Move
    from meldlab.gin.review import Decision


def review(
    file: RecordArgument,
    top: Annotated[int, typer.Option("--top", min=1, help="Decisions to show.")] = 10,
    seat: Annotated[int | None, typer.Option("--seat", min=1, help="Whose; yours if you played, else of both.")] = None,
    player: Annotated[str, typer.Option("--player", help="Any player that says what its moves are worth, also yours.")] = "computed:light",
    json: JsonOption = False,
) -> None:
    """Look back at a game: the decisions that cost most by the values of a player, and what would have been better.

    Example: meldlab gin review game.toml --top 5
    """
    from rich.console import Console

    from meldlab.errors import NotLegalHere
    from meldlab.gin import Gin
    from meldlab.gin.players import parse
    from meldlab.gin.review import review as look_back
    from meldlab.lab.games import game_of
    from meldlab.play import replay

    record = read_record(file, seat)
    game = game_of(record)
    if not isinstance(game, Gin):
        raise NotLegalHere(f"{file} is a record of {record.game}; only gin can be reviewed")
    yours = [place for place, name in enumerate(record.players) if name == "you"]
    seats = [seat - 1] if seat is not None else yours or [0, 1]
    steps = list(replay(game, record))
    found = look_back(tracked(steps, "looking back"), record.deal, parse(player), seats)
    rounds = {step.number: step.before.number + 1 for step in steps}
    if json:
        print_json(
            {
                "player": player,
                "decisions": len(found),
                "cost": [round(sum(one.cost for one in found if one.seat == place), 5) for place in range(2)],
                "costliest": [_answer(one, rounds[one.number]) for one in found[:top]],
            }
        )
        return
    console = Console(highlight=False)
    for place in seats:
        own = [one.cost for one in found if one.seat == place]
        name = f"p{place + 1} {record.players[place]}"
        console.print(f"{name}: {len(own)} decisions cost {sum(own):.1f} in all, as {player} counts", markup=False, soft_wrap=True)
    for nth, one in enumerate(found[:top], 1):
        _show(console, nth, one, rounds[one.number])


def _answer(one: "Decision", number: int) -> dict[str, Any]:
    view = one.view
    return {
        "action": one.number + 1,
        "round": number,
        "seat": one.seat + 1,
        "hand": str(view.hand),
        "upcard": None if view.upcard is None else str(view.upcard),
        "stock": view.stock,
        "done": str(one.done),
        "better": str(one.better),
        "cost": round(one.cost, 5),
    }


def _show(console: "Console", nth: int, one: "Decision", number: int) -> None:
    """Print a decision: where, with which cards, what was done, and what would have been better."""
    from meldlab.cli.pictures import arrangement_text, cards_text
    from meldlab.melds import arrange

    view = one.view
    console.print(f"\n{nth}. round {number}, action {one.number + 1}, p{one.seat + 1}: {one.cost:.2f} lost")
    console.print("   hand  ", arrangement_text(arrange(view.hand)))
    console.print("   upcard", cards_text([view.upcard] if view.upcard else []), f" stock {view.stock}")
    console.print("   did   ", _move_text(one.done))
    console.print("   better", _move_text(one.better))


def _move_text(move: "Move") -> "Text":
    """Return a move with its card as hands are written; the melds of a knock can be seen in the hand."""
    from rich.text import Text

    from meldlab.cli.pictures import cards_text

    return Text(f"{move.verb} ").append_text(cards_text([move.card] if move.card else []))
