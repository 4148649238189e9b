"""Seeds: their range, and seeds derived from seeds.

>>> check_seed(2**63)
Traceback (most recent call last):
    ...
meldlab.errors.NotLegalHere: seed must be a whole number from 0 to 2^63 - 1, not 9223372036854775808
"""

from typing import SupportsIndex

from meldlab.chance.kernel_purpose import Purpose
from meldlab.errors import NotLegalHere, whole_number

MAX_SEED = 2**63 - 1
MAX_PLACE = 2**47 - 1  # an address shifts one of its numbers by sixteen bits
MAX_NUMBERS = 3  # an address has a seed and three numbers


def check_seed(seed: SupportsIndex) -> int:
    """Return a seed as a plain integer; raise NotLegalHere if it is out of range."""
    if isinstance(seed, bool):
        raise NotLegalHere(f"seed must be a whole number from 0 to 2^63 - 1, not {seed}")
    return whole_number(seed, "seed")


def derive_seed(seed: int, purpose: Purpose, *place: int) -> int:
    """Return a seed for one purpose of another seed, and for up to three numbers within it.

    Sums and products of seeds collide: seed 1 + 3 is seed 4. Addresses do not.
    """
    from meldlab.chance.kernel import address

    if len(place) > MAX_NUMBERS:
        raise NotLegalHere(f"expected at most {MAX_NUMBERS} numbers of a place, got {len(place)}")
    numbers = [whole_number(number, "place of a seed", maximum=MAX_PLACE) for number in place]
    first, second, third = numbers + [0] * (MAX_NUMBERS - len(numbers))
    return int(address(check_seed(seed), first, second, third, purpose))
