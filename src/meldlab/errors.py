"""What can go wrong, in four kinds: bad text, not legal here, no such thing, not possible.

>>> raise BadText("no suit 'X' (use C D H S)", "5H 6H 7X", 7)
Traceback (most recent call last):
    ...
meldlab.errors.BadText: no suit 'X' (use C D H S)
  5H 6H 7X
         ^
"""

from collections.abc import Iterable
from difflib import get_close_matches
from operator import index
from typing import SupportsIndex

__all__ = ["BadText", "MeldlabError", "NoSuchThing", "NotLegalHere", "NotPossible", "time_text", "whole_number"]

WINDOW = 72  # columns of a long line that an error shows
MOST_NAMES, LONGEST_NAME = 200, 100  # that an error lists, and compares


class MeldlabError(ValueError):
    """Every mistake a user can make; its text is meant to be read by that user."""


class BadText(MeldlabError):
    """A text that cannot be read, with the place where reading stopped."""

    def __init__(self, problem: str, text: str, at: int) -> None:
        super().__init__(problem, text, at)
        self.problem, self.text, self.at = problem, text, at

    def __str__(self) -> str:
        if not self.text.strip():
            return self.problem
        start = self.text.rfind("\n", 0, self.at) + 1
        # Tabs and other control characters would push the caret away from its place.
        line = "".join(char if char.isprintable() else " " for char in self.text[start:].split("\n", 1)[0])
        column = min(self.at - start, len(line))
        # A caret under column 4000 helps nobody: show the stretch around it.
        first = max(0, column - WINDOW + 12) if len(line) > WINDOW else 0
        where = f"line {self.text.count(chr(10), 0, start) + 1}: " if "\n" in self.text.strip("\n") else ""
        return f"{where}{self.problem}\n  {line[first : first + WINDOW]}\n  {' ' * (column - first)}^"


class NotLegalHere(MeldlabError):
    """Something that the rules forbid in this place, or a value that is none of those allowed."""


class NotPossible(MeldlabError):
    """Something that this machine, a file or the size of the problem does not allow."""


class NoSuchThing(MeldlabError):
    """A name that nothing here answers to, with the names that exist.

    >>> str(NoSuchThing("ace rule", "lwo", ["low", "both", "round"]))
    "no ace rule 'lwo' (use low, both, round); did you mean low?"
    """

    def __init__(self, kind: str, name: object, known: Iterable[str]) -> None:
        names = list(known)
        super().__init__(kind, name, names)
        self.kind, self.name, self.known = kind, name, names

    def __str__(self) -> str:
        # A stranger's game may have thousands of names: nobody reads them all, and to compare with each takes its time.
        name, more = str(self.name)[:LONGEST_NAME], len(self.known) - MOST_NAMES
        near = get_close_matches(name, self.known[:MOST_NAMES], 1)
        hint = f"; did you mean {near[0]}?" if near else ""
        names = f" (use {', '.join(self.known[:MOST_NAMES])}{f' or {more} more' if more > 0 else ''})" if self.known else ""
        return f"no {self.kind} {self.name!r}{names}{hint}"


def whole_number(value: SupportsIndex, what: str, least: int = 0, most: int = 2**63 - 1) -> int:
    """Return a whole number, Python's own or numpy's, as an integer, or say that ``what`` cannot be it.

    >>> whole_number(52, "number of cards", most=13)
    Traceback (most recent call last):
        ...
    meldlab.errors.NotLegalHere: number of cards must be a whole number from 0 to 13, not 52
    """
    try:
        number = index(value)
    except TypeError:
        number = least - 1
    if not least <= number <= most:
        end = most if most < 2**63 - 1 else "2^63 - 1"
        raise NotLegalHere(f"{what} must be a whole number from {least} to {end}, not {value!r}")
    return number


def time_text(seconds: float) -> str:
    """Return a time in words, in a unit that suits it, to say what something would take.

    >>> time_text(90), time_text(200000)
    ('90 seconds', '2 days')
    """
    for name, unit in (("years", 365.25 * 86400), ("days", 86400.0), ("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 2 * unit:
            return f"{seconds / unit:,.0f} {name}"
    return f"{seconds:.0f} second{'s' * (f'{seconds:.0f}' != '1')}"
