"""Matches: what a seat receives, and that nothing is lost or done twice."""

from typing import Any

import pytest
from starlette.testclient import TestClient

from meldlab.games import load_game
from meldlab.play import Record, replay
from meldlab.web.app import make_app
from meldlab.web.settings import Settings
from meldlab.web.work import play

GIN = {"game": "gin", "opponents": ["simple"]}


def begun(client: TestClient, **more: object) -> dict[str, Any]:
    answer = client.post("/api/matches", json=GIN | more)
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


def test_a_match_goes_on_until_its_end_and_its_record_replays(client: TestClient) -> None:
    told = begun(client, rules={"match_points": 1})
    for _ in range(500):
        if told["over"]:
            break
        # A knock comes last among the legal moves; whoever never knocks may play on for hours.
        told = client.post(f"/api/matches/{told['id']}/actions", json={"after": told["turn"], "action": told["legal"][-1]}).json()
    assert told["over"]
    assert told["result"]["winners"]
    record = Record.parse(client.get(f"/api/matches/{told['id']}/record").text)
    assert record.deal.seed == told["seed"]
    assert sum(1 for _ in replay(load_game(record), record)) == told["turn"]


def test_the_deal_stays_hidden_until_the_end(client: TestClient) -> None:
    told = begun(client)
    assert told["seed"] is None
    assert client.get(f"/api/matches/{told['id']}/record").status_code == 409


def test_an_action_of_an_old_window_is_refused(client: TestClient) -> None:
    told = begun(client)
    address, act = f"/api/matches/{told['id']}/actions", {"after": told["turn"], "action": told["legal"][0]}
    assert client.post(address, json=act).status_code == 200
    again = client.post(address, json=act)
    assert again.status_code == 409
    assert "another window" in again.json()["error"]


def test_the_short_forms_of_the_terminal_are_understood(client: TestClient) -> None:
    told = client.post("/api/matches", json={"game": "gin", "opponents": ["simple"], "seed": 1}).json()
    for action in ("p", "d"):
        if action == "p" or "draw stock" in told["legal"]:
            told = client.post(f"/api/matches/{told['id']}/actions", json={"after": told["turn"], "action": action}).json()
    card = told["view"]["hand"][0]
    after = client.post(f"/api/matches/{told['id']}/actions", json={"after": told["turn"], "action": card.lower()}).json()
    assert f"p1 drop {card}" in after["log"]


@pytest.mark.parametrize("action", ["drop ZZ", "", "knock", "x" * 1999, "drop AS\x00", "take 5H 6H"])
def test_nonsense_is_refused_and_changes_nothing(client: TestClient, action: str) -> None:
    told = begun(client)
    answer = client.post(f"/api/matches/{told['id']}/actions", json={"after": told["turn"], "action": action})
    assert answer.status_code == 422
    assert answer.json()["error"]
    assert client.get(f"/api/matches/{told['id']}").json() == told


@pytest.mark.parametrize("name", ["own.py:Player", "computed:/etc/passwd", "../x.npz", "mc:1000000", ""])
def test_opponents_are_those_of_the_house(client: TestClient, name: str) -> None:
    assert client.post("/api/matches", json=GIN | {"opponents": [name]}).status_code == 422


def test_what_was_seen_makes_practice_of_taking_back(client: TestClient) -> None:
    told = begun(client, seat=0)
    first = told
    for _ in range(4):
        told = client.post(f"/api/matches/{told['id']}/actions", json={"after": told["turn"], "action": told["legal"][0]}).json()
    back = client.post(f"/api/matches/{told['id']}/undo", json={"after": told["turn"]}).json()
    assert back["turn"] < told["turn"]
    assert back["practice"]
    assert first["practice"] == ""


def test_what_is_kept_ready_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play, "READY", type(play.READY)())
    step: Any = object()
    for number in range(40):
        play._keep(str(number), None, [step] * 100)
    assert len(play.READY) == 32
    play._keep("long", None, [step] * 6_000)
    assert list(play.READY) == ["long"]


def test_a_match_survives_the_server(store: str) -> None:
    settings = Settings(store=store, warm=False, hosts=("testserver",))
    with TestClient(make_app(settings)) as client:
        told = begun(client)
    with TestClient(make_app(settings)) as client:
        assert client.get(f"/api/matches/{told['id']}").json() == told
