"""What the plain interpreter plays with: cards, lists, storage and cycles as Python objects, chance, and branches."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol


class GameError(Exception):
    """What the rules of the language call an error of the running program."""


@dataclass(frozen=True, order=True)
class Card:
    number: int


@dataclass(frozen=True)
class Player:
    seat: int  # from 1


@dataclass(frozen=True)
class Team:
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


RANDOM, TIE, SHUFFLE, SHUFFLE_EXPLORED = 1, 2, 3, 4
PLAYERS, CHOICE = 200, 201


class Chance(Protocol):
    """Where random numbers come from."""

    def below(self, event: Event, nth: int, bound: int) -> int: ...


class Addressed:
    """The chance of game ``game`` under ``seed``, as documented for the machine; written anew, in Python's integers."""

    def __init__(self, seed: int, game: int = 0) -> None:
        self.key = address(seed, game, 0, 0, 0)
        self.root = address(seed, game, 0, 0, PLAYERS)
        for _ in range(4):
            self.root = (mix(self.root) + self.root) % 2**64
        self.root >>= 1

    def below(self, event: Event, nth: int, bound: int) -> int:
        path = 0
        for branch in event.path:
            path = mix(path ^ (branch + 1))
        key = address(self.key, path, event.decision, event.number, event.purpose)
        return (mix(key + nth) >> 32) * bound >> 32

    def option(self, decision: int, seat: int, options: int, nth: int = 0) -> int:
        """Return what a random player in a seat, from 0, chooses."""
        key = mix(mix(self.root ^ decision) ^ seat << 16 ^ CHOICE) >> 1
        return (mix(key + nth) >> 32) * options >> 32


def mix(x: int) -> int:
    x = (x + 0x9E3779B97F4A7C15) % 2**64
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    x = (x ^ x >> 27) * 0x94D049BB133111EB % 2**64
    return x ^ x >> 31


def address(seed: int, game: int, round: int, turn: int, purpose: int) -> int:
    x = mix(seed)
    x = mix(x ^ game)
    x = mix(x ^ round)
    return mix(x ^ turn << 16 ^ purpose) >> 1


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


@dataclass
class Points:
    """A point map; what a card is worth under it never changes."""

    awards: tuple[tuple[frozenset[tuple[str, str]], int], ...]
    known: dict[Card, int] = field(default_factory=dict, compare=False)

    def worth(self, card: Card, face: dict[str, str]) -> int:
        if card not in self.known:
            self.known[card] = sum(n for pairs, n in self.awards if all(face.get(key) == wanted for key, wanted in pairs))
        return self.known[card]


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
