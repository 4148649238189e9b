"""The values of all hands at all turns, by recursion from the last turn back, against given odds.

With n cards in the hand, K and L the points of a knock and of being caught, q the probability that the opponent knocks next:

    U_t(h) = max(K_t(deadwood of h), (1 - q_t) V_{t+1}(h) + q_t L_t(deadwood of h))    after a discard; K where a knock is allowed
    A_t(g) = max of U_t(g - y) over the cards y of g                                    with a card too many
    V_t(h) = mean of A_t(h + x) over the cards x not in h                               before a draw; V_17 = 0, a void round
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meldlab.cards import Hand, classes
from meldlab.cards.kernel import Numbering
from meldlab.gin.computing import kernel_sweeps as sweeps
from meldlab.gin.computing.opponent_model import OpponentModel
from meldlab.gin.kernel_hand import LEFT
from meldlab.gin.kernel_state import HAZARD, KNOWNS, ODDS, PRICE, TURNS, ValueTable
from meldlab.gpu import Device, on_host
from meldlab.parallel import run_on_cores

GRID = 132 * 64, 256  # blocks and threads of a sweep on a GPU
CHUNK = 1 << 14  # classes of the first chunk of a sweep on a core
FULL_DECK = Hand()


class HandClasses:
    """The classes of hands of a deck, and arrays for the sweeps, shared by several solutions.

    ``cards``: the size of a hand; ``dead``: cards that the deck lacks.
    """

    def __init__(self, cards: int = 10, dead: Hand = FULL_DECK, device: str = "cpu") -> None:
        self.device = Device(device)
        self.cards, self.dead = cards, dead
        small, large = classes.numbering(cards, dead), classes.numbering(cards + 1, dead)
        self.count, self.renamings = small.classes, small.renamings
        up, empty = self.device.up, self.device.empty
        alive = np.array([0x1FFF & ~mask for mask in dead.suit_masks], np.int64)
        self.deck = sweeps.Draws(*map(up, (alive, small.keys, small.patterns, large.patterns)))
        self.hands, self.larger = empty(small.classes, np.int64), empty(large.classes, np.int64)
        for hands, size in ((self.hands, small), (self.larger, large)):
            self.sweep(sweeps.ClassSweep(hands, Numbering(size.classes, size.renamings, *map(up, size[2:]))))
        self.left = empty(small.classes, np.uint8)
        self.sweep(sweeps.DeadwoodSweep(self.left, self.hands, up(LEFT)))
        self.value, self.utility = empty(small.classes, np.float32), empty(small.classes, np.float32)
        self.after = empty(large.classes, np.float32)

    def sweep(self, sweep: Any) -> None:
        """Run a sweep over all entries of its first array."""
        if self.device.cuda is not None:
            from meldlab.gin.computing import kernel_cuda

            kernel_cuda.run_sweep[GRID](sweep, len(sweep[0]))
        else:
            run_on_cores(lambda first, count: sweeps.run_sweep(sweep, first, count), len(sweep[0]), size=CHUNK)

    def odds(self, model: OpponentModel, turn: int) -> tuple[np.float32, Any, Any]:
        """Return hazard, points of a knock and points when caught at a turn, as the kernels can read them."""
        hazard, knock, caught = model.odds_at(turn)
        return hazard, self.device.up(knock), self.device.up(caught)

    def summary(self, value: Any) -> tuple[float, float, float]:
        """Return mean, least and largest V over all hands."""
        sums = self.device.empty((-(-self.count // sweeps.STRETCH), 4), np.float64)
        self.sweep(sweeps.SummarySweep(sums, value, self.hands, self.deck.keys, self.renamings))
        rows = on_host(sums)
        total, count = rows[:, :2].sum(0)
        return float(total / count), float(rows[:, 2].min()), float(rows[:, 3].max())


@dataclass(frozen=True, eq=False)
class Solved:
    """V of every class at every turn in steps, and the value of the round before the first draw."""

    codes: Any
    """[slots, classes] of an unsigned type."""
    turns: NDArray[np.float64]
    """[TURNS + 2, 3]: slot, low and step of each turn."""
    value: float
    """Mean of V at the first turn: points per round of the best response to the odds."""
    seconds: float


def solve(
    classes: HandClasses,
    model: OpponentModel,
    limit: int = 10,
    *,
    upcard: float = 0.0,
    kind: Any = np.uint16,
    slots: list[int] | None = None,
    on_turn: Callable[[int, Any], None] = lambda turn, value: None,
) -> Solved:
    """Return the values against an opponent, knocks allowed up to ``limit``.

    ``upcard``: the probability that the upcard is as good as a random card; ``kind``: the type of the codes; ``slots``: the turns to store,
    others are rounded to the nearest stored one; ``on_turn`` is called with V of every turn while it is in ``classes.value``.
    """
    start = time.perf_counter()
    stored = sorted(slots or range(1, TURNS + 1))
    codes = classes.device.empty((len(stored), classes.count), kind)
    turns = np.zeros((TURNS + 2, 3))
    most = float(np.iinfo(kind).max)
    classes.value[:] = 0
    for turn in range(TURNS, 0, -1):
        odds = classes.odds(model, turn)
        classes.sweep(sweeps.UtilitySweep(classes.utility, classes.value, classes.value, classes.left, odds, odds, limit))
        classes.sweep(sweeps.DiscardSweep(classes.after, classes.utility, classes.utility, classes.larger, classes.deck))
        classes.sweep(sweeps.DrawSweep(classes.value, classes.after, classes.hands, np.float32(upcard), classes.deck))
        on_turn(turn, classes.value)
        if turn in stored:
            _, low, high = classes.summary(classes.value)
            step = max((high - low) / most, 1e-9)
            turns[turn] = stored.index(turn), low, step
            classes.sweep(sweeps.EncodeSweep(codes[stored.index(turn)], classes.value, np.float32(low), np.float32(step)))
    for turn in range(1, TURNS + 1):
        turns[turn] = turns[min(stored, key=lambda slot: (abs(slot - turn), slot))]
    return Solved(codes, turns, classes.summary(classes.value)[0], time.perf_counter() - start)


def value_under(
    classes: HandClasses, model: OpponentModel, guide: Solved, assumed: OpponentModel, limit: int = 10, *, upcard: float = 0.0
) -> float:
    """Return points per round under a model of the policy that was solved for the ``assumed`` one, the guide.

    The value of the best response to the model is at least as large; the difference is the policy's loss, in points per round. Whether to
    take the upcard is decided by the values under the model, not by the guide's: with ``upcard`` above 0 the result is a little too high.
    """
    value, guide_utility = classes.device.empty(classes.count, np.float32), classes.device.empty(classes.count, np.float32)
    classes.value[:] = 0
    value[:] = 0
    for turn in range(TURNS, 0, -1):
        if turn < TURNS:
            slot, low, step = guide.turns[turn + 1]
            classes.sweep(sweeps.DecodeSweep(value, guide.codes[int(slot)], np.float32(low), np.float32(step)))
        odds, assumptions = classes.odds(model, turn), classes.odds(assumed, turn)
        classes.sweep(sweeps.UtilitySweep(guide_utility, value, value, classes.left, assumptions, assumptions, limit))
        classes.sweep(sweeps.UtilitySweep(classes.utility, classes.value, value, classes.left, odds, assumptions, limit))
        classes.sweep(sweeps.DiscardSweep(classes.after, guide_utility, classes.utility, classes.larger, classes.deck))
        classes.sweep(sweeps.DrawSweep(classes.value, classes.after, classes.hands, np.float32(upcard), classes.deck))
    return classes.summary(classes.value)[0]


def values_of(classes: HandClasses, solved: Solved, model: OpponentModel, price: float) -> ValueTable:
    """Return the tables of a player: values, odds, and the ``price`` of a discard that is taken, in points."""
    odds = np.zeros((TURNS + 2, KNOWNS, ODDS))
    odds[:, :, HAZARD], odds[:, :, PRICE] = model.hazard, price
    up, deck = classes.device.up, np.array([((1 << 52) - 1) & ~classes.dead.mask, classes.cards], np.int64)
    return ValueTable(
        codes=solved.codes,
        turns=up(solved.turns),
        keys=classes.deck.keys,
        patterns=classes.deck.small,
        odds=up(odds),
        knock=up(model.knock),
        caught=up(model.caught),
        deck=up(deck),
    )
