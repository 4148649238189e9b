"""Transcript of one game, decision by decision.

>>> from meldlab.play import RandomPlayer
>>> from meldlab.recycle.game import RecycleGame
>>> for line in transcript(RecycleGame.load("kuhn_poker"), [RandomPlayer()] * 2, seed=2):
...     print(" ".join(filter(None, (line.get("begins"), line.get("did"), line.get("ended")))))  # doctest: +ELLIPSIS
set points HEIGHT; shuffle STOCK; move KING from STOCK to HAND of p1; ...
set SAYS of p1 to BET; set PAID of p1 to 2
set SAYS of p2 to FOLD
the game is over
"""

from collections.abc import Iterator, Sequence
from typing import Any

from meldlab.play import Deal, Player, Step, Table
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine.machine import Machine
from meldlab.recycle.machine.position import Position
from meldlab.recycle.narration import Narrator, sentence


def transcript(game: Any, players: Sequence[Player[Any, Any]], seed: int, number: int = 0) -> Iterator[dict[str, Any]]:
    """Yield the events before the first decision, each decision, and the result with the scores."""
    position, events, text = describe_start(game.machine, seed, number)
    yield {"begins": events, "text": text}
    for step in Table(game, players).steps(Deal(seed, number)):
        yield {"decision": step.number, "seat": step.seat + 1, **describe_step(step)}
        position = step.after.position
    yield {"ended": k.REASONS[position.check().status], "scores": list(position.scores)}


def describe_start(machine: Machine, seed: int, number: int = 0) -> tuple[Position, str, str]:
    """Return the first position of a game, and the events before it, also in the words of the labels."""
    position, _, log, _ = machine.first_transition(seed, number)
    narrator = Narrator(machine)
    return position, narrator.events(log, position), sentence(narrator.narrate(log, position, None))


def describe_step(step: Step[Any]) -> dict[str, Any]:
    """Return the number of options, the option taken (from 1), its events, and the events that follow from it.

    ``text`` and ``outcome`` are the events in the words of the labels.
    """
    before, option, describer = step.before.position, step.action.index, step.before.describer
    after, _, followed, _ = before.transition(option)
    shown, chosen = before.preview(option)
    return {
        "text": sentence(describer.action(before, option, shown, chosen, None)),
        "outcome": sentence(describer.narrate(followed, after, None, before.to_move + 1)),
        "options": len(before.options),
        "option": option + 1,
        "did": describer.events(chosen, shown),
        "then": describer.events(followed, after),
    }
