"""Matches of a person with players, for every game of the house: begin, look, act, take back; no card that the seat may not see.

The seed stays here until the match is over: it is the deal.
"""

import asyncio
import secrets
from collections.abc import AsyncIterator
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header, Path, Request
from fastapi.responses import PlainTextResponse
from fastapi.sse import EventSourceResponse, ServerSentEvent
from pydantic import BaseModel, ConfigDict, Field

from meldlab.errors import NotLegalHere
from meldlab.play import Record
from meldlab.web.errors import HttpError
from meldlab.web.opponents import check_opponent
from meldlab.web.repository import StoredMatch
from meldlab.web.services import Services, ServicesDep
from meldlab.web.visitors import VisitorDep
from meldlab.web.work import play as work

router = APIRouter(prefix="/api/matches", tags=["matches"])
MatchId = Annotated[str, Path(pattern="^[A-Za-z0-9_-]{16}$", description="The name of a match, as the answer of POST gives it.")]
KERNELS = {"gin": "gin", "recycle": "recycle"}


class Begin(BaseModel):
    """A match to begin."""

    model_config = ConfigDict(extra="forbid")
    game: Literal["gin", "recycle"]
    rules: dict[str, str | int | bool | dict[str, int]] = Field(default_factory=dict, max_length=40)
    """As in a record: of gin a ``preset`` and the fields that differ, of a RECYCLE game its ``description``."""
    opponents: list[Annotated[str, Field(max_length=40)]] = Field(max_length=7)
    """One for each other seat; a game for one player has none."""
    seat: int = Field(default=0, ge=0, le=7)
    seed: int | None = Field(default=None, ge=0, le=2**63 - 1)
    """The deal; a match with a chosen deal counts as practice."""


class Act(BaseModel):
    """An action in a match, as one would type it."""

    model_config = ConfigDict(extra="forbid")
    after: int = Field(ge=0, le=1_000_000)
    """How many actions the match had when this one was chosen; with more now the request is rejected."""
    action: str = Field(max_length=2000)


class After(BaseModel):
    """The moment in a match that is meant."""

    model_config = ConfigDict(extra="forbid")
    after: int = Field(ge=0, le=1_000_000)


class Ending(BaseModel):
    """How a match ended."""

    scores: list[int]
    winners: list[int]
    reason: str


class MatchResponse(BaseModel):
    """A match as the person's seat may know it."""

    id: str
    version: int
    game: str
    players: list[str]
    seat: int
    turn: int
    """How many actions were done."""
    to_act: bool
    legal: list[str]
    """What can be done now, as one would type it."""
    log: list[str]
    """The actions so far, as the seat observed them."""
    over: bool
    result: Ending | None
    view: dict[str, Any]
    """What the seat sees; the fields are those of its game."""
    practice: str
    """Why the match does not count, if it does not."""
    seed: int | None = None
    """The deal, when the match is over."""


@router.post("", status_code=201)
async def begin_match(services: ServicesDep, visitor: VisitorDep, body: Begin) -> MatchResponse:
    """Begin a match against players of the house."""
    for name in body.opponents:
        check_opponent(body.game, name)
    if body.seat > len(body.opponents):
        raise NotLegalHere(f"there are seats 0 to {len(body.opponents)}, not {body.seat}")
    services.need(KERNELS[body.game])
    seed = secrets.randbits(63) if body.seed is None else body.seed
    made = await services.run(visitor, work.begin, rules=body.rules, game=body.game, players=body.opponents, seat=body.seat, seed=seed,
    )  # fmt: skip
    practice = "" if body.seed is None else "the deal was chosen"
    response = made["response"]
    match = services.repository.add_match(visitor.id, body.game, made["record"], body.seat, response["turn"], response["over"], practice)
    return _response(match, made)


@router.get("")
async def matches(services: ServicesDep, visitor: VisitorDep) -> list[dict[str, str | float | bool]]:
    """Return the matches of who asks, the one last touched first."""
    return [
        {"id": item.id, "game": item.game, "over": item.over, "changed": item.changed}
        for item in services.repository.matches_of(visitor.id)
    ]


@router.get("/{id}")
async def look_at(services: ServicesDep, visitor: VisitorDep, id: MatchId) -> MatchResponse:
    """Return a match as the person's seat may know it."""
    match = services.repository.match(id)
    services.need(KERNELS[match.game])
    return _response(match, await services.run(visitor, work.look, record=match.record, seat=match.seat))


@router.post("/{id}/actions")
async def act_in(services: ServicesDep, visitor: VisitorDep, id: MatchId, body: Act) -> MatchResponse:
    """Do something in a match; the answer has what the others did after it."""
    match = await _meant(services, id, body.after)
    made = await services.run(visitor, work.act, record=match.record, seat=match.seat, action=body.action)
    response = made["response"]
    return _response(services.repository.change_match(match, record=made["record"], turn=response["turn"], over=response["over"]), made)


@router.post("/{id}/undo")
async def take_back(services: ServicesDep, visitor: VisitorDep, id: MatchId, body: After) -> MatchResponse:
    """Take the last choice back; once a hidden card was seen the match is practice."""
    match = await _meant(services, id, body.after)
    made = await services.run(visitor, work.undo, record=match.record, seat=match.seat)
    practice = match.practice or ("a choice was taken back after a hidden card was seen" if made["seen"] else "")
    return _response(
        services.repository.change_match(match, record=made["record"], turn=made["response"]["turn"], practice=practice, over=False), made
    )


@router.get("/{id}/record", response_class=PlainTextResponse)
async def record_of(services: ServicesDep, id: MatchId) -> str:
    """Return the record of a match that is over; before, it would tell the deal."""
    match = services.repository.match(id)
    if not match.over:
        raise HttpError(409, "the record holds the deal; it can be had when the match is over")
    return match.record


@router.get("/{id}/events", response_class=EventSourceResponse)
async def events(
    services: ServicesDep, request: Request, id: MatchId, last_event_id: Annotated[str | None, Header(max_length=20)] = None
) -> AsyncIterator[ServerSentEvent]:
    """Tell each change of a match by its version; a stream with Last-Event-ID continues after it."""
    since = int(last_event_id) if last_event_id and last_event_id.isdecimal() else -1
    services.repository.match(id)
    while not await request.is_disconnected():
        match = services.repository.match(id)
        if match.version > since:
            since = match.version
            yield ServerSentEvent(data={"version": match.version, "over": match.over}, id=str(match.version), event="match")
        await asyncio.sleep(0.3)


async def _meant(services: Services, id: str, after: int) -> StoredMatch:
    """Return a match if it has the number of actions that the user saw."""
    match = services.repository.match(id)
    services.need(KERNELS[match.game])
    if match.turn != after:
        raise HttpError(409, "the match has gone on in another window")
    return match


def _response(match: StoredMatch, made: dict[str, Any]) -> MatchResponse:
    response = made["response"]
    seed = Record.parse(match.record).deal.seed if response["over"] else None
    return MatchResponse(id=match.id, version=match.version, practice=match.practice, seed=seed, **response)
