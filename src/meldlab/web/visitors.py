"""Visitors: who sends a request, and which seat of a match is theirs."""

import re
import secrets
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from meldlab.web.errors import HttpError
from meldlab.web.repository import StoredMatch

COOKIE = "meldlab_person"
TOKEN = re.compile("[A-Za-z0-9_-]{24}")


@dataclass(frozen=True)
class Visitor:
    """The sender of a request."""

    id: str
    """The token that owns matches: the browser's cookie, or a bot's bearer token."""
    queue: str
    """Whose calls take turns in the queues of workers: the token, or the address if the request had none."""


def visitor(request: Request) -> Visitor:
    """Return who sends a request; a browser without a cookie gets a new token with the answer."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme:
        if scheme.lower() != "bearer" or not TOKEN.fullmatch(token):
            raise HttpError(
                401, "expected 'Authorization: Bearer TOKEN' with a token from POST /api/v1/tokens", {"WWW-Authenticate": "Bearer"}
            )
        return Visitor(token, token)
    token = request.cookies.get(COOKIE, "")
    if TOKEN.fullmatch(token):
        return Visitor(token, token)
    token = request.scope["visitor"] = new_token()
    return Visitor(token, request.client.host if request.client else "")


def new_token() -> str:
    """Return a random token of 144 bits."""
    return secrets.token_urlsafe(18)


def seat_for(match: StoredMatch, visitor: Visitor) -> int | None:
    """Return the seat that a visitor may act for; None for spectators. The only place that decides ownership."""
    return match.seat if match.owner == visitor.id else None


VisitorDep = Annotated[Visitor, Depends(visitor)]
