"""Options that several commands share, and the checks of their values."""

import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from secrets import randbelow
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from meldlab.cache import write_errors
from meldlab.chance.seed import check_seed
from meldlab.cli.interruption import AGAIN, on_interrupt
from meldlab.errors import NotLegalHere, NotPossible

if TYPE_CHECKING:
    from meldlab.runs.store import Store

# Packages that a command may miss, by the name of their import, with the extra of the installation that has them.
EXTRAS = dict.fromkeys(("PIL", "cmaes", "jinja2", "joblib", "matplotlib", "optuna", "pyarrow", "sqlalchemy"), "lab")


def seed_option(help: str) -> Any:
    """Return the option ``--seed``; a number that is not a seed is rejected before anything is played or saved."""
    return typer.Option("--seed", callback=lambda seed: seed if seed is None else check_seed(seed), help=help)


def rules_option(*presets: str) -> Any:
    """Return the option ``--rules``: the name of a preset, or a file."""
    return typer.Option("--rules", metavar=f"[{'|'.join(presets)}|FILE.toml]", help="Preset or file of the rules.")


def out_folder(help: str, name: str = "--out") -> Any:
    """Return the option ``--out DIR``; the folder is tried when the command line is read, before any work starts."""
    return _path_option(name, writable_folder, "DIR", help)


def out_file(help: str, metavar: str = "FILE", name: str = "--out", *, parents: bool = False) -> Any:
    """Return the option ``--out FILE``, tried when the command line is read; ``parents``: its folder may be a new one."""
    return _path_option(name, lambda path: writable_file(path, parents=parents), metavar, help)


def _path_option(name: str, check: Callable[[Path], Path], metavar: str, help: str) -> Any:
    def checked(path: Path | None) -> Path | None:
        if path is None:
            return None
        with write_errors(path):
            return check(path)

    return typer.Option(name, metavar=metavar, callback=checked, help=help)


