"""The gin table: a ladder of opponents, the match, hints in two steps, what the other may hold."""

import json
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse, Response
from pydantic import BaseModel, ValidationError

from meldlab.errors import MeldlabError, NotLegalHere
from meldlab.play import Record
from meldlab.schemas.gin import GinAdvice
from meldlab.web.errors import HttpError
from meldlab.web.forms import form
from meldlab.web.gin_hand import moves_with, sorted_hand
from meldlab.web.rendering import page
from meldlab.web.repository import StoredMatch
from meldlab.web.routes.matches import Act, After, Begin, MatchId, MatchResponse, act_in, begin_match, look_at, take_back
from meldlab.web.services import Services, ServicesDep
from meldlab.web.shapes import Counts, Pair
from meldlab.web.visitors import Visitor, VisitorDep
from meldlab.web.work import gin as work

api = APIRouter(prefix="/api/gin", tags=["gin"])
pages = APIRouter(include_in_schema=False)
STRONGEST = "champion"
PRESETS = ("eaai", "pagat", "oklahoma", "openspiel")
Sort = Literal["melds", "suit", "rank", "came"]
SUITS = "CDHS"


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


@api.get("/matches/{id}/hint")
async def hint(
    services: ServicesDep,
    visitor: VisitorDep,
    id: MatchId,
    level: Annotated[int, Query(ge=1, le=2, description="1: which move; 2: what all are worth.")] = 1,
) -> Hint:
    """Return advice for the person whose turn it is."""
    match = _gin(services, id)
    return Hint(**await services.run(visitor, work.hint, record=match.record, seat=match.seat, level=level))


@api.get("/matches/{id}/beliefs")
async def beliefs(
    services: ServicesDep,
    visitor: VisitorDep,
    id: MatchId,
    round: Annotated[int | None, Query(ge=1, le=1000, description="A round that is over.")] = None,
) -> Beliefs:
    """Return what the other may hold by all that was seen; of a round that is over, with the truth."""
    match = _gin(services, id)
    return Beliefs(**await services.run(visitor, work.beliefs, record=match.record, seat=match.seat, round=round))


@api.post("/matches/{id}/again", status_code=201)
async def again(services: ServicesDep, visitor: VisitorDep, id: MatchId, swapped: bool = False) -> MatchResponse:
    """Play the deal of a match that is over again, with seats changed on request; it counts as practice."""
    match = _over(_gin(services, id))
    read = Record.parse(match.record)
    other = read.players[1 - match.seat]
    seat = 1 - match.seat if swapped else match.seat
    rules = dict(read.rules)
    return await begin_match(services, visitor, Begin(game="gin", rules=rules, opponents=[other], seat=seat, seed=read.deal.seed))


@api.post("/matches/{id}/watch", status_code=201)
async def watch(services: ServicesDep, visitor: VisitorDep, id: MatchId) -> MatchResponse:
    """Let the strongest player play the person's cards in a match that is over; the answer is a match that is over, too."""
    match = _over(_gin(services, id))
    record = await services.run(visitor, work.watch, record=match.record, seat=match.seat, player=STRONGEST)
    turns = len(Record.parse(record).actions)
    stored = services.repository.add_match(visitor.id, "gin", record, match.seat, turns, True, f"{STRONGEST} played it")
    return await look_at(services, visitor, stored.id)


def _gin(services: Services, id: str) -> StoredMatch:
    match = services.repository.match(id)
    if match.game != "gin":
        raise NotLegalHere("this is no match of gin")
    services.need("gin")
    return match


def _over(match: StoredMatch) -> StoredMatch:
    if not match.over:
        raise HttpError(409, "this can be done when the match is over")
    return match


@pages.get("/gin")
async def lobby(request: Request, services: ServicesDep, visitor: VisitorDep) -> Response:
    """Show the ladder, the rules, and the matches that wait."""
    return _lobby(request, services, visitor)


def _lobby(request: Request, services: Services, visitor: Visitor, problem: str = "", typed: dict[str, str] | None = None) -> Response:
    mine = []
    for match in services.repository.matches_of(visitor.id, "gin", most=20):
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
        body = Begin(game="gin", rules=rules, opponents=[typed.get("against", "simple")], seat=0, seed=seed)
        response = await begin_match(services, visitor, body)
    except ValidationError as error:
        return _lobby(request, services, visitor, error.errors()[0]["msg"], typed)
    except MeldlabError as error:
        return _lobby(request, services, visitor, str(error), typed)
    return RedirectResponse(f"/gin/{response.id}", 303)


