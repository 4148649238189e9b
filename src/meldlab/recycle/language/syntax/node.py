"""What every construct of the tree is: a place in the text, a form in which it is written, and, if it has a value, a class.

>>> Class.LISTS.member, Class.CARD.member
(<Class.CARDS: 'a card list'>, None)
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import ClassVar, TypeVar, dataclass_transform

from lark.ast_utils import Ast

__all__ = ["Action", "Class", "Expr", "Item", "Node", "Phase", "form"]

N = TypeVar("N", bound="Node")


class Class(Enum):
    """What an expression stands for, in the words of an error."""

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
        """Return the class of the members of a collection, or None for what has no members."""
        return _MEMBERS.get(self)


_MEMBERS = {
    Class.CARDS: Class.CARD,
    Class.LISTS: Class.CARDS,
    Class.PLAYERS: Class.PLAYER,
    Class.TEAMS: Class.TEAM,
    Class.STRS: Class.STR,
    Class.INTS: Class.INT,
}


@dataclass(frozen=True, kw_only=True)
class Node(Ast):
    """A construct and the place of its first character in the text."""

    form: ClassVar[str]
    at: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, kw_only=True)
class Expr(Node):
    """A construct with a value."""

    cls: Class | None = field(default=None, compare=False, repr=False)


class Item(Node):
    """What ``do`` and ``choice`` contain."""


class Action(Item):
    """What changes the game, or at least makes an option of a branch."""


class Phase(Node):
    """What ``game`` and ``stage`` contain."""


@dataclass_transform(frozen_default=True)
def form(text: str) -> Callable[[type[N]], type[N]]:
    """Make a frozen value of a class, and ``text`` the form in which it is written."""

    def formed(node: type[N]) -> type[N]:
        node.form = text
        return dataclass(frozen=True)(node)

    return formed
