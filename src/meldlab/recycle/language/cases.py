"""Whether a choice has an option in every case, as far as its conditions tell.

The conditions of all items are put side by side. A number counts only by how it compares with what it is compared with, a word by which of
the names it is, a collection by whether it is empty and which of the tests one or two of its members pass. If the items leave out a
combination, that is a case without an option. What conditions cannot tell is taken to be in order.

>>> from meldlab.recycle.language.reader import read
>>> program = read("(game (setup (create players 1) (create deck (game iloc S) (deck (A (X, Y)))))"
...                " (choice (((== (size (game iloc S)) 0) (turn pass)) ((> (size (game iloc S)) 1) (turn pass)))) (scoring max 1))")
>>> [case for _, case in open_cases(program)]
['(size (game iloc S)) is 1']
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import combinations, product
from math import prod
from typing import Any

from meldlab.recycle.language import syntax as s
from meldlab.recycle.language.course import Facts, choices, named
from meldlab.recycle.language.folding import constant
from meldlab.recycle.language.printer import show
from meldlab.recycle.language.tree import rewritten, walk

__all__ = ["open_cases"]

MOST_WORK = 100_000  # constructs looked at and cases tried in one program; what is left over passes for good
MOST_CASES = 4_000  # of one choice
MOST_KINDS = 32  # of members of one collection, by the tests they pass
MOST_MEMBERS = 64  # of a fixed collection that is gone through one by one
OTHER = ""  # a string that nobody asks for
FLIPPED = {"==": "==", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
NONE = {("==", 0), ("<=", 0), ("<", 1)}  # what a size is compared with to ask whether there is nothing
SOME = {("!=", 0), (">", 0), (">=", 1)}

Key = Any  # what is asked about: an expression, or a tuple of a word and expressions
Case = dict[int, Any]  # the answers to questions and the contents of collections, by number
Test = Callable[[Case], bool]


def open_cases(program: s.Program) -> Iterator[tuple[s.Choice, str]]:
    """Yield the choices that have no option in some case, and that case in words (none, if it is every case)."""
    declared = {declare.var: declare.value for declare in program.declares}
    writes, work = _Writes.of(program), _Work()
    try:
        for choice, known in choices(program):
            sheet = _Sheet(known, writes, work)
            case = sheet.open_case([sheet.offered(work.put(item, declared)) for item in choice.items])
            if case is not None:
                yield choice, case
    except _Enough:
        return


class _Enough(Exception):
    """The program asks more than anybody would look through."""


@dataclass
class _Work:
    done: int = 0

    def more(self, many: int = 1) -> None:
        self.done += many
        if self.done > MOST_WORK:
            raise _Enough

    def put(self, node: Any, values: dict[str, Any]) -> Any:
        """Return a construct with values in place of variables."""

        def changed(each: Any) -> Any:
            self.more()
            if not isinstance(each, s.Var) or each.name not in values:
                return each
            # A value that is put in twice, and what it is put into twice again, would soon be longer than anything written.
            for _ in walk(values[each.name]):
                self.more()
            return values[each.name]

        return rewritten(node, changed)


@dataclass(frozen=True)
class _Writes:
    """What the program writes into storage: names, anything else, outside a choice too, and numbers that may fall below 0."""

    words: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    computed: set[tuple[str, str]] = field(default_factory=set)
    by_itself: set[tuple[str, str]] = field(default_factory=set)
    lowered: set[tuple[str, str]] = field(default_factory=set)

    @classmethod
    def of(cls, program: s.Program) -> "_Writes":
        found = cls()
        chosen = {id(node) for choice in walk(program) if isinstance(choice, s.Choice) for node in walk(choice)}
        for node in walk(program):
            if isinstance(node, s.Adjust) and node.which == "dec":
                found.lowered.update(named(node.cell))
            if not isinstance(node, s.Set):
                continue
            places = named(node.cell)
            if id(node) not in chosen:
                found.by_itself.update(places)
            if isinstance(node.value, s.Name):
                for place in places:
                    found.words.setdefault(place, set()).add(node.value.text)
                continue
            found.computed.update(places)
            if any(isinstance(part, s.Arithmetic) and part.how == "-" for part in walk(node.value)):
                found.lowered.update(places)
        return found


@dataclass
class _Question:
    """Something that differs from case to case, and what it is compared with."""

    about: Key
    numbers: set[tuple[str, int]] = field(default_factory=set)
    words: set[str] = field(default_factory=set)
    orders: set[str] = field(default_factory=set)
    members: int | None = None  # of which collection it is asked


@dataclass
class _Sheet:
    """The questions of one choice; collections are numbered with them."""

    known: Facts
    writes: _Writes
    work: _Work
    numbers: dict[Key, int] = field(default_factory=dict)
    questions: dict[int, _Question] = field(default_factory=dict)
    collections: dict[int, s.Expr] = field(default_factory=dict)
    doubted: set[s.Expr] = field(default_factory=set)  # collections whose size an item asks for before it picks anything
    within: tuple[int, ...] = ()  # the collections whose members are being asked, from the outside in; -1 for a fixed one

    # --- what an item offers

    def offered(self, item: Any) -> Test:
        """Return when an item has an option."""
        self.work.more()
        match item:
            case s.Condition():
                test, body = self.holds(item.test), self.offered(item.body)
                return lambda case: test(case) and body(case)
            case s.Do():
                # As long as nothing was done, the conditions of all parts see the same table.
                parts = [self.offered(part) for part in item.items]
                return _any_of(parts)
            case s.Let():
                return self.offered(self.work.put(item.body, {item.var: item.value}))
            case s.Loop():
                return self.some(item.coll, item.var, lambda put: self.offered(put(item.body)))
            case s.Repeat():
                return self.offered(item.body) if constant(item.count) != 0 else lambda case: False
            case s.RepeatAll():
                card: Any = item.body.card
                source = card.of if isinstance(card, s.Pick) else card
                return self.some(source) if isinstance(source, (s.Location, s.Filter)) else _always
        return _always

    def some(self, coll: Any, var: str = "", meant: Callable[[Callable[[Any], Any]], Test] | None = None) -> Test:
        """Return when some member of a collection passes; ``meant`` gets what puts the member into an expression."""
        self.work.more()
        if isinstance(coll, s.Filter):

            def both(put: Callable[[Any], Any]) -> Test:
                # The member goes by the name of the filter in its test, and by that of the loop in its body.
                member = put(s.Var(var))
                first = self.holds(self.work.put(coll.test, {coll.var: member}))
                second = meant(put) if meant else None
                return first if second is None else lambda case: first(case) and second(case)

            return self.some(coll.coll, var, both)
        outer, fixed = self.within, _fixed_members(coll)
        if fixed is not None:
            self.within = (*outer, -1)
            parts = [meant(self.putting(var, each)) if meant else _always for each in fixed]
            self.within = outer
            return _any_of(parts)
        if _members(coll):
            # A collection that depends on a member of another: whether something in it passes is one question about that member.
            return meant(lambda node: node) if meant and not self.may_be_empty(coll) else self.asked(("some", coll, s.Name(var)))
        number = self.number(coll)
        self.collections[number] = coll
        self.within = (*outer, number)
        test = meant(self.putting(var, s.Var(str(number)))) if meant else None
        self.within = outer
        return lambda case: any(test({**case, **member}) for member in case[number]) if test else bool(case[number])

    def putting(self, var: str, value: s.Expr) -> Callable[[Any], Any]:
        """Return what puts a value in the place of a variable."""
        return lambda node: self.work.put(node, {var: value})

    # --- truth values

    def holds(self, test: Any) -> Test:
        """Return when a truth value holds."""
        self.work.more()
        settled = constant(test)
        if settled is not None:
            return lambda case: bool(settled)
        match test:
            case s.Not():
                inner = self.holds(test.test)
                return lambda case: not inner(case)
            case s.Logic():
                parts, every = [self.holds(part) for part in test.parts], all if test.how == "and" else any
                return lambda case: every(part(case) for part in parts)
            case s.Each():
                wanted = test.quantifier == "any"
                some = self.some(test.coll, test.var, lambda put: self.holds(put(test.body if wanted else s.Not(test.body))))
                return lambda case: some(case) == wanted
            case s.Compare():
                return self.compared(test.how, test.left, test.right)
        return self.asked(test)

    def compared(self, how: str, left: s.Expr, right: s.Expr) -> Test:
        """Return when a comparison holds."""
        if constant(left) is not None or isinstance(left, s.Name):
            how, left, right = FLIPPED[how], right, left
        number = constant(right)
        if isinstance(right, s.Name):
            word = right.text
            if isinstance(left, s.Name):
                return lambda case: (left == right) == (how == "==")
            question = self.question(left)
            self.questions[question].words.add(word)
            return lambda case: (case[question] == word) == (how == "==")
        if number is None:
            if repr(left) > repr(right):
                how, left, right = FLIPPED[how], right, left
            question, number = self.question(("order", left, right)), 0
            self.questions[question].orders.add(how)
        elif isinstance(left, s.Total) and left.which != "sum" and how not in ("==", "!="):
            # The most points of one card are more than a number if some card has more.
            some_card = how.startswith(">" if left.which == "scoremax" else "<")
            test = s.Compare(how if some_card else OPPOSITE[how], s.Score(s.Var("CARD"), left.points), right)
            some = self.some(left.cards, "CARD", lambda put: self.holds(put(test)))
            return lambda case: some(case) == some_card
        elif isinstance(left, s.Size) and isinstance(left.of, s.Filter) and (how, number) in NONE | SOME:
            some = self.some(left.of)
            return lambda case: some(case) == ((how, number) in SOME)
        else:
            question = self.question(left)
            self.questions[question].numbers.add((how, number))
        return lambda case: _compare(how, case[question], number)

    def asked(self, about: Key) -> Test:
        """Return when something holds of which nothing is known."""
        question = self.question(about)
        return lambda case: bool(case[question])

    def question(self, about: Key) -> int:
        """Return the number of a question, new or asked before."""
        members = _members(about)
        if isinstance(about, s.Size) and not members:
            self.collections[self.number(about.of)] = about.of
            self.doubted.update([] if self.within else [about.of])
        number = self.number(about)
        self.questions.setdefault(number, _Question(about, members=next((each for each in reversed(self.within) if each in members), None)))
        return number

    def number(self, about: Key) -> int:
        return self.numbers.setdefault(about, len(self.numbers))

    # --- cases

    def open_case(self, items: list[Test]) -> str | None:
        """Return a case without an option in words, or None if there is none."""
        if _always in items:
            return None
        parts = [*map(self.held, self.collections), *self.alone()]
        if prod(map(len, parts)) > MOST_CASES:
            return None
        promised = [part for part in parts if any(self.promised(number) for number in part[0])]
        free = [part for part in parts if part not in promised]
        notes, made = list(_joined(promised)), self.made()

        def is_open(case: Case) -> bool:
            self.work.more(10 * len(items) * len(notes))
            worlds = [world for note in notes if _possible(world := {**case, **note}, made)]
            return bool(worlds) and not any(item(world) for world in worlds for item in items)

        case = next(filter(is_open, _joined(free)), None)
        if case is None:
            return None
        # What makes no difference is not told.
        others = [(part, [{**case, **each} for each in part]) for part in free]
        matters = [part for part, cases in others if not all(is_open(other) or not _possible(other, made) for other in cases)]
        return " and ".join([self.told(part[0], case) for part in matters][:3])

    def held(self, number: int) -> list[Case]:
        """Return what a collection may hold, and with it its size."""
        questions = [question for question, asked in self.questions.items() if asked.members == number]
        kinds = [dict(zip(questions, values, strict=True)) for values in product(*map(self.answers, questions))]
        if len(kinds) > MOST_KINDS:
            return [{number: ()}] * (MOST_CASES + 1)
        contents = [tuple(each) for many in (1, 2) for each in combinations(kinds, many)]
        if self.may_be_empty(self.collections[number]):
            contents.insert(0, ())
        size = self.numbers.get(s.Size(self.collections[number]))
        if size not in self.questions:
            return [{number: content} for content in contents]
        return [{number: content, size: many} for content in contents for many in self.answers(size) if (many == 0) == (not content)]

    def alone(self) -> list[list[Case]]:
        """Return the answers to every question that no collection settles."""
        settled = {self.numbers.get(s.Size(coll)) for coll in self.collections.values()}
        return [
            [{number: value} for value in self.answers(number)]
            for number, question in self.questions.items()
            if number not in settled and question.members is None
        ]

    def may_be_empty(self, coll: s.Expr) -> bool:
        if coll in self.doubted:
            return True
        match coll:
            case s.Location():
                return coll.kind == "mem" or not self.known.emptied.isdisjoint(named(coll))
            case s.Subsets() | s.Sort() | s.Take():
                return self.may_be_empty(coll.cards)
            case s.Partition() | s.Combine():
                return all(map(self.may_be_empty, coll.parts))
        return isinstance(coll, (s.Filter, s.Runs, s.LongestRun, s.Indexed))

    def answers(self, number: int) -> list[Any]:
        """Return the answers to a question that make a difference."""
        question, about = self.questions[number], self.questions[number].about
        fixed = [value for cell, value in self.known.fixed if cell == about]
        if fixed:
            return [fixed[-1].text if isinstance(fixed[-1], s.Name) else constant(fixed[-1])]
        if question.numbers:
            place = named(about) if isinstance(about, s.Cell) else []
            below = bool(self.writes.lowered.intersection(place)) if place else not isinstance(about, (s.Size, s.Score, s.Total))
            asked = question.numbers | ({("==", 0)} if isinstance(about, s.Size) else set())
            near = sorted({number + step for _, number in asked for step in (-1, 0, 1)})
            # Of those that compare alike, one will do.
            alike = {tuple(_compare(how, each, number) for how, number in asked): each for each in reversed(near) if each >= 0 or below}
            return sorted(alike.values())
        if question.words:
            return self.words(about, question.words)
        return _orders(question.orders) if question.orders else [False, True]

    def words(self, about: Key, asked: set[str]) -> list[str]:
        """Return the names that a string may be."""
        place = named(about)[0] if isinstance(about, s.Cell) else None
        written = self.writes.words.get(place) if place else None
        if written is None or place in self.writes.computed or place not in self.writes.by_itself:
            return [*sorted(asked | (written or set())), OTHER]
        return sorted(written)

    def made(self) -> list[tuple[int, int]]:
        """Return the collections that are made of another one, and empty just when that is."""
        sources = {
            number: coll.parts[0] if isinstance(coll, s.Partition) else coll.cards if isinstance(coll, s.Subsets) else None
            for number, coll in self.collections.items()
        }
        return [(number, self.numbers[source]) for number, source in sources.items() if source in self.collections.values()]

    def promised(self, number: int) -> bool:
        """Tell whether something was noted in an earlier choice of the turn, which offered it only where there is a way to go on."""
        about: Key = self.collections.get(number) or self.questions[number].about
        nodes = (node for part in (about[1:] if isinstance(about, tuple) else (about,)) for node in walk(part))
        return any(place in self.known.noted for node in nodes for place in named(node))

    def told(self, part: Case, case: Case) -> str:
        """Return in words how something is in a case."""
        number = next(reversed(part))  # of the size, where there is one
        value, about = case[number], self.collections.get(number)
        if about is not None:
            return f"nothing in {show(about)} passes" if value else f"{show(about)} is empty"
        question = self.questions[number]
        if isinstance(question.about, tuple):
            _, left, right = question.about
            order = ("less than", "", "more than")[value + 1] if question.orders - {"==", "!="} else "not" if value else ""
            return " ".join(filter(None, (show(left), "is", order, show(right))))
        if isinstance(value, bool):
            return f"{show(question.about)} {'holds' if value else 'does not hold'}"
        return f"{show(question.about)} is {value if value != OTHER else 'something else'}"


def _always(case: Case) -> bool:
    return True


def _any_of(parts: list[Test]) -> Test:
    return _always if _always in parts else lambda case: any(part(case) for part in parts)


def _joined(parts: list[list[Case]]) -> Iterator[Case]:
    """Yield every combination of what the parts may be."""
    for each in product(*parts):
        yield {key: value for part in each for key, value in part.items()}


def _possible(case: Case, made: list[tuple[int, int]]) -> bool:
    return all(bool(case[made_of]) == bool(case[source]) for made_of, source in made)


def _compare(how: str, left: int, right: int) -> bool:
    return {"==": left == right, "!=": left != right, "<": left < right, ">": left > right, "<=": left <= right, ">=": left >= right}[how]


def _orders(asked: set[str]) -> list[int]:
    """Return how two changing numbers may compare; a third order that nobody asks for, while two are, is taken to be impossible."""
    covered = [step for step in (-1, 0, 1) if any(_compare(how, step, 0) for how in asked)]
    if asked <= {"==", "!="}:
        return [0, 1]
    return covered if len(covered) == 2 and len(asked) > 1 and "!=" not in asked else [-1, 0, 1]


def _members(key: Key) -> set[int]:
    """Return the collections about whose members something is: a member is a variable with the number of its collection."""
    parts = key[1:] if isinstance(key, tuple) else (key,)
    return {int(node.name) for part in parts for node in walk(part) if isinstance(node, s.Var) and node.name.isdecimal()}


def _fixed_members(coll: Any) -> list[s.Expr] | None:
    """Return the members of a collection that no game changes; more than enough are left out."""
    if isinstance(coll, s.Strings):
        return [s.Name(name) for name in coll.names[:MOST_MEMBERS]]
    if isinstance(coll, s.Range):
        first, last = constant(coll.first), constant(coll.last)
        if first is not None and last is not None:
            return [s.Number(number) for number in range(first, min(last + 1, first + MOST_MEMBERS))]
    return None
