"""The review: a record from its coming to its mistakes, tries with tolerance, practice; nothing of a match that goes on."""

import json
import multiprocessing
import os
import re
import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from starlette.testclient import TestClient

from meldlab.gin import Gin, Move, Phase, Rules, Verb, View, players
from meldlab.gin.review import ACCEPTABLE_LOSS, Review, Reviewer, steps_of
from meldlab.parallel import no_progress
from meldlab.play import Chance, Deal, Record, Table
from meldlab.runs.store import Store
from meldlab.web.app import make_app
from meldlab.web.settings import Settings
from meldlab.web.work import review as work
from tests.web.ending import ended

WORLDS = 40
QUICK = {"player": "simple", "worlds": WORLDS}
RECORD = replace(
    Table(Gin(Rules(match_points=60)), [players.parse("random"), players.parse("simple")]).play(Deal(23)).record, players=("you", "simple")
)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """Give a client of a laboratory of its own, so that nobody else's work is waited for."""
    store = tmp_path_factory.mktemp("review") / "store.sqlite"
    with TestClient(make_app(Settings(store=str(store), warm=False, hosts=("testserver",))), base_url="http://testserver") as client:
        client.get("/review")  # gives the cookie
        yield client


@pytest.fixture(scope="module")
def reviewed(client: TestClient) -> dict[str, Any]:
    """Give the review of a round that somebody has played at random."""
    kept = client.post("/api/v1/review/records", json={"text": str(RECORD)})
    assert kept.status_code == 201
    told = client.post("/api/v1/review", json={"match": kept.json()["match"], **QUICK}).json()
    done = ended(client, told["id"], "/api/v1/review")
    assert done["state"] == "finished", done["message"]
    return done


@pytest.fixture(scope="module")
def worst(reviewed: dict[str, Any]) -> dict[str, Any]:
    """Give the dearest mistake."""
    return max((one for one in reviewed["review"]["decisions"] if one["mistake"]), key=lambda one: float(one["cost"]))


def test_the_review_is_that_of_the_library(reviewed: dict[str, Any]) -> None:
    reviewer, steps = Reviewer.from_name("simple", WORLDS), steps_of(RECORD)
    wanted = Review.of(reviewer, RECORD, reviewer.decisions(steps, [0]), [0]).as_json()
    found = reviewed["review"]
    assert [one["candidates"] for one in found["decisions"]] == [one["candidates"] for one in wanted["decisions"]]
    assert [one["kind"] for one in found["decisions"]] == [one["kind"] for one in wanted["decisions"]]
    assert found["seats"][0]["curve"] == [list(point) for point in wanted["seats"][0]["curve"]]
    assert found["seats"][0]["mistakes"] > 2
    for one in found["decisions"]:
        view = steps[one["action"] - 1].before.view(0)
        assert one["position"]["hand"] == [str(card) for card in view.cards]
        assert one["position"]["stock"] == view.stock


def test_the_same_is_not_done_twice(client: TestClient, reviewed: dict[str, Any]) -> None:
    again = client.post("/api/v1/review", json={"match": reviewed["match"], **QUICK})
    assert again.json()["id"] == reviewed["id"]
    other = client.post("/api/v1/review", json={"match": reviewed["match"], **QUICK, "seat": 2}).json()
    assert other["id"] != reviewed["id"]
    client.delete(f"/api/v1/jobs/{other['id']}")


def test_review_resumes_after_the_saved_decisions(store: str) -> None:
    settings: dict[str, Any] = {
        "match": "m",
        "record": str(replace(RECORD, actions=RECORD.actions[:12], result=None)),
        "seats": [0],
        **QUICK,
    }
    whole, half = (Store.open(store).run("review", {"half": half}) for half in (False, True))
    result = work.review(whole, settings, no_progress)
    for part in whole.parts()[:3]:
        if part["number"] == whole.parts()[1]["number"]:
            part["decision"]["candidates"][0]["chance"] = 0.123  # what is saved is not valued again
        half.save_part(f"decision {part['number']}", part["number"], part)
    resumed = work.review(half, settings, no_progress)
    assert half.parts()[3:] == whole.parts()[3:]
    assert resumed["decisions"][1]["candidates"][0]["chance"] == 0.123
    assert resumed["decisions"][2:] == result["decisions"][2:]


