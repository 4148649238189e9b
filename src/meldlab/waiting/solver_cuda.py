"""Solving a waiting game on a GPU: bounds that are lowered in place until the equation holds."""

import time
from threading import Thread
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meldlab.cards.kernel import RANK_BITS, ROW, Numbering
from meldlab.errors import NotLegalHere, NotPossible
from meldlab.gpu import use_gpu
from meldlab.parallel import Progress, no_progress
from meldlab.waiting import kernel
from meldlab.waiting.cost import gpu_cost
from meldlab.waiting.game import WaitingGame
from meldlab.waiting.solution import Solution
from meldlab.waiting.solver import RESIDUAL

DIGITS = 12
MAX_SWEEPS = 200
CLOSE = 3 * RESIDUAL  # a change that leaves no more than the residual to the next sweep
FIRST_SWEEPS, FIRST_TRIES = 3, 2  # sweeps that choose their draws more than once, and how often
GRID = 132 * 32, 256  # blocks and threads: many more than an H200 runs at once, so that none waits long for the last


def solve_on_gpu(game: WaitingGame, progress: Progress = no_progress) -> Solution:
    """Return the exact solution of a game, computed on the first CUDA device; ``progress`` receives (correct digits, all)."""
    cuda = use_gpu()
    numbering = game.numbering
    needed, free = gpu_cost(game).memory, cuda.current_context().get_memory_info()[0]
    if needed > free:
        raise NotPossible(f"{game} needs {needed / 1e9:.0f} GB on the GPU, which has {free / 1e9:.0f} GB free")
    start = time.perf_counter()
    values = np.empty(numbering.classes)
    # The system hands out memory page by page when it is first touched, which takes seconds; meanwhile the GPU works.
    filling = Thread(target=values.fill, args=(0.0,))
    filling.start()
    work = _GpuSolve(cuda, game)
    work.start()
    sweeps, residual = 0, np.inf
    while True:
        change = work.lower(FIRST_TRIES if sweeps < FIRST_SWEEPS else 1)
        sweeps += 1
        progress(int(np.clip(-np.log10(max(change, RESIDUAL)), 0, DIGITS)), DIGITS, "")
        if change <= CLOSE:
            residual = work.check()
            if residual <= RESIDUAL:
                break
        if sweeps == MAX_SWEEPS:
            raise NotPossible(f"the equation does not close after {sweeps} sweeps (change {change:.1e}): {game}")
    seconds = time.perf_counter() - start
    sums = work.sums()
    if not np.isfinite(sums.worsts.max()):
        raise NotLegalHere(f"no hand can reach the goal any more: {game}")
    filling.join()
    work.values.expected.copy_to_host(values)
    return Solution(game, values, residual, sweeps, seconds, "cuda", sums=sums)


