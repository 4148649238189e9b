"""Properties of constructs that do not depend on where the compiler stands.

>>> from meldlab.recycle.language.parser import parse_expression
>>> has_in = Flags()
>>> has_in(parse_expression("(filter 'L 'C (== (size ((next player) iloc HAND)) 'N))")) == NEXT_SEAT
True
"""

from collections import Counter
from collections.abc import Set
from typing import Any

from meldlab.recycle.language import syntax as s
from meldlab.recycle.language.constants import constant
from meldlab.recycle.language.syntax import Class
from meldlab.recycle.language.tree import children
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine.storage import StorageLayout

BRANCH, FORGET, NEXT_SEAT = 1, 2, 4  # an any loop, an action that forgets, the next player
CYCLES = {"next": 8, "current": 16}
TESTS = {"==": k.IS, "!=": k.IS_NOT, "<": k.IS_BELOW, ">=": k.IS_FROM, ">": k.IS_ABOVE, "<=": k.IS_UP_TO}
SWAPPED = {k.IS_BELOW: k.IS_ABOVE, k.IS_FROM: k.IS_UP_TO, k.IS_ABOVE: k.IS_BELOW, k.IS_UP_TO: k.IS_FROM}  # with the sides exchanged
# What leaves lists behind, which are dropped afterwards.
MAKES_LISTS = (
    s.Filter,
    s.Combine,
    s.Partition,
    s.Subsets,
    s.Runs,
    s.LongestRun,
    s.Take,
    s.Range,
    s.Indexed,
    s.Others,
    s.Members,
)
LocationUses = Counter[tuple[str, str, str]]  # how often locations are named, by kind, name and owner


class Flags:
    """Flags of what constructs hold, themselves included; the constructs must live as long as this."""

    def __init__(self) -> None:
        self._known: dict[int, int] = {}  # by identity: nested loops would be walked once for each level

    def __call__(self, *nodes: s.Node) -> int:
        """Return the flags of some constructs together."""
        flags = 0
        for node in nodes:
            if id(node) not in self._known:
                self._known[id(node)] = _own_flags(node) | self(*children(node))
            flags |= self._known[id(node)]
        return flags


def _own_flags(node: s.Node) -> int:
    match node:
        case s.Loop(quantifier="any"):
            return BRANCH
        case s.Forget():
            return FORGET
        case s.Cycle(when=when):
            return CYCLES[when]
        case s.Seat(which="next", of="player"):
            return NEXT_SEAT
    return 0


