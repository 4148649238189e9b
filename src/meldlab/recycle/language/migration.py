"""From dialect 0.5 to 0.6: players and teams counted from 1, bare words for players, ``actual`` and ``tuples`` rewritten.

>>> from meldlab.recycle.language.printer import show
>>> from meldlab.recycle.language.reader import read_expression
>>> show(migrated(read_expression("((0 player) sto X)")))
'((1 player) sto X)'
>>> show(migrated(read_expression("((pid (current player)) player)")))
'((pid (current player)) player)'
>>> show(migrated(read_expression("(tuples 2 (game vloc A) using (game points P))")))
"(filter (subsets (game vloc A) == 2) 'T (all 'T 'C (== (score 'C using (game points P)) (score (top 'T) using (game points P)))))"
"""

from typing import Any, TypeVar

from meldlab.recycle.language import syntax as s
from meldlab.recycle.language.tree import rewritten, walk

__all__ = ["migrated"]

Tree = TypeVar("Tree", bound=s.Node)


def migrated(tree: Tree) -> Tree:
    """Return the 0.6 program that does what the 0.5 program did."""
    taken = {getattr(node, "name", getattr(node, "var", None)) for node in walk(tree)}
    result: Tree = rewritten(tree, lambda node: _changed(node, taken))
    return result


def _changed(node: Any, taken: set[Any]) -> Any:
    match node:
        case s.Numbered():
            return s.Numbered(_plus_one(node.number), node.of, at=node.at)
        case s.Identity():
            return s.Arithmetic("-", (node, s.Number(1)), at=node.at)
        case s.CreateTeams():
            return s.CreateTeams(tuple(tuple(player + 1 for player in team) for team in node.teams), at=node.at)
        case s.BareSeat():
            return s.Seat(node.which, "player", at=node.at)
        case s.Actual():
            return node.card
        case s.Tuples():
            group, card = _fresh("T", taken), _fresh("C", taken)
            alike = s.Compare("==", s.Score(s.Var(card), node.points), s.Score(s.Pick("top", s.Var(group)), node.points))
            subsets = s.Subsets(node.cards, "==", node.size)
            return s.Filter(subsets, group, s.Each("all", s.Var(group), card, alike), at=node.at)
    return node


def _plus_one(number: s.Expr) -> s.Expr:
    match number:
        case s.Number():
            return s.Number(number.value + 1, at=number.at)
        case s.Arithmetic(how="-", parts=(s.Identity() as identity, s.Number(value=1))):
            return identity
    return s.Arithmetic("+", (number, s.Number(1)), at=number.at)


def _fresh(name: str, taken: set[Any]) -> str:
    while name in taken:
        name += "X"
    return name
