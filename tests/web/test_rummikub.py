"""The helper: the library's answers through both doors, every tap an address, nonsense refused."""

from datetime import date, timedelta
from typing import Any

import pytest
from starlette.testclient import TestClient

from meldlab.rummikub import PRESETS, Objective, Position, describe_steps, format_table, make_puzzle, solve
from meldlab.web import rummikub_calls
from meldlab.web.routes.rummikub import seed_of
from meldlab.web.work import rummikub as work

TABLE, RACK = "R3-5 | K5 B5 O5 | K6-8 | R9 B9 O9", "r5 b6-7 k9 r13"


def asked(client: TestClient, path: str, **query: Any) -> Any:
    answer = client.get(f"/api/v1/rummikub/{path}", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.parametrize("objective", ["count", "value"])
@pytest.mark.parametrize("keep", ["sets", "tiles", "none"])
def test_the_api_answers_as_the_library_does(client: TestClient, objective: str, keep: str) -> None:
    found = asked(client, "solve", rack=RACK, table=TABLE, objective=objective, keep=keep)
    best = solve(Position.parse(TABLE, RACK, PRESETS["official"]), Objective(objective, keep))
    assert (found["table"], found["count"], found["proven"]) == (format_table(best.table), best.count, True)
    assert found["steps"] == describe_steps(best)


@pytest.mark.parametrize(
    ("table", "rack", "jokers"),
    [
        (TABLE, RACK, "modern"),
        ("R5 J=R6 R7 | B1-4", "R6 O1 O2 B5", "modern"),
        ("O3 O4 J J O7", "O8 R10-12", "free"),
        ("", "R10-12 J J", ""),
    ],
)
def test_the_last_frame_is_the_table(client: TestClient, table: str, rack: str, jokers: str) -> None:
    found = asked(client, "solve", rack=rack, table=table, jokers=jokers)
    assert found["count"] > 0
    last = found["frames"][-1]
    assert len(found["frames"]) == len(found["steps"]) + 1
    assert sorted(" ".join(one["tile"] for one in pile["tiles"]) for pile in last["sets"]) == sorted(found["table"].split(" | "))
    assert (sorted(last["rack"]), last["hand"]) == (sorted(found["left"]), [])
    for frame in found["frames"]:  # no tile is lost on the way
        lying = [one["tile"].split("=")[0] for pile in frame["sets"] for one in pile["tiles"]]
        first = [one["tile"].split("=")[0] for pile in found["frames"][0]["sets"] for one in pile["tiles"]]
        assert sorted([*lying, *frame["rack"], *frame["hand"]]) == sorted([*first, *found["frames"][0]["rack"]])
        for pile in frame["sets"]:
            assert not (pile["kept"] and any(one["from"] != "stay" for one in pile["tiles"]))


def test_an_opening_counts_its_points(client: TestClient) -> None:
    assert asked(client, "solve", rack="R10-12 K1", table="K9 B9 O9", opening=True)["opening"] == {"points": 33, "needed": 30}
    few = asked(client, "solve", rack="R1-3", table="R4-6", opening=True)
    assert (few["played"], few["opening"]) == ([], {"points": 6, "needed": 30})


def test_why_not_a_tile(client: TestClient) -> None:
    assert asked(client, "why-not", rack=RACK, table=TABLE, tile="r13")["possible"] is False
    costs = asked(client, "why-not", rack="R1 K3 K4", table="R2-4 | K1 K2 J=K3 | R5 B5 O5", tile="R1", objective="value")
    assert (costs["possible"], costs["cost"]) == (True, 0)


def test_every_best_move(client: TestClient) -> None:
    found = asked(client, "others", rack=RACK, table=TABLE)
    assert (len(found["moves"]), found["complete"]) == (2, True)
    refused = client.get("/api/v1/rummikub/others", params={"rack": RACK, "table": TABLE, "keep": "tiles"})
    assert refused.status_code == 422


def test_a_table_is_checked_pile_by_pile(client: TestClient) -> None:
    found = asked(client, "check", table="r5 r6 r8 | k9 b9 | R1-3 | k1 k1 b1", rack="r5")
    assert [pile["why"] for pile in found["piles"]] == ["the run lacks R7", "a set has at least 3 tiles", "", "K1 twice in one set"]
    assert (found["left"]["R5"], found["left"]["K1"], found["left"]["J"]) == (0, 0, 2)


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("solve", {"rack": ""}),
        ("solve", {"rack": "R5 X7"}),
        ("solve", {"rack": "R14"}),
        ("solve", {"rack": "R5", "table": "R5 R6"}),
        ("solve", {"rack": "R5 R5 R5"}),
        ("solve", {"rack": "R1-13 " * 150}),
        ("solve", {"rack": "R5", "jokers": "wild"}),
        ("solve", {"rack": "R5", "rules": "../secret.toml"}),
        ("solve", {"rack": "R5", "more": "1"}),
        ("solve", {"rack": "R5" * 3000}),
        ("why-not", {"rack": "R5", "table": "R6-8", "tile": "K1"}),
        ("why-not", {"rack": "R5", "table": "R6-8", "tile": "R55555"}),
        ("why-not", {"rack": "R5", "table": "R6-8", "tile": "R20"}),
        ("puzzle", {"day": "1066-10-14"}),
        ("puzzle", {"day": "today"}),
        ("judge", {"day": "2026-11-15", "table": "R1 R2"}),
    ],
)
def test_nonsense_is_refused(client: TestClient, path: str, query: dict[str, str]) -> None:
    answer = client.get(f"/api/v1/rummikub/{path}", params=query)
    assert answer.status_code == 422
    assert answer.json()["error"]


