"""No hidden card on the wire: whatever a seat receives during a match is the same when the cards it cannot see lie otherwise."""

import json
import re
from typing import Any

import pytest
from starlette.testclient import TestClient

from meldlab.cards import CARDS, Hand
from meldlab.games import load_game
from meldlab.play import Record, replay
from meldlab.web.repository import Repository

SEED = 735_218_906_551_204  # so long that no other number is taken for it
CARD = re.compile(r"\b[A2-9TJQK][CDHS]\b")


def hidden(record: str, seat: int) -> set[str]:
    """Return the cards that a seat has not seen in a match of one round: the other's, but for those it took or laid open, and the stock."""
    read = Record.parse(record)
    game = load_game(read)
    steps = list(replay(game, read))
    state = steps[-1].after if steps else game.start(2, read.deal)
    view = state.view(seat)
    return {str(card) for card in CARDS} - {str(card) for card in [*view.hand, *view.pile, *view.known, *Hand.from_mask(view.knocker_mask)]}


@pytest.mark.parametrize("opponent", ["simple", "computed:light"])
def test_a_seat_receives_no_card_that_it_may_not_see(client: TestClient, opponent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    records: dict[str, str] = {}
    real = Repository.change_match

    def noted(self: Repository, before: Any, **values: Any) -> Any:
        records[before.id] = values["record"]
        return real(self, before, **values)

    monkeypatch.setattr(Repository, "change_match", noted)
    told = client.post("/api/matches", json={"game": "gin", "opponents": [opponent], "rules": {"match_points": 0}, "seed": SEED}).json()
    id, checked = told["id"], 0
    for _ in range(16):
        if told["over"]:
            break
        answer = client.post(f"/api/matches/{id}/actions", json={"after": told["turn"], "action": told["legal"][0]})
        told = answer.json()
        secret = hidden(records[id], told["seat"])
        if told["over"]:
            break
        wire = {
            "action": answer.text,
            "look": client.get(f"/api/matches/{id}").text,
            "page": _main(client.get(f"/gin/{id}").text),
            "refused": client.get(f"/api/matches/{id}/record").text,
            "list": client.get("/api/matches").text,
            "hint": client.get(f"/api/gin/matches/{id}/hint").text,
            "worth": client.get(f"/api/gin/matches/{id}/hint?level={2 if checked < 3 else 1}").text,
            "review": client.post("/api/review", json={"match": id}).text,
            "review page": _main(client.get(f"/review?match={id}").text),
        }
        for name, text in ((name, text.replace(id, "")) for name, text in wire.items()):
            assert not secret & set(CARD.findall(text)), f"{name} tells {secret & set(CARD.findall(text))}"
            assert str(Record.parse(records[id]).deal.seed) not in text
        checked += 1
    assert checked >= 8
    assert json.loads(client.get(f"/api/matches/{id}").text)["over"] == told["over"]


def _main(page: str) -> str:
    return page[page.index("<main") : page.index("</main>")]
