"""Matches: what a seat receives, that nothing is lost or done twice, and that only the owner acts."""

from typing import Any

import pytest
from starlette.testclient import TestClient

from meldlab.games import load_game
from meldlab.play import Deal, Record, replay
from meldlab.recycle import library
from meldlab.tables import Table
from meldlab.web.app import make_app
from meldlab.web.settings import Settings
from meldlab.web.work import play

GIN = {"game": "gin", "opponents": ["simple"]}
HEARTS = {"game": "recycle", "opponents": ["random"] * 3, "rules": {"name": "hearts", "description": library.entry("hearts").text}}
Match = dict[str, Any]


def begun(client: TestClient, game: Match = GIN, **more: object) -> Match:
    answer = client.post("/api/v1/matches", json=game | more)
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


def acted(client: TestClient, match: Match, move: int = 0) -> Match:
    answer = client.post(f"/api/v1/matches/{match['id']}/actions", json={"after": match["turn"], "move": move})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def other_visitor(client: TestClient) -> TestClient:
    """Return a client of the same server with another cookie."""
    other = TestClient(client.app, base_url="http://testserver")
    other.get("/gin")
    return other


@pytest.mark.parametrize("game", [GIN | {"rules": {"match_points": 1}}, HEARTS], ids=["gin", "hearts"])
def test_match_continues_until_its_end_and_its_record_replays(client: TestClient, game: Match) -> None:
    match = begun(client, game)
    for _ in range(500):
        if match["over"]:
            break
        # A knock comes last among the legal moves; a player who never knocks may play on for hours.
        match = acted(client, match, len(match["table"]["moves"]) - 1)
    assert match["over"]
    assert match["table"]["result"]["winners"]
    assert match["table"]["moves"] == []
    record = Record.parse(client.get(f"/api/v1/matches/{match['id']}/record").text)
    assert record.deal.seed == match["seed"]
    assert sum(1 for _ in replay(load_game(record), record)) == match["turn"]


def test_the_deal_stays_hidden_until_the_end(client: TestClient) -> None:
    match = begun(client)
    assert match["seed"] is None
    assert client.get(f"/api/v1/matches/{match['id']}/record").status_code == 409


def test_action_of_an_outdated_window_is_rejected(client: TestClient) -> None:
    match = begun(client)
    acted(client, match)
    again = client.post(f"/api/v1/matches/{match['id']}/actions", json={"after": match["turn"], "move": 0})
    assert again.status_code == 409
    assert "has changed" in again.json()["error"]


@pytest.mark.parametrize("game", [GIN, HEARTS], ids=["gin", "hearts"])
def test_a_move_is_the_same_as_index_as_data_and_as_text(client: TestClient, game: Match) -> None:
    logs = []
    for form in ("index", "data", "text"):
        match = begun(client, game, seed=1)
        for _ in range(8):
            move = match["table"]["moves"][0]
            data = {"verb": move["verb"], **({"card": move["cards"][0]} if len(move["cards"]) == 1 else {})}
            body = {"index": {"move": 0}, "data": data, "text": {"action": move["text"]}}[form]
            answer = client.post(f"/api/v1/matches/{match['id']}/actions", json={"after": match["turn"]} | body)
            assert answer.status_code == 200, answer.text
            match = answer.json()
        logs.append(match["log"])
    assert logs[0] == logs[1] == logs[2]


def test_the_short_forms_of_the_terminal_are_accepted(client: TestClient) -> None:
    match = begun(client, seed=1)
    for action in ("p", "d"):
        if action == "p" or "draw stock" in [move["text"] for move in match["table"]["moves"]]:
            answer = client.post(f"/api/v1/matches/{match['id']}/actions", json={"after": match["turn"], "action": action})
            match = answer.json()
    card = Table.model_validate(match["table"]).zone("hand-1").cards[0].face
    answer = client.post(f"/api/v1/matches/{match['id']}/actions", json={"after": match["turn"], "action": card.lower()})
    assert f"p1 drop {card}" in answer.json()["log"]


@pytest.mark.parametrize(
    "action",
    [
        *({"action": text} for text in ("drop ZZ", "", "knock", "x" * 1999, "drop AS\x00", "take 5H 6H")),
        {"move": 99},
        {"verb": "fold"},
        {"verb": "drop", "card": "ZZ"},
        {"verb": "take", "melds": [["5H", "6H", "7H"]]},
    ],
)
def test_an_invalid_action_is_rejected_and_changes_nothing(client: TestClient, action: Match) -> None:
    match = begun(client)
    answer = client.post(f"/api/v1/matches/{match['id']}/actions", json={"after": match["turn"]} | action)
    assert answer.status_code == 422
    assert answer.json()["error"]
    assert client.get(f"/api/v1/matches/{match['id']}").json() == match


@pytest.mark.parametrize("name", ["own.py:Player", "computed:/etc/passwd", "../x.npz", "mc:1000000", ""])
def test_opponents_are_those_that_the_server_offers(client: TestClient, name: str) -> None:
    assert client.post("/api/v1/matches", json=GIN | {"opponents": [name]}).status_code == 422


