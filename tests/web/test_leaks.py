"""No hidden card on the wire: what a seat, or a spectator, receives during a match has no card that it may not see."""

import asyncio
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from meldlab.cards import CARDS, Hand
from meldlab.games import load_game
from meldlab.play import Record, replay
from meldlab.recycle import library

SEED = 735_218_906_551_204  # so long that no other number is taken for it
CARD = re.compile(r"\b[A2-9TJQK][CDHS]\b")
HEARTS = {"game": "recycle", "opponents": ["random"] * 3, "rules": {"name": "hearts", "description": library.entry("hearts").text}}
Match = dict[str, Any]


def state_of(record: str) -> Any:
    """Return the state at the end of a record."""
    read = Record.parse(record)
    game = load_game(read)
    steps = list(replay(game, read))
    return steps[-1].after if steps else game.start(len(read.players), read.deal)


def hidden_in_gin(record: str, seat: int) -> set[str]:
    """Return the cards that a seat has not seen in a match of one round: the other's, but for those it took or laid open, and the stock."""
    view = state_of(record).view(seat)
    return {str(card) for card in CARDS} - {str(card) for card in [*view.hand, *view.pile, *view.known, *Hand.from_mask(view.knocker_mask)]}


def hands_in_hearts(record: str) -> list[set[str]]:
    """Return the hands of all seats."""
    state = state_of(record)
    names, hands = state.describer.card_names, [set[str]() for _ in range(4)]
    for place, cards in state.position.locations():
        if place.label == "HAND":
            hands[place.owner - 1] |= {names[state.position.type_of(card)] for card in cards}
    return hands


def record_of(client: TestClient, id: str) -> str:
    """Return the record of a match from the store, which no answer has before the end."""
    record: str = client.app.state.services.repository.match(id).record  # type: ignore[attr-defined]
    return record


def played(client: TestClient, match: Match, times: int) -> Iterator[tuple[Match, str]]:
    """Yield a match after each own action, with the text of the answer."""
    for _ in range(times):
        answer = client.post(f"/api/v1/matches/{match['id']}/actions", json={"after": match["turn"], "move": 0})
        match = answer.json()
        if match["over"]:
            return
        yield match, answer.text


def first_event(client: TestClient, path: str) -> str:
    """Return the first event of a stream."""
    received: list[str] = []

    async def read() -> None:
        scope = {
            "type": "http", "http_version": "1.1", "method": "GET", "path": path.partition("?")[0], "root_path": "", "scheme": "http",
            "query_string": path.partition("?")[2].encode(), "server": ("testserver", 80), "client": ("testclient", 1),
            "headers": [(b"host", b"testserver"), (b"cookie", "; ".join(f"{k}={v}" for k, v in client.cookies.items()).encode())],
        }  # fmt: skip
        done = asyncio.Event()

        async def receive() -> dict[str, Any]:
            await done.wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            received.append(message.get("body", b"").decode())
            if "\n\n" in "".join(received):
                done.set()

        await client.app(scope, receive, send)

    assert client.portal is not None
    client.portal.call(asyncio.wait_for, read(), 20)
    return "".join(received)


@pytest.mark.parametrize("opponent", ["simple", "computed:light"])
def test_a_seat_of_gin_receives_no_card_that_it_may_not_see(client: TestClient, opponent: str) -> None:
    body = {"game": "gin", "opponents": [opponent], "rules": {"match_points": 0}, "seed": SEED}
    first = client.post("/api/v1/matches", json=body).json()
    id, checked = first["id"], 0
    for match, text in played(client, first, 16):
        secret = hidden_in_gin(record_of(client, id), 0)
        wire = {
            "action": text,
            "look": client.get(f"/api/v1/matches/{id}").text,
            "page": _main(client.get(f"/play/{id}").text),
            "record": client.get(f"/api/v1/matches/{id}/record").text,
            "list": client.get("/api/v1/matches").text,
            "hint": client.get(f"/api/v1/gin/matches/{id}/hint").text,
            "values": client.get(f"/api/v1/gin/matches/{id}/hint?level={2 if checked < 3 else 1}").text,
            "review": client.post("/api/v1/review", json={"match": id}).text,
            "review page": _main(client.get(f"/review?match={id}").text),
            "stream": first_event(client, f"/api/v1/matches/{id}/events"),
            "stream of tables": first_event(client, f"/api/v1/matches/{id}/events?table=true"),
        }
        for name, text in ((name, text.replace(id, "")) for name, text in wire.items()):
            assert not secret & set(CARD.findall(text)), f"{name} has {secret & set(CARD.findall(text))}"
            assert str(SEED) not in text
        assert match["log"][-1] in json.loads(wire["look"])["log"]
        assert '"zones"' in wire["stream of tables"]
        checked += 1
    assert checked >= 8


def test_the_map_of_beliefs_is_the_same_whatever_the_other_holds(client: TestClient) -> None:
    """Two matches with the same view and another hidden hand have the same map."""
    first = client.post("/api/v1/matches", json={"game": "gin", "opponents": ["simple"], "seed": SEED}).json()
    maps = 0
    for match, _ in played(client, first, 6):
        beliefs = client.get(f"/api/v1/gin/matches/{match['id']}/beliefs").json()
        secret = hidden_in_gin(record_of(client, match["id"]), 0)
        # Certain is only what was seen: 0 in the own hand and the pile, 1 for what the other took.
        certain = {card for card, probability in beliefs["cards"].items() if probability in (0.0, 1.0)}
        assert not certain & secret
        assert beliefs["truth"] == []
        maps += 1
    assert maps == 6


def test_spectators_receive_no_card_of_a_hand(client: TestClient) -> None:
    other = TestClient(client.app, base_url="http://testserver")
    first = client.post("/api/v1/matches", json=HEARTS | {"seed": SEED}).json()
    id, checked = first["id"], 0
    for match, _ in played(client, first, 10):
        hands = hands_in_hearts(record_of(client, id))
        other.portal = client.portal
        seen = [other.get(f"/api/v1/matches/{id}").text, first_event(other, f"/api/v1/matches/{id}/events?table=true")]
        page = _main(other.get(f"/play/{id}").text)
        for hand in hands:
            assert not any(card in text for card in hand for text in seen)
            names = {f'aria-label="{card.lower().replace("-", " of ")}"' for card in hand}
            assert not any(name in page for name in names)
        assert all(card not in text for hand in hands[1:] for card in hand for text in [json.dumps(match)])
        checked += 1
    assert checked >= 8


def _main(page: str) -> str:
    return page[page.index("<main") : page.index("</main>")]
