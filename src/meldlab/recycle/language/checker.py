"""Checker: the class of every expression, by the signatures of the constructs.

The checked tree has the class in each expression, makes implicit conversions explicit (a list used as a card is its top card, a team used
as a collection its members) and replaces declared variables by their values.

>>> checked = check("(game (setup (create players 1) (create deck (game iloc S) (deck (A (X)))))"
...                 " (do ((move (game iloc S) (top (game vloc T))))) (scoring max 1))")
>>> [(diagnostic.code, diagnostic.message) for diagnostic in checked.diagnostics if diagnostic.is_error]
[('E102', 'expected a card, got a card list')]
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

from meldlab.recycle.language import syntax as s
from meldlab.recycle.language.constants import cards_made, constant, is_fixed
from meldlab.recycle.language.diagnostics import Diagnostic
from meldlab.recycle.language.hints import Hints
from meldlab.recycle.language.labels import Labels
from meldlab.recycle.language.limits import Limits
from meldlab.recycle.language.lint import lint
from meldlab.recycle.language.parser import parse
from meldlab.recycle.language.syntax import COLLECTIONS, Class

MAX_PLAYERS = 64
_BINDABLE = (Class.INT, Class.BOOL, Class.STR, *COLLECTIONS)
_COMPARABLE = (Class.INT, Class.STR, Class.CARD, Class.PLAYER, Class.TEAM)


@dataclass(frozen=True)
class CheckedProgram:
    """A program, its tree with classes, and its diagnostics; with an error among them the tree cannot be compiled."""

    text: str
    parsed: s.Program
    program: s.Program
    players: int
    checker_diagnostics: tuple[Diagnostic, ...]  # of the lexer and the checker, with all errors

    @cached_property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Return all diagnostics, errors first; the linter runs on first access."""
        return ordered([*self.checker_diagnostics, *lint(self.parsed), *self.labels.diagnostics])

    @cached_property
    def labels(self) -> Labels:
        """Return the labels in the comments."""
        return Labels.parse(self.text, self.parsed)

    def raise_errors(self) -> "CheckedProgram":
        """Return the checked program, or raise its first error."""
        for diagnostic in ordered(self.checker_diagnostics):
            if diagnostic.is_error:
                raise diagnostic.error(self.text)
        return self


