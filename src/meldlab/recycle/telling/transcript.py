"""One game told move by move.

>>> from meldlab.play import RandomPlayer
>>> from meldlab.recycle.game import Described
>>> for line in transcribe(Described.named("kuhn_poker"), [RandomPlayer()] * 2, seed=2):
...     print(" ".join(filter(None, (line.get("begins"), line.get("did"), line.get("ended")))))  # doctest: +ELLIPSIS
set points HEIGHT; shuffle STOCK; move KING from STOCK to HAND of p1; ...
set SAYS of p1 to BET; set PAID of p1 to 2
set SAYS of p2 to FOLD
the game is over
"""

from collections.abc import Iterator, Sequence
from typing import Any

from meldlab.play import Deal, Player, Table
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.telling.teller import Teller

__all__ = ["transcribe"]


def transcribe(described: Any, players: Sequence[Player[Any, Any]], seed: int, number: int = 0) -> Iterator[dict[str, Any]]:
    """Yield what happens before the first decision of a described game, each decision, and how it ended."""
    machine = described.machine
    teller = Teller(machine)
    position, _, log, _ = machine.first_transition(seed, number)
    yield {"begins": teller.tell(log, position)}
    for step in Table(described, players).steps(Deal(seed, number)):
        position, option = step.before.position, step.action.index
        after, _, then, _ = position.transition(option)
        shown, did = position.preview(option)
        yield {
            "decision": step.number,
            "seat": step.seat + 1,
            "options": len(position.options),
            "option": option + 1,
            "did": teller.tell(did, shown),
            "then": teller.tell(then, after),
        }
        position = step.after.position
    yield {"ended": k.REASONS[position.check().status], "scores": list(position.scores)}
