"""Values of strings: of attributes from the decks, of ``str`` storage from all ``set`` actions; warnings about others.

>>> from meldlab.recycle.language.parser import parse
>>> program = parse("(game (setup (create players 1) (create deck (game iloc S) (deck (SUIT (HEARTS, SPADES)))))"
...                 " (do (((== (cardatt SUIT (top (game iloc S))) HARTS) (turn pass)))) (scoring max 1))")
>>> [diagnostic.message for diagnostic in impossible_values(program)]
['SUIT of a card is never HARTS; did you mean HEARTS?']
"""

from collections import defaultdict
from collections.abc import Iterator

from meldlab.recycle.language import syntax as s
from meldlab.recycle.language.diagnostics import Diagnostic
from meldlab.recycle.language.hints import Hints
from meldlab.recycle.language.tree import children, walk

MAX_WORK = 1_000_000  # strings collected and compared; programs of the library take a few thousand
CELL = "str "  # before the name of a cell, where values stand for what the cell holds; strings have no blank
Values = frozenset[str] | None  # strings and cells; None stands for any string


class _TooMuchWork(Exception):
    """The values take too long to compute."""


def impossible_values(program: s.Program) -> list[Diagnostic]:
    """Return warnings about attributes that no deck has, and strings that the other side of a comparison or award never has."""
    values = StringValues(program)
    try:
        values.visit(program)
        return list(values.diagnostics())
    except _TooMuchWork:
        return []


class StringValues:
    """The values of all strings in a program."""

    def __init__(self, program: s.Program) -> None:
        self.attributes: dict[str, set[str]] = {}
        for node in walk(program):
            if isinstance(node, s.Attribute):
                self.attributes.setdefault(node.key, set()).update(branch.value for branch in node.branches)
        self.cells: defaultdict[str, set[str]] = defaultdict(lambda: {""})  # what is written to each cell: strings, and other cells
        self.any_cell = False  # whether a cell of unknown name, or an unknown value, was written
        self.work = 0
        self._scope: dict[str, Values] = {}
        self._keys: list[s.Expr] = []
        self._pairs: list[tuple[s.Expr, Values, str, Values, bool]] = []

    def _spend(self, work: int) -> None:
        self.work += work
        if self.work > MAX_WORK:
            raise _TooMuchWork

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
            case s.Set(cell=s.Cell(kind="str") as cell, value=value):
                targets, values = self.of(cell), self.of(value)
                self.any_cell |= targets is None or values is None
                for target in targets or ():
                    self._spend(len(values or ()))
                    self.cells[target] |= values or frozenset()
            case s.SetPoints():
                for key, value in (pair for award in node.awards for pair in award.pairs):
                    self._keys.append(key)
                    # An award that no card matches is the way to clear a point map.
                    clears = len(node.awards) == 1
                    self._pairs.append((value, self.of(value), f"{_text(key)} of a card", self._of_attribute(key), clears))
            case s.CardAtt() | s.Partition():
                self._keys.append(node.key)
            case s.Compare(how="==" | "!=", left=left, right=right):
                for name, other in ((left, right), (right, left)):
                    if isinstance(name, s.Name) and not isinstance(other, s.Name):
                        self._pairs.append((name, self.of(name), _text(other), self.of(other), False))
        for child in children(node):
            self.visit(child)

    def of(self, node: s.Expr) -> Values:
        """Return the values of an expression, or of the members of a list of strings; None if it can be any string or is no string."""
        match node:
            case s.Name():
                return frozenset([node.text])
            case s.Strings():
                return frozenset(node.names)
            case s.Var():
                return self._scope.get(node.name)
            case s.Filter():
                return self.of(node.coll)
            case s.CardAtt():
                return self._of_attribute(node.key)
            case s.Cell(kind="str"):
                names = self._names(node.name)
                return None if names is None else frozenset(CELL + name for name in names)
        return None

    def _of_attribute(self, key: s.Expr) -> Values:
        keys = self._names(key)
        if keys is None:
            return None
        # A card without the attribute has the empty string.
        values = frozenset({""}.union(*(self.attributes.get(name, ()) for name in keys)))
        self._spend(len(values))
        return values

    def _names(self, node: s.Expr) -> Values:
        """Return the strings that a name can be; None if it can be any, as one that a cell holds."""
        names = self.of(node)
        self._spend(len(names or ()))
        return None if names is None or any(name.startswith(CELL) for name in names) else names

    def _strings(self, values: Values) -> Values:
        """Return all strings of values; None if they can be any, or are of a cell that is never written."""
        if values is None:
            return None
        self._spend(len(values))
        strings, stack = set[str](), list(values)
        reached = set(values)
        while stack:
            value = stack.pop()
            if not value.startswith(CELL):
                strings.add(value)
                continue
            new = self.cells[value] - reached
            self._spend(len(new))
            reached |= new
            stack += new
        if len(strings) == len(reached):
            return frozenset(strings)
        return None if self.any_cell or len(strings) == 1 else frozenset(strings)

    def diagnostics(self) -> Iterator[Diagnostic]:
        """Yield each warning once, at its first use."""
        uses: dict[tuple[str, str], list[int]] = defaultdict(list)
        hints = Hints()
        for key in self._keys:
            if isinstance(key, s.Name) and key.text not in self.attributes:
                uses["W111", f"no deck has an attribute {key.text}{hints.text(key.text, sorted(self.attributes))}"].append(key.offset)
        for node, values, other, possible, clears in self._pairs:
            strings, allowed = self._strings(values), self._strings(possible)
            if strings is None or allowed is None or allowed == {""} or not strings.isdisjoint(allowed):
                continue
            name = node.text if isinstance(node, s.Name) else f"any value of {_text(node)}"
            hint = hints.text(name, sorted(filter(None, allowed))) if isinstance(node, s.Name) else ""
            if hint or not clears:
                uses["W112", f"{other} is never {name}{hint}"].append(node.offset)
        for (code, message), offsets in uses.items():
            times = f" ({len(offsets)} times)" if len(offsets) > 1 else ""
            yield Diagnostic(code, message + times, min(offsets))


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
