"""The game loop: ask the player, verify and apply the action, record the step.

All games, replays and tests are steps of a table, and a user at the terminal is a player. A player forfeits only by its own call:
``choose`` raises, times out or returns an illegal action. Errors of the game itself propagate.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, NamedTuple, TypeVar

from meldlab.errors import MeldlabError, NotLegalHere
from meldlab.play.chance import Chance, Deal
from meldlab.play.clock import Clock, OutOfTime, TimeLimit
from meldlab.play.failures import error_line, error_text, one_line, player_file
from meldlab.play.protocol import Game, Player, Result, State
from meldlab.play.record import Record

S = TypeVar("S", bound=State[Any, Any])
FORFEITS = "forfeits: "
MAX_ACTIONS = 100_000  # of one game; a match of gin takes about a thousand
# Errors by which a player forfeits. KeyboardInterrupt and other errors outside Exception propagate to the caller of the table.
FORFEIT_ERRORS = (Exception, SystemExit, GeneratorExit, OutOfTime)


new_tuple: Any = tuple.__new__  # the constructor of Step would take a twentieth of the time of a game between random players


class InvalidRecord(NotLegalHere):
    """A record that cannot be replayed; the message has the action and the reason."""


class Step(NamedTuple, Generic[S]):
    """One action of a game: its number from 0, the state before it, seat and action, and the state after it.

    A forfeit is a last step without an action; ``error`` is the exception of the player, if any.
    """

    number: int
    before: S
    seat: int
    action: Any
    after: S
    forfeit: str = ""
    error: BaseException | None = None

    @property
    def line(self) -> str:
        """Return the line of the step in the record."""
        return self.forfeit or f"p{self.seat + 1} {self.before.describe(self.action)}"

    @property
    def result(self) -> Result | None:
        """Return the result if the step ends the game."""
        return self.before.forfeit(self.seat, self.forfeit) if self.forfeit else self.after.result

    def narrate(self, seat: int) -> str:
        """Return what ``seat`` sees of the action in the words of the game; "" if the game has none of its own."""
        narrate = getattr(self.before, "narrate", None)
        return "" if self.forfeit or narrate is None else narrate(self.action, seat)

    def describe(self, seat: int) -> str:
        """Return the step as ``seat`` sees it; a forfeit is public."""
        return self.forfeit or f"p{self.seat + 1} {self.before.describe(self.action, seat)}"

    def informs(self, seat: int) -> bool:
        """Return whether ``seat`` learned something: it saw a card, or another seat chose between actions."""
        if self.seat == seat:
            return self.describe(seat).partition(" ")[2] != str(self.action)
        return len(self.before.view(self.seat).legal_actions()) > 1


@dataclass(frozen=True)
class FinishedGame(Generic[S]):
    """A finished game: first and last state, actions and result."""

    game: Game[S]
    players: tuple[str, ...]
    deal: Deal
    first: S
    last: S
    actions: tuple[Any, ...]
    result: Result
    forfeit: str = ""

    @property
    def abnormal_end(self) -> str:
        """Return the reason if the game did not end by its rules, a forfeit or too many actions; otherwise an empty text."""
        return self.forfeit or ("" if self.last.result is not None else self.result.reason)

    def steps(self) -> Iterator[Step[S]]:
        """Replay the steps of the game, without a forfeit."""
        actions = iter(self.actions)
        players = [_ReplayPlayer(name, lambda view: next(actions)) for name in self.players]
        return Table(self.game, players, max_actions=len(self.actions)).steps(self.deal)

    @cached_property
    def record(self) -> Record:
        """Return the record of the game."""
        lines = (*(step.line for step in self.steps()), *([self.forfeit] if self.forfeit else []))
        return Record(self.game.name, self.game.rules(), self.players, self.deal, lines, self.result)


@dataclass(frozen=True)
class Table(Generic[S]):
    """A game and its players, one for each seat.

    ``time`` limits the time of each player. A game without an end after ``max_actions`` is stopped: no winner, all scores 0.
    With ``raise_errors`` exceptions of players propagate instead of being forfeits.
    """

    game: Game[S]
    players: Sequence[Player[Any, Any]]
    time: TimeLimit = TimeLimit()  # noqa: RUF009  # frozen, so sharing it is harmless
    max_actions: int = MAX_ACTIONS
    raise_errors: bool = False

    def __post_init__(self) -> None:
        if len(self.players) not in self.game.seats:
            seats = self.game.seats
            required = f"{seats[0]}" if len(seats) == 1 else f"{seats[0]} to {seats[-1]}"
            raise NotLegalHere(f"{self.game.name} is for {required} players, not {len(self.players)}")
        for player in self.players:
            if not isinstance(player.name, str):
                raise NotLegalHere(f"the name of a player is a text, not a {type(player.name).__name__}")

    def steps(self, deal: Deal, since: Step[S] | None = None, clock: Clock | None = None) -> Iterator[Step[S]]:
        """Play a game step by step, or continue it after the step ``since``.

        Each step is yielded before the next player chooses, so the caller can stop, wait, or continue from an earlier step.
        """
        if since is not None:
            return self._steps(since.after, deal, since.number + 1, clock)
        return self._steps(self.game.start(len(self.players), deal), deal, 0, clock)

    def _steps(self, state: S, deal: Deal, first: int, clock: Clock | None) -> Iterator[Step[S]]:
        root, players = deal.root, self.players
        clock = clock or (Clock(self.time, len(players)) if self.time else None)
        own_chance = getattr(type(state), "chance", None)  # of a match, whose deals have draws of their own
        for number in range(first, self.max_actions):
            seat = state.seat
            if seat is None:
                break
            player, view = players[seat], state.view(seat)
            chance = Chance(root, number, seat) if own_chance is None else own_chance(state)
            try:
                action = player.choose(view, chance) if clock is None else clock.choose(seat, player, view, chance)
            except FORFEIT_ERRORS as error:
                yield Step(number, state, seat, None, state, _error_forfeit(seat, player, error, self.time), error)
                break
            try:
                after = state.apply(action)
            except NotLegalHere:
                forfeit = _illegal_forfeit(view, player, action)
                if not forfeit:
                    raise  # an error of the game: the action is legal
                yield Step(number, state, seat, None, state, forfeit)
                break
            yield new_tuple(Step, (number, state, seat, action, after, "", None))
            state = after

    def play(self, deal: Deal) -> FinishedGame[S]:
        """Play a game to its end; a player that raises, answers illegally or runs out of time forfeits it."""
        first = self.game.start(len(self.players), deal)
        names, actions, step = tuple(player.name for player in self.players), [], None
        for step in self._steps(first, deal, 0, None):
            actions.append(step.action)
        if step is None or not step.forfeit:
            last = step.after if step else first
            return FinishedGame(self.game, names, deal, first, last, tuple(actions), last.result or _unfinished(len(names), len(actions)))
        if self.raise_errors and step.error is not None and not isinstance(step.error, OutOfTime):
            raise step.error
        result = step.before.forfeit(step.seat, step.forfeit)
        return FinishedGame(self.game, names, deal, first, step.before, tuple(actions[:-1]), result, step.forfeit)


@dataclass(frozen=True)
class _ReplayPlayer:
    """A player of recorded actions."""

    name: str
    answer: Callable[[Any], Any]

    def choose(self, view: Any, chance: Chance) -> Any:
        return self.answer(view)


class _RecordedForfeit(Exception):
    """The next line of the record is a forfeit."""


def replay(game: Game[S], record: Record) -> Iterator[Step[S]]:
    """Replay a record step by step; raise InvalidRecord if its actions break the rules or lead to another result."""
    lines = list(record.actions)

    def answer(view: Any) -> Any:
        who, _, text = lines[done].partition(" ")
        if who != f"p{view.seat + 1}":
            raise InvalidRecord(f"action {done + 1}, {lines[done]!r}: it was the turn of p{view.seat + 1}")
        if text.startswith(FORFEITS):
            raise _RecordedForfeit
        try:
            action = view.parse(text)
            view.verify(action)
        except MeldlabError as error:
            raise InvalidRecord(f"action {done + 1}, {lines[done]!r}: {error_text(error)}") from None
        if (line := state.describe(action)) != text:
            raise InvalidRecord(f"action {done + 1}, {lines[done]!r}: by the deal it reads {f'{who} {line}'!r}")
        return action

    table = Table(game, [_ReplayPlayer(name, answer) for name in record.players], max_actions=len(lines))
    state, done = game.start(len(record.players), record.deal), 0
    result = state.result
    for step in table.steps(record.deal):
        if isinstance(step.error, _RecordedForfeit):
            step = step._replace(forfeit=lines[done], error=None)
        elif step.error is not None:
            raise step.error
        state, done, result = step.after, done + 1, step.result
        yield step
    if done < len(lines):
        raise InvalidRecord(f"action {done + 1}, {lines[done]!r}: the game was over")
    if result is None and record.result == (unfinished := _unfinished(len(record.players), len(lines))):
        result = unfinished
    if result != record.result:
        raise InvalidRecord(f"the record says {_result_text(record.result)}, its actions lead to {_result_text(result)}")


def _result_text(result: Result | None) -> str:
    return "no end" if result is None else f"{list(result.scores)} {result.reason!r}"


def _unfinished(seats: int, actions: int) -> Result:
    return Result((0,) * seats, (), f"no end after {actions:,} actions")


def _error_forfeit(seat: int, player: Player[Any, Any], error: BaseException, limit: TimeLimit) -> str:
    """Return the record's line of a player that raised or ran out of time."""
    if isinstance(error, OutOfTime):
        return f"p{seat + 1} {FORFEITS}{player.name} ran out of time ({limit})"
    line = error_line(player_file(player), error)
    return f"p{seat + 1} {FORFEITS}{player.name} gave no answer: {error_text(error)}{f' ({line})' if line else ''}"


def _illegal_forfeit(view: Any, player: Player[Any, Any], action: Any) -> str:
    """Return the record's line of an illegal answer; empty if it is legal."""
    try:
        view.verify(action)
    except NotLegalHere as error:
        return f"p{view.seat + 1} {FORFEITS}{player.name} answered {one_line(action)!r}: {error_text(error)}"
    return ""
