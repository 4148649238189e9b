"""Time limits of players.

Seconds are CPU seconds, summed over all threads of this process, so that a game has the same result on a busy machine. A player that
sleeps uses none; it is stopped after ``MAX_WALL_RATIO`` times as many seconds of wall time.

In the main thread a timer interrupts Python code; compiled code is interrupted when it returns to Python, and a player that catches
``BaseException`` continues. Elsewhere (other threads, Windows) the time is checked after the answer. A late answer is always rejected;
to stop a player that never returns takes a process that can be killed, as in the arena.
"""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf, isfinite
from types import FrameType
from typing import Any

from meldlab.errors import NotLegalHere

MAX_WALL_RATIO = 20  # wall seconds for each CPU second
SIGNAL_INTERVAL = 0.05  # seconds until an expired timer sends its signal again


class OutOfTime(BaseException):
    """A player's time is up; not an Exception, so that a player's own ``except Exception`` does not catch it."""


@dataclass(frozen=True)
class TimeLimit:
    """CPU seconds of a player per move and per game; None is no limit.

    >>> str(TimeLimit(0.5, 30)), bool(TimeLimit())
    ('0.5 s per move, 30 s per game', False)
    """

    per_move: float | None = None
    per_game: float | None = None

    def __post_init__(self) -> None:
        for seconds in (self.per_move, self.per_game):
            if seconds is not None and not (isfinite(seconds) and 0.001 <= seconds <= 1e6):
                raise NotLegalHere(f"expected a time limit from 0.001 to 1,000,000 s, got {seconds:g} s")

    def __bool__(self) -> bool:
        return self.per_move is not None or self.per_game is not None

    def __str__(self) -> str:
        limits = (self.per_move, "per move"), (self.per_game, "per game")
        return ", ".join(f"{seconds:g} s {unit}" for seconds, unit in limits if seconds is not None)

    @property
    def longest_move(self) -> float:
        """Return the longest time of a move in seconds."""
        return min(inf if seconds is None else seconds for seconds in (self.per_move, self.per_game))


class Clock:
    """The time used by the players of a game; ``untimed`` seats, of users, have no limit."""

    def __init__(self, limit: TimeLimit, seats: int, untimed: tuple[int, ...] = ()) -> None:
        self.limit, self.used, self.untimed = limit, [(0.0, 0.0)] * seats, untimed

    def choose(self, seat: int, player: Any, view: Any, chance: Any) -> Any:
        """Return the choice of a player under its time limit."""
        if seat in self.untimed:
            return player.choose(view, chance)
        with self.running(seat):
            return player.choose(view, chance)

    @contextmanager
    def running(self, seat: int) -> Iterator[None]:
        """Measure the time of a seat; raise OutOfTime when it is used up, by a timer or at the end of the block."""
        cpu, wall = self.used[seat]
        game, move = (inf if seconds is None else seconds for seconds in (self.limit.per_game, self.limit.per_move))
        max_cpu, max_wall = min(move, game - cpu), min(MAX_WALL_RATIO * move, MAX_WALL_RATIO * game - wall)
        is_main = threading.current_thread() is threading.main_thread()
        clock = time.process_time if is_main else time.thread_time
        start, wall_start = clock(), time.monotonic()
        try:
            if is_main and hasattr(signal, "setitimer"):
                with _timers(max_cpu, max_wall):
                    yield
            else:
                yield
        finally:
            cpu_time, wall_time = clock() - start, time.monotonic() - wall_start
            self.used[seat] = cpu + cpu_time, wall + wall_time
        if cpu_time >= max_cpu or wall_time >= max_wall:
            raise OutOfTime


@contextmanager
def _timers(max_cpu: float, max_wall: float) -> Iterator[None]:
    expired = False
    running = True

    def on_signal(number: int, frame: FrameType | None) -> None:
        nonlocal expired
        expired = True
        if running:
            raise OutOfTime

    timers = ((signal.ITIMER_PROF, signal.SIGPROF, max_cpu), (signal.ITIMER_REAL, signal.SIGALRM, max_wall))
    before = [
        (timer, number, signal.signal(number, on_signal), signal.setitimer(timer, max(seconds, 1e-6), SIGNAL_INTERVAL))
        for timer, number, seconds in timers
    ]
    try:
        try:
            yield
        finally:
            # A signal just before this line is raised through the outer block, which restores the timers.
            running = False
    finally:
        running = False
        for timer, number, handler, setting in before:
            signal.setitimer(timer, 0)
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)
            signal.setitimer(timer, *setting)
    if expired:
        raise OutOfTime
