"""Settling all hands of a game on this machine, in ascending order of E."""

from typing import Any

import numpy as np

from meldlab.errors import NotLegalHere
from meldlab.pieces import on_cores
from meldlab.waiting import kernel_settling
from meldlab.waiting.game import PIECE, Waiting

__all__ = ["Settling"]

STEPS = 16  # parts of a window that share a heap
FIRST_WIDTH, NARROWEST = 0.5, 1e-3  # turns
FEWEST, PART = 1 << 12, 384  # hands that a window should have: one in so many, but at least these


class Settling:
    """Where the settling of a game stands: what is known of E, and the next window of it."""

    def __init__(self, game: Waiting, kept: dict[str, Any] | None = None) -> None:
        self.game, classes = game, game.small.classes
        if kept is None:
            self.bounds = kernel_settling.Bounds(*game.mark_goals(), np.zeros(-(-game.large.classes // 8), np.uint8))
            self.low, self.width, self.locked = 0.0, FIRST_WIDTH, 0
            if not np.any(self.bounds.total == 0.0):
                raise NotLegalHere(f"no hand can reach the goal any more: {game}")
            on_cores(lambda first, many: kernel_settling.start_totals(first, many, self.bounds, game.space), classes, size=PIECE)
        else:
            self.bounds = kernel_settling.Bounds(*(kept[field] for field in kernel_settling.Bounds._fields))
            self.low, self.width, self.locked = float(kept["low"]), float(kept["width"]), int(kept["locked"])
        self.wanted = max(FEWEST, classes // PART)
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
        self.found = np.zeros(-(-classes // kernel_settling.BLOCK), np.int64)
        self.queue = kernel_settling.Queue(STEPS, np.zeros(5, np.int64), np.empty(1 << 12), np.empty(1 << 12, np.int64))
        self.notes = _notes(2, game.cards)

    def state(self) -> dict[str, Any]:
        """Return what must be kept to go on from here."""
        return {**self.bounds._asdict(), "low": self.low, "width": self.width, "locked": self.locked}

    def settle_window(self) -> None:
        """Lock all hands of the next window."""
        space, bounds, state = self.game.space, self.bounds, self.queue.state
        near, hands = self._open()
        window, chunks = self.window, -(-hands // kernel_settling.CHUNK)
        self._make_room(chunks + 2)
        on_cores(lambda first, many: kernel_settling.note(first, many, hands, window, bounds.reached, self.notes, space), chunks)
        state[:] = 0, hands, 0, chunks * kernel_settling.CHUNK, 0
        while state[kernel_settling.STEP] <= STEPS:
            if state[kernel_settling.WANTED] > len(self.queue.values):
                self._enlarge(int(state[kernel_settling.WANTED]))
            self._make_room(int(state[kernel_settling.LATE]) // kernel_settling.CHUNK + 2)
            self.locked += kernel_settling.settle(PIECE, window, self.queue, bounds.reached, self.notes, space)
        kernel_settling.write_back(near, window, bounds)
        self._tell(-(-int(state[kernel_settling.LATE]) // kernel_settling.CHUNK))
        self.low = window.high

    def _open(self) -> tuple[int, int]:
        """Move the window on; return how many hands are near, and how many lie in it."""
        bounds, found, space = self.bounds, self.found, self.game.space
        while True:
            self.window = self.window._replace(low=self.low, high=self.low + self.width)
            on_cores(lambda first, many: kernel_settling.look_through(first, many, found, self.window, bounds, space), len(found))
            near, hands = kernel_settling.close_ranks(found, self.window, bounds)
            if (hands > 2 * self.wanted or near > 4 * self.wanted) and self.width > NARROWEST:
                self.width /= 2
            elif hands:
                break
            else:
                self.low = float(kernel_settling.least_open(bounds.total, bounds.weight))
                if self.low == np.inf:
                    never = int(np.count_nonzero(bounds.weight >= 0))
                    raise NotLegalHere(f"{never:,} classes of hands can never reach the goal: {self.game}")
        if hands < self.wanted // 2 and near < 2 * self.wanted:
            self.width *= 2
        return near, hands

    def _tell(self, chunks: int) -> None:
        """Tell the hands outside of the window what its hands mean for them."""
        shift = max(0, self.game.small.classes.bit_length() - kernel_settling.BUCKETS.bit_length() + 1)
        on_cores(lambda first, many: kernel_settling.sort_far(first, many, shift, self.notes), chunks)
        on_cores(lambda first, many: kernel_settling.tell_far(first, many, chunks, self.bounds, self.notes), kernel_settling.BUCKETS)

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
        settled=np.empty((chunks, kernel_settling.CHUNK)),
        rows=np.empty((chunks, kernel_settling.ROOM, kernel_settling.TARGETS + discards), np.uint32),
        values=np.empty((chunks, kernel_settling.ROOM)),
        offsets=np.empty((chunks, kernel_settling.BUCKETS + 1), np.int32),
        entries=np.empty((chunks, kernel_settling.ROOM * discards, 2), np.uint32),
    )
