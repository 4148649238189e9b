"""RECYCLE, a language for card games, and a machine that runs it.

A program is read, checked and laid out by what is named here; ``recycle.machine`` runs it, ``recycle.game`` brings it to the table, and
``recycle.library`` has games to begin with.

>>> [finding.code for finding in check(library.entry("kuhn_poker").text).findings if finding.stops]
[]
"""

from meldlab.recycle import library
from meldlab.recycle.checker import Checked, check
from meldlab.recycle.findings import Finding
from meldlab.recycle.limits import Limits
from meldlab.recycle.printer import layout
from meldlab.recycle.reader import read

__all__ = ["Checked", "Finding", "Limits", "check", "layout", "library", "read"]