def test_undo_after_a_hidden_card_makes_the_match_practice(client: TestClient) -> None:
    match = first = begun(client, seat=0)
    for _ in range(4):
        match = acted(client, match)
    back = client.post(f"/api/v1/matches/{match['id']}/undo", json={"after": match["turn"]}).json()
    assert back["turn"] < match["turn"]
    assert back["practice"]
    assert first["practice"] == ""


def test_sessions_of_a_worker_are_bounded() -> None:
    for number in range(play.MAX_SESSIONS + 10):
        play.begin(f"bounded-{number}", "gin", {}, ("you", "random"), Deal(number))
    assert len(play.SESSIONS) <= play.MAX_SESSIONS
    play.SESSIONS.clear()


def test_session_of_another_course_of_the_match_is_not_used() -> None:
    first = play.begin("match", "gin", {}, ("you", "simple"), Deal(3))
    reference = play.MatchReference("match", first.record, 0)
    # This action was lost: another window was faster, and its action stands in the store.
    play.act(reference, 0)
    assert play.look(reference).log == first.log
    play.SESSIONS.clear()


@pytest.mark.slow
def test_a_match_survives_the_server(store: str) -> None:
    settings = Settings(store=store, warm=False, hosts=("testserver",))
    with TestClient(make_app(settings)) as client:
        match = begun(client)
        cookies = dict(client.cookies)
    with TestClient(make_app(settings), cookies=cookies) as client:
        assert client.get(f"/api/v1/matches/{match['id']}").json() == match


@pytest.mark.parametrize("game", [GIN, HEARTS], ids=["gin", "hearts"])
def test_other_visitors_watch_and_cannot_act(client: TestClient, game: Match) -> None:
    match = acted(client, begun(client, game))
    other, path = other_visitor(client), f"/api/v1/matches/{match['id']}"
    after = {"after": match["turn"]}
    rejected = [
        other.post(f"{path}/actions", json=after | {"move": 0}),
        other.post(f"{path}/undo", json=after),
        other.post(f"/play/{match['id']}", data=after | {"move": 0}),
        other.post(f"/play/{match['id']}/again"),
    ]
    if game == GIN:
        rejected += [other.get(f"/api/v1/gin/matches/{match['id']}/{question}") for question in ("hint", "beliefs", "beliefs?round=1")]
    assert {answer.status_code for answer in rejected} == {403}
    watched = other.get(path).json()
    assert watched["table"]["seat"] is None
    assert watched["table"]["moves"] == []
    assert all(not zone["groups"] for zone in watched["table"]["zones"] if zone["visibility"] == "private")
    page = other.get(f"/play/{match['id']}")
    assert "You are watching" in page.text
    assert 'name="move"' not in page.text
    assert client.get(path).json() == match


def test_matches_are_listed_for_their_owner_only(client: TestClient) -> None:
    match = begun(client)
    assert match["id"] in [item["id"] for item in client.get("/api/v1/matches").json()]
    assert other_visitor(client).get("/api/v1/matches").json() == []


# --- the page


@pytest.mark.parametrize("game", [GIN, HEARTS], ids=["gin", "hearts"])
def test_a_form_is_answered_by_the_new_table(client: TestClient, game: Match) -> None:
    match = begun(client, game)
    page = client.post(f"/play/{match['id']}", data={"after": match["turn"], "move": 0}, headers={"HX-Request": "true"})
    assert page.status_code == 200
    assert page.text.startswith("<main")
    now = client.get(f"/api/v1/matches/{match['id']}").json()
    assert now["turn"] > match["turn"]
    assert f'data-turn="{now["turn"]}"' in page.text


def test_a_form_without_javascript_is_answered_by_a_redirect_to_the_table(client: TestClient) -> None:
    match = begun(client)
    answer = client.post(f"/play/{match['id']}?sort=rank", data={"after": match["turn"], "move": 0}, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, f"/play/{match['id']}?sort=rank")


@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}], ids=["plain", "htmx"])
def test_a_form_that_is_sent_twice_ends_at_the_table(client: TestClient, headers: dict[str, str]) -> None:
    match = begun(client)
    for _ in range(2):
        page = client.post(f"/play/{match['id']}", data={"after": match["turn"], "move": 0}, headers=headers)
        assert page.status_code == 200
        assert page.url.path == f"/play/{match['id']}"
        assert 'data-turn="' in page.text
        assert 'role="alert">' not in page.text.partition("<main")[2]
    now = client.get(f"/api/v1/matches/{match['id']}").json()
    assert len([line for line in now["log"][match["turn"] :] if line.startswith("p1")]) == 1


def test_a_typed_move_that_is_not_legal_is_shown_with_the_table(client: TestClient) -> None:
    match = begun(client)
    page = client.post(f"/play/{match['id']}", data={"after": match["turn"], "action": "drop ZZ"})
    assert page.status_code == 422
    assert 'value="drop ZZ"' in page.text
    assert f'data-turn="{match["turn"]}"' in page.text


@pytest.mark.parametrize("old", ["/gin/{}", "/studio/play/{}"])
def test_old_addresses_of_tables_redirect(client: TestClient, old: str) -> None:
    answer = client.get(old.format("A" * 16), follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (308, "/play/" + "A" * 16)
