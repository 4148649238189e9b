"""How a rejection looks: one shape for all of them, as JSON under ``/api`` and as a page elsewhere."""

from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from meldlab.errors import BadText, MeldlabError, NoSuchThing
from meldlab.web.rendering import page


class ErrorResponse(BaseModel):
    """Why a request was rejected, as text for the user."""

    error: str
    text: str | None = None
    """The text that could not be read, if it was that."""
    at: int | None = None
    """The place in it where reading stopped, from 0."""


class HttpError(Exception):
    """A request that is answered with an error status."""

    def __init__(self, status: int, why: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(why)
        self.status, self.why, self.headers = status, why, headers or {}


class QueueFull(HttpError):
    """More is asked than the queue holds."""

    def __init__(self, seconds: int = 2) -> None:
        super().__init__(503, "the laboratory is busy; ask again in a moment", {"Retry-After": str(seconds)})


class TooManyCalls(HttpError):
    """A visitor has as many calls waiting as one may have."""

    def __init__(self, seconds: int = 5) -> None:
        super().__init__(429, "too many of your requests wait already; ask again in a moment", {"Retry-After": str(seconds)})


class TimedOut(HttpError):
    """A question took longer than one may; its worker was ended."""

    def __init__(self, seconds: float) -> None:
        super().__init__(503, f"that took longer than {seconds:.0f} seconds and was stopped", {"Retry-After": "10"})


class WorkerDied(HttpError):
    """The worker that had the question is gone, out of memory perhaps."""

    def __init__(self) -> None:
        super().__init__(503, "the process that worked on it died, out of memory perhaps; nothing else was lost", {"Retry-After": "10"})


# What any route under /api may answer besides its own; the security checks come before every route.
ERROR_RESPONSES: dict[int | str, dict[str, Any]] = {
    status: {"description": says, "content": {"application/json": {"schema": ErrorResponse.model_json_schema()}}}
    for status, says in {
        400: "The request cannot be read, or calls the server by a name it does not have.",
        403: "The request comes from another site.",
        404: "There is no such thing.",
        409: "The match or the work has gone on since.",
        413: "The request is too large.",
        429: "Too many requests of one visitor wait; Retry-After says when to ask again.",
        422: "Something in the request is not possible; the text says what.",
        503: "The laboratory is busy, or the work was stopped; Retry-After says when to ask again.",
    }.items()
}


def add_error_handlers(app: FastAPI) -> None:
    """Answer every mistake with a ErrorResponse, and never with a traceback."""

    @app.exception_handler(MeldlabError)
    async def mistake(request: Request, problem: MeldlabError) -> Response:
        status = 404 if isinstance(problem, NoSuchThing) and problem.kind in ("match", "job", "run", "room", "text") else 422
        if isinstance(problem, BadText):
            return _answer(request, status, ErrorResponse(error=str(problem), text=problem.text[:2000], at=problem.offset))
        return _answer(request, status, ErrorResponse(error=str(problem)))

    @app.exception_handler(HttpError)
    async def http_error(request: Request, problem: HttpError) -> Response:
        return _answer(request, problem.status, ErrorResponse(error=problem.why), problem.headers)

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, problem: RequestValidationError) -> Response:
        first = problem.errors()[0]
        where = ".".join(str(part) for part in first["loc"][1:])
        return _answer(request, 422, ErrorResponse(error=f"{where or 'the request'}: {first['msg']}"))

    @app.exception_handler(HTTPException)
    async def plain(request: Request, problem: HTTPException) -> Response:
        says = {404: "there is no such page", 405: "this cannot be done here"}.get(problem.status_code, str(problem.detail))
        return _answer(request, problem.status_code, ErrorResponse(error=says), dict(problem.headers or {}))


def _answer(request: Request, status: int, problem: ErrorResponse, headers: dict[str, str] | None = None) -> Response:
    if request.url.path.startswith("/api"):
        return JSONResponse(problem.model_dump(exclude_none=True), status, headers)
    return page(request, "error.html.jinja", status=status, headers=headers, title="That did not work", problem=problem.error)
