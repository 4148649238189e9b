"""Solving a waiting game on a GPU: bounds that are lowered in place until the equation holds."""

import time
from collections.abc import Callable
from threading import Thread
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meldlab.cards.kernel import RANK_BITS, ROW, Numbering
from meldlab.errors import NotLegalHere, NotPossible
from meldlab.gpu import use_gpu
from meldlab.waiting import kernel
from meldlab.waiting.forecast import gpu_cost
from meldlab.waiting.game import Waiting
from meldlab.waiting.solution import Solution
from meldlab.waiting.solver import RESIDUAL

__all__ = ["plans", "rank_parts", "solve_on_gpu"]

DIGITS = 12
MOST_SWEEPS = 200
CLOSE = 3 * RESIDUAL  # a change that leaves no more than the residual to the next sweep
FIRST_SWEEPS, FIRST_TRIES = 3, 2  # sweeps that choose their draws more than once, and how often
GRID = 132 * 32, 256  # blocks and threads: many more than an H200 runs at once, so that none waits long for the last


def solve_on_gpu(game: Waiting, progress: Callable[[int, int], None] | None = None) -> Solution:
    """Return the exact solution of a game, computed on the first CUDA device; ``progress`` is told (digits that are right, all)."""
    cuda = use_gpu()
    small = game.small
    needed, free = gpu_cost(game).memory, cuda.current_context().get_memory_info()[0]
    if needed > free:
        raise NotPossible(f"{game} needs {needed / 1e9:.0f} GB on the GPU, which has {free / 1e9:.0f} GB free")
    start = time.perf_counter()
    values = np.empty(small.classes)
    # The system hands out memory page by page when it is first touched, which takes seconds; meanwhile the GPU works.
    room = Thread(target=values.fill, args=(0.0,))
    room.start()
    work = _GpuSolve(cuda, game)
    work.begin()
    sweeps, residual = 0, np.inf
    while True:
        change = work.lower(FIRST_TRIES if sweeps < FIRST_SWEEPS else 1)
        sweeps += 1
        if progress is not None:
            progress(int(np.clip(-np.log10(max(change, RESIDUAL)), 0, DIGITS)), DIGITS)
        if change <= CLOSE:
            residual = work.check()
            if residual <= RESIDUAL:
                break
        if sweeps == MOST_SWEEPS:
            raise NotPossible(f"the equation does not close after {sweeps} sweeps (change {change:.1e}): {game}")
    seconds = time.perf_counter() - start
    sums = work.sums()
    if not np.isfinite(sums.worsts.max()):
        raise NotLegalHere(f"no hand can reach the goal any more: {game}")
    room.join()
    work.values.expected.copy_to_host(values)
    return Solution(game, values, residual, sweeps, seconds, "cuda", sums=sums)


