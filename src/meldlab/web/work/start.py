"""The start of a worker process: loads compiled kernels, and measures the time of later compilations."""

import gc
import time
from typing import Any

from numba.core import event

from meldlab.play import USER, Deal
from meldlab.precompile import compiled_packages


class CompileClock(event.Listener):  # type: ignore[misc]  # numba carries no types
    """Writes the seconds of finished compilations and the start of the current one, or 0, where the server reads them."""

    def __init__(self, seconds: Any) -> None:
        self.seconds, self.depth = seconds, 0

    def on_start(self, event: Any) -> None:
        """Note the start of the outermost compilation."""
        if self.depth == 0:
            self.seconds[1] = time.monotonic()
        self.depth += 1

    def on_end(self, event: Any) -> None:
        """Add the seconds of the outermost compilation."""
        self.depth -= 1
        if self.depth == 0:
            self.seconds[0] += time.monotonic() - self.seconds[1]
            self.seconds[1] = 0.0


def time_compilations(seconds: Any) -> None:
    """Measure every compilation of this process from now on."""
    event.register("numba:compile", CompileClock(seconds))


def load_kernels() -> None:
    """Load the compiled kernels of frequent calls."""
    ready = compiled_packages()
    if "gin" in ready:
        from meldlab.web.work import play

        play.begin("", "gin", {}, (USER, "champion"), Deal(0))
    if "rummikub" in ready:
        from meldlab.rummikub import warm_up

        warm_up()
    gc.collect()
    gc.freeze()  # a full collection would visit what is loaded
