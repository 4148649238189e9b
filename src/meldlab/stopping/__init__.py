"""Yang's stopping game: cards are drawn one by one, black wins, red loses, and one stops when one likes.

>>> from meldlab.stopping import Urn
>>> Urn(26, 26).value()
Fraction(41984711742427, 15997372030584)
"""

from meldlab.stopping.answers import Advice, Policy, Winnings
from meldlab.stopping.floats import Floats
from meldlab.stopping.shepp import asymptotic_value, equal_decks
from meldlab.stopping.simulation import Simulated, simulate
from meldlab.stopping.sitting import Sitting
from meldlab.stopping.urn import Urn

__all__ = ["Advice", "Floats", "Policy", "Simulated", "Sitting", "Urn", "Winnings", "asymptotic_value", "equal_decks", "simulate"]
