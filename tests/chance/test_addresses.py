"""Two different draws never share an address: every address drawn in whole games, and the first draws of every seat."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import pytest

from meldlab.chance import Purpose, derive_seed
from meldlab.chance.kernel import MAX_SEATS, address, decision, player_root
from meldlab.gin import Gin, players
from meldlab.play import Chance, Deal, RandomPlayer, Table
from meldlab.rummikub.game import Rummikub
from meldlab.rummikub.players import find_player
from tests.recycle.oracle import Oracle
from tests.recycle.oracle_board import Addressed, Event
from tests.recycle.playing import Game, program

# What the modules draw by, to be watched.
room: Any = import_module("meldlab.play.chance")
Drawn = dict[int, set[tuple[object, ...]]]
SEED = 20261115


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Iterator[Drawn]:
    """Every address that Python asks for, with the place and the purpose it was asked for, deals and players told apart."""
    found: Drawn = defaultdict(set)

    def watched(whose: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*place: int) -> Any:
            key = function(*place)
            found[int(key)].add((whose, *place))
            return key

        return call

    def draw(root: int, step: int, seat: int, purpose: int, nth: int, bound: int) -> Any:
        return room.below(room.decision(root, step, seat, purpose), nth, bound)

    monkeypatch.setattr(room, "address", watched("deal", room.address))
    monkeypatch.setattr(room, "decision", watched("player", room.decision))
    monkeypatch.setattr(room, "draw", draw)
    yield found
    assert len(found) > 500, "hardly anything was drawn"
    shared = {key: places for key, places in found.items() if len(places) > 1}
    assert not shared


def test_gin_draws_each_address_for_one_thing(drawn: Drawn) -> None:
    for number in range(12):
        seated = [RandomPlayer(), players.parse("simple")] if number % 2 else [players.parse("mc:2"), RandomPlayer()]
        Table(Gin(), seated).play(Deal(SEED, number))


def test_rummikub_draws_each_address_for_one_thing(drawn: Drawn) -> None:
    for number, seats in enumerate((2, 2, 3, 4)):
        Table(Rummikub(), [find_player("random")] * seats).play(Deal(SEED, number))


@pytest.mark.parametrize("name", ["block_rummy", "hearts", "scopa"])
def test_recycle_draws_each_address_for_one_thing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found: dict[int, set[object]] = defaultdict(set)
    plain, plain_option = Addressed.below, Addressed.option

    def below(self: Addressed, event: Event, nth: int, bound: int) -> int:
        path = sum((branch + 1) << (8 * at) for at, branch in enumerate(event.path))
        found[int(address(self.key, path, event.decision, event.number, event.purpose))].add(event)
        return plain(self, event, nth, bound)

    def option(self: Addressed, step: int, seat: int, options: int, nth: int = 0) -> int:
        found[int(decision(self.root, step, seat, int(Purpose.CHOICE)))].add((step, seat))
        return plain_option(self, step, seat, options, nth)

    monkeypatch.setattr(Addressed, "below", below)
    monkeypatch.setattr(Addressed, "option", option)
    game = Game(Oracle(program(name), Addressed(SEED)))
    assert sum(1 for _ in game.decisions(SEED, 0)) > 10
    assert len(found) > 10
    assert all(len(events) == 1 for events in found.values())


def test_seat_and_purpose_never_run_into_each_other() -> None:
    edges = (0, 1, MAX_SEATS - 2, MAX_SEATS - 1)
    purposes = {0, 1, 2**15, 2**16 - 1, *map(int, Purpose)}
    keys = [int(decision(5, step, seat, purpose)) for step in (0, 1, 77) for seat in edges for purpose in set(purposes)]
    assert len(set(keys)) == len(keys)
    places = [int(address(5, 0, 0, place, purpose)) for place in (0, 1, 2**16, 2**31, 2**47 - 1) for purpose in purposes]
    assert len(set(places)) == len(places)


def test_seeds_made_from_seeds_are_all_different() -> None:
    seeds = [derive_seed(seed, purpose, nth) for seed in range(20) for purpose in Purpose for nth in range(5)]
    assert len({*seeds, *range(20)}) == len(seeds) + 20


def test_the_same_game_in_kernel_and_table_has_one_root() -> None:
    assert Deal(3, 4).root == int(player_root(3, 4))
    assert Deal(3, 4).chance(7, 1).key(9) == int(decision(player_root(3, 4), 7, 1, 9))


# The level of all chi-square tests here is 0.001; seeds are fixed, so they cannot flicker.
NINE_DEGREES, ONE_DEGREE = 27.88, 10.83


def test_first_draws_are_uniform_for_each_seat_and_starter() -> None:
    tens: dict[int, Counter[int]] = {0: Counter(), 1: Counter()}
    takes: dict[int, Counter[str]] = {0: Counter(), 1: Counter()}
    for number in range(6000):
        deal = Deal(1, number)
        match = Gin().start(2, deal)
        assert match.seat is not None
        chance = deal.chance(0, match.seat)
        tens[match.seat][chance.below(10)] += 1
        takes[match.seat][RandomPlayer().choose(match.view(match.seat), chance).verb] += 1
    for seat in (0, 1):
        many = tens[seat].total()
        assert many > 2500
        assert sum((tens[seat][each] - many / 10) ** 2 / (many / 10) for each in range(10)) < NINE_DEGREES
        assert sum((count - many / 2) ** 2 / (many / 2) for count in (takes[seat]["pass"], takes[seat]["take"])) < ONE_DEGREE


def test_lots_say_nothing_about_the_first_draw() -> None:
    # Whoever begins, the first draw of that player is uniform.
    tens: dict[int, Counter[int]] = defaultdict(Counter)
    for number in range(3000):
        deal = Deal(1, number)
        state = Rummikub().start(2, deal)
        assert state.seat is not None
        tens[state.seat][int(deal.chance(0, state.seat).stream().random() * 10)] += 1
    for counts in tens.values():
        many = counts.total()
        assert sum((counts[each] - many / 10) ** 2 / (many / 10) for each in range(10)) < NINE_DEGREES


def test_draws_without_an_address_are_refused() -> None:
    with pytest.raises(ValueError, match="64 seats at most"):
        Chance(1, 0, 64).below(6)
    with pytest.raises(ValueError, match="a purpose is a number from 0 to 65535, not 65536"):
        Chance(1, 0, 0).pick("ab", purpose=65536)
