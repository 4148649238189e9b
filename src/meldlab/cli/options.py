"""Options that several doors share, how typer reads their values, and how an answer is printed."""

import inspect
import json
import pkgutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from functools import wraps
from pathlib import Path
from secrets import randbelow
from typing import TYPE_CHECKING, Annotated, Any

import typer

from meldlab.chance.seed import check_seed
from meldlab.cli.help import Command, Door
from meldlab.cli.interruption import AGAIN, on_interrupt
from meldlab.cost import Cost, machine_memory, memory_text
from meldlab.errors import MeldlabError, NoSuchThing, NotLegalHere, NotPossible

if TYPE_CHECKING:
    from meldlab.runs.store import Store

# What a verb may find missing, by the name that it is imported by, and the extra of the installation that has it.
EXTRAS = dict.fromkeys(("PIL", "cmaes", "jinja2", "joblib", "matplotlib", "optuna", "pyarrow", "sqlalchemy"), "lab")


class Refused(Exception):
    """A mistake in a value on its way through typer, which would put words of its own around a ValueError."""


def read_by(read: Callable[[str], Any] | str, metavar: str) -> dict[str, Any]:
    """Return how typer reads a value: by a function, or by one named ``module:name``, which is loaded when there is something to read.

    A mistake in the value keeps its own line and caret.

    >>> read_by("meldlab.cards:Hand.parse", "CARDS")["parser"]("5H 6H")
    Hand.parse('5H 6H')
    """

    def parser(text: str) -> Any:
        try:
            return (pkgutil.resolve_name(read) if isinstance(read, str) else read)(text)
        except MeldlabError as mistake:
            raise Refused(str(mistake)) from mistake

    return {"parser": parser, "metavar": metavar}


def one_of(kind: str, *names: str) -> dict[str, Any]:
    """Return how typer reads one of some names, which help lists.

    >>> one_of("ace rule", "low", "both", "round")["metavar"]
    '[low|both|round]'
    """

    def read(text: str) -> str:
        if text not in names:
            raise NoSuchThing(kind, text, names)
        return text

    return read_by(read, f"[{'|'.join(names)}]")


def _seed(text: str | int) -> int:
    try:
        number: Any = int(text)
    except ValueError:
        number = str(text)[:40]  # what is no number is refused in the same words as one out of range
    return check_seed(number)


def seed_option(words: str) -> Any:
    """Return the option ``--seed``, which refuses what is no seed before anything is played or kept."""
    return typer.Option("--seed", **read_by(_seed, "INTEGER"), help=words)


def rules_option(*presets: str, room: str) -> Any:
    """Return the option ``--rules`` of a room: one of its presets, or a file."""
    return typer.Option("--rules", **read_by(f"meldlab.{room}:Rules.named", f"[{'|'.join(presets)}|FILE.toml]"), help="What is played.")


JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
SeedOption = Annotated[int, seed_option("The same seed gives the same answer.")]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Say what time and memory it would take, and do nothing.")]
ThreadsOption = Annotated[int, typer.Option("--threads", min=0, max=4096, help="Cores to use; 0 is all.")]
AcesOption = Annotated[str, typer.Option("--aces", **one_of("ace rule", "low", "both", "round"), help="A23; A23 and QKA; KA2 too.")]
DeviceOption = Annotated[str, typer.Option("--device", **one_of("device", "auto", "cpu", "cuda"), help="What computes.")]

StoreOption = Annotated[
    str | None,
    typer.Option("--store", envvar="MELDLAB_STORE", help="A file or postgresql+psycopg://HOST/NAME; by default runs.sqlite in the cache."),
]
ClusterOption = Annotated[str | None, typer.Option("--cluster", help="A Dask scheduler to play on, such as tcp://host:8786.")]