def test_the_puzzle_of_a_day_is_the_same_for_all(client: TestClient) -> None:
    day = date(2026, 11, 15)
    told, made = asked(client, "puzzle", day=day), make_puzzle(seed_of(day))
    assert (told["table"], told["count"], told["solution"]) == (format_table(made.position.table), made.solution.count, None)
    assert told["table"] != asked(client, "puzzle", day=day + timedelta(1))["table"]
    solution = asked(client, "puzzle", day=day, solution=True)["solution"]["table"]
    assert asked(client, "judge", day=day, table=solution) == {"faults": [], "count": told["count"], "right": True}
    assert asked(client, "judge", day=day, table=told["table"])["right"] is False
    assert asked(client, "judge", day=day, table="R1-3")["faults"]


def address_after(client: TestClient, query: str) -> str:
    answer = client.get(f"/rummikub?{query}", follow_redirects=False)
    assert answer.status_code == 303, answer.text
    return answer.headers["location"].partition("?")[2]


@pytest.mark.parametrize(
    ("query", "after"),
    [
        ("rack=r5-6+j", "rack=R5+R6+J"),
        ("rack=R5&do=add+R6", "rack=R5+R6"),
        ("rack=R5&do=add+R6&to=new", "rack=R5&table=R6&to=1"),
        ("rack=R5&do=hold+rack.1", "rack=R5&held=rack.1"),
        ("rack=R5&do=hold+rack.1&held=rack.1", "rack=R5"),
        ("rack=R8&table=R5+R6+R7&do=put+1&held=rack.1", "table=R5+R6+R7+R8"),
        ("rack=R8&table=R5+R6+R7&do=put+box&held=1.1", "rack=R8&table=R6+R7"),
        ("rack=R8&table=R5+R6+R7&do=put+new&held=1.3", "rack=R8&table=R5+R6+%7C+R7"),
        ("table=R5+%7C+R6+R7&do=move+1.1+2", "table=R5+R6+R7"),
        ("table=R5+J%3DR6+R7&do=move+1.2+rack", "rack=J&table=R5+R7"),
        ("rack=K1+R9+J+R2&do=sort", "rack=R2+R9+K1+J"),
        ("rack=R5&step=3&do=to+new", "rack=R5&to=new"),
        ("rack=R5&held=rack.7", "rack=R5"),
        ("rack=R5&to=4", "rack=R5&to=new"),
        ("rack=R5&rules=official&jokers=modern&keep=sets", "rack=R5"),
    ],
)
def test_every_tap_ends_at_one_address(client: TestClient, query: str, after: str) -> None:
    assert address_after(client, query) == after
    assert client.get(f"/rummikub?{after}", follow_redirects=False).status_code == 200


