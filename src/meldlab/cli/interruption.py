"""The line that Ctrl-C prints: what is saved of the work, and how to resume it.

A command names this before its long work starts; where it names nothing, nothing is saved.

>>> on_interrupt("the games are in runs.sqlite; run the same command again to resume")
>>> interrupt_message()
'interrupted: the games are in runs.sqlite; run the same command again to resume'
>>> on_interrupt(None)
>>> interrupt_message()
'interrupted: nothing is saved'
"""

import _thread
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

AGAIN = "run the same command again to resume"
NOTHING = "nothing is saved"
DRY_RUN = f"{NOTHING}; --dry-run estimates the time"
DELAY = 0.05  # seconds after which a lost interrupt is sent again
_saved: ContextVar[str | Callable[[], str]] = ContextVar("saved", default=NOTHING)


def on_interrupt(saved: str | Callable[[], str] | None) -> None:
    """Set the text about saved work, or a function that returns it at the time of the interrupt; None: nothing is saved."""
    _saved.set(NOTHING if saved is None else saved)


def interrupt_message() -> str:
    """Return the line about an interrupt."""
    saved = _saved.get()
    return f"interrupted: {saved if isinstance(saved, str) else saved()}"


@contextmanager
def no_lost_interrupts() -> Iterator[None]:
    """Send an interrupt again that Python ignores because it arrived inside a destructor, as happens while kernels are compiled."""
    before = sys.unraisablehook

    def hook(unraisable: Any) -> None:
        if not issubclass(unraisable.exc_type, KeyboardInterrupt):
            before(unraisable)
            return
        # Not at once: it would be raised here, and ignored again.
        timer = threading.Timer(DELAY, _interrupt)
        timer.daemon = True
        timer.start()

    sys.unraisablehook = hook
    try:
        yield
    finally:
        sys.unraisablehook = before


def _interrupt() -> None:
    identifier = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and identifier is not None:
        signal.pthread_kill(identifier, signal.SIGINT)  # also ends a call of the system that waits
    else:
        _thread.interrupt_main()
