"""Players from files, modules and entry points of other packages."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any
from zlib import crc32

from meldlab.digests import module_files
from meldlab.errors import NoSuchThing, NotLegalHere, NotPossible
from meldlab.gin.move import Move
from meldlab.gin.players.player import GinPlayer
from meldlab.gin.view import View
from meldlab.play import Player
from meldlab.play.failures import error_line, error_text, one_line

__all__ = ["entry_point_names", "load_player", "player_files"]

GROUP = "meldlab.players"  # of entry points


def entry_point_names() -> list[str]:
    """Return the names of players from other packages."""
    return sorted(point.name for point in entry_points(group=GROUP))


def load_player(text: str) -> Player[View, Move] | None:
    """Return the player of an entry point, or of a class named FILE.py:CLASS or MODULE:CLASS; None for other names."""
    for point in entry_points(group=GROUP, name=text):
        with _errors_of_player(text, None):
            loaded = point.load()
        return _create(loaded, text)
    module, _, name = text.rpartition(":")
    if module and name.isidentifier():
        return _create(_load_class(module, name), text)
    if text.endswith(".py"):
        known = _player_names(_module_from_file(text))
        if not known:
            raise NotLegalHere(f"no player in {text}: expected a class with a method choose(view, chance)")
        raise NotLegalHere(f"name the class: {' or '.join(f'{text}:{name}' for name in known)}")
    return None


def player_files(text: str) -> list[Path]:
    """Return the file of a player's class or entry point, outside the package; not the files that it imports."""
    module = text.rpartition(":")[0]
    if module.endswith(".py"):
        return [Path(module)]
    points = [point.module for point in entry_points(group=GROUP, name=text)]
    return module_files(points[0] if points else module)


def _load_class(module: str, name: str) -> Any:
    loaded = _module_from_file(module) if module.endswith(".py") else _module_by_name(module)
    if not hasattr(loaded, name):
        raise NoSuchThing(f"player in {module}", name, _player_names(loaded))
    return getattr(loaded, name)


def _player_names(module: ModuleType) -> list[str]:
    """Return the names of the players that a module defines; without ``__all__``, classes that it imports are left out."""
    if hasattr(module, "__all__"):
        return [name for name in module.__all__ if hasattr(getattr(module, name, None), "choose")]
    players = [(name, value) for name, value in vars(module).items() if hasattr(value, "choose")]
    return [name for name, value in players if not isinstance(value, type) or value.__module__ == module.__name__]


def _module_by_name(name: str) -> ModuleType:
    try:
        spec = find_spec(name)
    except (ImportError, ValueError):
        spec = None
    if spec is None:
        raise NotPossible(f"no player in {name}: no such module")
    with _errors_of_player(name, spec.origin):
        return import_module(name)


def _module_from_file(path: str) -> ModuleType:
    try:
        stamp = Path(path).stat().st_mtime_ns
    except OSError:
        stamp = 0
    if not Path(path).is_file():
        raise NotPossible(f"no player in {path}: no file {path}")
    return _run_module(str(Path(path).resolve()), stamp)


@cache
def _run_module(path: str, stamp: int) -> ModuleType:
    """Run a player's file, once in a process as long as it does not change."""
    name = f"meldlab_player_{Path(path).stem}_{crc32(path.encode()):08x}"
    spec = spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = module_from_spec(spec)
    with _errors_of_player(Path(path).name, path):
        spec.loader.exec_module(module)
    return module


@contextmanager
def _errors_of_player(what: str, file: str | None) -> Iterator[None]:
    """Turn an exception of a player's own code into one line with its place in the file; the exception is the cause."""
    try:
        yield
    except (Exception, SystemExit, GeneratorExit) as error:
        raise NotLegalHere(f"{error_line(file, error) or what}: {error_text(error)}") from error


def _create(loaded: Any, text: str) -> Player[View, Move]:
    file = getattr(sys.modules.get(getattr(loaded, "__module__", "")), "__file__", None)
    with _errors_of_player(_constructor_line(loaded, text), file):
        player = loaded() if isinstance(loaded, type) else loaded
        choose, name = getattr(player, "choose", None), getattr(player, "name", "player")
    if not callable(choose):
        raise NotLegalHere(f"{text} cannot play: it has no method choose(view, chance)")
    for parent in type(player).__mro__[1:]:
        # A constructor has set the name of a built-in parent: a class that plays otherwise has a name of its own.
        if issubclass(parent, GinPlayer) and parent.__module__.startswith("meldlab.") and name == getattr(parent, "name", None):
            name = vars(type(player)).get("name", "player")
    if not isinstance(name, str) or not name.strip() or not name.isprintable():
        raise NotLegalHere(f"{text} cannot play: its name is {one_line(name)!r} and not a line of text")
    if name == "player":
        name = text
    if name != getattr(player, "name", None):
        try:
            object.__setattr__(player, "name", name)
        except AttributeError:
            raise NotLegalHere(f"{text} cannot play: it has no name, and none can be given to it") from None
    return player  # type: ignore[no-any-return]


def _constructor_line(loaded: Any, text: str) -> str:
    """Return the file and line of the constructor of a class, for errors in calling it, or the name of the player."""
    code = getattr(getattr(loaded, "__init__", None), "__code__", None)
    return f"{Path(code.co_filename).name}:{code.co_firstlineno}" if code else text
