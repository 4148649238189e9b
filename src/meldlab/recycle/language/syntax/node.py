"""Base classes of constructs: an offset in the text, a form, a signature, and, for an expression, the class of its value.

>>> Class.LISTS.member, Class.CARD.member
(<Class.CARDS: 'a card list'>, None)
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, ClassVar, TypeVar, dataclass_transform

from lark.ast_utils import Ast

__all__ = ["COLLECTIONS", "Action", "Class", "Expr", "Item", "Node", "Phase", "form"]

N = TypeVar("N", bound="Node")


class Class(Enum):
    """The class of a value, as an error names it."""

    INT = "a number"
    BOOL = "a truth value"
    STR = "a string"
    CARD = "a card"
    CARDS = "a card list"
    LISTS = "a list of card lists"
    PLAYER = "a player"
    TEAM = "a team"
    PLAYERS = "a list of players"
    TEAMS = "a list of teams"
    STRS = "a list of strings"
    INTS = "a range of numbers"
    POINTS = "a point map"
    GAME = "the table"

    @property
    def member(self) -> "Class | None":
        """Return the class of the members of a collection; None for other classes."""
        return _MEMBERS.get(self)


_MEMBERS = {
    Class.CARDS: Class.CARD,
    Class.LISTS: Class.CARDS,
    Class.PLAYERS: Class.PLAYER,
    Class.TEAMS: Class.TEAM,
    Class.STRS: Class.STR,
    Class.INTS: Class.INT,
}
COLLECTIONS = tuple(_MEMBERS)


@dataclass(frozen=True, kw_only=True)
class Node(Ast):
    """A construct and the offset of its first character in the text."""

    form: ClassVar[str]
    takes: ClassVar[dict[str, tuple[Class, ...]]] = {}
    """Classes allowed in each field with an expression; of a field with several, all have the first class, a single one any."""
    gives: ClassVar[Any] = None
    """Class of the value, or a function that returns it from the checked construct."""
    offset: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, kw_only=True)
class Expr(Node):
    """A construct with a value."""

    cls: Class | None = field(default=None, compare=False, repr=False)


class Item(Node):
    """A member of ``do`` and ``choice``."""


class Action(Item):
    """A change of the game, or ``turn pass``."""


class Phase(Node):
    """A member of ``game`` and ``stage``."""


@dataclass_transform(frozen_default=True)
def form(text: str, gives: Any = None, **takes: Class | tuple[Class, ...]) -> Callable[[type[N]], type[N]]:
    """Return a decorator for a frozen construct: the form in which it is written, and its signature (``Node.gives``, ``Node.takes``)."""

    def decorate(node: type[N]) -> type[N]:
        node.form, node.gives = text, gives
        node.takes = {name: classes if isinstance(classes, tuple) else (classes,) for name, classes in takes.items()}
        return dataclass(frozen=True)(node)

    return decorate
