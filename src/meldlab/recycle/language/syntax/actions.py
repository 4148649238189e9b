"""The constructs that do something: actions, the items that bind and choose among them, and the phases of a game."""

from collections.abc import Iterator

from meldlab.recycle.language.syntax.node import Action, Expr, Item, Node, Phase, form


@form("(move {card} {place})")
class MoveCard(Action):
    """Take a card to a place, which is a ``Pick``."""

    card: Expr
    place: Expr


@form("(remember {card} {place})")
class Remember(Action):
    """Note a card in a place of a memory; it stays where it is."""

    card: Expr
    place: Expr


@form("(forget {card})")
class Forget(Action):
    """Strike a card out of a memory."""

    card: Expr


@form("(swap {left} {right})")
class Swap(Action):
    """Exchange two cards, or the cards of two locations."""

    left: Expr
    right: Expr


@form("(shuffle {cards})")
class Shuffle(Action):
    """Put a list into an order by chance."""

    cards: Expr


@form("(shuffle faro {lower} {upper})")
class Faro(Action):
    """Weave the cards of the second location into the first, one by one, without chance."""

    lower: Expr
    upper: Expr


@form("(set {cell} {value})")
class Set(Action):
    """Store a number or a string."""

    cell: Expr
    value: Expr


@form("({key} : {value})")
class AttributeValue(Node):
    """An attribute and the value that a card must have."""

    key: Expr
    value: Expr

    def __iter__(self) -> Iterator[Expr]:
        return iter((self.key, self.value))


@form("({pairs...} {points})")
class Award(Node):
    """Points for cards that match every pair."""

    pairs: tuple[AttributeValue, ...]
    points: Expr


@form("({verb} {cell} ({awards...}))")
class SetPoints(Action):
    """``set`` a point map, or ``update`` it, which keeps the awards that are not named."""

    verb: str
    cell: Expr
    awards: tuple[Award, ...]

    @property
    def update(self) -> bool:
        """Tell whether the awards that are not named stay."""
        return self.verb == "update"


@form("({which} {cell} [{amount}])")
class Adjust(Action):
    """Add to a number (``inc``) or subtract from it (``dec``); no amount is one."""

    which: str
    cell: Expr
    amount: Expr | None


@form("(cycle {when} {player})")
class Cycle(Action):
    """Make a player ``current`` at once, or the ``next`` one."""

    when: str
    player: Expr


@form("(turn pass)")
class Pass(Action):
    """Do nothing, as an option."""


@form("(repeat {count} {body})")
class Repeat(Action):
    """Do an action, or a loop, so many times."""

    count: Expr
    body: Item


@form("(repeat all {body})")
class RepeatAll(Action):
    """Do it as many times as the list has cards that they are taken from."""

    body: MoveCard | Forget


@form("(do ({items...}))")
class Do(Item, Phase):
    """Do one item after the other."""

    items: tuple[Item, ...]


@form("({quantifier} {coll} '{var} {body})")
class Loop(Item, Phase):
    """Do it for ``all`` members of a collection, or for ``any`` one of them, which makes options."""

    quantifier: str
    coll: Expr
    var: str
    body: Item


@form("(let {value} '{var} {body})")
class Let(Item, Phase):
    """Do it with a value bound to a variable."""

    value: Expr
    var: str
    body: Item


@form("({test} {body})")
class Condition(Item):
    """Do it if a test holds."""

    test: Expr
    body: Item


@form("(choice ({items...}))")
class Choice(Phase):
    """Let the current player choose an option of one of the items."""

    items: tuple[Item, ...]


@form("(stage {of} {end} {phases...})")
class Stage(Phase):
    """A turn for each player or team, one after the other (``once``) or together (``simultaneous``)."""

    of: str
    end: str | Expr
    phases: tuple[Phase, ...]


@form("(stage {of} (end {end}) {phases...})")
class StageUntil(Stage):
    """Turns that go round until a test holds."""
