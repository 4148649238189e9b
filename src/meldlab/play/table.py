"""The driver: asks each player in turn, lets nobody break the rules, and writes the record."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

from meldlab.errors import BadText, MeldlabError, NotLegalHere
from meldlab.play.chance import Chance, Deal
from meldlab.play.protocol import Action, Game, Player, Result, State
from meldlab.play.record import Record

__all__ = ["Broken", "Played", "Table", "replay"]

S = TypeVar("S", bound=State[Any, Any])
FORFEITS = "forfeits: "


class Broken(NotLegalHere):
    """A record that cannot be played: which action, and why."""


@dataclass(frozen=True)
class Played(Generic[S]):
    """A game that came to its end: where it started, what was done, how it ended."""

    game: Game[S]
    players: tuple[str, ...]
    deal: Deal
    first: S
    last: S
    actions: tuple[Action, ...]
    result: Result
    forfeit: str = ""

    @cached_property
    def record(self) -> Record:
        """Return the game as it is written down."""
        state, lines = self.first, []
        for action in self.actions:
            lines.append(f"p{_acting(state) + 1} {state.tell(action)}")
            state = state.apply(action)
        if self.forfeit:
            lines.append(self.forfeit)
        return Record(self.game.name, self.game.rules(), self.players, self.deal, tuple(lines), self.result)


@dataclass(frozen=True)
class Table(Generic[S]):
    """A game and the players who sit down to it, one for each seat."""

    game: Game[S]
    players: Sequence[Player[Any, Any]]

    def __post_init__(self) -> None:
        if len(self.players) not in self.game.seats:
            seats = self.game.seats
            wanted = f"{seats[0]}" if len(seats) == 1 else f"{seats[0]} to {seats[-1]}"
            raise NotLegalHere(f"{self.game.name} is for {wanted} players, not {len(self.players)}")

    def play(self, deal: Deal) -> Played[S]:
        """Play one game to its end; a player that raises or answers illegally forfeits it."""
        first = state = self.game.start(len(self.players), deal)
        actions: list[Action] = []
        root, turned, players = deal.root, deal.turned, self.players
        while (seat := state.seat) is not None:
            player = players[seat]
            answered = False
            # Whatever a player does wrong is that player's loss, not the arena's.
            try:
                action = player.choose(state.view(seat), Chance(root, len(actions), seat, turned))
                answered = True
                state = state.apply(action)
            except Exception as problem:
                did = f"answered {str(action)!r}" if answered else "gave no answer"
                why = f"p{seat + 1} {FORFEITS}{player.name} {did}: {_said(problem)}"
                return self._played(deal, first, state, actions, _forfeited(seat, len(self.players), why), why)
            actions.append(action)
        result = state.result
        assert result is not None  # nobody acts, so the game is over
        return self._played(deal, first, state, actions, result, "")

    def _played(self, deal: Deal, first: S, last: S, actions: list[Action], result: Result, forfeit: str) -> Played[S]:
        return Played(self.game, tuple(player.name for player in self.players), deal, first, last, tuple(actions), result, forfeit)


def replay(game: Game[S], record: Record) -> Iterator[tuple[S, str]]:
    """Give each state of a record with the line that led to it; the first line is empty.

    A record whose lines do not fit the rules, or that ends otherwise than it says, is Broken.
    """
    state = game.start(len(record.players), record.deal)
    yield state, ""
    result = None
    for number, line in enumerate(record.actions, 1):
        who, _, text = line.partition(" ")
        if result is not None or state.seat is None:
            raise Broken(f"action {number}, {line!r}: the game was over")
        if who != f"p{state.seat + 1}":
            raise Broken(f"action {number}, {line!r}: it was the turn of p{state.seat + 1}")
        if text.startswith(FORFEITS):
            result = _forfeited(state.seat, len(record.players), line)
            yield state, line
            continue
        try:
            action = state.parse(text)
            state.verify(action)
        except MeldlabError as problem:
            raise Broken(f"action {number}, {line!r}: {_said(problem)}") from None
        told = state.tell(action)
        if told != text:
            raise Broken(f"action {number}, {line!r}: by the deal it reads {f'{who} {told}'!r}")
        state = state.apply(action)
        yield state, line
    ended = result or state.result
    if ended != record.result:
        raise Broken(f"the record says {_ending(record.result)}, its actions lead to {_ending(ended)}")


def _acting(state: State[Any, Any]) -> int:
    seat = state.seat
    assert seat is not None
    return seat


def _ending(result: Result | None) -> str:
    return "no end" if result is None else f"{list(result.scores)} {result.reason!r}"


def _said(problem: Exception) -> str:
    """Return one line: our own errors speak for themselves, others need their kind."""
    text = problem.problem if isinstance(problem, BadText) else " ".join(str(problem).split())
    return text if isinstance(problem, MeldlabError) else f"{type(problem).__name__}: {text}".rstrip(": ")


def _forfeited(seat: int, seats: int, why: str) -> Result:
    return Result((0,) * seats, tuple(other for other in range(seats) if other != seat), why)
