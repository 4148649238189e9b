"""Long work by its id: how far it is, its end, and a stream of its changes."""

import json
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Header, Path
from fastapi.sse import EventSourceResponse, ServerSentEvent
from pydantic import BaseModel

from meldlab.web.kept import Job
from meldlab.web.laboratory import Lab, Person

__all__ = ["JobId", "JobTold", "job_told", "router"]

router = APIRouter(prefix="/api/jobs", tags=["long work"])
JobId = Annotated[str, Path(pattern="^[A-Za-z0-9_-]{16}$", description="The name of the work, as it was given when it began.")]


class JobTold(BaseModel):
    """Long work as far as it is."""

    id: str
    kind: str
    state: str
    version: int
    done: float
    total: float
    says: str
    arguments: dict[str, Any]
    result: Any = None


def job_told(job: Job) -> JobTold:
    """Return what is told of a job."""
    result = json.loads(job.result) if job.result else None
    if isinstance(result, dict):
        result.pop("tables", None)  # large, and had by their own address
    arguments = json.loads(job.arguments)
    return JobTold(
        id=job.id, kind=job.kind, state=job.state, version=job.version, done=job.done, total=job.total, says=job.says,
        arguments=arguments, result=result,
    )  # fmt: skip


@router.get("")
async def jobs(lab: Lab, person: Person) -> list[JobTold]:
    """Return the long work of who asks, the newest first, without its results."""
    return [job_told(job).model_copy(update={"result": None}) for job in lab.kept.jobs(owner=person)]


@router.get("/{id}")
async def job(lab: Lab, id: JobId) -> JobTold:
    """Return how far a job is, and its result when it is done."""
    return job_told(lab.kept.job(id))


@router.delete("/{id}")
async def cancel(lab: Lab, id: JobId) -> JobTold:
    """Cancel a job; one that has ended stays as it is."""
    return job_told(lab.jobs.cancel(id))


@router.get("/{id}/events", response_class=EventSourceResponse)
async def events(lab: Lab, id: JobId, last_event_id: Annotated[str | None, Header(max_length=20)] = None) -> AsyncIterator[ServerSentEvent]:
    """Tell each change of a job until it has ended; an old stream goes on after Last-Event-ID."""
    since = int(last_event_id) if last_event_id and last_event_id.isdecimal() else -1
    async for one in lab.jobs.changes(lab.kept.job(id).id, since):
        yield ServerSentEvent(data=job_told(one).model_dump(exclude={"result", "arguments"}), id=str(one.version), event="job")
