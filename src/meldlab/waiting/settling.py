"""Settling all hands of a game on this machine, in ascending order of E."""

from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numba
import numpy as np

from meldlab.errors import NotLegalHere
from meldlab.parallel import run_on_cores
from meldlab.waiting import kernel_settling
from meldlab.waiting.game import PIECE, Waiting

__all__ = ["Settling"]

FIRST_WIDTH, NARROWEST = 0.5, 1e-3  # turns
SHARE, FEW = 16, 4  # blocks or chunks, and buckets, that a core takes at first: asking it costs as much as one of them
FEWEST, PART = 1 << 12, 384  # hands that a window should have: one in so many, but at least these


class Settling:
    """Where the settling of a game stands: what is known of E, and the next window of it."""

    def __init__(self, game: Waiting, kept: dict[str, Any] | None = None) -> None:
        self.game, self.cores, classes = game, numba.get_num_threads(), game.small.classes
        if kept is None:
            expected, orbits = game.mark_goals()
            goals = expected == 0.0
            # Without a useful draw, a hand has its turns to pay for.
            totals, reached = np.where(goals, 0.0, float(game.bag) * orbits), np.zeros(-(-game.large.classes // 8), np.uint8)
            self.bounds = kernel_settling.Bounds(totals, goals.astype(np.int16), reached)
            self.low, self.width, self.locked = 0.0, FIRST_WIDTH, 0
            if not np.any(goals):
                raise NotLegalHere(f"no hand can reach the goal any more: {game}")
        else:
            self.bounds = kernel_settling.Bounds(*(kept[field] for field in kernel_settling.Bounds._fields))
            self.low, self.width, self.locked = float(kept["low"]), float(kept["width"]), int(kept["locked"])
        self.wanted = max(FEWEST, classes // PART)
        self.shift = max(0, classes.bit_length() - kernel_settling.BUCKETS.bit_length() + 1)
        # What a window takes of these is far less; pages that nothing is written to take no memory.
        self.window = kernel_settling.Window(
            0.0,
            0.0,
            near=np.empty(-(-classes // 32), np.uint32),
            before=np.empty(-(-classes // 32), np.uint32),
            numbers=np.empty(classes, np.uint32),
            bounds=np.empty((classes, 2)),
            notes=np.empty(classes, np.int32),
            listed=np.empty(classes, np.uint32),
        )
        self.ends = np.zeros(kernel_settling.PHASES, np.int64)
        self.found = np.zeros(-(-classes // kernel_settling.BLOCK), np.int64)
        self.queue = kernel_settling.Queue(np.zeros(5, np.int64), np.empty(1 << 12), np.empty(1 << 12, np.int64))
        self.notes = _notes(2, game.cards)
        self.beside = ThreadPoolExecutor(1)

    def state(self) -> dict[str, Any]:
        """Return what must be kept to go on from here."""
        return {**self.bounds._asdict(), "low": self.low, "width": self.width, "locked": self.locked}

    def settle_window(self) -> None:
        """Lock all hands of the next window."""
        near, space, state = self._open(), self.game.space, self.queue.state
        hands, phases = int(self.ends[-1]), kernel_settling.PHASES
        chunks, told = -(-hands // kernel_settling.CHUNK), 0
        self._make_room(chunks + 2)
        run_on_cores(
            lambda first, many: kernel_settling.note(first, many, hands, self.window, self.bounds.reached, self.notes, space),
            chunks,
            size=SHARE,
        )
        state[:] = 0, hands, 0, chunks * kernel_settling.CHUNK, 0
        # While hands of a phase are locked, the other cores sort, and then tell what the hands of the phase before mean.
        doing = self.beside.submit(self._sort, 0, chunks, max(1, self.cores - 1))
        for phase in range(phases):
            if self.cores == 1:
                doing.result()
            self._settle(kernel_settling.STEPS // phases * (phase + 1), doing)
            doing.result()
            if phase < phases - 1:
                ready = int(self.ends[phase]) // kernel_settling.CHUNK
                doing = self.beside.submit(self._tell, told, ready, max(1, self.cores - 1))
                told = ready
        kernel_settling.write_back(near, self.window, self.bounds)
        late = -(-int(state[kernel_settling.LATE]) // kernel_settling.CHUNK)
        self._sort(chunks, late, self.cores)
        self._tell(told, late, self.cores)
        self.low = self.window.high

    def _open(self) -> int:
        """Move the window on, list the hands in it, and return how many are near."""
        bounds, found, space = self.bounds, self.found, self.game.space
        while True:
            self.window = self.window._replace(low=self.low, high=self.low + self.width)
            run_on_cores(
                lambda first, many: kernel_settling.look_through(first, many, found, self.window, bounds, space), len(found), size=SHARE
            )
            near = int(kernel_settling.close_ranks(found, self.ends, self.window, bounds))
            hands = int(self.ends[-1])
            if (hands > 2 * self.wanted or near > 4 * self.wanted) and self.width > NARROWEST:
                self.width /= 2
            elif hands:
                break
            else:
                drawn = bounds.weight > 0
                self.low = float(np.min(bounds.total[drawn] / bounds.weight[drawn], initial=np.inf))
                if self.low == np.inf:
                    never = int(np.count_nonzero(bounds.weight >= 0))
                    raise NotLegalHere(f"{never:,} classes of hands can never reach the goal: {self.game}")
        if hands < self.wanted // 2 and near < 2 * self.wanted:
            self.width *= 2
        return near

    def _settle(self, until: int, beside: Future[None]) -> None:
        """Lock the hands of all steps up to one; notes do not move before what is done beside it is done."""
        state = self.queue.state
        while state[kernel_settling.STEP] < until or state[kernel_settling.SIZE]:
            if state[kernel_settling.WANTED] > len(self.queue.values):
                self._enlarge(int(state[kernel_settling.WANTED]))
            if (chunks := int(state[kernel_settling.LATE]) // kernel_settling.CHUNK + 2) > len(self.notes.starts):
                beside.result()
                self._make_room(chunks)
            self.locked += kernel_settling.settle(PIECE, until, self.window, self.queue, self.bounds.reached, self.notes, self.game.space)

    def _sort(self, begin: int, end: int, cores: int) -> None:
        """Sort the notes of some chunks by the hands that are to be told."""
        notes, shift = self.notes, self.shift
        run_on_cores(
            lambda first, many: kernel_settling.sort_far(begin + first, many, shift, notes), end - begin, threads=cores, size=SHARE
        )

    def _tell(self, begin: int, end: int, cores: int) -> None:
        """Tell the hands outside of the window what the hands of some chunks mean for them, as ``_sort`` has sorted it."""
        bounds, notes, buckets = self.bounds, self.notes, (self.game.small.classes - 1 >> self.shift) + 1
        run_on_cores(lambda first, many: kernel_settling.tell_far(first, many, begin, end, bounds, notes), buckets, threads=cores, size=FEW)

    def _make_room(self, chunks: int) -> None:
        if chunks > len(self.notes.starts):
            before, self.notes = self.notes, _notes(chunks + chunks // 4, self.game.cards)
            for old, new in zip(before, self.notes, strict=True):
                new[: len(old)] = old

    def _enlarge(self, entries: int) -> None:
        used, room = int(self.queue.state[kernel_settling.SIZE]), max(entries, 2 * len(self.queue.values))
        values, places = np.empty(room), np.empty(room, np.int64)
        values[:used], places[:used] = self.queue.values[:used], self.queue.places[:used]
        self.queue = self.queue._replace(values=values, places=places)


def _notes(chunks: int, discards: int) -> kernel_settling.Notes:
    return kernel_settling.Notes(
        starts=np.zeros((chunks, kernel_settling.CHUNK + 1), np.int32),
        middles=np.zeros((chunks, kernel_settling.CHUNK), np.int32),
        rows=np.empty((chunks, kernel_settling.ROOM, kernel_settling.TARGETS + discards), np.uint32),
        values=np.empty((chunks, kernel_settling.ROOM)),
        offsets=np.empty((chunks, kernel_settling.BUCKETS + 1), np.int32),
        entries=np.empty((chunks, kernel_settling.ROOM * discards, 2), np.uint32),
    )
