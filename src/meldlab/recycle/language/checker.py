"""The class of every expression, before anything runs.

The checked tree has the class in each expression, makes what the language implies explicit (a list used as a card is its top card, a team
used as a collection its members) and has the values of declared variables in place of the variables.

>>> checked = check("(game (setup (create players 1) (create deck (game iloc S) (deck (A (X)))))"
...                 " (do ((move (game iloc S) (top (game vloc T))))) (scoring max 1))")
>>> [(finding.code, finding.problem) for finding in checked.findings if finding.stops]
[('E102', 'a card is wanted, this is a card list')]
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from meldlab.recycle.language import syntax as s
from meldlab.recycle.language.findings import Finding
from meldlab.recycle.language.folding import cards_made, constant, folded
from meldlab.recycle.language.hints import Hints
from meldlab.recycle.language.limits import Limits
from meldlab.recycle.language.linter import lint
from meldlab.recycle.language.reader import read
from meldlab.recycle.language.syntax import Class

__all__ = ["Checked", "check", "ordered"]

COLLECTIONS = (Class.CARDS, Class.LISTS, Class.PLAYERS, Class.TEAMS, Class.STRS, Class.INTS)
MOST_PLAYERS = 64
_BINDABLE = (Class.INT, Class.BOOL, Class.STR, *COLLECTIONS)


@dataclass(frozen=True)
class Checked:
    """A program, its tree with classes, and what was found; with an error among the findings the tree is not to be run."""

    text: str
    written: s.Program  # the tree as it was read
    program: s.Program
    players: int
    noticed: tuple[Finding, ...]  # while it was read and checked, every error among them

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """Return all findings, errors first; the warnings of the linter are computed on first use."""
        return ordered([*self.noticed, *lint(self.written)])

    def stop_at_errors(self) -> "Checked":
        """Return this, or raise the first error."""
        errors = [finding for finding in self.noticed if finding.stops]
        if errors:
            raise min(errors, key=_order).mistake(self.text)
        return self


def ordered(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings without repetition, errors first, then by place."""
    return tuple(sorted(set(findings), key=_order))


def _order(finding: Finding) -> tuple[bool, int, str]:
    return not finding.stops, finding.at, finding.code


def check(text: str, dialect: str = "0.6", limits: Limits = Limits()) -> Checked:  # noqa: B008  # frozen
    """Read and check a program; raise ``BadText`` where it cannot be read at all."""
    heard: list[Finding] = []
    program = read(text, dialect, heard)
    checker = _Checker(heard, limits)
    checked = checker.program(program)
    return Checked(text, program, checked, checker.players, tuple(checker.findings))


@dataclass
class _Bound:
    """What a variable is bound to, and whether anything read it."""

    cls: Class
    at: int
    value: s.Expr | None = None  # of a declared variable
    read: bool = False


