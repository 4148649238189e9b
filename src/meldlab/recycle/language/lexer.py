"""A RECYCLE text as words: comments away, names and numbers glued, brackets counted.

>>> [word.text for word in words("(top('P vloc A B)) ;; a comment")]
['(', 'top', '(', "'P", 'vloc', 'AB', ')', ')']
>>> [word.text for word in words("(== (- 1 2) 1 0)")]
['(', '==', '(', '-', '1', '2', ')', '10', ')']
"""

import re
from dataclasses import dataclass
from importlib import resources

from meldlab.recycle.language.findings import Finding
from meldlab.recycle.language.mistakes import unknown_character, unknown_word

__all__ = ["DEEPEST", "GRAMMAR", "KEYWORDS", "LONGEST", "Word", "plain", "words"]

DEEPEST = 100  # brackets in brackets; programs of the field stay below 30
DIGITS = 12  # of the longest number that is read
LONGEST = 50_000  # characters; programs of the field stay below 20,000

GRAMMAR = resources.files("meldlab.recycle.language").joinpath("recycle.lark").read_text("utf-8")
KEYWORDS = frozenset(re.findall(r'"([a-z]+)"', GRAMMAR))

_PIECE = re.compile(r"\s+|(?P<name>[A-Z]+)|(?P<number>[0-9]+)|(?P<keyword>[a-z]+)|(?P<sign>\.\.|//|==|!=|<=|>=|[()':,<>+*%^-])")
_COMMENT = re.compile(r";;[^\n]*")
# With only numbers behind it, an operator keeps at least two of them apart.
_OPERATORS = frozenset(["+", "*", "-", "//", "%", "^", "==", "!=", "<", ">", "<=", ">="])
_AT_LEAST_TWO = frozenset("+*")


@dataclass(frozen=True)
class Word:
    """A word, what sort of word it is, and where it starts."""

    sort: str
    text: str
    at: int


def plain(text: str) -> str:
    """Return the text with its byte-order mark and comments blanked, every other character in its place."""
    if text.startswith("\ufeff"):
        text = " " + text[1:]
    return _COMMENT.sub(lambda comment: " " * len(comment[0]), text)


def words(text: str, warnings: list[Finding] | None = None) -> list[Word]:
    """Split a text into words; raise ``BadText`` at the first character or word that is none."""
    heard: list[Finding] = [] if warnings is None else warnings
    if len(text) > LONGEST:
        raise Finding("E007", f"a text of {len(text):,} characters (at most {LONGEST:,})", LONGEST).mistake(text)
    found = _without_surplus(text, _glued(_pieces(text), heard), heard)
    for word in found:
        # Shorter ones are read, and the checker tells which of them are too large.
        if word.sort == "number" and len(word.text.lstrip("0")) > DIGITS:
            raise Finding("E113", "numbers go up to 2147483647", word.at).mistake(text)
    return found


def _pieces(text: str) -> list[Word]:
    source, at = plain(text), 0
    found: list[Word] = []
    while at < len(source):
        piece = _PIECE.match(source, at)
        if piece is None:
            raise unknown_character(source, at).mistake(text)
        sort = piece.lastgroup
        if sort == "keyword" and piece[0] not in KEYWORDS:
            raise unknown_word(source, at, piece[0], found[-1].text if found else "", KEYWORDS).mistake(text)
        if sort is not None:
            found.append(Word(sort, piece[0], at))
        at = piece.end()
    return found


def _glued(pieces: list[Word], warnings: list[Finding]) -> list[Word]:
    """Join names and numbers that only blanks separate, and the quote of a variable to its name."""
    apart = _operands(pieces)
    result: list[Word] = []
    i = 0
    while i < len(pieces):
        piece, end = pieces[i], i + 1
        quoted = piece.text == "'" and end < len(pieces) and pieces[end].sort == "name"
        if quoted:
            end += 1
        sort = "name" if quoted else piece.sort
        first = end - 1
        while sort in ("name", "number") and end < len(pieces) and pieces[end].sort == sort and end not in apart:
            end += 1
        text = "".join(part.text for part in pieces[first:end])
        if end - first > 1:
            warnings.append(Finding("W001", f"read as one {sort}, {text}", piece.at))
        if quoted:
            result.append(Word("var", "'" + text, piece.at))
        else:
            result.append(Word("quote", "'", piece.at) if piece.text == "'" else Word(piece.sort, text, piece.at))
        i = end
    return result


def _operands(pieces: list[Word]) -> set[int]:
    """Return the names and numbers that must not be glued to the one before: operands of an operator that has nothing else."""
    apart: set[int] = set()
    for i, piece in enumerate(pieces):
        if piece.text not in _OPERATORS or not i or pieces[i - 1].text != "(":
            continue
        stop = i + 1
        while stop < len(pieces) and (pieces[stop].sort in ("number", "name") or pieces[stop].text == "'"):
            stop += 1
        operands = pieces[i + 1 : stop]
        if stop == len(pieces) or pieces[stop].text != ")" or len(operands) < 2:
            continue
        if all(word.sort == "number" for word in operands):
            apart.update(range(i + 2, stop) if piece.text in _AT_LEAST_TWO else [stop - 1])
        elif all(word.sort == "name" for word in operands[1:]) and (operands[0].text != "'" or len(operands) > 2):
            apart.add(stop - 1)
    return apart


def _without_surplus(text: str, found: list[Word], warnings: list[Finding]) -> list[Word]:
    """Check the brackets; drop closing ones behind the program."""
    depth, closing = 0, len(found)
    while closing and found[closing - 1].text == ")":
        closing -= 1
    for i, word in enumerate(found):
        if word.text == "(":
            depth += 1
            if depth > DEEPEST:
                raise Finding("E006", f"brackets more than {DEEPEST} deep", word.at).mistake(text)
        elif word.text == ")":
            depth -= 1
            if depth == 0 and closing <= i + 1 < len(found):
                warnings.append(Finding("W002", "a surplus ) after the program is ignored", found[i + 1].at))
                return found[: i + 1]
    return found
