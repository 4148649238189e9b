"""How far the hand that a player keeps is from a knock and from gin, for those who ask what to do.

>>> from meldlab.gin.advice import position_view
>>> view = position_view("2C 3C 4C 9D 9H 9S KC KD 4H 5S JD")
>>> turns = turns_after(view, view.parse("drop JD"))
>>> list(turns), in_words({"gin": TurnsLeft(8.47, 0.9)})
(['knock', 'gin'], 'turns from stock alone: about 8.5 ± 0.9 to gin')
"""

from collections.abc import Mapping

from meldlab.cards import Hand
from meldlab.gin import Move
from meldlab.gin.view import View
from meldlab.waiting.estimate import GOALS, TEN, TurnsLeft, expected_turns

__all__ = ["in_words", "turns_after"]

WORDS = {"knock": "to a knock", "gin": "to gin"}


def turns_after(view: View, move: Move) -> dict[str, TurnsLeft]:
    """Return the turns from the ten cards that a seat has before a draw or keeps after a discard; none of any other number of cards.

    The turns to a knock are known for the usual limit only.
    """
    kept = view.hand - Hand.from_mask(1 << move.index) if move.index >= 0 else view.hand
    if len(kept) != TEN or view.rules.small:
        return {}
    return {name: turns for name, turns in expected_turns(kept).items() if name == "gin" or view.limit == GOALS[name].knock}


def in_words(turns: Mapping[str, TurnsLeft]) -> str:
    """Say it in a line, without what is reached; nothing where nothing is left to say.

    >>> in_words({"knock": TurnsLeft(3.14159), "gin": TurnsLeft(9.75)}), in_words({"knock": TurnsLeft(0.0)})
    ('turns from stock alone: 3.1 to a knock, 9.8 to gin', '')
    """
    parts = [f"{one} {WORDS[name]}" for name, one in turns.items() if one.value]
    return "turns from stock alone: " + ", ".join(parts) if parts else ""
