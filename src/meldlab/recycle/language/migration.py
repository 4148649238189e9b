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
from meldlab.recycle.language.folding import constant
from meldlab.recycle.language.tree import rewritten, walk

__all__ = ["is_new", "is_old", "migrated"]

Tree = TypeVar("Tree", bound=s.Node)


def is_old(tree: s.Node) -> bool:
    """Tell whether a program can only be of dialect 0.5: it has a form of 0.5, or a player or team 0.

    What ``migrated`` returns has neither, so that nothing is counted up twice.

    >>> from meldlab.recycle.language.reader import read_expression
    >>> is_old(read_expression("((0 player) sto X)")), is_old(read_expression("((1 player) sto X)"))
    (True, False)
    """
    return 0 in _numbers(tree) or any(isinstance(node, (s.BareSeat, s.Actual, s.Tuples)) for node in walk(tree))


def is_new(program: s.Program) -> bool:
    """Tell whether a program can only be of dialect 0.6: it names the player whose number is that of all players."""
    return constant(program.setup.players) in _numbers(program, "player")


def _numbers(tree: s.Node, of: str = "") -> set[int | None]:
    """Return the fixed numbers by which a program calls players, and teams unless only players are wanted."""
    called = {constant(node.number) for node in walk(tree) if isinstance(node, s.Numbered) and node.of.startswith(of)}
    return called | {player for node in walk(tree) if isinstance(node, s.CreateTeams) for team in node.teams for player in team}


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
