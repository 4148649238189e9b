"""One game between random players, told move by move.

>>> from meldlab.recycle import library
>>> for line in transcribe(Machine.of(library.entry("kuhn_poker").text), seed=2):
...     print(" ".join(filter(None, (line.get("begins"), line.get("did"), line.get("ended")))))  # doctest: +ELLIPSIS
set points HEIGHT; shuffle STOCK; move KING from STOCK to HAND of p1; ...
set SAYS of p1 to BET; set PAID of p1 to 2
set SAYS of p2 to CALL; set PAID of p2 to 2
the game is over
"""

from collections.abc import Iterator
from typing import Any

from meldlab.play import Deal
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine.machine import Machine
from meldlab.recycle.telling.teller import Teller

__all__ = ["transcribe"]


def transcribe(machine: Machine, seed: int, game: int = 0) -> Iterator[dict[str, Any]]:
    """Yield what happens before the first decision of the game that ``random_games`` plays, each decision, and how it ended."""
    teller = Teller(machine)
    deal = Deal(seed, game)
    position, log = machine.watched_begin(seed, game)
    yield {"begins": teller.tell(log, position)}
    while not position.over:
        options = len(position.paths)
        option = deal.chance(position.decisions, position.seat - 1).below(options)
        after, _, then = position.watched(option)
        shown, did = position.preview(option)
        yield {
            "decision": position.decisions,
            "seat": position.seat,
            "options": options,
            "option": option + 1,
            "did": teller.tell(did, shown),
            "then": teller.tell(then, after),
        }
        position = after
    yield {"ended": k.REASONS[position.check().status], "scores": list(position.scores)}
