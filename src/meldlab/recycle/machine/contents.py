"""Contents of constructs, computed once for each and stored by identity: loops in loops would be walked once for every level.

>>> from meldlab.recycle.language.parser import parse_expression
>>> inside = Contents().of(parse_expression("(filter 'L 'C (== (size ((next player) iloc HAND)) 'N))"))
>>> sorted(inside.read), sorted(inside.bound), inside.has == NEXT_SEAT
(['L', 'N'], ['C'], True)
"""

from typing import NamedTuple

from meldlab.recycle.language import syntax as s
from meldlab.recycle.language.tree import children

__all__ = ["BRANCH", "CYCLES", "FORGET", "NEXT_PLAYER", "NEXT_SEAT", "Contents", "Inside"]

NEXT_PLAYER = s.Seat("next", "player")
BRANCH, FORGET, NEXT_SEAT = 1, 2, 4  # an any loop, an action that forgets, the next player
CYCLES = {"next": 8, "current": 16}


class Inside(NamedTuple):
    """Flags of what a construct holds, itself included, and the variables in it."""

    has: int
    read: frozenset[str]
    bound: frozenset[str]  # by filters and by any and all as expressions


class Contents:
    """Contents of each construct of a program, which must live as long as this."""

    def __init__(self) -> None:
        self._known: dict[int, Inside] = {}

    def of(self, node: s.Node) -> Inside:
        """Return what is inside a construct."""
        known = self._known.get(id(node))
        if known is None:
            parts = [*map(self.of, children(node)), _alone(node)]
            has = 0
            for part in parts:
                has |= part.has
            read, bound = _joined([part.read for part in parts]), _joined([part.bound for part in parts])
            known = self._known[id(node)] = Inside(has, read, bound)
        return known

    def has(self, *nodes: s.Node) -> int:
        """Return the flags of some constructs together."""
        flags = 0
        for node in nodes:
            flags |= self.of(node).has
        return flags


def _joined(sets: list[frozenset[str]]) -> frozenset[str]:
    filled = [names for names in sets if names]
    return filled[0] if len(filled) == 1 else frozenset().union(*filled)


def _alone(node: s.Node) -> Inside:
    """Return what a construct is itself."""
    none: frozenset[str] = frozenset()
    match node:
        case s.Var(name=name):
            return Inside(0, frozenset((name,)), none)
        case s.Filter(var=name) | s.Each(var=name):
            return Inside(0, none, frozenset((name,)))
        case s.Loop(quantifier="any"):
            return Inside(BRANCH, none, none)
        case s.Forget():
            return Inside(FORGET, none, none)
        case s.Cycle(when=when):
            return Inside(CYCLES[when], none, none)
        case s.Seat() if node == NEXT_PLAYER:
            return Inside(NEXT_SEAT, none, none)
    return Inside(0, none, none)
