"""The expressions of RECYCLE, evaluated over Python objects."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from meldlab.recycle.language import syntax as s
from tests.recycle.oracle_board import (
    RANDOM,
    TABLE,
    TIE,
    Board,
    Branches,
    Card,
    Chance,
    Event,
    GameError,
    Owner,
    Pile,
    Player,
    Points,
    Round,
    Spot,
    Team,
)

Meaning = TypeVar("Meaning", bound=Callable[..., Any])
MEANINGS: dict[type[s.Node], Callable[..., Any]] = {}


def means(construct: type[s.Node]) -> Callable[[Meaning], Meaning]:
    """Enter a method as the meaning of a construct."""

    def entered(meaning: Meaning) -> Meaning:
        MEANINGS[construct] = meaning
        return meaning

    return entered


class Reckoner:
    """A board, the variables in sight, and what any expression is worth now."""

    def __init__(self, chance: Chance) -> None:
        self.chance = chance
        self.board = Board()
        self.seats = 0
        self.vars: dict[str, Any] = {}
        self.sources: dict[int, Pile] = {}  # what the source of a ``repeat all`` was when it began
        self.decisions = 0
        self.events = 0  # of chance, since the last decision or in the option at hand
        self.deciding = 0  # the decision of the option at hand
        self.item = 0  # its place among the items of the choice
        self.branches: Branches | None = None  # and its branches; None outside a choice

    def event(self, purpose: int) -> Event:
        """Return the next event of chance."""
        self.events += 1
        if self.branches is None:
            return Event((), self.decisions, self.events - 1, purpose)
        return Event((self.item, *self.branches.so_far()), self.deciding, self.events - 1, purpose)

    def count(self, of: str) -> int:
        return self.seats if of == "player" else len(self.board.teams)

    def cycles(self, of: str) -> list[Round]:
        return self.board.players if of == "player" else self.board.sides

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
        card, pile = self.card_or_none(node)
        if card is None:
            raise GameError("a card of an empty list")
        return card, pile

    def card_or_none(self, node: s.Expr) -> tuple[Card | None, Pile]:
        if isinstance(node, s.Pick):
            pile = self.pile(node.of)
            cards = self.look(pile)
            return cards[self.position(node.end, len(cards))] if cards else None, pile
        if isinstance(node, s.Best):
            pile = self.pile(node.cards)
            return self.best(node, self.look(pile)), pile
        value = self.value(node)
        if isinstance(value, Pile):
            cards = self.look(value)
            return cards[-1] if cards else None, value
        return value, Pile(None, [value])

    def position(self, end: str | s.Expr, length: int) -> int:
        at = self.value(end) if isinstance(end, s.Expr) else length - 1 if end == "top" else 0
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
        awards: Points = self.board.cells.get(self.cell(points), Points(()))
        return awards.worth(card, self.board.attributes[card.number])

    def cell(self, node: s.Cell) -> tuple[Owner, str, str]:
        return self.owner(node.owner), node.kind, self.value(node.name)

    def owner(self, node: s.Expr) -> Owner:
        owner: Owner = TABLE if isinstance(node, s.TableOwner) else self.value(node)
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

    def value(self, node: s.Expr) -> Any:
        """Return what an expression stands for now."""
        return MEANINGS[type(node)](self, node)

    @means(s.Number)
    def of_number(self, node: s.Number) -> int:
        return node.value

    @means(s.Name)
    def of_name(self, node: s.Name) -> str:
        return node.text

    @means(s.Var)
    def of_var(self, node: s.Var) -> Any:
        return self.vars[node.name]

    @means(s.Seat)
    def of_seat(self, node: s.Seat) -> Player | Team:
        count = self.seats if node.of == "player" else len(self.board.teams)
        now = self.cycles(node.of)[-1]
        number = {
            "current": now.current,
            "next": now.queued or now.current % count + 1,
            "previous": (now.current - 2) % count + 1,
        }[node.which]
        return Player(number) if node.of == "player" else Team(number)

    @means(s.Numbered)
    def of_numbered(self, node: s.Numbered) -> Player | Team:
        number, count = self.value(node.number), self.seats if node.of == "player" else len(self.board.teams)
        if not 1 <= number <= count:
            raise GameError(f"no {node.of} {number}")
        return Player(number) if node.of == "player" else Team(number)

    @means(s.OwnerOf)
    def of_owner_of(self, node: s.OwnerOf) -> Player:
        owner = self.board.home[self.card(node.card)[0]][0]
        if not isinstance(owner, Player):
            raise GameError("the owner of a card on the table")
        return owner

    @means(s.TeamOf)
    def of_team_of(self, node: s.TeamOf) -> Team:
        seat = self.value(node.player).seat
        for number, team in enumerate(self.board.teams, 1):
            if seat in team:
                return Team(number)
        raise GameError(f"player {seat} has no team")

    @means(s.Cell)
    def of_cell(self, node: s.Cell) -> Any:
        return self.board.cells.get(self.cell(node), 0 if node.kind == "sto" else "")

    @means(s.Location)
    def of_location(self, node: s.Location) -> Pile:
        spot = self.owner(node.owner), node.kind, self.value(node.name), 0 if node.index is None else self.value(node.index)
        self.board.spots.setdefault(spot, [])  # from now on it is among those that ``indexed`` lists
        return Pile(spot, memory=spot if node.kind == "mem" else None)

    @means(s.Pick)
    def of_pick(self, node: s.Pick) -> Any:
        of = self.value(node.of)
        if isinstance(of, Pile):
            return self.card(node)[0]
        at = self.value(node.end) if isinstance(node.end, s.Expr) else 0 if node.end == "top" else len(of) - 1
        if not 0 <= at < len(of):
            raise GameError(f"no list {at} among {len(of)}")
        return of[at]

    @means(s.Best)
    def of_best(self, node: s.Best) -> Card:
        return self.card(node)[0]

    @means(s.Filter)
    def of_filter(self, node: s.Filter) -> Any:
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

    @means(s.Each)
    def of_each(self, node: s.Each) -> Any:
        if isinstance(node.body, s.Cell):
            return sum(self.each(node))
        if isinstance(node.body, s.Location | s.Filter | s.Combine | s.Sort | s.Take | s.LongestRun | s.Pick | s.Var):
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

    @means(s.Combine)
    def of_combine(self, node: s.Combine) -> Pile:
        lists = self.operands(node.parts)
        together = [card for cards in lists for card in cards]
        if node.how == "union":
            return Pile(None, together)
        wanted = len(lists) if node.how == "intersect" else 1
        return Pile(None, [card for card in dict.fromkeys(together) if together.count(card) == wanted])

    @means(s.Sort)
    def of_sort(self, node: s.Sort) -> Pile:
        pile = self.pile(node.cards)
        self.look(pile).sort(key=lambda card: self.score(card, node.points))
        return pile

    @means(s.Take)
    def of_take(self, node: s.Take) -> Pile:
        count, pile = self.value(node.count), self.pile(node.cards)
        cards = self.look(pile)
        if not 0 <= count <= len(cards):
            raise GameError(f"{count} cards of a list of {len(cards)}")
        inward = cards[::-1] if node.end == "top" else cards
        return Pile(None, inward[:count], pile.memory)

    @means(s.LongestRun)
    def of_run(self, node: s.LongestRun) -> Pile:
        cards = self.look(self.pile(node.cards))
        for length in range(len(cards), max(self.value(node.least), 1) - 1, -1):
            part = cards[len(cards) - length :] if node.end == "top" else cards[:length]
            worth = sorted(self.score(card, node.points) for card in part)
            if worth == list(range(worth[0], worth[0] + length)):
                return Pile(None, part)
        return Pile(None)

    @means(s.Partition)
    def of_partition(self, node: s.Partition) -> list[Pile]:
        key = self.value(node.key)
        groups: dict[str, list[Card]] = {}
        for cards in self.operands(node.parts):
            for card in cards:
                groups.setdefault(self.board.attributes[card.number].get(key, ""), []).append(card)
        return [Pile(None, group) for group in groups.values()]

    @means(s.Subsets)
    def of_subsets(self, node: s.Subsets) -> list[Pile]:
        cards = self.look(self.pile(node.cards))
        subsets = [[card for i, card in enumerate(cards) if mask >> i & 1] for mask in range(1, 2 ** len(cards))]
        if node.compare is not None and node.size is not None:
            bound = self.value(node.size)
            subsets = [subset for subset in subsets if compared(node.compare, len(subset), bound)]
        return [Pile(None, subset) for subset in subsets]

    @means(s.Runs)
    def of_runs(self, node: s.Runs) -> list[Pile]:
        cards = [(self.score(card, node.points), card) for card in self.look(self.pile(node.cards))]
        cards.sort(key=lambda scored: scored[0])
        return [Pile(None, run) for run in find_runs(cards, self.value(node.least), node.extent == "all")]

    @means(s.Indexed)
    def of_indexed(self, node: s.Indexed) -> list[Pile]:
        owner, name = self.owner(node.owner), self.value(node.name)
        indexes = [i for (o, k, n, i) in self.board.spots if (o, k, n) == (owner, node.kind, name)]
        return [Pile((owner, node.kind, name, index)) for index in indexes]

    @means(s.Everyone)
    def of_everyone(self, node: s.Everyone) -> list[Player] | list[Team]:
        if node.of == "player":
            return [Player(seat) for seat in range(1, self.seats + 1)]
        return [Team(number) for number in range(1, len(self.board.teams) + 1)]

    @means(s.Others)
    def of_others(self, node: s.Others) -> list[Player] | list[Team]:
        now = self.cycles(node.of)[-1].current
        if node.of == "player":
            return [Player(seat) for seat in range(1, self.seats + 1) if seat != now]
        return [Team(number) for number in range(1, len(self.board.teams) + 1) if number != now]

    @means(s.Range)
    def of_range(self, node: s.Range) -> list[int]:
        return list(range(self.value(node.first), self.value(node.last) + 1))

    @means(s.Strings)
    def of_strings(self, node: s.Strings) -> list[str]:
        return list(node.names)

    @means(s.Logic)
    def of_logic(self, node: s.Logic) -> bool:
        tests = (bool(self.value(part)) for part in node.parts)
        return all(tests) if node.how == "and" else any(tests)

    @means(s.Not)
    def of_not(self, node: s.Not) -> bool:
        return not self.value(node.test)

    @means(s.Compare)
    def of_compare(self, node: s.Compare) -> bool:
        left, right = self.compared_side(node.left), self.compared_side(node.right)
        return compared(node.how, left, right)

    def compared_side(self, node: s.Expr) -> Any:
        """Return the value of one side; None is the card of an empty list, which differs from every card."""
        if isinstance(node, s.Pick):
            return self.card_or_none(node)[0]
        value = self.value(node)
        if isinstance(value, Pile):
            cards = self.look(value)
            return cards[-1] if cards else None
        return value

    @means(s.Arithmetic)
    def of_arithmetic(self, node: s.Arithmetic) -> int:
        first, *rest = (int(self.value(part)) for part in node.parts)
        for number in rest:
            first = within_32_bits(calculated(node.how, first, number))
        return first

    @means(s.Special)
    def of_special(self, node: s.Special) -> int:
        n = self.value(node.number)
        if node.which == "tri":
            return within_32_bits(n * (n + 1) // 2)
        a, b = 0, 1
        for _ in range(n):
            a, b = b, a + b
        return within_32_bits(a)

    @means(s.Random)
    def of_random(self, node: s.Random) -> int:
        first = 0 if node.first is None else self.value(node.first)
        last = self.value(node.last)
        if last < first:
            raise GameError("random of an empty range")
        return int(first + self.chance.below(self.event(RANDOM), 0, last - first + 1))

    @means(s.Size)
    def of_size(self, node: s.Size) -> int:
        return len(self.members(node.of))

    @means(s.Score)
    def of_score(self, node: s.Score) -> int:
        return self.score(self.card(node.card)[0], node.points)

    @means(s.Total)
    def of_total(self, node: s.Total) -> int:
        worth = [self.score(card, node.points) for card in self.look(self.pile(node.cards))]
        if node.which == "sum":
            return sum(worth)
        return max(worth, default=-1) if node.which == "scoremax" else min(worth, default=2**31 - 1)

    @means(s.Identity)
    def of_identity(self, node: s.Identity) -> int:
        who = self.value(node.of)
        return who.seat if isinstance(who, Player) else who.number

    @means(s.CardAtt)
    def of_card_att(self, node: s.CardAtt) -> str:
        key = self.value(node.key)
        card, _ = self.card_or_none(node.card)
        return "" if card is None else self.board.attributes[card.number].get(key, "")


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
