"""The syntax tree of expressions: everything that has a value."""

from dataclasses import dataclass, field
from enum import Enum

__all__ = [
    "Actual",
    "Arithmetic",
    "BareSeat",
    "Best",
    "CardAtt",
    "Cell",
    "Class",
    "Combine",
    "Compare",
    "Each",
    "Everyone",
    "Expr",
    "Filter",
    "Identity",
    "Indexed",
    "Location",
    "Logic",
    "Members",
    "Name",
    "Node",
    "Not",
    "Number",
    "Numbered",
    "Others",
    "OwnerOf",
    "Partition",
    "Pick",
    "Random",
    "Range",
    "Run",
    "Runs",
    "Score",
    "Seat",
    "Size",
    "Sort",
    "Special",
    "Strings",
    "Subsets",
    "Table",
    "Take",
    "TeamOf",
    "Total",
    "Tuples",
    "Var",
]


class Class(Enum):
    """What an expression stands for; settled before a game runs."""

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
class Node:
    """A construct and the place of its first character in the text."""

    at: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, kw_only=True)
class Expr(Node):
    """A construct with a value."""

    cls: Class | None = field(default=None, compare=False, repr=False)


# --- words, owners and storage


@dataclass(frozen=True)
class Number(Expr):
    """``12``."""

    value: int


@dataclass(frozen=True)
class Name(Expr):
    """``HEARTS``, a string."""

    text: str


@dataclass(frozen=True)
class Var(Expr):
    """``'C``, what a binder bound it to."""

    name: str


@dataclass(frozen=True)
class Table(Expr):
    """``game`` as an owner."""


@dataclass(frozen=True)
class Seat(Expr):
    """``(current player)``, ``(next team)``."""

    which: str
    of: str


@dataclass(frozen=True)
class Numbered(Expr):
    """``(2 player)``, ``((game sto N) team)``."""

    number: Expr
    of: str


@dataclass(frozen=True)
class OwnerOf(Expr):
    """``(owner CARD)``."""

    card: Expr


@dataclass(frozen=True)
class TeamOf(Expr):
    """``(team PLAYER)``."""

    player: Expr


@dataclass(frozen=True)
class Cell(Expr):
    """``(OWNER sto NAME)``, ``str`` or ``points``."""

    owner: Expr
    kind: str
    name: Expr


@dataclass(frozen=True)
class Location(Expr):
    """``(OWNER vloc NAME INT)``; no index is index 0."""

    owner: Expr
    kind: str
    name: Expr
    index: Expr | None


# --- cards, lists and other collections


@dataclass(frozen=True)
class Pick(Expr):
    """``(top L)``, ``(bottom L)``, ``(INT L)``: a card of a list, or a list of a list of lists."""

    end: "str | Expr"
    of: Expr


@dataclass(frozen=True)
class Best(Expr):
    """``(max L using P)``, ``(min L using P)``."""

    which: str
    cards: Expr
    points: Expr


@dataclass(frozen=True)
class Filter(Expr):
    """``(filter COLL 'V BOOL)``."""

    coll: Expr
    var: str
    test: Expr


@dataclass(frozen=True)
class Each(Expr):
    """``(any COLL 'V X)``, ``(all COLL 'V X)`` with a value: a truth value, a list of lists, or a sum, as X is."""

    quantifier: str
    coll: Expr
    var: str
    body: Expr


@dataclass(frozen=True)
class Combine(Expr):
    """``(union L ..)``, ``intersect`` or ``disjunction``; a single part may be a list of lists."""

    how: str
    parts: tuple[Expr, ...]


@dataclass(frozen=True)
class Sort(Expr):
    """``(sort L using P)``: L itself, in ascending order from now on."""

    cards: Expr
    points: Expr


@dataclass(frozen=True)
class Take(Expr):
    """``(top INT L)``, ``(bottom INT L)``: so many cards, from that end inward."""

    end: str
    count: Expr
    cards: Expr


@dataclass(frozen=True)
class Run(Expr):
    """``(run top INT L using P)``: the longest end of L that is a run."""

    end: str
    least: Expr
    cards: Expr
    points: Expr


@dataclass(frozen=True)
class Partition(Expr):
    """``(partition KEY L ..)``: one list per value of an attribute."""

    key: Expr
    parts: tuple[Expr, ...]


@dataclass(frozen=True)
class Subsets(Expr):
    """``(subsets L)``, ``(subsets L <= 3)``."""

    cards: Expr
    compare: str | None
    size: Expr | None


@dataclass(frozen=True)
class Runs(Expr):
    """``(runs all INT L using P)``, ``(runs largest ..)``."""

    extent: str
    least: Expr
    cards: Expr
    points: Expr


@dataclass(frozen=True)
class Tuples(Expr):
    """``(tuples INT L using P)``, dialect 0.5."""

    size: Expr
    cards: Expr
    points: Expr


@dataclass(frozen=True)
class Actual(Expr):
    """``(actual CARD)``, dialect 0.5."""

    card: Expr


@dataclass(frozen=True)
class Indexed(Expr):
    """``(indexed OWNER KIND NAME)``: the locations of that name, by index touched."""

    owner: Expr
    kind: str
    name: Expr


@dataclass(frozen=True)
class Everyone(Expr):
    """``player``, ``team`` as collections."""

    of: str


@dataclass(frozen=True)
class Others(Expr):
    """``(other player)``, ``(other team)``."""

    of: str


@dataclass(frozen=True)
class Members(Expr):
    """A team where a collection is wanted; made by the checker, printed as the team."""

    team: Expr


@dataclass(frozen=True)
class Range(Expr):
    """``(range INT .. INT)``, both ends included."""

    first: Expr
    last: Expr


@dataclass(frozen=True)
class Strings(Expr):
    """``(HEARTS, SPADES)``."""

    names: tuple[str, ...]


# --- truth values, numbers and strings


@dataclass(frozen=True)
class Logic(Expr):
    """``(and B B ..)``, ``(or B B ..)``."""

    how: str
    parts: tuple[Expr, ...]


@dataclass(frozen=True)
class Not(Expr):
    """``(not B)``."""

    test: Expr


@dataclass(frozen=True)
class Compare(Expr):
    """``(== X Y)`` and its siblings."""

    how: str
    left: Expr
    right: Expr


@dataclass(frozen=True)
class Arithmetic(Expr):
    """``(+ INT INT ..)`` and its siblings."""

    how: str
    parts: tuple[Expr, ...]


@dataclass(frozen=True)
class Special(Expr):
    """``(tri INT)``, ``(fib INT)``."""

    which: str
    number: Expr


@dataclass(frozen=True)
class Random(Expr):
    """``(random INT)`` from 0, ``(random INT .. INT)``; both ends included."""

    first: Expr | None
    last: Expr


@dataclass(frozen=True)
class Size(Expr):
    """``(size COLL)``."""

    of: Expr


@dataclass(frozen=True)
class Score(Expr):
    """``(score CARD using P)``."""

    card: Expr
    points: Expr


@dataclass(frozen=True)
class Total(Expr):
    """``(sum L using P)``, ``scoremax``, ``scoremin``."""

    which: str
    cards: Expr
    points: Expr


@dataclass(frozen=True)
class Identity(Expr):
    """``(pid PLAYER)``, ``(tid TEAM)``."""

    which: str
    of: Expr


@dataclass(frozen=True)
class CardAtt(Expr):
    """``(cardatt KEY CARD)``."""

    key: Expr
    card: Expr


@dataclass(frozen=True)
class BareSeat(Expr):
    """``current`` in ``(cycle next current)``, dialect 0.5."""

    which: str
