"""The server as a process: its address, its streams, and a kill in the middle."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

from tests.processes import running, start

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
HANGING = """
import os, time
from tests.web.test_server import serving

def test_that_does_not_end():
    with serving({store!r}) as address:
        print("serving at", address, flush=True)
        time.sleep(600)
"""


@contextmanager
def serving(store: str, end: signal.Signals = signal.SIGKILL, options: Sequence[str] = ()) -> Iterator[str]:
    """Give the address of a server that ends as it is told."""
    process = start("serve", "--port", "0", "--store", store, *options, stdout=subprocess.PIPE)
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
        if httpx2.get(f"{address}/api/v1/ready", timeout=30).json()[room] == 0:
            return
        signal.sigtimedwait([], 0.2)
    pytest.fail(f"{room} did not become ready")


def test_a_match_goes_on_after_a_kill_and_streams_resume(store: str) -> None:
    with serving(store) as address:
        when_ready(address, "gin")
        begun = httpx2.post(f"{address}/api/v1/matches", json={"game": "gin", "opponents": ["simple"]}, timeout=60)
        told = begun.json()
        path = f"/api/v1/matches/{told['id']}"
        assert first_events(f"{address}{path}/events", 1) == [("0", {"version": 0, "over": False})]
        act = {"after": told["turn"], "move": 0}
        owner = httpx2.Client(base_url=address, cookies=begun.cookies, timeout=60)
        after = owner.post(f"{path}/actions", json=act).json()
    with serving(store, signal.SIGINT) as address:
        when_ready(address, "gin")
        owner = httpx2.Client(base_url=address, cookies=begun.cookies, timeout=60)
        assert owner.get(path).json() == after
        # Who has heard of version 0 is told of 1 only; nothing of the deal is in the stream.
        assert first_events(f"{address}{path}/events", 1, last="0") == [("1", {"version": 1, "over": False})]
        assert owner.post(f"{path}/actions", json=act).status_code == 409


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_no_server_is_left_behind_by_a_test_run_that_is_ended(end: signal.Signals, store: str, tmp_path: Path) -> None:
    (tmp_path / "test_hanging.py").write_text(HANGING.format(store=store))
    command = [sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider", "--rootdir", str(tmp_path), str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")])}
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as run:
        try:
            assert run.stdout is not None
            assert any("serving at" in line for line in run.stdout)
            group = next(int(each.name) for each in Path("/proc").glob("[0-9]*") if store in _command_line(each))
            assert running(group)
            run.send_signal(end)
            run.wait(60)
            for _ in range(300):
                if not running(group):
                    break
                signal.sigtimedwait([], 0.1)
            assert running(group) == []
        finally:
            run.kill()


def _command_line(process: Path) -> str:
    try:
        return (process / "cmdline").read_text()
    except OSError:
        return ""


def test_a_port_that_is_taken_is_one_line(store: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        command = [sys.executable, "-m", "meldlab", "serve", "--port", str(port), "--store", store]
        second = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert second.returncode == 2
    assert second.stderr == f"error: cannot listen at 127.0.0.1:{port}: Address already in use\n"
