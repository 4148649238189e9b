"""Constructs with a value."""

from typing import Any

from meldlab.recycle.language.syntax.node import COLLECTIONS, Class, Expr, form

_CELLS = {"sto": Class.INT, "str": Class.STR, "points": Class.POINTS}


def _seat(node: Any) -> Class:
    return Class.PLAYER if node.of == "player" else Class.TEAM


def _seats(node: Any) -> Class:
    return Class.PLAYERS if node.of == "player" else Class.TEAMS


# --- words, owners and storage


@form("{value}", Class.INT)
class Number(Expr):
    """A number, such as ``12``."""

    value: int


@form("{text}", Class.STR)
class Name(Expr):
    """A string, such as ``HEARTS``."""

    text: str


@form("'{name}")
class Var(Expr):
    """A variable, such as ``'C``."""

    name: str


@form("game", Class.GAME)
class TableOwner(Expr):
    """The table as an owner."""


@form("({which} {of})", _seat)
class Seat(Expr):
    """The player or team whose turn it is (``current``), was or will be (``previous``, ``next``)."""

    which: str
    of: str


@form("({number} {of})", _seat, number=Class.INT)
class Numbered(Expr):
    """A player or team by number: ``(2 player)``, ``((game sto N) team)``."""

    number: Expr
    of: str


@form("(owner {card})", Class.PLAYER, card=Class.CARD)
class OwnerOf(Expr):
    """The player who owns the location of a card."""

    card: Expr


@form("(team {player})", Class.TEAM, player=Class.PLAYER)
class TeamOf(Expr):
    """The team of a player."""

    player: Expr


@form("({owner} {kind} {name})", lambda node: _CELLS[node.kind], owner=(Class.GAME, Class.PLAYER, Class.TEAM), name=Class.STR)
class Cell(Expr):
    """Storage of an owner: ``sto`` for a number, ``str`` for a string, ``points`` for a point map."""

    owner: Expr
    kind: str
    name: Expr


@form("({owner} {kind} {name} [{index}])", Class.CARDS, owner=(Class.GAME, Class.PLAYER), name=Class.STR, index=Class.INT)
class Location(Expr):
    """Cards of an owner: ``vloc``, ``iloc``, ``hloc``, ``oloc`` or ``mem``; no index is index 0."""

    owner: Expr
    kind: str
    name: Expr
    index: Expr | None


# --- cards, lists and other collections


@form("({end} {of})", lambda node: node.of.cls and node.of.cls.member, end=Class.INT, of=(Class.CARDS, Class.LISTS))
class Pick(Expr):
    """The ``top``, the ``bottom`` or the card with that number of a list; or a list of a list of lists."""

    end: str | Expr
    of: Expr


@form("({which} {cards} using {points})", Class.CARD, cards=Class.CARDS, points=Class.POINTS)
class Best(Expr):
    """The card with the most (``max``) or fewest (``min``) points."""

    which: str
    cards: Expr
    points: Expr


@form("(filter {coll} '{var} {test})", lambda node: node.coll.cls, coll=COLLECTIONS, test=Class.BOOL)
class Filter(Expr):
    """The members that pass a test."""

    coll: Expr
    var: str
    test: Expr


@form("({quantifier} {coll} '{var} {body})")
class Each(Expr):
    """``any`` or ``all`` with a value: a truth value, a list of lists, or a sum, as the body is."""

    quantifier: str
    coll: Expr
    var: str
    body: Expr


@form("({how} {parts...})", Class.CARDS, parts=(Class.CARDS, Class.LISTS))
class Combine(Expr):
    """The ``union``, ``intersect`` or ``disjunction`` of lists; a single part may be a list of lists."""

    how: str
    parts: tuple[Expr, ...]


@form("(sort {cards} using {points})", Class.CARDS, cards=Class.CARDS, points=Class.POINTS)
class Sort(Expr):
    """The list itself, in ascending order from now on."""

    cards: Expr
    points: Expr


@form("({end} {count} {cards})", Class.CARDS, count=Class.INT, cards=Class.CARDS)
class Take(Expr):
    """The first ``count`` cards, from the ``top`` or ``bottom`` inward."""

    end: str
    count: Expr
    cards: Expr


@form("(run {end} {least} {cards} using {points})", Class.CARDS, least=Class.INT, cards=Class.CARDS, points=Class.POINTS)
class LongestRun(Expr):
    """The longest ``top`` or ``bottom`` of a list that is a run."""

    end: str
    least: Expr
    cards: Expr
    points: Expr


