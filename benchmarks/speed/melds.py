"""Nanoseconds per deadwood of a ten-card hand, one core."""

import time
from collections.abc import Callable
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Annotated, Any

import typer

from meldlab.cli.options import JsonOption, SeedOption
from meldlab.cli.output import print_json

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def bench_melds(
    hands: Annotated[int, typer.Option(min=1000, help="Hands per measurement.")] = 2_000_000,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Time the deadwood of ten-card hands: uniform ones, and those of gin rounds between two simple players.

    Example: python benchmarks/speed melds --json
    """
    import numpy as np
    from other_implementations import deadwood_programs

    from meldlab.cards import Hand
    from meldlab.cards.masks import random_hands
    from meldlab.melds import arrangement, kernel

    uniform = random_hands(hands, 10, seed)
    # Hands from play are few and repeated, so that both measurements run over as many.
    dealt = played_hands(min(200, hands // 100), seed)
    played = np.tile(dealt, -(-hands // len(dealt)))[:hands]
    table = arrangement.leftovers()

    def nanoseconds(masks: Any) -> float:
        return _median_ns(lambda: kernel.deadwoods(masks, table, np.empty(len(masks), np.uint16)), len(masks), 7)

    ns_uniform, ns_played = nanoseconds(uniform), nanoseconds(played)
    few = [Hand.from_mask(int(mask)) for mask in uniform[:300]]
    ours = arrangement.deadwoods(np.array([hand.mask for hand in few]))
    others = {}
    for name, wanted, least in deadwood_programs():
        given = [wanted(hand) for hand in few]
        agree = sum(least(hand) == own for hand, own in zip(given, ours, strict=True)) / len(few)
        others[name] = {"ns": _median_ns(partial(_each, least, given), len(few), 3), "agree": agree}
    if json:
        print_json(
            {
                "ns_uniform": ns_uniform,
                "ns_played": ns_played,
                "others": {name: other["ns"] for name, other in others.items()},
                "agreement": {name: other["agree"] for name, other in others.items()},
            }
        )
        return
    print(f"deadwood, 10 cards, uniform    {ns_uniform:8.1f} ns/hand   one core, {len(uniform):,} hands, batch call")
    print(f"deadwood, 10 cards, from play  {ns_played:8.1f} ns/hand   one core, {len(dealt):,} hands of gin rounds, repeated, batch call")
    for name, other in others.items():
        ratio = f"{other['ns'] / ns_uniform:,.0f} x"
        print(f"  {name:28} {other['ns']:8.0f} ns/hand   {ratio}, one call per hand, same answer on {other['agree']:.0%}")
    if not others:
        print("  no other implementation is installed (pip install open_spiel rlcard)")


def played_hands(matches: int, seed: int) -> "NDArray[np.int64]":
    """Return the ten-card hands that two simple players hold, move by move, in so many matches."""
    import numpy as np

    from meldlab.gin import Gin, players
    from meldlab.play import Deal, Table

    table, found = Table(Gin(), [players.parse("simple"), players.parse("simple")]), []
    for number in range(matches):
        for step in table.steps(Deal(seed, number)):
            found += [mask for mask in step.before.round.masks if mask.bit_count() == 10]
    return np.array(found, np.int64)


def _each(function: Callable[[Any], object], values: list[Any]) -> None:
    for value in values:
        function(value)


def _median_ns(job: Callable[[], object], pieces: int, times: int) -> float:
    job()
    measured = []
    for _ in range(times):
        start = time.process_time_ns()
        job()
        measured.append((time.process_time_ns() - start) / pieces)
    return float(median(measured))
