"""How long it takes: a bar on a terminal, a projection after a while, and the truth in the end."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

from meldlab.cli.progress import progress_bar

PATIENCE = 10.0  # seconds of play after which a projection is worth something


class Meter:
    """Counts games against the clock; what comes from the store costs no time and is left out of the speed."""

    def __init__(self, bar: Callable[[int, int], None]) -> None:
        self.bar, self.began, self.projected, self.played = bar, time.monotonic(), False, 0

    def __call__(self, done: int, whole: int, played: int) -> None:
        """Count on, and project once how long it will take."""
        self.played, seconds = played, time.monotonic() - self.began
        self.bar(done, whole)
        if not self.projected and seconds >= PATIENCE and played:
            self.projected = True
            left = (whole - done) * seconds / played
            self._say(f"{played / seconds:,.0f} games/s: {whole:,} games, about {_span(seconds + left)} in all")

    def end(self) -> None:
        """Say how long it took."""
        seconds = time.monotonic() - self.began
        self._say(f"took {_span(seconds)}, {self.played:,} games played, {self.played / max(seconds, 1e-9):,.0f} games/s")

    @staticmethod
    def _say(line: str) -> None:
        print(line, file=sys.stderr, flush=True)


def _span(seconds: float) -> str:
    return str(timedelta(seconds=round(seconds)))


@contextmanager
def metered(what: str) -> Iterator[Meter]:
    """Give a function of (games done, in all, played just now)."""
    with progress_bar(what) as bar:
        meter = Meter(bar)
        yield meter
    meter.end()
