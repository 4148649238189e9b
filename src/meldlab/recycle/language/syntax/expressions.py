"""The constructs that have a value."""

from meldlab.recycle.language.syntax.node import Expr, form

# --- words, owners and storage


@form("{value}")
class Number(Expr):
    """A number, such as ``12``."""

    value: int


@form("{text}")
class Name(Expr):
    """A string, such as ``HEARTS``."""

    text: str


@form("'{name}")
class Var(Expr):
    """A variable, such as ``'C``: what its binder bound it to."""

    name: str


@form("game")
class TableOwner(Expr):
    """The table as an owner."""


@form("({which} {of})")
class Seat(Expr):
    """The player or team whose turn it is (``current``), was or will be (``previous``, ``next``)."""

    which: str
    of: str


@form("({number} {of})")
class Numbered(Expr):
    """A player or team by number: ``(2 player)``, ``((game sto N) team)``."""

    number: Expr
    of: str


@form("(owner {card})")
class OwnerOf(Expr):
    """The player who owns the location of a card."""

    card: Expr


@form("(team {player})")
class TeamOf(Expr):
    """The team of a player."""

    player: Expr


@form("({owner} {kind} {name})")
class Cell(Expr):
    """Storage of an owner: ``sto`` for a number, ``str`` for a string, ``points`` for a point map."""

    owner: Expr
    kind: str
    name: Expr


@form("({owner} {kind} {name} [{index}])")
class Location(Expr):
    """Cards of an owner: ``vloc``, ``iloc``, ``hloc``, ``oloc`` or ``mem``; no index is index 0."""

    owner: Expr
    kind: str
    name: Expr
    index: Expr | None


# --- cards, lists and other collections


@form("({end} {of})")
class Pick(Expr):
    """The ``top``, the ``bottom`` or the card with that number of a list; or a list of a list of lists."""

    end: str | Expr
    of: Expr


@form("({which} {cards} using {points})")
class Best(Expr):
    """The card with the most (``max``) or fewest (``min``) points."""

    which: str
    cards: Expr
    points: Expr


@form("(filter {coll} '{var} {test})")
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


@form("({how} {parts...})")
class Combine(Expr):
    """The ``union``, ``intersect`` or ``disjunction`` of lists; a single part may be a list of lists."""

    how: str
    parts: tuple[Expr, ...]


@form("(sort {cards} using {points})")
class Sort(Expr):
    """The list itself, in ascending order from now on."""

    cards: Expr
    points: Expr


@form("({end} {count} {cards})")
class Take(Expr):
    """So many cards, from the ``top`` or ``bottom`` inward."""

    end: str
    count: Expr
    cards: Expr


@form("(run {end} {least} {cards} using {points})")
class LongestRun(Expr):
    """The longest ``top`` or ``bottom`` of a list that is a run."""

    end: str
    least: Expr
    cards: Expr
    points: Expr


@form("(partition {key} {parts...})")
class Partition(Expr):
    """One list per value of an attribute."""

    key: Expr
    parts: tuple[Expr, ...]


@form("(subsets {cards} [{compare} {size}])")
class Subsets(Expr):
    """All subsets, or those of a size, as in ``(subsets L <= 3)``."""

    cards: Expr
    compare: str | None
    size: Expr | None


@form("(runs {extent} {least} {cards} using {points})")
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


@form("(indexed {owner} {kind} {name})")
class Indexed(Expr):
    """The locations of a name, by index touched."""

    owner: Expr
    kind: str
    name: Expr


@form("{of}")
class Everyone(Expr):
    """``player``, ``team`` as collections."""

    of: str


@form("(other {of})")
class Others(Expr):
    """Every player but the current one, or every team but the current one."""

    of: str


@form("{team}")
class Members(Expr):
    """A team where a collection is wanted; made by the checker, written as the team."""

    team: Expr


@form("(range {first} .. {last})")
class Range(Expr):
    """The numbers between two, both included."""

    first: Expr
    last: Expr


@form("({names, ...})")
class Strings(Expr):
    """A list of strings, such as ``(HEARTS, SPADES)``."""

    names: tuple[str, ...]


# --- truth values, numbers and strings


@form("({how} {parts...})")
class Logic(Expr):
    """``and`` or ``or`` of two or more truth values."""

    how: str
    parts: tuple[Expr, ...]


@form("(not {test})")
class Not(Expr):
    """The opposite of a truth value."""

    test: Expr


@form("({how} {left} {right})")
class Compare(Expr):
    """``==`` and its siblings."""

    how: str
    left: Expr
    right: Expr


@form("({how} {parts...})")
class Arithmetic(Expr):
    """``+`` and ``*`` of two or more numbers, the other operators of two."""

    how: str
    parts: tuple[Expr, ...]


@form("({which} {number})")
class Special(Expr):
    """A triangular number (``tri``) or a Fibonacci number (``fib``)."""

    which: str
    number: Expr


@form("(random [{first} ..] {last})")
class Random(Expr):
    """A number by chance, from 0 if no first is given; both ends included."""

    first: Expr | None
    last: Expr


@form("(size {of})")
class Size(Expr):
    """The number of members of a collection."""

    of: Expr


@form("(score {card} using {points})")
class Score(Expr):
    """The points of a card."""

    card: Expr
    points: Expr


@form("({which} {cards} using {points})")
class Total(Expr):
    """The ``sum`` of the points of a list, or the most (``scoremax``) or fewest (``scoremin``) of one card."""

    which: str
    cards: Expr
    points: Expr


@form("({which} {of})")
class Identity(Expr):
    """The number of a player (``pid``) or of a team (``tid``)."""

    which: str
    of: Expr


@form("(cardatt {key} {card})")
class CardAtt(Expr):
    """The value of an attribute of a card."""

    key: Expr
    card: Expr


@form("{which}")
class BareSeat(Expr):
    """``current`` in ``(cycle next current)``, dialect 0.5."""

    which: str


COMPUTED = (Filter, Combine, Take, LongestRun)  # lists that lie nowhere: nothing can be put there, and nobody else holds them
