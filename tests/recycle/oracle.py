"""A slow, plain interpreter of RECYCLE over Python objects, against which the machine is checked.

It walks the syntax tree as the reader leaves it, without the checker, the compiler or undoing: an option of a choice is
the sequence of branches taken at the ``any`` items met on the way, and it is explored by carrying it out on a copy of the
table. Values are Python values: int, bool, str, Card, Player, Team, Pile (a card list), and lists of these.
"""

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from itertools import product, zip_longest
from typing import Any, TypeVar

from meldlab.recycle.language import syntax as s
from meldlab.recycle.language.tree import walk
from tests.recycle.oracle_board import SHUFFLE, SHUFFLE_EXPLORED, TABLE, Branches, Card, Chance, GameError, Pile, Points, Round, Spot, Team
from tests.recycle.oracle_values import Reckoner, within_32_bits

MOST_DECISIONS = 10_000
MOST_IDLE_PASSES = 10_000

Deed = TypeVar("Deed", bound=Callable[..., None])
DEEDS: dict[type[s.Node], Callable[..., None]] = {}


def does(construct: type[s.Node]) -> Callable[[Deed], Deed]:
    """Enter a method as what an item does."""

    def entered(deed: Deed) -> Deed:
        DEEDS[construct] = deed
        return deed

    return entered


Option = tuple[int, tuple[int, ...]]  # the item of the choice, and the branch taken at each any


@dataclass(frozen=True)
class Decision:
    seat: int
    options: tuple[Option, ...]


