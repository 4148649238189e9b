"""Yang's stopping game: draw cards one by one, win on black, lose on red, stop at any time.

>>> from meldlab.stopping import Urn
>>> Urn(26, 26).value()
Fraction(41984711742427, 15997372030584)
"""

from meldlab.stopping.floats import Floats
from meldlab.stopping.results import Advice, Policy, Winnings
from meldlab.stopping.round import Round
from meldlab.stopping.shepp import asymptotic_value, equal_decks
from meldlab.stopping.simulation import SimulationResult, simulate
from meldlab.stopping.urn import Urn

__all__ = ["Advice", "Floats", "Policy", "Round", "SimulationResult", "Urn", "Winnings", "asymptotic_value", "equal_decks", "simulate"]
