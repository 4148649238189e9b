"""Actions, items that bind variables and choose among actions, and phases of a game."""

from collections.abc import Iterator

from meldlab.recycle.language.syntax.node import Action, Class, Expr, Item, Node, Phase, form


@form("(move {card} {place})")
class MoveCard(Action):
    """Take a card to a place, which is a ``Pick``."""

    card: Expr
    place: Expr


@form("(remember {card} {place})", card=Class.CARD)
class Remember(Action):
    """Note a card in a place of a memory; it stays where it is."""

    card: Expr
    place: Expr


@form("(forget {card})", card=Class.CARD)
class Forget(Action):
    """Strike a card out of a memory."""

    card: Expr


@form("(swap {left} {right})")
class Swap(Action):
    """Exchange two cards, or the cards of two locations."""

    left: Expr
    right: Expr


@form("(shuffle {cards})", cards=Class.CARDS)
class Shuffle(Action):
    """Put a list into random order."""

    cards: Expr


@form("(shuffle faro {lower} {upper})")
class Faro(Action):
    """Weave the cards of the second location into the first, one by one; no randomness."""

    lower: Expr
    upper: Expr


@form("(set {cell} {value})", cell=(Class.INT, Class.STR))
class Set(Action):
    """Store a number or a string."""

    cell: Expr
    value: Expr


@form("({key} : {value})", key=Class.STR, value=Class.STR)
class AttributeValue(Node):
    """An attribute and the value that a card must have."""

    key: Expr
    value: Expr

    def __iter__(self) -> Iterator[Expr]:
        return iter((self.key, self.value))


@form("({pairs...} {points})", points=Class.INT)
class Award(Node):
    """Points for cards that match every pair."""

    pairs: tuple[AttributeValue, ...]
    points: Expr


@form("({verb} {cell} ({awards...}))", cell=Class.POINTS)
class SetPoints(Action):
    """``set`` a point map, or ``update`` it, which leaves the other awards."""

    verb: str
    cell: Expr
    awards: tuple[Award, ...]

    @property
    def update(self) -> bool:
        """Return whether the other awards stay."""
        return self.verb == "update"


@form("({which} {cell} [{amount}])", cell=(Class.INT, Class.STR), amount=Class.INT)
class Adjust(Action):
    """Add to a number (``inc``) or subtract from it (``dec``); no amount is one."""

    which: str
    cell: Expr
    amount: Expr | None


@form("(cycle {when} {player})", player=Class.PLAYER)
class Cycle(Action):
    """Make a player ``current`` at once, or the ``next`` one."""

    when: str
    player: Expr


@form("(turn pass)")
class Pass(Action):
    """Do nothing, as an option."""


@form("(repeat {count} {body})", count=Class.INT)
class Repeat(Action):
    """Do an action, or a loop, ``count`` times."""

    count: Expr
    body: Item


@form("(repeat all {body})")
class RepeatAll(Action):
    """Do it once for each card of the list that the cards are taken from."""

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


@form("({test} {body})", test=Class.BOOL)
class Condition(Item):
    """Do it if a test holds."""

    test: Expr
    body: Item


@form("(choice ({items...}))")
class Choice(Phase):
    """Let the current player choose an option of one of the items."""

    items: tuple[Item, ...]


@form("(stage {of} {end} {phases...})", end=Class.BOOL)
class Stage(Phase):
    """A turn for each player or team, one after the other (``once``) or together (``simultaneous``)."""

    of: str
    end: str | Expr
    phases: tuple[Phase, ...]


@form("(stage {of} (end {end}) {phases...})", end=Class.BOOL)
class StageUntil(Stage):
    """Turns in rotation until a test holds."""
