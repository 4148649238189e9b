"""meldlab: one laboratory for games of the rummy family.

>>> from meldlab.cards import Hand
>>> from meldlab.melds import arrange
>>> print(arrange(Hand.parse("5H 6H 7H 9C 9D KS")))
5H 6H 7H + 9C 9D KS
"""

__version__ = "0.1.0"
