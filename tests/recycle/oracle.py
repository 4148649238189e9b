"""A slow, plain interpreter of RECYCLE over Python objects, against which the machine is checked.

It walks the syntax tree as the reader leaves it, without the checker, the compiler or undoing: an option of a choice is
the sequence of branches taken at the ``any`` items met on the way, and it is explored by carrying it out on a copy of the
table. Values are Python values: int, bool, str, Card, Player, Team, Pile (a card list), and lists of these.
"""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from functools import singledispatchmethod
from itertools import product, zip_longest
from typing import Any, NamedTuple, Protocol

from meldlab.recycle import syntax as s

MOST_DECISIONS = 10_000
MOST_IDLE_PASSES = 10_000


class GameError(Exception):
    """What the rules of the language call an error of the running program."""


class Card(NamedTuple):
    number: int


class Player(NamedTuple):
    seat: int  # from 1


class Team(NamedTuple):
    number: int  # from 1


TABLE = "table"
Owner = Player | Team | str
Spot = tuple[Owner, str, str, int]  # owner, kind, name, index


@dataclass(frozen=True)
class Event:
    """A place for chance in a game; ``path`` holds the branches taken in the option at hand, ``purpose`` as numbered below."""

    path: tuple[int, ...]
    decision: int
    number: int
    purpose: int


RANDOM, TIE, SHUFFLE, SHUFFLE_EXPLORED, PLAYER = 1, 2, 3, 4, 5


class Chance(Protocol):
    """Where random numbers come from."""

    def below(self, event: Event, nth: int, bound: int) -> int: ...


class Addressed:
    """The chance of game ``game`` under ``seed``, as documented for the machine; written anew, in Python's integers."""

    def __init__(self, seed: int, game: int = 0) -> None:
        self.key = address(seed, game, 0, 0, 0)

    def below(self, event: Event, nth: int, bound: int) -> int:
        path = 0
        for branch in event.path:
            path = mix(path ^ (branch + 1))
        key = address(self.key, path, event.decision, event.number, event.purpose)
        return (mix(key + nth) >> 32) * bound >> 32


def mix(x: int) -> int:
    x = (x + 0x9E3779B97F4A7C15) % 2**64
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    x = (x ^ x >> 27) * 0x94D049BB133111EB % 2**64
    return x ^ x >> 31


def address(seed: int, game: int, round: int, turn: int, purpose: int) -> int:
    x = mix(seed)
    x = mix(x ^ game)
    x = mix(x ^ round)
    return mix(x ^ turn << 16 ^ purpose)


@dataclass
class Round:
    """The innermost of the cycles of players, or of teams: who is on, and who is queued."""

    current: int
    queued: int | None = None


@dataclass
class Pile:
    """A card list: a location if it has a spot, else a list of its own."""

    spot: Spot | None
    own: list[Card] = field(default_factory=list)
    memory: Spot | None = None  # the memory that its cards were drawn from


@dataclass
class Board:
    """Everything that changes in the course of a game."""

    spots: dict[Spot, list[Card]] = field(default_factory=dict)
    home: dict[Card, Spot] = field(default_factory=dict)
    cells: dict[tuple[Owner, str, str], Any] = field(default_factory=dict)
    attributes: list[dict[str, str]] = field(default_factory=list)
    backs: list[str] = field(default_factory=list)
    teams: list[list[int]] = field(default_factory=list)
    players: list[Round] = field(default_factory=lambda: [Round(1)])
    sides: list[Round] = field(default_factory=lambda: [Round(1)])

    def copy(self) -> "Board":
        return Board(
            {spot: list(cards) for spot, cards in self.spots.items()},
            dict(self.home),
            dict(self.cells),
            list(self.attributes),
            list(self.backs),
            list(self.teams),
            [Round(r.current, r.queued) for r in self.players],
            [Round(r.current, r.queued) for r in self.sides],
        )


