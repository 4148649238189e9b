"""RECYCLE, a language for card games, and the machine that runs it.

The language is in ``recycle.language``, the check of a program in ``recycle.check``, the compiler and the machine in ``recycle.machine``,
and programs of twenty games in ``recycle.library``. ``RecycleGame``, ``RecycleVector`` and ``SearchPlayer`` are imported on first use:
reading and formatting programs needs no kernels.

>>> parse(library.entry("kuhn_poker").text).setup.players
Number(value=2)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from meldlab.recycle import library
from meldlab.recycle.language.diagnostics import Diagnostic
from meldlab.recycle.language.formatter import format_program
from meldlab.recycle.language.limits import Limits
from meldlab.recycle.language.parser import parse

if TYPE_CHECKING:
    from meldlab.recycle.check import check_program
    from meldlab.recycle.game import RecycleGame
    from meldlab.recycle.players import SearchPlayer
    from meldlab.recycle.vector import RecycleVector

__all__ = ["Diagnostic", "Limits", "RecycleGame", "RecycleVector", "SearchPlayer", "check_program", "format_program", "library", "parse"]

LAZY = {"check_program": "check", "RecycleGame": "game", "RecycleVector": "vector", "SearchPlayer": "players"}


def __getattr__(name: str) -> Any:
    if name not in LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{LAZY[name]}"), name)
