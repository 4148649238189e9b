"""A syntax tree as text again, laid out, with the comments of the text it came from: ``parse(print(tree)) == tree``.

>>> from meldlab.recycle.reader import read_expression
>>> show(read_expression("(+ 1(size('P iloc  H A N D)))"))
"(+ 1 (size ('P iloc HAND)))"
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import Any

from meldlab.recycle import syntax as s

__all__ = ["layout", "show"]

WIDTH = 100
OPENERS = ("any", "all", "let", "filter", "set", "update", "repeat", "stage", "create")

# A piece of text, or a list of pieces in brackets.
Piece = Any


class _Listed(list[Piece]):
    """The pieces of a construct, and where it stood."""

    at = -1


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
    return "\n".join([*comments.get(piece.at, []), *_lines(piece, WIDTH, comments), *last]) + "\n"


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


def _names(names: tuple[str, ...]) -> Piece:
    return [", ".join(names)]


def _attribute(node: s.Attribute) -> Piece:
    if all(not branch.attributes for branch in node.branches):
        return _at(node, [node.key, _names(tuple(branch.value for branch in node.branches))])
    return _at(node, [node.key, *(_at(branch, [branch.value, *map(_attribute, branch.attributes)]) for branch in node.branches)])


def _deck(node: s.CreateDeck) -> Piece:
    back = [] if node.back is None else [_piece(node.back)]
    return ["create", "deck", *back, _piece(node.location), ["deck", *map(_attribute, node.attributes)]]


def _award(node: s.Award) -> Piece:
    return _at(node, [*([_piece(key), ":", _piece(value)] for key, value in node.pairs), _piece(node.points)])


def _piece(node: Any) -> Piece:
    match node:
        case str():
            return node
        case s.Number():
            return str(node.value)
        case s.Name():
            return node.text
        case s.Var():
            return "'" + node.name
        case s.Table():
            return "game"
        case s.Everyone():
            return node.of
        case s.BareSeat():
            return node.which
        case s.Strings():
            return _names(node.names)
        case s.Members():
            return _piece(node.team)
    whole = _program(node) if isinstance(node, (s.Program, s.Setup, s.Declare, s.Phase, s.RepeatDeck)) else _list(node)
    return _at(node, whole)


def _at(node: s.Node, pieces: list[Piece]) -> Piece:
    listed = _Listed(pieces)
    listed.at = node.at
    return listed


def _program(node: s.Node) -> Piece:
    match node:
        case s.Program():
            scoring = ["scoring", node.scoring, _piece(node.score)]
            return ["game", *map(_piece, (*node.declares, node.setup, *node.phases)), scoring]
        case s.Setup():
            teams = [] if node.teams is None else [_piece(node.teams)]
            return ["setup", ["create", "players", _piece(node.players)], *teams, *map(_piece, node.decks)]
        case s.RepeatDeck():
            return ["repeat", _piece(node.count), _piece(node.deck)]
        case s.Declare():
            return ["declare", _piece(node.value), "'" + node.var]
        case s.Stage():
            end = node.end if isinstance(node.end, str) else ["end", _piece(node.end)]
            return ["stage", node.of, end, *map(_piece, node.phases)]
        case s.Choice():
            return ["choice", list(map(_piece, node.items))]
        case s.Do():
            return ["do", list(map(_piece, node.items))]
        case s.Loop():
            return [node.quantifier, _piece(node.coll), "'" + node.var, _piece(node.body)]
        case s.Let():
            return ["let", _piece(node.value), "'" + node.var, _piece(node.body)]
    raise TypeError(f"no way to print {type(node).__name__}")


def _list(node: Any) -> Piece:
    parts: list[Any]
    match node:
        case s.Condition():
            parts = [node.test, node.body]
        case s.Move() | s.Remember():
            parts = [type(node).__name__.lower(), node.card, node.place]
        case s.Forget():
            parts = ["forget", node.card]
        case s.Swap():
            parts = ["swap", node.left, node.right]
        case s.Shuffle():
            parts = ["shuffle", node.cards]
        case s.Faro():
            parts = ["shuffle", "faro", node.lower, node.upper]
        case s.Set():
            parts = ["set", node.cell, node.value]
        case s.SetPoints():
            return ["update" if node.update else "set", _piece(node.cell), list(map(_award, node.awards))]
        case s.Step():
            parts = [node.which, node.cell] if node.amount is None else [node.which, node.cell, node.amount]
        case s.Cycle():
            parts = ["cycle", node.when, node.player]
        case s.Pass():
            parts = ["turn", "pass"]
        case s.Repeat():
            parts = ["repeat", node.count, node.body]
        case s.RepeatAll():
            parts = ["repeat", "all", node.body]
        case s.CreateTeams():
            return ["create", "teams", *(_names(tuple(map(str, team))) for team in node.teams)]
        case s.CreateDeck():
            return _deck(node)
        case _:
            parts = _expression(node)
    return list(map(_piece, parts))


def _expression(node: Any) -> list[Any]:
    match node:
        case s.Seat():
            return [node.which, node.of]
        case s.Numbered():
            return [node.number, node.of]
        case s.OwnerOf():
            return ["owner", node.card]
        case s.TeamOf():
            return ["team", node.player]
        case s.Cell():
            return [node.owner, node.kind, node.name]
        case s.Location():
            return [node.owner, node.kind, node.name] + ([] if node.index is None else [node.index])
        case s.Pick():
            return [node.end, node.of]
        case s.Best():
            return [node.which, node.cards, "using", node.points]
        case s.Filter():
            return ["filter", node.coll, "'" + node.var, node.test]
        case s.Each():
            return [node.quantifier, node.coll, "'" + node.var, node.body]
        case s.Combine() | s.Logic() | s.Arithmetic():
            return [node.how, *node.parts]
        case s.Sort():
            return ["sort", node.cards, "using", node.points]
        case s.Take():
            return [node.end, node.count, node.cards]
        case s.Run():
            return ["run", node.end, node.least, node.cards, "using", node.points]
        case s.Partition():
            return ["partition", node.key, *node.parts]
        case s.Subsets():
            return ["subsets", node.cards] + ([] if node.size is None else [node.compare, node.size])
        case s.Runs():
            return ["runs", node.extent, node.least, node.cards, "using", node.points]
        case s.Tuples():
            return ["tuples", node.size, node.cards, "using", node.points]
        case s.Actual():
            return ["actual", node.card]
        case s.Indexed():
            return ["indexed", node.owner, node.kind, node.name]
        case s.Others():
            return ["other", node.of]
        case s.Range():
            return ["range", node.first, "..", node.last]
        case s.Not():
            return ["not", node.test]
        case s.Compare():
            return [node.how, node.left, node.right]
        case s.Special():
            return [node.which, node.number]
        case s.Random():
            return ["random", node.last] if node.first is None else ["random", node.first, "..", node.last]
        case s.Size():
            return ["size", node.of]
        case s.Score():
            return ["score", node.card, "using", node.points]
        case s.Total():
            return [node.which, node.cards, "using", node.points]
        case s.Identity():
            return [node.which, node.of]
        case s.CardAtt():
            return ["cardatt", node.key, node.card]
    raise TypeError(f"no way to print {type(node).__name__}")