class ConstructAnalysis:
    """Properties of the constructs of one program, stored by identity."""

    def __init__(self, storage: StorageLayout) -> None:
        self.storage, self.flags = storage, Flags()
        self._makes_lists: dict[int, bool] = {}
        self._location_uses: dict[int, LocationUses] = {}

    # --- locations

    def is_fixed(self, node: Any) -> bool:
        """Return whether a construct is a location at an address that follows from its owner, and no construct lists its indexes."""
        return (
            isinstance(node, s.Location)
            and isinstance(node.name, s.Name)
            and (node.index is None or constant(node.index) == 0)
            and (node.kind, node.name.text) not in self.storage.indexed_names
        )

    def is_end(self, node: s.Pick) -> bool:
        """Return whether a card is one at the end of a fixed location, which stores both."""
        on_table = isinstance(node.of, s.Location) and node.of.owner.cls is Class.GAME
        return (
            isinstance(node.end, str)
            and self.is_fixed(node.of)
            and node.of.kind != "mem"  # type: ignore[attr-defined]
            and not (on_table and self.storage.sorts)
        )

    def seat_name(self, node: s.Location) -> str:
        """Return the name of the player who owns a fixed location: current, next or a variable; empty for any other owner."""
        if not self.is_fixed(node) or node.owner.cls is not Class.PLAYER:
            return ""
        match node.owner:
            case s.Seat(which="current" | "next" as which):
                return which
            case s.Var(name=name):
                return name
        return ""

    def location_uses(self, node: Any) -> LocationUses:
        """Return how often a construct names each fixed location of a player; the last one comes first."""
        if id(node) not in self._location_uses:
            parts: list[Any]
            match node:
                case s.MoveCard(card=card, place=s.Pick(end=end, of=of)) | s.Remember(card=card, place=s.Pick(end=end, of=of)):
                    parts = [card, of] if isinstance(end, str) else [card, end, of]
                case s.Size(of=of) if self.is_fixed(of):
                    parts = []
                case s.Pick() if self.is_end(node):
                    parts = []
                case _:
                    parts = list(children(node))
            owner = self.seat_name(node) if isinstance(node, s.Location) else ""
            uses = LocationUses([(node.kind, node.name.text, owner)] if owner else ())
            for part in () if owner else reversed(parts):
                uses.update(self.location_uses(part))
            self._location_uses[id(node)] = uses
        return self._location_uses[id(node)]

    # --- lists

    def makes_lists(self, node: s.Node) -> bool:
        """Return whether a construct leaves lists behind."""
        if id(node) not in self._makes_lists:
            self._makes_lists[id(node)] = self._makes_list(node) or any(map(self.makes_lists, children(node)))
        return self._makes_lists[id(node)]

    def _makes_list(self, node: s.Node) -> bool:
        """Return whether a construct itself leaves a list behind, apart from those inside it."""
        match node:
            case s.Loop():
                return self.is_copied(node.coll)
            case s.Each():
                return node.cls is Class.LISTS or (self.is_copied(node.coll) and not self.is_chain(node.coll))
            case s.Everyone():
                return node.of == "team"
        return isinstance(node, MAKES_LISTS)

    def is_copied(self, coll: s.Expr) -> bool:
        """Return whether a collection is a list that may change while it is walked."""
        return coll.cls is Class.CARDS and not isinstance(coll, s.COMPUTED)

    def is_chain(self, coll: s.Expr) -> bool:
        """Return whether a collection is a location that an expression can walk card by card: only ``sort`` changes it meanwhile."""
        return isinstance(coll, s.Location) and not self.storage.sorts

    # --- values in loops

    def is_invariant(self, node: Any, names: Set[str]) -> bool:
        """Return whether a value cannot fail and depends on none of some variables, nor on chance."""
        match node:
            case s.TableOwner() | s.Seat(which="current") | s.Number() | s.Name():
                return True
            case s.Var():
                return node.name not in names
            case s.Location():
                return self.is_fixed(node) and self.is_invariant(node.owner, names)
            case s.Cell():
                return isinstance(node.name, s.Name) and self.is_invariant(node.owner, names)
            case s.Pick():
                return node.cls is Class.CARD and isinstance(node.end, str) and self.is_invariant(node.of, names)
            case s.Size():
                return isinstance(node.of, (s.Var, s.Location)) and self.is_invariant(node.of, names)
            case s.CardAtt():
                return isinstance(node.key, s.Name) and self.is_invariant(node.card, names)
            case s.Score(card=s.Var(name=name)):
                return name in self.storage.card_names - names and self.is_invariant(node.points, names)
        return False

    def comparison(self, test: s.Expr, name: str) -> tuple[int, s.Expr, s.Expr] | None:
        """Return how a test compares which property of a variable with which value, if it does only that and nothing in it can fail."""
        if not isinstance(test, s.Compare) or self.storage.sorts:
            return None
        what = TESTS[test.how]
        for read, other, how in ((test.left, test.right, what), (test.right, test.left, SWAPPED.get(what, what))):
            if self.is_invariant(other, {name}) and self._is_property(read, name):
                return how, read, other
        return None

    def _is_property(self, node: s.Expr, name: str) -> bool:
        """Return whether a value is an attribute, the score, a cell or the size of a variable, or the size of a fixed location of it."""
        match node:
            case s.CardAtt(key=s.Name(text=text)):
                return text in self.storage.keys and is_variable(node.card, name)
            case s.Score():
                return is_variable(node.card, name) and self.is_invariant(node.points, {name})
            case s.Total(which="sum"):
                return is_variable(node.cards, name) and self.is_invariant(node.points, {name})
            case s.Cell(kind="sto" | "str"):
                return isinstance(node.name, s.Name) and is_variable(node.owner, name)
            case s.Size(of=s.Location() as home):
                return self.is_fixed(home) and is_variable(home.owner, name)
            case s.Size():
                return is_variable(node.of, name)
        return False


def is_variable(node: Any, name: str) -> bool:
    """Return whether a construct is this variable."""
    return isinstance(node, s.Var) and node.name == name


def is_union(node: s.Expr) -> bool:
    """Return whether a list is made of others, one behind the other."""
    return isinstance(node, s.Combine) and node.how == "union"