class _GpuSolve:
    """The arrays of one solve on the GPU, and its steps."""

    def __init__(self, cuda: Any, game: WaitingGame) -> None:
        from meldlab.waiting import kernel_cuda

        self.cuda, self.game, self.kernels = cuda, game, kernel_cuda
        up, numbering, drawn = cuda.to_device, game.numbering, game.drawn_numbering
        after = cuda.device_array(drawn.classes + 1, np.float64)
        hands, expected = cuda.device_array(numbering.classes, np.int64), cuda.device_array(numbering.classes, np.float64)
        self.values = kernel_cuda.GpuBounds(expected, after, after.view(np.int64), hands)
        ranks = up(rank_parts(game))
        ends = [*(int(numbering.patterns[row, 0]) for row in numbering.rows[1:]), numbering.classes]
        starts = [0, *ends[:-1]]
        self.patterns = [(first, end, (up(plan), ranks)) for first, end, plan in zip(starts, ends, slot_plans(game), strict=True)]

    def start(self) -> None:
        """List all hands, mark those at the goal, and lower F of the hands around these."""
        up, values, numbering = self.cuda.to_device, self.values, self.game.numbering
        self.kernels.list_hands[GRID](values.hands, Numbering(numbering.classes, numbering.renamings, *map(up, numbering[2:])))
        leftovers, limit = self.game.goal.leftovers(self.game.aces)
        self.kernels.mark_goals[GRID](values.expected, values.hands, up(leftovers), limit)
        self.lower_all()

    def lower_all(self) -> None:
        """Compute F from E alone."""
        self.kernels.fill_infinity[GRID](self.values.after)
        for first, end, tables in self.patterns:
            self.kernels.lower_all[GRID](first, end, self.values, tables)

    def lower(self, tries: int) -> float:
        """Sweep once and return the largest change."""
        return self._largest(self.kernels.lower, tries)

    def check(self) -> float:
        """Return the largest error of the equation."""
        return self._largest(self.kernels.check)

    def _largest(self, kernel: Any, *arguments: int) -> float:
        """Run a kernel on all patterns and return the largest number that it reports."""
        largest = self.cuda.to_device(np.zeros(1))
        for first, end, tables in self.patterns:
            kernel[GRID](first, end, *arguments, float(self.game.bag), self.values, tables, largest)
        return float(largest.copy_to_host()[0])

    def sums(self) -> kernel.Sums:
        """Return the sums of a summary."""
        numbering, values = self.game.numbering, self.values
        sums = kernel.Sums(*map(self.cuda.to_device, kernel.new_sums(numbering.classes)))
        self.kernels.summarise[GRID](sums, values.expected, values.hands, self.cuda.to_device(numbering.keys), numbering.renamings)
        return kernel.Sums(*(array.copy_to_host() for array in sums))


def rank_parts(game: WaitingGame) -> NDArray[np.uint16]:
    """Return the ranks of suit masks in two parts, as kernel_cuda reads them."""
    from meldlab.waiting.kernel_cuda import LOWER, RANKS, UPPER

    parts = np.zeros((4, RANKS), np.uint16)
    for suit, block in game.numbering.slots:
        ranks = np.maximum(game.numbering.keys[suit], 0) & RANK_BITS
        parts[block, : 1 << LOWER] = ranks[: 1 << LOWER]
        alive = [1 << rank for rank in range(LOWER) if game.space.alive[suit] >> rank & 1]
        for cards in range(len(alive) + 1):
            low = sum(alive[:cards])
            masks = low | np.arange(1 << UPPER) << LOWER
            start = (1 << LOWER) + (cards << UPPER)
            parts[block, start : start + (1 << UPPER)] = np.where(game.numbering.keys[suit][masks] < 0, 0, ranks[masks] - ranks[low])
    return parts


def slot_plans(game: WaitingGame) -> NDArray[np.uint32]:
    """Return [patterns, 4, 13], the plan (kernel_cuda) of each pattern of cards per suit."""
    from meldlab.waiting import kernel_cuda as k

    numbering, drawn = game.numbering, game.drawn_numbering
    plans = np.zeros((len(numbering.rows), 4, k.PLAN), np.uint32)
    for plan, row in zip(plans, numbering.rows.tolist(), strict=True):
        counts = [row // ROW**2, row // ROW % ROW, row % ROW, int(numbering.patterns[row, 5])]
        groups = [(int(block), cards) for (_, block), cards in zip(numbering.slots, counts, strict=True)]
        for slot, (suit, block) in enumerate(numbering.slots.tolist()):
            others, group = [groups[other] for other in range(4) if other != slot], (block, counts[slot] + 1)
            order = sorted([*others, group])
            offset, *weights = drawn.patterns[(order[0][1] * ROW + order[1][1]) * ROW + order[2][1], :5]
            plan[slot, [k.SHIFT, k.BLOCK, k.ALIVE]] = 13 * suit, block, game.space.alive[suit]
            plan[slot, [k.OFFSET, k.WEIGHT, k.ALIKE]] = offset, weights[order.index(group)], others.count(group)
            plan[slot, k.FIRST] = others.index(group) if group in others else 3
            plan[slot, k.WEIGHTS : k.WEIGHTS + 3] = [0 if other == group else weights[order.index(other)] for other in others]
            plan[slot, k.PLACES : k.PLACES + 3] = [1 + others[:place].count(other) for place, other in enumerate(others)]
    return plans