class _GpuSolve:
    """The arrays of one solve on the GPU, and its steps."""

    def __init__(self, cuda: Any, game: Waiting) -> None:
        from meldlab.waiting import kernel_cuda

        self.cuda, self.game, self.kernels = cuda, game, kernel_cuda
        up, small, large = cuda.to_device, game.small, game.large
        after = cuda.device_array(large.classes + 1, np.float64)
        hands, expected = cuda.device_array(small.classes, np.int64), cuda.device_array(small.classes, np.float64)
        self.values = kernel_cuda.GpuBounds(expected, after, after.view(np.int64), hands)
        ranks = up(rank_parts(game))
        ends = [*(int(small.patterns[row, 0]) for row in small.rows[1:]), small.classes]
        starts = [0, *ends[:-1]]
        self.patterns = [(first, end, (up(plan), ranks)) for first, end, plan in zip(starts, ends, plans(game), strict=True)]

    def begin(self) -> None:
        """List all hands, mark those at the goal, and tell the hands around these."""
        up, values, small = self.cuda.to_device, self.values, self.game.small
        self.kernels.list_hands[GRID](values.hands, Numbering(small.classes, small.renamings, *map(up, small[2:])))
        leftovers, limit = self.game.goal.leftovers(self.game.aces)
        self.kernels.mark_goals[GRID](values.expected, values.hands, up(leftovers), limit)
        self.tell_all()

    def tell_all(self) -> None:
        """Find F from E alone."""
        self.kernels.forget[GRID](self.values.after)
        for first, end, tables in self.patterns:
            self.kernels.tell_all[GRID](first, end, self.values, tables)

    def lower(self, tries: int) -> float:
        """Sweep once and return the largest change."""
        most = self.cuda.to_device(np.zeros(1))
        for first, end, tables in self.patterns:
            self.kernels.lower[GRID](first, end, tries, float(self.game.bag), self.values, tables, most)
        return float(most.copy_to_host()[0])

    def check(self) -> float:
        """Return the largest error of the equation."""
        most = self.cuda.to_device(np.zeros(1))
        for first, end, tables in self.patterns:
            self.kernels.check[GRID](first, end, float(self.game.bag), self.values, tables, most)
        return float(most.copy_to_host()[0])

    def sums(self) -> kernel.Sums:
        """Return the sums that a summary is made of."""
        small, values = self.game.small, self.values
        sums = kernel.Sums(*map(self.cuda.to_device, kernel.new_sums(small.classes)))
        self.kernels.summarise[GRID](sums, values.expected, values.hands, self.cuda.to_device(small.keys), small.renamings)
        return kernel.Sums(*(array.copy_to_host() for array in sums))


def rank_parts(game: Waiting) -> NDArray[np.uint16]:
    """Return the ranks of lanes in two parts, as kernel_cuda reads them."""
    from meldlab.waiting.kernel_cuda import LOWER, RANKS, UPPER

    parts = np.zeros((4, RANKS), np.uint16)
    for suit, block in game.small.slots:
        ranks = np.maximum(game.small.keys[suit], 0) & RANK_BITS
        parts[block, : 1 << LOWER] = ranks[: 1 << LOWER]
        alive = [1 << place for place in range(LOWER) if game.space.alive[suit] >> place & 1]
        for cards in range(len(alive) + 1):
            low = sum(alive[:cards])
            lanes = low | np.arange(1 << UPPER) << LOWER
            at = (1 << LOWER) + (cards << UPPER)
            parts[block, at : at + (1 << UPPER)] = np.where(game.small.keys[suit][lanes] < 0, 0, ranks[lanes] - ranks[low])
    return parts


def plans(game: Waiting) -> NDArray[np.uint32]:
    """Return [patterns, 4, 13], what kernel_cuda calls the plan of each pattern of cards per suit."""
    from meldlab.waiting import kernel_cuda as k

    small, large = game.small, game.large
    found = np.zeros((len(small.rows), 4, k.PLAN), np.uint32)
    for plan, row in zip(found, small.rows.tolist(), strict=True):
        counts = [row // ROW**2, row // ROW % ROW, row % ROW, int(small.patterns[row, 5])]
        groups = [(int(block), cards) for (_, block), cards in zip(small.slots, counts, strict=True)]
        for slot, (suit, block) in enumerate(small.slots.tolist()):
            others, group = [groups[other] for other in range(4) if other != slot], (block, counts[slot] + 1)
            order = sorted([*others, group])
            offset, *weights = large.patterns[(order[0][1] * ROW + order[1][1]) * ROW + order[2][1], :5]
            plan[slot, [k.SHIFT, k.BLOCK, k.ALIVE]] = 13 * suit, block, game.space.alive[suit]
            plan[slot, [k.OFFSET, k.WEIGHT, k.ALIKE]] = offset, weights[order.index(group)], others.count(group)
            plan[slot, k.FIRST] = others.index(group) if group in others else 3
            plan[slot, k.WEIGHTS : k.WEIGHTS + 3] = [0 if other == group else weights[order.index(other)] for other in others]
            plan[slot, k.PLACES : k.PLACES + 3] = [1 + others[:place].count(other) for place, other in enumerate(others)]
    return found
