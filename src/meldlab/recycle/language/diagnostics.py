"""Diagnostics of a program: errors, which stop it, and warnings, which do not.

>>> print(Diagnostic("E101", "nothing binds 'X", 6).error("(size 'X)"))
line 1: nothing binds 'X [E101]
  (size 'X)
        ^
"""

from dataclasses import dataclass
from typing import Any

from meldlab.errors import BadText

# Each has a section of that name in docs/recycle-errors.md.
TITLES = {
    "E001": "a character that starts no word",
    "E002": "an unknown word",
    "E003": "an unexpected word",
    "E004": "a text that ends too early",
    "E005": "a form of dialect 0.5",
    "E006": "brackets too deep",
    "E007": "a text too long",
    "E008": "a part that is missing",
    "E101": "a variable that nothing binds",
    "E102": "a wrong class",
    "E103": "two classes in one comparison",
    "E104": "a value that cannot be bound",
    "E105": "a truth value read from a variable",
    "E106": "a target that holds no cards",
    "E107": "a move from memory",
    "E108": "a choice where none is allowed",
    "E109": "a set-up that is not fixed",
    "E110": "teams that cannot be",
    "E111": "teams made in a choice",
    "E112": "a size beyond a limit",
    "E113": "a number without meaning",
    "W001": "a name or number with a blank inside",
    "W002": "a surplus closing bracket",
    "W101": "a variable that hides another",
    "W102": "a variable that is never read",
    "W103": "a name that is never written",
    "W104": "a name that is never read",
    "W105": "a near miss",
    "W106": "any outside a choice",
    "W107": "a choice that can be empty",
    "W108": "an item that is never reached",
    "W109": "an effect that comes to nothing",
    "W110": "a repeated count",
    "W111": "an attribute that no deck has",
    "W112": "a value that never occurs",
    "W113": "a game that fails",
    "W114": "a game that does not end",
    "W115": "a label of nothing",
}


@dataclass(frozen=True)
class Diagnostic:
    """A code, a message, and the offset in the text."""

    code: str
    message: str
    offset: int

    @property
    def is_error(self) -> bool:
        """Return whether a program with this diagnostic cannot run."""
        return self.code.startswith("E")

    def error(self, text: str) -> "ProgramError":
        """Return the exception to raise, which prints with line and caret."""
        return ProgramError(self, text)

    def line_and_column(self, text: str) -> tuple[int, int]:
        """Return line and column, from 1."""
        start = text.rfind("\n", 0, self.offset) + 1
        return text.count("\n", 0, start) + 1, self.offset - start + 1

    def as_json(self, text: str) -> dict[str, Any]:
        """Return code, line, column and message."""
        line, column = self.line_and_column(text)
        return {"code": self.code, "line": line, "column": column, "message": self.message}


class ProgramError(BadText):
    """A program that cannot be read or run, and the diagnostic that gives the reason."""

    def __init__(self, diagnostic: Diagnostic, text: str) -> None:
        super().__init__(f"{diagnostic.message} [{diagnostic.code}]", text, diagnostic.offset)
        self.diagnostic = diagnostic

    def __str__(self) -> str:
        # A program is a file: its line number is printed even if it has only one line.
        message = super().__str__()
        if message.startswith("line ") or not self.text.strip():
            return message
        return f"line {self.diagnostic.line_and_column(self.text)[0]}: {message}"

    def __reduce__(self) -> tuple[type["ProgramError"], tuple[Diagnostic, str]]:
        return ProgramError, (self.diagnostic, self.text)
