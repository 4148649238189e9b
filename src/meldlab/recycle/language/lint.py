"""Lint: warnings about names that look misspelt, values that never occur and items that are never reached.

>>> from meldlab.recycle.language.parser import parse
>>> program = parse("(game (setup (create players 1) (create deck (game iloc STOCK) (deck (A (X)))))"
...                " (do ((shuffle (game iloc STOK)))) (scoring max (size (game iloc STOCK))))")
>>> [diagnostic.message for diagnostic in lint(program)]
['nothing is ever put into iloc STOK; did you mean iloc STOCK?']
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from meldlab.recycle.language import syntax as s
from meldlab.recycle.language.constants import constant
from meldlab.recycle.language.diagnostics import Diagnostic
from meldlab.recycle.language.hints import Hints
from meldlab.recycle.language.string_values import impossible_values
from meldlab.recycle.language.tree import children, walk

CELLS = ("sto", "str", "points")
# The fields of actions that name what is written; a swap writes to both of its sides.
TARGETS: dict[type[s.Node], str] = {
    **dict.fromkeys((s.MoveCard, s.Remember), "place"),
    **dict.fromkeys((s.Set, s.SetPoints, s.Adjust), "cell"),
    s.CreateDeck: "location",
    s.Faro: "lower",
}


def lint(program: s.Program) -> list[Diagnostic]:
    """Return the warnings that need no classes."""
    return [*_names(program), *_unreached(program), *impossible_values(program)]


# --- names


@dataclass
class _Uses:
    """Offsets at which each name of storage is written and read; a computed name may be any."""

    written: dict[tuple[str, str], int] = field(default_factory=dict)
    read: dict[tuple[str, str], int] = field(default_factory=dict)
    places: dict[tuple[str, str], set[int]] = field(default_factory=dict)  # where each name stands in the text
    any_written: set[str] = field(default_factory=set)
    any_read: set[str] = field(default_factory=set)
    # The storage that a variable stands for: its collection names it.
    sources: dict[str, s.Expr] = field(default_factory=dict)
    followed: set[int] = field(default_factory=set)  # sources through which something was written, by identity

    def use(self, node: s.Node, write: bool) -> None:
        """Record one use of the storage named by ``node``; a write through a variable writes to its collection."""
        if isinstance(node, (s.Cell, s.Location, s.Indexed)):
            names, anything = (self.written, self.any_written) if write else (self.read, self.any_read)
            if isinstance(node.name, s.Name):
                names.setdefault((node.kind, node.name.text), node.offset)
                self.places.setdefault((node.kind, node.name.text), set()).add(node.offset)
            else:
                anything.add(node.kind)
        elif write and isinstance(node, s.Var) and id(source := self.sources.get(node.name)) not in self.followed and source is not None:
            self.followed.add(id(source))
            for inner in walk(source):
                if isinstance(inner, (s.Location, s.Indexed)):
                    self.use(inner, True)

    def target(self, node: s.Node) -> None:
        """Record a location or a cell that is written."""
        inner = node.of if isinstance(node, s.Pick) else node
        self.use(inner, True)
        for part in children(inner):
            self.visit(part)
        if isinstance(node, s.Pick) and not isinstance(node.end, str):
            self.visit(node.end)

    def visit(self, node: s.Node) -> None:
        """Record every use inside a construct."""
        if isinstance(node, (s.Loop, s.Filter, s.Each)):
            self.sources[node.var] = node.coll
        elif isinstance(node, s.Let):
            self.sources[node.var] = node.value
        self.use(node, False)
        target = getattr(node, TARGETS.get(type(node), ""), None)
        for child in children(node):
            if child is target:
                self.target(child)
            else:
                self.visit(child)
            if isinstance(node, s.Swap):
                self.target(child)


def _names(program: s.Program) -> Iterator[Diagnostic]:
    uses = _Uses()
    uses.visit(program)
    written: dict[bool, dict[str, str]] = {False: {}, True: {}}  # cells and places: the first kind of each name
    for kind, name in uses.written:
        written[kind in CELLS].setdefault(name, kind)
    every = {cells: [f"{k} {n}" for k, n in uses.written if (k in CELLS) == cells] for cells in written}
    hints = Hints()
    suspects: set[tuple[str, str]] = set()  # written names that are likely misspelt
    for (kind, name), offset in uses.read.items():
        if (kind, name) in uses.written or kind in uses.any_written:
            continue
        cells = kind in CELLS
        verb = "written to" if cells else "put into"
        near = f"{written[cells][name]} {name}" if name in written[cells] else hints.near(f"{kind} {name}", every[cells], 0.8)
        if near is None:
            yield Diagnostic("W103", f"nothing is ever {verb} {kind} {name}", offset)
            continue
        near_kind, near_name = near.split()
        other = near_kind, near_name
        times, others = len(uses.places[kind, name]), len(uses.places[other])
        if others < times:
            # The rarer one of two near names is likely the misspelt one.
            occurs = "once" if others == 1 else f"{others} times"
            problem = f"{near} occurs {occurs}, {kind} {name} {times} times but nothing is ever {verb} it; did you mean {kind} {name}?"
            if other not in suspects:
                yield Diagnostic("W105", problem, uses.written[other])
            suspects.add(other)
        else:
            yield Diagnostic("W105", f"nothing is ever {verb} {kind} {name}; did you mean {near}?", offset)
    for (kind, name), offset in uses.written.items():
        if kind in (*CELLS, "mem") and not {(kind, name)} & (uses.read.keys() | suspects) and kind not in uses.any_read:
            yield Diagnostic("W104", f"{kind} {name} is never read", offset)


# --- what is never reached


def _unreached(program: s.Program) -> Iterator[Diagnostic]:
    for node in walk(program):
        match node:
            case s.Condition() if constant(node.test) == 0:
                yield Diagnostic("W108", "this condition never holds", node.offset)
            case s.Repeat() if (constant(node.count) or 1) <= 0 or constant(node.count) == 0:
                yield Diagnostic("W108", "this is repeated no time", node.offset)
            case s.Stage() if not isinstance(node.end, str) and constant(node.end) == 1:
                yield Diagnostic("W108", "this stage is over before it begins", node.offset)
            case s.Loop(coll=s.Range() as values) if constant(s.Size(values)) == 0:
                yield Diagnostic("W108", "this range is empty", values.offset)
        if isinstance(node, (s.Program, s.Stage)):
            for phase, following in pairwise(node.phases):
                if isinstance(phase, s.Stage) and not isinstance(phase.end, str) and constant(phase.end) == 0:
                    yield Diagnostic("W108", "the stage before this never ends", following.offset)
