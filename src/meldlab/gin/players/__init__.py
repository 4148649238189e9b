"""Everyone who can sit down at the gin table, by name.

>>> [parse(text).name for text in ("simple", "knock:10,0,6", "ensemble:shipped", "mc:128")]
['simple', 'knock:10,0,6', 'ensemble:shipped', 'mc:128']
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, partial
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any
from zlib import crc32

from meldlab.errors import NoSuchThing, NotLegalHere, NotPossible
from meldlab.gin.move import Move
from meldlab.gin.view import View
from meldlab.play import Player, RandomPlayer
from meldlab.play.reasons import line_in, said, text_of

__all__ = [
    "ComputedPlayer",
    "Drop",
    "Ensemble",
    "EnsemblePlayer",
    "GinPlayer",
    "LightPlayer",
    "MarjjPlayer",
    "MonteCarloPlayer",
    "Outlook",
    "PolicyPlayer",
    "SearchPlayer",
    "SimplePlayer",
    "Valued",
    "names",
    "parse",
]

if TYPE_CHECKING:
    from meldlab.gin.players.computed import ComputedPlayer
    from meldlab.gin.players.ensemble import Ensemble, EnsemblePlayer, Outlook
    from meldlab.gin.players.light import LightPlayer
    from meldlab.gin.players.marjj import MarjjPlayer
    from meldlab.gin.players.montecarlo import MonteCarloPlayer
    from meldlab.gin.players.player import Drop, GinPlayer, Valued
    from meldlab.gin.players.policy import PolicyPlayer
    from meldlab.gin.players.search import SearchPlayer
    from meldlab.gin.players.simple import SimplePlayer

GROUP = "meldlab.players"
Seated = Player[View, Move]
# Where each is: the kernels of the players lie beside them, and the round that is played by those kernels is what players think with. So
# this room loads nobody before he is asked for.
MODULES = {
    "ComputedPlayer": "computed",
    "Drop": "player",
    "Ensemble": "ensemble",
    "EnsemblePlayer": "ensemble",
    "GinPlayer": "player",
    "LightPlayer": "light",
    "MarjjPlayer": "marjj",
    "MonteCarloPlayer": "montecarlo",
    "Outlook": "ensemble",
    "PolicyPlayer": "policy",
    "SearchPlayer": "search",
    "SimplePlayer": "simple",
    "Valued": "player",
}
BUILT_IN_PLAYERS = (
    "SimplePlayer",
    "EnsemblePlayer",
    "LightPlayer",
    "ComputedPlayer",
    "MarjjPlayer",
    "MonteCarloPlayer",
    "PolicyPlayer",
    "SearchPlayer",
)


def __getattr__(name: str) -> Any:
    if name in MODULES:
        return getattr(import_module(f"{__name__}.{MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def names() -> list[str]:
    """Return how players are called, those from other packages included."""
    return [*(form for form, _ in BUILT_IN.values()), *sorted(point.name for point in entry_points(group=GROUP)), "FILE.py:CLASS"]


def parse(text: str) -> Seated:
    """Return the player of a name: a built-in one, an entry point of the group ``meldlab.players``, or a class in a file or module."""
    word = text.partition(":")[0]
    if word in BUILT_IN:
        return BUILT_IN[word][1](text)
    for point in entry_points(group=GROUP, name=text):
        with _blaming(text, None):
            found = point.load()
        return _seat(found, text)
    module, _, name = text.rpartition(":")
    if module and name.isidentifier():
        return _seat(_load(module, name), text)
    if text.endswith(".py"):
        known = _players_in(_module_of_file(text))
        if not known:
            raise NotLegalHere(f"no player in {text}: expected a class with a method choose(view, chance)")
        raise NotLegalHere(f"name the class: {' or '.join(f'{text}:{each}' for each in known)}")
    raise NoSuchThing("player", text, names())


def _random(text: str) -> Seated:
    if text != "random":
        raise NoSuchThing("player", text, names())
    return RandomPlayer()


def _simple(text: str) -> Seated:
    if text.startswith(("simple:", "gin-only:")):
        raise NoSuchThing("player", text, names())
    return _parsed("SimplePlayer", text)


def _computed(text: str) -> Seated:
    from meldlab.gin.players.light import LightPlayer

    if LightPlayer.knows(text):
        return _parsed("LightPlayer", text)
    return _parsed("PolicyPlayer" if text.endswith(".npz") else "ComputedPlayer", text)


def _champion(text: str) -> Seated:
    return _parsed("PolicyPlayer" if text == "champion" else "SearchPlayer", text)


def _parsed(player: str, text: str) -> Seated:
    return __getattr__(player).parse(text)  # type: ignore[no-any-return]


BUILT_IN: Mapping[str, tuple[str, Callable[[str], Seated]]] = {
    "random": ("random", _random),
    "simple": ("simple", _simple),
    "gin-only": ("gin-only", _simple),
    "knock": ("knock:EARLY,LATE,TURN", _simple),
    "marjj": ("marjj[:paper]", partial(_parsed, "MarjjPlayer")),
    "mc": ("mc:N", partial(_parsed, "MonteCarloPlayer")),
    "ensemble": ("ensemble[:best|paper|shipped|base|text|FILE.toml]", partial(_parsed, "EnsemblePlayer")),
    "champion": ("champion[:search:N]", _champion),
    "specialist": ("specialist", partial(_parsed, "PolicyPlayer")),
    "computed": ("computed:light|light-ensemble|light-pool|DIR|FILE.npz", _computed),
}


def _load(module: str, name: str) -> Any:
    found = _module_of_file(module) if module.endswith(".py") else _module_by_name(module)
    if not hasattr(found, name):
        raise NoSuchThing(f"player in {module}", name, _players_in(found))
    return getattr(found, name)


def _players_in(module: ModuleType) -> list[str]:
    """Return the names of the players that a module defines; without ``__all__``, classes that it imports are left out."""
    if hasattr(module, "__all__"):
        return [name for name in module.__all__ if hasattr(getattr(module, name, None), "choose")]
    players = [(name, thing) for name, thing in vars(module).items() if hasattr(thing, "choose")]
    return [name for name, thing in players if not isinstance(thing, type) or thing.__module__ == module.__name__]


def _module_by_name(name: str) -> ModuleType:
    try:
        spec = find_spec(name)
    except (ImportError, ValueError):
        spec = None
    if spec is None:
        raise NotPossible(f"no player in {name}: no such module")
    with _blaming(name, spec.origin):
        return import_module(name)


def _module_of_file(path: str) -> ModuleType:
    try:
        stamp = Path(path).stat().st_mtime_ns
    except OSError:
        stamp = 0
    if not Path(path).is_file():
        raise NotPossible(f"no player in {path}: no file {path}")
    return _executed(str(Path(path).resolve()), stamp)


@cache
def _executed(path: str, stamp: int) -> ModuleType:
    """Run a player's file, once in a process as long as nobody changes it."""
    name = f"meldlab_player_{Path(path).stem}_{crc32(path.encode()):08x}"
    spec = spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = module_from_spec(spec)
    with _blaming(Path(path).name, path):
        spec.loader.exec_module(module)
    return module