@pytest.mark.slow
def test_a_review_outlives_its_server(store: str, reviewed: dict[str, Any]) -> None:
    settings = Settings(store=store, warm=False, hosts=("testserver",), workers=1)
    with TestClient(make_app(settings), base_url="http://testserver") as client:
        services = client.app.state.services  # type: ignore[attr-defined]
        match = services.repository.add_match("", "gin", str(RECORD), 0, len(RECORD.actions), True).id
        id = client.post("/api/v1/review", json={"match": match, **QUICK}).json()["id"]
        end = time.monotonic() + 120
        while not (before := parts(store)) and time.monotonic() < end:
            time.sleep(0.01)
        # It stands still from now on, lest it ends while the server does.
        for process in multiprocessing.active_children():
            if process.name == "meldlab run" and process.pid:
                os.kill(process.pid, signal.SIGSTOP)
    before = parts(store)
    assert 0 < len(before) < len(reviewed["review"]["decisions"])
    with TestClient(make_app(settings), base_url="http://testserver") as client:
        told = ended(client, id, "/api/v1/review")
    assert told["review"] | {"match": ""} == reviewed["review"] | {"match": ""}
    assert parts(store)[: len(before)] == before


def parts(store: str) -> list[dict[str, Any]]:
    """Return the saved decisions of the only review of a store."""
    runs = Store.open(store).runs()
    return runs[0].parts() if runs else []


def test_a_try_is_judged_with_tolerance_and_tells_the_best_only_when_good(client: TestClient, reviewed: dict[str, Any], worst: Any) -> None:
    where = f"/api/v1/review/{reviewed['id']}/decisions/{worst['action']}"
    for one in worst["candidates"]:
        told = client.post(where, json={"move": one["move"]}).json()
        assert told["good"] == (one["cost"] < ACCEPTABLE_LOSS or one["cost"] <= 2 * one["error"])
        assert told["best"] == (worst["best"] if told["good"] else None)
    assert not client.post(where, json={"move": worst["done"]}).json()["good"]
    for wrong in ({"move": "fly"}, {"move": ""}, {}, {"move": "x" * 600}, {"move": worst["best"], "more": 1}):
        assert client.post(where, json=wrong).status_code == 422
    assert client.post(f"/api/v1/review/{reviewed['id']}/decisions/2", json={"move": "pass"}).status_code in (404, 422)
    assert client.post(f"/api/v1/review/{reviewed['id']}/decisions/99999", json={"move": "pass"}).status_code == 404


def test_what_is_not_solved_comes_first(client: TestClient, reviewed: dict[str, Any], worst: Any) -> None:
    where = f"/api/v1/review/{reviewed['id']}/decisions/{worst['action']}"
    client.post(where, json={"move": worst["done"]})
    before = client.get("/api/v1/review/practice").json()
    assert before["mistakes"][0]["action"] == worst["action"]
    assert [one["cost"] for one in before["mistakes"]] == sorted((one["cost"] for one in before["mistakes"]), reverse=True)
    client.post(where, json={"move": worst["best"]})
    after = client.get("/api/v1/review/practice").json()
    assert (after["mistakes"][-1]["action"], after["mistakes"][-1]["solved"], after["solved"]) == (worst["action"], True, 1)
    assert after["mistakes"][-1]["tries"] > before["mistakes"][0]["tries"]
    assert "1 of" in client.get("/review/practice").text
    client.cookies.clear()  # somebody else has no mistakes
    assert client.get("/api/v1/review/practice").json()["mistakes"] == []


def test_the_slider_and_the_kinds_choose(client: TestClient, reviewed: dict[str, Any]) -> None:
    here, decisions = f"/review/{reviewed['id']}", reviewed["review"]["decisions"]

    def listed(query: str) -> list[int]:
        return [int(found) for found in re.findall(r'aria-label="Try action (\d+) again"', client.get(f"{here}?{query}").text)]

    mistakes = sorted((one for one in decisions if one["mistake"]), key=lambda one: (-one["cost"], one["action"]))
    assert listed("") == [one["action"] for one in mistakes]
    assert listed("least=8") == [one["action"] for one in mistakes if one["cost"] >= 0.08]
    assert len(listed("least=0&unsure=true")) == len(decisions)
    kinds = {one["kind"] for one in mistakes}
    for kind in kinds:
        assert listed(f"kind={kind}") == [one["action"] for one in mistakes if one["kind"] == kind]
    assert f"all {len(mistakes)}<" in client.get(here).text
    for wrong in ("least=-1", "least=x", "kind=silly", "least=nan"):
        assert client.get(f"{here}?{wrong}").status_code == 422


