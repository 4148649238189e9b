"""The four kinds of errors of users: bad text, not legal here, no such thing, not possible.

>>> raise BadText("no suit 'X' (use C D H S)", "5H 6H 7X", 7)
Traceback (most recent call last):
    ...
meldlab.errors.BadText: no suit 'X' (use C D H S)
  5H 6H 7X
         ^
"""

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from operator import index
from typing import SupportsIndex, TypeVar

T = TypeVar("T")
MAX_COLUMNS = 72  # of a long line in an error
MAX_NAMES, MAX_NAME_LENGTH = 200, 100  # in the list of an error, and for suggestions


class MeldlabError(ValueError):
    """The base of all errors of a user; the message is written for that user."""


class BadText(MeldlabError):
    """A text that cannot be read, with the position where reading stopped."""

    def __init__(self, problem: str, text: str, offset: int) -> None:
        super().__init__(problem, text, offset)
        self.problem, self.text, self.offset = problem, text, offset

    def __str__(self) -> str:
        if not self.text.strip():
            return self.problem
        start = self.text.rfind("\n", 0, self.offset) + 1
        end = self.text.find("\n", start)
        length = (end if end >= 0 else len(self.text)) - start
        column = min(self.offset - start, length)
        # Of a long line, show the part around the caret.
        first = max(0, column - MAX_COLUMNS + 12) if length > MAX_COLUMNS else 0
        # Tabs and other control characters would move the caret.
        part = self.text[start + first : start + min(first + MAX_COLUMNS, length)]
        line = "".join(char if char.isprintable() else " " for char in part)
        where = f"line {self.text.count(chr(10), 0, start) + 1}: " if "\n" in self.text.strip("\n") else ""
        return f"{where}{self.problem}\n  {line}\n  {' ' * (column - first)}^"


def parse_part(parse: Callable[[str], T], part: str, text: str, start: int) -> T:
    """Return what ``parse`` reads from a part of ``text`` that starts at ``start``; the caret of an error is in the whole text."""
    try:
        return parse(part)
    except BadText as error:
        raise BadText(error.problem, text, start + error.offset) from None


class NotLegalHere(MeldlabError):
    """An action that the rules forbid here, or a value that is not allowed."""


class NotPossible(MeldlabError):
    """A request that this machine, a file or the size of the problem does not allow."""


class NoSuchThing(MeldlabError):
    """An unknown name, with the known names.

    >>> str(NoSuchThing("ace rule", "lwo", ["low", "both", "round"]))
    "no ace rule 'lwo' (use low, both, round); did you mean low?"
    """

    def __init__(self, kind: str, name: object, known: Iterable[str]) -> None:
        names = list(known)
        super().__init__(kind, name, names)
        self.kind, self.name, self.known = kind, name, names

    def __str__(self) -> str:
        # A game of a user may have thousands of names: too many to list, and to compare in reasonable time.
        name, more = str(self.name)[:MAX_NAME_LENGTH], len(self.known) - MAX_NAMES
        close = get_close_matches(name, [known for known in self.known[:MAX_NAMES] if len(known) <= MAX_NAME_LENGTH], 1)
        hint = f"; did you mean {close[0]}?" if close else ""
        names = f" (use {', '.join(self.known[:MAX_NAMES])}{f' or {more} more' if more > 0 else ''})" if self.known else ""
        return f"no {self.kind} {self.name!r}{names}{hint}"


def whole_number(value: SupportsIndex, what: str, minimum: int = 0, maximum: int = 2**63 - 1) -> int:
    """Return an integer of Python or numpy as int; raise NotLegalHere with ``what`` it is if it is out of range or another type.

    >>> whole_number(52, "number of cards", maximum=13)
    Traceback (most recent call last):
        ...
    meldlab.errors.NotLegalHere: number of cards must be a whole number from 0 to 13, not 52
    """
    try:
        number = index(value)
    except TypeError:
        number = minimum - 1
    if not minimum <= number <= maximum:
        end = maximum if maximum < 2**63 - 1 else "2^63 - 1"
        raise NotLegalHere(f"{what} must be a whole number from {minimum} to {end}, not {value!r}")
    return number
