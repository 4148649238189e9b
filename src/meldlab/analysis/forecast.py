"""What random games tell before the searching players begin: whether games end, and how long the rest will take.

>>> from meldlab.analysis.playing import sample_of
>>> from meldlab.recycle.game import Described
>>> from meldlab.recycle.players.search import play_games
>>> machine, everybody = Described.named("kuhn_poker").machine, LineUp.parse("random,random")
>>> random = sample_of(play_games(machine, everybody.players, 10, seed=1), machine.scoring, 0)
>>> Forecast.of(machine, random, {LineUp.parse("mcts:1000,random"): 30}).seconds > 0
True
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from meldlab.analysis.playing import LineUp
from meldlab.analysis.sample import Sample
from meldlab.recycle.machine.machine import Machine
from meldlab.recycle.players import SearchPlayer

__all__ = ["Forecast"]

TIMED = 20  # random games by which the speed of a decision is measured


@dataclass(frozen=True, eq=False)
class Forecast:
    """Random games of a line-up, and the seconds that one core would need for the games still to be played."""

    random: Sample
    seconds: float

    @classmethod
    def of(cls, machine: Machine, random: Sample, missing: Mapping[LineUp, int]) -> "Forecast":
        """Return what is to be expected of so many games of each line-up.

        A player that searches plays every option out ``simulations`` times, to the end or to its cap; how many options there are and how
        far the end is, the random games say.
        """
        machine.random_games(1, 0, 1)  # not the compilation is measured
        start = time.process_time()
        decisions = int(machine.random_games(TIMED, 0, 1).decisions.sum())
        of_one = (time.process_time() - start) / max(1, decisions)
        to_the_end = random.decisions[random.game] - random.move
        work = 0.0
        for line_up, games in missing.items():
            for seat, player in enumerate(line_up.players):
                if not isinstance(player, SearchPlayer):
                    continue
                mine = random.seat == seat
                ahead = player.simulations * random.options[mine] * np.minimum(to_the_end[mine], player.rollout_limit)
                work += games * float(ahead.sum()) / random.games
        return cls(random, work * of_one)
