"""The server process: uvicorn, with a limit of time for the headers of a request."""

import asyncio
import socket
from contextlib import suppress
from typing import Any

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from meldlab.web.settings import Settings

TIMEOUT = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


def timed_protocol(seconds: float) -> type[H11Protocol]:
    """Return uvicorn's protocol with a limit of time for headers; uvicorn itself waits for them without end."""

    class TimedProtocol(H11Protocol):
        timer: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self.timer = self.loop.call_later(seconds, self._end)

        def data_received(self, data: bytes) -> None:
            before = self.cycle
            if self.timer is None and (before is None or before.response_complete):
                self.timer = self.loop.call_later(seconds, self._end)
            super().data_received(data)
            if self.cycle is not before:
                self._cancel()

        def connection_lost(self, exc: Exception | None) -> None:
            self._cancel()
            super().connection_lost(exc)

        def _cancel(self) -> None:
            if self.timer is not None:
                self.timer.cancel()
                self.timer = None

        def _end(self) -> None:
            if not self.transport.is_closing():
                self.transport.write(TIMEOUT)
                self.transport.close()

    return TimedProtocol


def run_server(app: FastAPI, listening: socket.socket, settings: Settings) -> None:
    """Serve an application at a socket until Ctrl-C."""
    config = uvicorn.Config(
        app, http=timed_protocol(settings.header_seconds), log_level="warning", lifespan="on", timeout_graceful_shutdown=2,
        limit_concurrency=settings.connections,
    )  # fmt: skip
    with suppress(KeyboardInterrupt):  # the usual way to stop it
        uvicorn.Server(config).run(sockets=[listening])
