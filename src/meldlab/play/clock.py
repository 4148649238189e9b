"""Time at the table: how long a player may think.

Seconds are those of the processor, all threads of this process together, so that a game comes out the same on a busy machine. A player
that waits uses none of them; the clock on the wall stops it when ``PATIENCE`` times as many have passed.

In the main thread a timer interrupts Python code, whatever it is doing; compiled code is interrupted when it comes back to Python, and
a player that catches even ``BaseException`` goes on. Elsewhere (other threads, Windows) the time is looked at when the answer comes. An
answer after time is none, everywhere; to end what does not end by itself takes a process that can be killed, as the arena has.
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

__all__ = ["PATIENCE", "Clock", "OutOfTime", "TimeLimit"]

PATIENCE = 20  # seconds on the wall for a second of the processor
AGAIN = 0.05  # seconds after which a timer that was not heard rings again


class OutOfTime(BaseException):
    """A player's time is up; no Exception, so that a player's own ``except Exception`` does not swallow it."""


@dataclass(frozen=True)
class TimeLimit:
    """Seconds that a player may use for a move and for all its moves of a game; None is as many as it likes.

    >>> str(TimeLimit(0.5, 30)), bool(TimeLimit())
    ('0.5 s per move, 30 s per game', False)
    """

    per_move: float | None = None
    per_game: float | None = None

    def __post_init__(self) -> None:
        for seconds in (self.per_move, self.per_game):
            if seconds is not None and not (isfinite(seconds) and 0.001 <= seconds <= 1e6):
                raise NotLegalHere(f"{seconds:g} s is no time limit (0.001 to 1,000,000 s)")

    def __bool__(self) -> bool:
        return self.per_move is not None or self.per_game is not None

    def __str__(self) -> str:
        both = (self.per_move, "per move"), (self.per_game, "per game")
        return ", ".join(f"{seconds:g} s {what}" for seconds, what in both if seconds is not None)

    @property
    def longest_move(self) -> float:
        """Return the seconds after which no move can be in time."""
        return min(inf if seconds is None else seconds for seconds in (self.per_move, self.per_game))


class Clock:
    """The time that the players of one game have left; seats that are ``untimed``, a person's, have as much as they like."""

    def __init__(self, limit: TimeLimit, seats: int, untimed: tuple[int, ...] = ()) -> None:
        self.limit, self.used, self.untimed = limit, [(0.0, 0.0)] * seats, untimed

    def ask(self, seat: int, player: Any, view: Any, chance: Any) -> Any:
        """Return what a player chooses while its time runs."""
        if seat in self.untimed:
            return player.choose(view, chance)
        with self.running(seat):
            return player.choose(view, chance)

    @contextmanager
    def running(self, seat: int) -> Iterator[None]:
        """Let the time of one seat run; when it is used up OutOfTime is raised, by a timer or when the block ends."""
        processor, wall = self.used[seat]
        game, move = (inf if seconds is None else seconds for seconds in (self.limit.per_game, self.limit.per_move))
        left, patience = min(move, game - processor), min(PATIENCE * move, PATIENCE * game - wall)
        here = threading.current_thread() is threading.main_thread()
        clock = time.process_time if here else time.thread_time
        began, began_wall = clock(), time.monotonic()
        try:
            if here and hasattr(signal, "setitimer"):
                with _timers(left, patience):
                    yield
            else:
                yield
        finally:
            took, took_wall = clock() - began, time.monotonic() - began_wall
            self.used[seat] = processor + took, wall + took_wall
        if took >= left or took_wall >= patience:
            raise OutOfTime


@contextmanager
def _timers(left: float, patience: float) -> Iterator[None]:
    rung = False
    running = True

    def ring(number: int, frame: FrameType | None) -> None:
        nonlocal rung
        rung = True
        if running:
            raise OutOfTime

    pairs = ((signal.ITIMER_PROF, signal.SIGPROF, left), (signal.ITIMER_REAL, signal.SIGALRM, patience))
    before = [
        (timer, number, signal.signal(number, ring), signal.setitimer(timer, max(seconds, 1e-6), AGAIN)) for timer, number, seconds in pairs
    ]
    try:
        try:
            yield
        finally:
            # A ring just before this line still leaves through the outer one, which puts everything back.
            running = False
    finally:
        running = False
        for timer, number, handler, rest in before:
            signal.setitimer(timer, 0)
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)
            signal.setitimer(timer, *rest)
    if rung:
        raise OutOfTime
