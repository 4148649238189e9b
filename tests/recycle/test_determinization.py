"""Deals that agree with what a seat sees: every one equally likely, and nothing else changes."""

from collections import Counter
from math import factorial

import numpy as np
import pytest
from scipy.stats import chisquare

from meldlab.recycle import library
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine.machine import Machine
from meldlab.recycle.machine.position import Happening, Place, Position
from meldlab.recycle.players import Searcher
from meldlab.recycle.players.searching import Searching
from tests.recycle import tiny


def faces(position: Position, place: Place) -> tuple[int, ...]:
    return tuple(position.type_of(card) for card in place.cards)


Arrangement = tuple[tuple[int, str, str, int, tuple[int, ...]], ...]


def arrangement(position: Position) -> Arrangement:
    return tuple((place.owner, place.kind, place.name, place.index, faces(position, place)) for place in position.places())


def even(counts: Counter[Arrangement], ways: int) -> bool:
    return len(counts) == ways and chisquare(list(counts.values())).pvalue > 1e-4


def test_every_consistent_deal_is_equally_likely() -> None:
    machine = tiny.machine(tiny.BACKS)
    position, player = machine.begin(seed=3), Searching(machine)
    counts = Counter(arrangement(player.dealt(position, 1, number)) for number in range(3000))
    # Three cards of one back and two of the other: the blue ones only change places with each other.
    assert set(counts) == {arrangement(deal) for deal in tiny.deals(position, 1)}
    assert even(counts, factorial(3) * factorial(2))


def test_a_remembered_card_stays_in_its_location_at_any_place() -> None:
    machine = tiny.machine(tiny.BACKS)
    position, player = machine.begin(seed=3), Searching(machine)
    stock = next(place for place in position.places() if place.name == "STOCK")
    known = machine.nothing_known()
    known[1, stock.cards[0]] = 1
    face = position.type_of(stock.cards[0])
    counts = Counter(arrangement(player.dealt(position, 1, number, known)) for number in range(3000))
    assert all(face in cards for deal in counts for _, _, name, _, cards in deal if name == "STOCK")
    # Two places in the stock for it, two ways for the two other cards, two for the blue ones.
    assert even(counts, 8)


@pytest.mark.parametrize("name", library.names())
def test_what_a_seat_sees_stays(name: str) -> None:
    machine = Machine.of(library.entry(name).text)
    position, player, changed = machine.begin(seed=5), Searching(machine), 0
    backs = machine.storage.backs
    while not position.over and position.decisions < 24:
        seat = position.seat
        for number in range(4):
            deal = player.dealt(position, seat, 4 * position.decisions + number)
            for before, after in zip(position.places(), deal.places(), strict=True):
                assert (before.owner, before.kind, before.name, before.index) == (after.owner, after.kind, after.name, after.index)
                assert [backs[kind] for kind in faces(position, before)] == [backs[kind] for kind in faces(deal, after)]
                if before.seen_by(seat):
                    assert before == after
                changed += before != after
            cards = [card for place in deal.places() if place.kind != "mem" for card in place.cards]
            assert sorted(cards) == list(range(deal.words[k.CARDS]))
            assert list(deal.cells()) == list(position.cells())
            assert deal.paths == position.paths
        position = position.decide(position.decisions % len(position.paths))
    hides = any(family.kind in ("iloc", "hloc", "oloc") for family in machine.storage.families)
    assert bool(changed) == hides


# --- what is remembered, followed by hand


def seen(position: Position, home: int, seat: int) -> bool:
    kind = ("vloc", "iloc", "hloc", "oloc", "mem")[int(position.words[home + k.KIND_AT])]
    return Place(int(position.words[home + k.OWNER_AT]), kind, "", 0, ()).seen_by(seat)


def follow(known: dict[int, set[int]], where: dict[int, int], position: Position, log: list[Happening]) -> None:
    """Go through the log move by move, with ``where`` each card lies; a seat knows a card that it saw leave or arrive."""
    for what, card, source, target in log:
        if what == k.REMEMBER:
            for cards in known.values():
                cards.add(card)
        if what != k.MOVE:
            continue
        for seat, cards in known.items():
            if seen(position, source, seat) or seen(position, target, seat):
                cards.add(card)
            elif source != target:
                cards -= {other for other in cards if where[other] == source} | {card}
        where[card] = target


@pytest.mark.parametrize("name", ["block_rummy", "go_fish", "gin_rummy", "cribbage", "crazy_eights"])
def test_seats_remember_what_they_saw_go(name: str) -> None:
    machine = Machine.of(library.entry(name).text)
    player = Searching(machine)
    played = player.play([Searcher("pimc", 1, level="taken")] * machine.players, seed=2, game=0)
    position, log = machine.watched_begin(seed=2)
    stock = next(place for place in machine.storage.families if place.name == "STOCK").at
    where = {machine.storage.cards + k.NODE * card: stock for card in range(int(position.words[k.CARDS]))}
    known: dict[int, set[int]] = {seat: set() for seat in range(1, machine.players + 1)}
    follow(known, where, position, log)
    for option in played.chosen.tolist():
        position, did, then = position.watched(option)
        follow(known, where, position, did + then)
    for seat, cards in known.items():
        assert {machine.storage.cards + k.NODE * card for card in np.flatnonzero(player.known[seat])} == cards
    assert any(known.values())
