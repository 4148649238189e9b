"""``--json`` and the API give the same answer to the same question; the API may add what only a page shows."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from meldlab.schemas.review import ReviewAnswer
from tests.cli.test_app import run
from tests.web.conftest import client

__all__ = ["client"]  # the fixture

TABLE, RACK = "R5-7 | K9 B9 O9", "R8 J"
TIMES = {"seconds"}


def answers(capsys: pytest.CaptureFixture[str], client: TestClient, words: str, path: str, **asked: str) -> Iterator[dict[str, Any]]:
    """Yield the answer of the command line, then that of the API, without the time that it took."""
    status, out, err = run(capsys, *words.split(";"), "--json")
    assert status == 0, err
    response = client.get(f"/api/v1/{path}", params=asked)
    assert response.status_code == 200, response.text
    for answer in (json.loads(out), response.json()):
        yield {name: value for name, value in answer.items() if name not in TIMES}


def test_rummikub_solve_is_the_same(capsys: pytest.CaptureFixture[str], client: TestClient) -> None:
    printed, sent = answers(capsys, client, f"rummikub;solve;--table;{TABLE};--rack;{RACK}", "rummikub/solve", table=TABLE, rack=RACK)
    assert sent.keys() - printed.keys() == {"frames"}
    assert printed == {name: sent[name] for name in printed}


def test_rummikub_why_not_is_the_same(capsys: pytest.CaptureFixture[str], client: TestClient) -> None:
    words = f"rummikub;solve;--table;{TABLE};--rack;{RACK} B1;--why-not;B1"
    printed, sent = answers(capsys, client, words, "rummikub/why-not", table=TABLE, rack=f"{RACK} B1", tile="B1")
    assert printed["why_not"] == sent


def test_rummikub_alternatives_have_the_same_keys(capsys: pytest.CaptureFixture[str], client: TestClient) -> None:
    words = f"rummikub;solve;--table;{TABLE};--rack;{RACK};--all"
    printed, sent = answers(capsys, client, words, "rummikub/others", table=TABLE, rack=RACK)
    assert printed["alternatives"].keys() == sent.keys()
    assert printed["alternatives"]["moves"][0].keys() == sent["moves"][0].keys()


def test_waiting_hand_is_the_same(capsys: pytest.CaptureFixture[str], client: TestClient) -> None:
    printed, sent = answers(capsys, client, "waiting;hand;AC QH KD", "waiting/hand", hand="AC QH KD")
    assert sent["found"].keys() - printed.keys() == {"curve", "quantile", "chances"}
    assert printed == {name: sent["found"][name] for name in printed}


def test_stopping_advice_is_the_same(capsys: pytest.CaptureFixture[str], client: TestClient) -> None:
    sitting = client.get("/api/v1/stopping/sitting", params={"deck": "5,5", "seed": "3", "drawn": "4"}).json()
    drawn, black = 4, 5 - sitting["black"]
    status, out, _ = run(capsys, "stopping", "advise", "--deck", "5,5", "--drawn", str(drawn), "--black", str(black), "--json")
    assert status == 0
    printed = json.loads(out)
    assert printed == {name: sitting[name] for name in printed}


def test_stopping_winnings_are_the_same(capsys: pytest.CaptureFixture[str], client: TestClient) -> None:
    words = "stopping;winnings;--deck;5,5;--games;1000;--seed;3"
    printed, sent = answers(capsys, client, words, "stopping/games", deck="5,5", games="1000", seed="3")
    assert printed == sent


def test_gin_advice_has_the_same_keys(capsys: pytest.CaptureFixture[str], client: TestClient) -> None:
    match = client.post("/api/v1/matches", json={"game": "gin", "opponents": ["simple"], "seed": 7}).json()
    hint = client.get(f"/api/v1/gin/matches/{match['id']}/hint").json()
    status, out, _ = run(capsys, "gin", "advise", "--hand", "2C 3C 4C 9D 9H 9S KC KD 4H 5S", "--upcard", "KH", "--json")
    assert status == 0
    assert hint.keys() - json.loads(out).keys() == {"determinizations", "turns"}
    assert json.loads(out).keys() - hint.keys() == {"hand", "deadwood", "deadwood_after", "in_stock", "meldability", "player_values"}


@pytest.mark.parametrize("name", ["determinizations", "worlds"])
def test_review_answer_reads_the_old_name_of_determinizations(name: str) -> None:
    fields = {"players": ["a", "b"], "player": "simple", "seed": 1, "least": 0.1, "seats": [], "rounds": [], "kinds": {}, "mistakes": []}
    answer = ReviewAnswer.model_validate({**fields, "decisions": [], name: 40})
    assert answer.model_dump()["determinizations"] == 40
