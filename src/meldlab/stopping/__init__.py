"""Yang's stopping game: cards are drawn one by one, black wins, red loses, and one stops when one likes.

>>> from meldlab.stopping import Urn
>>> Urn(26, 26).value()
Fraction(41984711742427, 15997372030584)
"""

from meldlab.stopping.distribution import Simulated, Winnings, simulate, winnings, winnings_in_floats
from meldlab.stopping.policies import Policy, boundary_in_floats, continue_or_not, current_value, policy, value_table
from meldlab.stopping.shepp import asymptotic_value, equal_decks
from meldlab.stopping.sitting import Sitting
from meldlab.stopping.urn import Advice, Urn

__all__ = [
    "Advice",
    "Policy",
    "Simulated",
    "Sitting",
    "Urn",
    "Winnings",
    "asymptotic_value",
    "boundary_in_floats",
    "continue_or_not",
    "current_value",
    "equal_decks",
    "policy",
    "simulate",
    "value_table",
    "winnings",
    "winnings_in_floats",
]
