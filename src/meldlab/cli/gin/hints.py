"""How far a hand is from a knock and from gin, for those who keep the tables of all ten-card hands."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from meldlab.cards import Hand

GOALS = {"knock": "knock:10", "gin": "gin"}


def table_path(name: str) -> Path:
    """Return where the table of a goal is looked for."""
    from meldlab.cache import cache_folder

    return cache_folder("gin") / f"{name}.table"


def expected_turns(hand: "Hand") -> dict[str, float]:
    """Return the expected turns to a knock and to gin, drawing from stock alone; only those whose tables are there."""
    from meldlab.waiting import Waiting
    from meldlab.waiting.goal import Goal
    from meldlab.waiting.kept import cached_solution

    there = {name: table_path(name) for name in GOALS if table_path(name).is_file()}
    return {name: cached_solution(Waiting(10, goal=Goal.parse(GOALS[name])), path).turns(hand) for name, path in there.items()}


def hint(turns: dict[str, float]) -> str:
    """Say it in a line.

    >>> hint({"knock": 3.14159, "gin": 9.75})
    'from stock alone: 3.1 turns to a knock, 9.8 turns to gin'
    """
    words = {"knock": "turns to a knock", "gin": "turns to gin"}
    return "from stock alone: " + ", ".join(f"{value:.1f} {words[name]}" for name, value in turns.items())
