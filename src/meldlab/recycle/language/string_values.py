"""Values of strings: of attributes from the decks, of ``str`` storage from all ``set`` actions as a fixed point; warnings about others.

>>> from meldlab.recycle.language.parser import parse
>>> program = parse("(game (setup (create players 1) (create deck (game iloc S) (deck (SUIT (HEARTS, SPADES)))))"
...                 " (do (((== (cardatt SUIT (top (game iloc S))) HARTS) (turn pass)))) (scoring max 1))")
>>> [diagnostic.message for diagnostic in impossible_values(program)]
['SUIT of a card is never HARTS; did you mean HEARTS?']
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from meldlab.recycle.language import syntax as s
from meldlab.recycle.language.diagnostics import Diagnostic
from meldlab.recycle.language.hints import Hints
from meldlab.recycle.language.tree import children, walk

MAX_WORK = 1_000_000  # steps of the fixed point and strings compared; programs of the library take a few thousand


class Values(NamedTuple):
    """Strings that an expression can have: constants, and the values of cells by name."""

    constants: frozenset[str]
    cells: frozenset[str] = frozenset()


EMPTY = Values(frozenset())


class _TooMuchWork(Exception):
    """The values take too long to compute."""


def impossible_values(program: s.Program) -> list[Diagnostic]:
    """Return warnings about attributes that no deck has, and strings that the other side of a comparison or award never has."""
    analysis = StringValues(program)
    try:
        analysis.visit(program)
        analysis.propagate()
        return list(analysis.diagnostics())
    except _TooMuchWork:
        return []


@dataclass
class StringValues:
    """The values of all strings in a program; None stands for any string."""

    program: s.Program
    attributes: dict[str, set[str]] = field(default_factory=dict)
    storage: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(lambda: {""}))
    any_storage: bool = False  # a cell of unknown name, or an unknown value, was written
    work: int = 0

    def __post_init__(self) -> None:
        for node in walk(self.program):
            if isinstance(node, s.Attribute):
                self.attributes.setdefault(node.key, set()).update(branch.value for branch in node.branches)
        self._scope: dict[str, Values | None] = {}
        self._targets: defaultdict[str, list[frozenset[str]]] = defaultdict(list)  # cells that a cell is copied to
        self._keys: list[s.Expr] = []
        self._pairs: list[tuple[s.Expr, Values | None, str, Values | None, bool]] = []
        self._shared: dict[frozenset[str], frozenset[str]] = {}

    def _spend(self, work: int) -> None:
        self.work += work
        if self.work > MAX_WORK:
            raise _TooMuchWork

    # --- one walk through the program

    def visit(self, node: s.Node) -> None:
        """Record the writes and comparisons of a construct; variables are resolved in their scope."""
        match node:
            case s.Declare():
                self._scope[node.var] = self.of(node.value)
            case s.Loop() | s.Filter() | s.Each() | s.Let():
                source = node.value if isinstance(node, s.Let) else node.coll
                self.visit(source)
                outer = self._scope.get(node.var)
                self._scope[node.var] = self.of(source)
                self.visit(node.test if isinstance(node, s.Filter) else node.body)
                self._scope[node.var] = outer
                return
            case s.Set(cell=s.Cell(kind="str", name=name), value=value):
                self._write(self.of(name), self.of(value))
            case s.SetPoints():
                for award in node.awards:
                    self._award(award, is_only=len(node.awards) == 1)
            case s.CardAtt() | s.Partition():
                self._keys.append(node.key)
            case s.Compare(how="==" | "!=", left=left, right=right):
                for name, other in ((left, right), (right, left)):
                    if isinstance(name, s.Name) and not isinstance(other, s.Name):
                        self._pairs.append((name, self.of(name), _text(other), self.of(other), False))
        for child in children(node):
            self.visit(child)

    def _award(self, award: s.Award, is_only: bool) -> None:
        for pair in award.pairs:
            self._keys.append(pair.key)
            self._pairs.append((pair.value, self.of(pair.value), f"{_text(pair.key)} of a card", self._of_attribute(pair.key), is_only))

    def of(self, node: s.Expr) -> Values | None:
        """Return the values of an expression, or of the members of a list of strings; None if it can be any string or is no string."""
        match node:
            case s.Name():
                return Values(frozenset([node.text]))
            case s.Strings():
                self._spend(len(node.names))
                return Values(frozenset(node.names))
            case s.Var():
                return self._scope.get(node.name)
            case s.Filter():
                return self.of(node.coll)
            case s.CardAtt():
                return self._of_attribute(node.key)
            case s.Cell(kind="str"):
                names = self.of(node.name)
                return None if names is None or names.cells else Values(frozenset(), names.constants)
        return None

    def _of_attribute(self, key: s.Expr) -> Values | None:
        keys = self.of(key)
        if keys is None or keys.cells:
            return None
        if keys.constants not in self._shared:
            # A card without the attribute has the empty string.
            values = frozenset({""}.union(*(self.attributes.get(name, ()) for name in keys.constants)))
            self._spend(len(values))
            self._shared[keys.constants] = values
        return Values(self._shared[keys.constants])

    def _write(self, names: Values | None, values: Values | None) -> None:
        if names is None or names.cells or values is None:
            self.any_storage = True
            return
        self._spend(len(names.constants) * (1 + len(values.constants)) + len(values.cells))
        for name in names.constants:
            self.storage[name] |= values.constants
        for cell in values.cells:
            self._targets[cell].append(names.constants)

    # --- the fixed point

    def propagate(self) -> None:
        """Copy values along the writes of one cell to others until nothing changes."""
        changed = list(self._targets)
        while changed:
            cell = changed.pop()
            for names in self._targets[cell]:
                for name in names:
                    self._spend(1 + len(self.storage[cell]))
                    if not self.storage[cell] <= self.storage[name]:
                        self.storage[name] |= self.storage[cell]
                        changed.append(name)

    def _expand(self, values: Values | None) -> frozenset[str] | None:
        """Return all strings of values; None if they can be any, or are of a cell that is never written."""
        if values is None or (values.cells and self.any_storage):
            return None
        if not values.cells:
            return values.constants
        self._spend(sum(len(self.storage[cell]) for cell in values.cells))
        strings = values.constants.union(*(self.storage[cell] for cell in values.cells))
        return strings if len(strings) > 1 else None

    # --- warnings

    def diagnostics(self) -> Iterator[Diagnostic]:
        """Yield each warning once, at its first use."""
        uses: dict[tuple[str, str], list[int]] = defaultdict(list)
        hints = Hints()
        for key in self._keys:
            if isinstance(key, s.Name) and key.text not in self.attributes:
                uses["W111", f"no deck has an attribute {key.text}{_hint(hints, key.text, self.attributes)}"].append(key.offset)
        for node, values, other, possible, may_be_none in self._pairs:
            strings, allowed = self._expand(values), self._expand(possible)
            if strings is None or allowed is None or allowed == {""} or not strings.isdisjoint(allowed):
                continue
            self._spend(len(allowed))
            name = node.text if isinstance(node, s.Name) else f"any value of {_text(node)}"
            hint = _hint(hints, name, allowed) if isinstance(node, s.Name) else ""
            # An award that no card matches is the way to clear a point map.
            if hint or not may_be_none:
                uses["W112", f"{other} is never {name}{hint}"].append(node.offset)
        for (code, message), offsets in uses.items():
            times = f" ({len(offsets)} times)" if len(offsets) > 1 else ""
            yield Diagnostic(code, message + times, min(offsets))


def _hint(hints: Hints, name: str, known: "frozenset[str] | dict[str, set[str]]") -> str:
    near = hints.near(name, sorted(filter(None, known)))
    return f"; did you mean {near}?" if near else ""


def _text(node: s.Expr) -> str:
    """Return an expression as a warning names it."""
    match node:
        case s.Name():
            return node.text
        case s.Var():
            return f"'{node.name}"
        case s.CardAtt():
            return f"{_text(node.key)} of a card"
        case s.Cell(name=s.Name(text=text)):
            return f"str {text}"
    return "this"
