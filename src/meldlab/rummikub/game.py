"""The game for two to four players: open with thirty, manipulate, draw; the first empty rack wins what the others hold.

>>> from meldlab.play import Deal
>>> state = Rummikub().start(2, Deal(seed=1))
>>> len(state.racks[0]), len(state.pool), state.table
(14, 78, ())
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

from meldlab.chance import Purpose
from meldlab.errors import NoSuchThing, NotLegalHere
from meldlab.play import Chance, Count, Deal, FinishedGame, Result
from meldlab.rummikub.checker import table_violations
from meldlab.rummikub.position import Position, format_table, parse_table, played_tiles
from meldlab.rummikub.random_positions import box
from meldlab.rummikub.rules import PRESETS, Rules
from meldlab.rummikub.sets import TileSet, best_reading, columns, grow
from meldlab.rummikub.solution import Objective
from meldlab.rummikub.solver import solve
from meldlab.rummikub.tiles import JOKER, Tile, check_supply, read_tiles, show

VERBS = ("play", "draw", "fail", "pass")


@dataclass(frozen=True)
class Play:
    """Lay the table anew, with at least one tile from the rack."""

    table: tuple[TileSet, ...]

    def __str__(self) -> str:
        return f"play {format_table(self.table)}"


class _Word:
    """A turn without tiles of its own; it prints as its name."""

    def __str__(self) -> str:
        return type(self).__name__.lower()


@dataclass(frozen=True)
class Draw(_Word):
    """Take one tile from the pool."""


@dataclass(frozen=True)
class Fail(_Word):
    """Own up to a rearrangement that came to nothing: the table is as before, and penalty tiles are drawn."""


@dataclass(frozen=True)
class Pass(_Word):
    """Do nothing, when there is nothing left to draw."""


Turn = Play | Draw | Fail | Pass


@dataclass(frozen=True)
class View:
    """What one seat sees: the table, its own rack, and how many tiles the others and the pool have."""

    seat: int
    acting: int | None
    """Whose turn it is; None when the game is over."""
    table: tuple[TileSet, ...]
    rack: tuple[Tile, ...]
    sizes: tuple[int, ...]
    pool: int
    opened: tuple[bool, ...]
    rules: Rules

    @property
    def position(self) -> Position:
        """Return what the solvers see."""
        return Position(self.table, self.rack, self.rules, self.opened[self.seat])

    @property
    def idle(self) -> Draw | Pass:
        """Return what one does who plays nothing."""
        return Draw() if self.pool else Pass()

    def legal_actions(self) -> list[Turn]:
        """Return doing nothing, then simple plays: the best opening, one set from the rack, one tile added to a set."""
        return [self.idle, *self._plays()] if self.acting == self.seat else []

    def _plays(self) -> Iterator[Play]:
        if not self.opened[self.seat]:
            solution = solve(self.position, Objective("value", "none"))
            if solution.played:
                yield Play(solution.table)
            return
        held = Counter(self.rack)
        for column in columns(self.rules):
            # No set holds a numbered tile twice.
            if column.jokers <= held[JOKER] and all(tile in held for tile in column.naturals):
                yield Play((*self.table, best_reading(column, self.rules)))
        for tile in sorted(held):
            for i, tile_set in enumerate(self.table):
                grown = grow(tile_set, tile, self.rules)
                if grown:
                    yield Play((*self.table[:i], grown, *self.table[i + 1 :]))

    def parse(self, text: str) -> Turn:
        """Read a turn; what was drawn may stand behind ``draw`` and ``fail``, as a record has it."""
        verb, _, rest = text.strip().partition(" ")
        if verb not in VERBS:
            raise NoSuchThing("action", verb, VERBS)
        if verb == "play":
            return Play(parse_table(rest, self.rules))
        idle: dict[str, Turn] = {"draw": Draw(), "fail": Fail(), "pass": Pass()}
        return idle[verb]

    def verify(self, action: Turn) -> None:
        """Raise NotLegalHere with the rule that a turn breaks, or if it is not a turn."""
        if self.acting != self.seat:
            raise NotLegalHere("the game is over" if self.acting is None else f"it is the turn of p{self.acting + 1}")
        if type(action) not in (Play, Draw, Fail, Pass):
            raise NotLegalHere(f"a {type(action).__name__} is not a turn")
        if isinstance(action, Draw | Fail) and not self.pool:
            raise NotLegalHere("the pool is empty (pass instead)")
        if isinstance(action, Pass) and self.pool:
            raise NotLegalHere("there are tiles to draw (only with an empty pool may one pass)")
        if isinstance(action, Play):
            self._verify_play(action)

    def _verify_play(self, action: Play) -> None:
        self._verify_tiles(getattr(action, "table", None))
        wrong = table_violations(self.position, action.table)
        if wrong:
            raise NotLegalHere("; ".join(wrong))
        if not played_tiles(self.table, action.table):
            raise NotLegalHere("a play needs a tile from the rack (or draw)")

    def _verify_tiles(self, table: object) -> None:
        """Raise NotLegalHere if a table is not made of tiles that the box holds; only then can one ask whether they lie well."""
        if not isinstance(table, tuple) or not all(
            type(tile_set) is TileSet and isinstance(getattr(tile_set, "tiles", None), tuple) for tile_set in table
        ):
            raise NotLegalHere("a play is a tuple of sets")
        if sum(len(tile_set.tiles) for tile_set in table) > self.rules.tiles:
            raise NotLegalHere(f"more tiles than the {self.rules.tiles} of the box")
        tiles = [tile for tile_set in table for tile in tile_set.tiles]
        if not all(_is_tile(tile, self.rules) for tile in tiles):
            raise NotLegalHere("a set is a tuple of tiles of this box, each joker with the tile it stands for")
        check_supply(tiles, self.rules)


@dataclass(frozen=True)
class State:
    """Everything about a game at one moment; ``idle`` counts the turns since a player played or drew."""

    rules: Rules
    table: tuple[TileSet, ...]
    racks: tuple[tuple[Tile, ...], ...]
    pool: tuple[Tile, ...]
    opened: tuple[bool, ...]
    turn: int = 0
    idle: int = 0

    @property
    def over(self) -> bool:
        """Return whether a rack is empty, or no player can or wants to play."""
        return not all(self.racks) or self.idle >= len(self.racks)

    @property
    def seat(self) -> int | None:
        """Return who acts."""
        return None if self.over else self.turn

    @property
    def result(self) -> Result | None:
        """Return the scores: losers lose what they hold, the winner gets it; equal lowest racks share it."""
        if not self.over:
            return None
        left = [_points(rack) for rack in self.racks]
        lowest = [seat for seat, rack in enumerate(self.racks) if not rack] or [s for s, points in enumerate(left) if points == min(left)]
        stake = sum(points for seat, points in enumerate(left) if seat not in lowest)
        scores = _shared(stake, lowest, [-points for points in left])
        return Result(scores, tuple(lowest), "rummikub" if not all(self.racks) else "nobody could play")

    def forfeit(self, seat: int, why: str) -> Result:
        """Return the end when ``seat`` forfeits: it loses its rack and the whole pool, more than any rack holds; the others share it."""
        others = [other for other in range(len(self.racks)) if other != seat]
        stake = _points((*self.racks[seat], *self.pool))
        return Result(_shared(stake, others, [-stake] * len(self.racks)), tuple(others), why)

    def apply(self, action: Turn) -> Self:
        """Verify the turn and return the state after it."""
        self.view(self.turn).verify(action)
        after = (self.turn + 1) % len(self.racks)
        rack = self.racks[self.turn]
        if isinstance(action, Pass):
            return replace(self, turn=after, idle=self.idle + 1)
        if isinstance(action, Play):
            left = tuple(sorted((Counter(rack) - played_tiles(self.table, action.table)).elements()))
            opened = tuple(has_opened or seat == self.turn for seat, has_opened in enumerate(self.opened))
            return replace(self, table=action.table, racks=self._with(left), opened=opened, turn=after, idle=0)
        count = 1 if isinstance(action, Draw) else self.rules.penalty
        return replace(self, racks=self._with(tuple(sorted(rack + self.pool[:count]))), pool=self.pool[count:], turn=after, idle=0)

    def _with(self, rack: tuple[Tile, ...]) -> tuple[tuple[Tile, ...], ...]:
        return (*self.racks[: self.turn], rack, *self.racks[self.turn + 1 :])

    def describe(self, action: Turn, seat: int | None = None) -> str:
        """Return the turn as the record has it, or as ``seat`` sees it: drawn tiles are hidden from the other seats."""
        if isinstance(action, Draw | Fail) and seat in (None, self.seat):
            return f"{action} {show(self.pool[: 1 if isinstance(action, Draw) else self.rules.penalty])}"
        return str(action)

    def view(self, seat: int) -> View:
        """Return what ``seat`` may know."""
        sizes = tuple(map(len, self.racks))
        return View(seat, self.seat, self.table, self.racks[seat], sizes, len(self.pool), self.opened, self.rules)

    def redeal(self, seat: int, chance: Chance) -> Self:
        """Permute the tiles that ``seat`` cannot see: the other racks and the pool."""
        unseen = [tile for other, rack in enumerate(self.racks) if other != seat for tile in rack] + list(self.pool)
        chance.stream().shuffle(unseen)
        racks = []
        for other, rack in enumerate(self.racks):
            if other == seat:
                racks.append(rack)
            else:
                racks.append(tuple(sorted(unseen[: len(rack)])))
                unseen = unseen[len(rack) :]
        return replace(self, racks=tuple(racks), pool=tuple(unseen))


def _points(tiles: tuple[Tile, ...]) -> int:
    """Return what tiles cost at the end, where a joker counts thirty in every house."""
    return Objective("value").total(tiles, Rules(joker_value=30))


def _shared(stake: int, winners: list[int], losses: list[int]) -> tuple[int, ...]:
    share, rest = divmod(stake, len(winners))
    return tuple(share + (seat == winners[0]) * rest if seat in winners else loss for seat, loss in enumerate(losses))


def _is_tile(tile: object, rules: Rules) -> bool:
    if type(tile) is not Tile:
        return False
    colour, number, joker = (getattr(tile, name, None) for name in ("colour", "number", "joker"))
    if type(colour) is not int or type(number) is not int or type(joker) is not bool:
        return False
    return 0 <= colour < rules.colours and 1 <= number <= rules.numbers


@dataclass(frozen=True)
class Rummikub:
    """The game under some rules."""

    house: Rules = field(default_factory=lambda: PRESETS["official"])
    name: str = "rummikub"
    seats: range = range(2, 5)
    lowest_wins: ClassVar[bool] = False
    counts: ClassVar[Mapping[str, Count]] = {"turns": Count()}

    def rules(self) -> Mapping[str, Any]:
        """Return the fields that a record needs."""
        return self.house.as_record()

    @classmethod
    def read(cls, rules: Mapping[str, Any]) -> Self:
        """Return the game in the house of a record."""
        return cls(Rules.read(rules))

    def counted(self, played: FinishedGame[State]) -> dict[str, int]:
        """Return what is counted of a game: its turns."""
        return {"turns": len(played.actions)}

    def start(self, seats: int, deal: Deal) -> State:
        """Deal the racks; the highest of one tile drawn each says who begins."""
        rules = self.house
        if rules.dealt * seats > rules.tiles:
            raise NotLegalHere(f"{seats} racks of {rules.dealt} tiles cannot be dealt from {rules.tiles}")
        if deal.given:
            pool = [tile for tile, _ in read_tiles(deal.given[0], rules)]
            check_supply(pool, rules)
            first = 0
        else:
            pool = box(rules)
            lots = deal.stream(Purpose.LOTS).sample([tile.number for tile in pool], seats)
            first = lots.index(max(lots))
            deal.stream(Purpose.TILES).shuffle(pool)
        racks = tuple(tuple(sorted(pool[rules.dealt * place : rules.dealt * (place + 1)])) for place in range(seats))
        return State(rules, (), racks, tuple(pool[rules.dealt * seats :]), (False,) * seats, first)
