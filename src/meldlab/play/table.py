"""The driver: asks each player in turn, lets nobody break the rules, and writes the record.

It is the one loop of the house: games that are played, shown, replayed, told or tested are steps of a table, and a person at the
terminal is a player. Only what a player itself does is its forfeit: an exception out of its ``choose``, no answer in time, an answer
that the rules refuse. A mistake of the game surfaces as it is.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, NamedTuple, TypeVar

from meldlab.errors import MeldlabError, NotLegalHere
from meldlab.play.chance import Chance, Deal
from meldlab.play.clock import Clock, OutOfTime, TimeLimit
from meldlab.play.protocol import Game, Player, Result, State
from meldlab.play.reasons import file_of, line_in, said, text_of
from meldlab.play.record import Record

__all__ = ["BrokenRecord", "Played", "Step", "Table", "replay"]

S = TypeVar("S", bound=State[Any, Any])
FORFEITS = "forfeits: "
MOST_ACTIONS = 100_000  # of one game; a match of gin takes about a thousand
# What a player can raise and lose by. KeyboardInterrupt is ours, and what else is no Exception belongs to whoever called the table.
GIVING_UP = (Exception, SystemExit, GeneratorExit, OutOfTime)


make: Any = tuple.__new__  # of a game between random players, making steps by their fields would take a twentieth


class BrokenRecord(NotLegalHere):
    """A record that cannot be played: which action, and why."""


class Step(NamedTuple, Generic[S]):
    """One action of a game: its number from 0, the state before it, who did what, and the state after it.

    A forfeit is a step without an action, after which nothing comes; ``mistake`` is what the player raised, if it did.
    """

    number: int
    before: S
    seat: int
    action: Any
    after: S
    forfeit: str = ""
    mistake: BaseException | None = None

    @property
    def line(self) -> str:
        """Return the step as it enters the record."""
        return self.forfeit or f"p{self.seat + 1} {self.before.tell(self.action)}"

    @property
    def result(self) -> Result | None:
        """Return how the game ended, if it did by this step."""
        return self.before.forfeit(self.seat, self.forfeit) if self.forfeit else self.after.result

    def heard(self, seat: int) -> str:
        """Return the step as a seat notices it; a forfeit is told to all."""
        return self.forfeit or f"p{self.seat + 1} {self.before.heard(self.action, seat)}"

    def teaches(self, seat: int) -> bool:
        """Tell whether a seat knows more after the step: it saw a card, or somebody else has made a choice."""
        if self.seat == seat:
            return self.heard(seat).partition(" ")[2] != str(self.action)
        return len(self.before.view(self.seat).legal_actions()) > 1


@dataclass(frozen=True)
class Played(Generic[S]):
    """A game that came to its end: where it started, what was done, how it ended."""

    game: Game[S]
    players: tuple[str, ...]
    deal: Deal
    first: S
    last: S
    actions: tuple[Any, ...]
    result: Result
    forfeit: str = ""

    @property
    def trouble(self) -> str:
        """Return how the game ended if not by its rules: a forfeit, or too many actions; otherwise nothing."""
        return self.forfeit or ("" if self.last.result is not None else self.result.reason)

    def steps(self) -> Iterator[Step[S]]:
        """Give every step of the game once more, but a forfeit."""
        actions = iter(self.actions)
        players = [_Answering(name, lambda view: next(actions)) for name in self.players]
        return Table(self.game, players, most_actions=len(self.actions)).steps(self.deal)

    @cached_property
    def record(self) -> Record:
        """Return the game as it is written down."""
        lines = (*(step.line for step in self.steps()), *([self.forfeit] if self.forfeit else []))
        return Record(self.game.name, self.game.rules(), self.players, self.deal, lines, self.result)


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

    def steps(self, deal: Deal, since: Step[S] | None = None, clock: Clock | None = None) -> Iterator[Step[S]]:
        """Play one game and give each step when it is done; after ``since``, a step of it, go on from there.

        A step is asked for before the next player is, so whoever looks on may stop, wait, or go back to an earlier one.
        """
        if since is not None:
            return self._steps(since.after, deal, since.number + 1, clock)
        return self._steps(self.game.start(len(self.players), deal), deal, 0, clock)

    def _steps(self, state: S, deal: Deal, first: int, clock: Clock | None) -> Iterator[Step[S]]:
        root, players = deal.root, self.players
        clock = clock or (Clock(self.time, len(players)) if self.time else None)
        for number in range(first, self.most_actions):
            seat = state.seat
            if seat is None:
                break
            player, view, chance = players[seat], state.view(seat), Chance(root, number, seat)
            try:
                action = player.choose(view, chance) if clock is None else clock.ask(seat, player, view, chance)
            except GIVING_UP as problem:
                yield Step(number, state, seat, None, state, _no_answer(seat, player, problem, self.time), problem)
                break
            try:
                after = state.apply(action)
            except NotLegalHere:
                lost = _illegal(view, player, action)
                if not lost:
                    raise  # what the rules allow they must be able to do
                yield Step(number, state, seat, None, state, lost)
                break
            yield make(Step, (number, state, seat, action, after, "", None))
            state = after

    def play(self, deal: Deal) -> Played[S]:
        """Play one game to its end; a player that raises, answers illegally or runs out of time forfeits it."""
        first = self.game.start(len(self.players), deal)
        names, actions, step = tuple(player.name for player in self.players), [], None
        for step in self._steps(first, deal, 0, None):
            actions.append(step.action)
        if step is None or not step.forfeit:
            last = step.after if step else first
            return Played(self.game, names, deal, first, last, tuple(actions), last.result or _unended(len(names), len(actions)))
        if self.raising and step.mistake is not None and not isinstance(step.mistake, OutOfTime):
            raise step.mistake
        result = step.before.forfeit(step.seat, step.forfeit)
        return Played(self.game, names, deal, first, step.before, tuple(actions[:-1]), result, step.forfeit)


@dataclass(frozen=True)
class _Answering:
    """Sits where a game is played again, and answers what is written."""

    name: str
    answer: Callable[[Any], Any]

    def choose(self, view: Any, chance: Chance) -> Any:
        return self.answer(view)


class _GaveUp(Exception):
    """A record says here that a player has forfeited."""


def replay(game: Game[S], record: Record) -> Iterator[Step[S]]:
    """Give each step of a record; one whose lines do not fit the rules, or that ends otherwise than it says, is broken."""
    lines = list(record.actions)

    def answer(view: Any) -> Any:
        who, _, text = lines[done].partition(" ")
        if who != f"p{view.seat + 1}":
            raise BrokenRecord(f"action {done + 1}, {lines[done]!r}: it was the turn of p{view.seat + 1}")
        if text.startswith(FORFEITS):
            raise _GaveUp
        try:
            action = view.parse(text)
            view.verify(action)
        except MeldlabError as problem:
            raise BrokenRecord(f"action {done + 1}, {lines[done]!r}: {said(problem)}") from None
        if (told := state.tell(action)) != text:
            raise BrokenRecord(f"action {done + 1}, {lines[done]!r}: by the deal it reads {f'{who} {told}'!r}")
        return action

    table = Table(game, [_Answering(name, answer) for name in record.players], most_actions=len(lines))
    state, done = game.start(len(record.players), record.deal), 0
    ended = state.result
    for step in table.steps(record.deal):
        if isinstance(step.mistake, _GaveUp):
            step = step._replace(forfeit=lines[done], mistake=None)
        elif step.mistake is not None:
            raise step.mistake
        state, done, ended = step.after, done + 1, step.result
        yield step
    if done < len(lines):
        raise BrokenRecord(f"action {done + 1}, {lines[done]!r}: the game was over")
    if ended is None and record.result == (unended := _unended(len(record.players), len(lines))):
        ended = unended
    if ended != record.result:
        raise BrokenRecord(f"the record says {_ending(record.result)}, its actions lead to {_ending(ended)}")


def _ending(result: Result | None) -> str:
    return "no end" if result is None else f"{list(result.scores)} {result.reason!r}"


def _unended(seats: int, actions: int) -> Result:
    return Result((0,) * seats, (), f"no end after {actions:,} actions")


def _no_answer(seat: int, player: Player[Any, Any], problem: BaseException, limit: TimeLimit) -> str:
    """Return the line about a player that gave no answer."""
    if isinstance(problem, OutOfTime):
        return f"p{seat + 1} {FORFEITS}{player.name} ran out of time ({limit})"
    place = line_in(file_of(player), problem)
    return f"p{seat + 1} {FORFEITS}{player.name} gave no answer: {said(problem)}{f' ({place})' if place else ''}"


def _illegal(view: Any, player: Player[Any, Any], action: Any) -> str:
    """Return the line about an answer that the rules refuse; nothing if they do not."""
    try:
        view.verify(action)
    except NotLegalHere as problem:
        return f"p{view.seat + 1} {FORFEITS}{player.name} answered {text_of(action)!r}: {said(problem)}"
    return ""
