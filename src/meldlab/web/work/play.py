"""What a worker does for a match: play a record again, take the person's action, let the others answer.

Nothing is remembered but what is quicker to keep than to play again: the record is the match.
"""

from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from meldlab.digests import load_object
from meldlab.errors import NotLegalHere
from meldlab.games import game_kind, load_game
from meldlab.play import USER, Deal, Record, Step, Table, replay
from meldlab.web.opponents import opponent

# How a view is response as JSON, by the name of the game; it gets the game, the view and the steps so far.
SHOWN = {"gin": "meldlab.web.work.gin_view:shown", "recycle": "meldlab.web.work.recycle_view:shown"}
# How a person's text becomes an action, where more is understood than the notation of records.
READ = {"gin": "meldlab.gin.typed_moves:read_move"}
MAX_READY, MAX_READY_STEPS = 32, 5_000  # matches that a worker keeps ready, and their steps, each of which holds a whole state
READY: OrderedDict[str, tuple[Any, list[Step[Any]]]] = OrderedDict()


class _Wanted(BaseException):
    """It is the person's turn."""


class _Person:
    """Sits in the person's seat and answers once, if there is an answer."""

    name = USER

    def __init__(self, text: str | None, kind: str) -> None:
        self.text, self.kind = text, kind

    def choose(self, view: Any, chance: Any) -> Any:
        if self.text is None:
            raise _Wanted
        text, self.text = self.text, None
        action = load_object(READ[self.kind])(view, text) if self.kind in READ else view.parse(text)
        view.verify(action)
        return action


def begin(rules: dict[str, Any], game: str, players: list[str], seat: int, seed: int) -> dict[str, Any]:
    """Return a new match, with what the others have done before the person's first turn."""
    names = (*players[:seat], USER, *players[seat:])
    loaded = load_game(Record(game, rules, names, Deal(seed)))
    return _go_on(Record(loaded.name, loaded.rules(), names, Deal(seed)), seat, None)


def look(record: str, seat: int) -> dict[str, Any]:
    """Return a match as the seat sees it."""
    return _response(Record.parse(record), *steps_of(record), seat)


def act(record: str, seat: int, action: str) -> dict[str, Any]:
    """Return the match after an action of the person and what the others did then."""
    return _go_on(Record.parse(record), seat, action)


def undo(record: str, seat: int) -> dict[str, Any]:
    """Return the match before the person's last choice; ``seen`` tells whether something hidden was seen since."""
    before = Record.parse(record)
    _, steps = steps_of(record)
    seen = False
    for count, step in enumerate(reversed(steps), 1):
        seen = seen or step.informs(seat)
        if step.seat == seat and len(step.before.view(seat).legal_actions()) > 1:
            after = replace(before, actions=before.actions[:-count], result=None)
            return look(str(after), seat) | {"seen": seen}
    raise NotLegalHere("there is nothing to take back")


def steps_of(record: str) -> tuple[Any, list[Step[Any]]]:
    """Return the game of a record and its steps."""
    if record in READY:
        READY.move_to_end(record)
        return READY[record]
    read = Record.parse(record)
    game = load_game(read)
    return _keep(record, game, list(replay(game, read)))


def _keep(record: str, game: Any, steps: list[Step[Any]]) -> tuple[Any, list[Step[Any]]]:
    READY[record] = game, steps
    while len(READY) > MAX_READY or (len(READY) > 1 and sum(len(steps) for _, steps in READY.values()) > MAX_READY_STEPS):
        READY.popitem(last=False)
    return game, steps


def _go_on(record: Record, seat: int, action: str | None) -> dict[str, Any]:
    game, before = steps_of(str(record))
    if before and before[-1].result is not None:
        raise NotLegalHere("the match is over")
    steps = list(before)
    kind = game_kind(record)
    person = _Person(action, kind)
    table = Table(game, [person if place == seat else opponent(game, kind, name) for place, name in enumerate(record.players)])
    with suppress(_Wanted):
        for step in table.steps(record.deal, steps[-1] if steps else None):
            if step.seat == seat and step.error is not None:
                raise step.error
            steps.append(step)
    new = steps[len(before) :]
    result = steps[-1].result if steps else None
    after = replace(record, actions=(*record.actions, *(step.line for step in new)), result=result)
    _keep(str(after), game, steps)
    return _response(after, game, steps, seat)


def _response(record: Record, game: Any, steps: list[Step[Any]], seat: int) -> dict[str, Any]:
    """Return a match as its seat may know it, and the record for the store only."""
    state = steps[-1].after if steps else game.start(len(record.players), record.deal)
    view = state.view(seat)
    over = record.result is not None
    shown: Callable[[Any, Any, list[Step[Any]]], dict[str, Any]] = load_object(SHOWN[game_kind(record)])
    legal = view.legal_actions() if not over and state.seat == seat else ()
    return {
        "record": str(record),
        "response": {
            "game": record.game,
            "players": list(record.players),
            "seat": seat,
            "turn": len(steps),
            "to_act": bool(legal),
            "legal": [str(action) for action in legal],
            "log": [step.describe(seat) for step in steps],
            "over": over,
            "result": vars(record.result) if record.result else None,
            "view": shown(game, view, steps),
        },
    }
