"""Waiting for long work to end."""

import time
from typing import Any

from starlette.testclient import TestClient


def ended(client: TestClient, id: str, path: str = "/api/v1/jobs", seconds: float = 120) -> dict[str, Any]:
    """Return long work by its id when it is at its end, which it must be in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        told = client.get(f"{path}/{id}").json()
        if told["state"] in ("done", "failed", "cancelled"):
            return dict(told)
        time.sleep(0.1)
    raise AssertionError(f"not at its end after {seconds} seconds: {told}")
