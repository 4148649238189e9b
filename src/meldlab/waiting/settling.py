"""Settling all hands of a game on this machine, in ascending order of E."""

from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from meldlab.errors import NotLegalHere
from meldlab.parallel import run_on_cores
from meldlab.waiting import kernel_settling
from meldlab.waiting.game import CHUNK, WaitingGame

FIRST_WIDTH, MIN_WIDTH = 0.5, 1e-3  # turns
BLOCKS, BUCKETS = 16, 4  # blocks or chunks, and buckets, that a core takes at first: starting it costs as much as one of them
MIN_HANDS, HANDS_SHARE = 1 << 12, 384  # hands of a window: at least this number, or this part of all


def fits(game: WaitingGame, saved: Mapping[str, NDArray[Any]]) -> bool:
    """Return whether a saved state has the arrays and numbers of a game: kernels check no index."""
    classes, larger = game.numbering.classes, -(-game.drawn_numbering.classes // 8)
    arrays = {"total": ((classes,), np.float64), "weight": ((classes,), np.int16), "reached": ((larger,), np.uint8)}
    numbers = {"low": ((), np.float64), "width": ((), np.float64), "locked": ((), np.int64)}
    shaped = all(saved[name].shape == shape and saved[name].dtype == kind for name, (shape, kind) in {**arrays, **numbers}.items())
    return shaped and 0 <= float(saved["low"]) < np.inf and 0 < float(saved["width"]) < np.inf and 0 <= int(saved["locked"]) <= classes


class Settling:
    """The progress of settling a game: the bounds of E, and the next window of it."""

    def __init__(self, game: WaitingGame, saved: dict[str, Any] | None = None) -> None:
        self.game, self.cores, classes = game, numba.get_num_threads(), game.numbering.classes
        if saved is None:
            expected, orbits = game.mark_goals()
            goals = expected == 0.0
            # Without a useful draw, a hand has its own turns to pay for.
            totals, reached = np.where(goals, 0.0, float(game.bag) * orbits), np.zeros(-(-game.drawn_numbering.classes // 8), np.uint8)
            self.bounds = kernel_settling.Bounds(totals, goals.astype(np.int16), reached)
            self.low, self.width, self.locked = 0.0, FIRST_WIDTH, 0
            if not np.any(goals):
                raise NotLegalHere(f"no hand can reach the goal any more: {game}")
        else:
            self.bounds = kernel_settling.Bounds(*(saved[field] for field in kernel_settling.Bounds._fields))
            self.low, self.width, self.locked = float(saved["low"]), float(saved["width"]), int(saved["locked"])
        self.target = max(MIN_HANDS, classes // HANDS_SHARE)
        self.shift = max(0, classes.bit_length() - kernel_settling.BUCKETS.bit_length() + 1)
        # A window uses far less of these; pages that nothing is written to take no memory.
        self.window = kernel_settling.Window(
            0.0,
            0.0,
            near=np.empty(-(-classes // 32), np.uint32),
            before=np.empty(-(-classes // 32), np.uint32),
            numbers=np.empty(classes, np.uint32),
            bounds=np.empty((classes, 2)),
            edges=np.empty(classes, np.int32),
            listed=np.empty(classes, np.uint32),
        )
        self.ends = np.zeros(kernel_settling.PHASES, np.int64)
        self.counts = np.zeros(-(-classes // kernel_settling.BLOCK), np.int64)
        self.queue = kernel_settling.Queue(np.zeros(5, np.int64), np.empty(1 << 12), np.empty(1 << 12, np.int64))
        self.edges = _new_edges(2, game.cards)
        self.background = ThreadPoolExecutor(1)

    def state(self) -> dict[str, Any]:
        """Return the state to resume from."""
        return {**self.bounds._asdict(), "low": self.low, "width": self.width, "locked": self.locked}

    def settle_window(self) -> None:
        """Lock all hands of the next window."""
        near, space, state = self._open(), self.game.space, self.queue.state
        hands, phases = int(self.ends[-1]), kernel_settling.PHASES
        chunks, propagated = -(-hands // kernel_settling.CHUNK), 0
        self._allocate(chunks + 2)
        run_on_cores(kernel_settling.write_edges, chunks, hands, self.window, self.bounds.reached, self.edges, space, size=BLOCKS)
        state[:] = 0, hands, 0, chunks * kernel_settling.CHUNK, 0
        # While hands of a phase are locked, the other cores sort, and then propagate what the phase before has settled.
        running = self.background.submit(self._sort, 0, chunks, max(1, self.cores - 1))
        for phase in range(phases):
            if self.cores == 1:
                running.result()
            self._settle(kernel_settling.STEPS // phases * (phase + 1), running)
            running.result()
            if phase < phases - 1:
                ready = int(self.ends[phase]) // kernel_settling.CHUNK
                running = self.background.submit(self._propagate, propagated, ready, max(1, self.cores - 1))
                propagated = ready
        kernel_settling.write_back(near, self.window, self.bounds)
        late = -(-int(state[kernel_settling.LATE]) // kernel_settling.CHUNK)
        self._sort(chunks, late, self.cores)
        self._propagate(propagated, late, self.cores)
        self.low = self.window.high

    def _open(self) -> int:
        """Move the window, list the hands in it, and return the number of near hands."""
        bounds, counts, space = self.bounds, self.counts, self.game.space
        while True:
            self.window = self.window._replace(low=self.low, high=self.low + self.width)
            run_on_cores(kernel_settling.find_near, len(counts), counts, self.window, bounds, space, size=BLOCKS)
            near = int(kernel_settling.compact_window(counts, self.ends, self.window, bounds))
            hands = int(self.ends[-1])
            if (hands > 2 * self.target or near > 4 * self.target) and self.width > MIN_WIDTH:
                self.width /= 2
            elif hands:
                break
            else:
                drawn = bounds.weight > 0
                self.low = float(np.min(bounds.total[drawn] / bounds.weight[drawn], initial=np.inf))
                if self.low == np.inf:
                    never = int(np.count_nonzero(bounds.weight >= 0))
                    raise NotLegalHere(f"{never:,} classes of hands can never reach the goal: {self.game}")
        if hands < self.target // 2 and near < 2 * self.target:
            self.width *= 2
        return near

    def _settle(self, until: int, running: Future[None]) -> None:
        """Lock the hands of all steps up to ``until``; edges are not moved before the background work is done."""
        state = self.queue.state
        while state[kernel_settling.STEP] < until or state[kernel_settling.SIZE]:
            if state[kernel_settling.REQUIRED] > len(self.queue.values):
                self._enlarge(int(state[kernel_settling.REQUIRED]))
            if (chunks := int(state[kernel_settling.LATE]) // kernel_settling.CHUNK + 2) > len(self.edges.starts):
                running.result()
                self._allocate(chunks)
            self.locked += kernel_settling.settle(CHUNK, until, self.window, self.queue, self.bounds.reached, self.edges, self.game.space)

    def _sort(self, start: int, end: int, cores: int) -> None:
        """Sort the far targets of some chunks by buckets."""
        edges, shift = self.edges, self.shift
        run_on_cores(
            lambda first, count: kernel_settling.sort_far(start + first, count, shift, edges), end - start, threads=cores, size=BLOCKS
        )

    def _propagate(self, start: int, end: int, cores: int) -> None:
        """Add the hands of some chunks to the bounds of hands outside of the window, as ``_sort`` has sorted them."""
        buckets = (self.game.numbering.classes - 1 >> self.shift) + 1
        run_on_cores(kernel_settling.propagate_far, buckets, start, end, self.bounds, self.edges, threads=cores, size=BUCKETS)

    def _allocate(self, chunks: int) -> None:
        if chunks > len(self.edges.starts):
            before, self.edges = self.edges, _new_edges(chunks + chunks // 4, self.game.cards)
            for old, new in zip(before, self.edges, strict=True):
                new[: len(old)] = old

    def _enlarge(self, entries: int) -> None:
        used, capacity = int(self.queue.state[kernel_settling.SIZE]), max(entries, 2 * len(self.queue.values))
        values, places = np.empty(capacity), np.empty(capacity, np.int64)
        values[:used], places[:used] = self.queue.values[:used], self.queue.places[:used]
        self.queue = self.queue._replace(values=values, places=places)


def _new_edges(chunks: int, discards: int) -> kernel_settling.Edges:
    return kernel_settling.Edges(
        starts=np.zeros((chunks, kernel_settling.CHUNK + 1), np.int32),
        middles=np.zeros((chunks, kernel_settling.CHUNK), np.int32),
        rows=np.empty((chunks, kernel_settling.CAPACITY, kernel_settling.TARGETS + discards), np.uint32),
        values=np.empty((chunks, kernel_settling.CAPACITY)),
        offsets=np.empty((chunks, kernel_settling.BUCKETS + 1), np.int32),
        entries=np.empty((chunks, kernel_settling.CAPACITY * discards, 2), np.uint32),
    )