@dataclass
class _Checker:
    findings: list[Finding]
    limits: Limits
    scope: dict[str, _Bound] = field(default_factory=dict)
    players: int = 0
    hints: Hints = field(default_factory=Hints)
    choosing: bool = False
    types: int = 0  # of cards, in all decks so far, whether they are ever made or not

    def found(self, code: str, problem: str, node: s.Node) -> None:
        self.findings.append(Finding(code, problem, node.at))

    # --- program

    def program(self, node: s.Program) -> s.Program:
        for declare in node.declares:
            self.declare(declare)
        setup = self.setup(node.setup)
        phases = tuple(self.phase(phase) for phase in node.phases)
        score = self.want(node.score, Class.INT)
        for name, bound in self.scope.items():
            self.unread(name, bound)
        return replace(node, declares=(), setup=setup, phases=phases, score=score)

    def declare(self, node: s.Declare) -> None:
        value = self.value(node.value)
        allowed = (Class.INT, Class.BOOL, Class.STR, Class.STRS, Class.INTS)
        if value.cls not in allowed or not folded(value):
            self.found("E109", "a declared value is fixed before the game: numbers, strings, ranges and lists of strings", node.value)
        number = constant(value)
        if number is not None and value.cls is Class.INT:
            value = s.Number(number, at=node.value.at, cls=Class.INT)
        if node.var in self.scope:
            self.found("W101", f"'{node.var} is declared twice", node)
        self.scope[node.var] = _Bound(value.cls or Class.INT, node.at, value)

    def setup(self, node: s.Setup) -> s.Setup:
        players = self.want(node.players, Class.INT)
        number = constant(players)
        if number is None:
            self.found("E109", "the number of players is not fixed before the game", node.players)
        elif not 1 <= number <= MOST_PLAYERS:
            self.found("E112", f"{number} players (1 to {MOST_PLAYERS})", node.players)
        self.players = number if number and 1 <= number <= MOST_PLAYERS else 1
        if node.teams is not None:
            self.teams(node.teams)
        decks = tuple(self.deck_source(deck) for deck in node.decks)
        total = sum(map(cards_made, decks))
        if total > self.limits.cards:
            self.found("E112", f"{total:,} cards (at most {self.limits.cards:,}; raise the limit 'cards')", node)
        return replace(node, players=s.Number(self.players, at=node.players.at, cls=Class.INT), decks=decks)

    def deck_source(self, node: s.CreateDeck | s.RepeatDeck) -> s.CreateDeck | s.RepeatDeck:
        if isinstance(node, s.CreateDeck):
            return self.deck(node)
        count = self.want(node.count, Class.INT)
        number = constant(count)
        if number is None:
            self.found("E109", "the number of decks is not fixed before the game", node.count)
        return replace(node, count=s.Number(number or 0, at=node.at, cls=Class.INT), deck=self.deck_source(node.deck))

    def deck(self, node: s.CreateDeck) -> s.CreateDeck:
        back = None if node.back is None else self.want(node.back, Class.STR)
        if not (back is None or isinstance(back, s.Name)):
            self.found("E109", "the back of a deck is a name", node.back or node)
        location = self.want(node.location, Class.CARDS)
        if not isinstance(location, (s.Location, s.Var)) or (isinstance(location, s.Location) and location.kind == "mem"):
            self.found("E106", "cards are made in a location (vloc, iloc, hloc, oloc)", node.location)
        before, self.types = self.types, self.types + cards_made(node)
        if before <= self.limits.cards < self.types:
            what = f"decks of {self.types:,}" if before else f"a deck of {self.types:,}"
            self.found("E112", f"{what} cards (at most {self.limits.cards:,}; raise the limit 'cards')", node)
        return replace(node, back=back, location=location)

    def teams(self, node: s.CreateTeams) -> s.CreateTeams:
        for player, times in Counter(player for team in node.teams for player in team).items():
            if not 1 <= player <= self.players:
                self.found("E110", f"no player {player} (1 to {self.players})", node)
            elif times > 1:
                self.found("E110", f"player {player} is in two teams", node)
        if self.choosing:
            self.found("E111", "teams are not made in a choice: an option must be possible to take back", node)
        return node

    # --- phases and items

    def phase(self, node: s.Phase) -> s.Phase:
        match node:
            case s.Stage():
                end = node.end if isinstance(node.end, str) else self.want(node.end, Class.BOOL)
                return replace(node, end=end, phases=tuple(self.phase(phase) for phase in node.phases))
            case s.Choice():
                self.choosing = True
                items = tuple(self.item(item) for item in node.items)
                self.choosing = False
                return replace(node, items=items)
        phase: s.Phase = self.item(node)
        return phase

    def item(self, node: Any) -> Any:
        match node:
            case s.Do():
                return replace(node, items=tuple(self.item(item) for item in node.items))
            case s.Loop():
                coll = self.collection(node.coll)
                if node.quantifier == "any" and not self.choosing:
                    self.found("W106", "any outside a choice does the same as all", node)
                with self.binding(node.var, coll.cls.member if coll.cls else None, node):
                    return replace(node, coll=coll, body=self.item(node.body))
            case s.Let():
                value = self.value(node.value)
                with self.binding(node.var, value.cls, node):
                    return replace(node, value=value, body=self.item(node.body))
            case s.Condition():
                return replace(node, test=self.want(node.test, Class.BOOL), body=self.item(node.body))
        return self.action(node)

    def action(self, node: Any) -> s.Action:
        match node:
            case s.MoveCard():
                return replace(node, card=self.card_to_take(node.card), place=self.place(node.place, memory=False))
            case s.Remember():
                return replace(node, card=self.want(node.card, Class.CARD), place=self.place(node.place, memory=True))
            case s.Forget():
                forgotten = self.want(node.card, Class.CARD)
                if isinstance(forgotten, s.Pick) and isinstance(forgotten.of, s.Location) and forgotten.of.kind != "mem":
                    self.found("E106", "only a memory (mem) forgets", node.card)
                return replace(node, card=forgotten)
            case s.Swap():
                if isinstance(node.left, s.Location) or isinstance(node.right, s.Location):
                    return replace(node, left=self.real(node.left), right=self.real(node.right))
                return replace(node, left=self.card_to_take(node.left), right=self.card_to_take(node.right))
            case s.Shuffle():
                cards = self.want(node.cards, Class.CARDS)
                if isinstance(cards, s.COMPUTED):
                    self.found("W109", "this list is made for the shuffle and gone after it", node.cards)
                return replace(node, cards=cards)
            case s.Faro():
                return replace(node, lower=self.real(node.lower), upper=self.real(node.upper))
            case s.Set():
                cell = self.want(node.cell, Class.INT, Class.STR)
                return replace(node, cell=cell, value=self.want(node.value, cell.cls or Class.INT))
            case s.SetPoints():
                return replace(node, cell=self.want(node.cell, Class.POINTS), awards=tuple(self.award(award) for award in node.awards))
            case s.Adjust():
                if isinstance(node.cell, s.Cell) and node.cell.kind != "sto":
                    self.found("E102", f"a number is wanted, {node.which} works on sto", node.cell)
                amount = None if node.amount is None else self.want(node.amount, Class.INT)
                return replace(node, cell=self.want(node.cell, Class.INT, Class.STR), amount=amount)
            case s.Cycle():
                return replace(node, player=self.want(node.player, Class.PLAYER))
            case s.Repeat():
                if isinstance(node.body, s.Adjust):
                    self.found("W110", f"{node.body.which} is done that many times (the reference engine does it once)", node)
                return replace(node, count=self.want(node.count, Class.INT), body=self.item(node.body))
            case s.RepeatAll():
                body: Any = self.action(node.body)
                card = body.card
                if isinstance(card, s.Var):
                    self.found("E102", "repeat all takes cards from a list, this is one card", card)
                return replace(node, body=body)
            case s.CreateTeams():
                return self.teams(node)
            case s.CreateDeck():
                return self.deck(node)
        assert isinstance(node, s.Pass)
        return node

    def award(self, node: s.Award) -> s.Award:
        pairs = tuple(replace(pair, key=self.want(pair.key, Class.STR), value=self.want(pair.value, Class.STR)) for pair in node.pairs)
        return replace(node, pairs=pairs, points=self.want(node.points, Class.INT))

    def card_to_take(self, node: s.Expr) -> s.Expr:
        card = self.want(node, Class.CARD)
        source = card.of if isinstance(card, s.Pick) else card.cards if isinstance(card, s.Best) else None
        if isinstance(source, s.Location) and source.kind == "mem":
            self.found("E107", "a memory (mem) only remembers cards; they lie elsewhere", node)
        return card

    def place(self, node: s.Expr, memory: bool) -> s.Expr:
        what = "a memory (mem)" if memory else "a location (vloc, iloc, hloc, oloc)"
        if not isinstance(node, s.Pick):
            self.found("E106", f"the target is a place in {what}: (top ..), (bottom ..) or (index ..)", node)
            return self.expr(node)
        place = self.expr(node)
        if not isinstance(place, s.Pick) or place.cls is not Class.CARD:
            self.found("E106", f"the target is a place in {what}", node)
        elif isinstance(place.of, s.COMPUTED) or (isinstance(place.of, s.Location) and (place.of.kind == "mem") != memory):
            self.found("E106", f"only {what} can be the target", node)
        return place

    def real(self, node: s.Expr) -> s.Expr:
        cards = self.want(node, Class.CARDS)
        if isinstance(cards, s.COMPUTED) or (isinstance(cards, s.Location) and cards.kind == "mem"):
            self.found("E106", "a location (vloc, iloc, hloc, oloc) is wanted", node)
        return cards

    # --- variables

    @contextmanager
    def binding(self, name: str, cls: Class | None, node: s.Node) -> Iterator[None]:
        outer = self.scope.get(name)
        if outer is not None:
            self.found("W101", f"'{name} hides the '{name} bound outside", node)
        bound = self.scope[name] = _Bound(cls or Class.INT, node.at)
        yield
        self.unread(name, bound)
        if outer is None:
            del self.scope[name]
        else:
            self.scope[name] = outer

    def unread(self, name: str, bound: _Bound) -> None:
        if not bound.read:
            self.findings.append(Finding("W102", f"'{name} is never read", bound.at))

    def variable(self, node: s.Var) -> s.Expr:
        bound = self.scope.get(node.name)
        if bound is None:
            near = self.hints.near(node.name, self.scope)
            self.found("E101", f"nothing binds '{node.name}" + (f"; did you mean '{near}?" if near else ""), node)
            return replace(node, cls=None)
        bound.read = True
        if bound.cls is Class.BOOL:
            self.found("E105", f"'{node.name} is a truth value; the language cannot read one from a variable", node)
        return replace(node, cls=bound.cls) if bound.value is None else replace(bound.value, at=node.at)

    # --- expressions

    def want(self, node: s.Expr, *classes: Class) -> s.Expr:
        """Return the checked expression as one of ``classes``, or say that it cannot be."""
        checked = self.expr(node)
        if checked.cls is None or checked.cls in classes:
            return checked
        if checked.cls is Class.CARDS and Class.CARD in classes and isinstance(checked, s.Var):
            return s.Pick("top", checked, at=node.at, cls=Class.CARD)
        if checked.cls is Class.TEAM and Class.PLAYERS in classes:
            return s.Members(checked, at=node.at, cls=Class.PLAYERS)
        wanted = " or ".join(cls.value for cls in classes) if len(classes) < 4 else "a collection"
        self.found("E102", f"{wanted} is wanted, this is {checked.cls.value}", node)
        return checked

    def collection(self, node: s.Expr) -> s.Expr:
        return self.want(node, *COLLECTIONS)

    def value(self, node: s.Expr) -> s.Expr:
        checked = self.expr(node)
        if checked.cls is Class.TEAM:
            return s.Members(checked, at=node.at, cls=Class.PLAYERS)
        if checked.cls not in (None, *_BINDABLE):
            hint = " (loop over (top 1 L), or use storage)" if checked.cls is Class.CARD else ""
            self.found("E104", f"{checked.cls.value if checked.cls else ''} cannot be bound to a variable{hint}", node)
        return checked

    def lists(self, parts: tuple[s.Expr, ...]) -> tuple[s.Expr, ...]:
        if len(parts) == 1:
            return (self.want(parts[0], Class.CARDS, Class.LISTS),)
        return tuple(self.want(part, Class.CARDS) for part in parts)

    def expr(self, node: Any) -> s.Expr:
        match node:
            case s.Var():
                return self.variable(node)
            case s.Number():
                if node.value >= 2**31:
                    self.found("E113", "numbers go up to 2147483647", node)
                return replace(node, cls=Class.INT)
            case s.Name():
                return replace(node, cls=Class.STR)
            case s.Strings():
                return replace(node, cls=Class.STRS)
            case s.TableOwner():
                return replace(node, cls=Class.GAME)
            case s.Seat():
                return replace(node, cls=Class.PLAYER if node.of == "player" else Class.TEAM)
            case s.Numbered():
                return replace(node, number=self.want(node.number, Class.INT), cls=Class.PLAYER if node.of == "player" else Class.TEAM)
            case s.OwnerOf():
                return replace(node, card=self.want(node.card, Class.CARD), cls=Class.PLAYER)
            case s.TeamOf():
                return replace(node, player=self.want(node.player, Class.PLAYER), cls=Class.TEAM)
            case s.Everyone() | s.Others():
                return replace(node, cls=Class.PLAYERS if node.of == "player" else Class.TEAMS)
            case s.Cell():
                owner = self.want(node.owner, Class.GAME, Class.PLAYER, Class.TEAM)
                cls = {"sto": Class.INT, "str": Class.STR, "points": Class.POINTS}[node.kind]
                return replace(node, owner=owner, name=self.want(node.name, Class.STR), cls=cls)
            case s.BareSeat() | s.Actual() | s.Tuples():
                self.found("E005", "a form of dialect 0.5 (read it with --dialect 0.5, or rewrite it with 'meldlab recycle migrate')", node)
                return replace(node, cls=None)
        return self.cards(node) if isinstance(node, _CARD_FORMS) else self.scalar(node)

    def cards(self, node: Any) -> s.Expr:
        match node:
            case s.Location():
                owner = self.want(node.owner, Class.GAME, Class.PLAYER)
                index = None if node.index is None else self.want(node.index, Class.INT)
                return replace(node, owner=owner, name=self.want(node.name, Class.STR), index=index, cls=Class.CARDS)
            case s.Indexed():
                owner = self.want(node.owner, Class.GAME, Class.PLAYER)
                return replace(node, owner=owner, name=self.want(node.name, Class.STR), cls=Class.LISTS)
            case s.Pick():
                end = node.end if isinstance(node.end, str) else self.want(node.end, Class.INT)
                of = self.want(node.of, Class.CARDS, Class.LISTS)
                return replace(node, end=end, of=of, cls=None if of.cls is None else of.cls.member)
            case s.Filter():
                coll = self.collection(node.coll)
                with self.binding(node.var, coll.cls.member if coll.cls else None, node):
                    return replace(node, coll=coll, test=self.want(node.test, Class.BOOL), cls=coll.cls)
            case s.Combine():
                return replace(node, parts=self.lists(node.parts), cls=Class.CARDS)
            case s.Partition():
                return replace(node, key=self.want(node.key, Class.STR), parts=self.lists(node.parts), cls=Class.LISTS)
            case s.Sort():
                cards = self.want(node.cards, Class.CARDS)
                return replace(node, cards=cards, points=self.want(node.points, Class.POINTS), cls=Class.CARDS)
            case s.Best():
                cards = self.want(node.cards, Class.CARDS)
                return replace(node, cards=cards, points=self.want(node.points, Class.POINTS), cls=Class.CARD)
            case s.Take():
                count = self.want(node.count, Class.INT)
                return replace(node, count=count, cards=self.want(node.cards, Class.CARDS), cls=Class.CARDS)
            case s.Subsets():
                cards = self.want(node.cards, Class.CARDS)
                size = None if node.size is None else self.want(node.size, Class.INT)
                return replace(node, cards=cards, size=size, cls=Class.LISTS)
            case s.LongestRun() | s.Runs():
                least, cards = self.want(node.least, Class.INT), self.want(node.cards, Class.CARDS)
                cls = Class.CARDS if isinstance(node, s.LongestRun) else Class.LISTS
                return replace(node, least=least, cards=cards, points=self.want(node.points, Class.POINTS), cls=cls)
        raise TypeError(f"no class for {type(node).__name__}")

    def scalar(self, node: Any) -> s.Expr:
        match node:
            case s.Each():
                return self.each(node)
            case s.Range():
                return replace(node, first=self.want(node.first, Class.INT), last=self.want(node.last, Class.INT), cls=Class.INTS)
            case s.Logic():
                return replace(node, parts=tuple(self.want(part, Class.BOOL) for part in node.parts), cls=Class.BOOL)
            case s.Not():
                return replace(node, test=self.want(node.test, Class.BOOL), cls=Class.BOOL)
            case s.Compare():
                return self.compare(node)
            case s.Arithmetic():
                return replace(node, parts=tuple(self.want(part, Class.INT) for part in node.parts), cls=Class.INT)
            case s.Special():
                return replace(node, number=self.want(node.number, Class.INT), cls=Class.INT)
            case s.Random():
                first = None if node.first is None else self.want(node.first, Class.INT)
                return replace(node, first=first, last=self.want(node.last, Class.INT), cls=Class.INT)
            case s.Size():
                return replace(node, of=self.collection(node.of), cls=Class.INT)
            case s.Score():
                card = self.want(node.card, Class.CARD)
                return replace(node, card=card, points=self.want(node.points, Class.POINTS), cls=Class.INT)
            case s.Total():
                cards = self.want(node.cards, Class.CARDS)
                return replace(node, cards=cards, points=self.want(node.points, Class.POINTS), cls=Class.INT)
            case s.Identity():
                return replace(node, of=self.want(node.of, Class.PLAYER if node.which == "pid" else Class.TEAM), cls=Class.INT)
            case s.CardAtt():
                return replace(node, key=self.want(node.key, Class.STR), card=self.want(node.card, Class.CARD), cls=Class.STR)
        raise TypeError(f"no class for {type(node).__name__}")

    def each(self, node: s.Each) -> s.Expr:
        coll = self.collection(node.coll)
        with self.binding(node.var, coll.cls.member if coll.cls else None, node):
            body = self.expr(node.body)
        results = {Class.BOOL: Class.BOOL, Class.CARDS: Class.LISTS, Class.INT: Class.INT}
        if body.cls is not None and (body.cls not in results or (node.quantifier == "any" and body.cls is not Class.BOOL)):
            self.found("E102", f"{node.quantifier} cannot gather {body.cls.value}", node.body)
        return replace(node, coll=coll, body=body, cls=results.get(body.cls) if body.cls else None)

    def compare(self, node: s.Compare) -> s.Expr:
        left, right = self.expr(node.left), self.expr(node.right)
        if left.cls is None or right.cls is None:
            return replace(node, left=left, right=right, cls=Class.BOOL)
        # A list variable where a card is compared is its top card.
        if Class.CARDS in (left.cls, right.cls) and {left.cls, right.cls} <= {Class.CARDS, Class.CARD}:
            left, right = (
                s.Pick("top", side, at=side.at, cls=Class.CARD) if isinstance(side, s.Var) and side.cls is Class.CARDS else side
                for side in (left, right)
            )
        assert left.cls is not None
        assert right.cls is not None
        ordered = node.how not in ("==", "!=")
        allowed = (Class.INT,) if ordered else (Class.INT, Class.STR, Class.CARD, Class.PLAYER, Class.TEAM)
        if left.cls is not right.cls:
            self.found("E103", f"{left.cls.value} is compared with {right.cls.value}", node)
        elif left.cls not in allowed:
            self.found("E102", f"{left.cls.value} cannot be compared by {node.how}", node)
        return replace(node, left=left, right=right, cls=Class.BOOL)


_CARD_FORMS = (
    s.Location, s.Indexed, s.Pick, s.Filter, s.Combine, s.Partition, s.Sort, s.Best, s.Take, s.Subsets, s.LongestRun, s.Runs,
)  # fmt: skip
