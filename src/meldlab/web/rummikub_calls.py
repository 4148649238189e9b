"""How the helper's questions get to a worker: with a budget that shrinks while many people wait, and never twice for the same answer."""

from collections import OrderedDict
from collections.abc import Callable
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from meldlab.web.services import Services
from meldlab.web.visitors import Visitor

T = TypeVar("T")

SECONDS = 0.8  # processor time for one question when no request waits
LEAST = 0.05
LONGER = 4.0  # for who asks again, since nothing was proven
MAX_READY = 1000

_answers: "WeakKeyDictionary[Services, OrderedDict[Any, Any]]" = WeakKeyDictionary()


async def ask_worker(services: Services, visitor: Visitor, function: Callable[..., T], /, *, longer: bool = False, **arguments: Any) -> T:
    """Return what a function of ``work`` answers; ``ask`` among its arguments, a position and a goal, gets the budget at its end.

    Answers are remembered, so that the steps of one move stay the steps of that move; ``longer`` asks anew.
    """
    services.need("rummikub")
    known, key = _answers.setdefault(services, OrderedDict()), (function, *sorted(arguments.items()))
    if key in known and not longer:
        known.move_to_end(key)
        result: T = known[key]
        return result
    if "ask" in arguments:
        seconds = LONGER if longer else max(LEAST, SECONDS / (1 + services.workers.num_waiting))
        arguments["ask"] = (*arguments["ask"], seconds)
    answer = await services.run(visitor, function, **arguments)
    known[key] = answer
    while len(known) > MAX_READY:
        known.popitem(last=False)
    return answer
