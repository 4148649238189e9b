"""The studio: right answers against the library, nonsense and hostile texts refused, pages that can be read without JavaScript."""

import json
import re
import time
from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

from meldlab.arena.contest import play_contest
from meldlab.games import load_game
from meldlab.play import RandomPlayer, Record, replay
from meldlab.precompile import compile_package
from meldlab.recycle import RecycleGame, library
from meldlab.recycle.transcript import transcript
from meldlab.runs.store import EVALUATIONS, Store
from meldlab.web.app import make_app
from meldlab.web.settings import Settings
from tests.web.ending import ended
from tests.web.hostile import HOSTILE, MANY, NEVER, game

KUHN = library.entry("kuhn_poker").text
HURRY = 5  # seconds of a call of the server with little patience; a busy machine needs one for a call that takes none
SPEAKS = """;; Two words
(game (declare 3 'ROUNDS) (setup (create players 2) (create deck (game iloc S) (deck (RANK (A, B, C, D)))))
 (do ((shuffle (game iloc S)) (all player 'P (move (top (game iloc S)) (top ('P iloc HAND))))))
 (stage player (end (== (game sto TURNS) 'ROUNDS)) (do ((inc (game sto TURNS)))) (choice ((turn pass) (inc ((current player) sto SAID)))))
 (scoring max ((current player) sto SAID)))
"""


@pytest.fixture(scope="module", autouse=True)
def compiled() -> None:
    """Compile what the workers use, so that no question pays for it."""
    compile_package("recycle")


@pytest.fixture(scope="module")
def hurried(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """Give a client of a laboratory that has little patience."""
    store = tmp_path_factory.mktemp("hurried") / "store.sqlite"
    settings = Settings(store=str(store), warm=False, hosts=("testserver",), workers=1, seconds=HURRY, request_seconds=300)
    with TestClient(make_app(settings), base_url="http://testserver") as client:
        yield client


def asked(client: TestClient, path: str, **body: Any) -> dict[str, Any]:
    answer = client.post(f"/api/v1/recycle/{path}", json=body)
    assert answer.status_code < 300, answer.text
    return dict(answer.json())


def test_every_game_of_the_library_is_fine(client: TestClient) -> None:
    games = client.get("/api/v1/recycle/library").json()
    assert [one["id"] for one in games] == list(library.names())
    for one in games:
        text = client.get(f"/api/v1/recycle/texts/{one['id']}").json()["text"]
        checked = asked(client, "check", text=text)
        assert (checked["ok"], checked["players"], checked["title"]) == (True, one["players"], one["title"])


def test_what_is_wrong_is_told_with_its_place(client: TestClient) -> None:
    checked = asked(client, "check", text=KUHN.replace("(stage", "(stag", 1))
    assert not checked["ok"]
    found = checked["diagnostics"][0]
    line, column = found["line"], found["column"]
    assert KUHN.splitlines()[line - 1][column - 1 :].startswith("stage")
    assert (found["code"], found["severity"], found["title"]) == ("E002", "error", "an unknown word")
    assert KUHN[found["at"] :].startswith("stage")


def test_warnings_do_not_stop(client: TestClient) -> None:
    checked = asked(client, "check", text=SPEAKS.replace("'ROUNDS)) (do", "2)) (do"))
    assert checked["ok"]
    assert [(one["code"], one["severity"]) for one in checked["diagnostics"]] == [("W102", "warning")]


def test_games_are_those_of_the_arena(client: TestClient) -> None:
    ran = asked(client, "run", text=KUHN, games=300, seed=5)
    expected = play_contest(RecycleGame("kuhn", KUHN), ["random", "random"], 300, 5, mirrored=False)
    assert ran["games"] == ran["finished"] == 300
    assert [row["wins"] for row in ran["players"]] == [expected.wins(0), expected.wins(1)]
    assert ran["players"][0]["ci95"] == pytest.approx(expected.win_rate(0).ends)
    assert sum(bar["many"] for bar in ran["lengths"]) == 300
    assert sum(bar["many"] for bar in ran["scores"]) == 600


def test_a_game_is_told_as_the_transcript_does(client: TestClient) -> None:
    first, *moves, last = transcript(RecycleGame("kuhn", KUHN), [RandomPlayer()] * 2, seed=2)
    steps = asked(client, "steps", text=KUHN, seed=2, at=1)
    assert steps["begins"] == first["begins"]
    assert [(move["did"], move["then"], move["seat"] + 1) for move in steps["moves"]] == [(m["did"], m["then"], m["seat"]) for m in moves]
    assert steps["result"]["scores"] == last["scores"]
    assert steps["decisions"] == len(moves)
    assert {"hand of p1", "hand of p2"} <= {zone["label"] for zone in steps["zones"]}


def test_the_graph_is_drawn_and_told(client: TestClient) -> None:
    graph = asked(client, "graph", text=KUHN)
    assert graph["svg"].startswith("<svg")
    assert {(way["source"], way["target"]) for way in graph["edges"]} == {("table iloc STOCK", f"p{seat} iloc HAND") for seat in (1, 2)}


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("run", {"games": 0}),
        ("run", {"games": 10_001}),
        ("run", {"players": ["mcts:100000"]}),
        ("run", {"players": ["own.py:Player"]}),
        ("run", {"players": []}),
        ("run", {"players": ["random"] * 3}),
        ("run", {"seed": -1}),
        ("steps", {"at": -1}),
        ("check", {"path": "/etc/passwd"}),
        ("analyses", {}),
        ("check", {"text": "x" * 65_537}),
        ("graph", {"text": "(game"}),
        ("run", {"text": ""}),
        ("comparisons", {"subjects": [{"text": KUHN}, {"text": KUHN, "settings": {"NONE": 1}}]}),
        ("comparisons", {"subjects": [{"text": KUHN}]}),
        ("analyses", {"subject": {"text": KUHN}, "simulations": 10**9}),
    ],
)
def test_nonsense_is_refused(client: TestClient, path: str, body: dict[str, Any]) -> None:
    whole = body if "subjects" in body or "subject" in body else {"text": KUHN} | body
    answer = client.post(f"/api/v1/recycle/{path}", json=whole)
    assert answer.status_code == 422
    assert answer.json()["error"]


