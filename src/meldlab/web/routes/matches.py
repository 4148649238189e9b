"""Matches of a visitor with players, for every game: start, look, act, undo; no card that the seat may not see.

The seed stays in the store until the match is over: it is the deal.
"""

import secrets
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Path, Query, Request
from fastapi.responses import PlainTextResponse
from fastapi.sse import EventSourceResponse, ServerSentEvent
from pydantic import BaseModel, ConfigDict, Field

from meldlab.errors import NotLegalHere
from meldlab.games import OFFERED, check_opponent
from meldlab.play import USER, Deal, Record
from meldlab.tables import Table
from meldlab.web.errors import HttpError
from meldlab.web.repository import StoredMatch
from meldlab.web.services import Services, ServicesDep
from meldlab.web.visitors import Visitor, VisitorDep, seat_for
from meldlab.web.work import play as work
from meldlab.web.work.play import MatchReference, MoveData, Played

__all__ = [
    "ActionRequest", "AnyMatch", "MatchId", "MatchResponse", "MoveIndex", "NewMatch", "Outdated", "OwnMatch", "TypedAction", "UndoRequest",
    "act", "look", "reference", "router", "start", "take_back",
]  # fmt: skip

router = APIRouter(prefix="/api/v1/matches", tags=["matches"])
MatchId = Annotated[str, Path(pattern="^[A-Za-z0-9_-]{16}$", description="The id of a match, as the answer of POST gives it.")]
CardText = Annotated[str, Field(max_length=40)]


class NewMatch(BaseModel):
    """A match to start."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"game": OFFERED[0], "opponents": ["simple"], "rules": {"match_points": 50}}]}
    )
    game: str = Field(pattern=f"^({'|'.join(OFFERED)})$", examples=[*OFFERED])
    rules: dict[str, str | int | bool | dict[str, int]] = Field(default_factory=dict, max_length=40)
    """As in a record: a ``preset`` and the fields that differ, or the ``description`` of a RECYCLE game."""
    opponents: list[Annotated[str, Field(max_length=40)]] = Field(max_length=7)
    """One for each other seat; a game for one player has none."""
    seat: int = Field(default=0, ge=0, le=7)
    seed: int | None = Field(default=None, ge=0, le=2**63 - 1)
    """The deal; a match with a chosen deal counts as practice."""


class UndoRequest(BaseModel):
    """The moment of a match."""

    model_config = ConfigDict(extra="forbid")
    after: int = Field(ge=0, le=1_000_000)
    """The number of actions that the match had when this one was chosen; with more now the request is rejected."""


class MoveRequest(UndoRequest):
    """A move as data, as in ``moves`` of the table: the verb, and the card and melds that distinguish it from others."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"after": 3, "verb": "drop", "card": "7H"}]})
    verb: str = Field(max_length=40)
    card: CardText | None = None
    melds: list[Annotated[list[CardText], Field(max_length=20)]] | None = Field(default=None, max_length=40)


class MoveIndex(UndoRequest):
    """A move by its index in ``moves`` of the table."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"after": 3, "move": 0}]})
    move: int = Field(ge=0, le=1_000_000)


class TypedAction(UndoRequest):
    """A move as text, with the short forms of the command line."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"after": 3, "action": "drop 7H"}]})
    action: str = Field(max_length=2000)


ActionRequest = MoveRequest | MoveIndex | TypedAction


class MatchSummary(BaseModel):
    """A match in the list of a visitor."""

    id: str
    game: str
    over: bool
    changed: float


class MatchResponse(BaseModel):
    """A match as a seat sees it; for spectators without hidden cards and moves."""

    id: str
    version: int
    """Counts every change of the match."""
    game: str
    """The kind of game."""
    turn: int
    """The number of actions so far."""
    over: bool
    practice: str
    """Why the match does not count, if it does not."""
    seed: int | None = None
    """The deal, when the match is over."""
    log: list[str]
    """The actions so far, as the seat observed them; for spectators the newest 60."""
    table: Table


class Outdated(HttpError):
    """The match has more actions, or fewer, than the request says."""

    code = "outdated"

    def __init__(self) -> None:
        super().__init__(409, "the match has changed since: look at it again")


async def _any_match(services: ServicesDep, id: MatchId) -> StoredMatch:
    return await services.sql(services.repository.match, id)


AnyMatch = Annotated[StoredMatch, Depends(_any_match)]


async def _own_match(match: AnyMatch, visitor: VisitorDep) -> StoredMatch:
    if seat_for(match, visitor) is None:
        raise HttpError(403, "this match is not yours: you can watch it")
    return match


OwnMatch = Annotated[StoredMatch, Depends(_own_match)]


def reference(match: StoredMatch, visitor: Visitor) -> MatchReference:
    """Return a match as workers need it, for the seat of the visitor."""
    return MatchReference(match.id, match.record, seat_for(match, visitor))


