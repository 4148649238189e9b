"""Labels: text for the moves, names and outcomes of a program, in comments that start with ``;;=``.

A label before ``(game`` names what it labels; another one belongs to the construct that follows it. Engines without labels read a comment.

>>> from meldlab.recycle.language.parser import parse
>>> text = '''
... ;;= HAND -> PILE: discard {cards}
... ;;= BID: bid
... (game (setup (create players 1) (create deck (game iloc STOCK) (deck (A (X)))))
...  (choice (
...   ;;= fold
...   (turn pass)))
...  (scoring max 1))'''
>>> labels = Labels.parse(text, parse(text))
>>> labels.moves, labels.names
({('HAND', 'PILE'): 'discard {cards}'}, {'BID': 'bid'})
>>> list(labels.constructs.values())
['fold']
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from meldlab.recycle.language import syntax as s
from meldlab.recycle.language.diagnostics import Diagnostic
from meldlab.recycle.language.hints import Hints
from meldlab.recycle.language.tree import walk

COMMENT = re.compile(r";;=[ \t]*([^\n]*)")
TARGET = re.compile(
    r"(?:set (?P<cell>[A-Z]+)|(?P<word>next|pass|match)|(?P<source>[A-Z]+) -> (?P<to>[A-Z]+)"
    r"|(?:(?P<kind>vloc|iloc|hloc|oloc|mem|sto|str) )?(?P<name>[A-Z]+)):\s*(?P<text>.*)"
)
FIELD = re.compile(r"\{([^{}]*)\}")
MOVE_FIELDS = ("cards", "giver", "taker", "from", "to")
CELL_FIELDS = ("owner", "value")
PLACES = ("vloc", "iloc", "hloc", "oloc", "mem")


@dataclass(frozen=True)
class Labels:
    """The labels of a program; an empty text is not shown."""

    moves: Mapping[tuple[str, str], str] = field(default_factory=dict)  # by the names of two locations
    cells: Mapping[str, str] = field(default_factory=dict)  # of changes of storage, by its name
    names: Mapping[str, str] = field(default_factory=dict)  # of locations and storage, by ``NAME`` or ``kind NAME``
    words: Mapping[str, str] = field(default_factory=dict)  # of ``next`` and ``pass``
    constructs: Mapping[int, str] = field(default_factory=dict)  # by the offset of a choice, an item of a choice, or an any
    target: int | None = None  # the total score that ends a match
    diagnostics: tuple[Diagnostic, ...] = ()

    @classmethod
    def parse(cls, text: str, program: s.Program) -> "Labels":
        """Return the labels of a text, and a diagnostic (W115) for each that labels nothing."""
        if ";;=" not in text:
            return cls()
        return _Reader(text, program).labels()

    def name(self, kind: str, name: str) -> str | None:
        """Return the display name of a location or of storage."""
        return self.names.get(f"{kind} {name}", self.names.get(name))


class _Reader:
    """Reads the labels of one text."""

    def __init__(self, text: str, program: s.Program) -> None:
        nodes = list(walk(program))
        self.text, self.program = text, program
        self.variables = {node.var for node in nodes if isinstance(node, (s.Loop, s.Let))}
        self.storage: dict[str, set[str]] = {}  # the kinds of each name
        for node in nodes:
            if isinstance(node, (s.Cell, s.Location, s.Indexed)) and isinstance(node.name, s.Name):
                self.storage.setdefault(node.name.text, set()).add(node.kind)
        # A computed name may be any of the program's strings.
        self.computed = any(isinstance(node, (s.Cell, s.Location, s.Indexed)) and not isinstance(node.name, s.Name) for node in nodes)
        self.offsets = sorted({node.offset for node in nodes})
        self.choices = {offset for node in nodes for offset in _labelled_offsets(node)}
        self.hints, self.diagnostics = Hints(), list[Diagnostic]()

    def labels(self) -> Labels:
        moves: dict[tuple[str, str], str] = {}
        cells: dict[str, str] = {}
        names: dict[str, str] = {}
        words: dict[str, str] = {}
        constructs: dict[int, str] = {}
        target = None
        for comment in COMMENT.finditer(self.text):
            offset, content = comment.start(), comment[1].strip()
            match = TARGET.fullmatch(content)
            if comment.start() > self.program.offset:
                self._construct(comment, content, match, constructs)
            elif match is None:
                self._report(
                    "a label before (game starts with what it labels: NAME:, NAME -> NAME:, set NAME:, next:, pass: or match:", offset
                )
            elif match["source"]:
                moves[match["source"], match["to"]] = match["text"]
                self._check_names((match["source"], match["to"]), PLACES, offset)
                self._check_fields(match["text"], MOVE_FIELDS, offset)
            elif match["cell"]:
                cells[match["cell"]] = match["text"]
                self._check_names((match["cell"],), ("sto", "str"), offset)
                self._check_fields(match["text"], CELL_FIELDS, offset)
            elif match["name"]:
                names[" ".join(filter(None, (match["kind"], match["name"])))] = match["text"]
                self._check_names((match["name"],), (match["kind"],) if match["kind"] else (), offset)
                self._check_fields(match["text"], (), offset)
            elif match["word"] == "match":
                if not match["text"].isdecimal():
                    self._report(f"expected the score that ends a match, got {match['text']!r}", offset)
                else:
                    target = int(match["text"])
            else:
                words[match["word"]] = match["text"]
        return Labels(moves, cells, names, words, constructs, target, tuple(self.diagnostics))

    def _construct(self, comment: re.Match[str], content: str, match: re.Match[str] | None, constructs: dict[int, str]) -> None:
        index = bisect_left(self.offsets, comment.end())
        following = self.offsets[index] if index < len(self.offsets) else -1
        if match or following not in self.choices:
            where = "before (game" if match else "above a choice, an item of a choice or an any"
            self._report(f"this label stands {where}", comment.start())
            return
        constructs[following] = content
        for name in FIELD.findall(content):
            if name.startswith("'"):
                self._check(name[1:], self.variables, "variable '", comment.start())
            elif name != "cards":
                self._check(name, set(self.storage), "storage ", comment.start())

    def _check_names(self, names: Sequence[str], kinds: Sequence[str], offset: int) -> None:
        known = {name for name, of in self.storage.items() if not kinds or of & set(kinds)}
        for name in names:
            if not self.computed:
                self._check(name, known, "location " if kinds == PLACES else "storage ", offset)

    def _check_fields(self, text: str, fields: Sequence[str], offset: int) -> None:
        for name in FIELD.findall(text):
            self._check(name, set(fields), "field ", offset)

    def _check(self, name: str, known: set[str], what: str, offset: int) -> None:
        if name not in known:
            near = self.hints.near(name, sorted(known), 0.6)
            self._report(f"no {what}{name}" + (f"; did you mean {near}?" if near else ""), offset)

    def _report(self, message: str, offset: int) -> None:
        self.diagnostics.append(Diagnostic("W115", message, offset))


def _labelled_offsets(node: s.Node) -> Iterator[int]:
    """Yield the offsets of a choice, its items, and each ``any`` inside."""
    if isinstance(node, s.Choice):
        yield node.offset
        for item in node.items:
            yield item.offset
            yield from (inner.offset for inner in walk(item) if isinstance(inner, s.Loop) and inner.quantifier == "any")
