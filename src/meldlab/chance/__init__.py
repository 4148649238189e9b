"""Chance: every random draw has an address, and this room alone knows how an address is mixed.

>>> derived(7, Purpose.FRESH) == derived(7, Purpose.FRESH) != derived(8, Purpose.FRESH)
True
"""

from meldlab.chance.kernel_purpose import Purpose
from meldlab.chance.seed import MOST_SEED, derived, verified

__all__ = ["MOST_SEED", "Purpose", "derived", "verified"]
