"""The syntax tree of a RECYCLE program: one frozen value per construct, positions left out of equality.

The reader builds the tree; the checker returns an equal one in which every expression knows its ``cls`` and every variable in a
place that wants something else is wrapped in what the language makes of it (a list used as a card is ``Pick("top", list)``).

>>> from meldlab.recycle.reader import read_expression
>>> read_expression("(size ((current player) iloc HAND))")
Size(of=Location(owner=Seat(which='current', of='player'), kind='iloc', name=Name(text='HAND'), index=None))
"""

from dataclasses import dataclass

from meldlab.recycle.terms import *  # noqa: F403
from meldlab.recycle.terms import Expr, Node

# --- what is done


class Item(Node):
    """What ``do`` and ``choice`` contain."""


class Action(Item):
    """What changes the game, or at least makes an option of a branch."""


class Phase(Node):
    """What ``game`` and ``stage`` contain."""


@dataclass(frozen=True)
class Move(Action):
    """``(move CARD PLACE)``; a place is a ``Pick``."""

    card: Expr
    place: Expr


@dataclass(frozen=True)
class Remember(Action):
    """``(remember CARD PLACE)``."""

    card: Expr
    place: Expr


@dataclass(frozen=True)
class Forget(Action):
    """``(forget CARD)``."""

    card: Expr


@dataclass(frozen=True)
class Swap(Action):
    """``(swap CARD CARD)``, ``(swap LOCATION LOCATION)``."""

    left: Expr
    right: Expr


@dataclass(frozen=True)
class Shuffle(Action):
    """``(shuffle L)``."""

    cards: Expr


@dataclass(frozen=True)
class Faro(Action):
    """``(shuffle faro L L)``."""

    lower: Expr
    upper: Expr


@dataclass(frozen=True)
class Set(Action):
    """``(set CELL VALUE)`` for ``sto`` and ``str``."""

    cell: Expr
    value: Expr


@dataclass(frozen=True)
class Award(Node):
    """``((KEY : VALUE) .. INT)``: points for cards that match every pair."""

    pairs: tuple[tuple[Expr, Expr], ...]
    points: Expr


@dataclass(frozen=True)
class SetPoints(Action):
    """``(set POINTS (AWARD ..))``, or ``update``, which keeps the awards it does not name."""

    cell: Expr
    awards: tuple[Award, ...]
    update: bool


@dataclass(frozen=True)
class Step(Action):
    """``(inc CELL INT)``, ``(dec CELL)``; no amount is one."""

    which: str
    cell: Expr
    amount: Expr | None


@dataclass(frozen=True)
class Cycle(Action):
    """``(cycle next PLAYER)``, ``(cycle current PLAYER)``."""

    when: str
    player: Expr


@dataclass(frozen=True)
class Pass(Action):
    """``(turn pass)``."""


@dataclass(frozen=True)
class Repeat(Action):
    """``(repeat INT ACTION)``; the body may be a loop."""

    count: Expr
    body: Item


@dataclass(frozen=True)
class RepeatAll(Action):
    """``(repeat all MOVE)``, ``(repeat all FORGET)``."""

    body: Move | Forget


@dataclass(frozen=True)
class CreateTeams(Action):
    """``(create teams (1,3) (2,4))``."""

    teams: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Branch(Node):
    """One value of an attribute, with the attributes that hang below it; a plain value has none."""

    value: str
    attributes: "tuple[Attribute, ...]"


@dataclass(frozen=True)
class Attribute(Node):
    """``(SUIT (CLUBS, SPADES))``, ``(COLOR (RED (SUIT ..)) ..)``."""

    key: str
    branches: tuple[Branch, ...]


@dataclass(frozen=True)
class CreateDeck(Action):
    """``(create deck BACK LOCATION (deck ATTRIBUTE ..))``."""

    back: Expr | None
    location: Expr
    attributes: tuple[Attribute, ...]


@dataclass(frozen=True)
class RepeatDeck(Node):
    """``(repeat INT DECK)`` in the set-up."""

    count: Expr
    deck: "CreateDeck | RepeatDeck"


@dataclass(frozen=True)
class Do(Item, Phase):
    """``(do (ITEM ..))``."""

    items: tuple[Item, ...]


@dataclass(frozen=True)
class Loop(Item, Phase):
    """``(all COLL 'V ITEM)``, ``(any COLL 'V ITEM)``."""

    quantifier: str
    coll: Expr
    var: str
    body: Item


@dataclass(frozen=True)
class Let(Item, Phase):
    """``(let VALUE 'V ITEM)``."""

    value: Expr
    var: str
    body: Item


@dataclass(frozen=True)
class Condition(Item):
    """``(BOOL ITEM)``."""

    test: Expr
    body: Item


@dataclass(frozen=True)
class Choice(Phase):
    """``(choice (ITEM ..))``."""

    items: tuple[Item, ...]


@dataclass(frozen=True)
class Stage(Phase):
    """``(stage player (end BOOL) PHASE ..)``; ``end`` may be ``once`` or ``simultaneous``."""

    of: str
    end: "str | Expr"
    phases: tuple[Phase, ...]


# --- the program


@dataclass(frozen=True)
class Declare(Node):
    """``(declare VALUE 'V)``."""

    value: Expr
    var: str


@dataclass(frozen=True)
class Setup(Node):
    """``(setup (create players INT) TEAMS? DECK ..)``."""

    players: Expr
    teams: CreateTeams | None
    decks: tuple[CreateDeck | RepeatDeck, ...]


@dataclass(frozen=True)
class Program(Node):
    """A whole game."""

    declares: tuple[Declare, ...]
    setup: Setup
    phases: tuple[Phase, ...]
    scoring: str
    score: Expr