@router.post("", status_code=201)
async def start(services: ServicesDep, visitor: VisitorDep, body: NewMatch) -> MatchResponse:
    """Start a match."""
    for name in body.opponents:
        check_opponent(body.game, name)
    if body.seat > len(body.opponents):
        raise NotLegalHere(f"there are seats 0 to {len(body.opponents)}, not {body.seat}")
    services.need(body.game)
    deal = Deal(secrets.randbits(63) if body.seed is None else body.seed)
    players = (*body.opponents[: body.seat], USER, *body.opponents[body.seat :])
    id = secrets.token_urlsafe(12)
    played = await services.run(visitor, work.begin, id, body.game, body.rules, players, deal)
    practice = "" if body.seed is None else "the deal was chosen"
    match = await services.sql(
        services.repository.add_match, visitor.id, body.game, played.record, body.seat, played.turn, played.over, practice, id=id
    )
    return _response(match, played)


@router.get("")
async def matches(services: ServicesDep, visitor: VisitorDep) -> list[MatchSummary]:
    """List the matches of the visitor, the one last changed first."""
    stored = await services.sql(services.repository.matches_of, visitor.id)
    return [MatchSummary(id=match.id, game=match.game, over=match.over, changed=match.changed) for match in stored]


@router.get("/{id}")
async def look(services: ServicesDep, visitor: VisitorDep, match: AnyMatch) -> MatchResponse:
    """Show a match; visitors without a seat see it as spectators."""
    services.need(match.game)
    return _response(match, await services.run(visitor, work.look, reference(match, visitor)))


@router.post("/{id}/actions")
async def act(services: ServicesDep, visitor: VisitorDep, match: OwnMatch, body: ActionRequest) -> MatchResponse:
    """Act in a match; the answer has the actions of the others after it."""
    _check_moment(services, match, body)
    action: str | int | MoveData
    match body:
        case TypedAction():
            action = body.action
        case MoveIndex():
            action = body.move
        case MoveRequest():
            action = MoveData(body.verb, body.card, body.melds)
    played = await services.run(visitor, work.act, reference(match, visitor), action)
    return await _changed(services, match, played)


@router.post("/{id}/undo")
async def take_back(services: ServicesDep, visitor: VisitorDep, match: OwnMatch, body: UndoRequest) -> MatchResponse:
    """Take the last choice back; once a hidden card was seen the match is practice."""
    _check_moment(services, match, body)
    played = await services.run(visitor, work.undo, reference(match, visitor))
    practice = match.practice or ("a choice was taken back after a hidden card was seen" if played.informed else "")
    return await _changed(services, match, played, practice)


@router.get("/{id}/record", response_class=PlainTextResponse)
async def record(match: AnyMatch) -> str:
    """Return the record of a finished match; before, it would tell the deal."""
    if not match.over:
        raise HttpError(409, "the record has the deal: it is there when the match is over")
    return match.record


@router.get("/{id}/events", response_class=EventSourceResponse)
async def events(
    services: ServicesDep,
    visitor: VisitorDep,
    request: Request,
    match: AnyMatch,
    table: Annotated[bool, Query(description="Whether each event has the whole match, as GET gives it.")] = False,
    last_event_id: Annotated[str | None, Header(max_length=20)] = None,
) -> AsyncIterator[ServerSentEvent]:
    """Stream each change of a match; a stream with Last-Event-ID continues after it."""
    since = int(last_event_id) if last_event_id and last_event_id.isdecimal() else -1
    with services.notifier.subscribe(match.id) as changed:
        while not await request.is_disconnected():
            changed.clear()
            match = await services.sql(services.repository.match, match.id)
            if match.version > since:
                since = match.version
                data = (await look(services, visitor, match)).model_dump() if table else {"version": match.version, "over": match.over}
                yield ServerSentEvent(data=data, id=str(match.version), event="match")
            await changed.wait()


def _check_moment(services: Services, match: StoredMatch, body: UndoRequest) -> None:
    services.need(match.game)
    if match.turn != body.after:
        raise Outdated


async def _changed(services: Services, match: StoredMatch, played: Played, practice: str | None = None) -> MatchResponse:
    practice = match.practice if practice is None else practice
    values = {"record": played.record, "turn": played.turn, "over": played.over, "practice": practice}
    changed = await services.sql(services.repository.change_match, match, **values)
    services.notifier.notify(match.id)
    return _response(changed, played)


def _response(match: StoredMatch, played: Played) -> MatchResponse:
    return MatchResponse(
        id=match.id,
        version=match.version,
        game=match.game,
        turn=match.turn,
        over=match.over,
        practice=match.practice,
        seed=Record.parse(match.record).deal.seed if match.over else None,
        log=played.log,
        table=Table.model_validate_json(played.table),
    )
