"""The server under bad input and bad conditions: locks, old stores, slow clients, tokens, metrics, static files."""

import asyncio
import socket
import sqlite3
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

from meldlab.runs.store import Store
from meldlab.web.app import ROUTERS, make_app
from meldlab.web.notifier import Notifier
from meldlab.web.run_repository import RunRepository
from meldlab.web.services import COLD, WarmUp
from meldlab.web.settings import Settings
from tests.processes import start
from tests.web.ending import finished
from tests.web.test_server import serving

QUICK: dict[str, Any] = {"warm": False, "hosts": ("testserver",), "jobs": 0}


@contextmanager
def locked(store: str) -> Iterator[None]:
    """Hold the store as a long write of another process does."""
    with closing(sqlite3.connect(store, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("ROLLBACK")


def test_locked_store_delays_no_page_that_needs_none(store: str) -> None:
    with TestClient(make_app(Settings(store=store, lock_seconds=2.0, **QUICK))) as client:
        client.get("/")
        answers: list[Any] = []
        with locked(store):
            text = {"text": "(game)"}
            writer = threading.Thread(target=lambda: answers.append(client.post("/api/v1/recycle/texts", json=text)))
            writer.start()
            times = []
            while writer.is_alive():
                begun = time.monotonic()
                assert client.get("/api/v1/gin/ladder").status_code == 200
                times.append(time.monotonic() - begun)
                time.sleep(0.05)
        (answer,) = answers
        assert (answer.status_code, answer.json()["code"]) == (503, "store_unavailable")
        assert store not in answer.text
        assert sorted(times)[len(times) // 2] < 0.1


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("GET", "/api/v1/matches/AAAAAAAAAAAAAAAA/events", None, 404, "not_found"),
        ("GET", "/api/v1/jobs/AAAAAAAAAAAAAAAA/events", None, 404, "not_found"),
        ("GET", "/api/v1/nothing", None, 404, "not_found"),
        ("DELETE", "/api/v1/recycle/library", None, 405, "method_not_allowed"),
        ("POST", "/api/v1/matches", {"game": "gin", "opponents": ["own.py:X"]}, 422, "no_such_thing"),
        ("POST", "/api/v1/matches", {}, 422, "invalid"),
        ("POST", "/api/v1/review/records", {"text": "x=" + "[" * 20_000}, 422, "bad_text"),
    ],
)
def test_errors_have_one_shape_with_a_code(client: TestClient, method: str, path: str, body: Any, status: int, code: str) -> None:
    answer = client.request(method, path, json=body)
    assert (answer.status_code, answer.json().get("code")) == (status, code)
    assert answer.json()["error"]


def test_error_of_the_program_has_the_shape_of_others(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise KeyError("/secret/path")

    with TestClient(make_app(Settings(store=store, **QUICK)), raise_server_exceptions=False) as client:
        monkeypatch.setattr(client.app.state.services.runs, "runs", broken)  # type: ignore[attr-defined]
        answer = client.get("/api/v1/jobs")
        assert (answer.status_code, answer.json()["code"], "secret" in answer.text) == (500, "internal_error", False)
        assert client.get("/experiments").headers["content-type"].startswith("text/html")


def test_form_of_nested_multiparts_is_read_at_once(client: TestClient) -> None:
    nested = "".join(f"--b{k}\r\nContent-Type: multipart/mixed; boundary=b{k + 1}\r\n\r\n" for k in range(280)) + "\n" * 200_000
    begun = time.monotonic()
    answer = client.post("/review", content=nested, headers={"content-type": "multipart/form-data; boundary=b0"})
    assert answer.status_code in (400, 413, 422)
    assert time.monotonic() - begun < 2.0


def test_experiments_takes_no_problem_from_the_address(client: TestClient) -> None:
    answer = client.get("/experiments?problem=Call+this+number")
    assert (answer.status_code, "Call this number" in answer.text) == (200, False)


def test_bearer_token_owns_matches(store: str) -> None:
    with TestClient(make_app(Settings(store=store, **QUICK))) as client:
        token = client.post("/api/v1/tokens").json()["token"]
        bot = {"Authorization": f"Bearer {token}"}
        match = client.post("/api/v1/matches", json={"game": "gin", "opponents": ["simple"]}, headers=bot).json()
        client.cookies.clear()
        assert [item["id"] for item in client.get("/api/v1/matches", headers=bot).json()] == [match["id"]]
        assert client.get("/api/v1/matches").json() == []
        undo = {"after": match["turn"]}
        assert client.post(f"/api/v1/matches/{match['id']}/undo", json=undo).status_code == 403
        wrong = client.get("/api/v1/matches", headers={"Authorization": "Bearer x"})
        assert (wrong.status_code, wrong.json()["code"]) == (401, "unauthorized")


@pytest.mark.parametrize("on", [True, False])
def test_metrics_are_there_if_the_setting_says_so(store: str, on: bool) -> None:
    with TestClient(make_app(Settings(store=store, metrics=on, **QUICK))) as client:
        client.get("/api/v1/nothing")
        answer = client.get("/metrics")
        assert answer.status_code == (200 if on else 404)
        assert ('meldlab_requests_total{status="404"} 1' in answer.text) == on


def test_static_files_are_hashed_compressed_and_cached(client: TestClient) -> None:
    page = client.get("/").text
    (path, *_) = (word.split('"')[1] for word in page.split() if word.startswith('src="/static/') and "meldlab.js" in word)
    answer = client.get(path, headers={"accept-encoding": "gzip"})
    assert answer.headers["content-encoding"] == "gzip"
    assert "immutable" in answer.headers["cache-control"]
    assert client.get("/static/meldlab.js").headers["cache-control"] == "no-cache"


def test_jobs_of_an_earlier_version_are_copied_once(store: str) -> None:
    with Store.open(store).writing() as connection:
        columns = "id text, owner text, kind text, arguments text, state text, version int, done real, total real, says text"
        connection.execute(sa.text(f"CREATE TABLE jobs ({columns}, result text, begun real, changed real)"))
        for id, state, result in (("finished01234567", "done", '{"games":2}'), ("going01234567890", "running", None)):
            row = {"id": id, "state": state, "result": result, "arguments": '{"players":["simple","simple"],"games":2,"seed":0}'}
            values = "(:id, 'ann', 'contest', :arguments, :state, 3, 1, 2, '', :result, 5.0, 6.0)"
            connection.execute(sa.text(f"INSERT INTO jobs VALUES {values}"), row)
    for _ in range(2):
        with TestClient(make_app(Settings(store=store, **QUICK))) as client:
            done = client.get("/api/v1/jobs/finished01234567").json()
            assert (done["state"], done["result"], done["settings"]["games"]) == ("finished", {"games": 2}, 2)
            assert client.get("/api/v1/jobs/going01234567890").json()["state"] == "queued"
            assert len(RunRepository(Store.open(store)).runs("ann")) == 2


def test_only_the_owner_cancels_a_run(store: str) -> None:
    with TestClient(make_app(Settings(store=store, **QUICK))) as client:
        contest = {"players": ["simple", "simple"], "games": 2}
        id = client.post("/api/v1/experiments/contests", json=contest).json()["id"]
        own = dict(client.cookies)
        client.cookies.clear()
        assert client.delete(f"/api/v1/jobs/{id}").status_code == 403
        assert client.post(f"/experiments/{id}/cancel").status_code == 403
        client.cookies.clear()
        client.cookies.update(own)
        assert client.delete(f"/api/v1/jobs/{id}").json()["state"] == "cancelled"


def test_notifier_wakes_streams_of_changes_here_and_elsewhere() -> None:
    async def main() -> list[bool]:
        notifier = Notifier()
        with notifier.subscribe("a") as event, notifier.subscribe("b") as other:
            notifier.notify("a")
            here = [event.is_set(), other.is_set()]
            event.clear()
            notifier.notify_changed({"a": 1, "b": 1})
            notifier.notify_changed({"a": 1, "b": 2})
            return [*here, event.is_set(), other.is_set()]

    assert asyncio.run(main()) == [True, False, False, True]


@pytest.mark.parametrize("seconds", [0.0, 100.0, 1000.0])
def test_warm_up_estimate_of_later_packages_does_not_collapse(seconds: float) -> None:
    warm_up = WarmUp(ready=set(COLD) - {"gin", "waiting"}, package="gin", since=time.monotonic() - seconds)
    assert warm_up.seconds_left("waiting") >= COLD["waiting"]


SLOW = (
    b"",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nX-",
    b"POST /api/v1/recycle/texts HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\na",
)


@pytest.mark.parametrize("sent", SLOW)
def test_slow_request_is_cut(store: str, sent: bytes) -> None:
    with serving(store, options=("--setting", "header_seconds=1", "--setting", "body_seconds=1")) as address:
        host, _, port = address.removeprefix("http://").rpartition(":")
        with socket.create_connection((host, int(port)), timeout=20) as connection:
            connection.sendall(sent)
            answer = b""
            while part := connection.recv(4096):
                answer += part
        assert answer.startswith(b"HTTP/1.1 408")


def test_every_get_route_opens_over_a_filled_store(store: str) -> None:
    opened = Store.open(store)
    for experiment, settings in (
        ("knock", {"games": 20}),
        ("recycle analyse", {"game": "hearts"}),
        ("recycle search", {"games": 3, "objective": "x"}),
        ("train", {"steps": 2}),
        ("track", {}),
    ):
        run = opened.run(experiment, settings)
        run.set_total(10)
        run.save_part("one", 1, {"value": 1})
    run.finish({"answer": [1, 2]})
    with TestClient(make_app(Settings(store=store, **QUICK))) as client:
        match = client.post("/api/v1/matches", json={"game": "gin", "opponents": ["simple"]}).json()["id"]
        owner = next(iter(client.cookies.values()))
        job = finished(client.app.state.services.runs, owner, "analyse", {"subjects": []}, {"tables": {}})  # type: ignore[attr-defined]
        values = {"id": match, "number": "1", "action": "1", "name": "lead.csv", "path": "x"}
        statuses: dict[str, int] = {}
        for route in (route for router in ROUTERS for route in router.routes):
            path = getattr(route, "path", "")
            if "GET" not in (getattr(route, "methods", None) or ()) or path.endswith("/events"):
                continue
            ids = values | {"id": job} if "jobs" in path else values
            statuses[path] = client.get(path.replace(":path", "").format(**ids)).status_code
        for number in range(1, 6):
            for path in (f"/experiments/{number}", f"/api/v1/experiments/{number}", f"/api/v1/experiments/{number}/rows.csv"):
                assert client.get(path).status_code == 200, path
    assert len(statuses) > 30
    assert {path: status for path, status in statuses.items() if status >= 500} == {}
    whole = ("/experiments", "/api/v1/experiments", "/gin", "/studio", "/review", "/waiting", "/stopping", "/api/v1/jobs")
    assert {statuses[path] for path in whole} == {200}


def test_store_that_cannot_be_opened_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    store = str(tmp_path / "file" / "runs.sqlite")
    process = start("serve", "--port", "0", "--store", store, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, error = process.communicate(timeout=120)
    assert (process.returncode, out, len(error.splitlines())) == (2, "", 1)