class Branches:
    """The branches to take at each ``any``; past the end of the script the first one, noting how many there are."""

    def __init__(self, script: Sequence[int] = ()) -> None:
        self.taken = list(script)
        self.wide: list[int] = []

    def take(self, alternatives: int) -> int:
        if len(self.wide) == len(self.taken):
            self.taken.append(0)
        self.wide.append(alternatives)
        return self.taken[len(self.wide) - 1] % alternatives  # a shuffle may leave fewer than were seen

    def so_far(self) -> tuple[int, ...]:
        return tuple(taken % wide for taken, wide in zip(self.taken, self.wide, strict=False))

    def following(self) -> list[int] | None:
        """Return the script of the next path, or None after the last one."""
        for depth in reversed(range(len(self.wide))):
            if self.taken[depth] + 1 < self.wide[depth]:
                return [*self.taken[:depth], self.taken[depth] + 1]
        return None


Option = tuple[int, tuple[int, ...]]  # the item of the choice, and the branch taken at each any


@dataclass(frozen=True)
class Decision:
    seat: int
    options: tuple[Option, ...]


class Oracle:
    """One game of a program.

    ``play`` is a generator: it yields a decision and is sent the index of an option.
    """

    def __init__(self, program: s.Program, chance: Chance) -> None:
        self.program = program
        self.chance = chance
        self.board = Board()
        self.vars: dict[str, Any] = {}
        self.drawn_from: dict[str, Spot | None] = {}
        self.branches: Branches | None = None
        self.item = 0
        self.exploring = False
        self.events = 0
        self.deciding = 0
        self.sources: dict[int, Pile] = {}  # what the source of a ``repeat all`` was when it began
        self.did_something = False
        self.log: list[tuple[Card, Spot, Spot]] = []
        self.decisions = 0
        self.seats = 0

    # --- the course of a game

    def play(self) -> Generator[Decision, int, list[int]]:
        for declare in self.program.declares:
            self.vars[declare.var] = self.value(declare.value)
        self.seats = self.value(self.program.setup.players)
        self.board.teams = [[seat] for seat in range(1, self.seats + 1)]
        if self.program.setup.teams is not None:
            self.do(self.program.setup.teams)
        for deck in self.program.setup.decks:
            self.make_decks(deck)
        for phase in self.program.phases:
            yield from self.phase(phase)
        return self.scores()

    def scores(self) -> list[int]:
        scores = []
        for seat in range(1, self.seats + 1):
            self.board.players.append(Round(seat))
            scores.append(self.value(self.program.score))
            self.board.players.pop()
        return scores

    def phase(self, phase: s.Phase) -> Generator[Decision, int, None]:
        match phase:
            case s.Stage():
                yield from self.stage(phase)
            case s.Choice():
                option = yield from self.decide(phase)
                self.take(phase, option, self.decisions - 1)
            case s.Do() | s.Loop() | s.Let():
                self.do(phase)
            case _:
                raise AssertionError(phase)

    def decide(self, choice: s.Choice) -> Generator[Decision, int, Option]:
        options = self.options(choice)
        if not options:
            raise GameError("a choice without options")
        if self.decisions == MOST_DECISIONS:
            raise GameError("an endless game")
        index = yield Decision(self.board.players[-1].current, tuple(options))
        self.decisions += 1
        return options[index]

    def stage(self, stage: s.Stage) -> Generator[Decision, int, None]:
        stack, members = (self.board.players, self.seats) if stage.of == "player" else (self.board.sides, len(self.board.teams))
        depth = len(stack)
        stack.append(Round(stack[-1].current))
        if stage.end == "simultaneous":
            yield from self.together(stage, members)
            del self.cycles(stage.of)[depth:]
            return
        passes = 0
        while not self.over(stage, passes, members):
            if passes:
                mine = self.cycles(stage.of)[-1]
                mine.current, mine.queued = mine.queued or mine.current % members + 1, None
            passes += 1
            if passes > MOST_IDLE_PASSES:
                raise GameError("a stage that does not end")
            for phase in stage.phases:
                yield from self.phase(phase)
        del self.cycles(stage.of)[depth:]

    def together(self, stage: s.Stage, members: int) -> Generator[Decision, int, None]:
        """Go through the phases once, each for every member; all choose before anything is carried out."""
        first = self.cycles(stage.of)[-1].current
        order = [(first + k - 1) % members + 1 for k in range(members)]
        for phase in stage.phases:
            chosen = []
            for member in order:
                self.cycles(stage.of)[-1].current = member
                if isinstance(phase, s.Choice):
                    chosen.append((member, (yield from self.decide(phase)), self.decisions - 1))
                else:
                    yield from self.phase(phase)
            for member, option, decision in chosen:
                self.cycles(stage.of)[-1].current = member
                assert isinstance(phase, s.Choice)
                self.take(phase, option, decision)

    def over(self, stage: s.Stage, passes: int, members: int) -> bool:
        if isinstance(stage.end, str):
            return passes == members
        return bool(self.value(stage.end))

    def cycles(self, of: str) -> list[Round]:
        return self.board.players if of == "player" else self.board.sides

    # --- choices

    def options(self, choice: s.Choice) -> list[Option]:
        before, events, found = self.board, self.events, []
        self.exploring, self.deciding = True, self.decisions
        for self.item, item in enumerate(choice.items):
            script: list[int] | None = []
            while script is not None:
                self.board, self.branches, self.did_something, self.events = before.copy(), Branches(script), False, 0
                self.do(item)
                if self.did_something:
                    found.append((self.item, tuple(self.branches.taken)))
                script = self.branches.following()
        self.board, self.branches, self.exploring, self.events = before, None, False, events
        return found

    def take(self, choice: s.Choice, option: Option, decision: int) -> None:
        self.item, script = option
        self.branches, self.events, self.deciding, self.log = Branches(script), 0, decision, []
        self.do(choice.items[self.item])
        self.branches, self.events = None, 0

    def event(self, purpose: int) -> Event:
        """Return the next event of chance."""
        self.events += 1
        if self.branches is None:
            return Event((), self.decisions, self.events - 1, purpose)
        return Event((self.item, *self.branches.so_far()), self.deciding, self.events - 1, purpose)

    # --- items

    @singledispatchmethod
    def do(self, item: Any) -> None:
        """Carry out an item; what it meets on its way are the branches of ``self.branches``."""
        raise NotImplementedError(type(item).__name__)

    @do.register
    def _(self, item: s.Do) -> None:
        for part in item.items:
            self.do(part)

    @do.register
    def _(self, item: s.Condition) -> None:
        if self.value(item.test):
            self.do(item.body)

    @do.register
    def _(self, item: s.Let) -> None:
        self.bound(item.var, self.value(item.value), item.body)

    @do.register
    def _(self, item: s.Loop) -> None:
        coll = self.value(item.coll)
        members = self.snapshot(coll)
        memory = coll.memory if isinstance(coll, Pile) else None
        if item.quantifier == "any" and self.branches is not None:
            members = [members[self.branches.take(len(members))]] if members else []
        for member in members:
            self.bound(item.var, member, item.body, memory)

    def bound(self, var: str, value: Any, item: s.Item, memory: Spot | None = None) -> None:
        outer, drawn_from = dict(self.vars), dict(self.drawn_from)
        self.vars[var], self.drawn_from[var] = value, memory
        self.do(item)
        self.vars, self.drawn_from = outer, drawn_from

    @do.register
    def _(self, item: s.Repeat) -> None:
        for _ in range(self.value(item.count)):
            self.do(item.body)

    @do.register
    def _(self, item: s.RepeatAll) -> None:
        card = item.body.card
        source = card.of if isinstance(card, s.Pick) else card.cards if isinstance(card, s.Best) else card
        pile = self.pile(source)
        for _ in range(len(self.look(pile))):
            self.sources[id(source)] = pile
            self.do(item.body)
        self.sources.pop(id(source), None)

    @do.register
    def _(self, item: s.Pass) -> None:
        self.did_something = True

    @do.register
    def _(self, item: s.Move) -> None:
        card, listed = self.card(item.card)
        target, end = self.place(item.place)
        home = self.board.home.get(card)
        if home is None or target[1] == "mem":
            raise GameError("a move from or to memory")
        if listed.spot is None:
            listed.own.remove(card)
        elif listed.spot[1] == "mem":
            raise GameError("a move from memory")
        self.board.spots[home].remove(card)
        self.insert(card, target, end)
        self.board.home[card] = target
        self.log.append((card, home, target))
        self.did_something = True

    def insert(self, card: Card, spot: Spot, end: str | int) -> None:
        cards = self.board.spots.setdefault(spot, [])
        at = len(cards) if end == "top" else 0 if end == "bottom" else end
        if not isinstance(at, int) or not 0 <= at <= len(cards):
            raise GameError(f"no place {at} in a list of {len(cards)}")
        cards.insert(at, card)

    @do.register
    def _(self, item: s.Remember) -> None:
        card, _ = self.card(item.card)
        target, end = self.place(item.place)
        if target[1] != "mem":
            raise GameError("remembered outside memory")
        self.insert(card, target, end)
        self.did_something = True

    @do.register
    def _(self, item: s.Forget) -> None:
        if isinstance(item.card, s.Pick):
            spot = self.location(item.card.of).spot
            assert spot is not None
            cards = self.board.spots[spot]
            at = self.position(item.card.end, len(cards))
        else:
            card, _ = self.card(item.card)
            spot = self.drawn_from.get(item.card.name) if isinstance(item.card, s.Var) else None
            memories = [spot] if spot is not None else [spot for spot in self.board.spots if spot[1] == "mem"]
            cards = next((self.board.spots[memory] for memory in memories if card in self.board.spots[memory]), [])
            at = self.position("top", len(cards[: len(cards) - cards[::-1].index(card)] if cards else []))
            spot = memories[0]
        if spot[1] != "mem":
            raise GameError("only what is in memory can be forgotten")
        del cards[at]
        self.did_something = True

    @do.register
    def _(self, item: s.Swap) -> None:
        if isinstance(item.left, s.Location):
            left, right = self.look(self.pile(item.left)), self.look(self.pile(item.right))
            if not left or not right:
                raise GameError("swap with an empty location")
            left[:], right[:] = list(right), list(left)
            for node in (item.left, item.right):
                pile = self.pile(node)
                assert pile.spot is not None
                self.board.home.update(dict.fromkeys(self.look(pile), pile.spot))
        else:
            (one, _), (two, _) = self.card(item.left), self.card(item.right)
            here, there = self.board.home[one], self.board.home[two]
            i, j = self.board.spots[here].index(one), self.board.spots[there].index(two)
            self.board.spots[here][i], self.board.spots[there][j] = two, one
            self.board.home[one], self.board.home[two] = there, here
        self.did_something = True

    @do.register
    def _(self, item: s.Shuffle) -> None:
        cards = self.look(self.location(item.cards))
        event = self.event(SHUFFLE_EXPLORED if self.exploring else SHUFFLE)
        for last in range(len(cards) - 1, 0, -1):
            other = self.chance.below(event, last, last + 1)
            cards[last], cards[other] = cards[other], cards[last]
        self.did_something = True

    @do.register
    def _(self, item: s.Faro) -> None:
        lower, upper = self.location(item.lower).spot, self.location(item.upper).spot
        assert lower is not None
        assert upper is not None
        cards = list(self.board.spots[lower])
        half = (len(cards) + 1) // 2
        one, two = (cards[:half], cards[half:]) if lower == upper else (cards, list(self.board.spots[upper]))
        woven = [card for pair in zip_longest(one, two) for card in pair if card is not None]
        self.board.spots[upper] = []
        self.board.spots[lower] = woven
        self.board.home.update(dict.fromkeys(woven, lower))
        self.did_something = True

    @do.register
    def _(self, item: s.Set) -> None:
        assert isinstance(item.cell, s.Cell)
        self.board.cells[self.cell(item.cell)] = self.value(item.value)
        self.did_something = True

    @do.register
    def _(self, item: s.Step) -> None:
        assert isinstance(item.cell, s.Cell)
        amount = 1 if item.amount is None else self.value(item.amount)
        cell = self.cell(item.cell)
        self.board.cells[cell] = within_32_bits(self.board.cells.get(cell, 0) + (amount if item.which == "inc" else -amount))
        self.did_something = True

    @do.register
    def _(self, item: s.SetPoints) -> None:
        assert isinstance(item.cell, s.Cell)
        awards = [
            (frozenset((self.value(key), self.value(wanted)) for key, wanted in award.pairs), self.value(award.points))
            for award in item.awards
        ]
        cell = self.cell(item.cell)
        named = {pairs for pairs, _ in awards}
        kept = [old for old in self.board.cells.get(cell, ()) if old[0] not in named] if item.update else []
        self.board.cells[cell] = (*kept, *awards)
        self.did_something = True

    @do.register
    def _(self, item: s.Cycle) -> None:
        seat = self.value(item.player).seat
        if item.when == "next":
            self.board.players[-1].queued = seat
        else:
            self.board.players[-1].current = seat
        self.did_something = True

    @do.register
    def _(self, item: s.CreateTeams) -> None:
        self.board.teams = [list(team) for team in item.teams]
        self.board.cells = {cell: value for cell, value in self.board.cells.items() if not isinstance(cell[0], Team)}
        for cycle in self.board.sides:
            cycle.current, cycle.queued = 1, None
        self.did_something = True

    @do.register
    def _(self, item: s.CreateDeck) -> None:
        back = "DEFAULT" if item.back is None else self.value(item.back)
        spot = self.location(item.location).spot
        assert spot is not None
        for parts in product(*(list(self.faces(attribute)) for attribute in item.attributes)):
            card = Card(len(self.board.attributes))
            self.board.attributes.append({key: value for part in parts for key, value in part.items()})
            self.board.backs.append(back)
            self.board.home[card] = spot
            self.insert(card, spot, "top")
        self.did_something = True

    def make_decks(self, deck: s.CreateDeck | s.RepeatDeck) -> None:
        if isinstance(deck, s.CreateDeck):
            self.do(deck)
        else:
            for _ in range(self.value(deck.count)):
                self.make_decks(deck.deck)

    def faces(self, attribute: s.Attribute) -> Iterator[dict[str, str]]:
        """Give what each alternative of an attribute writes on a card, depth first."""
        for branch in attribute.branches:
            below = [face for sub in branch.attributes for face in self.faces(sub)]
            for face in below or [{}]:
                yield {attribute.key: branch.value, **face}

    # --- places and cards

    def look(self, pile: Pile) -> list[Card]:
        return pile.own if pile.spot is None else self.board.spots.setdefault(pile.spot, [])

    def pile(self, node: s.Expr) -> Pile:
        pile = self.sources[id(node)] if id(node) in self.sources else self.value(node)
        if not isinstance(pile, Pile):
            raise GameError("a card list was wanted")
        return pile

    def location(self, node: s.Expr) -> Pile:
        pile = self.pile(node)
        if pile.spot is None:
            raise GameError("a location was wanted")
        return pile

    def place(self, node: s.Expr) -> tuple[Spot, str | int]:
        assert isinstance(node, s.Pick)
        spot = self.location(node.of).spot
        assert spot is not None
        return spot, node.end if isinstance(node.end, str) else self.value(node.end)

    def card(self, node: s.Expr) -> tuple[Card, Pile]:
        """Return a card and the list it was found in; for a card variable, a list of its own."""
        if isinstance(node, s.Pick):
            pile = self.pile(node.of)
            cards = self.look(pile)
            if not cards:
                raise GameError("a card of an empty list")
            return cards[self.position(node.end, len(cards))], pile
        if isinstance(node, s.Best):
            pile = self.pile(node.cards)
            return self.best(node, self.look(pile)), pile
        value = self.value(node)
        if isinstance(value, Pile):
            cards = self.look(value)
            if not cards:
                raise GameError("a card of an empty list")
            return cards[-1], value
        return value, Pile(None, [value])

    def position(self, end: str | s.Expr, length: int) -> int:
        at = length - 1 if end == "top" else 0 if end == "bottom" else self.value(end)
        if not 0 <= at < length:
            raise GameError(f"no card {at} in a list of {length}")
        return int(at)

    def best(self, node: s.Best, cards: list[Card]) -> Card:
        if not cards:
            raise GameError(f"{node.which} of an empty list")
        worth = [self.score(card, node.points) for card in cards]
        limit = max(worth) if node.which == "max" else min(worth)
        equals = [card for card, points in zip(cards, worth, strict=True) if points == limit]
        return equals[self.chance.below(self.event(TIE), 0, len(equals))] if len(equals) > 1 else equals[0]

    def score(self, card: Card, points: s.Expr) -> int:
        assert isinstance(points, s.Cell)
        face = self.board.attributes[card.number]
        awards = self.board.cells.get(self.cell(points), ())
        return sum(worth for pairs, worth in awards if all(face.get(key) == wanted for key, wanted in pairs))

    def cell(self, node: s.Cell) -> tuple[Owner, str, str]:
        return self.owner(node.owner), node.kind, self.value(node.name)

    def owner(self, node: s.Expr) -> Owner:
        owner: Owner = TABLE if isinstance(node, s.Table) else self.value(node)
        return owner

    def members(self, node: s.Expr) -> list[Any]:
        return self.snapshot(self.value(node))

    def snapshot(self, coll: Any) -> list[Any]:
        """Return the members of a collection as they are now."""
        if isinstance(coll, Pile):
            return list(self.look(coll))
        if isinstance(coll, Team):
            return [Player(seat) for seat in self.board.teams[coll.number - 1]]
        assert isinstance(coll, list)
        return list(coll)

    # --- values

    @singledispatchmethod
    def value(self, node: Any) -> Any:
        """Return what an expression stands for now."""
        raise NotImplementedError(type(node).__name__)

    @value.register
    def _(self, node: s.Number) -> int:
        return node.value

    @value.register
    def _(self, node: s.Name) -> str:
        return node.text

    @value.register
    def _(self, node: s.Var) -> Any:
        return self.vars[node.name]

    @value.register
    def _(self, node: s.Seat) -> Player | Team:
        count = self.seats if node.of == "player" else len(self.board.teams)
        now = self.cycles(node.of)[-1]
        number = {
            "current": now.current,
            "next": now.queued or now.current % count + 1,
            "previous": (now.current - 2) % count + 1,
        }[node.which]
        return Player(number) if node.of == "player" else Team(number)

    @value.register
    def _(self, node: s.Numbered) -> Player | Team:
        number, count = self.value(node.number), self.seats if node.of == "player" else len(self.board.teams)
        if not 1 <= number <= count:
            raise GameError(f"no {node.of} {number}")
        return Player(number) if node.of == "player" else Team(number)

    @value.register
    def _(self, node: s.OwnerOf) -> Player:
        owner = self.board.home[self.card(node.card)[0]][0]
        if not isinstance(owner, Player):
            raise GameError("the owner of a card on the table")
        return owner

    @value.register
    def _(self, node: s.TeamOf) -> Team:
        seat = self.value(node.player).seat
        for number, team in enumerate(self.board.teams, 1):
            if seat in team:
                return Team(number)
        raise GameError(f"player {seat} has no team")

    @value.register
    def _(self, node: s.Cell) -> Any:
        return self.board.cells.get(self.cell(node), 0 if node.kind == "sto" else "")

    @value.register
    def _(self, node: s.Location) -> Pile:
        spot = self.owner(node.owner), node.kind, self.value(node.name), 0 if node.index is None else self.value(node.index)
        self.board.spots.setdefault(spot, [])  # from now on it is among those that ``indexed`` lists
        return Pile(spot, memory=spot if node.kind == "mem" else None)

    @value.register
    def _(self, node: s.Pick) -> Any:
        of = self.value(node.of)
        if isinstance(of, Pile):
            return self.card(node)[0]
        at = 0 if node.end == "top" else len(of) - 1 if node.end == "bottom" else self.value(node.end)
        if not 0 <= at < len(of):
            raise GameError(f"no list {at} among {len(of)}")
        return of[at]

    @value.register
    def _(self, node: s.Best) -> Card:
        return self.card(node)[0]

    @value.register
    def _(self, node: s.Filter) -> Any:
        coll = self.value(node.coll)
        kept = []
        for member in self.snapshot(coll):
            if isinstance(member, Pile) and not self.look(member):
                continue
            outer = dict(self.vars)
            self.vars[node.var] = member
            if self.value(node.test):
                kept.append(member)
            self.vars = outer
        return Pile(None, kept, coll.memory) if isinstance(coll, Pile) else kept

    @value.register
    def _(self, node: s.Each) -> Any:
        if isinstance(node.body, s.Cell):
            return sum(self.each(node))
        if isinstance(node.body, s.Location | s.Filter | s.Combine | s.Sort | s.Take | s.Run | s.Pick | s.Var):
            return list(self.each(node))
        return any(self.each(node)) if node.quantifier == "any" else all(self.each(node))

    def each(self, node: s.Each) -> Iterator[Any]:
        for member in self.members(node.coll):
            outer = dict(self.vars)
            self.vars[node.var] = member
            found = self.value(node.body)
            self.vars = outer
            yield found

    def operands(self, parts: Sequence[s.Expr]) -> list[list[Card]]:
        values = [self.value(part) for part in parts]
        lists = values[0] if len(values) == 1 and isinstance(values[0], list) else values
        return [list(self.look(pile)) for pile in lists]

    @value.register
    def _(self, node: s.Combine) -> Pile:
        lists = self.operands(node.parts)
        together = [card for cards in lists for card in cards]
        if node.how == "union":
            return Pile(None, together)
        wanted = len(lists) if node.how == "intersect" else 1
        return Pile(None, [card for card in dict.fromkeys(together) if together.count(card) == wanted])

    @value.register
    def _(self, node: s.Sort) -> Pile:
        pile = self.pile(node.cards)
        self.look(pile).sort(key=lambda card: self.score(card, node.points))
        return pile

    @value.register
    def _(self, node: s.Take) -> Pile:
        count, pile = self.value(node.count), self.pile(node.cards)
        cards = self.look(pile)
        if not 0 <= count <= len(cards):
            raise GameError(f"{count} cards of a list of {len(cards)}")
        inward = cards[::-1] if node.end == "top" else cards
        return Pile(None, inward[:count], pile.memory)

    @value.register
    def _(self, node: s.Run) -> Pile:
        cards = self.look(self.pile(node.cards))
        for length in range(len(cards), max(self.value(node.least), 1) - 1, -1):
            part = cards[len(cards) - length :] if node.end == "top" else cards[:length]
            worth = sorted(self.score(card, node.points) for card in part)
            if worth == list(range(worth[0], worth[0] + length)):
                return Pile(None, part)
        return Pile(None)

    @value.register
    def _(self, node: s.Partition) -> list[Pile]:
        key = self.value(node.key)
        groups: dict[str, list[Card]] = {}
        for cards in self.operands(node.parts):
            for card in cards:
                groups.setdefault(self.board.attributes[card.number].get(key, ""), []).append(card)
        return [Pile(None, group) for group in groups.values()]

    @value.register
    def _(self, node: s.Subsets) -> list[Pile]:
        cards = self.look(self.pile(node.cards))
        subsets = [[card for i, card in enumerate(cards) if mask >> i & 1] for mask in range(1, 2 ** len(cards))]
        if node.compare is not None and node.size is not None:
            bound = self.value(node.size)
            subsets = [subset for subset in subsets if compared(node.compare, len(subset), bound)]
        return [Pile(None, subset) for subset in subsets]

    @value.register
    def _(self, node: s.Runs) -> list[Pile]:
        cards = [(self.score(card, node.points), card) for card in self.look(self.pile(node.cards))]
        cards.sort(key=lambda scored: scored[0])
        return [Pile(None, run) for run in find_runs(cards, self.value(node.least), node.extent == "all")]

    @value.register
    def _(self, node: s.Indexed) -> list[Pile]:
        owner, name = self.owner(node.owner), self.value(node.name)
        indexes = [i for (o, k, n, i) in self.board.spots if (o, k, n) == (owner, node.kind, name)]
        return [Pile((owner, node.kind, name, index)) for index in indexes]

    @value.register
    def _(self, node: s.Everyone) -> list[Player] | list[Team]:
        if node.of == "player":
            return [Player(seat) for seat in range(1, self.seats + 1)]
        return [Team(number) for number in range(1, len(self.board.teams) + 1)]

    @value.register
    def _(self, node: s.Others) -> list[Player] | list[Team]:
        now = self.cycles(node.of)[-1].current
        if node.of == "player":
            return [Player(seat) for seat in range(1, self.seats + 1) if seat != now]
        return [Team(number) for number in range(1, len(self.board.teams) + 1) if number != now]

    @value.register
    def _(self, node: s.Range) -> list[int]:
        return list(range(self.value(node.first), self.value(node.last) + 1))

    @value.register
    def _(self, node: s.Strings) -> list[str]:
        return list(node.names)

    @value.register
    def _(self, node: s.Logic) -> bool:
        tests = (bool(self.value(part)) for part in node.parts)
        return all(tests) if node.how == "and" else any(tests)

    @value.register
    def _(self, node: s.Not) -> bool:
        return not self.value(node.test)

    @value.register
    def _(self, node: s.Compare) -> bool:
        left, right = self.compared_side(node.left), self.compared_side(node.right)
        if left is None or right is None:
            return node.how == "!="
        return compared(node.how, left, right)

    def compared_side(self, node: s.Expr) -> Any:
        """Return the value of one side; None is a card of an empty list, which differs from every card."""
        if isinstance(node, s.Pick):
            pile = self.value(node.of)
            if isinstance(pile, Pile) and not self.look(pile):
                return None
        value = self.value(node)
        if isinstance(value, Pile):
            cards = self.look(value)
            return cards[-1] if cards else None
        return value

    @value.register
    def _(self, node: s.Arithmetic) -> int:
        first, *rest = (int(self.value(part)) for part in node.parts)
        for number in rest:
            first = within_32_bits(calculated(node.how, first, number))
        return first

    @value.register
    def _(self, node: s.Special) -> int:
        n = self.value(node.number)
        if node.which == "tri":
            return within_32_bits(n * (n + 1) // 2)
        a, b = 0, 1
        for _ in range(n):
            a, b = b, a + b
        return within_32_bits(a)

    @value.register
    def _(self, node: s.Random) -> int:
        first = 0 if node.first is None else self.value(node.first)
        last = self.value(node.last)
        if last < first:
            raise GameError("random of an empty range")
        return int(first + self.chance.below(self.event(RANDOM), 0, last - first + 1))

    @value.register
    def _(self, node: s.Size) -> int:
        return len(self.members(node.of))

    @value.register
    def _(self, node: s.Score) -> int:
        return self.score(self.card(node.card)[0], node.points)

    @value.register
    def _(self, node: s.Total) -> int:
        worth = [self.score(card, node.points) for card in self.look(self.pile(node.cards))]
        if node.which == "sum":
            return sum(worth)
        return max(worth, default=-1) if node.which == "scoremax" else min(worth, default=2**31 - 1)

    @value.register
    def _(self, node: s.Identity) -> int:
        who = self.value(node.of)
        return who.seat if isinstance(who, Player) else who.number

    @value.register
    def _(self, node: s.CardAtt) -> str:
        if isinstance(node.card, s.Pick | s.Var):
            pile = self.value(node.card.of if isinstance(node.card, s.Pick) else node.card)
            if isinstance(pile, Pile) and not self.look(pile):
                return ""
        return self.board.attributes[self.card(node.card)[0].number].get(self.value(node.key), "")


def within_32_bits(number: int) -> int:
    if not -(2**31) <= number < 2**31:
        raise GameError("a number beyond 32 bits")
    return number


def compared(how: str, left: Any, right: Any) -> bool:
    return bool(
        {
            "==": lambda: left == right,
            "!=": lambda: left != right,
            "<": lambda: left < right,
            ">": lambda: left > right,
            "<=": lambda: left <= right,
            ">=": lambda: left >= right,
        }[how]()
    )


def calculated(how: str, a: int, b: int) -> int:
    """Divide as the language does: towards zero, and the remainder has the sign of the dividend."""
    if how in ("//", "%") and b == 0:
        raise GameError("division by zero")
    if how == "//":
        return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    if how == "%":
        return abs(a) % abs(b) * (-1 if a < 0 else 1)
    return int({"+": a + b, "-": a - b, "*": a * b}[how]) if how != "^" else int(a**b)


def find_runs(cards: list[tuple[int, Card]], least: int, every: bool) -> list[list[Card]]:
    """Walk through cards in ascending order; see the reference of the language for what becomes of equal scores."""
    found: list[list[Card]] = []
    live: list[list[Card]] = []
    before: tuple[int, Card] | None = None
    for worth, card in cards:
        if before is not None and worth == before[0]:
            live += [[*run[:-1], card] for run in live if run[-1] == before[1]]
            if every:
                live.append([card])
        elif before is not None and worth == before[0] + 1:
            if every:
                found += [run for run in live if len(run) >= least]
            live = [[*run, card] for run in live] + ([[card]] if every else [])
        else:
            found += [run for run in live if len(run) >= least]
            live = [[card]]
        before = worth, card
    return found + [run for run in live if len(run) >= least]
