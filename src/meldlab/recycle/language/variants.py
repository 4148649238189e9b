"""Variants of a program: other numbers where it declares some, so that a designer needs no second file.

>>> from meldlab.recycle import library
>>> easy = varied(library.entry("gin_rummy").text, parse_settings("LIMIT=60"))
>>> [line for line in easy.splitlines() if "declare" in line]
[" (declare 60 'LIMIT)"]
"""

import re
from collections.abc import Mapping
from itertools import pairwise

from meldlab.errors import BadText, NoSuchThing, NotLegalHere
from meldlab.recycle.language import syntax as s
from meldlab.recycle.language.folding import constant
from meldlab.recycle.language.lexer import plain, words
from meldlab.recycle.language.reader import read

__all__ = ["declared_numbers", "parse_settings", "varied"]

_SETTING = re.compile(r"\s*'?(?P<name>[A-Z]+)\s*=\s*(?P<value>-?[0-9]+)\s*")


def parse_settings(text: str) -> dict[str, int]:
    """Read settings ``NAME=VALUE``, several of them separated by commas.

    >>> parse_settings("TARGET=100,ROUNDS=3")
    {'TARGET': 100, 'ROUNDS': 3}
    """
    settings: dict[str, int] = {}
    at = 0
    for entry in text.split(","):
        read_as = _SETTING.fullmatch(entry)
        if read_as is None:
            name, equals, _ = entry.partition("=")
            fine = equals and re.fullmatch(r"\s*'?[A-Z]+\s*", name)
            problem = "a whole number is wanted" if fine else "a setting is written NAME=VALUE, the name in capitals"
            raise BadText(problem, text, at + (len(name) + 1 if fine else 0))
        digits = read_as["value"]
        # A number of thousands of digits need not be converted to be refused.
        value = int(digits) if len(digits) <= 12 else 2**31
        if abs(value) >= 2**31:
            raise BadText("a number beyond 32 bits", text, at + read_as.start("value"))
        settings[read_as["name"]] = value
        at += len(entry) + 1
    return settings


def declared_numbers(text: str, dialect: str = "0.6") -> dict[str, int]:
    """Return the numbers that a program declares.

    >>> declared_numbers("(game (declare (* 2 3) 'SIX) (setup (create players 1) (create deck (game iloc S) (deck (A (X)))))"
    ...                  " (do ((turn pass))) (scoring max 'SIX))")
    {'SIX': 6}
    """
    found = {node.var: constant(node.value) for node in read(text, dialect).declares if _is_number(node.value)}
    return {name: value for name, value in found.items() if value is not None}


def varied(text: str, settings: Mapping[str, int], dialect: str = "0.6") -> str:
    """Return a program with other values for numbers that it declares; everything else stays as it is written."""
    if not settings:
        return text
    declares = {node.var: node for node in read(text, dialect).declares}
    numbers = [name for name, node in declares.items() if _is_number(node.value)]
    changes = []
    for name, value in settings.items():
        if name in declares and name not in numbers:
            raise BadText(f"'{name} is declared, but not as a number", text, declares[name].value.at)
        if not numbers:
            raise NotLegalHere(f"there is no {name} to set: the program declares no number")
        if name not in numbers:
            raise NoSuchThing("declared number", name, numbers)
        start = declares[name].value.at
        # The language has no negative literals.
        changes.append((start, _end(text, start), str(value) if value >= 0 else f"(- 0 {-value})"))
    for start, end, number in sorted(changes, reverse=True):
        text = text[:start] + number + text[end:]
    return text


def _is_number(value: s.Expr) -> bool:
    return isinstance(value, (s.Number, s.Arithmetic, s.Special, s.Size))


def _end(text: str, start: int) -> int:
    """Return where the expression that starts at a place ends."""
    depth = 0
    found = [word for word in words(text) if word.at >= start]
    for word, following in pairwise(found):
        depth += (word.text == "(") - (word.text == ")")
        if depth == 0:
            # A number may have been written with blanks inside, so its end is where the text before the next word ends.
            return start + len(plain(text)[start : following.at].rstrip())
    return len(text)