@pages.get("/gin/{id}")
async def table(
    request: Request,
    services: ServicesDep,
    visitor: VisitorDep,
    id: MatchId,
    sort: Sort = "came",
    card: Annotated[str, Query(max_length=3)] = "",
    hint: Annotated[int, Query(ge=0, le=2)] = 0,
    beliefs: bool = False,
    round: Annotated[int | None, Query(ge=1, le=1000)] = None,
) -> Response:
    """Show the match."""
    return await _table(request, services, visitor, id, sort=sort, card=card, hints=hint, map=beliefs or round is not None, round=round)


async def _table(
    request: Request, services: Services, visitor: Visitor, id: str, *, sort: Sort = "came", card: str = "",
    hints: int = 0, map: bool = False, round: int | None = None, problem: str = "", status: int = 200, typed: str = "",
) -> Response:  # fmt: skip
    _gin(services, id)
    response = await look_at(services, visitor, id)
    view = response.view
    advice = await hint(services, visitor, id, hints) if hints and response.to_act else None
    held = await beliefs(services, visitor, id, round) if map and (response.to_act or round) else None
    chosen = card if card in view["hand"] else ""
    return page(
        request, "gin/table.html.jinja", status=status, title=f"Gin against {response.players[1 - response.seat]}", response=response,
        view=view, sort=sort,
        hand=sorted_hand(view["hand"], sort, view["melds"]), chosen=chosen, moves=moves_with(response.legal, chosen), hint=hints,
        advice=advice,
        beliefs=held, round=round, problem=problem, typed=typed, suits=SUITS, ranks="A23456789TJQK", said=_said(response),
    )  # fmt: skip


@pages.post("/gin/{id}/act")
async def act(request: Request, services: ServicesDep, visitor: VisitorDep, id: MatchId) -> Response:
    """Do what a button or a line says."""
    typed = await form(request)
    sort: Any = typed.get("sort") if typed.get("sort") in ("melds", "suit", "rank") else "came"
    text = typed.get("action", "")
    try:
        after = int(typed.get("after", "x")) if typed.get("after", "").isdecimal() else -1
        await act_in(services, visitor, id, Act(after=after, action=text))
    except (ValidationError, MeldlabError) as error:
        why = error.errors()[0]["msg"] if isinstance(error, ValidationError) else str(error)
        return await _table(request, services, visitor, id, sort=sort, problem=why, status=422, typed=text)
    return RedirectResponse(f"/gin/{id}" + (f"?sort={sort}" if sort != "came" else ""), 303)


@pages.post("/gin/{id}/undo")
async def undo(request: Request, services: ServicesDep, visitor: VisitorDep, id: MatchId) -> Response:
    """Take the last choice back."""
    typed = await form(request)
    try:
        after = int(typed["after"]) if typed.get("after", "").isdecimal() else 0
        await take_back(services, visitor, id, After(after=after))
    except (ValidationError, MeldlabError) as error:
        return await _table(request, services, visitor, id, problem=str(error), status=422)
    return RedirectResponse(f"/gin/{id}", 303)


@pages.post("/gin/{id}/again")
async def play_again(request: Request, services: ServicesDep, visitor: VisitorDep, id: MatchId) -> Response:
    """Play the deal again, or let the strongest player do it."""
    how = (await form(request)).get("how", "")
    made = await watch(services, visitor, id) if how == "watch" else await again(services, visitor, id, swapped=how == "swapped")
    return RedirectResponse(f"/gin/{made.id}", 303)


def _said(response: MatchResponse) -> str:
    """Return what happened since the user's last action, as text."""
    mine, since = f"p{response.seat + 1} ", []
    for line in reversed(response.log):
        if line.startswith(mine):
            if "draw stock" in line:
                since.append(f"You drew {line.split()[-1]}.")
            break
        since.append(f"The other: {line.partition(' ')[2].partition(' | ')[0]}.")
    return " ".join(reversed(since))
