"""``meldlab replay``: a record of any game, action by action."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from meldlab.cli.options import JsonOption
from meldlab.cli.output import print_json

if TYPE_CHECKING:
    from meldlab.cli.recycle.match_screen import MatchScreen
    from meldlab.cli.screen import Screen
    from meldlab.play import Game, Record, Step

RecordArgument = Annotated[Path, typer.Argument(metavar="FILE", help="Record in TOML.")]


def replay(
    file: RecordArgument,
    seat: Annotated[int | None, typer.Option("--seat", min=1, help="Seat whose view is shown; all cards by default.")] = None,
    step: Annotated[bool, typer.Option("--step", help="Show each player's view before its action; on a terminal, wait for Enter.")] = False,
    json: JsonOption = False,
) -> None:
    """Replay a record and show it; an invalid one says which action is illegal and why.

    Example: meldlab replay game.toml --seat 1
    """
    import sys

    from rich.console import Console

    from meldlab.games import load_game
    from meldlab.gin import Match
    from meldlab.play import replay as run
    from meldlab.play.match import MatchState

    record = read_record(file, seat)
    game = load_game(record)
    steps = list(run(game, record))
    lines = [action.line if seat is None else action.describe(seat - 1) for action in steps]
    if json:
        print_json(_answer(record, steps, lines))
        return
    console = Console(highlight=False)
    console.print(f"{record.game}: " + ", ".join(f"p{place} {name}" for place, name in enumerate(record.players, 1)), markup=False)
    screens = [screen_class(game)(console, place, record.players) for place in range(len(record.players))]
    for action, line in zip(steps, lines, strict=True):
        if step:
            place = action.seat if seat is None else seat - 1
            screens[place].show(action.before.view(place))
            if sys.stdin is not None and sys.stdin.isatty():
                input()
        screens[action.seat].say(line)
        if isinstance(action.after, Match) and len(action.after.outcomes) > len(action.before.outcomes):
            points = action.after.scores
            console.print(f"  round {len(action.after.outcomes)}: {action.after.outcomes[-1]}   score {points[0]} to {points[1]}\n")
        elif isinstance(action.after, MatchState) and not action.forfeit:
            cast("MatchScreen", screens[0]).show_scores(action, lambda seat: f"p{seat + 1}")
    if record.result is not None:
        winners = ", ".join(f"p{winner + 1}" for winner in record.result.winners) or "no player"
        scores = " to ".join(map(str, record.result.scores))
        console.print(f"{winners} won, {scores} ({record.result.reason})", markup=False)


def read_record(file: Path, seat: int | None) -> "Record":
    """Return the record of a file; raise NotLegalHere if it does not have the seat, counted from 1."""
    from meldlab.errors import NotLegalHere, NotPossible
    from meldlab.play import Record

    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise NotPossible(f"cannot read {file}: {getattr(error, 'strerror', None) or error}") from None
    record = Record.parse(text)
    if seat is not None and seat > len(record.players):
        raise NotLegalHere(f"{file} has {len(record.players)} seats, not {seat}")
    return record


def screen_class(game: "Game[Any]") -> "type[Screen]":
    """Return the class that shows a game in the terminal."""
    from meldlab.gin import Gin
    from meldlab.recycle.match import RecycleMatch
    from meldlab.rummikub.game import Rummikub

    if isinstance(game, RecycleMatch):
        from meldlab.cli.recycle.match_screen import MatchScreen as Shown
    elif isinstance(game, Gin):
        from meldlab.cli.gin.screen import GinScreen as Shown  # type: ignore[assignment]
    elif isinstance(game, Rummikub):
        from meldlab.cli.rummikub.screen import RummikubScreen as Shown  # type: ignore[assignment]
    else:
        from meldlab.cli.recycle.screen import RecycleScreen as Shown  # type: ignore[assignment]
    return Shown


def _answer(record: "Record", steps: "list[Step[Any]]", lines: list[str]) -> dict[str, object]:
    """Return the answer as JSON; rounds are those of a gin match."""
    result = record.result
    last: Any = steps[-1].after if steps else None
    answer: dict[str, object] = {"game": record.game, "players": record.players, "actions": lines}
    if hasattr(last, "outcomes"):
        answer["rounds"] = [
            {"kind": round.kind, "winner": None if round.winner is None else round.winner + 1, "points": round.points}
            for round in last.outcomes
        ]
    scores = result.scores if result else getattr(last, "scores", None)
    return {**answer, "scores": scores, "winners": [winner + 1 for winner in result.winners] if result else []}
