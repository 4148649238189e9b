"""Settings: other values for the numbers that a program declares.

>>> from meldlab.recycle import library
>>> easy = with_settings(library.entry("gin_rummy").text, parse_settings("LIMIT=60"))
>>> [line for line in easy.splitlines() if "declare" in line]
[" (declare 60 'LIMIT)"]
"""

import re
from collections.abc import Mapping
from itertools import pairwise

from meldlab.errors import BadText, NoSuchThing, NotLegalHere
from meldlab.recycle.language import syntax as s
from meldlab.recycle.language.constants import constant
from meldlab.recycle.language.lexer import tokenize, without_comments
from meldlab.recycle.language.parser import parse

_SETTING = re.compile(r"\s*'?(?P<name>[A-Z]+)\s*=\s*(?P<value>-?[0-9]+)\s*")


def parse_settings(text: str) -> dict[str, int]:
    """Read settings ``NAME=VALUE``, several of them separated by commas.

    >>> parse_settings("TARGET=100,ROUNDS=3")
    {'TARGET': 100, 'ROUNDS': 3}
    """
    settings: dict[str, int] = {}
    offset = 0
    for entry in text.split(","):
        match = _SETTING.fullmatch(entry)
        if match is None:
            name, equals, _ = entry.partition("=")
            is_name = equals and re.fullmatch(r"\s*'?[A-Z]+\s*", name)
            problem = "expected a whole number" if is_name else "a setting is written NAME=VALUE, the name in capitals"
            raise BadText(problem, text, offset + (len(name) + 1 if is_name else 0))
        digits = match["value"]
        # A number of thousands of digits is not converted.
        value = int(digits) if len(digits) <= 12 else 2**31
        if abs(value) >= 2**31:
            raise BadText("a number beyond 32 bits", text, offset + match.start("value"))
        settings[match["name"]] = value
        offset += len(entry) + 1
    return settings


def declared_numbers(text: str, dialect: str = "0.6") -> dict[str, int]:
    """Return the numbers that a program declares.

    >>> declared_numbers("(game (declare (* 2 3) 'SIX) (setup (create players 1) (create deck (game iloc S) (deck (A (X)))))"
    ...                  " (do ((turn pass))) (scoring max 'SIX))")
    {'SIX': 6}
    """
    numbers = {node.var: constant(node.value) for node in parse(text, dialect).declares if _is_number(node.value)}
    return {name: value for name, value in numbers.items() if value is not None}


def with_settings(text: str, settings: Mapping[str, int], dialect: str = "0.6") -> str:
    """Return a program with other values for numbers that it declares; the rest of the text does not change."""
    if not settings:
        return text
    declares = {node.var: node for node in parse(text, dialect).declares}
    numbers = [name for name, node in declares.items() if _is_number(node.value)]
    changes = []
    for name, value in settings.items():
        if name in declares and name not in numbers:
            raise BadText(f"'{name} is declared, but not as a number", text, declares[name].value.offset)
        if not numbers:
            raise NotLegalHere(f"there is no {name} to set: the program declares no number")
        if name not in numbers:
            raise NoSuchThing("declared number", name, numbers)
        start = declares[name].value.offset
        # The language has no negative literals.
        changes.append((start, _end(text, start), str(value) if value >= 0 else f"(- 0 {-value})"))
    for start, end, number in sorted(changes, reverse=True):
        text = text[:start] + number + text[end:]
    return text


def _is_number(value: s.Expr) -> bool:
    return isinstance(value, (s.Number, s.Arithmetic, s.Special, s.Size))


def _end(text: str, start: int) -> int:
    """Return the end of the expression that starts at an offset."""
    depth = 0
    for token, following in pairwise(token for token in tokenize(text) if token.offset >= start):
        depth += (token.text == "(") - (token.text == ")")
        if depth == 0:
            # A number may contain blanks, so its end is the end of the text before the next token.
            return start + len(without_comments(text)[start : following.offset].rstrip())
    return len(text)
