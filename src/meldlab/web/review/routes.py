"""Review: begin one, look at it, try decisions again, practise from all mistakes."""

import json
from collections import OrderedDict
from typing import Annotated

from fastapi import APIRouter, Path

from meldlab.errors import NoSuchThing, NotLegalHere
from meldlab.play import USER, Record
from meldlab.web.jobs import KINDS
from meldlab.web.kept import Job
from meldlab.web.laboratory import Lab, Laboratory, Person
from meldlab.web.long_work import JobId
from meldlab.web.problems import HttpRefusal
from meldlab.web.review.told import Decided, Given, Judge, Judged, Kept, Mistake, Practice, Reviewed, ReviewTold, Start

__all__ = ["Action", "api", "decided", "give_record", "judge", "judged", "practice", "review", "start"]

api = APIRouter(prefix="/api/review", tags=["review"])
KINDS["review"] = "meldlab.web.review.work:review"
MOST_READ = 1000  # reviews whose mistakes are at hand
READ: OrderedDict[str, list[tuple[str, list[str], int, int, float]]] = OrderedDict()
Action = Annotated[int, Path(ge=1, le=1_000_000, description="The action of the match, from 1.")]


@api.post("/records", status_code=201)
async def give_record(lab: Lab, person: Person, given: Given) -> Kept:
    """Keep a record from elsewhere, finished or not, as a match that can be reviewed."""
    lab.need("gin")
    read = await lab.ask("meldlab.web.review.work:read", text=given.text)
    players = read["players"]
    seat = players.index(USER) if USER in players else 0
    match = lab.kept.add_match(person, "gin", read["record"], seat, read["actions"], True, "it was played elsewhere")
    return Kept(match=match.id, players=players, actions=read["actions"])


@api.post("", status_code=201)
async def start(lab: Lab, person: Person, wanted: Start) -> ReviewTold:
    """Begin to look back at a match that is over; what was done before with the same settings is told again."""
    match = lab.kept.match(wanted.match)
    if match.game != "gin":
        raise NotLegalHere("only gin can be reviewed")
    if not match.over:
        raise HttpRefusal(409, "a match can be reviewed when it is over: before, it would tell hidden cards")
    lab.need("gin")
    players = Record.parse(match.record).players
    own = [seat for seat, name in enumerate(players) if name == USER] or list(range(len(players)))
    seats = own if wanted.seat is None else [wanted.seat - 1]
    arguments = {"match": match.id, "record": match.record, "seats": seats, "player": wanted.player, "worlds": wanted.worlds}
    return _told(lab.kept.same_job(person, "review", arguments) or lab.jobs.add(person, "review", arguments))


@api.get("/practice")
async def practice(lab: Lab, person: Person) -> Practice:
    """Return the mistakes of all reviews of who asks: those not solved, the dearest first; then the others, the one last tried last."""
    tries, found = lab.kept.tries_of(person), {}
    for id in reversed(lab.kept.done_jobs(person, "review")):  # of two reviews of a match the newer one tells
        for match, players, action, round, cost in _mistakes(lab, id):
            tried = tries.get((match, action))
            one = Mistake(
                review=id, match=match, players=players, action=action, round=round, cost=cost,
                solved=tried is not None and tried.solved, tries=tried.tries if tried else 0,
            )  # fmt: skip
            found[match, action] = one, (one.solved, tried.changed if tried and one.solved else 0.0, -cost, match, action)
    mistakes = [one for one, _ in sorted(found.values(), key=lambda pair: pair[1])]
    return Practice(solved=sum(one.solved for one in mistakes), mistakes=mistakes)


@api.get("/{id}")
async def review(lab: Lab, id: JobId) -> ReviewTold:
    """Return a review, as far as it is."""
    return _told(_job(lab, id))


@api.post("/{id}/decisions/{action}")
async def judge(lab: Lab, person: Person, id: JobId, action: Action, tried: Judge) -> Judged:
    """Judge a move that is tried in place of the one made; a good one is kept as solved."""
    found = await judged(lab, id, action, tried.move)
    lab.kept.note_try(person, _told(_job(lab, id)).match, action, found.good)
    return found


async def judged(lab: Laboratory, id: str, action: int, move: str) -> Judged:
    """Judge a move, and keep nothing."""
    lab.need("gin")
    job = _job(lab, id)
    one, arguments = decided(_told(job), action), json.loads(job.arguments)
    settings = {name: arguments[name] for name in ("record", "player", "worlds")}
    found = await lab.ask("meldlab.web.review.work:judge", decision=one.model_dump(exclude={"position"}), move=move, **settings)
    return Judged(**found | {"best": found["best"] if found["good"] else None})


def decided(told: ReviewTold, action: int) -> Decided:
    """Return a decision of a review that is done."""
    if told.review is None:
        raise HttpRefusal(409, "the review is not done yet")
    found = {one.action: one for one in told.review.decisions}
    if action not in found:
        raise HttpRefusal(404, f"action {action} was no decision of a seat that was looked at")
    return found[action]


def _job(lab: Laboratory, id: str) -> Job:
    job = lab.kept.job(id)
    if job.kind != "review":
        raise NoSuchThing("job", id, [])
    return job


def _told(job: Job) -> ReviewTold:
    found = Reviewed.model_validate_json(job.result) if job.result else None
    values = {name: getattr(job, name) for name in ("id", "state", "version", "done", "total", "says")}
    return ReviewTold(match=json.loads(job.arguments)["match"], review=found, **values)


def _mistakes(lab: Laboratory, id: str) -> list[tuple[str, list[str], int, int, float]]:
    """Return match, players, action, round and cost of the mistakes of a review that is done; it never changes, so it is read once."""
    if id not in READ:
        told = Reviewed.model_validate_json(lab.kept.job(id).result or "")
        READ[id] = [(told.match, told.players, one.action, one.round, one.cost) for one in told.decisions if one.mistake]
        while len(READ) > MOST_READ:
            READ.popitem(last=False)
    READ.move_to_end(id)
    return READ[id]
