"""Golden counts of histories; the shallow ones are counted by the plain interpreter as well."""

from pathlib import Path

import pytest

from meldlab.recycle import library
from meldlab.recycle.machine.machine import Machine
from tests.recycle.playing import histories

GOLDEN = Path(__file__).parents[1] / "golden" / "recycle_perft.txt"
MOST_BY_HAND = 120


def golden() -> dict[str, list[tuple[int, int]]]:
    """Return histories and, of these, ended games after 1, 2, 3 .. decisions, by name."""
    rows = [line.split() for line in GOLDEN.read_text().splitlines() if not line.startswith("#")]
    return {name: [(int(count.split("/")[0]), int((count + "/0").split("/")[1])) for count in counts] for name, *counts in rows}


def test_every_game_is_counted() -> None:
    assert tuple(golden()) == library.names()


@pytest.mark.parametrize("name", library.names())
def test_the_machine_counts_as_before(name: str) -> None:
    counts = golden()[name]
    assert Machine.compile(library.entry(name).text).perft(0, len(counts)) == [(1, 0), *counts]


@pytest.mark.parametrize("name", library.names())
def test_the_interpreter_counts_the_same(name: str) -> None:
    counts, ended, depth = golden()[name], 0, 0
    for depth, (here, over) in enumerate(counts, 1):
        if here + ended > MOST_BY_HAND or not here:
            depth -= 1
            break
        ended += over
    reached = counts[depth - 1][0] + sum(over for _, over in counts[: depth - 1])
    assert depth > 0
    assert histories(name, 0, depth) == reached


@pytest.mark.parametrize(
    ("name", "endings"),
    # Kuhn: check check, check bet (fold or call), bet (fold or call). Leduc: a round has 4 endings by a fold and 5 that go on: 4 + 5 * 9.
    [("kuhn_poker", 5), ("leduc_poker", 49)],
)
def test_poker_ends_in_as_many_ways_as_theory_says(name: str, endings: int) -> None:
    assert sum(ended for _, ended in golden()[name]) == endings
