"""``meldlab gin replay``: show a record, move by move."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from meldlab.cli.options import JsonOption, print_json

if TYPE_CHECKING:
    from rich.console import Console

    from meldlab.gin import Match


def replay(
    file: Annotated[Path, typer.Argument(help="A record in TOML.")],
    step: Annotated[bool, typer.Option("--step", help="Show both hands before every move; wait for Enter on a terminal.")] = False,
    json: JsonOption = False,
) -> None:
    """Play a record again and show it; a broken one says which action is illegal and why.

    Example: meldlab gin replay game.toml --step
    """
    import sys

    from rich.console import Console

    from meldlab.errors import NotLegalHere
    from meldlab.gin import Gin, Rules
    from meldlab.play import Record
    from meldlab.play import replay as run

    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise NotLegalHere(f"cannot read {file}: {getattr(problem, 'strerror', None) or problem}") from None
    record = Record.parse(text)
    if record.game != "gin":
        raise NotLegalHere(f"{file} is a record of {record.game!r}, not of gin")
    states = list(run(Gin(Rules.read(record.rules)), record))
    last = states[-1][0]
    result = record.result
    if json:
        rounds = [
            {"kind": one.kind, "winner": None if one.winner is None else one.winner + 1, "points": one.points} for one in last.outcomes
        ]
        answer = {"players": record.players, "actions": record.actions, "rounds": rounds}
        print_json(
            {**answer, "scores": result.scores if result else last.scores, "winners": [w + 1 for w in result.winners] if result else []}
        )
        return
    console = Console(highlight=False)
    console.print(f"p1 {record.players[0]}, p2 {record.players[1]}", markup=False)
    for before, (after, line) in zip([state for state, _ in states], states[1:], strict=False):
        if step:
            show(console, before)
            if sys.stdin.isatty():
                input()
        console.print(f"{line}", markup=False)
        if len(after.outcomes) > len(before.outcomes):
            console.print(f"  round {len(after.outcomes)}: {after.outcomes[-1]}   score {after.scores[0]} to {after.scores[1]}\n")
    if result is not None:
        winners = ", ".join(f"p{seat + 1}" for seat in result.winners) or "nobody"
        console.print(f"{winners} won, {result.scores[0]} to {result.scores[1]} ({result.reason})", markup=False)


def show(console: "Console", state: "Match") -> None:
    """Print both hands and the upcard."""
    from meldlab.cli.pictures import arrangement_text, cards_text
    from meldlab.melds import arrange

    for seat in range(2):
        view = state.view(seat)
        best = arrange(view.hand)
        console.print(f"  p{seat + 1} ", arrangement_text(best), f" ({best.deadwood})")
    upcard = state.view(0).upcard
    console.print("  upcard ", cards_text([upcard] if upcard else []), f" stock {state.round.stock}")
