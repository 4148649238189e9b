"""The program and its set-up: players, teams and decks."""

from meldlab.recycle.language.syntax.node import Action, Expr, Node, Phase, form


@form("(create teams {teams...})")
class CreateTeams(Action):
    """Seat the players in teams: ``(create teams (1,3) (2,4))``."""

    teams: tuple[tuple[int, ...], ...]


@form("({value} {attributes...})")
class Branch(Node):
    """One value of an attribute, with the attributes that hang below it."""

    value: str
    attributes: "tuple[Attribute, ...]"


@form("{value}")
class Leaf(Branch):
    """A value with nothing below it."""


@form("({key} {branches...})")
class Attribute(Node):
    """An attribute of cards: ``(COLOR (RED (SUIT ..)) (BLACK (SUIT ..)))``."""

    key: str
    branches: tuple[Branch, ...]


@form("({key} ({branches, ...}))")
class PlainAttribute(Attribute):
    """An attribute with leaves only: ``(SUIT (CLUBS, SPADES))``."""


@form("(create deck [{back}] {location} (deck {attributes...}))")
class CreateDeck(Action):
    """Make one card for each way to choose a value of every attribute; no back is ``DEFAULT``."""

    back: Expr | None
    location: Expr
    attributes: tuple[Attribute, ...]


@form("(repeat {count} {deck})")
class RepeatDeck(Node):
    """Make a deck several times, in the set-up."""

    count: Expr
    deck: "CreateDeck | RepeatDeck"


@form("(declare {value} '{var})")
class Declare(Node):
    """A value that is fixed before the game."""

    value: Expr
    var: str


@form("(setup (create players {players}) [{teams}] {decks...})")
class Setup(Node):
    """Players and decks."""

    players: Expr
    teams: CreateTeams | None
    decks: tuple[CreateDeck | RepeatDeck, ...]


@form("(game {declares...} {setup} {phases...} (scoring {scoring} {score}))")
class Program(Node):
    """A whole game; the ``max`` or ``min`` score wins."""

    declares: tuple[Declare, ...]
    setup: Setup
    phases: tuple[Phase, ...]
    scoring: str
    score: Expr
