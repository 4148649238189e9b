"""Background runs by their id: progress, result, cancellation, and a stream of changes."""

from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Path
from fastapi.sse import EventSourceResponse, ServerSentEvent
from pydantic import BaseModel

from meldlab.runs.queue import OPEN
from meldlab.web.errors import HttpError
from meldlab.web.run_repository import BackgroundRun
from meldlab.web.services import Services, ServicesDep
from meldlab.web.visitors import Visitor, VisitorDep

router = APIRouter(prefix="/api/v1/jobs", tags=["background runs"])
JobId = Annotated[str, Path(pattern="^[A-Za-z0-9_-]{16}$", description="The id of the run, from the answer of POST.")]


class RunResponse(BaseModel):
    """A background run and its progress."""

    id: str
    kind: str
    state: str
    """``queued``, ``running``, ``finished``, ``failed`` or ``cancelled``."""
    version: int
    done: float
    total: float
    message: str
    settings: dict[str, Any]
    run: int | None
    """The number of the run in the store, once it has started."""
    result: Any = None


def run_response(run: BackgroundRun, result: Any = None) -> RunResponse:
    """Return a run as the API shows it."""
    if isinstance(result, dict):
        result = {name: value for name, value in result.items() if name != "tables"}  # large, and at addresses of their own
    names = ("id", "kind", "state", "version", "done", "total", "message", "run")
    return RunResponse(**{name: getattr(run, name) for name in names}, settings=dict(run.settings), result=result)


async def stored_run(services: ServicesDep, id: JobId) -> BackgroundRun:
    """Return the run of a request, before its answer begins."""
    return await services.sql(services.runs.run, id)


StoredRun = Annotated[BackgroundRun, Depends(stored_run)]


async def whole_run(services: Services, run: BackgroundRun) -> RunResponse:
    """Return a run with its result."""
    return run_response(run, await services.sql(services.runs.result, run))


async def cancel_run(services: Services, visitor: Visitor, run: BackgroundRun) -> BackgroundRun:
    """Cancel a run of the visitor; that of another is not."""
    if run.owner != visitor.id:
        raise HttpError(403, "only the visitor who has begun it can cancel it")
    return await services.background.cancel(run.id)


@router.get("", summary="List your background runs")
async def runs(services: ServicesDep, visitor: VisitorDep) -> list[RunResponse]:
    """Return the background runs of the visitor, newest first, without their results."""
    return [run_response(run) for run in await services.sql(services.runs.runs, visitor.id)]


@router.get("/{id}", summary="Look at a background run")
async def run(services: ServicesDep, run: StoredRun) -> RunResponse:
    """Return the progress of a run, and its result when it is finished."""
    return await whole_run(services, run)


@router.delete("/{id}", summary="Cancel a background run")
async def cancel(services: ServicesDep, visitor: VisitorDep, run: StoredRun) -> RunResponse:
    """Cancel a run; one that has ended stays as it is."""
    return await whole_run(services, await cancel_run(services, visitor, run))


@router.get("/{id}/events", response_class=EventSourceResponse, summary="Follow a background run")
async def events(
    services: ServicesDep, run: StoredRun, last_event_id: Annotated[str | None, Header(max_length=20)] = None
) -> AsyncIterator[ServerSentEvent]:
    """Send each change of a run until it has ended; a stream with Last-Event-ID continues after it."""
    since = int(last_event_id) if last_event_id and last_event_id.isdecimal() else -1
    with services.notifier.subscribe(run.id) as changed:
        while True:
            changed.clear()
            run = await services.sql(services.runs.run, run.id)
            if run.version > since:
                since = run.version
                data = run_response(run).model_dump(exclude={"result", "settings"})
                yield ServerSentEvent(data=data, id=str(run.version), event="job")
            if run.state not in OPEN:
                return
            await changed.wait()
