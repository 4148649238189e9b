"""The command ``meldlab``: its commands and groups, and how errors are printed.

Only the command or group that is called is imported, and it imports the library inside its functions, so that help answers at once.
"""

import gc
import io
import logging
import os
import pkgutil
import sys
from collections.abc import Sequence
from functools import cache
from typing import Annotated, Any

import typer

from meldlab import __version__
from meldlab.cli.interruption import interrupt_message, no_lost_interrupts, on_interrupt
from meldlab.cli.options import EXTRAS, Commands
from meldlab.cli.output import ERRORS
from meldlab.cli.renamed import current_names
from meldlab.errors import MeldlabError

SUMMARY = "Describe, play, solve and tune games of the rummy family."
COMMANDS = {  # the name, where it is defined, and its line of help
    "demo": ("demo:demo", "Tour the package in under two minutes; ends with a table of published and computed numbers."),
    "doctor": ("doctor:doctor", "Print versions, threads, GPU and cache folder, and compile kernels ahead."),
    "deadwood": ("hands:deadwood", "Arrange a hand into melds with the least deadwood."),
    "card-picture": ("hands:card_picture", "Draw cards side by side into an SVG file."),
    "replay": ("replay:replay", "Replay a record and show it; an invalid one says which action is illegal and why."),
    "reproduce": (
        "reproduce:reproduce",
        "Compute every table and figure of the five publications and judge each claim; status 1 if a verdict differs from the baseline.",
    ),
    "serve": ("serve:serve", "Serve the web app: Rummikub helper, tables, review, studio, experiments."),
    "waiting": ("waiting:app", "How many turns until a hand is complete? Exact, for 3 to 10 cards."),
    "gin": ("gin:app", "Gin rummy: play, advise, review, arena, compute, train, exploit, export."),
    "stopping": ("stopping:app", "Draw cards, win on black, lose on red, stop at any time."),
    "recycle": ("recycle:app", "Card games described in RECYCLE: check, run, play, analyse and search."),
    "rummikub": ("rummikub:app", "Rummikub: the best move with the least change, puzzles, and the game."),
    "tune": ("tune:app", "Tune players: the paper's experiments and better ones."),
    "runs": ("runs:app", "Runs of searches in the store: list, show, export."),
}
INTERRUPTED = 130  # exit status after Ctrl-C, as shells report it
# Typer contains its own click in some versions and imports the installed one in others.
UsageError: type[Exception] = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")


def build_app(*names: str) -> typer.Typer:
    """Return the command line with these commands imported; the others have their line of help only."""
    app = Commands(
        name="meldlab",
        help=SUMMARY,
        epilog="Try: meldlab demo",
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    )
    app.callback(invoke_without_command=True)(_root)
    for name, (path, line) in COMMANDS.items():
        command = pkgutil.resolve_name(f"meldlab.cli.{path}") if name in names else _not_imported
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name, help=line)
        else:
            app.command(name, help=None if name in names else line)(command)
    return app


def _root(
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
    if version:
        print(f"meldlab {__version__}")
        raise typer.Exit


def _not_imported() -> None:
    raise NotImplementedError


@cache
def _command(*names: str) -> Any:
    return typer.main.get_command(build_app(*names))


class _StderrHandler(logging.StreamHandler[Any]):
    """Write records to the current ``sys.stderr``: rich replaces it while it draws a spinner."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record."""
        self.stream = sys.stderr
        super().emit(record)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; an invalid input is one line (and a caret) on stderr and status 2."""
    # What is loaded at the start stays loaded: to search it for garbage again and again takes a tenth of a second.
    gc.set_threshold(300_000)
    _connect_closed_streams()
    on_interrupt(None)
    # The library prints nothing by itself; here a user waits for the first compilation.
    log = logging.getLogger("meldlab.compiling")
    log.setLevel(logging.INFO)
    log.handlers = [_StderrHandler()]
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A suit that the character set does not have becomes its letter instead of an error.
            stream.reconfigure(errors=ERRORS)
    status: Any = 0
    try:
        words = current_names(sys.argv[1:] if arguments is None else arguments)
        # The shell asks for completions of any command.
        names = COMMANDS if "_MELDLAB_COMPLETE" in os.environ else COMMANDS.keys() & words
        with no_lost_interrupts():
            status = _command(*sorted(names)).main(words, prog_name="meldlab", standalone_mode=False, obj=words)
        if status == INTERRUPTED:  # newer versions of typer return the status instead of raising
            raise KeyboardInterrupt
        sys.stdout.flush()
    except MeldlabError as error:
        _stop(f"error: {error}", 2)
    except ModuleNotFoundError as error:
        package = (error.name or "").split(".")[0]
        if package not in EXTRAS:
            raise
        _stop(f"error: this needs {package}: pip install 'meldlab[{EXTRAS[package]}]'", 2)
    except UsageError as error:
        message = getattr(error, "format_message", error.__str__)().rstrip(".").replace(": Value error, ", ": ")
        context = getattr(error, "ctx", None)
        command = context.command_path if context else "meldlab"
        # Without a command the message is the help, or empty if that has just been printed.
        _stop(message if not message or message.startswith("Usage: ") else f"error: {message} (see '{command} --help')", 2)
    except (typer.Abort, KeyboardInterrupt):
        _stop(interrupt_message(), INTERRUPTED)
    except SystemExit as stopped:
        # typer exits with status 1 when the pipe is closed.
        if not isinstance(stopped.__context__, BrokenPipeError):
            raise
        _drop(sys.stdout)
    except BrokenPipeError:
        # The reader has closed the pipe (as with '| head'), so the rest of the output is not needed.
        _drop(sys.stdout)
    except OSError as error:
        # For example a full disk behind '>'.
        _drop(sys.stdout)
        _stop(f"error: {error.strerror or error}{f' ({error.filename})' if error.filename else ''}", 2)
    sys.exit(status if isinstance(status, int) else 0)


def _connect_closed_streams() -> None:
    """Connect each closed standard stream to the null device.

    Output to a closed stream is discarded, and no file or database that is opened later gets the stream's descriptor. A closed input stays
    None in ``sys.stdin``: games at the terminal report that there is no input.
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
    """Print a line on stderr, if it can be written, and exit."""
    if line:
        try:
            print(line, file=sys.stderr, flush=True)
        except OSError:
            _drop(sys.stderr)
    sys.exit(status)
