"""From expressions that walk a collection to instructions: filters, sums, and whether any or all members pass a test."""

from collections.abc import Iterable, Iterator, Set
from contextlib import contextmanager
from typing import Any

from meldlab.recycle.language import syntax as s
from meldlab.recycle.language.syntax import Class
from meldlab.recycle.language.tree import children, walk
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine.assembler import Assembler, Label
from meldlab.recycle.machine.contents import CYCLES, NEXT_PLAYER, NEXT_SEAT
from meldlab.recycle.machine.storage import Plan
from meldlab.recycle.machine.values import TESTS, TURNED, ExpressionCompiler

__all__ = ["WalkCompiler"]


Homes = dict[tuple[str, str, str], int]  # how often locations are named, by kind, name and owner


def _added(parts: Iterable[Homes]) -> Homes:
    filled = [part for part in parts if part]
    if len(filled) == 1:
        return filled[0]
    total: Homes = {}
    for part in filled:
        for key, times in part.items():
            total[key] = total.get(key, 0) + times
    return total


class WalkCompiler(ExpressionCompiler):
    """Compiles what walks a collection: as one instruction where each member is compared with what the walk does not change."""

    def __init__(self, plan: Plan, code: Assembler) -> None:
        super().__init__(plan, code)
        self.homes_in: dict[int, Homes] = {}  # of constructs, by identity

    def is_var(self, node: Any, var: str) -> bool:
        """Tell whether a construct is a variable."""
        return isinstance(node, s.Var) and node.name == var

    def is_players(self, coll: s.Expr) -> bool:
        """Tell whether a collection is all players."""
        return isinstance(coll, s.Everyone) and coll.of == "player"

    def comparison(self, test: s.Expr, var: str) -> tuple[int, s.Expr, s.Expr] | None:
        """Return how a test compares which property of a member with which value, if that is all it does, and nothing in it can fail."""
        if not isinstance(test, s.Compare) or self.plan.sorts:
            return None
        what = TESTS[test.how]
        for read, other, how in ((test.left, test.right, what), (test.right, test.left, TURNED.get(what, what))):
            if self.is_steady(other, {var}) and self.is_property(read, var):
                return how, read, other
        return None

    def is_property(self, node: s.Expr, var: str) -> bool:
        """Tell whether a value is an attribute, the score or the size of a variable, or the size of a fixed location of it."""
        match node:
            case s.CardAtt(key=s.Name(text=text)):
                return text in self.plan.keys and self.is_var(node.card, var)
            case s.Score():
                return self.is_var(node.card, var) and self.is_steady(node.points, {var})
            case s.Total(which="sum"):
                return self.is_var(node.cards, var) and self.is_steady(node.points, {var})
            case s.Cell(kind="sto" | "str"):
                return isinstance(node.name, s.Name) and self.is_var(node.owner, var)
            case s.Size(of=s.Location() as home):
                return self.is_fixed(home) and self.is_var(home.owner, var)
            case s.Size():
                return self.is_var(node.of, var)
        return False

    def jump_each(self, node: s.Each, when: bool, to: Label) -> None:
        """Jump on any or all of a collection."""
        # any is settled by a true member, all by a false one.
        settles = node.quantifier == "any"
        told = self.comparison(node.body, node.var)
        if told is not None:
            # All are so unless any is not so.
            what, read, number = told
            what, found = (what, when) if settles else (what ^ 1, not when)
            match read:
                case s.CardAtt(key=s.Name(text=text)) if not self.makes_lists(node.coll):
                    cards = self.value(node.coll)
                    self.code.emit(k.JANY_ATTRIBUTE, cards, self.column(text), self.value(number), to, what + 8 * (not found))
                    return
                case s.Cell() as cell if self.is_players(node.coll):
                    base = self.plan.bases[cell.kind, "player", cell.name.text]  # type: ignore[attr-defined]
                    self.code.emit(k.JANY_CELL, base + 1, self.plan.players, self.value(number), to, what + 8 * (not found))
                    return
                case s.Size(of=s.Location() as home) if self.is_players(node.coll):
                    first = self.base(home) + k.LOCATION + k.SIZE_AT
                    self.code.emit(k.JANY_SIZE, first, self.plan.players, self.value(number), to, what + 8 * (not found))
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
        if self.is_chain(coll):
            kept = isinstance(coll, s.Location) and coll.kind == "mem"
            return (self.value(coll), *((k.FIRST_KEPT, k.NEXT_KEPT) if kept else (k.FIRST_CARD, k.NEXT_CARD)))
        return self.members(coll), k.FIRST, k.NEXT

    @contextmanager
    def stepping(self, node: s.Each | s.Filter, cursor: tuple[int, int, int], after: Label) -> Iterator[tuple[int, Label]]:
        """Compile a loop of an expression, which ends ``after``; give the register of the member and where the next one is taken."""
        members, first, following = cursor
        var, inside, sure = node.var, node.test if isinstance(node, s.Filter) else node.body, node.coll.cls is Class.CARDS
        variable, place, body, again = self.code.register(), self.code.register(), self.code.label(), self.code.label()
        known, outer = self.known, self.stepped
        self.stepped = names = {var} | self.contents.of(inside).bound
        if not self.plan.sorts:
            self.known = known | self.steady(inside, names, outer)
        self.code.emit(first, variable, members, place, after)
        self.code.put(body)
        with self.bound(var, variable, sure=sure):
            yield variable, again
        self.code.put(again)
        self.code.emit(following, variable, members, place, after, body)
        self.known, self.stepped = known, outer

    def steady(self, inside: s.Expr, names: Set[str], outer: Set[str]) -> dict[int, int]:
        """Evaluate before a loop what does not depend on ``names`` and cannot fail; return the registers, by identity.

        In a loop inside another, only what reads a name of the ``outer`` one can have become steady since.
        """
        found: dict[int, int] = {}
        fresh = (self.contents.of(inside).read & outer) - names
        waiting: list[s.Node] = [inside]
        while waiting:
            node = waiting.pop()
            if id(node) in self.known or isinstance(node, (s.Var, s.Seat, s.TableOwner, s.Number, s.Name)):
                continue
            if outer and fresh.isdisjoint(self.contents.of(node).read):
                continue
            if self.is_steady(node, names):
                found[id(node)] = self.value(node)
            else:
                waiting += children(node)
        return found

    @contextmanager
    def seating(self, least: int, *nodes: s.Node) -> Iterator[None]:
        """Find the next player and locations of players before what names them ``least`` times, if nobody else becomes that meanwhile."""
        seated, known, next_seat = self.seated, self.known, self.next_seat
        # Options are explored one after the other, and what is found meanwhile stays: a cycle in one of them counts for all.
        has = self.contents.has(*(self.choosing or nodes))
        if not has & (CYCLES["next"] | CYCLES["current"]) and not next_seat and self.contents.has(*nodes) & NEXT_SEAT:
            named = [part for node in nodes for part in walk(node) if part == NEXT_PLAYER]
            if len(named) >= least:
                self.next_seat = self.value(NEXT_PLAYER)
                self.known = known | dict.fromkeys(map(id, named), self.next_seat)
        if not has & CYCLES["current"]:
            self.seated = seated | self.seats(least, *nodes)
        yield
        self.seated, self.known, self.next_seat = seated, known, next_seat

    def seats(self, least: int, *nodes: s.Node) -> dict[tuple[str, str, int], int]:
        """Return the registers of the locations of players that are named so often, and found now."""
        found: dict[tuple[str, str, int], int] = {}
        for (kind, text, owner), times in _added(self.homes(node) for node in reversed(nodes)).items():
            key = kind, text, self.seat_of(owner)
            if key[2] and key not in self.seated:
                found[key] = found.get(key, 0) + times
        return {
            (kind, text, owner): self.emitted(k.ADDRESS, self.plan.bases[kind, "player", text], owner, k.LOCATION)
            for (kind, text, owner), times in found.items()
            if times >= least
        }

    def homes(self, node: Any) -> Homes:
        """Return how often a construct names each location of a player at a fixed address; the last one comes first."""
        if id(node) not in self.homes_in:
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
            self.homes_in[id(node)] = {(node.kind, node.name.text, owner): 1} if owner else _added(map(self.homes, reversed(parts)))
        return self.homes_in[id(node)]

    def is_steady(self, node: Any, names: Set[str]) -> bool:
        """Tell whether a value cannot fail and depends on none of some variables, nor on chance."""
        match node:
            case s.TableOwner() | s.Seat(which="current") | s.Number() | s.Name():
                return True
            case s.Var():
                return node.name not in names
            case s.Location():
                return self.is_fixed(node) and self.is_steady(node.owner, names)
            case s.Cell():
                return isinstance(node.name, s.Name) and self.is_steady(node.owner, names)
            case s.Pick():
                return node.cls is Class.CARD and isinstance(node.end, str) and self.is_steady(node.of, names)
            case s.Size():
                return isinstance(node.of, (s.Var, s.Location)) and self.is_steady(node.of, names)
            case s.CardAtt():
                return isinstance(node.key, s.Name) and self.is_steady(node.card, names)
            case s.Score(card=s.Var(name=name)):
                return name in self.sure - names and self.is_steady(node.points, names)
        return False

    def filter(self, node: s.Filter) -> int:
        """Return the register with the members that pass a test."""
        told = self.comparison(node.test, node.var)
        if told is not None and node.coll.cls in (Class.CARDS, Class.LISTS):
            what, read, other = told
            match read:
                case s.CardAtt(key=s.Name(text=text)):
                    cards = self.value(node.coll)
                    return self.emitted(k.FILTER_ATTRIBUTE, cards, self.column(text), self.value(other), what)
                case s.Total():
                    cards, points = self.value(node.coll), self.value(read.points)
                    return self.emitted(k.FILTER_SUM, cards, points, self.value(other), what)
                case s.Score():
                    cards, points = self.value(node.coll), self.value(read.points)
                    return self.emitted(k.FILTER_SCORE, cards, points, self.value(other), what)
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

    def each(self, node: s.Each) -> int:
        """Return the register with the lists, or the sum, that a loop gathers."""
        home = node.body
        if self.is_players(node.coll) and self.is_fixed(home) and isinstance(home, s.Location) and self.is_var(home.owner, node.var):
            return self.emitted(k.EACH_LOCATION, self.base(home) + k.LOCATION, self.plan.players)
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
