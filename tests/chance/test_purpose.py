"""Purposes: one number each, and room for it in an address."""

import re
from pathlib import Path

from meldlab.chance import Purpose
from meldlab.chance.kernel_purpose import MAX_PURPOSES
from meldlab.recycle.machine import kernel_layout

SEMANTICS = Path(__file__).parents[2] / "docs" / "recycle-semantics.md"
KERNELS = Path(__file__).parents[2] / "src" / "meldlab"


def test_all_purposes_differ_and_fit_an_address() -> None:
    numbers = [purpose.value for purpose in Purpose.__members__.values()]
    assert len(set(numbers)) == len(numbers) == len(Purpose.__members__)
    assert all(0 <= number < MAX_PURPOSES for number in numbers)


def test_numbers_below_a_hundred_are_free_for_players() -> None:
    # RECYCLE's have small numbers too, but their addresses hang from the key of a game, which no player's do.
    taken = [purpose for purpose in Purpose if purpose < 100]
    assert taken == [*range(5), *range(6, 11)]
    assert Purpose.PLAYERS > 100


def test_recycle_keeps_its_published_numbers() -> None:
    text = SEMANTICS.read_text(encoding="utf-8")
    words = {"random": 1, "tie": 2, "shuffle": 3}
    assert tuple(words.values()) == (kernel_layout.FOR_RANDOM, kernel_layout.FOR_TIE, kernel_layout.FOR_SHUFFLE)
    assert kernel_layout.FOR_TRIAL_SHUFFLE == 4
    assert "address(key of the game, path, decision, event, purpose)" in text


def test_no_kernel_numbers_its_own_draws() -> None:
    # A literal purpose in a call of address() is one that nobody compares with the others.
    for path in KERNELS.rglob("*.py"):
        for call in re.findall(r"\b(?:address|decision|draw)\(([^()]*(?:\([^()]*\)[^()]*)*)\)", path.read_text(encoding="utf-8")):
            if call.count(",") >= 4:
                assert not call.rsplit(",", 1)[1].strip().isdecimal(), f"{path.name}: {call}"
