"""What a worker does for a match: apply an action, let the other seats answer, and build the table.

The record is the match; a session keeps its steps between requests, and is made again from the record by a worker that does not have it.
"""

from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

from meldlab.errors import NotLegalHere
from meldlab.games import load_game, parse_opponent, read_move
from meldlab.play import USER, Deal, Record, Step, replay
from meldlab.play import Table as PlayTable
from meldlab.tables import Table, build_table, public

__all__ = ["MatchReference", "MoveData", "Played", "Session", "act", "begin", "look", "open_session", "undo"]

# Sessions of a worker, and the steps in all of them, each of which holds a state.
MAX_SESSIONS, MAX_STEPS = 128, 20_000
SESSIONS: OrderedDict[str, "Session"] = OrderedDict()


class MatchReference(NamedTuple):
    """A stored match, and the seat that sees it; None for spectators."""

    id: str
    record: str
    seat: int | None


class MoveData(NamedTuple):
    """A move by its verb, and the card and melds that tell it from others with this verb."""

    verb: str
    card: str | None
    melds: list[list[str]] | None


class Played(NamedTuple):
    """A match after a request: the record, which is for the store only, and what the seat sees."""

    record: str
    turn: int
    over: bool
    table: str
    """The view model as JSON."""
    log: list[str]
    informed: bool = False
    """Whether the seat had learned something in the actions that were taken back."""


class _OwnTurn(BaseException):
    """It is the turn of the visitor's seat, and there is no action left."""


class _Seat:
    """The player of the visitor's seat: answers once."""

    name = USER

    def __init__(self, choose: Callable[[Any], Any] | None) -> None:
        self.choice = choose

    def choose(self, view: Any, chance: Any) -> Any:
        if self.choice is None:
            raise _OwnTurn
        choose, self.choice = self.choice, None
        action = choose(view)
        view.verify(action)
        return action


class Session:
    """A match with its steps."""

    def __init__(self, text: str, record: Record, game: Any, steps: list[Step[Any]]) -> None:
        self.text, self.record, self.game, self.steps = text, record, game, steps
        self.logs: dict[int, list[str]] = {}
        self.texts: dict[int, list[str]] = {}  # the same in the words of the game

    @classmethod
    def replay(cls, text: str) -> "Session":
        """Return the session of a record."""
        record = Record.parse(text)
        game = load_game(record)
        return cls(text, record, game, list(replay(game, record)))

    @property
    def state(self) -> Any:
        """Return the state after all steps."""
        return self.steps[-1].after if self.steps else self.game.start(len(self.record.players), self.record.deal)

    def log(self, seat: int) -> list[str]:
        """Return the actions as a seat observed them."""
        log = self.logs.setdefault(seat, [])
        log.extend(step.describe(seat) for step in self.steps[len(log) :])
        return log

    def table(self, seat: int | None) -> Table:
        """Return the table as a seat, or a spectator, sees it."""
        own = seat or 0
        log, texts = self.log(own), self.texts.setdefault(own, [])
        texts.extend(step.narrate(own) for step in self.steps[len(texts) :])
        table = build_table(self.game, self.state.view(own), log, self.record.players, self.record.result, texts)
        return public(table) if seat is None else table

    def played(self, seat: int | None, informed: bool = False) -> Played:
        """Return the match as a seat, or a spectator, sees it."""
        table = self.table(seat)
        log = [f"p{event.seat + 1} {event.text}" for event in table.events] if seat is None else self.log(seat)
        return Played(self.text, len(self.steps), self.record.result is not None, table.model_dump_json(), log, informed)

    def extended(self, steps: list[Step[Any]]) -> "Session":
        """Return the session after more steps."""
        actions = (*self.record.actions, *(step.line for step in steps))
        record = replace(self.record, actions=actions, result=steps[-1].result if steps else None)
        session = Session(str(record), record, self.game, [*self.steps, *steps])
        session.logs = {seat: list(log) for seat, log in self.logs.items()}
        session.texts = {seat: list(texts) for seat, texts in self.texts.items()}
        return session

    def shortened(self, count: int) -> "Session":
        """Return the session without the last steps."""
        record = replace(self.record, actions=self.record.actions[:-count], result=None)
        return Session(str(record), record, self.game, self.steps[:-count])

    def play(self, seat: int, choose: Callable[[Any], Any] | None) -> "Session":
        """Return the session after an action of the seat, if there is one, and the answers of the others."""
        if self.steps and self.steps[-1].result is not None:
            raise NotLegalHere("the match is over")
        own, new = _Seat(choose), list[Step[Any]]()
        players = [own if place == seat else parse_opponent(self.game, name) for place, name in enumerate(self.record.players)]
        with suppress(_OwnTurn):
            for step in PlayTable(self.game, players).steps(self.record.deal, self.steps[-1] if self.steps else None):
                if step.seat == seat and step.error is not None:
                    raise step.error
                new.append(step)
        return self.extended(new)


def begin(id: str, kind: str, rules: dict[str, Any], players: tuple[str, ...], deal: Deal) -> Played:
    """Start a match, with the actions of the others before the first turn of the visitor's seat."""
    record = Record(kind, rules, players, deal)
    game = load_game(record)
    record = replace(record, game=game.name, rules=game.rules())
    seat = players.index(USER)
    return _store(id, Session(str(record), record, game, []).play(seat, None)).played(seat)


def look(reference: MatchReference) -> Played:
    """Return a match as a seat, or a spectator, sees it."""
    return open_session(reference).played(reference.seat)


def act(reference: MatchReference, action: str | int | MoveData) -> Played:
    """Return a match after an action: a text as one would type it, the index of a legal move, or a move as data."""
    session, seat = open_session(reference), _own_seat(reference)

    def choose(view: Any) -> Any:
        if isinstance(action, str):
            return read_move(session.game, view, action)
        index = action if isinstance(action, int) else session.table(seat).find_move(*action)
        legal = view.legal_actions()
        if not 0 <= index < len(legal):
            raise NotLegalHere(f"no move {index} (0 to {len(legal) - 1})")
        return legal[index]

    return _store(reference.id, session.play(seat, choose)).played(seat)


def undo(reference: MatchReference) -> Played:
    """Return a match before the last choice of the seat."""
    session, seat = open_session(reference), _own_seat(reference)
    informed = False
    for count, step in enumerate(reversed(session.steps), 1):
        informed = informed or step.informs(seat)
        if step.seat == seat and len(step.before.view(seat).legal_actions()) > 1:
            return _store(reference.id, session.shortened(count)).played(seat, informed)
    raise NotLegalHere("there is nothing to take back")


def open_session(reference: MatchReference) -> Session:
    """Return the session of a match."""
    session = SESSIONS.get(reference.id)
    # Another worker may have played the match, or a stored version of it may have lost against another.
    if session is None or session.text != reference.record:
        session = Session.replay(reference.record)
    return _store(reference.id, session)


def _store(id: str, session: Session) -> Session:
    SESSIONS[id] = session
    SESSIONS.move_to_end(id)
    while len(SESSIONS) > MAX_SESSIONS or (len(SESSIONS) > 1 and sum(len(other.steps) for other in SESSIONS.values()) > MAX_STEPS):
        SESSIONS.popitem(last=False)
    return session


def _own_seat(reference: MatchReference) -> int:
    if reference.seat is None:
        raise NotLegalHere("spectators do not act")
    return reference.seat
