"""Review: begin one, look at it, try decisions again, practise from all mistakes."""

from collections import OrderedDict
from typing import Annotated

from fastapi import APIRouter, Depends, Path

from meldlab.errors import NoSuchThing, NotLegalHere
from meldlab.play import USER, Record
from meldlab.web.errors import HttpError
from meldlab.web.review_models import Decided, Given, Judge, Judged, Kept, Mistake, Practice, Reviewed, ReviewResponse, Start
from meldlab.web.routes.runs import StoredRun
from meldlab.web.run_repository import BackgroundRun
from meldlab.web.services import Services, ServicesDep
from meldlab.web.visitors import Visitor, VisitorDep
from meldlab.web.work import review as work

api = APIRouter(prefix="/api/v1/review", tags=["review"])
MAX_READ = 1000  # reviews whose mistakes are at hand
READ: OrderedDict[str, list[tuple[str, list[str], int, int, float]]] = OrderedDict()
Action = Annotated[int, Path(ge=1, le=1_000_000, description="The action of the match, from 1.")]


@api.post("/records", status_code=201)
async def give_record(services: ServicesDep, visitor: VisitorDep, given: Given) -> Kept:
    """Keep a record from elsewhere, finished or not, as a match that can be reviewed."""
    services.need("gin")
    read = await services.run(visitor, work.read, text=given.text)
    players = read["players"]
    seat = players.index(USER) if USER in players else 0
    match = await services.sql(
        services.repository.add_match, visitor.id, "gin", read["record"], seat, read["actions"], True, "it was played elsewhere"
    )
    return Kept(match=match.id, players=players, actions=read["actions"])


@api.post("", status_code=201)
async def start(services: ServicesDep, visitor: VisitorDep, body: Start) -> ReviewResponse:
    """Begin to look back at a match that is over; what was done before with the same settings is response again."""
    match = await services.sql(services.repository.match, body.match)
    if match.game != "gin":
        raise NotLegalHere("only gin can be reviewed")
    if not match.over:
        raise HttpError(409, "a match can be reviewed when it is over: before, it would tell hidden cards")
    services.need("gin")
    players = Record.parse(match.record).players
    own = [seat for seat, name in enumerate(players) if name == USER] or list(range(len(players)))
    seats = own if body.seat is None else [body.seat - 1]
    arguments = {"match": match.id, "record": match.record, "seats": seats, "player": body.player, "worlds": body.worlds}
    run = await services.background.submit(visitor.id, "review", arguments)
    return await _response(services, run)


@api.get("/practice")
async def practice(services: ServicesDep, visitor: VisitorDep) -> Practice:
    """Return the mistakes of all reviews of who asks: those not solved, most costly first; then the others, the one last tried last."""
    tries, result = await services.sql(services.repository.tries_of, visitor.id), {}
    finished = await services.sql(services.runs.runs, visitor.id, ("review",), ("finished",))
    for run in reversed(finished):  # of two reviews of a match the newer one counts
        for match, players, action, round, cost in await _mistakes(services, run):
            tried = tries.get((match, action))
            item = Mistake(
                review=run.id, match=match, players=players, action=action, round=round, cost=cost,
                solved=tried is not None and tried.solved, tries=tried.tries if tried else 0,
            )  # fmt: skip
            result[match, action] = item, (item.solved, tried.changed if tried and item.solved else 0.0, -cost, match, action)
    mistakes = [item for item, _ in sorted(result.values(), key=lambda pair: pair[1])]
    return Practice(solved=sum(mistake.solved for mistake in mistakes), mistakes=mistakes)


async def stored_review(run: StoredRun) -> BackgroundRun:
    """Return the review of a request."""
    if run.kind != "review":
        raise NoSuchThing("job", run.id, ["the id of a review"])
    return run


StoredReview = Annotated[BackgroundRun, Depends(stored_review)]


@api.get("/{id}")
async def review(services: ServicesDep, run: StoredReview) -> ReviewResponse:
    """Return a review, as far as it is."""
    return await _response(services, run)


@api.post("/{id}/decisions/{action}")
async def judge(services: ServicesDep, visitor: VisitorDep, run: StoredReview, action: Action, tried: Judge) -> Judged:
    """Judge a move that is tried in place of the one made; a good one counts as solved."""
    result = await judged(services, visitor, run, action, tried.move)
    await services.sql(services.repository.note_try, visitor.id, run.settings["match"], action, result.good)
    return result


async def judged(services: Services, visitor: Visitor, run: BackgroundRun, action: int, move: str) -> Judged:
    """Judge a move, and store nothing."""
    services.need("gin")
    item = decided(await _response(services, run), action)
    settings = {name: run.settings[name] for name in ("record", "player", "worlds")}
    result = await services.run(visitor, work.judge, decision=item.model_dump(exclude={"position"}), move=move, **settings)
    return Judged(**result | {"best": result["best"] if result["good"] else None})


def decided(response: ReviewResponse, action: int) -> Decided:
    """Return a decision of a review that is done."""
    if response.review is None:
        raise HttpError(409, "the review is not done yet")
    result = {decision.action: decision for decision in response.review.decisions}
    if action not in result:
        raise HttpError(404, f"action {action} was no decision of a seat that was looked at")
    return result[action]


async def _response(services: Services, run: BackgroundRun) -> ReviewResponse:
    result = await services.sql(services.runs.result, run)
    values = {name: getattr(run, name) for name in ("id", "state", "version", "done", "total", "message")}
    return ReviewResponse(match=run.settings["match"], review=Reviewed.model_validate(result) if result else None, **values)


async def _mistakes(services: Services, run: BackgroundRun) -> list[tuple[str, list[str], int, int, float]]:
    """Return match, players, action, round and cost of the mistakes of a finished review; it never changes, so it is read once."""
    if run.id not in READ:
        response = Reviewed.model_validate(await services.sql(services.runs.result, run))
        READ[run.id] = [
            (response.match, response.players, decision.action, decision.round, decision.cost)
            for decision in response.decisions
            if decision.mistake
        ]
        while len(READ) > MAX_READ:
            READ.popitem(last=False)
    READ.move_to_end(run.id)
    return READ[run.id]
