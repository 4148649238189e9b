"""Block Rummy under the machine and written by hand: the same games deal by deal, and the same distributions with dice of their own."""

import random
from collections import Counter

import numpy as np
import pytest
from numpy.typing import ArrayLike

from meldlab.recycle import library
from meldlab.recycle.machine.kernel_search import Results
from meldlab.recycle.machine.machine import Machine
from tests.recycle.block_rummy_by_hand import Card, Deal
from tests.recycle.oracle_board import SHUFFLE, Addressed, Event

GAMES = 1000
DECK: list[Card] = [(suit, rank) for suit in range(4) for rank in range(1, 14)]


@pytest.fixture(scope="module")
def by_machine() -> Results:
    return Machine.compile(library.entry("block_rummy").text).random_games(GAMES, seed=11)


@pytest.fixture(scope="module")
def by_hand() -> list[tuple[Deal, tuple[int, int]]]:
    dice = random.Random(11)
    deals = [Deal(dice.sample(DECK, 52), dice.randrange) for _ in range(GAMES)]
    return [(deal, deal.play()) for deal in deals]


def test_deal_by_deal(by_machine: Results) -> None:
    for game in range(150):
        chance, deck = Addressed(11, game), list(DECK)
        for last in range(51, 0, -1):
            other = chance.below(Event((), 0, 0, SHUFFLE), last, last + 1)
            deck[last], deck[other] = deck[other], deck[last]
        deal = Deal(deck, lambda options: chance.option(len(deal.asked) - 1, deal.seat, options))  # noqa: B023
        assert deal.play() == tuple(by_machine.scores[game])
        assert len(deal.asked) == by_machine.decisions[game]
        assert sum(deal.asked) == by_machine.options[game]


def alike(one: ArrayLike, two: ArrayLike) -> bool:
    """Tell whether two samples of the same size may come from one distribution (Kolmogorov and Smirnov, at the level 0.001)."""
    ours, theirs = np.sort(one), np.sort(two)
    everywhere = np.concatenate([ours, theirs])
    apart = np.abs(np.searchsorted(ours, everywhere, "right") / len(ours) - np.searchsorted(theirs, everywhere, "right") / len(theirs))
    return bool(apart.max() < np.sqrt(np.log(2 / 0.001) / len(ours)))


def test_distributions(by_machine: Results, by_hand: list[tuple[Deal, tuple[int, int]]]) -> None:
    # Seeds are fixed, so this cannot flicker.
    assert alike(by_machine.decisions, [len(deal.asked) for deal, _ in by_hand])
    assert alike(by_machine.options / by_machine.decisions, [sum(deal.asked) / len(deal.asked) for deal, _ in by_hand])
    for seat in (0, 1):
        assert alike(by_machine.scores[:, seat], [scores[seat] for _, scores in by_hand])


def test_the_comparison_can_tell_games_apart(by_machine: Results) -> None:
    assert not alike(by_machine.decisions, by_machine.decisions * 1.2)
    assert not alike(by_machine.scores[:, 0], by_machine.scores[:, 0] + 5)


def test_the_first_choice_has_two_options_and_an_early_discard_ten_or_eleven(by_hand: list[tuple[Deal, tuple[int, int]]]) -> None:
    # A player who took the discard may not put it back: ten options instead of eleven, unless something was melded.
    assert {deal.asked[0] for deal, _ in by_hand} == {2}
    first_discards = Counter(deal.asked[3] for deal, _ in by_hand if deal.asked[1:3] == [1, 1])
    assert set(first_discards) == {10, 11}
    assert np.isclose(first_discards[10] / first_discards.total(), 0.5, atol=0.05)
