"""The stopping game on a page: the library's values, and nothing of cards that are not drawn."""

from fractions import Fraction

import pytest
from starlette.testclient import TestClient

from meldlab.stopping import Round, Urn


def test_a_sitting_as_the_library_has_it(client: TestClient) -> None:
    told = client.get("/api/v1/stopping/sitting", params={"deck": "3,3", "seed": 5, "drawn": 2}).json()
    round = Round.shuffled(Urn(3, 3), 5).draw().draw()
    assert (told["black"], told["red"]) == (round.remaining.black, round.remaining.red)
    assert told["value"] == float(round.advice().value)
    assert len(told["cards"]) == 2
    assert told["best_stops_after"] is None


def test_value_and_policy(client: TestClient) -> None:
    told = client.get("/api/v1/stopping/maps").json()
    assert Fraction(told["exact"]) == Urn(26, 26).value()
    assert told["values"][26][26] == pytest.approx(told["value"])
    assert told["goes_on"][0] == [False] * 27


def test_many_games_lie_about_the_exact_mean(client: TestClient) -> None:
    told = client.get("/api/v1/stopping/games", params={"deck": "5,5", "games": 20000, "seed": 3}).json()
    assert told["ci95"][0] <= told["mean"] <= told["ci95"][1]
    assert sum(row["simulated"] for row in told["winnings"]) == pytest.approx(1)


def test_a_page_goes_through_a_game(client: TestClient) -> None:
    first = client.get("/stopping")
    assert "seed=" in str(first.url)
    assert "face down" in first.text
    assert "would have stopped" in client.get("/stopping", params={"seed": 1, "drawn": 3, "stopped": True}).text


@pytest.mark.parametrize("asked", [{"deck": "x"}, {"deck": "99,99"}, {"deck": "3,3", "drawn": 7}, {"deck": "-1,3"}, {"seed": "-1"}])
def test_nonsense_is_refused(client: TestClient, asked: dict[str, str]) -> None:
    assert client.get("/api/v1/stopping/sitting", params=asked).status_code == 422
    assert client.get("/stopping", params={"seed": "1"} | asked).status_code == 422
