"""From checked expressions to instructions: every value ends up in a register, every truth value in a jump."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Set
from contextlib import contextmanager
from typing import Any

from meldlab.recycle.language import syntax as s
from meldlab.recycle.language.constants import constant
from meldlab.recycle.language.syntax import Class
from meldlab.recycle.language.tree import children
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine.assembler import Assembler, Label
from meldlab.recycle.machine.contents import Contents
from meldlab.recycle.machine.storage import CATEGORY, Plan

__all__ = ["ExpressionCompiler"]

COMPARISONS = {
    None: k.ANY_SIZE, "==": k.EQUAL, "!=": k.UNEQUAL, "<=": k.AT_MOST, ">=": k.AT_LEAST, "<": k.BELOW_SIZE, ">": k.ABOVE_SIZE,
}  # fmt: skip
TESTS = {"==": k.IS, "!=": k.IS_NOT, "<": k.IS_BELOW, ">=": k.IS_FROM, ">": k.IS_ABOVE, "<=": k.IS_UP_TO}
TURNED = {k.IS_BELOW: k.IS_ABOVE, k.IS_FROM: k.IS_UP_TO, k.IS_ABOVE: k.IS_BELOW, k.IS_UP_TO: k.IS_FROM}  # with the sides exchanged
OPERATIONS = {"+": k.ADD, "*": k.MUL, "-": k.SUB, "//": k.DIV, "%": k.MOD, "^": k.POW}
# What leaves lists behind, which are dropped when it is over.
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


class ExpressionCompiler(ABC):
    """Compiles values; knows the variables in scope and how deep the stages are. What walks a collection is compiled by ``walks``."""

    @abstractmethod
    def jump_each(self, node: s.Each, when: bool, to: Label) -> None:
        """Jump on any or all of a collection."""

    @abstractmethod
    def is_steady(self, node: Any, names: Set[str]) -> bool:
        """Tell whether a value cannot fail and depends on none of some variables, nor on chance."""

    @abstractmethod
    def filter(self, node: s.Filter) -> int:
        """Return the register with the members that pass a test."""

    @abstractmethod
    def each(self, node: s.Each) -> int:
        """Return the register with the lists, or the sum, that a loop gathers."""

    def __init__(self, plan: Plan, code: Assembler) -> None:
        self.plan, self.code = plan, code
        self.variables: dict[str, int] = {}
        self.origins: dict[str, int] = {}  # the memory that a variable is drawn from
        self.locations: set[str] = set()  # variables that are locations themselves
        self.depth = {"player": 0, "team": 0}
        self.tables: dict[tuple[str, str], int] = {}  # of addresses by name
        self.listed: dict[int, int] = {}  # registers of lists of strings, by identity
        self.making: dict[int, bool] = {}  # by identity of a construct, whether it leaves lists behind
        self.choosing: tuple[s.Item, ...] = ()  # the options that are being compiled
        self.located_at, self.located = 0, dict[tuple[int, ...], int]()  # the last label so far, and locations found since
        self.known: dict[int, int] = {}  # registers of what a loop does not change, by identity
        self.next_seat = 0  # register of the next player, where loops and options do not change it
        self.contents = Contents()
        self.seated: dict[tuple[str, str, int], int] = {}  # registers of locations of players, by kind, name and register of the owner
        self.stepped: Set[str] = frozenset()  # variables of the innermost loop of an expression, and of all loops inside it
        self.sure: set[str] = set()  # variables that are cards, never none

    # --- names and owners

    @contextmanager
    def bound(self, name: str, register: int, origin: int = 0, located: bool = False, sure: bool = False) -> Iterator[None]:
        """Bind a variable while something is compiled."""
        before, memory, locations, cards = self.variables.get(name), self.origins.get(name), self.locations, self.sure
        self.variables[name], self.origins[name] = register, origin
        self.locations = self.locations | {name} if located else self.locations - {name}
        self.sure = self.sure | {name} if sure else self.sure - {name}
        yield
        if before is not None and memory is not None:
            self.variables[name], self.origins[name] = before, memory
        else:
            del self.variables[name], self.origins[name]
        self.locations, self.sure = locations, cards

    def cycle(self, of: str) -> int:
        """Return the address of the innermost cycle."""
        base = self.plan.player_cycle if of == "player" else self.plan.team_cycle
        return base + k.CYCLE * self.depth[of]

    def count(self, of: str) -> int:
        """Return the register with the number of players or teams."""
        return self.code.constant(self.plan.players) if of == "player" else k.TEAMS

    def cell(self, node: s.Cell) -> tuple[int | None, int]:
        """Return (base, register of the owner), or, for a computed name, (None, register of the address)."""
        owner = self.value(node.owner)
        category = CATEGORY[node.owner.cls or Class.GAME]
        width = self.plan.map_width if node.kind == "points" else 1
        if isinstance(node.name, s.Name):
            return self.plan.bases[node.kind, category, node.name.text], owner
        at = self.code.register()
        self.code.emit(k.ADDRESS_NAME, at, self.names(node.kind, category), owner, width, self.value(node.name))
        return None, at

    def names(self, kind: str, category: str) -> int:
        """Return the table of addresses by name."""
        if (kind, category) not in self.tables:
            addresses = [self.plan.bases.get((kind, category, text), 0) for text in self.plan.strings]
            self.tables[kind, category] = self.code.table(addresses)
        return self.tables[kind, category]

    def location(self, node: s.Location) -> int:
        """Return the register with the address of a location."""
        owner = self.value(node.owner)
        category = CATEGORY[node.owner.cls or Class.GAME]
        if not isinstance(node.name, s.Name):
            name = self.value(node.name)
            index = self.code.constant(0) if node.index is None else self.value(node.index)
            return self.emitted(k.LOCATE_NAME, self.names(node.kind, category), owner, index, name)
        base = self.plan.bases[node.kind, category, node.name.text]
        if node.index is not None and constant(node.index) != 0:
            return self.found(k.LOCATE_INDEX, base, owner, self.value(node.index))
        if not self.is_fixed(node):
            return self.emitted(k.LOCATE, base, owner)
        if category == "game":
            return self.code.constant(base)
        if (node.kind, node.name.text, self.seat(node)) in self.seated:
            return self.seated[node.kind, node.name.text, self.seat(node)]
        return self.found(k.ADDRESS, base, owner)

    def found(self, operation: int, base: int, *owner_and_index: int) -> int:
        """Return the register with a location, which stays where it is: the one found before, if the code has come by there."""
        key = operation, base, *owner_and_index
        if self.located_at != self.code.put_at:
            self.located_at, self.located = self.code.put_at, {}
        if key not in self.located or not all(map(self.is_held, owner_and_index)):
            self.located[key] = self.emitted(*key, *([k.LOCATION] if operation == k.ADDRESS else []))
        return self.located[key]

    def is_held(self, register: int) -> bool:
        """Tell whether a register keeps its value to the next label: nobody but ``cycle`` makes another player current."""
        return self.code.is_register(register) or register == self.cycle("player") + k.CURRENT

    def is_fixed(self, node: Any) -> bool:
        """Tell whether a construct is a location at an address that follows from its owner, and nobody asks whether it was named."""
        return (
            isinstance(node, s.Location)
            and isinstance(node.name, s.Name)
            and (node.index is None or constant(node.index) == 0)
            and (node.kind, node.name.text) not in self.plan.watched
        )

    def seat(self, node: s.Location) -> int:
        """Return the register with the player who owns a location at a fixed address, if that is known by now, or 0."""
        return self.seat_of(self.seat_name(node))

    def seat_name(self, node: s.Location) -> str:
        """Return what names the player who owns a location at a fixed address: current, next or a variable; empty for anything else."""
        if not self.is_fixed(node) or node.owner.cls is not Class.PLAYER:
            return ""
        match node.owner:
            case s.Seat(which="current" | "next" as which):
                return which
            case s.Var(name=name):
                return name
        return ""

    def seat_of(self, name: str) -> int:
        """Return the register with a player by what names him, if that is known by now, or 0."""
        if name == "current":
            return self.cycle("player") + k.CURRENT
        if name == "next":
            return self.next_seat
        # While options are explored, the variable may be taken back and the location not.
        return 0 if self.choosing else self.variables.get(name, 0)

    def base(self, node: s.Location) -> int:
        """Return the address of a location by its name, of owner 0."""
        assert isinstance(node.name, s.Name)
        return self.plan.bases[node.kind, CATEGORY[node.owner.cls or Class.GAME], node.name.text]

    def field(self, node: s.Location, field: int) -> int:
        """Return the register with a field of a fixed location: for the table, the field itself."""
        at = self.base(node) + field
        return at if node.owner.cls is Class.GAME else self.emitted(k.LOAD_FIELD, at, self.value(node.owner))

    # --- truth values

    def jump(self, node: Any, when: bool, to: Label) -> None:
        """Jump if a truth value is ``when``, else go on."""
        match node:
            case s.Not():
                self.jump(node.test, not when, to)
            case s.Logic():
                # (and ..) jumps when one part is false, (or ..) when one is true; the other way round only the last part decides.
                if (node.how == "or") == when:
                    for part in node.parts:
                        self.jump(part, when, to)
                else:
                    past = self.code.label()
                    for part in node.parts[:-1]:
                        self.jump(part, not when, past)
                    self.jump(node.parts[-1], when, to)
                    self.code.put(past)
            case s.Compare():
                self.compare(node, when, to)
            case s.Each():
                self.jump_each(node, when, to)
            case _:
                raise TypeError(f"no truth in {type(node).__name__}")

    def compare(self, node: s.Compare, when: bool, to: Label) -> None:
        """Compare, and jump on the outcome."""
        what = TESTS[node.how] if when else TESTS[node.how] ^ 1
        if any(map(self.is_read, (node.left, node.right))):
            self.compare_read(node, what, to)
            return
        for score, other, how in ((node.right, node.left, TURNED.get(what, what)), (node.left, node.right, what)):
            # A score may fail, so that what comes before it is found before, and what comes after it cannot fail.
            if isinstance(score, s.Score) and id(score) not in self.known and (score is node.right or self.is_steady(other, set())):
                number, card = self.value(other), self.value(score.card)
                self.code.emit(k.JSCORE, card, self.value(score.points), number, to, how)
                return
        left, right = self.value(node.left), self.value(node.right)
        if what in (k.IS_ABOVE, k.IS_UP_TO):
            what, left, right = TURNED[what], right, left
        self.code.emit({k.IS: k.JEQ, k.IS_NOT: k.JNE, k.IS_BELOW: k.JLT, k.IS_FROM: k.JGE}[what], left, right, to)

    def is_read(self, node: Any) -> bool:
        """Tell whether a value is an attribute or a size that one instruction reads and compares."""
        if id(node) in self.known or constant(node) is not None:
            return False
        if isinstance(node, s.CardAtt):
            return isinstance(node.key, s.Name) and node.key.text in self.plan.keys
        if isinstance(node, s.Cell):
            return isinstance(node.name, s.Name) and node.kind != "points" and node.owner.cls is not Class.GAME
        if isinstance(node, s.Size) and self.is_union(node.of):
            return False
        # The size of a location on the table is a word already.
        return isinstance(node, s.Size) and not (self.is_fixed(node.of) and node.of.owner.cls is Class.GAME)  # type: ignore[attr-defined]

    def compare_read(self, node: s.Compare, what: int, to: Label) -> None:
        """Compare with an attribute or a size: reading it cannot fail, so that it waits until the other side is known."""
        read, other = (node.left, node.right) if self.is_read(node.left) else (node.right, node.left)
        if read is node.right:
            what = TURNED.get(what, what)
        value = self.value(other) if read is node.right else -1

        def number() -> int:
            return self.value(other) if value < 0 else value

        if isinstance(read, s.CardAtt):
            assert isinstance(read.key, s.Name)
            card = self.value(read.card)
            self.code.emit(k.JATTRIBUTE, card, self.column(read.key.text), number(), to, what)
            return
        if isinstance(read, s.Cell):
            base, owner = self.cell(read)
            assert base is not None
            self.code.emit(k.JCELL, base, owner, number(), to, what)
            return
        assert isinstance(read, s.Size)
        if self.is_fixed(read.of):
            assert isinstance(read.of, s.Location)
            owner = self.value(read.of.owner)
            self.code.emit(k.JSIZE_AT, self.base(read.of) + k.SIZE_AT, owner, number(), to, what)
        else:
            cards = self.value(read.of)
            self.code.emit(k.JSIZE, cards, number(), to, what)

    def is_union(self, node: s.Expr) -> bool:
        """Tell whether a list is made by putting others behind each other."""
        return isinstance(node, s.Combine) and node.how == "union"

    def column(self, key: str) -> int:
        """Return where the values of an attribute lie in the data, which begins with all of them."""
        return self.plan.keys.index(key) * len(self.plan.types)

    # --- collections

    def marked(self, node: s.Node) -> int:
        """Return a register with the end of the lists so far, to drop what ``node`` makes, or 0 if it makes none."""
        if not self.makes_lists(node):
            return 0
        mark = self.code.register()
        self.code.emit(k.MARK, mark)
        return mark

    def makes_lists(self, node: s.Node) -> bool:
        """Tell whether a construct leaves lists behind."""
        if id(node) not in self.making:
            self.making[id(node)] = self.makes_one(node) or any(map(self.makes_lists, children(node)))
        return self.making[id(node)]

    def makes_one(self, node: s.Node) -> bool:
        """Tell whether a construct itself leaves a list behind, apart from those inside it."""
        match node:
            case s.Loop():
                return self.is_copied(node.coll)
            case s.Each():
                return node.cls is Class.LISTS or (self.is_copied(node.coll) and not self.is_chain(node.coll))
            case s.Everyone():
                return node.of == "team"
        return isinstance(node, MAKES_LISTS)

    def is_copied(self, coll: s.Expr) -> bool:
        """Tell whether a collection is a list that may change while it is walked."""
        return coll.cls is Class.CARDS and not isinstance(coll, s.COMPUTED)

    def is_chain(self, coll: s.Expr) -> bool:
        """Tell whether a collection is a location that an expression can walk card by card: nothing but ``sort`` changes it meanwhile."""
        return isinstance(coll, s.Location) and not self.plan.sorts

    def release(self, mark: int) -> None:
        """Drop the lists made since a mark."""
        if mark:
            self.code.emit(k.RELEASE, mark)

    def members(self, node: s.Expr) -> int:
        """Return the register with a list to walk: a snapshot where the original may change."""
        cards = self.value(node)
        return self.emitted(k.SNAPSHOT, cards) if self.is_copied(node) else cards

    def lists(self, parts: tuple[s.Expr, ...]) -> int:
        """Return the register with a list of lists."""
        if len(parts) == 1 and parts[0].cls is Class.LISTS:
            return self.value(parts[0])
        first = self.code.register(len(parts))
        for i, part in enumerate(parts):
            self.code.emit(k.COPY, first + i, self.value(part))
        return self.emitted(k.PACK, first, len(parts))

    # --- values

    def emitted(self, operation: int, *operands: int) -> int:
        """Emit an instruction with a fresh register for its result, and return that."""
        result = self.code.register()
        self.code.emit(operation, result, *operands)
        return result

    def end(self, end: "str | s.Expr") -> int:
        """Return the operand for an end of a list."""
        return {"top": k.AT_TOP, "bottom": k.AT_BOTTOM}[end] if isinstance(end, str) else k.AT_INDEX

    def is_end(self, node: s.Pick) -> bool:
        """Tell whether a card is one at the end of a fixed location, which knows both."""
        on_table = isinstance(node.of, s.Location) and node.of.owner.cls is Class.GAME
        return (
            isinstance(node.end, str)
            and self.is_fixed(node.of)
            and node.of.kind != "mem"  # type: ignore[attr-defined]
            and not (on_table and self.plan.sorts)
        )

    def end_of(self, node: s.Pick) -> int:
        """Return the register with the card at the end of a fixed location."""
        assert isinstance(node.of, s.Location)
        return self.field(node.of, k.TOP_AT if node.end == "top" else k.BOTTOM_AT)

    def picked(self, end: "str | s.Expr", cards: int, index: int) -> int:
        """Return the register with the card at an end or index of a list, 0 of an empty one."""
        match end:
            case "top":
                return self.emitted(k.TOP_CARD, cards)
            case "bottom":
                return self.emitted(k.BOTTOM_CARD, cards)
        return self.emitted(k.CARD_AT, cards, index)

    def best(self, node: s.Best, cards: int) -> int:
        """Return the register with the card of most or fewest points."""
        return self.emitted(k.BEST, cards, self.value(node.points), 1 if node.which == "max" else 0)

    def value(self, node: Any) -> int:
        """Return the register with a value: a number, string or owner by number, a card or list by address."""
        if id(node) in self.known:
            return self.known[id(node)]
        here, self.code.here = self.code.here, node.at or self.code.here
        result = self.cards(node) if node.cls in (Class.CARD, Class.CARDS, Class.LISTS) and not isinstance(node, s.Var) else self.word(node)
        self.code.here = here
        return result

    def cards(self, node: Any) -> int:
        """Return the register with a card, a list or a list of lists."""
        match node:
            case s.Location():
                return self.location(node)
            case s.Pick():
                if node.cls is Class.CARD and self.is_end(node):
                    return self.end_of(node)
                index = 0 if isinstance(node.end, str) else self.value(node.end)
                cards = self.value(node.of)
                if node.cls is Class.CARD:
                    return self.picked(node.end, cards, index)
                if node.end == "bottom":
                    return self.emitted(k.PICK_LAST, cards)
                return self.emitted(k.PICK, cards, index or self.code.constant(0))
            case s.Best():
                return self.best(node, self.value(node.cards))
            case s.Filter():
                return self.filter(node)
            case s.Each():
                return self.each(node)
            case s.Combine():
                operation = {"union": k.UNION, "intersect": k.INTERSECT, "disjunction": k.DISJUNCTION}[node.how]
                return self.emitted(operation, self.lists(node.parts))
            case s.Partition():
                key = self.value(node.key)
                alone = len(node.parts) == 1 and node.parts[0].cls is Class.CARDS
                return self.emitted(k.PARTITION, key, self.value(node.parts[0]) if alone else self.lists(node.parts), int(alone))
            case s.Sort():
                return self.emitted(k.SORT, self.value(node.cards), self.value(node.points))
            case s.Take():
                count = self.value(node.count)
                return self.emitted(k.TAKE, self.value(node.cards), count, self.end(node.end))
            case s.LongestRun():
                least, cards = self.value(node.least), self.value(node.cards)
                return self.emitted(k.RUN_END, cards, least, self.value(node.points), self.end(node.end))
            case s.Runs():
                least, cards = self.value(node.least), self.value(node.cards)
                return self.emitted(k.RUNS, cards, least, self.value(node.points), 1 if node.extent == "largest" else 0)
            case s.Subsets():
                cards = self.value(node.cards)
                size = self.code.constant(0) if node.size is None else self.value(node.size)
                return self.emitted(k.SUBSETS, cards, COMPARISONS[node.compare], size)
            case s.Indexed():
                owner, category = self.value(node.owner), CATEGORY[node.owner.cls or Class.GAME]
                if isinstance(node.name, s.Name):
                    return self.emitted(k.INDEXED_LISTS, self.plan.bases[node.kind, category, node.name.text], owner)
                return self.emitted(k.INDEXED_NAME, self.names(node.kind, category), owner, self.value(node.name))
        raise TypeError(f"no cards in {type(node).__name__}")

    def word(self, node: Any) -> int:
        """Return the register with anything else."""
        match node:
            case s.Number():
                return self.code.constant(node.value)
            case s.Name():
                return self.code.constant(self.plan.string_ids[node.text])
            case s.TableOwner():
                return self.code.constant(0)
            case s.Var():
                return self.variables[node.name]
            case s.Strings():
                if id(node.names) not in self.listed:
                    ids = (self.plan.string_ids[text] for text in node.names)
                    self.listed[id(node.names)] = self.code.constant(self.code.listed((len(node.names), *ids)))
                return self.listed[id(node.names)]
            case s.Seat():
                if node.which == "current":
                    return self.cycle(node.of) + k.CURRENT
                operation = k.NEXT_SEAT if node.which == "next" else k.PREVIOUS_SEAT
                return self.emitted(operation, self.cycle(node.of), self.count(node.of))
            case s.Numbered():
                fixed = constant(node.number)
                if node.of == "player" and fixed is not None and 1 <= fixed <= self.plan.players:
                    return self.code.constant(fixed)
                return self.emitted(k.SEAT_NUMBER, self.value(node.number), self.count(node.of))
            case s.OwnerOf():
                return self.emitted(k.OWNER, self.value(node.card))
            case s.TeamOf():
                return self.emitted(k.TEAM_OF, self.value(node.player))
            case s.Cell():
                return self.content(node)
            case s.Identity():
                return self.value(node.of)
            case s.CardAtt():
                if not isinstance(node.key, s.Name):
                    key = self.value(node.key)
                    return self.emitted(k.ATTRIBUTE_BY, self.value(node.card), key)
                card = self.value(node.card)
                return (
                    self.emitted(k.ATTRIBUTE, card, self.column(node.key.text))
                    if node.key.text in self.plan.keys
                    else self.code.constant(0)
                )
        return self.group(node) if isinstance(node, (s.Everyone, s.Others, s.Members, s.Range, s.Filter)) else self.number(node)

    def content(self, node: s.Cell) -> int:
        """Return the register with what a cell holds; a point map stands for itself."""
        base, owner = self.cell(node)
        if base is None:
            return owner if node.kind == "points" else self.emitted(k.LOAD_AT, owner)
        on_table = owner == self.code.constant(0)
        if node.kind == "points":
            return self.code.constant(base) if on_table else self.emitted(k.ADDRESS, base, owner, self.plan.map_width)
        return base if on_table else self.emitted(k.LOAD, base, owner)

    def group(self, node: Any) -> int:
        """Return the register with players, teams or numbers."""
        match node:
            case s.Everyone():
                if node.of == "player":
                    return self.code.constant(self.code.listed((self.plan.players, *range(1, self.plan.players + 1))))
                return self.emitted(k.OTHERS, self.code.constant(0), self.count("team"))
            case s.Others():
                return self.emitted(k.OTHERS, self.cycle(node.of) + k.CURRENT, self.count(node.of))
            case s.Members():
                return self.emitted(k.MEMBERS, self.value(node.team))
            case s.Range():
                first = self.value(node.first)
                return self.emitted(k.RANGE, first, self.value(node.last))
        return self.filter(node)

    def number(self, node: Any) -> int:
        """Return the register with a number that is computed."""
        fixed = constant(node)
        if fixed is not None:
            return self.code.constant(fixed)
        match node:
            case s.Arithmetic():
                result = self.value(node.parts[0])
                for part in node.parts[1:]:
                    result = self.emitted(OPERATIONS[node.how], result, self.value(part))
                return result
            case s.Special():
                return self.emitted(k.TRI if node.which == "tri" else k.FIB, self.value(node.number))
            case s.Random():
                first = self.code.constant(0) if node.first is None else self.value(node.first)
                return self.emitted(k.RANDOM, first, self.value(node.last))
            case s.Size():
                if self.is_fixed(node.of):
                    assert isinstance(node.of, s.Location)
                    return self.field(node.of, k.SIZE_AT)
                if isinstance(node.of, s.Combine) and self.is_union(node.of):
                    return self.emitted(k.SIZES, self.lists(node.of.parts))
                return self.emitted(k.SIZE, self.value(node.of))
            case s.Score():
                card = self.value(node.card)
                return self.emitted(k.SCORE, card, self.value(node.points))
            case s.Total():
                operation = {"sum": k.SUM, "scoremax": k.SCOREMAX, "scoremin": k.SCOREMIN}[node.which]
                cards = self.value(node.cards)
                return self.emitted(operation, cards, self.value(node.points))
            case s.Each():
                return self.each(node)
        raise TypeError(f"no value in {type(node).__name__}")
