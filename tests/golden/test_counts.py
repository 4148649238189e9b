"""Exact counts: hand classes and complete hands, each counted in two ways that share nothing."""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from meldlab.cards import classes
from meldlab.melds import deadwoods
from tests.properties.oracles import complete_hands

ONE_EACH = (1,) * 13


def golden(name: str) -> Iterator[tuple[str, ...]]:
    for line in (Path(__file__).parent / name).read_text().splitlines():
        if not line.startswith("#"):
            yield tuple(line.split())


CLASSES = {int(cards): int(count) for cards, count in golden("classes.txt")}
COMPLETE = {(int(cards), aces): int(count) for cards, aces, count in golden("complete_hands.txt")}


def burnside(cards: int) -> Fraction:
    """Count hands up to the 24 renamings of suits by the hands that each renaming leaves as they are."""
    # Cycles of a renaming move cards in groups; each cycle type with the number of renamings that have it.
    kinds = {(1, 1, 1, 1): 1, (1, 1, 2): 6, (2, 2): 3, (1, 3): 8, (4,): 6}
    fixed = 0
    for cycles, renamings in kinds.items():
        ways = [1] + [0] * cards
        for cycle in cycles:
            for _ in range(13):
                ways = [ways[n] + (ways[n - cycle] if n >= cycle else 0) for n in range(cards + 1)]
        fixed += renamings * ways[cards]
    return Fraction(fixed, 24)


@pytest.mark.parametrize("cards", CLASSES)
def test_number_of_classes(cards: int) -> None:
    assert classes.count(cards) == CLASSES[cards] == burnside(cards)


def complete_by_kernel(cards: int, aces: str) -> int:
    found = 0
    for first in range(0, classes.count(cards), 1 << 20):
        hands = classes.hands(cards, first, min(1 << 20, classes.count(cards) - first))
        found += int(classes.orbit_sizes(hands[deadwoods(hands, aces, ONE_EACH) == 0], cards).sum())
    return found


# All classes of eight cards and more take too long here; benchmarks/complete_hands.py counts those of ten.
@pytest.mark.parametrize(("cards", "aces"), [key for key in COMPLETE if key[0] <= 6 or key == (7, "low")])
def test_complete_hands_among_all_classes(cards: int, aces: str) -> None:
    assert complete_by_kernel(cards, aces) == COMPLETE[cards, aces]


@pytest.mark.parametrize(("cards", "aces"), COMPLETE)
def test_complete_hands_put_together_from_melds(cards: int, aces: str) -> None:
    hands = complete_hands(cards, aces)
    assert len(hands) == COMPLETE[cards, aces]
    assert not deadwoods(np.array(list(hands)), aces, ONE_EACH).any()
