"""Random programs that pass the checker: every construct in every place where the grammar allows it.

They mean nothing as games. Sources that may be empty are mostly guarded, so that most programs run for a while before, if ever, an
error ends them.
"""

import random
from collections.abc import Callable

RANKS, SUITS, WORDS = ("A", "B", "C", "D", "E"), ("X", "Y", "Z"), ("GO", "STOP", "A", "X", "RED")
CLASSES = ("int", "str", "card", "cards", "lists", "player", "team", "players", "strs", "ints")
MEMBER = {"cards": "card", "lists": "cards", "players": "player", "teams": "team", "strs": "str", "ints": "int"}


class Author:
    """Writes one program."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.vars: list[tuple[str, str]] = []  # name and class, the innermost last
        self.bound = 0
        self.stages = 0
        self.choosing = False
        self.players = self.dice.choice((2, 2, 3, 4))
        self.real: set[str] = set()  # variables that name locations

    # --- dice

    def one(self, *ways: Callable[[], str]) -> str:
        return self.dice.choice(ways)()

    def rarely(self) -> bool:
        return self.dice.random() < 0.12

    def some(self, least: int, most: int, way: Callable[[], str], between: str = " ") -> str:
        return between.join(way() for _ in range(self.dice.randint(least, most)))

    def var(self, cls: str) -> str | None:
        known = [name for name, of in self.vars if of == cls]
        return self.dice.choice(known) if known and self.dice.random() < 0.5 else None

    def bind(self, cls: str, body: Callable[[], str], real: bool = False) -> tuple[str, str]:
        """Return a new variable and a body in which it is known."""
        name = "'V" + "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[self.bound % 26] * (1 + self.bound // 26)
        self.bound += 1
        self.vars.append((name, cls))
        if real:
            self.real.add(name)
        text = body()
        self.vars.pop()
        return name, text

    # --- owners and storage

    def player(self) -> str:
        seat = str(self.dice.randint(1, self.players))
        return self.var("player") or self.one(
            lambda: "(current player)", lambda: "(next player)", lambda: "(previous player)", lambda: f"({seat} player)"
        )

    def team(self) -> str:
        return self.var("team") or self.one(
            lambda: "(current team)",
            lambda: "(next team)",
            lambda: "(previous team)",
            lambda: "(1 team)",
            lambda: f"(team {self.player()})",
        )

    def owner(self) -> str:
        return self.one(lambda: "game", lambda: "game", self.player, self.team)

    def name(self, *names: str) -> str:
        return self.dice.choice(names)

    def sto(self) -> str:
        return f"({self.owner()} sto {self.name('M', 'N')})"

    def text_cell(self) -> str:
        return f"({self.owner()} str {self.name('S', 'T')})"

    def points(self) -> str:
        return f"({self.one(lambda: 'game', lambda: 'game', self.player)} points {self.name('P', 'Q')})"

    def location(self) -> str:
        index = f" {self.one(lambda: '0', lambda: '1', lambda: '2', lambda: self.integer(1))}" if self.dice.random() < 0.3 else ""
        holder = self.one(lambda: "game", lambda: "game", self.player)
        name = self.name("HAND", "PILE")
        if self.rarely():
            name = self.var("str") or f"(cardatt SUIT {self.safe_card(0)})"
        return f"({holder} {self.name('vloc', 'iloc', 'hloc', 'oloc')} {name}{index})"

    def memory(self) -> str:
        return f"({self.one(lambda: 'game', self.player)} mem {self.name('SEEN', 'HAND')})"

    # --- numbers, strings, truth values

    def integer(self, depth: int) -> str:
        simple = [lambda: str(self.dice.randint(0, 4)), self.sto]
        if depth <= 0:
            return self.var("int") or self.one(*simple)
        down = depth - 1
        return self.var("int") or self.one(
            *simple,
            lambda: f"({self.name('+', '*')} {self.some(2, 3, lambda: self.integer(down))})",
            lambda: f"(- {self.integer(down)} {self.integer(down)})",
            lambda: f"({self.name('//', '%')} {self.integer(down)} {self.dice.randint(1, 3)})",
            lambda: (
                f"(^ {self.integer(down)} {self.dice.randint(0, 2)})" if not self.rarely() else f"(// {self.integer(down)} {self.sto()})"
            ),
            lambda: f"(size {self.collection(down)[1]})",
            lambda: f"(size {self.collection(down)[1]})",
            lambda: f"({self.name('sum', 'scoremax', 'scoremin', 'sum')} {self.cards(down)} using {self.points()})",
            lambda: f"(pid {self.player()})",
            lambda: f"(tid {self.team()})",
            lambda: f"(random {self.dice.randint(0, 3)})",
            lambda: f"(random {self.dice.randint(0, 2)} .. {self.dice.randint(2, 4)})",
            lambda: f"({self.name('tri', 'fib')} {self.dice.randint(0, 5)})",
            lambda: self.total(),
            lambda: f"(score {self.card(down)} using {self.points()})" if self.rarely() or self.var("card") else self.sto(),
        )

    def total(self) -> str:
        var, cell = self.bind("player", self.sto)
        return f"(all {self.name('player', '(other player)')} {var} {cell})"

    def string(self, depth: int) -> str:
        return self.var("str") or self.one(
            lambda: self.name(*WORDS),
            lambda: self.name(*RANKS, *SUITS),
            self.text_cell,
            lambda: f"(cardatt {self.key()} {self.card(depth - 1)})",
            lambda: f"(cardatt {self.key()} {self.end_of(self.cards(depth - 1))})",
        )

    def key(self) -> str:
        return self.name("RANK", "RANK", "SUIT", "SUIT", "COLOR", "VALUE")

    def truth(self, depth: int) -> str:
        down = depth - 1
        compare = [
            lambda: f"({self.name('==', '!=', '<', '>', '<=', '>=')} {self.integer(down)} {self.integer(down)})",
            lambda: f"({self.name('==', '!=')} {self.text_cell()} {self.string(down)})",  # two names in a row would be one
            lambda: f"({self.name('==', '!=')} (cardatt {self.key()} {self.safe_card(down)}) {self.string(down)})",
            lambda: f"({self.name('==', '!=')} {self.player()} {self.player()})",
        ]
        if depth <= 0:
            return self.one(*compare)
        return self.one(
            *compare,
            lambda: f"({self.name('==', '!=')} {self.team()} {self.team()})",
            lambda: f"({self.name('==', '!=')} {self.safe_card(down)} {self.safe_card(down)})",
            lambda: f"({self.name('and', 'or')} {self.some(2, 3, lambda: self.truth(down))})",
            lambda: f"(not {self.truth(down)})",
            lambda: self.each(self.name("any", "all"), down, lambda: self.truth(down)),
            lambda: self.each(self.name("any", "all"), down, lambda: self.truth(down)),
        )

    def each(self, word: str, depth: int, body: Callable[[], str]) -> str:
        cls, coll = self.collection(depth)
        var, text = self.bind(MEMBER[cls], body, real=coll.startswith("(indexed"))
        return f"({word} {coll} {var} {text})"

    # --- cards and collections

    def end_of(self, cards: str) -> str:
        return f"({self.name('top', 'bottom')} {cards})"

    def safe_card(self, depth: int) -> str:
        """Write a card for a comparison, where it may be missing."""
        return self.var("card") or self.end_of(self.cards(depth))

    def card(self, depth: int) -> str:
        """Write a card; an error at run time unless a variable is at hand or the list has cards."""
        return self.var("card") or self.one(
            lambda: self.end_of(self.location()),
            lambda: f"({self.name('max', 'min')} {self.location()} using {self.points()})",
            lambda: f"({self.dice.randint(0, 1)} {self.location()})",
            lambda: self.end_of(self.cards(depth)),
        )

    def cards(self, depth: int) -> str:
        if depth <= 0:
            return self.var("cards") or self.one(self.location, self.location, self.memory)
        down = depth - 1
        return self.var("cards") or self.one(
            self.location,
            self.location,
            self.memory,
            lambda: self.filtered("cards", self.cards(down), down),
            lambda: self.filtered("cards", self.cards(down), down),
            lambda: f"({self.name('union', 'intersect', 'disjunction')} {self.some(1, 3, lambda: self.cards(down))})",
            lambda: f"({self.name('union', 'intersect', 'disjunction')} {self.each_cards(down)})",
            lambda: f"({self.name('top', 'bottom')} {self.name('0', '1', '1', '2') if self.rarely() else '0'} {self.cards(down)})",
            lambda: f"(run {self.name('top', 'bottom')} {self.dice.randint(1, 3)} {self.cards(down)} using {self.points()})",
            lambda: f"(sort {self.cards(0)} using {self.points()})" if not self.choosing or self.rarely() else self.location(),
            lambda: f"({self.name('top', 'bottom', '0')} (partition {self.key()} (union {self.cards(down)} {self.whole()})))",
        )

    def whole(self) -> str:
        """Write the one list that always has cards."""
        return "(game hloc CHEST)"

    def filtered(self, cls: str, coll: str, depth: int) -> str:
        var, test = self.bind(MEMBER[cls], lambda: self.truth(depth))
        return f"(filter {coll} {var} {test})"

    def each_cards(self, depth: int) -> str:
        cls, coll = self.collection(min(depth, 1))
        var, body = self.bind(MEMBER[cls], lambda: self.cards(depth - 1))
        return f"(all {coll} {var} {body})"

    def lists(self, depth: int) -> str:
        down = depth - 1
        ways = [
            lambda: f"(partition {self.key()} {self.some(1, 2, lambda: self.cards(down))})",
            lambda: f"(indexed {self.one(lambda: 'game', self.player)} {self.name('vloc', 'iloc')} {self.name('HAND', 'PILE')})",
            lambda: f"(subsets {self.location()}{self.name('', ' <= 1', ' == 2')})",
            lambda: f"(runs {self.name('all', 'largest')} {self.dice.randint(1, 3)} {self.cards(down)} using {self.points()})",
            lambda: self.each_cards(down),
        ]
        if depth > 0:
            ways.append(lambda: self.filtered("lists", self.lists(down), down))
        return self.var("lists") or self.one(*ways)

    def collection(self, depth: int) -> tuple[str, str]:
        """Write a collection; return its class too."""
        cls = self.dice.choice(("cards", "cards", "cards", "lists", "players", "teams", "strs", "ints"))
        ways: dict[str, Callable[[], str]] = {
            "cards": lambda: self.cards(depth),
            "lists": lambda: self.lists(depth),
            "players": self.some_players,
            "teams": lambda: self.name("team", "(other team)"),
            "strs": lambda: self.var("strs") or f"({self.some(1, 3, lambda: self.name(*RANKS, *SUITS), ', ')})",
            "ints": lambda: self.var("ints") or f"(range {self.dice.randint(0, 2)} .. {self.dice.randint(0, 3)})",
        }
        return cls, ways[cls]()

    def some_players(self) -> str:
        ways = [lambda: "player", lambda: "(other player)", lambda: "(current team)", lambda: "(1 team)"]
        return self.var("players") or self.one(*ways, lambda: self.filtered("players", "player", 1))

    # --- what is done

    def place(self, where: str | None = None) -> str:
        known = [name for name, _ in self.vars if name in self.real]
        target = where or (self.dice.choice(known) if known and self.dice.random() < 0.5 else self.location())
        return f"({self.name('top', 'top', 'bottom', '0')} {target})"

    def move(self, depth: int) -> str:
        """Write a move of something that is likely to be there, or guarded."""
        card, pile = self.var("card"), self.var("cards")
        if card:
            return f"(move {card} {self.place()})"
        if pile and self.rarely():
            return f"((> (size {pile}) 0) (move {pile} {self.place()}))"
        if pile and self.rarely():
            return f"(repeat all (move ({self.name('max', 'min')} {pile} using {self.points()}) {self.place()}))"
        source = self.location() if self.dice.random() < 0.7 else self.cards(depth)
        if "mem" in source:
            source = self.location()
        if "random" in source or "'" in source or self.rarely():
            return f"(repeat all (move {self.end_of(source)} {self.place()}))"
        if self.dice.random() < 0.3:
            best = f"({self.name('max', 'min')} {source} using {self.points()})"
            return f"((> (size {source}) 0) (move {best} {self.place()}))"
        return f"((> (size {source}) 0) (move {self.end_of(source)} {self.place()}))"

    def action(self, depth: int) -> str:
        """Write an action that does not fail."""
        memory, location = self.memory(), self.location()
        ways = [
            lambda: "(turn pass)",
            lambda: f"(set {self.sto()} {self.integer(depth)})",
            lambda: f"(set {self.text_cell()} {self.string(depth)})",
            lambda: f"({self.name('inc', 'dec')} {self.sto()}{self.name('', ' 2')})",
            lambda: f"(cycle {self.name('next', 'current')} {self.player()})",
            lambda: f"({self.name('set', 'set', 'update')} {self.points()} ({self.some(1, 3, self.award)}))",
            lambda: f"(shuffle {location})",
            lambda: f"(shuffle faro {location} {self.location()})",
            lambda: f"(repeat {self.dice.randint(0, 3)} (inc {self.sto()} {self.integer(1)}))",
            lambda: f"(repeat all (move {self.end_of(location)} {self.place()}))",
            lambda: f"(repeat all (forget {self.end_of(memory)}))",
            lambda: f"(repeat {self.integer(0)} {self.loop(0)})" if self.rarely() else "(turn pass)",
        ]
        cards = [name for name, cls in self.vars if cls == "card"]
        if len(cards) > 1 and self.rarely():
            ways.append(lambda: f"(swap {cards[0]} {cards[-1]})")
        if not self.choosing and self.rarely():
            ways.append(lambda: f"(create deck {location} (deck (RANK (A, D)) (VALUE (E))))")
        if not self.choosing and self.rarely() and self.players == 4:
            ways.append(lambda: "(create teams (1, 2) (3, 4))")
        return self.one(*ways)

    def award(self) -> str:
        pairs = self.some(1, 2, lambda: f"({self.key()} : {self.string(1)})")
        return f"({pairs} {self.integer(1)})"

    def guarded(self, depth: int) -> str:
        """Write an action that needs cards, under the condition that they are there."""
        location, other, memory = self.location(), self.location(), self.memory()
        if "random" in location + other:
            return "(turn pass)"
        return self.one(
            lambda: self.move(depth),
            lambda: self.move(depth),
            lambda: f"((> (size {location}) 0) (remember {self.end_of(location)} {self.place(memory)}))",
            lambda: f"((> (size {memory}) 0) (forget {self.end_of(memory)}))",
            lambda: f"(all (filter {memory} 'OLD {self.truth(1)}) 'SEEN (forget 'SEEN))",
            lambda: (
                f"(all {memory} 'NEW (all (union {memory} {self.memory()}) 'TWIN ((== 'NEW 'TWIN) (forget 'TWIN))))"
                if self.rarely()
                else "(turn pass)"
            ),
            lambda: f"((and (> (size {location}) 0) (> (size {other}) 0)) (swap {self.end_of(location)} {self.end_of(other)}))",
            lambda: f"((and (> (size {location}) 0) (> (size {other}) 0)) (swap {location} {other}))",
            lambda: f"((> (size {location}) 1) (let (top 2 {location}) 'TWO (repeat all (move (top 'TWO) {self.place()}))))",
            lambda: f"((> (size {location}) 0) (move {self.end_of(location)} {self.place()}))",
        )

    def item(self, depth: int) -> str:
        if depth <= 0:
            return self.one(lambda: self.action(1), lambda: self.guarded(1))
        down = depth - 1
        return self.one(
            lambda: self.action(2),
            lambda: self.guarded(2),
            lambda: self.guarded(1),
            lambda: f"(do ({self.some(1, 3, lambda: self.item(down))}))",
            lambda: f"({self.truth(2)} {self.plain(down)})",
            lambda: self.loop(down),
            lambda: self.let(down),
        )

    def plain(self, depth: int) -> str:
        """Write an item that can stand under a condition."""
        return self.one(
            lambda: self.action(1), lambda: f"(do ({self.some(1, 2, lambda: self.item(depth - 1))}))", lambda: self.loop(depth - 1)
        )

    def loop(self, depth: int) -> str:
        word = self.name("any", "all") if self.choosing else "all"
        return self.each(word, 1, lambda: self.item(depth))

    def let(self, depth: int) -> str:
        cls = self.dice.choice(("int", "str", "cards", "cards", "lists", "players", "ints", "strs"))
        ways: dict[str, Callable[[], str]] = {
            "int": lambda: self.integer(2),
            "str": lambda: self.string(1),
            "cards": lambda: self.cards(2),
            "lists": lambda: self.lists(1),
            "players": self.some_players,
            "ints": lambda: "(range 1 .. 2)",
            "strs": lambda: "(A, X)",
        }
        value = ways[cls]()
        real = cls == "cards" and any(value.startswith(f"(game {kind}") for kind in ("vloc", "iloc", "hloc", "oloc"))
        var, body = self.bind(cls, lambda: self.item(depth), real)
        return f"(let {value} {var} {body})"

    # --- phases

    def phase(self, depth: int) -> str:
        ways = [self.do, self.choice, self.choice, lambda: self.loop(1), lambda: self.let(1)]
        if depth > 0:
            ways += [lambda: self.stage(depth - 1)] * 3
        return self.one(*ways)

    def do(self) -> str:
        return f"(do ({self.some(1, 4, lambda: self.item(2))}))"

    def choice(self) -> str:
        self.choosing = True
        text = f"(choice ((turn pass) {self.some(1, 3, lambda: self.item(2))}))"
        self.choosing = False
        return text

    def stage(self, depth: int) -> str:
        of = self.name("player", "player", "team")
        phases = self.some(1, 3, lambda: self.phase(depth))
        if self.dice.random() < 0.35:
            return f"(stage {of} {self.name('once', 'simultaneous')} {phases})"
        self.stages += 1
        tick = "TICK" + "A" * self.stages
        limit = self.dice.randint(1, 4)
        other = f"(or (>= (game sto {tick}) {limit}) {self.truth(1)})" if self.dice.random() < 0.3 else f"(>= (game sto {tick}) {limit})"
        return f"(stage {of} (end {other}) (do ((inc (game sto {tick})))) {phases})"

    def declare(self) -> str:
        text = ""
        for name, cls, value in (("'KNOWN", "strs", "(A, X, GO)"), ("'MANY", "int", "(+ 1 2)"), ("'SPAN", "ints", "(range 0 .. 'MANY)")):
            if self.dice.random() < 0.3 and ("'MANY" not in value or ("'MANY", "int") in self.vars):
                self.vars.append((name, cls))
                text += f"(declare {value} {name}) "
        return text

    def program(self) -> str:
        declare = self.declare()
        teams = " (create teams (1, 3) (2, 4))" if self.players == 4 and self.dice.random() < 0.5 else ""
        ranks, suits = ", ".join(RANKS[: self.dice.randint(2, 3)]), ", ".join(SUITS[: self.dice.randint(1, 3)])
        suit = f"(SUIT ({suits}))" if self.dice.random() < 0.5 else "(COLOR (RED (SUIT (X))) (BLACK (SUIT (Y, Z))))"
        deck = f"(create deck (game iloc STOCK) (deck (RANK ({ranks})) {suit}))"
        extra = self.name("", " (repeat 2 (create deck OTHER (game vloc PILE) (deck (VALUE (A, E)))))")
        deal = self.some(2, 5, lambda: f"(move (top (game iloc STOCK)) {self.place()})")
        opening = (
            f"(do ((shuffle (game iloc STOCK)) (set (game points P) (((RANK : A) 1) ((RANK : B) 2) ((RANK : C) 3) ((SUIT : X) 10)))"
            f" (repeat 2 (all player 'P ((> (size (game iloc STOCK)) 1) (move (top (game iloc STOCK)) (top ('P iloc HAND))))))"
            f" ((> (size (game iloc STOCK)) 5) (do ({deal})))))"
        )
        phases = self.some(2, 4, lambda: self.phase(2))
        return (
            f"(game {declare}(setup (create players {self.players}){teams} {deck}{extra} (create deck (game hloc CHEST) (deck (RANK (A)))))"
            f" {opening} {phases} (scoring {self.name('min', 'max')} {self.integer(2)}))"
        )