GinRulesOption = Annotated[str, rules_option("eaai", "pagat", "oklahoma", "openspiel")]
RummikubRulesOption = Annotated[str, rules_option("paper", "official")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
SeedOption = Annotated[int, seed_option("Seed of all random numbers; the same seed gives the same answer.")]
NewDealOption = Annotated[int | None, seed_option("Seed of the deal; a new deal by default.")]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Print the expected time and memory, and stop.")]
ThreadsOption = Annotated[int, typer.Option("--threads", min=0, max=4096, help="Cores to use; 0 for all.")]
AcesOption = Annotated[str, typer.Option("--aces", metavar="[low|both|round]", help="Runs with aces: A23; also QKA; also KA2.")]
DeviceOption = Annotated[Literal["auto", "cpu", "cuda"], typer.Option("--device", help="Where to compute.")]

StoreOption = Annotated[
    str | None,
    typer.Option("--store", envvar="MELDLAB_STORE", help="File or postgresql+psycopg://HOST/NAME; default: runs.sqlite in the cache."),
]
ClusterOption = Annotated[str | None, typer.Option("--cluster", help="Address of a Dask scheduler, such as tcp://host:8786.")]

MoveSecondsOption = Annotated[
    float | None, typer.Option("--seconds-per-move", help="Limit of processor time per move; a player that exceeds it forfeits.")
]
GameSecondsOption = Annotated[
    float | None, typer.Option("--seconds-per-game", help="Limit of processor time per player and game; a player that exceeds it forfeits.")
]
RaiseOption = Annotated[bool, typer.Option("--raise", help="Print the traceback of an error in a player.")]
SaveOption = Annotated[
    Path | None, typer.Option("--save", help="File for the record, written after each move; an unfinished game continues.")
]
ResumeOption = Annotated[Path | None, typer.Option("--resume", help="File of an unfinished game to continue.")]


@dataclass(frozen=True)
class RunOptions:
    """Options of experiments, whose games are in the store."""

    seed: SeedOption = 0
    store: StoreOption = None
    cluster: ClusterOption = None
    threads: ThreadsOption = 0
    dry_run: DryRunOption = False
    json: JsonOption = False


@dataclass(frozen=True)
class TerminalOptions:
    """Options of a game in the terminal."""

    seed: NewDealOption = None
    save: SaveOption = None
    resume: ResumeOption = None


class Commands(typer.Typer):
    """A group of commands; a parameter whose type is a dataclass stands for the fields of that class, which are options."""

    def __init__(self, **settings: Any) -> None:
        # To import rich and markdown for the help takes as long as all the rest.
        super().__init__(no_args_is_help=True, rich_markup_mode=None, **settings)

    def command(  # type: ignore[override]  # all its parameters are passed on
        self, *arguments: Any, **settings: Any
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Return the decorator that adds a command."""
        add = super().command(*arguments, **settings)

        def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
            add(ungrouped(function))
            return function

        return decorate


def ungrouped(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command with the fields of each parameter whose type is a dataclass as parameters of its own.

    >>> def play(options: TerminalOptions, name: str = "you") -> None:
    ...     print(name, options.seed)
    >>> ungrouped(play)(name="me", seed=3, save=None, resume=None), list(signature(ungrouped(play)).parameters)
    me 3
    (None, ['name', 'seed', 'save', 'resume'])
    """
    own = list(signature(command).parameters.values())
    groups: dict[str, Any] = {parameter.name: parameter.annotation for parameter in own if is_dataclass(parameter.annotation)}
    if not groups:
        return command
    shared = [parameter for group in groups.values() for parameter in signature(group).parameters.values()]
    # In the help the options of the command itself come first.
    parameters = [*(parameter for parameter in own if parameter.name not in groups), *shared]

    @wraps(command)
    def run(**values: Any) -> None:
        options = {name: group(**{field.name: values.pop(field.name) for field in fields(group)}) for name, group in groups.items()}
        command(**values, **options)

    run.__dict__["__signature__"] = Signature([parameter.replace(kind=Parameter.KEYWORD_ONLY) for parameter in parameters])
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def writable_folder(folder: Path) -> Path:
    """Return a folder in which files can be created, or that can be created itself; the trial leaves nothing behind."""
    created: list[Path] = []
    try:
        for part in [*reversed(folder.absolute().parents), folder.absolute()]:
            if part.is_dir():
                continue
            if part.exists():
                raise NotPossible(f"{folder} cannot be written: expected a folder, got the file {part}")
            part.mkdir()
            created.append(part)
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".meldlab-"):
            pass
    finally:
        for part in reversed(created):
            with suppress(OSError):  # another process may have put something into it
                part.rmdir()
    return folder


def writable_file(path: Path, *, parents: bool = False) -> Path:
    """Return a path at which a file can be created or replaced; a pipe or a terminal is written unchanged.

    ``parents``: the folder of the file is created with it.
    """
    if path.is_dir():
        raise NotPossible(f"{path} cannot be written: expected a file, got a folder")
    if path.is_file() or not path.exists():
        # A file is replaced by a new one in the same folder, which must be writable.
        folder = path.resolve().parent
        if not parents and not folder.is_dir():
            raise NotPossible(f"{path} cannot be written: there is no folder {folder}")
        writable_folder(folder)
    return path


@contextmanager
def tracebacks(enabled: bool) -> Iterator[None]:
    """Raise the error of a player's file itself, instead of the line about it, if enabled."""
    try:
        yield
    except NotLegalHere as error:
        if enabled and error.__cause__ is not None:
            raise error.__cause__ from None
        raise


def need_input() -> None:
    """Raise NotPossible if the standard input is closed."""
    if sys.stdin is None or sys.stdin.closed:
        raise NotPossible("there is no input to play from: it is closed")


def open_store(store: str | None) -> "Store":
    """Open the store for a command whose finished games are saved there; the line of an interrupt names it."""
    from meldlab.runs.store import Store

    opened = Store.open(store)
    on_interrupt(f"finished games are saved in {opened}; {AGAIN}")
    return opened


def new_seed(seed: int | None) -> int:
    """Return a seed, or for None a random one, short enough to be typed again."""
    return randbelow(10**6) if seed is None else seed
