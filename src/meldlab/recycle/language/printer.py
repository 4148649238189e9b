"""A syntax tree as text again, by the forms of its constructs, laid out, with the comments of the text: ``read(layout(tree)) == tree``.

>>> from meldlab.recycle.language.reader import read_expression
>>> show(read_expression("(+ 1(size('P iloc  H A N D)))"))
"(+ 1 (size ('P iloc HAND)))"
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import cache
from typing import Any

from meldlab.recycle.language import syntax as s

__all__ = ["layout", "show"]

WIDTH = 100
OPENERS = ("any", "all", "let", "filter", "set", "update", "repeat", "stage", "create")

# A piece of text, or a list of pieces in brackets.
Piece = Any


class _Listed(list[Piece]):
    """The pieces of a construct, and where it stood."""

    def __init__(self, at: int) -> None:
        super().__init__()
        self.at = at


def show(node: s.Node) -> str:
    """Return a construct on one line."""
    return _line(_piece(node))


def layout(node: s.Node, text: str = "") -> str:
    """Return a construct over as many lines as it needs, with the comments of ``text``, from which it was read.

    A comment stands above the construct that follows it, or, if code stands before it on its line, above that code.
    """
    piece = _piece(node)
    comments = _comments(text, sorted(_starts(piece)))
    last = comments.pop(-1, [])
    return "\n".join([*comments.get(getattr(piece, "at", -1), []), *_lines(piece, WIDTH, comments), *last]) + "\n"


def _starts(piece: Piece) -> Iterator[int]:
    if isinstance(piece, _Listed):
        yield piece.at
    if isinstance(piece, list):
        for part in piece:
            yield from _starts(part)


def _comments(text: str, starts: list[int]) -> dict[int, list[str]]:
    """Return the comments that stand above each construct, by its place; under -1 those behind all."""
    result: dict[int, list[str]] = {}
    for comment in re.finditer(r";;[^\n]*", text):
        line = text.rfind("\n", 0, comment.start()) + 1
        here = bisect_left(starts, line)
        if here == len(starts) or starts[here] > comment.start():
            here = bisect_left(starts, comment.start())
        result.setdefault(starts[here] if here < len(starts) else -1, []).append(comment[0].rstrip())
    return result


def _line(piece: Piece) -> str:
    if isinstance(piece, str):
        return piece
    return f"({' '.join(map(_line, piece))})"


def _lines(piece: Piece, width: int, comments: dict[int, list[str]]) -> list[str]:
    """Break a list that is too wide, or has a comment inside: its words stay in front, its lists follow below."""
    one = _line(piece)
    if isinstance(piece, str) or (len(one) <= width and not any(at in comments for part in piece for at in _starts(part))):
        return [one]
    front = 0
    while front < len(piece) and isinstance(piece[front], str):
        front += 1
    if front and piece[0] in OPENERS:
        # What the construct is about stays on its first line, if that is wide enough.
        while (
            front < len(piece) - 1 and len(_line(piece[: front + 1])) <= width and not any(at in comments for at in _starts(piece[front]))
        ):
            front += 1
    head = _line(piece[:front])[1:-1]
    below = []
    for part in piece[front:]:
        below += comments.get(getattr(part, "at", -1), [])
        below += _lines(part, width - 1, comments)
    if head:
        result = [f"({head}", *(" " + line for line in below)]
    elif below[0].startswith(";;"):
        result = ["(", *(" " + line for line in below)]
    else:
        result = ["(" + below[0], *(" " + line for line in below[1:])]
    result[-1] += ")"
    return result


# In a form: what is left out where its field is None; then brackets, fields (quoted, or with many members) and words.
_OPTIONAL = re.compile(r"\[([^]]*\{(\w+)\}[^]]*)\]")
_PART = re.compile(r"[()]|(?P<quote>'?)\{(?P<field>\w+)(?P<many>(, )?\.\.\.)?\}|[^\s()]+")


def _piece(node: Any) -> Piece:
    """Return the form of a construct, filled in."""
    if isinstance(node, tuple):
        return [", ".join(map(str, node))]
    if not isinstance(node, s.Node):
        return str(node)
    form = _OPTIONAL.sub(lambda part: "" if getattr(node, part[2]) is None else part[1], node.form)
    lists: list[Piece] = [[]]
    for part in _parts(form):
        if part[0] == "(":
            lists.append([] if lists[1:] else _Listed(node.at))
        elif part[0] == ")":
            lists[-2].append(lists.pop())
        else:
            lists[-1] += _filled(node, part)
    return lists[0][0]


@cache
def _parts(form: str) -> list[re.Match[str]]:
    return list(_PART.finditer(form))


def _filled(node: s.Node, part: re.Match[str]) -> list[Piece]:
    if not part["field"]:
        return [part[0]]
    value = getattr(node, part["field"])
    if not part["many"]:
        return [part["quote"] + value if part["quote"] else _piece(value)]
    pieces = list(map(_piece, value))
    return [", ".join(pieces)] if "," in part["many"] else pieces
