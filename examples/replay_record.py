"""Replay a record of any game, as everybody saw it or as one seat did: python examples/replay_record.py game.toml.

Without a file, a match of gin is played and written down first. The command line does the same: meldlab replay game.toml --seat 1
"""

import sys
from pathlib import Path

from meldlab.games import load_game
from meldlab.gin import Gin, players
from meldlab.play import Deal, Record, Table, replay


def written() -> str:
    """Return the record of a match as text."""
    table = Table(Gin(), [players.parse("simple"), players.parse("random")])
    return str(table.play(Deal(seed=7)).record)


def main(text: str, seat: int = 0) -> None:
    """Go through a record step by step; a line that the rules forbid is refused by its number."""
    record = Record.parse(text)
    for step in replay(load_game(record), record):
        cards = step.before.view(seat).hand if record.game == "gin" else ""
        print(f"{step.number:4} {step.describe(seat):30} {cards}")
    print(record.result)


if __name__ == "__main__":
    main(Path(sys.argv[1]).read_text() if sys.argv[1:] else written())