def test_a_decision_hides_its_answer_until_it_is_asked_for(client: TestClient, reviewed: dict[str, Any], worst: Any) -> None:
    here = f"/review/{reviewed['id']}/{worst['action']}"
    hidden, shown = client.get(here).text, client.get(f"{here}?answer=true").text
    assert ("All moves</h2>" in hidden, "All moves</h2>" in shown) == (False, True)
    bad = client.post(here, data={"move": worst["done"]}, follow_redirects=False)
    assert (bad.status_code, "tried=" in bad.headers["location"]) == (303, True)
    page = client.get(bad.headers["location"]).text
    assert "Not yet" in page
    assert "All moves</h2>" not in page
    good = client.post(here, data={"move": worst["best"]}).text
    assert "✓ Good" in good
    assert "All moves</h2>" in good
    nonsense = client.post(here, data={"move": "fly <b>"})
    assert (nonsense.status_code, "fly &lt;b&gt;" in nonsense.text) == (422, True)


class Careless:
    """Plays as the simple player does, and shows nothing when the other knocks."""

    name = "you"

    def choose(self, view: View, chance: Chance) -> Move:
        return Move(Verb.SHOW) if view.phase is Phase.SHOW else players.parse("simple").choose(view, chance)


@pytest.mark.slow
def test_melds_that_were_not_shown_and_every_other_page(client: TestClient) -> None:
    game = Gin.read({"preset": "pagat", "match_points": 60})
    record = Table(game, [Careless(), players.parse("ensemble")]).play(Deal(2)).record
    match = client.post("/api/v1/review/records", json={"text": str(replace(record, actions=record.actions[:38], result=None))}).json()[
        "match"
    ]
    begun = client.post("/api/v1/review", json={"match": match, "player": "simple", "worlds": 2}).json()
    told = ended(client, begun["id"], "/api/v1/review")
    for one in told["review"]["decisions"]:
        assert client.get(f"/review/{told['id']}/{one['action']}?answer=true").status_code == 200
    last = told["review"]["decisions"][-1]
    assert (last["phase"], last["done"], last["kind"], last["mistake"], last["worlds"]) == ("show", "show", "melds shown", True, 0)
    assert "lay off" in last["best"]
    here = f"/review/{told['id']}/{last['action']}"
    melds = last["best"].removeprefix("show ").partition(" lay off")[0].split(" | ")
    page = client.get(here).text
    # The question says neither what can be done nor what belongs together, in no part of the page.
    assert last["best"] not in page
    assert "Melds: " not in page
    assert not any(meld in page for meld in melds)
    assert last["best"] in client.get(f"{here}?answer=true").text
    down = [card for card in last["position"]["hand"] if card in last["best"].split()]
    assert f"Lay {len(down)} cards down" in client.get(here, params={"down": " ".join(down)}).text
    good = client.post(here, data={"down": " ".join(reversed(down))}).text
    assert "✓ Good" in good
    assert f"<code>{last['best']}</code>" in good
    assert "✗ Not yet" in client.post(here, data={"down": ""}).text
    refused = client.post(here, data={"down": down[0]})
    assert (refused.status_code, "not all of these fit together" in refused.text) == (422, True)


def test_a_match_that_goes_on_is_not_reviewed(client: TestClient) -> None:
    told = client.post("/api/v1/matches", json={"game": "gin", "opponents": ["simple"]}).json()
    answer = client.post("/api/v1/review", json={"match": told["id"]})
    assert answer.status_code == 409
    assert "over" in answer.json()["error"]
    assert client.get(f"/review?match={told['id']}").status_code == 409
    assert client.post("/review", data={"match": told["id"]}).status_code == 409
    assert client.post("/api/v1/review", json={"match": "A" * 16}).status_code == 404


