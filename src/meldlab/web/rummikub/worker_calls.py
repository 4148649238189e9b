"""How the helper's questions get to a worker: with a budget that shrinks while many people wait, and never twice for the same answer."""

from collections import OrderedDict
from typing import Any
from weakref import WeakKeyDictionary

from meldlab.web.laboratory import Laboratory

__all__ = ["SECONDS", "ask_worker"]

SECONDS = 0.8  # processor time for one question when no request waits
LEAST = 0.05
LONGER = 4.0  # for who asks again, since nothing was proven
MAX_READY = 1000

_answers: "WeakKeyDictionary[Laboratory, OrderedDict[Any, Any]]" = WeakKeyDictionary()


async def ask_worker(lab: Laboratory, function: str, /, *, longer: bool = False, **arguments: Any) -> dict[str, Any]:
    """Return what a function of ``work`` answers; ``ask`` among its arguments, a position and a goal, gets the budget at its end.

    Answers are remembered, so that the steps of one move stay the steps of that move; ``longer`` asks anew.
    """
    lab.need("rummikub")
    known, key = _answers.setdefault(lab, OrderedDict()), (function, *sorted(arguments.items()))
    if key in known and not longer:
        known.move_to_end(key)
        result: dict[str, Any] = known[key]
        return result
    if "ask" in arguments:
        seconds = LONGER if longer else max(LEAST, SECONDS / (1 + len(lab.workers.waiting)))
        arguments["ask"] = (*arguments["ask"], seconds)
    answer: dict[str, Any] = await lab.ask(f"meldlab.web.rummikub.work:{function}", **arguments)
    known[key] = answer
    while len(known) > MAX_READY:
        known.popitem(last=False)
    return answer
