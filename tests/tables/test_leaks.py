"""No hidden card in a table: it stays the same when the cards that its seat cannot see are permuted, for every game."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from meldlab.gin import PRESETS, Gin
from meldlab.play import Chance, Deal, Game, RandomPlayer, Step, Table
from meldlab.recycle import library
from meldlab.recycle.game import RecycleGame
from meldlab.rummikub.game import Rummikub
from meldlab.tables import build_table, public
from meldlab.tables.model import Event, Zone
from meldlab.tables.model import Table as TableView

GAMES: dict[str, Callable[[], Game[Any]]] = {
    **{f"gin {name}": lambda rules=rules: Gin(replace(rules, match_points=min(rules.match_points, 50))) for name, rules in PRESETS.items()},  # type: ignore[misc]
    "rummikub": Rummikub,
    **{name: lambda name=name: RecycleGame.load(name) for name in library.names()},  # type: ignore[misc]
}
MAX_LOOKS = 30  # states of a game at which tables are compared
Builder = Callable[[Game[Any], Any, int, Sequence[str], Sequence[str]], TableView]


def build(game: Game[Any], state: Any, seat: int, log: Sequence[str], players: Sequence[str]) -> TableView:
    """Build the table of a seat from its view and log."""
    return build_table(game, state.view(seat), log, players, state.result)


def build_with_hidden_cards(game: Game[Any], state: Any, seat: int, log: Sequence[str], players: Sequence[str]) -> TableView:
    """The control: a builder that reads the state, with the card that another seat or the stock holds."""
    table = build(game, state, seat, log, players)
    return table.model_copy(update={"title": " ".join(hidden_faces(state, seat))})


def hidden_faces(state: Any, seat: int) -> list[str]:
    """Return the cards that a seat may not see, by game."""
    if hasattr(state, "round"):
        return [*map(str, state.round.masks), str(state.round.deck)]
    if hasattr(state, "racks"):
        return [*(str(rack) for other, rack in enumerate(state.racks) if other != seat), str(state.pool)]
    position, names = state.position, state.describer.card_names
    return [names[position.type_of(card)] for place, cards in position.locations() if not place.visible_to(seat) for card in cards]


def played(game: Game[Any]) -> tuple[list[Step[Any]], tuple[str, ...]]:
    """Play a game between random players."""
    seats = game.seats[0]
    steps = list(Table(game, [RandomPlayer()] * seats, max_actions=400).steps(Deal(seed=7)))
    return steps, ("random",) * seats


def looks(steps: list[Step[Any]]) -> Iterator[Step[Any]]:
    """Give the steps before which tables are compared, spread over the game."""
    return iter(steps[:: max(1, len(steps) // MAX_LOOKS)])


def count_differences(game: Game[Any], builder: Builder) -> tuple[int, int]:
    """Return the number of redeals that changed hidden cards, and of those after which the table was another one."""
    steps, players = played(game)
    changed = different = 0
    for seat in range(len(players)):
        log = [step.describe(seat) for step in steps]
        for step in looks(steps):
            state, seen = step.before, log[: step.number]
            other = state.redeal(seat, Chance(11, step.number, seat))
            if other != state and hidden_faces(other, seat) != hidden_faces(state, seat):
                changed += 1
                different += builder(game, state, seat, seen, players) != builder(game, other, seat, seen, players)
    return changed, different


@pytest.mark.parametrize("name", GAMES)
def test_table_hides_what_the_seat_cannot_see(name: str) -> None:
    changed, different = count_differences(GAMES[name](), build)
    assert different == 0
    # Nothing that could leak is hidden in games without hidden cards of different faces.
    assert changed > 0


@pytest.mark.parametrize("name", GAMES)
def test_the_comparison_catches_a_builder_that_leaks(name: str) -> None:
    changed, different = count_differences(GAMES[name](), build_with_hidden_cards)
    assert different == changed > 0


@pytest.mark.parametrize("name", GAMES)
def test_public_table_is_the_same_from_every_seat(name: str) -> None:
    game = GAMES[name]()
    steps, players = played(game)
    logs = [[step.describe(seat) for step in steps] for seat in range(len(players))]
    for step in looks(steps):
        tables = [public(build(game, step.before, seat, log[: step.number], players)) for seat, log in enumerate(logs)]
        assert all(table == tables[0] for table in tables)


@pytest.mark.parametrize("name", GAMES)
def test_public_table_has_no_card_of_a_hand(name: str) -> None:
    game = GAMES[name]()
    steps, players = played(game)
    log = [step.describe(0) for step in steps]
    for step in looks(steps):
        table = build(game, step.before, 0, log[: step.number], players)
        open_faces = {card.face for zone in table.zones if zone.visibility in ("public", "memory") for card in zone.cards}
        hand = {card.face for zone in table.zones if zone.visibility not in ("public", "memory") for card in zone.cards}
        seen = public(table).model_copy(update={"events": [], "rounds": []})
        words = set(re.findall(r"[\w=-]+", seen.model_dump_json()))
        assert not (hand - open_faces) & words
        assert public(table).seat is None
        assert public(table).moves == []


def test_public_event_has_no_drawn_card() -> None:
    event = Event(turn=0, seat=0, verb="draw stock", cards=["7H"], text="draw stock 7H", public_text="draw stock")
    zone = Zone(key="stock", role="stock", label="stock", visibility="hidden", count=3)
    table = TableView(game="gin", title="Gin", seat=0, seats=[], zones=[zone], events=[event])
    assert "7H" not in public(table).model_dump_json()
