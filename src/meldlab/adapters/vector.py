"""Environments for learning that step many tables at once, one for each kind of game.

>>> env = GinVector(2, seed=1)
>>> env.observe().mask.sum(1).tolist()
[2, 2]
>>> RecycleVector("kuhn_poker", 2, seed=1).observe().mask.sum(1).tolist()
[2, 2]
"""

from meldlab.gin.vector import GinVector
from meldlab.recycle.vector import RecycleVector

__all__ = ["GinVector", "RecycleVector"]
