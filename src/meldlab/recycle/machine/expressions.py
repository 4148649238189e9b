"""Expressions as instructions: every value ends up in a register, every truth value in a jump."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from meldlab.recycle.language import syntax as s
from meldlab.recycle.language.constants import constant
from meldlab.recycle.language.syntax import Class
from meldlab.recycle.language.tree import walk
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine.analysis import CYCLES, NEXT_SEAT, SWAPPED, TESTS, ConstructAnalysis, is_union, is_variable
from meldlab.recycle.machine.assembler import Assembler, Label
from meldlab.recycle.machine.storage import CATEGORY, StorageLayout

COMPARISONS = {
    None: k.ANY_SIZE, "==": k.EQUAL, "!=": k.UNEQUAL, "<=": k.AT_MOST, ">=": k.AT_LEAST, "<": k.BELOW_SIZE, ">": k.ABOVE_SIZE,
}  # fmt: skip
OPERATIONS = {"+": k.ADD, "*": k.MUL, "-": k.SUB, "//": k.DIV, "%": k.MOD, "^": k.POW}
NEXT_PLAYER = s.Seat("next", "player")


class ExpressionCompiler:
    """Compiler of values; it knows the variables in scope and how deep the stages are."""

    def __init__(self, storage: StorageLayout, code: Assembler) -> None:
        self.storage, self.code, self.analysis = storage, code, ConstructAnalysis(storage)
        self.variables: dict[str, int] = {}
        self.origins: dict[str, int] = {}  # the memory that a variable is drawn from
        self.locations: set[str] = set()  # variables that are locations themselves
        self.depth = {"player": 0, "team": 0}
        self.tables: dict[tuple[str, str], int] = {}  # of addresses by name
        self.listed: dict[int, int] = {}  # registers of lists of strings, by identity
        self.choosing: tuple[s.Item, ...] = ()  # the options that are being compiled
        self.next_seat = 0  # register of the next player, where loops and options do not change it
        self.player_locations: dict[tuple[str, str, int], int] = {}  # their registers, by kind, name and register of the owner

    # --- names and owners

    @contextmanager
    def bound(self, name: str, register: int, origin: int = 0, is_location: bool = False) -> Iterator[None]:
        """Bind a variable while something is compiled."""
        before, memory, locations = self.variables.get(name), self.origins.get(name), self.locations
        self.variables[name], self.origins[name] = register, origin
        self.locations = self.locations | {name} if is_location else self.locations - {name}
        yield
        if before is not None and memory is not None:
            self.variables[name], self.origins[name] = before, memory
        else:
            del self.variables[name], self.origins[name]
        self.locations = locations

    def cycle(self, of: str) -> int:
        """Return the address of the innermost cycle."""
        base = self.storage.player_cycle if of == "player" else self.storage.team_cycle
        return base + k.CYCLE * self.depth[of]

    def count(self, of: str) -> int:
        """Return the register with the number of players or teams."""
        return self.code.constant(self.storage.players) if of == "player" else k.TEAMS

    def cell(self, node: s.Cell) -> tuple[int | None, int]:
        """Return (base, register of the owner), or, for a computed name, (None, register of the address)."""
        owner = self.value(node.owner)
        category = CATEGORY[node.owner.cls or Class.GAME]
        width = self.storage.map_width if node.kind == "points" else 1
        if isinstance(node.name, s.Name):
            return self.storage.addresses[node.kind, category, node.name.text], owner
        address = self.code.register()
        self.code.emit(k.ADDRESS_NAME, address, self.names(node.kind, category), owner, width, self.value(node.name))
        return None, address

    def names(self, kind: str, category: str) -> int:
        """Return the table of addresses by name."""
        if (kind, category) not in self.tables:
            addresses = [self.storage.addresses.get((kind, category, text), 0) for text in self.storage.strings]
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
        base = self.storage.addresses[node.kind, category, node.name.text]
        if node.index is not None and constant(node.index) != 0:
            return self.emitted(k.LOCATE_INDEX, base, owner, self.value(node.index))
        if not self.analysis.is_fixed(node):
            return self.emitted(k.LOCATE, base, owner)
        if category == "game":
            return self.code.constant(base)
        key = node.kind, node.name.text, self.seat_register(self.analysis.seat_name(node))
        return self.player_locations[key] if key in self.player_locations else self.emitted(k.ADDRESS, base, owner, k.LOCATION)

    def seat_register(self, name: str) -> int:
        """Return the register with a player by its name (current, next or a variable), 0 if it is not known yet."""
        if name == "current":
            return self.cycle("player") + k.CURRENT
        if name == "next":
            return self.next_seat
        # While options are explored, the variable may be taken back and the location not.
        return 0 if self.choosing else self.variables.get(name, 0)

    def base(self, node: s.Location) -> int:
        """Return the address of a location by its name, of owner 0."""
        assert isinstance(node.name, s.Name)
        return self.storage.addresses[node.kind, CATEGORY[node.owner.cls or Class.GAME], node.name.text]

    def field(self, node: s.Location, field: int) -> int:
        """Return the register with a field of a fixed location: for the table, the field itself."""
        address = self.base(node) + field
        return address if node.owner.cls is Class.GAME else self.emitted(k.LOAD_FIELD, address, self.value(node.owner))

    # --- truth values

    def jump(self, node: Any, when: bool, to: Label) -> None:
        """Jump if a truth value is ``when``, else continue."""
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
        left, right = self.value(node.left), self.value(node.right)
        if what in (k.IS_ABOVE, k.IS_UP_TO):
            what, left, right = SWAPPED[what], right, left
        self.code.emit({k.IS: k.JEQ, k.IS_NOT: k.JNE, k.IS_BELOW: k.JLT, k.IS_FROM: k.JGE}[what], left, right, to)

    def is_read(self, node: Any) -> bool:
        """Return whether a value is an attribute, a cell or a size that one instruction reads and compares."""
        if constant(node) is not None:
            return False
        if isinstance(node, s.CardAtt):
            return isinstance(node.key, s.Name) and node.key.text in self.storage.keys
        if isinstance(node, s.Cell):
            return isinstance(node.name, s.Name) and node.kind != "points" and node.owner.cls is not Class.GAME
        if isinstance(node, s.Size) and is_union(node.of):
            return False
        # The size of a location on the table is a word already.
        return isinstance(node, s.Size) and not (self.analysis.is_fixed(node.of) and node.of.owner.cls is Class.GAME)  # type: ignore[attr-defined]

    def compare_read(self, node: s.Compare, what: int, to: Label) -> None:
        """Compare with an attribute or a size: reading it cannot fail, so that it waits until the other side is known."""
        read, other = (node.left, node.right) if self.is_read(node.left) else (node.right, node.left)
        if read is node.right:
            what = SWAPPED.get(what, what)
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
        if self.analysis.is_fixed(read.of):
            assert isinstance(read.of, s.Location)
            owner = self.value(read.of.owner)
            self.code.emit(k.JSIZE_AT, self.base(read.of) + k.SIZE_AT, owner, number(), to, what)
        else:
            cards = self.value(read.of)
            self.code.emit(k.JSIZE, cards, number(), to, what)

    def column(self, key: str) -> int:
        """Return where the values of an attribute lie in the data, which begins with all of them."""
        return self.storage.keys.index(key) * len(self.storage.types)

    # --- collections

    def marked(self, node: s.Node) -> int:
        """Return a register with the end of the lists so far, to drop what ``node`` makes, or 0 if it makes none."""
        if not self.analysis.makes_lists(node):
            return 0
        mark = self.code.register()
        self.code.emit(k.MARK, mark)
        return mark

    def release(self, mark: int) -> None:
        """Drop the lists made since a mark."""
        if mark:
            self.code.emit(k.RELEASE, mark)

    def members(self, node: s.Expr) -> int:
        """Return the register with a list to walk: a snapshot where the original may change."""
        cards = self.value(node)
        return self.emitted(k.SNAPSHOT, cards) if self.analysis.is_copied(node) else cards

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
        here, self.code.here = self.code.here, node.offset or self.code.here
        result = self.cards(node) if node.cls in (Class.CARD, Class.CARDS, Class.LISTS) and not isinstance(node, s.Var) else self.word(node)
        self.code.here = here
        return result

    def cards(self, node: Any) -> int:
        """Return the register with a card, a list or a list of lists."""
        match node:
            case s.Location():
                return self.location(node)
            case s.Pick():
                if node.cls is Class.CARD and self.analysis.is_end(node):
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
                return self.gather(node)
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
                return self.emitted(k.LONGEST_RUN, cards, least, self.value(node.points), self.end(node.end))
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
                    return self.emitted(k.INDEXED_LISTS, self.storage.addresses[node.kind, category, node.name.text], owner)
                return self.emitted(k.INDEXED_NAME, self.names(node.kind, category), owner, self.value(node.name))
        raise TypeError(f"no cards in {type(node).__name__}")

    def word(self, node: Any) -> int:
        """Return the register with anything else."""
        match node:
            case s.Number():
                return self.code.constant(node.value)
            case s.Name():
                return self.code.constant(self.storage.string_ids[node.text])
            case s.TableOwner():
                return self.code.constant(0)
            case s.Var():
                return self.variables[node.name]
            case s.Strings():
                if id(node.names) not in self.listed:
                    ids = (self.storage.string_ids[text] for text in node.names)
                    self.listed[id(node.names)] = self.code.constant(self.code.listed((len(node.names), *ids)))
                return self.listed[id(node.names)]
            case s.Seat():
                if node.which == "current":
                    return self.cycle(node.of) + k.CURRENT
                if node == NEXT_PLAYER and self.next_seat:
                    return self.next_seat
                operation = k.NEXT_SEAT if node.which == "next" else k.PREVIOUS_SEAT
                return self.emitted(operation, self.cycle(node.of), self.count(node.of))
            case s.Numbered():
                fixed = constant(node.number)
                if node.of == "player" and fixed is not None and 1 <= fixed <= self.storage.players:
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
                    if node.key.text in self.storage.keys
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
            return self.code.constant(base) if on_table else self.emitted(k.ADDRESS, base, owner, self.storage.map_width)
        return base if on_table else self.emitted(k.LOAD, base, owner)

    def group(self, node: Any) -> int:
        """Return the register with players, teams or numbers."""
        match node:
            case s.Everyone():
                if node.of == "player":
                    return self.code.constant(self.code.listed((self.storage.players, *range(1, self.storage.players + 1))))
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
                if self.analysis.is_fixed(node.of):
                    assert isinstance(node.of, s.Location)
                    return self.field(node.of, k.SIZE_AT)
                if isinstance(node.of, s.Combine) and is_union(node.of):
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
                return self.gather(node)
        raise TypeError(f"no value in {type(node).__name__}")

    # --- loops

    def jump_each(self, node: s.Each, when: bool, to: Label) -> None:
        """Jump on any or all of a collection."""
        # any is settled by a true member, all by a false one.
        settles = node.quantifier == "any"
        comparison = self.analysis.comparison(node.body, node.var)
        if comparison is not None:
            # All members pass unless any fails.
            what, read, number = comparison
            what, when_any = (what, when) if settles else (what ^ 1, not when)
            test = what + 8 * (not when_any)
            match read:
                case s.CardAtt(key=s.Name(text=text)) if not self.analysis.makes_lists(node.coll):
                    cards = self.value(node.coll)
                    self.code.emit(k.JANY_ATTRIBUTE, cards, self.column(text), self.value(number), to, test)
                    return
                case s.Cell(name=s.Name(text=text)) if is_players(node.coll):
                    first = self.storage.addresses[read.kind, "player", text] + 1
                    self.code.emit(k.JANY_CELL, first, self.storage.players, self.value(number), to, test)
                    return
                case s.Size(of=s.Location() as location) if is_players(node.coll):
                    first = self.base(location) + k.LOCATION + k.SIZE_AT
                    self.code.emit(k.JANY_SIZE, first, self.storage.players, self.value(number), to, test)
                    return
        other = self.code.label()
        to_settled, to_after = (to, other) if settles == when else (other, to)
        mark = self.marked(node)
        settled, after = (self.code.label(), self.code.label()) if mark else (to_settled, to_after)
        cursor = self.cursor(node.coll)
        inner = self.marked(node.body)
        with self.stepping(node, cursor, after):
            self.jump(node.body, settles, settled)
            self.release(inner)
        if mark:
            self.code.put(settled)
            self.code.emit(k.RELEASE, mark)
            self.code.emit(k.JUMP, to_settled)
            self.code.put(after)
            self.code.emit(k.RELEASE, mark)
            self.code.emit(k.JUMP, to_after)
        self.code.put(other)

    def cursor(self, coll: s.Expr) -> tuple[int, int, int]:
        """Return the register with a collection that an expression walks, and the instructions to its first and its next member."""
        if self.analysis.is_chain(coll):
            is_memory = isinstance(coll, s.Location) and coll.kind == "mem"
            return (self.value(coll), *((k.FIRST_REFERENCE, k.NEXT_REFERENCE) if is_memory else (k.FIRST_CARD, k.NEXT_CARD)))
        return self.members(coll), k.FIRST, k.NEXT

    @contextmanager
    def stepping(self, node: s.Each | s.Filter, cursor: tuple[int, int, int], after: Label) -> Iterator[tuple[int, Label]]:
        """Compile a loop of an expression, which ends ``after``; give the register of the member and where the next one is taken."""
        members, first, following = cursor
        variable, position, body, again = self.code.register(), self.code.register(), self.code.label(), self.code.label()
        self.code.emit(first, variable, members, position, after)
        self.code.put(body)
        with self.bound(node.var, variable):
            yield variable, again
        self.code.put(again)
        self.code.emit(following, variable, members, position, after, body)

    def filter(self, node: s.Filter) -> int:
        """Return the register with the members that pass a test."""
        comparison = self.analysis.comparison(node.test, node.var)
        if comparison is not None and node.coll.cls in (Class.CARDS, Class.LISTS):
            what, read, other = comparison
            match read:
                case s.CardAtt(key=s.Name(text=text)):
                    cards = self.value(node.coll)
                    return self.emitted(k.FILTER_ATTRIBUTE, cards, self.column(text), self.value(other), what)
                case s.Total() | s.Score():
                    operation = k.FILTER_SUM if isinstance(read, s.Total) else k.FILTER_SCORE
                    cards, points = self.value(node.coll), self.value(read.points)
                    return self.emitted(operation, cards, points, self.value(other), what)
                case s.Size():
                    cards = self.value(node.coll)
                    return self.emitted(k.FILTER_SIZE, cards, 0, self.value(other), what)
        cursor, after = self.cursor(node.coll), self.code.label()
        result = self.emitted(k.RESULT, cursor[0])
        with self.stepping(node, cursor, after) as (variable, again):
            if node.coll.cls is Class.LISTS and not isinstance(node.coll, (s.Partition, s.Subsets, s.Runs)):
                self.code.emit(k.JEMPTY, variable, again)
            fails = self.code.label()
            mark = self.marked(node.test)
            self.jump(node.test, False, fails)
            self.code.emit(k.APPEND, result, variable)
            self.code.put(fails)
            self.release(mark)
        self.code.put(after)
        return result

    def gather(self, node: s.Each) -> int:
        """Return the register with the lists, or the sum, that a loop gathers."""
        body = node.body
        if is_players(node.coll) and self.analysis.is_fixed(body) and isinstance(body, s.Location) and is_variable(body.owner, node.var):
            return self.emitted(k.EACH_LOCATION, self.base(body) + k.LOCATION, self.storage.players)
        cursor, after = self.cursor(node.coll), self.code.label()
        sums = node.cls is not Class.LISTS
        result = self.emitted(k.COPY, self.code.constant(0)) if sums else self.emitted(k.RESULT, cursor[0])
        with self.stepping(node, cursor, after):
            mark = self.marked(node.body) if sums else 0
            value = self.value(node.body)
            self.code.emit(*((k.ADD, result, result) if sums else (k.APPEND, result)), value)
            self.release(mark)
        self.code.put(after)
        return result

    @contextmanager
    def hoist_players(self, least: int, *nodes: s.Node) -> Iterator[None]:
        """Find the next player and locations of players once, before constructs that name them at least ``least`` times.

        Only where no other player becomes the next or current one meanwhile.
        """
        locations, next_seat = self.player_locations, self.next_seat
        # Options are explored one after the other and share what is found before them: a cycle in one of them counts for all.
        flags = self.analysis.flags(*(self.choosing or nodes))
        uses_next = self.analysis.flags(*nodes) & NEXT_SEAT and not flags & (CYCLES["next"] | CYCLES["current"])
        if uses_next and not next_seat and sum(part == NEXT_PLAYER for node in nodes for part in walk(node)) >= least:
            self.next_seat = self.value(NEXT_PLAYER)
        if not flags & CYCLES["current"]:
            self.player_locations = locations | self.hoisted_locations(least, *nodes)
        yield
        self.player_locations, self.next_seat = locations, next_seat

    def hoisted_locations(self, least: int, *nodes: s.Node) -> dict[tuple[str, str, int], int]:
        """Return the registers of the locations of players that are named at least ``least`` times, and found now."""
        counts = Counter[tuple[str, str, int]]()
        for node in reversed(nodes):
            for (kind, text, owner), times in self.analysis.location_uses(node).items():
                key = kind, text, self.seat_register(owner)
                if key[2] and key not in self.player_locations:
                    counts[key] += times
        return {
            (kind, text, owner): self.emitted(k.ADDRESS, self.storage.addresses[kind, "player", text], owner, k.LOCATION)
            for (kind, text, owner), times in counts.items()
            if times >= least
        }


def is_players(coll: s.Expr) -> bool:
    """Return whether a collection is all players."""
    return isinstance(coll, s.Everyone) and coll.of == "player"
