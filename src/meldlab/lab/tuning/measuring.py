"""How good a player is: games won on given deals, counted by the batch kernel.

A contender is a player's name or its vector. Candidates of one search are compared on the same mirrored deals: the same seed, the same
games.

>>> one = wins_of("simple", "random:0", 0, 0, 2)
Traceback (most recent call last):
    ...
meldlab.errors.NotLegalHere: random:0 does not play in the batch kernel
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from meldlab.errors import MeldlabError, NotLegalHere
from meldlab.gin import Rules, players
from meldlab.gin import kernel_batch as place
from meldlab.gin.players import Ensemble
from meldlab.gin.vectors import Vectorial, rule_vector
from meldlab.lab.statistics import Interval, Moments

__all__ = ["Contender", "Measure", "Measured", "contender_of", "outcomes", "vector_of", "wins_of"]

Contender = str | tuple[float, ...]
