"""Experiments: what the store has, a contest from its beginning to its end, and one that is cancelled."""

import time

import pytest
from starlette.testclient import TestClient

from meldlab.runs.store import Store
from meldlab.web.app import make_app
from meldlab.web.settings import Settings
from meldlab.web.visitors import COOKIE
from tests.web.ending import ended, finished

CONTEST = {"players": ["ensemble:best", "simple"], "games": 40}


@pytest.mark.slow
def test_work_is_cancelled_and_the_next_has_rates_with_intervals(client: TestClient) -> None:
    long = client.post("/api/v1/experiments/contests", json={"players": ["computed:light", "simple"], "games": 200_000}).json()
    assert client.delete(f"/api/v1/jobs/{long['id']}").json()["state"] == "cancelled"
    begun = client.post("/api/v1/experiments/contests", json=CONTEST)
    assert begun.status_code == 201
    told = ended(client, begun.json()["id"])
    assert client.get(f"/api/v1/jobs/{long['id']}").json()["state"] == "cancelled"
    assert told["state"] == "finished"
    first = told["result"]["players"][0]
    assert first["ci95"][0] <= first["win_rate"] <= first["ci95"][1]
    assert f"{first['win_rate']:.4f}" in client.get("/experiments").text


def test_too_much_work_is_refused_for_now(store: str) -> None:
    settings = Settings(store=store, warm=False, hosts=("testserver",), job_queue=2, jobs=0)
    with TestClient(make_app(settings)) as client:
        answers = []
        for seed in range(4):
            if seed == 3:
                client.cookies.clear()  # another visitor
            answers.append(client.post("/api/v1/experiments/contests", json=CONTEST | {"seed": seed}))
        assert [answer.status_code for answer in answers] == [201, 201, 429, 503]
        assert {answer.headers["retry-after"] for answer in answers[2:]} == {"30"}
        client.cookies.clear()


@pytest.mark.slow
def test_work_begins_again_after_the_server_died(store: str) -> None:
    settings = Settings(store=store, warm=False, hosts=("testserver",))
    with TestClient(make_app(settings)) as client:
        id = client.post("/api/v1/experiments/contests", json=CONTEST).json()["id"]
        time.sleep(0.5)
    with TestClient(make_app(settings)) as client:
        assert ended(client, id)["state"] == "finished"


def test_runs_of_the_store_are_shown(store: str) -> None:
    run = Store.open(store).run("knock", {"games": 20})
    run.set_total(40)
    run.note("a note <b>")
    with TestClient(make_app(Settings(store=store, warm=False, hosts=("testserver",)))) as client:
        (told,) = client.get("/api/v1/experiments").json()
        assert (told["run"], told["state"], told["planned"]) == (run.number, "stopped", 40)
        overview = client.get("/experiments")  # the settings of this run name no game
        assert (overview.status_code, f'href="/experiments/{run.number}"' in overview.text) == (200, True)
        page = client.get(f"/experiments/{run.number}").text
        assert "a note &lt;b&gt;" in page
        assert client.get(f"/api/v1/experiments/{run.number}/rows.csv").text.startswith("run,piece,label")
        assert client.get("/api/v1/experiments/99").status_code == 404


def test_work_of_other_rooms_is_not_shown(store: str) -> None:
    with TestClient(make_app(Settings(store=store, warm=False, hosts=("testserver",), jobs=0))) as client:
        client.get("/gin")
        runs = client.app.state.services.runs  # type: ignore[attr-defined]
        for kind, result in (("review", {"players": ["you", "simple"]}), ("analyse", {"title": "Hearts"})):
            finished(runs, client.cookies[COOKIE], kind, {}, result)
        page = client.get("/experiments")
        assert (page.status_code, "Hearts" in page.text) == (200, False)


def test_nonsense_is_refused(client: TestClient) -> None:
    for wrong in ({"players": ["own.py:X", "simple"]}, {"players": ["simple"]}, CONTEST | {"games": 10**9}, {}):
        assert client.post("/api/v1/experiments/contests", json=wrong).status_code == 422
    assert client.post("/experiments", content="first=x&second=simple&games=10").status_code == 422
