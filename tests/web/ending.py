"""Waiting for long work to end."""

import time
from typing import Any

from starlette.testclient import TestClient

from meldlab.web.run_repository import RunRepository


def ended(client: TestClient, id: str, path: str = "/api/v1/jobs", seconds: float = 120) -> dict[str, Any]:
    """Return long work by its id when it is at its end, which it must be in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        told = client.get(f"{path}/{id}").json()
        if told["state"] in ("finished", "failed", "cancelled"):
            return dict(told)
        time.sleep(0.1)
    raise AssertionError(f"not at its end after {seconds} seconds: {told}")


def finished(runs: RunRepository, owner: str, kind: str, settings: dict[str, Any], result: Any) -> str:
    """Return the id of a background run that is finished with this result."""
    run = runs.submit(owner, kind, settings, max_waiting=100)
    assert runs.queue.claim("test", run.entry) is not None
    stored = runs.store.run(kind, settings)
    stored.finish(result)
    runs.queue.start(run.entry, "test", stored.number)
    runs.queue.finish(run.entry, "test")
    return run.id
