"""What stands before every route: who may call, from where, how much at once and for how long; and what the browser may do with answers.

Unsafe methods are taken from our own pages only, by what browsers say of themselves (``Sec-Fetch-Site``, or else ``Origin``): a program
that says neither is no browser and cannot be misled by another site.
"""

import asyncio
import secrets
from collections import Counter
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from meldlab.web.errors import CODES, ErrorResponse, error_answer
from meldlab.web.settings import Settings
from meldlab.web.visitors import COOKIE

SAFE = ("GET", "HEAD", "OPTIONS")
STREAMS = "/events"  # these last, and have no end that could be waited for
MORE_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


def policy(nonce: str) -> str:
    """Return what a page may load: from here only, and the scripts and styles that carry the nonce.

    Attributes called ``style`` are allowed, since figures place their parts by them; they load and run nothing.
    """
    return (
        f"default-src 'none'; script-src 'self' 'nonce-{nonce}'; style-src 'self' 'nonce-{nonce}'; style-src-attr 'unsafe-inline'; "
        "img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    )


class SecurityMiddleware:
    """The middleware of all this."""

    def __init__(self, app: ASGIApp, settings: Settings, requests: Counter[int]) -> None:
        """``requests`` counts answers by their status."""
        self.app, self.settings, self.requests = app, settings, requests

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request, and pass it on with limits."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        scope["nonce"] = nonce = secrets.token_urlsafe(16)
        headers = Headers(scope=scope)
        sent = False

        async def answer(message: Message) -> None:
            nonlocal sent
            if message["type"] == "http.response.start":
                sent = True
                self.requests[message["status"]] += 1
                result = MutableHeaders(scope=message)
                for name, value in MORE_HEADERS.items():
                    result.setdefault(name, value)
                if result.get("content-type", "").startswith("text/html"):
                    result["Content-Security-Policy"] = policy(nonce)
                result.setdefault("Cache-Control", "no-store")
                if "visitor" in scope:
                    secure = "; Secure" if scope["scheme"] == "https" else ""
                    result.append("Set-Cookie", f"{COOKIE}={scope['visitor']}; Path=/; Max-Age=34560000; HttpOnly; SameSite=Strict{secure}")
            await send(message)

        rejection = self._rejection(scope, headers)
        if rejection is not None:
            await rejection(scope, receive, answer)
            return
        body = LimitedBody(receive, self.settings.body, self.settings.body_seconds)
        limit = None if scope["path"].endswith(STREAMS) else self.settings.request_seconds
        try:
            async with asyncio.timeout(limit):
                await self.app(scope, body, answer)
        except TimeoutError:
            if not sent:
                says = f"no answer within {self.settings.request_seconds:.0f} seconds"
                await _error_response(scope, 503, says, {"Retry-After": "10"})(scope, receive, answer)
        except asyncio.CancelledError:  # the server stops, and waits for no request any more
            if sent:
                await send({"type": "http.response.body"})
            else:
                await _error_response(scope, 503, "the server stops", {"Retry-After": "30"})(scope, receive, answer)

    def _rejection(self, scope: Scope, headers: Headers) -> Response | None:
        host = headers.get("host", "")
        if "*" not in self.settings.hosts and _name(host) not in self.settings.hosts:
            return _error_response(scope, 400, "the server is not called by this name; 'meldlab serve --name HOST' allows it")
        if scope["method"] not in SAFE and not _from_here(headers, host):
            return _error_response(scope, 403, "this can be asked from the laboratory's own pages only")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > self.settings.body:
            return _error_response(scope, 413, f"a request may have {self.settings.body:,} bytes")
        return None


class LimitedBody:
    """Receives a body of limited size within limited time, whatever its header says."""

    def __init__(self, receive: Receive, most: int, seconds: float) -> None:
        self.receive, self.most, self.left, self.complete = receive, most, most, False
        self.deadline = asyncio.get_running_loop().time() + seconds

    async def __call__(self) -> Message:
        """Return the next message; too many bytes are answered with 413, a body that is not complete in time with 408."""
        if self.complete:
            return await self.receive()  # the client disconnects
        try:
            async with asyncio.timeout_at(self.deadline):
                message = await self.receive()
        except TimeoutError:
            raise HTTPException(408, "the body of the request did not arrive in time", {"Connection": "close"}) from None
        self.complete = not message.get("more_body", False)
        self.left -= len(message.get("body", b""))
        if self.left < 0:
            raise HTTPException(413, f"a request may have {self.most:,} bytes")
        return message


def _name(host: str) -> str:
    """Return a host without its port: ``[::1]:8000`` and ``localhost:8000`` alike."""
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdecimal() else host).lower()


def _from_here(headers: Headers, host: str) -> bool:
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site in ("same-origin", "none")
    origin = headers.get("origin")
    return origin is None or urlsplit(origin).netloc == host


def _error_response(scope: Scope, status: int, why: str, headers: dict[str, str] | None = None) -> Response:
    return error_answer(Request(scope), status, ErrorResponse(error=why, code=CODES[status]), headers)
