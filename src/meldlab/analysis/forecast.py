"""Forecast from random games, before the searching players start: whether games end, and the time of the missing games.

>>> from meldlab.analysis.playing import sample_from_games
>>> from meldlab.recycle.game import RecycleGame
>>> from meldlab.recycle.players.search import play_games
>>> machine, line_up = RecycleGame.load("kuhn_poker").machine, LineUp.parse("random,random")
>>> random = sample_from_games(play_games(machine, line_up.players, 10, seed=1), machine.scoring, 0)
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
    """Random games of a line-up, and the seconds that one core needs for the missing games."""

    random: Sample
    seconds: float

    @classmethod
    def of(cls, machine: Machine, random: Sample, missing: Mapping[LineUp, int]) -> "Forecast":
        """Return the forecast for the ``missing`` games of each line-up.

        A searching player runs ``simulations`` rollouts of every option, to the end or to its limit; the random games have the number of
        options and the distance to the end.
        """
        machine.random_games(1, 0, 1)  # compiles, which is not measured
        start = time.process_time()
        decisions = int(machine.random_games(TIMED, 0, 1).decisions.sum())
        seconds_per_decision = (time.process_time() - start) / max(1, decisions)
        to_the_end = random.decisions[random.game] - random.move
        work = 0.0
        for line_up, games in missing.items():
            for seat, player in enumerate(line_up.players):
                if not isinstance(player, SearchPlayer):
                    continue
                mine = random.seat == seat
                ahead = player.simulations * random.options[mine] * np.minimum(to_the_end[mine], player.rollout_limit)
                work += games * float(ahead.sum()) / random.games
        return cls(random, work * seconds_per_decision)
