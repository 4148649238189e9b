"""Routes for operators and bots: figures for Prometheus, and bearer tokens."""

from fastapi import APIRouter, Request
from fastapi.responses import PlainTextResponse
from pydantic import BaseModel

from meldlab.web.errors import HttpError
from meldlab.web.services import ServicesDep
from meldlab.web.visitors import new_token

router = APIRouter(tags=["operation"])


class Token(BaseModel):
    """A token that owns the matches that are started with it."""

    token: str


@router.post("/api/v1/tokens", status_code=201)
async def token() -> Token:
    """Create a bearer token for a program. It is sent as ``Authorization: Bearer TOKEN``; who has it, owns its matches."""
    return Token(token=new_token())


@router.get("/metrics", response_class=PlainTextResponse, include_in_schema=False)
async def metrics(request: Request, services: ServicesDep) -> str:
    """Return figures in the text format of Prometheus, if the setting ``metrics`` is on."""
    if not services.settings.metrics:
        raise HttpError(404, "there is no such page")
    pool, requests = services.workers, request.app.state.requests
    runs = await services.sql(services.runs.count_open)
    lines = ["# TYPE meldlab_requests_total counter"]
    lines += [f'meldlab_requests_total{{status="{status}"}} {count}' for status, count in sorted(requests.items())]
    gauges = {
        "queue_short": len(pool.short),
        "queue_long": len(pool.long),
        "workers_busy": sum(worker.call is not None for worker in pool.workers),
        "runs_open": runs,
        "streams": sum(map(len, services.notifier.events.values())),
        "matches": await services.sql(services.repository.count_matches),
    }
    for name, value in gauges.items():
        lines += [f"# TYPE meldlab_{name} gauge", f"meldlab_{name} {value}"]
    lines += ["# TYPE meldlab_worker_restarts_total counter", f"meldlab_worker_restarts_total {pool.restarts}"]
    return "\n".join(lines) + "\n"
