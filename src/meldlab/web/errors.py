"""How a rejection looks: one shape for all of them, as JSON under ``/api`` and as a page elsewhere."""

import re
import sys
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from meldlab.errors import BadText, MeldlabError, NoSuchThing
from meldlab.runs.store import StoreError
from meldlab.web.rendering import page


class ErrorResponse(BaseModel):
    """Why a request was rejected, as text for the user."""

    error: str
    code: str
    """What kind of error it is; stable, for programs."""
    text: str | None = None
    """The text that could not be read, if it was that."""
    at: int | None = None
    """The place in it where reading stopped, from 0."""


CODES = {
    400: "bad_request",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    408: "request_timeout",
    409: "conflict",
    413: "too_large",
    422: "invalid",
    429: "too_many_requests",
    500: "internal_error",
    503: "unavailable",
}


class HttpError(Exception):
    """A request that is answered with an error status; ``code`` is that of the status unless a class has its own."""

    code = ""

    def __init__(self, status: int, why: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(why)
        self.status, self.why, self.headers = status, why, headers or {}


class QueueFull(HttpError):
    """More is asked than the queue holds."""

    code = "queue_full"

    def __init__(self, seconds: int = 2) -> None:
        super().__init__(503, "the laboratory is busy; ask again in a moment", {"Retry-After": str(seconds)})


class TooManyCalls(HttpError):
    """A visitor has as many calls waiting as one may have."""

    def __init__(self, seconds: int = 5) -> None:
        super().__init__(429, "too many of your requests wait already; ask again in a moment", {"Retry-After": str(seconds)})


class TimedOut(HttpError):
    """A call took longer than one may; its worker was killed."""

    code = "timed_out"

    def __init__(self, seconds: float) -> None:
        super().__init__(503, f"that took longer than {seconds:.0f} seconds and was stopped", {"Retry-After": "10"})


class WorkerDied(HttpError):
    """The worker that had the call is gone, out of memory perhaps."""

    code = "worker_died"

    def __init__(self) -> None:
        super().__init__(503, "the process that worked on it died, out of memory perhaps; nothing else was lost", {"Retry-After": "10"})


# What any route under /api may answer besides its own; the security checks come before every route.
ERROR_RESPONSES: dict[int | str, dict[str, Any]] = {
    status: {"description": says, "content": {"application/json": {"schema": ErrorResponse.model_json_schema()}}}
    for status, says in {
        400: "The request cannot be read, or calls the server by a name it does not have.",
        401: "The bearer token is not valid.",
        403: "The request comes from another site, or from a visitor who may not do this.",
        404: "There is no such thing.",
        408: "The request did not arrive in time.",
        409: "The match or the work has gone on since.",
        413: "The request is too large.",
        429: "Too many requests of one visitor wait; Retry-After says when to ask again.",
        500: "An error of the program.",
        422: "Something in the request is not possible; the text says what.",
        503: "The laboratory is busy, or the work was stopped; Retry-After says when to ask again.",
    }.items()
}


def add_error_handlers(app: FastAPI) -> None:
    """Answer every error in one shape, and never with a traceback."""

    @app.exception_handler(MeldlabError)
    async def meldlab_error(request: Request, error: MeldlabError) -> Response:
        if isinstance(error, StoreError):
            print(f"meldlab serve: {error}", file=sys.stderr, flush=True)  # names a path or a host, which visitors do not read
            response = ErrorResponse(error="the store does not answer; ask again in a moment", code="store_unavailable")
            return error_answer(request, 503, response, {"Retry-After": "5"})
        status = 404 if isinstance(error, NoSuchThing) and error.kind in ("match", "job", "run", "room", "text") else 422
        code = CODES[404] if status == 404 else _code(error)
        where = {"text": error.text[:2000], "at": error.offset} if isinstance(error, BadText) else {}
        return error_answer(request, status, ErrorResponse.model_validate({"error": str(error), "code": code, **where}))

    @app.exception_handler(HttpError)
    async def http_error(request: Request, error: HttpError) -> Response:
        return error_answer(request, error.status, ErrorResponse(error=error.why, code=error.code or CODES[error.status]), error.headers)

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"][1:])
        return error_answer(request, 422, ErrorResponse(error=f"{where or 'the request'}: {first['msg']}", code=CODES[422]))

    @app.exception_handler(HTTPException)
    async def plain(request: Request, error: HTTPException) -> Response:
        says = {404: "there is no such page", 405: "this cannot be done here"}.get(error.status_code, str(error.detail))
        code = CODES.get(error.status_code, CODES[400])
        return error_answer(request, error.status_code, ErrorResponse(error=says, code=code), dict(error.headers or {}))

    @app.exception_handler(Exception)
    async def internal(request: Request, error: Exception) -> Response:
        return error_answer(request, 500, ErrorResponse(error="an error of the program; it is in the log of the server", code=CODES[500]))


def _code(error: MeldlabError) -> str:
    """Return the code of an error of the package: the name of its class, ``not_legal_here``."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", type(error).__name__).lower()


def error_answer(request: Request, status: int, error: ErrorResponse, headers: dict[str, str] | None = None) -> Response:
    """Return an error as JSON under ``/api``, else as a page."""
    if request.url.path.startswith("/api"):
        return JSONResponse(error.model_dump(exclude_none=True), status, headers)
    return page(request, "error.html.jinja", status=status, headers=headers, title="That did not work", problem=error.error)
