"""Seconds for large decks, one core, next to the paper's own loop in plain Python."""

import time
from collections.abc import Callable
from statistics import median
from typing import Annotated

import typer

from meldlab.cli.options import JsonOption
from meldlab.cli.output import print_json

PLAIN = 500  # cards of a colour for the plain loop, which keeps all its matrix


def bench_stopping(
    cards: Annotated[int, typer.Option(min=10, max=50_000, help="Cards of a colour, in floats.")] = 10_000,
    exact: Annotated[int, typer.Option(min=10, max=3000, help="Cards of a colour, in exact fractions.")] = 1000,
    json: JsonOption = False,
) -> None:
    """Time the value of large decks: floats, exact fractions, the distribution of the winnings, and the paper's loop.

    Example: python benchmarks/speed stopping --json
    """
    from meldlab.stopping import Urn

    large, medium, small = Urn(cards, cards), Urn(exact, exact), Urn(PLAIN, PLAIN)
    floats = _median_seconds(large.floats.value, 3)
    chances = _median_seconds(large.floats.winnings, 1)
    fractions = _median_seconds(medium.value, 1)
    ours, plain = _median_seconds(small.floats.value, 3), _median_seconds(lambda: paper_loop(PLAIN), 1)
    if json:
        figures = {"floats_s": floats, "winnings_s": chances, "exact_s": fractions, "plain_s": plain, "plain_times": plain / ours}
        print_json({"cards": cards, "exact_cards": exact, "plain_cards": PLAIN, **figures})
        return
    print(f"value, {cards:,} of each colour, floats          {floats:8.3f} s   one core, {_megabytes(cards):.1f} MB of tables")
    print(f"winnings, {cards:,} of each colour, floats       {chances:8.3f} s   one core")
    print(f"value, {exact:,} of each colour, exact            {fractions:8.3f} s   one core")
    print(f"  the paper's loop, plain Python, {PLAIN} each    {plain:8.3f} s   {plain / ours:,.0f} x")


def paper_loop(cards: int) -> float:
    """Return the value as the paper computes it: both matrices, filled in order of C + D."""
    value = [[0.0] * (cards + 1) for _ in range(cards + 1)]
    go_on = [[0] * (cards + 1) for _ in range(cards + 1)]
    for total in range(1, 2 * cards + 1):
        for c in range(max(0, total - cards), min(cards, total) + 1):
            d = total - c
            if c == 0:
                if_play = value[0][d - 1]
            elif d == 0:
                if_play = value[c - 1][0]
            else:
                if_play = c / total * value[c - 1][d] + d / total * value[c][d - 1]
            value[c][d], go_on[c][d] = max(d - c, if_play), int(if_play > d - c)
    return value[cards][cards]


def _megabytes(cards: int) -> float:
    return 4 * 8 * (cards + 1) / 1e6


def _median_seconds(job: Callable[[], object], times: int) -> float:
    job()
    measured = []
    for _ in range(times):
        start = time.process_time()
        job()
        measured.append(time.process_time() - start)
    return float(median(measured))