@pytest.mark.parametrize("id", ["../../etc/passwd", "kuhn_poker.rcy", "nothing_of_this_name", "%2e%2e%2fsecret"])
def test_a_text_that_is_not_there_is_said_to_be_so(client: TestClient, id: str) -> None:
    assert client.get(f"/studio/{id}").status_code in (404, 422)


def test_a_text_is_kept_under_one_address(client: TestClient) -> None:
    text = ";; </textarea><script>alert(1)</script>\n" + KUHN
    kept = asked(client, "texts", text=text)
    assert asked(client, "texts", text=text.replace("\n", "\r\n"))["id"] == kept["id"]
    assert asked(client, "texts", text=KUHN)["id"] == "kuhn_poker"
    page = client.get(f"/studio/{kept['id']}").text
    assert "<script>alert" not in page
    assert "&lt;/textarea&gt;&lt;script&gt;" in page


def test_too_many_texts_make_room(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("meldlab.web.descriptions.MOST", 3)
    ids = [asked(client, "texts", text=f";; {number}")["id"] for number in range(5)]
    assert [client.get(f"/api/v1/recycle/texts/{id}").status_code for id in ids] == [404, 404, 200, 200, 200]


def test_the_editor_works_without_javascript(client: TestClient) -> None:
    page = client.post("/studio", data={"text": KUHN, "do": "run", "games": "200", "seed": "1"}).text
    assert "A game for 2 players; nothing to complain about" in page
    assert 'aria-label="Which way the cards go"' in page
    assert "200 games in" in page
    page = client.post("/studio", data={"text": KUHN.replace("(stage", "(stag", 1), "do": "run"}).text
    assert "It cannot be run yet" in page
    assert "did you mean stage" in page
    page = client.post("/studio", data={"text": KUHN, "do": "steps", "seed": "2"}).text
    assert "Next →" in page
    assert "HAND of p2" in page


@pytest.mark.parametrize(
    "more",
    [{"do": "compare"}, {"do": "compare", "settings": "ROUNDS=x"}, {"do": "analyse", "settings": "NO=1"}, {"do": "play", "seat": "7"}],
)
def test_a_mistake_keeps_what_was_written(client: TestClient, more: dict[str, str]) -> None:
    answer = client.post("/studio", data={"text": SPEAKS} | more)
    assert answer.status_code == 422
    assert "Two words" in answer.text
    assert 'class="mistake"' in answer.text


def test_a_text_too_long_is_refused_and_not_cut(client: TestClient) -> None:
    answer = client.post("/studio", data={"text": "A" * 70_000})
    assert answer.status_code == 413
    assert "70,000" in answer.text


def test_games_of_players_that_search_end_in_time(client: TestClient) -> None:
    ran = asked(client, "run", text=library.entry("block_rummy").text, players=["mcts:20"], games=10_000)
    assert 0 < ran["games"] < ran["requested"] == 10_000


# --- one seat


def begun(client: TestClient, name: str, **more: str) -> str:
    answer = client.post("/studio", data={"text": library.entry(name).text, "do": "play"} | more, follow_redirects=False)
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"])


def test_a_seat_is_played_to_the_end(client: TestClient) -> None:
    address = begun(client, "kuhn_poker", players="mcts:20")
    for _ in range(5):
        page = client.get(address).text
        if "Play again" in page:
            break
        after = re.search(r'name="after" value="(\d+)"', page)
        assert after is not None
        assert client.post(address, data={"after": after[1], "action": "1"}).status_code == 200
    assert "Play again" in page
    turn = client.get(f"/api/v1/matches/{address.rpartition('/')[2]}").json()["turn"]
    assert "the match is over" in client.post(address, data={"after": str(turn), "action": "1"}).text
    assert address in client.get("/studio").text
    again = client.post(f"{address}/again")
    assert address not in str(again.url)
    assert "Kuhn Poker: You and mcts:20" in again.text


def test_an_option_is_not_understood_by_what_several_name(client: TestClient) -> None:
    address = begun(client, "go_fish")
    match = client.get(f"/api/v1/matches/{address.rpartition('/')[2]}").json()
    assert "fits the options" in client.post(address, data={"after": match["turn"], "action": "ask"}).text


def test_an_option_is_understood_by_what_only_it_names(client: TestClient) -> None:
    address = begun(client, "block_rummy")
    told = client.get(f"/api/v1/matches/{address.rpartition('/')[2]}").json()
    card = next(zone for zone in told["table"]["zones"] if zone["label"] == "discard pile")["groups"][0]["cards"][-1]["face"]
    assert "no option &#39;zebra&#39;" in client.post(address, data={"after": told["turn"], "action": "zebra"}).text
    assert client.post(address, data={"after": told["turn"], "action": card.lower()}).status_code == 200
    zones = client.get(f"/api/v1/matches/{told['id']}").json()["table"]["zones"]
    hand = next(zone for zone in zones if zone["label"] == "hand of p1")
    assert card in [item["face"] for item in hand["groups"][0]["cards"]]


def test_a_game_for_one_has_no_opponents(client: TestClient) -> None:
    assert "Golf Solitaire: You –" in client.get(begun(client, "golf_solitaire")).text


def test_what_a_seat_cannot_see_is_in_no_answer(client: TestClient) -> None:
    id = begun(client, "block_rummy", players="mcts:20").rpartition("/")[2]
    for _ in range(8):
        told = client.get(f"/api/v1/matches/{id}").json()
        record = Record.parse(client.app.state.services.repository.match(id).record)  # type: ignore[attr-defined]
        game = load_game(record)
        *_, last = [None, *replay(game, record)]
        state = last.after if last else game.start(2, record.deal)
        view = state.view(0)
        hidden = {
            view.describer.card_names[state.position.type_of(card)]
            for location, cards in state.position.locations()
            if not location.visible_to(0)
            for card in cards
        }
        assert len(hidden) > 30
        # Cards that were seen before they went to where they are hidden may be told.
        heard = {name for line in told["log"] for name in re.findall("[A-Z]+-[A-Z]+", line)}
        page = client.get(f"/play/{id}").text
        for text in (json.dumps(told["table"]), page):
            assert not (hidden - heard) & set(re.findall("[A-Z]+-[A-Z]+", text))
        if told["over"]:
            break
        client.post(f"/api/v1/matches/{id}/actions", json={"after": told["turn"], "action": "1"})


def test_a_card_that_one_option_names_is_its_button(client: TestClient) -> None:
    wanted = {"game": "recycle", "rules": {"description": library.entry("golf_solitaire").text}, "opponents": [], "seed": 5}
    address = f"/play/{client.post('/api/v1/matches', json=wanted).json()['id']}"
    for _ in range(3):
        page = client.get(address).text
        after = re.search(r'name="after" value="(\d+)"', page)
        assert after is not None
        client.post(address, data={"after": after[1], "action": "1"})
    told = client.get(f"/api/v1/matches/{address.rpartition('/')[2]}").json()
    assert told["turn"] >= 3
    assert client.post(address, data={"after": str(told["turn"]), "undo": "true"}).status_code == 200
    assert client.get(f"/api/v1/matches/{told['id']}").json()["turn"] < told["turn"]


# --- long work


@pytest.mark.slow
def test_an_analysis_shows_its_figures(client: TestClient) -> None:
    answer = client.post(
        "/studio", data={"text": SPEAKS, "do": "analyse", "study_games": "3", "settings": "ROUNDS=2"}, follow_redirects=False
    )
    address = answer.headers["location"]
    told = ended(client, address.rpartition("/")[2])
    assert told["state"] == "finished", told["message"]
    assert told["result"]["findings"]["settings"] == {"ROUNDS": 2}
    page = client.get(address).text
    for heading in ("Branching factor", "Heuristics", "Games played"):
        assert heading in page
    assert "<style" not in page
    assert "tables" not in told["result"]
    where = f"/api/v1/recycle/analyses/{told['id']}"
    for name, columns in (("choice.csv", "game,"), ("results.csv", "game,"), ("spread.csv", "game,"), ("lead.csv", "game,")):
        assert f'href="{where}/{name}"' in page
        table = client.get(f"{where}/{name}")
        assert table.headers["content-type"].startswith("text/csv")
        assert table.text.startswith(columns)
    assert client.get(f"{where}/passwd").status_code == 422
    assert client.get(f"/api/v1/recycle/analyses/{'A' * 16}/lead.csv").status_code == 404


@pytest.mark.slow
def test_two_variants_stand_side_by_side(client: TestClient) -> None:
    form = {"text": SPEAKS, "do": "compare", "study_games": "3", "settings": "ROUNDS=6", "against": "kuhn_poker"}
    address = client.post("/studio", data=form, follow_redirects=False).headers["location"]
    told = ended(client, address.rpartition("/")[2])
    assert told["state"] == "finished", told["message"]
    assert [one["title"] for one in told["result"]["findings"]["games"]] == ["Two words", "Two words (ROUNDS=6)", "Kuhn Poker"]
    assert "Parallel axes" in client.get(address).text


@pytest.mark.slow
def test_an_analysis_goes_on_where_the_server_was_killed(store: str) -> None:
    settings = Settings(store=store, warm=False, hosts=("testserver",))
    body = {"subject": {"text": library.entry("block_rummy").text}, "games": 6, "simulations": 5}
    with TestClient(make_app(settings), base_url="http://testserver") as client:
        id = asked(client, "analyses", **body)["id"]
        end = time.monotonic() + 120
        while not pieces(store) and time.monotonic() < end:
            time.sleep(0.05)
    before = pieces(store)
    assert before
    with TestClient(make_app(settings), base_url="http://testserver") as client:
        told = ended(client, id)
    assert told["state"] == "finished", told["message"]
    after = pieces(store)
    assert before.items() < after.items()


def pieces(store: str) -> dict[str, Any]:
    """Return what the store has of finished pieces, with the time at which each was done."""
    with Store.open(store).reading() as connection:
        rows = connection.execute(sa.select(EVALUATIONS.c.task, EVALUATIONS.c.done_at).where(EVALUATIONS.c.done_at.is_not(None)))
        return {row.task: row.done_at for row in rows}


def test_work_can_be_cancelled(client: TestClient) -> None:
    id = asked(client, "analyses", subject={"text": library.entry("spades").text}, games=100, simulations=1000)["id"]
    assert client.post(f"/studio/work/{id}/cancel").status_code == 200
    assert client.get(f"/api/v1/jobs/{id}").json()["state"] == "cancelled"
    assert "cancelled" in client.get(f"/studio/work/{id}").text


# --- strangers


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_text_is_stopped_and_the_next_question_answered(hurried: TestClient, name: str) -> None:
    text = HOSTILE[name]
    assert hurried.post("/api/v1/recycle/check", json={"text": text}).status_code == 200
    answer = hurried.post("/api/v1/recycle/run", json={"text": text, "games": 20})
    assert answer.status_code in (200, 422, 503)
    if answer.status_code == 200:
        ran = answer.json()
        assert ran["games"] <= 20
    else:
        assert answer.json()["error"]
    assert hurried.post("/api/v1/recycle/check", json={"text": KUHN}).json()["ok"]


@pytest.mark.slow
def test_the_page_says_what_happened_to_a_hostile_text(hurried: TestClient) -> None:
    answer = hurried.post("/studio", data={"text": HOSTILE["options"], "do": "steps"})
    assert answer.status_code == 200
    assert f"longer than {HURRY} seconds and was stopped" in answer.text
    refused = hurried.post("/studio", data={"text": HOSTILE["seats"], "do": "play"})
    assert "at this table 8 can play, not 64" in refused.text


@pytest.mark.slow
def test_a_match_in_which_the_others_never_stop_is_not_begun(hurried: TestClient) -> None:
    text = game(f"(stage player {NEVER} (choice ((turn pass) (turn pass))) (do ((cycle next (current player)))))", players=2, deck=MANY)
    answer = hurried.post("/studio", data={"text": text, "do": "play", "seat": "2"})
    assert answer.status_code == 422
    assert f"longer than {HURRY} seconds and was stopped" in answer.text
    assert hurried.post("/studio", data={"text": KUHN, "do": "play"}).status_code == 200


def test_an_analysis_of_a_game_that_never_ends_says_why(client: TestClient) -> None:
    told = ended(client, asked(client, "analyses", subject={"text": HOSTILE["forever"]}, games=2)["id"])
    assert told["state"] == "failed"
    assert "every random game failed" in told["message"]
