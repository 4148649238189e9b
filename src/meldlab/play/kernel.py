"""Addressed draws in one call, for players outside the kernels."""

from meldlab.cards.kernel import address, below
from meldlab.compiling import scalar_kernel


@scalar_kernel
def draw(seed, game, round, turn, purpose, nth, bound):
    """Return the ``nth`` draw at an address, an integer in 0 .. bound - 1."""
    return below(address(seed, game, round, turn, purpose), nth, bound)
