"""The gin table: a ladder of opponents, the match, hints in two steps, what the other may hold."""

import json
from functools import cache
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import RedirectResponse, Response
from pydantic import BaseModel, Field, ValidationError

from meldlab.errors import MeldlabError, NotLegalHere
from meldlab.gin import Verb
from meldlab.play import Record
from meldlab.schemas.gin import GinAdvice
from meldlab.tables.model import MoveView, Table
from meldlab.web.errors import HttpError
from meldlab.web.forms import form
from meldlab.web.rendering import card_name, page
from meldlab.web.repository import StoredMatch
from meldlab.web.routes.matches import AnyMatch, MatchId, MatchResponse, NewMatch, OwnMatch, look, reference, start
from meldlab.web.routes.tables import GamePage
from meldlab.web.services import Services, ServicesDep
from meldlab.web.shapes import Counts, Pair
from meldlab.web.visitors import Visitor, VisitorDep
from meldlab.web.work import gin as work

api = APIRouter(prefix="/api/v1/gin", tags=["gin"])
pages = APIRouter(include_in_schema=False)
STRONGEST = "champion"
PRESETS = ("eaai", "pagat", "oklahoma", "openspiel")
SUITS, RANKS = "CDHS", "A23456789TJQK"


class Rung(BaseModel):
    """An opponent, and how strong it was measured to be."""

    name: str
    title: str
    does: str
    rating: int
    ci95: Counts
    beats_simple: float | None
    beats_simple_ci95: Pair | None


class Ladder(BaseModel):
    """The opponents, the weakest first, and the command that measured them."""

    command: str
    players: list[Rung]


class Hint(GinAdvice):
    """The best move and the reason; of the second level also the value of every move."""

    determinizations: int
    """Number of sampled deals that the moves share."""
    turns: str
    """The expected turns as text."""


class Beliefs(BaseModel):
    """The chance that the other holds each card; of a round that is over, what it did hold."""

    cards: dict[str, float]
    truth: list[str]


@cache
def measured() -> Ladder:
    """Return the ladder as it was measured."""
    return Ladder.model_validate(json.loads((Path(__file__).parents[1] / "ladder.json").read_text(encoding="utf-8")))


@api.get("/ladder")
async def ladder() -> Ladder:
    """Return the opponents with their measured ratings."""
    return measured()


async def _own_gin(services: ServicesDep, match: OwnMatch) -> StoredMatch:
    return _gin(services, match)


async def _finished_gin(services: ServicesDep, match: AnyMatch) -> StoredMatch:
    if not match.over:
        raise HttpError(409, "this can be done when the match is over")
    return _gin(services, match)


def _gin(services: Services, match: StoredMatch) -> StoredMatch:
    if match.game != "gin":
        raise NotLegalHere("this is no match of gin")
    services.need("gin")
    return match


OwnGin = Annotated[StoredMatch, Depends(_own_gin)]
FinishedGin = Annotated[StoredMatch, Depends(_finished_gin)]


@api.get("/matches/{id}/hint")
async def hint(
    services: ServicesDep,
    visitor: VisitorDep,
    match: OwnGin,
    level: Annotated[int, Query(ge=1, le=2, description="1: which move; 2: the values of all moves.")] = 1,
) -> Hint:
    """Give a hint to the player whose turn it is."""
    return Hint(**await services.run(visitor, work.hint, reference(match, visitor), level))


@api.get("/matches/{id}/beliefs")
async def beliefs(
    services: ServicesDep,
    visitor: VisitorDep,
    match: OwnGin,
    round: Annotated[int | None, Query(ge=1, le=1000, description="A round that is over.")] = None,
) -> Beliefs:
    """Estimate the opponent's hand from all that the seat has seen; for a round that is over, with the truth."""
    return Beliefs(**await services.run(visitor, work.beliefs, reference(match, visitor), round))


@api.post("/matches/{id}/again", status_code=201)
async def again(services: ServicesDep, visitor: VisitorDep, match: FinishedGin, swapped: bool = False) -> MatchResponse:
    """Play the deal of a finished match again, with seats changed on request; it counts as practice."""
    read = Record.parse(match.record)
    other = read.players[1 - match.seat]
    seat = 1 - match.seat if swapped else match.seat
    rules = dict(read.rules)
    return await start(services, visitor, NewMatch(game="gin", rules=rules, opponents=[other], seat=seat, seed=read.deal.seed))


@api.post("/matches/{id}/watch", status_code=201)
async def watch(services: ServicesDep, visitor: VisitorDep, match: FinishedGin) -> MatchResponse:
    """Let the strongest player play the own cards of a finished match; the answer is a finished match, too."""
    record = await services.run(visitor, work.watch, match.record, STRONGEST)
    turns = len(Record.parse(record).actions)
    add = services.repository.add_match
    stored = await services.sql(add, visitor.id, "gin", record, match.seat, turns, True, f"{STRONGEST} played it")
    return await look(services, visitor, stored)