@form("(partition {key} {parts...})", Class.LISTS, key=Class.STR, parts=(Class.CARDS, Class.LISTS))
class Partition(Expr):
    """One list per value of an attribute."""

    key: Expr
    parts: tuple[Expr, ...]


@form("(subsets {cards} [{compare} {size}])", Class.LISTS, cards=Class.CARDS, size=Class.INT)
class Subsets(Expr):
    """All subsets, or those of a size, as in ``(subsets L <= 3)``."""

    cards: Expr
    compare: str | None
    size: Expr | None


@form("(runs {extent} {least} {cards} using {points})", Class.LISTS, least=Class.INT, cards=Class.CARDS, points=Class.POINTS)
class Runs(Expr):
    """``all`` runs in a list, or only the ``largest``."""

    extent: str
    least: Expr
    cards: Expr
    points: Expr


@form("(tuples {size} {cards} using {points})")
class Tuples(Expr):
    """Cards of equal points, dialect 0.5."""

    size: Expr
    cards: Expr
    points: Expr


@form("(actual {card})")
class Actual(Expr):
    """The card that a memory remembers, dialect 0.5."""

    card: Expr


@form("(indexed {owner} {kind} {name})", Class.LISTS, owner=(Class.GAME, Class.PLAYER), name=Class.STR)
class Indexed(Expr):
    """The locations of a name, by index touched."""

    owner: Expr
    kind: str
    name: Expr


@form("{of}", _seats)
class Everyone(Expr):
    """``player``, ``team`` as collections."""

    of: str


@form("(other {of})", _seats)
class Others(Expr):
    """All players but the current one, or all teams but the current one."""

    of: str


@form("{team}")
class Members(Expr):
    """A team where a collection is expected; made by the checker, written as the team."""

    team: Expr


@form("(range {first} .. {last})", Class.INTS, first=Class.INT, last=Class.INT)
class Range(Expr):
    """The numbers between two, both included."""

    first: Expr
    last: Expr


@form("({names, ...})", Class.STRS)
class Strings(Expr):
    """A list of strings, such as ``(HEARTS, SPADES)``."""

    names: tuple[str, ...]


# --- truth values, numbers and strings


@form("({how} {parts...})", Class.BOOL, parts=Class.BOOL)
class Logic(Expr):
    """``and`` or ``or`` of two or more truth values."""

    how: str
    parts: tuple[Expr, ...]


@form("(not {test})", Class.BOOL, test=Class.BOOL)
class Not(Expr):
    """The opposite of a truth value."""

    test: Expr


@form("({how} {left} {right})", Class.BOOL)
class Compare(Expr):
    """``==`` and its siblings."""

    how: str
    left: Expr
    right: Expr


@form("({how} {parts...})", Class.INT, parts=Class.INT)
class Arithmetic(Expr):
    """``+`` and ``*`` of two or more numbers, the other operators of two."""

    how: str
    parts: tuple[Expr, ...]


@form("({which} {number})", Class.INT, number=Class.INT)
class Special(Expr):
    """A triangular number (``tri``) or a Fibonacci number (``fib``)."""

    which: str
    number: Expr


@form("(random [{first} ..] {last})", Class.INT, first=Class.INT, last=Class.INT)
class Random(Expr):
    """A number by chance, from 0 if no first is given; both ends included."""

    first: Expr | None
    last: Expr


@form("(size {of})", Class.INT, of=COLLECTIONS)
class Size(Expr):
    """The number of members of a collection."""

    of: Expr


@form("(score {card} using {points})", Class.INT, card=Class.CARD, points=Class.POINTS)
class Score(Expr):
    """The points of a card."""

    card: Expr
    points: Expr


@form("({which} {cards} using {points})", Class.INT, cards=Class.CARDS, points=Class.POINTS)
class Total(Expr):
    """The ``sum`` of the points of a list, or the most (``scoremax``) or fewest (``scoremin``) of one card."""

    which: str
    cards: Expr
    points: Expr


@form("({which} {of})", Class.INT)
class Identity(Expr):
    """The number of a player (``pid``) or of a team (``tid``)."""

    which: str
    of: Expr


@form("(cardatt {key} {card})", Class.STR, key=Class.STR, card=Class.CARD)
class CardAtt(Expr):
    """The value of an attribute of a card."""

    key: Expr
    card: Expr


@form("{which}")
class BareSeat(Expr):
    """``current`` in ``(cycle next current)``, dialect 0.5."""

    which: str


COMPUTED = (Filter, Combine, Take, LongestRun)  # lists that are in no location: no card can be moved there
