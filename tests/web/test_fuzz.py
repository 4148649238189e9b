"""Whatever is asked of the API: no answer but those that its description has, and none that is the server's mistake."""

import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.specs.openapi import checks
from starlette.testclient import TestClient

from meldlab.gin import Gin, Rules, players
from meldlab.parallel import no_progress
from meldlab.play import Deal, Table
from meldlab.web.app import make_app
from meldlab.web.settings import Settings
from meldlab.web.visitors import COOKIE
from meldlab.web.work import review as work
from tests.web.ending import finished

pytestmark = pytest.mark.slow

# Streams have no end to wait for.
schema = schemathesis.openapi.from_dict(make_app().openapi()).exclude(path_regex="/events$")
CHECKS = [checks.status_code_conformance, checks.content_type_conformance, checks.response_schema_conformance]
schema.config.update(base_url="http://testserver")
quickly = settings(deadline=None, suppress_health_check=list(HealthCheck), derandomize=True, database=None)
Ids = dict[str, list[str]]


@pytest.fixture(scope="module")
def asked_anything(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """Give a client of a laboratory that takes on long work and never begins it."""
    store = tmp_path_factory.mktemp("fuzz") / "store.sqlite"
    with TestClient(make_app(Settings(store=str(store), warm=False, jobs=0, hosts=("testserver",)))) as client:
        yield client


@pytest.fixture(scope="module")
def ids(asked_anything: TestClient) -> Ids:
    """Give, by the first words of their paths, names of what there is: a match that goes on, one that is over, work of each kind, a run."""
    client, shelf = asked_anything, asked_anything.app.state.services.repository  # type: ignore[attr-defined]
    going = client.post("/api/v1/matches", json={"game": "gin", "opponents": ["simple"], "seed": 1}).json()
    client.post(f"/api/v1/matches/{going['id']}/actions", json={"after": going["turn"], "move": 0})
    record = Table(Gin(Rules(match_points=0)), [players.parse("random"), players.parse("simple")]).play(Deal(1)).record
    over, untouched = (
        shelf.add_match(client.cookies[COOKIE], "gin", str(replace(record, players=("you", "simple"))), 0, len(record.actions), True).id
        for _ in "ab"
    )
    wanted = {"match": over, "record": str(record), "seats": [0], "player": "simple", "worlds": 2}
    found = {
        "review": (wanted, work.review(shelf.store.run("review", wanted), wanted, no_progress)),
        "contest": ({"players": ["simple", "simple"], "games": 2, "seed": 0}, {}),
        "analyse": ({"subjects": []}, {"tables": {"lead.csv": "game,run\r\n"}}),
    }
    runs = client.app.state.services.runs  # type: ignore[attr-defined]
    jobs = {kind: finished(runs, "", kind, arguments, result) for kind, (arguments, result) in found.items()}
    jobs["waiting"] = runs.submit("", "contest", {"players": ["simple", "simple"], "games": 2, "seed": 1}, 100).id
    return {
        "untouched": [untouched],
        "/api/v1/matches/": [going["id"], over],
        "/api/v1/gin/matches/": [going["id"], over],
        "/api/v1/jobs/": [*jobs.values()],
        "/api/v1/review/": [jobs["review"], jobs["contest"]],
        "/api/v1/experiments/": [str(shelf.store.run("knock", {}).number)],
        "/api/v1/recycle/texts/": ["kuhn_poker"],
        "/api/v1/recycle/analyses/": [jobs["analyse"], jobs["review"]],
    }


def ask(client: TestClient, case: "schemathesis.Case[Any]") -> None:
    asked = {name: value for name, value in case.as_transport_kwargs(base_url="http://testserver").items() if name != "files"}
    if isinstance(asked.get("data"), bytes | str):
        asked["content"] = asked.pop("data")
    answer = client.request(**asked)
    # The bounded line may be full, and says so; that is no mistake.
    assert answer.status_code < 500 or "retry-after" in answer.headers, answer.text
    if answer.status_code != 503:
        case.validate_response(answer, checks=CHECKS)


@schema.exclude(path_regex="{").parametrize()
@settings(quickly, max_examples=12)
def test_the_api_keeps_its_word(case: "schemathesis.Case[Any]", asked_anything: TestClient) -> None:
    ask(asked_anything, case)


@schema.include(path_regex="{").parametrize()
@settings(quickly, max_examples=8)
def test_it_does_so_about_what_there_is(case: "schemathesis.Case[Any]", asked_anything: TestClient, ids: Ids) -> None:
    # Three of four times it is something that there is; which, the case itself decides, so that it can be asked again.
    lot = zlib.crc32(repr((case.path_parameters, case.query, case.body)).encode())
    there = next(names for start, names in ids.items() if case.path.startswith(start))
    name = "number" if "number" in case.path_parameters else "id"
    if lot % 4:
        case.path_parameters[name] = there[lot // 4 % len(there)]
        if isinstance(case.body, dict) and "after" in case.body and lot % 3:
            case.body["after"] = asked_anything.get(f"/api/v1/matches/{case.path_parameters[name]}").json()["turn"]
    ask(asked_anything, case)


def test_what_there_is_is_told(asked_anything: TestClient, ids: Ids) -> None:
    get: Callable[[str], Any] = asked_anything.get
    going, over = ids["/api/v1/matches/"][0], ids["untouched"][0]  # the other match may have been taken back
    review = ids["/api/v1/review/"][0]
    decision = get(f"/api/v1/review/{review}").json()["review"]["decisions"][0]
    told = [
        get(f"/api/v1/matches/{going}"),
        get(f"/api/v1/matches/{over}/record"),
        get(f"/api/v1/gin/matches/{over}/beliefs?round=1"),
        get(f"/api/v1/experiments/{ids['/api/v1/experiments/'][0]}/rows.csv"),
        get(f"/api/v1/recycle/analyses/{ids['/api/v1/recycle/analyses/'][0]}/lead.csv"),
        asked_anything.post(f"/api/v1/review/{review}/decisions/{decision['action']}", json={"move": decision["best"]}),
        *(get(f"/api/v1/jobs/{id}") for id in ids["/api/v1/jobs/"]),
    ]
    assert [answer.status_code for answer in told] == [200] * len(told)
