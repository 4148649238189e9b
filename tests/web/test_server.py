"""The server as a process: its address, its streams, and a kill in the middle."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import httpx2
import pytest


@contextmanager
def serving(store: str, end: signal.Signals = signal.SIGKILL) -> Iterator[str]:
    """Give the address of a server that ends as it is told."""
    command = [sys.executable, "-m", "meldlab", "serve", "--port", "0", "--store", store]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert process.stdout is not None
    try:
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found is not None
        yield found[0]
    finally:
        os.kill(process.pid, end)
        status = process.wait(30)
    assert status == (0 if end == signal.SIGINT else -end)


def first_events(address: str, many: int, last: str | None = None) -> list[tuple[str, dict[str, object]]]:
    """Return the ids and texts of the first events of a stream."""
    found: list[tuple[str, dict[str, object]]] = []
    headers = {"last-event-id": last} if last is not None else {}
    with httpx2.stream("GET", address, headers=headers, timeout=30) as stream:
        event: dict[str, str] = {}
        for line in stream.iter_lines():
            name, _, value = line.partition(": ")
            event[name] = value
            if not line and "data" in event:
                found.append((event["id"], json.loads(event["data"])))
                event = {}
            if len(found) == many:
                break
    return found


def when_ready(address: str, room: str) -> None:
    for _ in range(600):
        if httpx2.get(f"{address}/api/ready", timeout=30).json()[room] == 0:
            return
        signal.sigtimedwait([], 0.2)
    pytest.fail(f"{room} did not become ready")


def test_a_match_goes_on_after_a_kill_and_streams_resume(store: str) -> None:
    with serving(store) as address:
        when_ready(address, "gin")
        told = httpx2.post(f"{address}/api/matches", json={"game": "gin", "opponents": ["simple"]}, timeout=60).json()
        path = f"/api/matches/{told['id']}"
        assert first_events(f"{address}{path}/events", 1) == [("0", {"version": 0, "over": False})]
        act = {"after": told["turn"], "action": told["legal"][0]}
        after = httpx2.post(f"{address}{path}/actions", json=act, timeout=60).json()
    with serving(store, signal.SIGINT) as address:
        when_ready(address, "gin")
        assert httpx2.get(address + path, timeout=60).json() == after
        # Who has heard of version 0 is told of 1 only; nothing of the deal is in the stream.
        assert first_events(f"{address}{path}/events", 1, last="0") == [("1", {"version": 1, "over": False})]
        assert httpx2.post(f"{address}{path}/actions", json=act, timeout=60).status_code == 409


def test_a_port_that_is_taken_is_one_line(store: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        command = [sys.executable, "-m", "meldlab", "serve", "--port", str(port), "--store", store]
        second = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert second.returncode == 2
    assert second.stderr == f"error: cannot listen at 127.0.0.1:{port}: Address already in use\n"
