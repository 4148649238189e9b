"""Seeds: one range for all doors, and seeds made from seeds.

>>> verified(2**63)
Traceback (most recent call last):
    ...
meldlab.errors.NotLegalHere: seed must be a whole number from 0 to 2^63 - 1, not 9223372036854775808
"""

from typing import SupportsIndex

from meldlab.chance.kernel_purpose import Purpose
from meldlab.errors import NotLegalHere, whole_number

__all__ = ["MOST_SEED", "derived", "verified"]

MOST_SEED = 2**63 - 1
MOST_PLACE = 2**47 - 1  # an address shifts one of its numbers by sixteen bits


def verified(seed: SupportsIndex) -> int:
    """Return a seed as a plain integer, or refuse it."""
    if isinstance(seed, bool):
        raise NotLegalHere(f"seed must be a whole number from 0 to 2^63 - 1, not {seed}")
    return whole_number(seed, "seed")


def derived(seed: int, purpose: Purpose, *place: int) -> int:
    """Return a seed that belongs to one purpose of another seed, and to a place of up to three numbers within it.

    Seeds that are added to or multiplied meet each other: seed 1 + 3 is seed 4. An address of its own meets nobody.
    """
    from meldlab.chance.kernel import address

    numbers = [whole_number(each, "place of a seed", most=MOST_PLACE) for each in place]
    first, second, third = numbers + [0] * (3 - len(numbers))
    return int(address(verified(seed), first, second, third, purpose))