@contextmanager
def _blaming(what: str, file: str | None) -> Iterator[None]:
    """Say in one line, with the place in the file, what a player's own code raises; what it raised is the cause."""
    try:
        yield
    except (Exception, SystemExit, GeneratorExit) as problem:
        raise NotLegalHere(f"{line_in(file, problem) or what}: {said(problem)}") from problem


def _seat(found: Any, text: str) -> Seated:
    file = getattr(sys.modules.get(getattr(found, "__module__", "")), "__file__", None)
    with _blaming(_first_line(found, text), file):
        player = found() if isinstance(found, type) else found
        choose, name = getattr(player, "choose", None), getattr(player, "name", "player")
    if not callable(choose):
        raise NotLegalHere(f"{text} cannot play: it has no method choose(view, chance)")
    for parent in map(__getattr__, BUILT_IN_PLAYERS):
        # Its constructor has set the parent's name: a class that plays otherwise goes by its own.
        if isinstance(player, parent) and type(player) is not parent and name == parent.name:
            name = vars(type(player)).get("name", "player")
    if not isinstance(name, str) or not name.strip() or not name.isprintable():
        raise NotLegalHere(f"{text} cannot play: its name is {text_of(name)!r} and not a line of text")
    if name == "player":
        name = text
    if name != getattr(player, "name", None):
        try:
            object.__setattr__(player, "name", name)
        except AttributeError:
            raise NotLegalHere(f"{text} cannot play: it has no name, and none can be given to it") from None
    return player  # type: ignore[no-any-return]


def _first_line(found: Any, text: str) -> str:
    """Return where the constructor of a class is written, for mistakes in calling it; or what the class was asked for as."""
    code = getattr(getattr(found, "__init__", None), "__code__", None)
    return f"{Path(code.co_filename).name}:{code.co_firstlineno}" if code else text