def test_a_record_that_has_not_ended_can_be_brought(client: TestClient) -> None:
    begun = replace(RECORD, actions=RECORD.actions[:9], result=None)
    sent = client.post("/review", data={**QUICK, "text": ""}, files={"file": ("a.toml", str(begun).encode())}, follow_redirects=False)
    assert sent.status_code == 303
    id = sent.headers["location"].removeprefix("/review/")
    assert ended(client, id, "/api/v1/review")["review"]["actions"] == 9
    assert "you against simple" in client.get(f"/review/{id}").text


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no record given"),
        (" ", "no record given"),
        ("nonsense", "not TOML"),
        ("x = " + 20_000 * "[", "brackets are nested too deeply"),
        ("a" + 20_000 * ".a" + " = 1", "a key has too many parts"),
        (str(RECORD).replace("seed", "sed", 1), "unknown field &#39;sed&#39;"),
        (str(RECORD).replace(RECORD.actions[4], "p9 fly", 1), "action 5"),
        (str(replace(RECORD, game="rummikub")), "only gin can be reviewed"),
        (str(replace(RECORD, actions=(), result=None)), "nothing was done"),
    ],
)
def test_a_broken_record_is_refused_with_its_place(client: TestClient, text: str, says: str) -> None:
    answer = client.post("/review", data={"text": text})
    assert answer.status_code == 422
    shown = re.search(r'<pre class="mistake" role="alert">(.*?)</pre>', answer.text, re.DOTALL)
    assert shown is not None
    assert says in shown[1]
    if text.strip():
        assert client.post("/api/v1/review/records", json={"text": text}).status_code == 422


def test_too_much_is_refused(client: TestClient) -> None:
    many = len(client.get("/api/v1/matches").json())
    deep = '{"text": ' + 20_000 * "["
    assert client.post("/api/v1/review/records", content=deep, headers={"content-type": "application/json"}).status_code in (400, 422)
    assert "worlds: " in client.post("/review", data={"text": str(RECORD), "worlds": "many"}).text
    assert len(client.get("/api/v1/matches").json()) == many
    assert client.post("/api/v1/review/records", content=json.dumps({"text": "x" * 300_000})).status_code == 413
    for wrong in ({"worlds": 10**9}, {"player": "own.py:X"}, {"seat": 3}, {"match": "../../etc/passwd"}, {"more": 1}):
        assert client.post("/api/v1/review", json={"match": "A" * 16, **wrong}).status_code == 422


def test_a_name_in_a_record_reads_no_file(client: TestClient) -> None:
    begun = replace(RECORD, players=("you", "own.py:Player"), actions=RECORD.actions[:8], result=None)
    match = client.post("/api/v1/review/records", json={"text": str(begun)}).json()["match"]
    told = client.get(f"/api/v1/matches/{match}").json()
    refused = client.post(
        f"/api/v1/matches/{match}/actions",
        json={"after": told["turn"], "action": ([move["text"] for move in told["table"]["moves"]] or ["pass"])[0]},
    )
    assert (refused.status_code, "no opponent 'own.py:Player'" in refused.json()["error"]) == (422, True)
    assert client.post(f"/api/v1/gin/matches/{match}/watch").status_code == 422


def test_the_second_hint_has_chances_points_and_errors(client: TestClient) -> None:
    told = client.post("/api/v1/matches", json={"game": "gin", "opponents": ["simple"], "seed": 3}).json()
    where = f"/api/v1/gin/matches/{told['id']}/hint"
    assert client.get(where).json()["moves"] == []
    found = client.get(f"{where}?level=2").json()
    assert {one["move"] for one in found["moves"]} == {move["text"] for move in told["table"]["moves"]}
    assert found["determinizations"] == 200
    assert found["moves"][0]["cost"] == 0
    assert all(0 <= one["chance"] <= 1 and one["error"] >= 0 for one in found["moves"])
    assert "win %" in client.get(f"/play/{told['id']}?hint=2").text
    first = client.get(where).json()
    assert 0 < first["expected_turns_error"]["gin"] < first["expected_turns"]["gin"]
    assert re.search(
        r"Turns from stock alone: about [\d.]+ ± [\d.]+ to a knock, about [\d.]+ ± [\d.]+ to gin\.",
        client.get(f"/play/{told['id']}?hint=1").text,
    )


def test_reading_a_record_again_gives_the_record(client: TestClient) -> None:
    match = client.post("/api/v1/review/records", json={"text": str(RECORD)}).json()["match"]
    assert Record.parse(client.get(f"/api/v1/matches/{match}/record").text) == RECORD
