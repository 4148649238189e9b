"""What is legal but hardly meant: names misspelt, items never reached, choices without a way out.

>>> from meldlab.recycle.reader import read
>>> program = read("(game (setup (create players 1) (create deck (game iloc STOCK) (deck (A (X)))))"
...                " (do ((shuffle (game iloc STOK)))) (scoring max (size (game iloc STOCK))))")
>>> [finding.problem for finding in lint(program)]
['nothing is ever put into iloc STOK; did you mean iloc STOCK?']
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from meldlab.recycle import syntax as s
from meldlab.recycle.constants import constant
from meldlab.recycle.findings import Finding
from meldlab.recycle.walking import children, walk

__all__ = ["lint"]

OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def lint(program: s.Program) -> list[Finding]:
    """Return the warnings that need no classes."""
    return [*_names(program), *_choices(program), *_unreached(program)]


# --- names


@dataclass
class _Uses:
    """Where each name of storage is written and read; a computed name may be any."""

    written: dict[tuple[str, str], int] = field(default_factory=dict)
    read: dict[tuple[str, str], int] = field(default_factory=dict)
    any_written: set[str] = field(default_factory=set)
    any_read: set[str] = field(default_factory=set)
    # The storage that a variable stands for: its collection names it.
    sources: dict[str, s.Expr] = field(default_factory=dict)

    def use(self, node: s.Node, write: bool) -> None:
        """Note one use of the storage named by ``node`` and of all that is inside it."""
        if isinstance(node, (s.Cell, s.Location, s.Indexed)):
            names, anything = (self.written, self.any_written) if write else (self.read, self.any_read)
            if isinstance(node.name, s.Name):
                names.setdefault((node.kind, node.name.text), node.at)
            else:
                anything.add(node.kind)
        elif write and isinstance(node, s.Var) and node.name in self.sources:
            for inner in walk(self.sources[node.name]):
                if isinstance(inner, (s.Location, s.Indexed)):
                    self.use(inner, True)

    def target(self, node: s.Expr) -> None:
        """Note a place or a cell that is written."""
        inner = node.of if isinstance(node, s.Pick) else node
        self.use(inner, True)
        for part in children(inner):
            self.visit(part)
        if isinstance(node, s.Pick) and not isinstance(node.end, str):
            self.visit(node.end)

    def visit(self, node: s.Node) -> None:
        """Note every use inside a construct."""
        if isinstance(node, (s.Loop, s.Filter, s.Each)):
            self.sources[node.var] = node.coll
        elif isinstance(node, s.Let):
            self.sources[node.var] = node.value
        match node:
            case s.Move() | s.Remember():
                self.visit(node.card)
                self.target(node.place)
            case s.Set():
                self.target(node.cell)
                self.visit(node.value)
            case s.SetPoints():
                self.target(node.cell)
                for award in node.awards:
                    self.visit(award)
            case s.Step():
                self.target(node.cell)
                if node.amount is not None:
                    self.visit(node.amount)
            case s.CreateDeck():
                self.target(node.location)
            case s.Swap():
                for side in (node.left, node.right):
                    self.visit(side)
                    self.target(side)
            case s.Faro():
                self.target(node.lower)
                self.visit(node.upper)
            case _:
                self.use(node, False)
                for child in children(node):
                    self.visit(child)


def _names(program: s.Program) -> Iterator[Finding]:
    uses = _Uses()
    uses.visit(program)
    for (kind, name), at in uses.read.items():
        if (kind, name) in uses.written or kind in uses.any_written:
            continue
        verb = "put into" if kind not in ("sto", "str", "points") else "written to"
        others = [f"{k} {n}" for k, n in uses.written if (k in ("sto", "str", "points")) == (verb == "written to")]
        near = [other for other in others if other.split()[1] == name] or get_close_matches(f"{kind} {name}", others, 1, 0.8)
        if near:
            yield Finding("W105", f"nothing is ever {verb} {kind} {name}; did you mean {near[0]}?", at)
        else:
            yield Finding("W103", f"nothing is ever {verb} {kind} {name}", at)
    for (kind, name), at in uses.written.items():
        if kind in ("sto", "str", "points", "mem") and (kind, name) not in uses.read and kind not in uses.any_read:
            yield Finding("W104", f"{kind} {name} is never read", at)


# --- choices


def _choices(program: s.Program) -> Iterator[Finding]:
    for node in walk(program):
        if isinstance(node, s.Choice) and not any(map(_sure, node.items)) and not _exhaustive(node.items):
            yield Finding("W107", "every item of this choice can fail; with no option left the game ends there", node.at)


def _sure(item: s.Item) -> bool:
    """Tell whether an item always does something."""
    match item:
        case s.Condition():
            return constant(item.test) == 1 and _sure(item.body)
        case s.Do():
            return any(map(_sure, item.items))
        case s.Let():
            return _sure(item.body)
        case s.Loop():
            return isinstance(item.coll, (s.Everyone, s.Strings)) and _sure(item.body)
        case s.Repeat():
            return (constant(item.count) or 0) > 0 and _sure(item.body)
    return isinstance(item, s.Action) and not isinstance(item, s.RepeatAll)


def _exhaustive(items: tuple[s.Item, ...]) -> bool:
    """Tell whether two conditions with sure items are each other's opposite."""
    tests = [item.test for item in items if isinstance(item, s.Condition) and _sure(item.body)]
    return any(_negated(one) == other for one in tests for other in tests)


def _negated(test: s.Expr) -> s.Expr:
    match test:
        case s.Not():
            return test.test
        case s.Compare():
            return s.Compare(OPPOSITE[test.how], test.left, test.right)
    return s.Not(test)


# --- what is never reached


def _unreached(program: s.Program) -> Iterator[Finding]:
    for node in walk(program):
        match node:
            case s.Condition() if constant(node.test) == 0:
                yield Finding("W108", "this condition never holds", node.at)
            case s.Repeat() if (constant(node.count) or 1) <= 0 or constant(node.count) == 0:
                yield Finding("W108", "this is repeated no time", node.at)
            case s.Stage() if not isinstance(node.end, str) and constant(node.end) == 1:
                yield Finding("W108", "this stage is over before it begins", node.at)
            case s.Loop(coll=s.Range() as values) if _empty(values):
                yield Finding("W108", "this range is empty", values.at)
            case s.Stage() if not isinstance(node.end, str) and constant(node.end) == 0:
                yield from _after_forever(node, program)


def _empty(values: s.Range) -> bool:
    first, last = constant(values.first), constant(values.last)
    return first is not None and last is not None and first > last


def _after_forever(stage: s.Stage, program: s.Program) -> Iterator[Finding]:
    for node in walk(program):
        phases: Any = node.phases if isinstance(node, (s.Program, s.Stage)) else ()
        at = [i for i, phase in enumerate(phases) if phase is stage]
        if at and at[0] + 1 < len(phases):
            yield Finding("W108", "the stage before this never ends", phases[at[0] + 1].at)