MoveSecondsOption = Annotated[float | None, typer.Option("--seconds-per-move", help="Processor time of a move, or it is a forfeit.")]
GameSecondsOption = Annotated[float | None, typer.Option("--seconds-per-game", help="Processor time of a player's moves in a game.")]
RaiseOption = Annotated[bool, typer.Option("--raise", help="Show the traceback of what a player raises.")]
NewDealOption = Annotated[int | None, seed_option("Deal these cards again; without a seed the deal is new.")]
SaveOption = Annotated[Path | None, typer.Option("--save", help="Keep the record in this file, move by move; an unfinished one goes on.")]
ResumeOption = Annotated[Path | None, typer.Option("--resume", help="Go on with the unfinished game of this file.")]


def door(words: str, **verbs: Callable[..., None]) -> typer.Typer:
    """Return a door with its verbs, ``words`` being its line of help; the example is that of the first verb."""
    example = (next(iter(verbs.values())).__doc__ or "").partition("Example: ")[2].strip()
    app = typer.Typer(cls=Door, help=words, epilog=f"Example: {example}", no_args_is_help=True)
    for name, verb in verbs.items():
        app.command(name, cls=Command)(verb)
    return app


def taking(**makers: Callable[..., Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a verb values that are made from options: the parameters of a maker stand where the verb has the value.

    >>> def total(apples: int = 1, pears: int = 2) -> int:
    ...     return apples + pears
    >>> @taking(fruit=total)
    ... def eat(fruit: int, quickly: bool = False) -> None:
    ...     print(fruit)
    >>> list(inspect.signature(eat).parameters)
    ['apples', 'pears', 'quickly']
    >>> eat(apples=3, pears=4, quickly=True)
    7
    """
    options = {name: inspect.signature(make).parameters for name, make in makers.items()}

    def decorate(verb: Callable[..., None]) -> Callable[..., None]:
        parameters = [
            each.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            for name, own in inspect.signature(verb).parameters.items()
            for each in (options[name].values() if name in options else [own])
        ]

        @wraps(verb)
        def call(**given: Any) -> None:
            made = {name: make(**{each: given.pop(each) for each in options[name]}) for name, make in makers.items()}
            verb(**given, **made)

        call.__annotations__ = {each.name: each.annotation for each in parameters}
        call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # what typer looks at
        return call

    return decorate


@contextmanager
def tracebacks(wanted: bool) -> Iterator[None]:
    """Let out what a player's file raised, instead of the line about it, where that is wanted."""
    try:
        yield
    except NotLegalHere as mistake:
        if wanted and mistake.__cause__ is not None:
            raise mistake.__cause__ from None
        raise


def need_input() -> None:
    """Raise NotLegalHere where nobody can type anything: the standard input is closed."""
    if sys.stdin is None or sys.stdin.closed:
        raise NotPossible("there is no input to play from: it is closed")


def open_store(store: str | None) -> "Store":
    """Open the store for a command whose finished games are saved there; an interrupt says so."""
    from meldlab.runs.store import Store

    opened = Store.open(store)
    on_interrupt(f"finished games are saved in {opened}; {AGAIN}")
    return opened


def new_seed(seed: int | None) -> int:
    """Return a seed, or where none is given a new one, short enough to be typed again."""
    return randbelow(10**6) if seed is None else seed


def print_json(answer: Mapping[str, Any]) -> None:
    """Print one JSON object, with cards and hands as text."""
    print(json.dumps(answer, default=str, ensure_ascii=False))


def print_cost(work: str, cost: Cost, as_json: bool) -> None:
    """Print what some work would take, which nobody has started."""
    if as_json:
        print_json({"work": work, "dry_run": True, **asdict(cost)})
    else:
        # What a GPU has is not asked: it may be another one than that of the estimate.
        beyond = cost.memory > machine_memory() and "core" in cost.where
        print(f"{work}: {cost}" + f", more than the {memory_text(machine_memory())} of this machine" * beyond)
        print(f"an estimate, from {cost.basis}; nothing was started")


def print_files(files: list[Path], as_json: bool) -> None:
    """Print which files were written."""
    if as_json:
        print_json({"files": files})
    else:
        print(*files, sep="\n")
