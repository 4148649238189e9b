"""The driver: asks each player in turn, lets nobody break the rules, and writes the record.

Only what a player itself does is its forfeit: an exception out of its ``choose``, no answer in time, an answer that the rules refuse.
A mistake of the game surfaces as it is.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

from meldlab.errors import MeldlabError, NotLegalHere
from meldlab.play.chance import Chance, Deal
from meldlab.play.clock import Clock, OutOfTime, TimeLimit
from meldlab.play.protocol import Action, Game, Player, Result, State
from meldlab.play.reasons import file_of, line_in, said, text_of
from meldlab.play.record import Record

__all__ = ["Broken", "Forfeit", "Played", "Table", "replay", "step"]

S = TypeVar("S", bound=State[Any, Any])
FORFEITS = "forfeits: "
MOST_ACTIONS = 100_000  # of one game; a match of gin takes about a thousand
# What a player can raise and lose by. KeyboardInterrupt is ours, and what else is no Exception belongs to whoever called the table.
GIVING_UP = (Exception, SystemExit, GeneratorExit, OutOfTime)


class Broken(NotLegalHere):
    """A record that cannot be played: which action, and why."""


class Forfeit(Exception):
    """A player has lost the game by what it did; the text says who and why, as a record does."""


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

    @property
    def trouble(self) -> str:
        """Return how the game ended if not by its rules: a forfeit, or too many actions; otherwise nothing."""
        return self.forfeit or ("" if self.last.result is not None else self.result.reason)

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
    """A game and the players who sit down to it, one for each seat.

    ``time`` limits how long a player may think. A game that has no end after ``most_actions`` is broken off: nobody wins, nobody scores.
    With ``raising`` what a player raises is not its forfeit but goes on, to be looked into.
    """

    game: Game[S]
    players: Sequence[Player[Any, Any]]
    time: TimeLimit = TimeLimit()  # noqa: RUF009  # frozen, so sharing it is harmless
    most_actions: int = MOST_ACTIONS
    raising: bool = False

    def __post_init__(self) -> None:
        if len(self.players) not in self.game.seats:
            seats = self.game.seats
            wanted = f"{seats[0]}" if len(seats) == 1 else f"{seats[0]} to {seats[-1]}"
            raise NotLegalHere(f"{self.game.name} is for {wanted} players, not {len(self.players)}")
        for player in self.players:
            if not isinstance(player.name, str):
                raise NotLegalHere(f"the name of a player is a text, not a {type(player.name).__name__}")

    def play(self, deal: Deal) -> Played[S]:
        """Play one game to its end; a player that raises, answers illegally or runs out of time forfeits it."""
        first = state = self.game.start(len(self.players), deal)
        actions: list[Action] = []
        root, players = deal.root, self.players
        clock = Clock(self.time, len(players)) if self.time else None
        for number in range(self.most_actions):
            seat = state.seat
            if seat is None:
                break
            player, view, chance = players[seat], state.view(seat), Chance(root, number, seat)
            # As in step, whose call would cost a twentieth of the time that random players take.
            try:
                action = player.choose(view, chance) if clock is None else clock.ask(seat, player, view, chance)
            except GIVING_UP as problem:
                if self.raising and not isinstance(problem, OutOfTime):
                    raise
                lost = _no_answer(seat, player, problem, self.time)
                return self._played(deal, first, state, actions, state.forfeit(seat, lost), lost)
            try:
                state = state.apply(action)
            except NotLegalHere:
                lost = _illegal(state, seat, player, action)
                if not lost:
                    raise  # what the rules allow they must be able to do
                return self._played(deal, first, state, actions, state.forfeit(seat, lost), lost)
            actions.append(action)
        return self._played(deal, first, state, actions, state.result or _unended(len(players), len(actions)), "")

    def _played(self, deal: Deal, first: S, last: S, actions: list[Action], result: Result, forfeit: str) -> Played[S]:
        return Played(self.game, tuple(player.name for player in self.players), deal, first, last, tuple(actions), result, forfeit)


def step(state: S, seat: int, player: Player[Any, Any], chance: Chance, clock: Clock | None = None) -> tuple[Any, S]:
    """Ask the player in ``seat``, whose turn it is; return what it does and the state after it, or raise Forfeit."""
    view = state.view(seat)
    try:
        action = player.choose(view, chance) if clock is None else clock.ask(seat, player, view, chance)
    except GIVING_UP as problem:
        raise Forfeit(_no_answer(seat, player, problem, clock.limit if clock else None)) from problem
    try:
        return action, state.apply(action)
    except NotLegalHere:
        lost = _illegal(state, seat, player, action)
        if not lost:
            raise
    raise Forfeit(lost)


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
            result = state.forfeit(state.seat, line)
            yield state, line
            continue
        try:
            action = state.parse(text)
            state.verify(action)
        except MeldlabError as problem:
            raise Broken(f"action {number}, {line!r}: {said(problem)}") from None
        told = state.tell(action)
        if told != text:
            raise Broken(f"action {number}, {line!r}: by the deal it reads {f'{who} {told}'!r}")
        state = state.apply(action)
        yield state, line
    ended = result or state.result
    if ended is None and record.result == (unended := _unended(len(record.players), len(record.actions))):
        ended = unended
    if ended != record.result:
        raise Broken(f"the record says {_ending(record.result)}, its actions lead to {_ending(ended)}")


def _acting(state: State[Any, Any]) -> int:
    seat = state.seat
    assert seat is not None
    return seat


def _ending(result: Result | None) -> str:
    return "no end" if result is None else f"{list(result.scores)} {result.reason!r}"


def _unended(seats: int, actions: int) -> Result:
    return Result((0,) * seats, (), f"no end after {actions:,} actions")


def _no_answer(seat: int, player: Player[Any, Any], problem: BaseException, limit: TimeLimit | None) -> str:
    """Return the line about a player that gave no answer."""
    if isinstance(problem, OutOfTime):
        return f"p{seat + 1} {FORFEITS}{player.name} ran out of time ({limit})"
    place = line_in(file_of(player), problem)
    return f"p{seat + 1} {FORFEITS}{player.name} gave no answer: {said(problem)}{f' ({place})' if place else ''}"


def _illegal(state: State[Any, Any], seat: int, player: Player[Any, Any], action: Any) -> str:
    """Return the line about an answer that the rules refuse; nothing if they do not."""
    try:
        state.verify(action)
    except NotLegalHere as problem:
        return f"p{seat + 1} {FORFEITS}{player.name} answered {text_of(action)!r}: {said(problem)}"
    return ""
