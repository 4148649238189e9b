"""Formatter: a syntax tree as text, by the forms of its constructs, with the comments: ``parse(format_program(tree)) == tree``.

>>> from meldlab.recycle.language.parser import parse_expression
>>> to_text(parse_expression("(+ 1(size('P iloc  H A N D)))"))
"(+ 1 (size ('P iloc HAND)))"
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import cache
from typing import Any

from meldlab.recycle.language import syntax as s

WIDTH = 100
OPENERS = ("any", "all", "let", "filter", "set", "update", "repeat", "stage", "create")

Piece = Any  # text, or a list of pieces in brackets


class _Construct(list[Piece]):
    """The pieces of a construct, and its offset in the text."""

    def __init__(self, offset: int) -> None:
        super().__init__()
        self.offset = offset


def to_text(node: s.Node) -> str:
    """Return a construct on one line."""
    return _line(_piece(node))


def format_program(node: s.Node, text: str = "") -> str:
    """Return a construct over as many lines as it needs, with the comments of ``text``, from which it was read.

    A comment stands above the construct that follows it, or, if code stands before it on its line, above that code.
    """
    piece = _piece(node)
    comments = _comments(text, sorted(_starts(piece)))
    last = comments.pop(-1, [])
    return "\n".join([*comments.get(getattr(piece, "offset", -1), []), *_lines(piece, WIDTH, comments), *last]) + "\n"


def _starts(piece: Piece) -> Iterator[int]:
    if isinstance(piece, _Construct):
        yield piece.offset
    if isinstance(piece, list):
        for part in piece:
            yield from _starts(part)


def _comments(text: str, starts: list[int]) -> dict[int, list[str]]:
    """Return the comments above each construct, by its offset; under -1 those after the last construct."""
    comments: dict[int, list[str]] = {}
    for comment in re.finditer(r";;[^\n]*", text):
        line = text.rfind("\n", 0, comment.start()) + 1
        index = bisect_left(starts, line)
        if index == len(starts) or starts[index] > comment.start():
            index = bisect_left(starts, comment.start())
        comments.setdefault(starts[index] if index < len(starts) else -1, []).append(comment[0].rstrip())
    return comments


def _line(piece: Piece) -> str:
    if isinstance(piece, str):
        return piece
    return f"({' '.join(map(_line, piece))})"


def _has_comment(piece: Piece, comments: dict[int, list[str]]) -> bool:
    return any(start in comments for start in _starts(piece))


def _lines(piece: Piece, width: int, comments: dict[int, list[str]]) -> list[str]:
    """Break a list that is too wide or contains a comment: its words stay on the first line, its lists follow below."""
    line = _line(piece)
    if isinstance(piece, str) or (len(line) <= width and not any(_has_comment(part, comments) for part in piece)):
        return [line]
    front = 0
    while front < len(piece) and isinstance(piece[front], str):
        front += 1
    if front and piece[0] in OPENERS:
        # The subject of the construct stays on its first line, if that is wide enough.
        while front < len(piece) - 1 and len(_line(piece[: front + 1])) <= width and not _has_comment(piece[front], comments):
            front += 1
    head = _line(piece[:front])[1:-1]
    below = []
    for part in piece[front:]:
        below += comments.get(getattr(part, "offset", -1), [])
        below += _lines(part, width - 1, comments)
    if head:
        result = [f"({head}", *(" " + line for line in below)]
    elif below[0].startswith(";;"):
        result = ["(", *(" " + line for line in below)]
    else:
        result = ["(" + below[0], *(" " + line for line in below[1:])]
    result[-1] += ")"
    return result


# Parts of a form: those left out where their field is None; brackets, fields (quoted, or with several members) and words.
_OPTIONAL = re.compile(r"\[([^]]*\{(\w+)\}[^]]*)\]")
_PART = re.compile(r"[()]|(?P<quote>'?)\{(?P<field>\w+)(?P<several>(, )?\.\.\.)?\}|[^\s()]+")


def _piece(node: Any) -> Piece:
    """Return the form of a construct with the values of its fields."""
    if isinstance(node, tuple):
        return [", ".join(map(str, node))]
    if not isinstance(node, s.Node):
        return str(node)
    form = _OPTIONAL.sub(lambda part: "" if getattr(node, part[2]) is None else part[1], node.form)
    lists: list[Piece] = [[]]
    for part in _parts(form):
        if part[0] == "(":
            lists.append([] if lists[1:] else _Construct(node.offset))
        elif part[0] == ")":
            lists[-2].append(lists.pop())
        else:
            lists[-1] += _field_pieces(node, part)
    return lists[0][0]


@cache
def _parts(form: str) -> list[re.Match[str]]:
    return list(_PART.finditer(form))


def _field_pieces(node: s.Node, part: re.Match[str]) -> list[Piece]:
    if not part["field"]:
        return [part[0]]
    value = getattr(node, part["field"])
    if not part["several"]:
        return [part["quote"] + value if part["quote"] else _piece(value)]
    pieces = list(map(_piece, value))
    return [", ".join(pieces)] if "," in part["several"] else pieces
