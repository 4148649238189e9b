"""Matches of RECYCLE games; the ``match`` label of a program has the target.

>>> from meldlab.recycle.game import RecycleGame
>>> match = RecycleMatch(RecycleGame.load("kuhn_poker"), deals=3)
>>> RecycleMatch.read(match.rules()).deals
3
"""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from meldlab.play.match import MatchGame
from meldlab.recycle.game import RecycleGame
from meldlab.recycle.language.settings import declared_numbers, with_settings

DEAL = "DEAL"  # a declared number: deals are numbered from 1 to it, then from 1 again; the program alone is the last of them


@dataclass(frozen=True)
class RecycleMatch(MatchGame[RecycleGame]):
    """A match of a RECYCLE game. A program that declares 'DEAL gets the number of each deal."""

    game_class: ClassVar[type[RecycleGame] | None] = RecycleGame

    @cached_property
    def _games(self) -> list[RecycleGame]:
        game = self.game
        cycle = declared_numbers(game.text, game.dialect).get(DEAL, 1)
        texts = [with_settings(game.text, {DEAL: number}, game.dialect) for number in range(1, cycle)]
        return [*(RecycleGame(game.name, text, game.dialect, game.limits) for text in texts), game]

    def game_of_deal(self, number: int) -> RecycleGame:
        """Return the game of deal ``number``, from 0."""
        return self._games[number % len(self._games)]
