"""Deals that agree with what a seat sees: every one equally likely, and nothing else changes."""

from collections import Counter
from math import factorial

import numpy as np
import pytest
from scipy.stats import chisquare

from meldlab.chance import Purpose, derive_seed
from meldlab.recycle import library
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine.kernel_observe import deal_unseen, list_unseen
from meldlab.recycle.machine.machine import Machine
from meldlab.recycle.machine.position import KnownCards, LogEvent, Position
from meldlab.recycle.machine.storage import Location
from meldlab.recycle.players import SearchPlayer
from meldlab.recycle.players.search import SearchWorkspace
from tests.recycle import tiny


def faces(position: Position, cards: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(position.type_of(card) for card in cards)


def dealt(position: Position, seat: int, number: int, known: KnownCards | None = None) -> Position:
    """Return the position with the cards that a seat does not see dealt anew."""
    machine, words = position.machine, position.words.copy()
    unseen = machine.unseen_cards()
    if known is not None:
        unseen.known[:] = known
    hidden = list_unseen(words, machine.program.layout, unseen, seat)
    deal_unseen(words, machine.program.layout, unseen, seat, hidden, np.uint64(derive_seed(number, Purpose.SAMPLED_DEAL)))
    return position.with_words(words)


Arrangement = tuple[tuple[Location, tuple[int, ...]], ...]


def arrangement(position: Position) -> Arrangement:
    return tuple((location, faces(position, cards)) for location, cards in position.locations())


def even(counts: Counter[Arrangement], ways: int) -> bool:
    return len(counts) == ways and chisquare(list(counts.values())).pvalue > 1e-4


def test_every_consistent_deal_is_equally_likely() -> None:
    machine = tiny.machine(tiny.BACKS)
    position = machine.start(seed=3)
    counts = Counter(arrangement(dealt(position, 0, number)) for number in range(3000))
    # Three cards of one back and two of the other: the blue ones only change places with each other.
    assert set(counts) == {arrangement(deal) for deal in tiny.deals(position, 0)}
    assert even(counts, factorial(3) * factorial(2))


def test_a_remembered_card_stays_in_its_location_at_any_place() -> None:
    machine = tiny.machine(tiny.BACKS)
    position = machine.start(seed=3)
    stock = next(cards for location, cards in position.locations() if location.name == "STOCK")
    known = machine.nothing_known()
    known[0, stock[0]] = 1
    face = position.type_of(stock[0])
    counts = Counter(arrangement(dealt(position, 0, number, known)) for number in range(3000))
    assert all(face in cards for deal in counts for location, cards in deal if location.name == "STOCK")
    # Two places in the stock for it, two ways for the two other cards, two for the blue ones.
    assert even(counts, 8)


@pytest.mark.parametrize("name", library.names())
def test_what_a_seat_sees_stays(name: str) -> None:
    machine = Machine.compile(library.entry(name).text)
    position, changed = machine.start(seed=5), 0
    backs = machine.storage.backs
    while not position.over and position.decisions < 24:
        seat = position.to_move
        for number in range(4):
            deal = dealt(position, seat, 4 * position.decisions + number)
            for (location, before), (other, after) in zip(position.locations(), deal.locations(), strict=True):
                assert location == other
                assert [backs[kind] for kind in faces(position, before)] == [backs[kind] for kind in faces(deal, after)]
                if location.visible_to(seat):
                    assert before == after
                changed += before != after
            every = [card for location, cards in deal.locations() if location.kind != "mem" for card in cards]
            assert sorted(every) == list(range(deal.words[k.CARDS]))
            assert list(deal.cells()) == list(position.cells())
            assert deal.options == position.options
        position = position.take(position.decisions % len(position.options))
    hides = any(location.kind in ("iloc", "hloc", "oloc") for location in machine.storage.locations.values())
    assert bool(changed) == hides


# --- what is remembered, followed by hand


def seen(position: Position, address: int, seat: int) -> bool:
    owner = int(position.words[address + k.OWNER_AT]) - 1
    return [True, owner == seat, False, owner != seat, True][int(position.words[address + k.KIND_AT])]


def follow(known: dict[int, set[int]], where: dict[int, int], position: Position, log: list[LogEvent]) -> None:
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
    machine = Machine.compile(library.entry(name).text)
    player = SearchWorkspace(machine)
    played = player.play([SearchPlayer("pimc", 1, memory="taken")] * machine.players, seed=2, game=0)
    position, _, log, _ = machine.first_transition(seed=2)
    stock = next(address for address, location in machine.storage.locations.items() if location.name == "STOCK")
    where = {machine.storage.cards + k.NODE * card: stock for card in range(int(position.words[k.CARDS]))}
    known: dict[int, set[int]] = {seat: set() for seat in range(machine.players)}
    follow(known, where, position, log)
    for option in played.chosen.tolist():
        position, chosen, followed, _ = position.transition(option)
        follow(known, where, position, chosen + followed)
    for seat, cards in known.items():
        assert {machine.storage.cards + k.NODE * card for card in np.flatnonzero(player.known[seat])} == cards
    assert any(known.values())
