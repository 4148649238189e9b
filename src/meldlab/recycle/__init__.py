"""RECYCLE, a language for card games, and the machine that runs it.

The language is in ``recycle.language``, the check of a program in ``recycle.check``, the compiler and the machine in ``recycle.machine``,
the game at the table in ``recycle.game``, and programs of twenty games in ``recycle.library``.

>>> parse(library.entry("kuhn_poker").text).setup.players
Number(value=2)
"""

from meldlab.recycle import library
from meldlab.recycle.language.diagnostics import Diagnostic
from meldlab.recycle.language.formatter import format_program
from meldlab.recycle.language.limits import Limits
from meldlab.recycle.language.parser import parse

__all__ = ["Diagnostic", "Limits", "format_program", "library", "parse"]
