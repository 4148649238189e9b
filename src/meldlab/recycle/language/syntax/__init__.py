"""The syntax tree of a RECYCLE program: one frozen value per construct, positions left out of equality.

A construct is read by the rule of the grammar that has its name in small letters (``OwnerOf`` by ``owner_of``), whose parts are its fields
in that order, and it is written by its form. In a form, ``{parts...}`` stands for all members of a field, ``{names, ...}`` for all with
commas between, and what is in square brackets is left out where its field is None.

The reader builds the tree; the checker returns an equal one in which every expression knows its ``cls`` and every variable in a
place that wants something else is wrapped in what the language makes of it (a list used as a card is ``Pick("top", list)``).

>>> from meldlab.recycle.language.reader import read_expression
>>> read_expression("(size ((current player) iloc HAND))")
Size(of=Location(owner=Seat(which='current', of='player'), kind='iloc', name=Name(text='HAND'), index=None))
>>> Location.form
'({owner} {kind} {name} [{index}])'
"""

from meldlab.recycle.language.syntax.actions import *
from meldlab.recycle.language.syntax.expressions import *
from meldlab.recycle.language.syntax.node import *
from meldlab.recycle.language.syntax.program import *
