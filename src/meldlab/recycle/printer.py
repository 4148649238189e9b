"""A syntax tree as text again, laid out: ``parse(print(tree)) == tree``.

>>> from meldlab.recycle.reader import read_expression
>>> show(read_expression("(+ 1(size('P iloc  H A N D)))"))
"(+ 1 (size ('P iloc HAND)))"
"""

from typing import Any

from meldlab.recycle import syntax as s

__all__ = ["layout", "show"]

WIDTH = 100

# A piece of text, or a list of pieces in brackets.
Piece = Any


def show(node: s.Node) -> str:
    """Return a construct on one line."""
    return _line(_piece(node))


def layout(node: s.Node) -> str:
    """Return a construct over as many lines as it needs, indented by what it belongs to."""
    return "\n".join(_lines(_piece(node), WIDTH)) + "\n"


def _line(piece: Piece) -> str:
    if isinstance(piece, str):
        return piece
    return f"({' '.join(map(_line, piece))})".replace(" , ", ", ")


def _lines(piece: Piece, width: int) -> list[str]:
    """Break a list that is too wide: its words stay in front, its lists follow below."""
    one = _line(piece)
    if len(one) <= width or isinstance(piece, str):
        return [one]
    front = 0
    while front < len(piece) and isinstance(piece[front], str):
        front += 1
    head = _line(piece[:front])[1:-1]
    below = [line for part in piece[front:] for line in _lines(part, width - 1)]
    result = [f"({head}", *(" " + line for line in below)] if head else ["(" + below[0], *(" " + line for line in below[1:])]
    result[-1] += ")"
    return result


def _names(names: tuple[str, ...]) -> Piece:
    return [", ".join(names)]


def _attribute(node: s.Attribute) -> Piece:
    if all(not branch.attributes for branch in node.branches):
        return [node.key, _names(tuple(branch.value for branch in node.branches))]
    return [node.key, *([branch.value, *map(_attribute, branch.attributes)] for branch in node.branches)]


def _deck(node: s.CreateDeck) -> Piece:
    back = [] if node.back is None else [_piece(node.back)]
    return ["create", "deck", *back, _piece(node.location), ["deck", *map(_attribute, node.attributes)]]


def _award(node: s.Award) -> Piece:
    return [*([_piece(key), ":", _piece(value)] for key, value in node.pairs), _piece(node.points)]


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
    return _program(node) if isinstance(node, (s.Program, s.Setup, s.Declare, s.Phase, s.RepeatDeck)) else _list(node)


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
