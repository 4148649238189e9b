"""RECYCLE, a language for card games, and a machine that runs it.

A program is read, checked and laid out by what is named here; ``recycle.machine`` runs it, ``recycle.game`` brings it to the table, and
``recycle.library`` has games to begin with.

>>> [diagnostic.code for diagnostic in check(library.entry("kuhn_poker").text).diagnostics if diagnostic.is_error]
[]
"""

from meldlab.recycle import library
from meldlab.recycle.language.checker import CheckedProgram, check
from meldlab.recycle.language.diagnostics import Diagnostic
from meldlab.recycle.language.formatter import format_program
from meldlab.recycle.language.limits import Limits
from meldlab.recycle.language.parser import parse

__all__ = ["CheckedProgram", "Diagnostic", "Limits", "check", "format_program", "library", "parse"]
