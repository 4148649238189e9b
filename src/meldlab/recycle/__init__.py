"""RECYCLE, a language for card games, and a machine that runs it.

A program is read, checked and laid out by what is named here; ``recycle.machine`` runs it, ``recycle.game`` brings it to the table, and
``recycle.library`` has games to begin with.

>>> [finding.code for finding in check(library.entry("kuhn_poker").text).findings if finding.stops]
[]
"""

from meldlab.recycle import library
from meldlab.recycle.language.checker import Checked, check
from meldlab.recycle.language.findings import Finding
from meldlab.recycle.language.limits import Limits
from meldlab.recycle.language.printer import layout
from meldlab.recycle.language.reader import read

__all__ = ["Checked", "Finding", "Limits", "check", "layout", "library", "read"]