class Oracle(Reckoner):
    """One game of a program.

    ``play`` is a generator: it yields a decision and is sent the index of an option.
    """

    def __init__(self, program: s.Program, chance: Chance) -> None:
        super().__init__(chance)
        self.program = program
        self.drawn_from: dict[str, Spot | None] = {}  # the memory over which a variable loops
        self.choice: s.Choice | None = None  # the one that was reached last
        self.exploring = False
        self.did_something = False
        self.moves: list[tuple[Card, Spot, Spot]] = []  # all that were carried out, with where from and where to

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
        self.choice, options = choice, self.options(choice)
        if not options:
            raise GameError("a choice without options")
        if self.decisions == MOST_DECISIONS:
            raise GameError("an endless game")
        index = yield Decision(self.board.players[-1].current, tuple(options))
        self.decisions += 1
        return options[index]

    def stage(self, stage: s.Stage) -> Generator[Decision, int, None]:
        cycles = self.cycles(stage.of)
        depth = len(cycles)
        cycles.append(Round(cycles[-1].current))
        if stage.end == "simultaneous":
            for phase in stage.phases:
                yield from self.together(phase, stage.of)
        else:
            passes = 0
            while not self.over(stage, passes):
                if passes:
                    mine = self.cycles(stage.of)[-1]
                    mine.current, mine.queued = mine.queued or mine.current % self.count(stage.of) + 1, None
                passes += 1
                if passes > MOST_IDLE_PASSES:
                    raise GameError("a stage that does not end")
                for phase in stage.phases:
                    yield from self.phase(phase)
        del self.cycles(stage.of)[depth:]

    def over(self, stage: s.Stage, passes: int) -> bool:
        if isinstance(stage.end, s.Expr):
            return bool(self.value(stage.end))
        return passes > 0 and passes >= self.count(stage.of)

    def together(self, phase: s.Phase, of: str) -> Generator[Decision, int, None]:
        """Let every member do a phase; in a choice all choose before anything is carried out."""
        mine = self.cycles(of)[-1]
        first, chosen = mine.current, []
        order = [(first + k - 1) % self.count(of) + 1 for k in range(self.count(of))]
        for member in order:
            mine.current = member
            if isinstance(phase, s.Choice):
                chosen.append((member, (yield from self.decide(phase)), self.decisions - 1))
            else:
                yield from self.phase(phase)
            mine.queued = None
        for member, option, decision in chosen:
            mine.current = member
            assert isinstance(phase, s.Choice)
            self.take(phase, option, decision)
            mine.queued = None
        mine.current = first

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
        self.branches, self.events, self.deciding = Branches(script), 0, decision
        self.do(choice.items[self.item])
        self.branches, self.events = None, 0

    # --- items

    def do(self, item: s.Item) -> None:
        """Carry out an item; what it meets on its way are the branches of ``self.branches``."""
        DEEDS[type(item)](self, item)

    @does(s.Do)
    def do_do(self, item: s.Do) -> None:
        for part in item.items:
            self.do(part)

    @does(s.Condition)
    def do_condition(self, item: s.Condition) -> None:
        if self.value(item.test):
            self.do(item.body)

    @does(s.Let)
    def do_let(self, item: s.Let) -> None:
        self.bound(item.var, self.value(item.value), item.body)

    @does(s.Loop)
    def do_loop(self, item: s.Loop) -> None:
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

    @does(s.Repeat)
    def do_repeat(self, item: s.Repeat) -> None:
        for _ in range(self.value(item.count)):
            self.do(item.body)

    @does(s.RepeatAll)
    def do_repeat_all(self, item: s.RepeatAll) -> None:
        card = item.body.card
        source = card.of if isinstance(card, s.Pick) else card.cards if isinstance(card, s.Best) else card
        pile = self.pile(source)
        for _ in range(len(self.look(pile))):
            self.sources[id(source)] = pile
            self.do(item.body)
        self.sources.pop(id(source), None)

    @does(s.Pass)
    def do_pass(self, item: s.Pass) -> None:
        self.did_something = True

    @does(s.MoveCard)
    def do_move(self, item: s.MoveCard) -> None:
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
        if not self.exploring:
            self.moves.append((card, home, target))
        self.did_something = True

    def insert(self, card: Card, spot: Spot, end: str | int) -> None:
        cards = self.board.spots.setdefault(spot, [])
        at = len(cards) if end == "top" else 0 if end == "bottom" else end
        if not isinstance(at, int) or not 0 <= at <= len(cards):
            raise GameError(f"no place {at} in a list of {len(cards)}")
        cards.insert(at, card)

    @does(s.Remember)
    def do_remember(self, item: s.Remember) -> None:
        card, _ = self.card(item.card)
        target, end = self.place(item.place)
        if target[1] != "mem":
            raise GameError("remembered outside memory")
        self.insert(card, target, end)
        self.did_something = True

    @does(s.Forget)
    def do_forget(self, item: s.Forget) -> None:
        if isinstance(item.card, s.Pick):
            spot = self.location(item.card.of).spot
            assert spot is not None
            if spot[1] != "mem":
                raise GameError("only what is in memory can be forgotten")
            del self.board.spots[spot][self.position(item.card.end, len(self.board.spots[spot]))]
        else:
            card, _ = self.card(item.card)
            drawn_from = self.drawn_from.get(item.card.name) if isinstance(item.card, s.Var) else None
            for spot in [drawn_from] if drawn_from is not None else self.memories():
                cards = self.board.spots[spot]
                if card in cards:
                    del cards[len(cards) - 1 - cards[::-1].index(card)]
                    break
            else:
                raise GameError("nothing remembers this card")
        self.did_something = True

    def memories(self) -> list[Spot]:
        """Return all memories: names as the program mentions them, owners by seat, indexes as touched."""
        mentioned = [
            (isinstance(node.owner, s.TableOwner), node.name.text)
            for node in walk(self.program)
            if isinstance(node, s.Location) and node.kind == "mem" and isinstance(node.name, s.Name)
        ]
        spots = [spot for spot in self.board.spots if spot[1] == "mem"]
        return sorted(spots, key=lambda spot: (mentioned.index((spot[0] == TABLE, spot[2])), getattr(spot[0], "seat", 0)))

    @does(s.Swap)
    def do_swap(self, item: s.Swap) -> None:
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

    @does(s.Shuffle)
    def do_shuffle(self, item: s.Shuffle) -> None:
        cards = self.look(self.location(item.cards))
        event = self.event(SHUFFLE_EXPLORED if self.exploring else SHUFFLE)
        for last in range(len(cards) - 1, 0, -1):
            other = self.chance.below(event, last, last + 1)
            cards[last], cards[other] = cards[other], cards[last]
        self.did_something = True

    @does(s.Faro)
    def do_faro(self, item: s.Faro) -> None:
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

    @does(s.Set)
    def do_set(self, item: s.Set) -> None:
        assert isinstance(item.cell, s.Cell)
        self.board.cells[self.cell(item.cell)] = self.value(item.value)
        self.did_something = True

    @does(s.Adjust)
    def do_step(self, item: s.Adjust) -> None:
        assert isinstance(item.cell, s.Cell)
        amount = 1 if item.amount is None else self.value(item.amount)
        cell = self.cell(item.cell)
        self.board.cells[cell] = within_32_bits(self.board.cells.get(cell, 0) + (amount if item.which == "inc" else -amount))
        self.did_something = True

    @does(s.SetPoints)
    def do_set_points(self, item: s.SetPoints) -> None:
        assert isinstance(item.cell, s.Cell)
        awards = [
            (frozenset((self.value(key), self.value(wanted)) for key, wanted in award.pairs), self.value(award.points))
            for award in item.awards
        ]
        cell = self.cell(item.cell)
        named = {pairs for pairs, _ in awards}
        old = self.board.cells.get(cell, Points(())).awards if item.update else ()
        self.board.cells[cell] = Points((*(award for award in old if award[0] not in named), *awards))
        self.did_something = True

    @does(s.Cycle)
    def do_cycle(self, item: s.Cycle) -> None:
        seat = self.value(item.player).seat
        if item.when == "next":
            self.board.players[-1].queued = seat
        else:
            self.board.players[-1].current = seat
        self.did_something = True

    @does(s.CreateTeams)
    def do_create_teams(self, item: s.CreateTeams) -> None:
        self.board.teams = [list(team) for team in item.teams]
        self.board.cells = {cell: value for cell, value in self.board.cells.items() if not isinstance(cell[0], Team)}
        for cycle in self.board.sides:
            cycle.current, cycle.queued = 1, None
        self.did_something = True

    @does(s.CreateDeck)
    def do_create_deck(self, item: s.CreateDeck) -> None:
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