def test_the_page_can_be_read_without_scripts(client: TestClient) -> None:
    page = client.get("/rummikub", params={"rack": RACK, "table": TABLE, "step": 1}).text
    assert "After step 1 of 4" in page
    assert 'aria-label="blue 5, moved"' in page
    assert "Nothing better exists." in page


def test_a_mistake_stays_beside_what_was_typed(client: TestClient) -> None:
    page = client.get("/rummikub", params={"rack": "R5 Q7", "table": "R6-8"}).text
    assert 'value="R5 Q7"' in page
    assert "no colour &#39;Q&#39;" in page
    assert 'aria-label="red 6 of set 1"' in page  # the other line is drawn all the same
    assert "the box has no red 5 any more" in client.get("/rummikub?rack=R5+R5&do=add+R5").text


def test_a_tap_is_answered_before_the_best_move_is_known(client: TestClient) -> None:
    page = client.get("/rummikub?rack=R10+R11+R12", headers={"X-Answer-Later": "1"}).text
    assert 'data-later="/rummikub?rack=R10+R11+R12"' in page
    assert "Play R10" not in page


def test_a_crowded_table_is_not_left_without_a_move() -> None:
    table = "R1-13 | K1-13 | B1-13 | O1-13 | R1 K1 B1 O1 | R2 K2 B2 | R3-5 J"
    found = work.best(("O2 R6-13 K3-13 B3-13 O3-13 J", table, "count", "tiles", True, "official", "", 0.2))
    assert found["left"] == []


def test_hidden_text_is_escaped(client: TestClient) -> None:
    page = client.get("/rummikub", params={"rack": '"><script>alert(1)</script>'}).text
    assert "<script>alert" not in page


def test_the_puzzle_page_judges(client: TestClient) -> None:
    answer = client.get("/rummikub/puzzle", follow_redirects=False)
    assert answer.status_code == 303
    day = {"day": "2026-11-15"}
    solution = asked(client, "puzzle", **day, solution=True)["solution"]["table"]
    assert "Right: 2 tiles" in client.get("/rummikub/puzzle", params=day | {"table": solution, "check": 1}).text
    assert "has left the table" in client.get("/rummikub/puzzle", params=day | {"table": "R9 K9 B9 O9", "check": 1}).text
    assert "came from nowhere" in client.get("/rummikub/puzzle", params=day | {"table": solution + " | O1-3", "check": 1}).text


def test_an_answer_is_asked_for_once(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    query = {"rack": "R1-3 K7", "table": "K9-12"}
    first = asked(client, "solve", **query)
    monkeypatch.setattr(rummikub_calls, "LEAST", None)  # whoever asked a worker now would fail
    assert asked(client, "solve", rack="k7 r1 r2 r3", table="k9 k10-12") == first


def test_an_unproven_answer_says_so_and_can_be_looked_for_longer(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    query = {"rack": "R6 K4 K5 O3 B8 O9", "table": "R5 J=R6 R7 | K1-3 | O4 J=O5 O6 | B9-12", "keep": "tiles", "jokers": "free"}
    monkeypatch.setattr(rummikub_calls, "LEAST", 0.0)
    monkeypatch.setattr(rummikub_calls, "SECONDS", 0.0)
    assert "something better may exist" in client.get("/rummikub", params=query).text
    page = client.get("/rummikub", params=query | {"longer": 1})
    assert "longer" not in str(page.url)
    assert "Nothing better exists." in page.text
