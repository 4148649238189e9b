"""What stands before every route: who may call, from where, how much at once and for how long; and what the browser may do with answers.

Unsafe methods are taken from our own pages only, by what browsers say of themselves (``Sec-Fetch-Site``, or else ``Origin``): a program
that says neither is no browser and cannot be misled by another site.
"""

import asyncio
import secrets
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

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

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app, self.settings = app, settings

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
        body = LimitedBody(receive, self.settings.body)
        limit = None if scope["path"].endswith(STREAMS) else self.settings.request_seconds
        try:
            async with asyncio.timeout(limit):
                await self.app(scope, body, answer)
        except TimeoutError:
            if not sent:
                says = f"no answer within {self.settings.request_seconds:.0f} seconds"
                await _error_response(503, says, {"Retry-After": "10"})(scope, receive, answer)

    def _rejection(self, scope: Scope, headers: Headers) -> JSONResponse | None:
        host = headers.get("host", "")
        if "*" not in self.settings.hosts and _name(host) not in self.settings.hosts:
            return _error_response(400, "the server is not called by this name; 'meldlab serve --host NAME' gives it another")
        if scope["method"] not in SAFE and not _from_here(headers, host):
            return _error_response(403, "this can be asked from the laboratory's own pages only")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > self.settings.body:
            return _error_response(413, f"a request may have {self.settings.body:,} bytes")
        return None


class LimitedBody:
    """Receives, and counts the bytes, whatever the header says."""

    def __init__(self, receive: Receive, most: int) -> None:
        self.receive, self.most, self.left = receive, most, most

    async def __call__(self) -> Message:
        """Return the next message; more bytes than the limit are answered with 413."""
        message = await self.receive()
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


def _error_response(status: int, why: str, headers: dict[str, str] | None = None) -> JSONResponse:
    return JSONResponse({"error": why}, status, headers)