@pages.get("/gin")
async def lobby(request: Request, services: ServicesDep, visitor: VisitorDep) -> Response:
    """Show the ladder, the rules, and the matches that wait."""
    return await _lobby(request, services, visitor)


async def _lobby(
    request: Request, services: Services, visitor: Visitor, problem: str = "", typed: dict[str, str] | None = None
) -> Response:
    mine = []
    for match in await services.sql(services.repository.matches_of, visitor.id, "gin", most=20):
        read = Record.parse(match.record)
        mine.append(
            {"id": match.id, "over": match.over, "turn": match.turn, "against": read.players[1 - match.seat], "result": read.result}
        )
    values: dict[str, Any] = {
        "ladder": measured(),
        "mine": mine,
        "presets": PRESETS,
        "typed": typed or {},
        "problem": problem,
        "warming": services.warming,
    }
    return page(request, "gin/lobby.html.jinja", title="Gin table", status=422 if problem else 200, **values)


@pages.post("/gin")
async def begin(request: Request, services: ServicesDep, visitor: VisitorDep) -> Response:
    """Begin a match, and go to its table."""
    typed = await form(request)
    rules: dict[str, Any] = {"preset": typed.get("preset", "eaai")}
    for field in ("knock_limit", "match_points"):
        if typed.get(field, "").strip():
            rules[field] = int(typed[field]) if typed[field].strip().isdecimal() else typed[field]
    try:
        seed = int(typed["seed"]) if typed.get("seed", "").strip().isdecimal() else None
        body = NewMatch(game="gin", rules=rules, opponents=[typed.get("against", "simple")], seat=0, seed=seed)
        response = await start(services, visitor, body)
    except ValidationError as error:
        return await _lobby(request, services, visitor, error.errors()[0]["msg"], typed)
    except MeldlabError as error:
        return await _lobby(request, services, visitor, str(error), typed)
    return RedirectResponse(f"/play/{response.id}", 303)


@pages.get("/gin/{id}")
async def old_table(id: MatchId) -> Response:
    """Redirect to the table of a match."""
    return RedirectResponse(f"/play/{id}", 308)


@pages.post("/gin/{id}/again")
async def play_again(request: Request, services: ServicesDep, visitor: VisitorDep, match: FinishedGin) -> Response:
    """Play the deal again, or let the strongest player do it."""
    how = (await form(request)).get("how", "")
    response = await (watch(services, visitor, match) if how == "watch" else again(services, visitor, match, swapped=how == "swapped"))
    return RedirectResponse(f"/play/{response.id}", 303)


# --- the page of a match


class Extras(BaseModel):
    """What the page shows besides the table; it stands in the address."""

    hint: int = Field(default=0, ge=0, le=2)
    beliefs: bool = False
    round: int | None = Field(default=None, ge=1, le=1000)


async def _values(request: Request, services: Services, visitor: Visitor, match: StoredMatch, table: Table) -> dict[str, Any]:
    try:
        extras = Extras.model_validate(dict(request.query_params))
    except ValidationError as error:
        raise RequestValidationError([{**item, "loc": ("query", *item["loc"])} for item in error.errors()]) from None
    query = dict(request.query_params)
    show_beliefs = table.seat is not None and (extras.round or (extras.beliefs and table.moves))
    return {
        "hint": extras.hint,
        "advice": await hint(services, visitor, match, extras.hint) if extras.hint and table.moves else None,
        "beliefs": await beliefs(services, visitor, match, extras.round) if show_beliefs else None,
        "round": extras.round,
        "query": lambda **changed: urlencode({name: value for name, value in (query | changed).items() if value}),
        "suits": SUITS,
        "ranks": RANKS,
        "links": [("/gin", "Another match")],
    }


def _label(move: MoveView) -> str:
    """Return the text of the button of a move."""
    card = move.cards[0] if move.cards else ""
    match move.verb:
        case Verb.DRAW:
            return "Draw from the stock"
        case Verb.TAKE:
            return f"Take the {card_name(card)}"
        case Verb.DROP:
            return f"Discard {card}"
        case Verb.KNOCK:
            return f"Knock with {card} ({move.leaves})"
    return move.text[:1].upper() + move.text[1:]


KEYS = {Verb.DRAW: "d", Verb.TAKE: "t", Verb.PASS: "p", Verb.DROP: "Enter", Verb.KNOCK: "k", Verb.SHOW: "Enter", Verb.BIG_GIN: "k"}
PAGE = GamePage(_values, "gin/table.html.jinja", _label, {str(verb): key for verb, key in KEYS.items()})
