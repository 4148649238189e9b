"""Sets and runs under an ace rule: melds of a hand, its best arrangement, deadwood, discards and lay-offs.

>>> from meldlab.melds import arrange, deadwood
>>> deadwood("5H 6H 7H 9C 9D KS")
28
"""

from meldlab.melds.aces import Aces
from meldlab.melds.arrangement import (
    GIN_POINTS,
    MAX_CARDS,
    Arrangement,
    arrange,
    arrangements,
    best_discard,
    deadwood,
    deadwoods,
    discards,
    hand_points,
    is_complete,
    melds,
)
from meldlab.melds.laying_off import LayOff, lay_off
from meldlab.melds.meld import Meld

__all__ = [
    "GIN_POINTS",
    "MAX_CARDS",
    "Aces",
    "Arrangement",
    "LayOff",
    "Meld",
    "arrange",
    "arrangements",
    "best_discard",
    "deadwood",
    "deadwoods",
    "discards",
    "hand_points",
    "is_complete",
    "lay_off",
    "melds",
]
