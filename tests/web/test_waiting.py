"""The room of waiting times: what the library says, bounded, and readable without JavaScript."""

import pytest
from starlette.testclient import TestClient

from meldlab.waiting import WaitingGame, solve


def test_a_hand_as_the_library_has_it(client: TestClient) -> None:
    told = client.get("/api/v1/waiting/hand", params={"hand": "AC QH KD"}).json()
    solution = solve(WaitingGame(3))
    assert told["found"]["expected"] == solution.turns("AC QH KD")
    assert {one["draw"]: one["discard"] for one in told["found"]["draws"]} == {
        str(one.draw): str(one.discard) for one in solution.draws("AC QH KD")
    }
    assert told["found"]["quantiles"]["0.5"] == 16
    assert sum(told["found"]["chances"]) == pytest.approx(0.99, abs=0.01)
    curve = told["found"]["curve"]
    assert curve == sorted(curve)


def test_a_page_says_it_too(client: TestClient) -> None:
    page = client.get("/waiting", params={"hand": "AC QH KD"}).text
    assert "19.1801" in page
    assert 'aria-label="king of clubs: throw the' in page


def test_cards_are_picked_in_the_address(client: TestClient) -> None:
    answer = client.get("/waiting", params={"hand": "AC", "toggle": "QH"}, follow_redirects=False)
    assert answer.status_code == 303
    assert "hand=AC+QH" in answer.headers["location"]
    back = client.get("/waiting", params={"hand": "AC QH", "toggle": "AC"}, follow_redirects=False)
    assert "hand=QH" in back.headers["location"]


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"hand": "XX"}, "no rank"),
        ({"hand": "AC AC"}, "twice"),
        ({"hand": "AC 2C 3C 4C"}, "4 cards where a hand has 3"),
        ({"cards": "11"}, "less than or equal to 10"),
        ({"goal": "knock:../x"}, "pattern"),
        ({"cards": "9", "hand": "AC 2C 3C 4C 5C 6C 7C 8C 9C"}, "not solved on this machine"),
    ],
)
def test_nonsense_is_refused(client: TestClient, asked: dict[str, str], says: str) -> None:
    answer = client.get("/api/v1/waiting/hand", params=asked)
    assert answer.status_code == 422
    assert says in answer.json()["error"]


@pytest.mark.parametrize("sent", ["cards=x", "cards=99", "cards=6&aces=up", "cards=6&goal=../x", ""])
def test_a_form_of_nonsense_is_refused(client: TestClient, sent: str) -> None:
    assert client.post("/waiting", content=sent).status_code == 422
