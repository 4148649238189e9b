"""The command ``meldlab``: its doors, and how every mistake is printed.

Doors import what they need inside their verbs, so that help answers at once.
"""

import gc
import io
import logging
import os
import sys
from collections.abc import Sequence
from functools import cache
from typing import Annotated, Any

import typer

from meldlab import __version__
from meldlab.cli import (
    card_picture,
    deadwood,
    demo,
    doctor,
    gin,
    recycle,
    replay,
    reproduce,
    rummikub,
    runs,
    serve,
    spelling,
    stopping,
    tune,
    waiting,
)
from meldlab.cli.help import Command, Door
from meldlab.cli.interruption import interrupt_message, no_lost_interrupts, on_interrupt
from meldlab.cli.options import EXTRAS, Refused
from meldlab.cli.renamed import current_names
from meldlab.errors import MeldlabError

__all__ = ["app", "main"]

app = typer.Typer(
    name="meldlab",
    cls=Door,
    help="One laboratory for games of the rummy family: describe, play, solve, tune, see.",
    epilog="Try: meldlab demo",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("demo", cls=Command)(demo.demo)
app.command("doctor", cls=Command)(doctor.doctor)
app.command("deadwood", cls=Command)(deadwood.deadwood)
app.command("card-picture", cls=Command)(card_picture.card_picture)
app.command("replay", cls=Command)(replay.replay)
app.command("reproduce", cls=Command)(reproduce.reproduce)
app.command("serve", cls=Command)(serve.serve)
app.add_typer(waiting.app, name="waiting")
app.add_typer(gin.app, name="gin")
app.add_typer(stopping.app, name="stopping")
app.add_typer(recycle.app, name="recycle")
app.add_typer(rummikub.app, name="rummikub")
app.add_typer(tune.app, name="tune")
app.add_typer(runs.app, name="runs")

# Typer carries its own click in some versions and uses the installed one in others; its own exceptions know which.
INTERRUPTED = 130  # exit status after Ctrl-C, as shells report it
UsageMistake: type[Exception] = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")


@app.callback(invoke_without_command=True)
def front(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
    """One laboratory for games of the rummy family: describe, play, solve, tune, see."""
    if version:
        print(f"meldlab {__version__}")
        raise typer.Exit


@cache
def _command() -> Any:
    """Build the tree of doors and verbs, once for however many lines are run."""
    return typer.main.get_command(app)


class _StderrHandler(logging.StreamHandler[Any]):
    """Write records to ``sys.stderr`` of the moment: rich replaces it while it draws a spinner."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record."""
        self.stream = sys.stderr
        super().emit(record)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; a mistake in the input is one line (and a caret) on stderr and status 2."""
    # What is loaded at the start stays: to look through it for garbage again and again takes a tenth of a second.
    gc.set_threshold(300_000)
    # The library says nothing by itself; here somebody waits for the first compilation.
    _connect_closed_streams()
    on_interrupt(None)
    log = logging.getLogger("meldlab.compiling")
    log.setLevel(logging.INFO)
    log.handlers = [_StderrHandler()]
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A suit that the reader's character set does not have becomes its letter, not the end of the answer.
            stream.reconfigure(errors=spelling.ERRORS)
    status: Any = 0
    try:
        words = current_names(sys.argv[1:] if arguments is None else arguments)
        with no_lost_interrupts():
            status = _command().main(words, prog_name="meldlab", standalone_mode=False, obj=words)
        if status == INTERRUPTED:  # newer versions of typer return the status instead of raising
            raise KeyboardInterrupt
        sys.stdout.flush()
    except (MeldlabError, Refused) as mistake:
        _stop(f"error: {mistake}", 2)
    except ModuleNotFoundError as missing:
        package = (missing.name or "").split(".")[0]
        if package not in EXTRAS:
            raise
        _stop(f"error: this needs {package}: pip install 'meldlab[{EXTRAS[package]}]'", 2)
    except UsageMistake as mistake:
        said = getattr(mistake, "format_message", mistake.__str__)().rstrip(".")
        context = getattr(mistake, "ctx", None)
        door = context.command_path if context else "meldlab"
        # Nothing is said where no verb was given: help has just been printed.
        _stop(f"error: {said} (see '{door} --help')" if said else "", 2)
    except (typer.Abort, KeyboardInterrupt):
        _stop(interrupt_message(), INTERRUPTED)
    except SystemExit as stopped:
        # typer ends with status 1 when the reader has gone.
        if not isinstance(stopped.__context__, BrokenPipeError):
            raise
        _drop(sys.stdout)
    except BrokenPipeError:
        # The reader has gone (as with '| head'), so the rest of the output is not needed.
        _drop(sys.stdout)
    except OSError as problem:
        # For example a full disk behind '>'.
        _drop(sys.stdout)
        _stop(f"error: {problem.strerror or problem}{f' ({problem.filename})' if problem.filename else ''}", 2)
    sys.exit(status if isinstance(status, int) else 0)


def _connect_closed_streams() -> None:
    """Connect each closed standard stream to the null device.

    Output to a closed stream is discarded, and no file or database that is opened later gets the stream's descriptor. A closed input stays
    None in ``sys.stdin``: games at the terminal say that there is no input.
    """
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(descriptor)
        except OSError:
            null = os.open(os.devnull, os.O_RDWR)
            if null != descriptor:
                os.dup2(null, descriptor)
                os.close(null)
            os.set_inheritable(descriptor, True)
            if name != "stdin":
                setattr(sys, name, os.fdopen(descriptor, "w", encoding="utf-8", closefd=False))


def _drop(stream: Any) -> None:
    """Discard the buffered and further output of a stream, so that Python does not fail to flush it at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _stop(line: str, status: int) -> None:
    """Print a line on stderr, where it can be written, and exit."""
    if line:
        try:
            print(line, file=sys.stderr, flush=True)
        except OSError:
            _drop(sys.stderr)
    sys.exit(status)
