"""Wakes event streams of this process when what they show has changed."""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager


class Notifier:
    """Events by the id of a match or a run."""

    def __init__(self) -> None:
        self.events: dict[str, set[asyncio.Event]] = {}
        self.versions: dict[str, int] = {}

    @contextmanager
    def subscribe(self, id: str) -> Iterator[asyncio.Event]:
        """Give an event that is set by every change; clear it before reading the state."""
        event = asyncio.Event()
        self.events.setdefault(id, set()).add(event)
        try:
            yield event
        finally:
            self.events[id].discard(event)
            if not self.events[id]:
                del self.events[id]
                self.versions.pop(id, None)

    def notify(self, id: str) -> None:
        """Wake the streams of a match or a run."""
        for event in self.events.get(id, ()):
            event.set()

    def notify_changed(self, versions: Mapping[str, int]) -> None:
        """Wake the streams whose version differs from that of the last call: another server may have changed the store."""
        for id, version in versions.items():
            if id in self.events and self.versions.get(id, version) != version:
                self.notify(id)
        self.versions = {id: version for id, version in versions.items() if id in self.events}
