"""Long work by its id: how far it is, its end, and a stream of its changes."""

import json
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Header, Path
from fastapi.sse import EventSourceResponse, ServerSentEvent
from pydantic import BaseModel

from meldlab.web.repository import Job
from meldlab.web.services import ServicesDep
from meldlab.web.visitors import VisitorDep

router = APIRouter(prefix="/api/v1/jobs", tags=["long work"])
JobId = Annotated[str, Path(pattern="^[A-Za-z0-9_-]{16}$", description="The name of the work, as the answer of POST gives it.")]


class JobResponse(BaseModel):
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


def job_response(job: Job) -> JobResponse:
    """Return what is response of a job."""
    result = json.loads(job.result) if job.result else None
    if isinstance(result, dict):
        result.pop("tables", None)  # large, and had by their own address
    arguments = json.loads(job.arguments)
    return JobResponse(
        id=job.id, kind=job.kind, state=job.state, version=job.version, done=job.done, total=job.total, says=job.says,
        arguments=arguments, result=result,
    )  # fmt: skip


@router.get("")
async def jobs(services: ServicesDep, visitor: VisitorDep) -> list[JobResponse]:
    """Return the long work of who asks, the newest first, without its results."""
    return [job_response(job).model_copy(update={"result": None}) for job in services.repository.jobs(owner=visitor.id)]


@router.get("/{id}")
async def job(services: ServicesDep, id: JobId) -> JobResponse:
    """Return how far a job is, and its result when it is done."""
    return job_response(services.repository.job(id))


@router.delete("/{id}")
async def cancel(services: ServicesDep, id: JobId) -> JobResponse:
    """Cancel a job; one that has ended stays as it is."""
    return job_response(services.jobs.cancel(id))


@router.get("/{id}/events", response_class=EventSourceResponse)
async def events(
    services: ServicesDep, id: JobId, last_event_id: Annotated[str | None, Header(max_length=20)] = None
) -> AsyncIterator[ServerSentEvent]:
    """Tell each change of a job until it has ended; a stream with Last-Event-ID continues after it."""
    since = int(last_event_id) if last_event_id and last_event_id.isdecimal() else -1
    async for change in services.jobs.changes(services.repository.job(id).id, since):
        yield ServerSentEvent(data=job_response(change).model_dump(exclude={"result", "arguments"}), id=str(change.version), event="job")