def ordered(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return diagnostics without repetition, errors first, then by offset."""
    return tuple(sorted(set(diagnostics), key=lambda diagnostic: (not diagnostic.is_error, diagnostic.offset, diagnostic.code)))


def check(text: str, dialect: str = "0.6", limits: Limits = Limits()) -> CheckedProgram:  # noqa: B008  # frozen
    """Parse and check a program; raise ``ProgramError`` where it cannot be parsed."""
    diagnostics: list[Diagnostic] = []
    parsed = parse(text, dialect, diagnostics)
    checker = _Checker(diagnostics, limits)
    program = checker.program(parsed)
    return CheckedProgram(text, parsed, program, checker.players, tuple(diagnostics))


@dataclass
class _Binding:
    """The class that a variable is bound to, and whether it is read."""

    cls: Class
    offset: int
    value: s.Expr | None = None  # of a declared variable
    is_read: bool = False


@dataclass
class _Checker:
    diagnostics: list[Diagnostic]
    limits: Limits
    scope: dict[str, _Binding] = field(default_factory=dict)
    players: int = 0
    hints: Hints = field(default_factory=Hints)
    choosing: bool = False
    types: int = 0  # of cards, in all decks so far, whether they are ever made or not

    def report(self, code: str, message: str, node: s.Node) -> None:
        self.diagnostics.append(Diagnostic(code, message, node.offset))

    # --- program

    def program(self, node: s.Program) -> s.Program:
        for declare in node.declares:
            self.declare(declare)
        setup = self.setup(node.setup)
        phases = self.part(node.phases)
        score = self.expect(node.score, Class.INT)
        for name, bound in self.scope.items():
            self.unread(name, bound)
        return replace(node, declares=(), setup=setup, phases=phases, score=score)

    def declare(self, node: s.Declare) -> None:
        value = self.value(node.value)
        allowed = (Class.INT, Class.BOOL, Class.STR, Class.STRS, Class.INTS)
        if value.cls not in allowed or not is_fixed(value):
            self.report("E109", "a declared value is fixed before the game: numbers, strings, ranges and lists of strings", node.value)
        number = constant(value)
        if number is not None and value.cls is Class.INT:
            value = s.Number(number, offset=node.value.offset, cls=Class.INT)
        if node.var in self.scope:
            self.report("W101", f"'{node.var} is declared twice", node)
        self.scope[node.var] = _Binding(value.cls or Class.INT, node.offset, value)

    def setup(self, node: s.Setup) -> s.Setup:
        players = self.expect(node.players, Class.INT)
        number = constant(players)
        if number is None:
            self.report("E109", "the number of players is not fixed before the game", node.players)
        elif not 1 <= number <= MAX_PLAYERS:
            self.report("E112", f"{number} players (1 to {MAX_PLAYERS})", node.players)
        self.players = number if number and 1 <= number <= MAX_PLAYERS else 1
        if node.teams is not None:
            self.teams(node.teams)
        decks = tuple(self.deck_source(deck) for deck in node.decks)
        total = sum(map(cards_made, decks))
        if total > self.limits.cards:
            self.report("E112", f"{total:,} cards (at most {self.limits.cards:,}; raise the limit 'cards')", node)
        return replace(node, players=s.Number(self.players, offset=node.players.offset, cls=Class.INT), decks=decks)

    def deck_source(self, node: s.CreateDeck | s.RepeatDeck) -> s.CreateDeck | s.RepeatDeck:
        if isinstance(node, s.CreateDeck):
            return self.deck(node)
        count = self.expect(node.count, Class.INT)
        number = constant(count)
        if number is None:
            self.report("E109", "the number of decks is not fixed before the game", node.count)
        return replace(node, count=s.Number(number or 0, offset=node.offset, cls=Class.INT), deck=self.deck_source(node.deck))

    def deck(self, node: s.CreateDeck) -> s.CreateDeck:
        back = None if node.back is None else self.expect(node.back, Class.STR)
        if not (back is None or isinstance(back, s.Name)):
            self.report("E109", "the back of a deck is a name", node.back or node)
        location = self.expect(node.location, Class.CARDS)
        if not isinstance(location, (s.Location, s.Var)) or (isinstance(location, s.Location) and location.kind == "mem"):
            self.report("E106", "cards are made in a location (vloc, iloc, hloc, oloc)", node.location)
        before, self.types = self.types, self.types + cards_made(node)
        if before <= self.limits.cards < self.types:
            what = f"decks of {self.types:,}" if before else f"a deck of {self.types:,}"
            self.report("E112", f"{what} cards (at most {self.limits.cards:,}; raise the limit 'cards')", node)
        return replace(node, back=back, location=location)

    def teams(self, node: s.CreateTeams) -> None:
        for player, times in Counter(player for team in node.teams for player in team).items():
            if not 1 <= player <= self.players:
                self.report("E110", f"no player {player} (1 to {self.players})", node)
            elif times > 1:
                self.report("E110", f"player {player} is in two teams", node)
        if self.choosing:
            self.report("E111", "teams are not made in a choice: an option must be possible to take back", node)

    # --- constructs by signature

    def construct(self, node: Any) -> Any:
        """Return a construct with its parts checked by its signature; an expression has its class."""
        changes: dict[str, Any] = {}
        for part in fields(node):
            value, classes = getattr(node, part.name), node.takes.get(part.name)
            if classes and isinstance(value, s.Expr):
                changes[part.name] = self.expect(value, *classes)
            elif classes and isinstance(value, tuple):
                changes[part.name] = tuple(self.expect(member, *classes[: None if len(value) == 1 else 1]) for member in value)
            elif isinstance(value, s.Item) or (isinstance(value, tuple) and value and isinstance(value[0], s.Node)):
                changes[part.name] = self.part(value)
        node = replace(node, **changes)
        if not isinstance(node, s.Expr):
            return node
        gives = type(node).gives  # not of the instance, to which a function would be bound
        return replace(node, cls=gives(node) if callable(gives) else gives)

    def part(self, node: Any) -> Any:
        """Return a checked item, phase or award, or a tuple of them."""
        if isinstance(node, tuple):
            return tuple(self.part(member) for member in node)
        return self.item(node) if isinstance(node, (s.Item, s.Phase)) else self.construct(node)

    def expect(self, node: s.Expr, *classes: Class) -> s.Expr:
        """Return the checked expression as one of ``classes``; report it if it cannot be."""
        checked = self.expr(node)
        if checked.cls is None or checked.cls in classes:
            return checked
        if checked.cls is Class.CARDS and Class.CARD in classes and isinstance(checked, s.Var):
            return s.Pick("top", checked, offset=node.offset, cls=Class.CARD)
        if checked.cls is Class.TEAM and Class.PLAYERS in classes:
            return s.Members(checked, offset=node.offset, cls=Class.PLAYERS)
        expected = " or ".join(cls.value for cls in classes) if len(classes) < 4 else "a collection"
        self.report("E102", f"expected {expected}, got {checked.cls.value}", node)
        return checked

    # --- phases, items and actions

    def item(self, node: Any) -> Any:
        match node:
            case s.Choice():
                self.choosing = True
                node = self.construct(node)
                self.choosing = False
                return node
            case s.Loop():
                coll = self.expect(node.coll, *COLLECTIONS)
                if node.quantifier == "any" and not self.choosing:
                    self.report("W106", "any outside a choice does the same as all", node)
                with self.binding(node.var, coll.cls.member if coll.cls else None, node):
                    return replace(node, coll=coll, body=self.item(node.body))
            case s.Let():
                value = self.value(node.value)
                with self.binding(node.var, value.cls, node):
                    return replace(node, value=value, body=self.item(node.body))
            case s.MoveCard():
                return replace(node, card=self.card_to_move(node.card), place=self.target(node.place, memory=False))
            case s.Remember():
                return replace(node, card=self.expect(node.card, Class.CARD), place=self.target(node.place, memory=True))
            case s.Swap():
                check = self.location if isinstance(node.left, s.Location) or isinstance(node.right, s.Location) else self.card_to_move
                return replace(node, left=check(node.left), right=check(node.right))
            case s.Faro():
                return replace(node, lower=self.location(node.lower), upper=self.location(node.upper))
            case s.Set():
                cell = self.expect(node.cell, Class.INT, Class.STR)
                return replace(node, cell=cell, value=self.expect(node.value, cell.cls or Class.INT))
            case s.CreateDeck():
                return self.deck(node)
            case s.RepeatAll():
                body = self.item(node.body)
                if isinstance(body.card, s.Var):
                    self.report("E102", "repeat all takes cards from a list, this is one card", body.card)
                return replace(node, body=body)
        self.check_action(node)
        return self.construct(node)

    def check_action(self, node: Any) -> None:
        """Report errors and warnings that do not follow from the signature of an action."""
        match node:
            case s.Forget(card=s.Pick(of=s.Location(kind=kind))) if kind != "mem":
                self.report("E106", "only a memory (mem) forgets", node.card)
            case s.Shuffle(cards=cards) if isinstance(cards, s.COMPUTED):
                self.report("W109", "this list is made for the shuffle and gone after it", cards)
            case s.Adjust(cell=s.Cell(kind=kind)) if kind != "sto":
                self.report("E102", f"expected a number: {node.which} works on sto", node.cell)
            case s.Repeat(body=s.Adjust(which=which)):
                self.report("W110", f"{which} is done that many times (the reference engine does it once)", node)
            case s.CreateTeams():
                self.teams(node)

    def card_to_move(self, node: s.Expr) -> s.Expr:
        card = self.expect(node, Class.CARD)
        source = card.of if isinstance(card, s.Pick) else card.cards if isinstance(card, s.Best) else None
        if isinstance(source, s.Location) and source.kind == "mem":
            self.report("E107", "a memory (mem) only remembers cards; they lie elsewhere", node)
        return card

    def target(self, node: s.Expr, memory: bool) -> s.Expr:
        what = "a memory (mem)" if memory else "a location (vloc, iloc, hloc, oloc)"
        target = self.expr(node)
        if not isinstance(node, s.Pick):
            self.report("E106", f"the target is a place in {what}: (top ..), (bottom ..) or (index ..)", node)
        elif not isinstance(target, s.Pick) or target.cls is not Class.CARD:
            self.report("E106", f"the target is a place in {what}", node)
        elif isinstance(target.of, s.COMPUTED) or (isinstance(target.of, s.Location) and (target.of.kind == "mem") != memory):
            self.report("E106", f"only {what} can be the target", node)
        return target

    def location(self, node: s.Expr) -> s.Expr:
        cards = self.expect(node, Class.CARDS)
        if isinstance(cards, s.COMPUTED) or (isinstance(cards, s.Location) and cards.kind == "mem"):
            self.report("E106", "expected a location (vloc, iloc, hloc, oloc)", node)
        return cards

    # --- variables

    @contextmanager
    def binding(self, name: str, cls: Class | None, node: s.Node) -> Iterator[None]:
        outer = self.scope.get(name)
        if outer is not None:
            self.report("W101", f"'{name} hides the '{name} bound outside", node)
        bound = self.scope[name] = _Binding(cls or Class.INT, node.offset)
        yield
        self.unread(name, bound)
        if outer is None:
            del self.scope[name]
        else:
            self.scope[name] = outer

    def unread(self, name: str, bound: _Binding) -> None:
        if not bound.is_read:
            self.diagnostics.append(Diagnostic("W102", f"'{name} is never read", bound.offset))

    def variable(self, node: s.Var) -> s.Expr:
        bound = self.scope.get(node.name)
        if bound is None:
            hint = self.hints.text(node.name, self.scope, quote="'")
            self.report("E101", f"nothing binds '{node.name}{hint}", node)
            return replace(node, cls=None)
        bound.is_read = True
        if bound.cls is Class.BOOL:
            self.report("E105", f"'{node.name} is a truth value; the language cannot read one from a variable", node)
        return replace(node, cls=bound.cls) if bound.value is None else replace(bound.value, offset=node.offset)

    # --- expressions that a signature does not describe

    def value(self, node: s.Expr) -> s.Expr:
        checked = self.expr(node)
        if checked.cls is Class.TEAM:
            return s.Members(checked, offset=node.offset, cls=Class.PLAYERS)
        if checked.cls not in (None, *_BINDABLE):
            hint = " (loop over (top 1 L), or use storage)" if checked.cls is Class.CARD else ""
            self.report("E104", f"{checked.cls.value if checked.cls else ''} cannot be bound to a variable{hint}", node)
        return checked

    def expr(self, node: Any) -> s.Expr:
        match node:
            case s.Var():
                return self.variable(node)
            case s.Number() if node.value >= 2**31:
                self.report("E113", "numbers go up to 2147483647", node)
            case s.Filter():
                coll = self.expect(node.coll, *COLLECTIONS)
                with self.binding(node.var, coll.cls.member if coll.cls else None, node):
                    return replace(node, coll=coll, test=self.expect(node.test, Class.BOOL), cls=coll.cls)
            case s.Each():
                return self.gather(node)
            case s.Compare():
                return self.compare(node)
            case s.Identity():
                return replace(node, of=self.expect(node.of, Class.PLAYER if node.which == "pid" else Class.TEAM), cls=Class.INT)
            case s.BareSeat() | s.Actual() | s.Tuples():
                self.report(
                    "E005", "a form of dialect 0.5 (read it with --dialect 0.5, or rewrite it with 'meldlab recycle migrate')", node
                )
                return replace(node, cls=None)
        checked: s.Expr = self.construct(node)
        return checked

    def gather(self, node: s.Each) -> s.Expr:
        coll = self.expect(node.coll, *COLLECTIONS)
        with self.binding(node.var, coll.cls.member if coll.cls else None, node):
            body = self.expr(node.body)
        results = {Class.BOOL: Class.BOOL, Class.CARDS: Class.LISTS, Class.INT: Class.INT}
        if body.cls is not None and (body.cls not in results or (node.quantifier == "any" and body.cls is not Class.BOOL)):
            self.report("E102", f"{node.quantifier} cannot gather {body.cls.value}", node.body)
        return replace(node, coll=coll, body=body, cls=results.get(body.cls) if body.cls else None)

    def compare(self, node: s.Compare) -> s.Expr:
        sides = [self.expr(node.left), self.expr(node.right)]
        # A list variable compared with a card or with another list is its top card.
        if {side.cls for side in sides} in ({Class.CARDS}, {Class.CARDS, Class.CARD}):
            sides = [
                s.Pick("top", side, offset=side.offset, cls=Class.CARD) if isinstance(side, s.Var) and side.cls is Class.CARDS else side
                for side in sides
            ]
        left, right = (side.cls for side in sides)
        if left and right and left is not right:
            self.report("E103", f"{left.value} is compared with {right.value}", node)
        elif left and right and left not in (_COMPARABLE if node.how in ("==", "!=") else (Class.INT,)):
            self.report("E102", f"{left.value} cannot be compared by {node.how}", node)
        return replace(node, left=sides[0], right=sides[1], cls=Class.BOOL)
