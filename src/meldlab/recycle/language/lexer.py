"""RECYCLE text as tokens: comments removed, names and numbers joined, brackets counted.

>>> [token.text for token in tokenize("(top('P vloc A B)) ;; a comment")]
['(', 'top', '(', "'P", 'vloc', 'AB', ')', ')']
>>> [token.text for token in tokenize("(== (- 1 2) 1 0)")]
['(', '==', '(', '-', '1', '2', ')', '10', ')']
"""

import re
from dataclasses import dataclass
from importlib import resources

from meldlab.recycle.language.diagnostics import Diagnostic
from meldlab.recycle.language.parse_errors import unknown_character, unknown_word

MAX_DEPTH = 100  # brackets in brackets; published programs stay below 30
MAX_DIGITS = 12
MAX_CHARACTERS = 50_000  # published programs stay below 20,000

GRAMMAR = resources.files("meldlab.recycle.language").joinpath("recycle.lark").read_text("utf-8")
KEYWORDS = frozenset(re.findall(r'"([a-z]+)"', GRAMMAR))

_PIECE = re.compile(r"\s+|(?P<name>[A-Z]+)|(?P<number>[0-9]+)|(?P<keyword>[a-z]+)|(?P<sign>\.\.|//|==|!=|<=|>=|[()':,<>+*%^-])")
_COMMENT = re.compile(r";;[^\n]*")
# An operator followed by numbers only has at least two operands: their blanks separate, and do not join.
_OPERATORS = frozenset(["+", "*", "-", "//", "%", "^", "==", "!=", "<", ">", "<=", ">="])
_AT_LEAST_TWO = frozenset("+*")


@dataclass(frozen=True)
class Token:
    """A token: its kind (name, number, keyword, sign, var or quote), its text, and its offset."""

    kind: str
    text: str
    offset: int


def without_comments(text: str) -> str:
    """Return the text with byte-order mark and comments replaced by blanks; offsets do not change."""
    if text.startswith("\ufeff"):
        text = " " + text[1:]
    return _COMMENT.sub(lambda comment: " " * len(comment[0]), text)


def tokenize(text: str, warnings: list[Diagnostic] | None = None) -> list[Token]:
    """Split a text into tokens; raise ``ProgramError`` at the first character or word that is not in the language."""
    if warnings is None:
        warnings = []
    if len(text) > MAX_CHARACTERS:
        raise Diagnostic("E007", f"a text of {len(text):,} characters (at most {MAX_CHARACTERS:,})", MAX_CHARACTERS).error(text)
    tokens = _drop_surplus(text, _join(_pieces(text), warnings), warnings)
    for token in tokens:
        # The checker reports shorter ones that are too large.
        if token.kind == "number" and len(token.text.lstrip("0")) > MAX_DIGITS:
            raise Diagnostic("E113", "numbers go up to 2147483647", token.offset).error(text)
    return tokens


def _pieces(text: str) -> list[Token]:
    source, offset = without_comments(text), 0
    pieces: list[Token] = []
    while offset < len(source):
        match = _PIECE.match(source, offset)
        if match is None:
            raise unknown_character(source, offset).error(text)
        kind = match.lastgroup
        if kind == "keyword" and match[0] not in KEYWORDS:
            raise unknown_word(source, offset, match[0], pieces[-1].text if pieces else "", KEYWORDS).error(text)
        if kind is not None:
            pieces.append(Token(kind, match[0], offset))
        offset = match.end()
    return pieces


def _join(pieces: list[Token], warnings: list[Diagnostic]) -> list[Token]:
    """Join names and numbers that only blanks separate, and the quote of a variable with its name."""
    separate = _operands(pieces)
    tokens: list[Token] = []
    i = 0
    while i < len(pieces):
        piece, end = pieces[i], i + 1
        quoted = piece.text == "'" and end < len(pieces) and pieces[end].kind == "name"
        if quoted:
            end += 1
        kind = "name" if quoted else piece.kind
        first = end - 1
        while kind in ("name", "number") and end < len(pieces) and pieces[end].kind == kind and end not in separate:
            end += 1
        text = "".join(part.text for part in pieces[first:end])
        if end - first > 1:
            warnings.append(Diagnostic("W001", f"read as one {kind}, {text}", piece.offset))
        if quoted:
            tokens.append(Token("var", "'" + text, piece.offset))
        else:
            tokens.append(Token("quote", "'", piece.offset) if piece.text == "'" else Token(piece.kind, text, piece.offset))
        i = end
    return tokens


def _operands(pieces: list[Token]) -> set[int]:
    """Return the names and numbers that must not be joined with the one before: operands of an operator that has no others."""
    separate: set[int] = set()
    for i, piece in enumerate(pieces):
        if piece.text not in _OPERATORS or not i or pieces[i - 1].text != "(":
            continue
        stop = i + 1
        while stop < len(pieces) and (pieces[stop].kind in ("number", "name") or pieces[stop].text == "'"):
            stop += 1
        operands = pieces[i + 1 : stop]
        if stop == len(pieces) or pieces[stop].text != ")" or len(operands) < 2:
            continue
        if all(operand.kind == "number" for operand in operands):
            separate.update(range(i + 2, stop) if piece.text in _AT_LEAST_TWO else [stop - 1])
        elif all(operand.kind == "name" for operand in operands[1:]) and (operands[0].text != "'" or len(operands) > 2):
            separate.add(stop - 1)
    return separate


def _drop_surplus(text: str, tokens: list[Token], warnings: list[Diagnostic]) -> list[Token]:
    """Check the depth of the brackets; drop closing ones after the program."""
    depth, closing = 0, len(tokens)
    while closing and tokens[closing - 1].text == ")":
        closing -= 1
    for i, token in enumerate(tokens):
        if token.text == "(":
            depth += 1
            if depth > MAX_DEPTH:
                raise Diagnostic("E006", f"brackets more than {MAX_DEPTH} deep", token.offset).error(text)
        elif token.text == ")":
            depth -= 1
            if depth == 0 and closing <= i + 1 < len(tokens):
                warnings.append(Diagnostic("W002", "a surplus ) after the program is ignored", tokens[i + 1].offset))
                return tokens[: i + 1]
    return tokens
