"""From dialect 0.5 to 0.6: players and teams counted from 1, bare words for players, ``actual`` and ``tuples`` rewritten.

>>> from meldlab.recycle.language.formatter import to_text
>>> from meldlab.recycle.language.parser import parse_expression
>>> to_text(migrate(parse_expression("((0 player) sto X)")))
'((1 player) sto X)'
>>> to_text(migrate(parse_expression("((pid (current player)) player)")))
'((pid (current player)) player)'
>>> to_text(migrate(parse_expression("(tuples 2 (game vloc A) using (game points P))")))
"(filter (subsets (game vloc A) == 2) 'T (all 'T 'C (== (score 'C using (game points P)) (score (top 'T) using (game points P)))))"
"""

from typing import Any, TypeVar

from meldlab.recycle.language import syntax as s
from meldlab.recycle.language.constants import constant
from meldlab.recycle.language.tree import transform, walk

Tree = TypeVar("Tree", bound=s.Node)


def is_old(tree: s.Node) -> bool:
    """Return whether a program can only be of dialect 0.5: it has a form of 0.5, or a player or team 0.

    The result of ``migrate`` has neither, so no number is counted up twice.

    >>> from meldlab.recycle.language.parser import parse_expression
    >>> is_old(parse_expression("((0 player) sto X)")), is_old(parse_expression("((1 player) sto X)"))
    (True, False)
    """
    return 0 in _numbers(tree) or any(isinstance(node, (s.BareSeat, s.Actual, s.Tuples)) for node in walk(tree))


def is_new(program: s.Program) -> bool:
    """Return whether a program can only be of dialect 0.6: it names a player by the number of players."""
    return constant(program.setup.players) in _numbers(program, "player")


def _numbers(tree: s.Node, of: str = "") -> set[int | None]:
    """Return the constant numbers of players and teams in a program, or only those of players."""
    numbers = {constant(node.number) for node in walk(tree) if isinstance(node, s.Numbered) and node.of.startswith(of)}
    return numbers | {player for node in walk(tree) if isinstance(node, s.CreateTeams) for team in node.teams for player in team}


def migrate(tree: Tree) -> Tree:
    """Return the 0.6 program equivalent to a 0.5 program."""
    taken = {getattr(node, "name", getattr(node, "var", None)) for node in walk(tree)}
    result: Tree = transform(tree, lambda node: _migrate_node(node, taken))
    return result


def _migrate_node(node: Any, taken: set[Any]) -> Any:
    match node:
        case s.Numbered():
            return s.Numbered(_plus_one(node.number), node.of, offset=node.offset)
        case s.Identity():
            return s.Arithmetic("-", (node, s.Number(1)), offset=node.offset)
        case s.CreateTeams():
            return s.CreateTeams(tuple(tuple(player + 1 for player in team) for team in node.teams), offset=node.offset)
        case s.BareSeat():
            return s.Seat(node.which, "player", offset=node.offset)
        case s.Actual():
            return node.card
        case s.Tuples():
            group, card = _fresh("T", taken), _fresh("C", taken)
            alike = s.Compare("==", s.Score(s.Var(card), node.points), s.Score(s.Pick("top", s.Var(group)), node.points))
            subsets = s.Subsets(node.cards, "==", node.size)
            return s.Filter(subsets, group, s.Each("all", s.Var(group), card, alike), offset=node.offset)
    return node


def _plus_one(number: s.Expr) -> s.Expr:
    match number:
        case s.Number():
            return s.Number(number.value + 1, offset=number.offset)
        case s.Arithmetic(how="-", parts=(s.Identity() as identity, s.Number(value=1))):
            return identity
    return s.Arithmetic("+", (number, s.Number(1)), offset=number.offset)


def _fresh(name: str, taken: set[Any]) -> str:
    while name in taken:
        name += "X"
    return name
