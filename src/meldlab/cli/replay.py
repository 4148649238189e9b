"""``meldlab replay``: show a record of any game, action by action."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from meldlab.cli.options import JsonOption, print_json

if TYPE_CHECKING:
    from rich.console import Console

    from meldlab.gin import Match

__all__ = ["replay"]


def replay(
    file: Annotated[Path, typer.Argument(help="A record in TOML.")],
    seat: Annotated[int | None, typer.Option("--seat", min=1, help="Show only what this seat could see.")] = None,
    step: Annotated[bool, typer.Option("--step", help="Gin: both hands before every move; wait for Enter on a terminal.")] = False,
    json: JsonOption = False,
) -> None:
    """Play a record again and show it; a broken one says which action is illegal and why.

    Example: meldlab replay game.toml --seat 1
    """
    import sys

    from rich.console import Console

    from meldlab.errors import NotLegalHere
    from meldlab.gin import Match
    from meldlab.lab.games import game_of
    from meldlab.play import Record
    from meldlab.play import replay as run

    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise NotLegalHere(f"cannot read {file}: {getattr(problem, 'strerror', None) or problem}") from None
    record = Record.parse(text)
    if seat is not None and seat > len(record.players):
        raise NotLegalHere(f"{file} has {len(record.players)} seats, not {seat}")
    states = list(run(game_of(record), record))
    pairs = list(zip([state for state, _ in states], states[1:], strict=False))
    lines = [line if seat is None else _heard(before, line, seat - 1) for before, (_, line) in pairs]
    if json:
        print_json(_answer(record, states[-1][0], lines))
        return
    console = Console(highlight=False)
    console.print(f"{record.game}: " + ", ".join(f"p{place} {name}" for place, name in enumerate(record.players, 1)), markup=False)
    for (before, (after, _)), line in zip(pairs, lines, strict=True):
        if step and isinstance(before, Match):
            _show_hands(console, before, seat)
            if sys.stdin.isatty():
                input()
        console.print(line, markup=False)
        if isinstance(after, Match) and len(after.outcomes) > len(before.outcomes):
            console.print(f"  round {len(after.outcomes)}: {after.outcomes[-1]}   score {after.scores[0]} to {after.scores[1]}\n")
    if record.result is not None:
        winners = ", ".join(f"p{winner + 1}" for winner in record.result.winners) or "nobody"
        scores = " to ".join(map(str, record.result.scores))
        console.print(f"{winners} won, {scores} ({record.result.reason})", markup=False)


def _heard(before: Any, line: str, seat: int) -> str:
    """Return a line of the record as a seat noticed it; a forfeit is told to all."""
    from meldlab.play.table import FORFEITS

    who, _, text = line.partition(" ")
    return line if text.startswith(FORFEITS) else f"{who} {before.heard(before.parse(text), seat)}"


def _answer(record: Any, last: Any, lines: list[str]) -> dict[str, object]:
    """Return the answer as JSON; rounds are those of a gin match."""
    result = record.result
    answer: dict[str, object] = {"game": record.game, "players": record.players, "actions": lines}
    if hasattr(last, "outcomes"):
        answer["rounds"] = [
            {"kind": one.kind, "winner": None if one.winner is None else one.winner + 1, "points": one.points} for one in last.outcomes
        ]
    scores = result.scores if result else getattr(last, "scores", None)
    return {**answer, "scores": scores, "winners": [winner + 1 for winner in result.winners] if result else []}


def _show_hands(console: "Console", state: "Match", seat: int | None) -> None:
    """Print the hands, or the one of a seat, and the upcard."""
    from meldlab.cli.pictures import arrangement_text, cards_text
    from meldlab.melds import arrange

    for place in range(2) if seat is None else [seat - 1]:
        best = arrange(state.view(place).hand)
        console.print(f"  p{place + 1} ", arrangement_text(best), f" ({best.deadwood})")
    upcard = state.view(0).upcard
    console.print("  upcard ", cards_text([upcard] if upcard else []), f" stock {state.round.stock}")
