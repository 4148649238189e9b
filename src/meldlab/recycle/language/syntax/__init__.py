"""The syntax tree of a RECYCLE program: one frozen value per construct, positions left out of equality.

The rule of the grammar for a construct has its name in small letters (``OwnerOf``: ``owner_of``); the parts of the rule are the fields
in order. A construct is written by its form: ``{parts...}`` stands for all members of a field, ``{names, ...}`` for all separated by
commas, and a part in square brackets is left out where its field is None.

The parser builds the tree; the checker returns an equal one in which every expression has its ``cls``, and an expression of another class
than its place expects is wrapped in the conversion that the language makes (a list used as a card is ``Pick("top", list)``).

>>> from meldlab.recycle.language.parser import parse_expression
>>> parse_expression("(size ((current player) iloc HAND))")
Size(of=Location(owner=Seat(which='current', of='player'), kind='iloc', name=Name(text='HAND'), index=None))
>>> Location.form
'({owner} {kind} {name} [{index}])'
"""

from meldlab.recycle.language.syntax.actions import *
from meldlab.recycle.language.syntax.expressions import *
from meldlab.recycle.language.syntax.node import *
from meldlab.recycle.language.syntax.program import *
