"""Everyone who can sit down at the gin table, by name.

>>> [parse(text).name for text in ("simple", "knock:10,0,6", "ensemble:shipped", "mc:128")]
['simple', 'knock:10,0,6', 'ensemble:shipped', 'mc:128']
"""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from meldlab.errors import NoSuchThing, NotLegalHere
from meldlab.gin.move import Move
from meldlab.gin.players.computed import ComputedPlayer
from meldlab.gin.players.ensemble import Ensemble, EnsemblePlayer, Thoughts
from meldlab.gin.players.light import LightPlayer
from meldlab.gin.players.montecarlo import MonteCarloPlayer
from meldlab.gin.players.player import GinPlayer
from meldlab.gin.players.simple import SimplePlayer
from meldlab.gin.view import View
from meldlab.play import Player, RandomPlayer

__all__ = [
    "ComputedPlayer",
    "Ensemble",
    "EnsemblePlayer",
    "GinPlayer",
    "LightPlayer",
    "MonteCarloPlayer",
    "SimplePlayer",
    "Thoughts",
    "names",
    "parse",
]

GROUP = "meldlab.players"
BUILT_IN_PLAYERS = (SimplePlayer, EnsemblePlayer, LightPlayer, ComputedPlayer, MonteCarloPlayer)
Seated = Player[View, Move]


def names() -> list[str]:
    """Return how players are called, those from other packages included."""
    return [*(form for form, _ in BUILT_IN.values()), *sorted(point.name for point in entry_points(group=GROUP)), "FILE.py:CLASS"]


def parse(text: str) -> Seated:
    """Return the player of a name: a built-in one, an entry point of the group ``meldlab.players``, or a class in a file or module."""
    word = text.partition(":")[0]
    if word in BUILT_IN:
        return BUILT_IN[word][1](text)
    for point in entry_points(group=GROUP, name=text):
        return _seat(point.load(), text)
    module, _, name = text.rpartition(":")
    if module and name.isidentifier():
        return _seat(_load(module, name), text)
    raise NoSuchThing("player", text, names())


def _random(text: str) -> Seated:
    if text != "random":
        raise NoSuchThing("player", text, names())
    return RandomPlayer()


def _simple(text: str) -> Seated:
    if text.startswith(("simple:", "gin-only:")):
        raise NoSuchThing("player", text, names())
    return SimplePlayer.parse(text)


def _computed(text: str) -> Seated:
    return LightPlayer.parse(text) if LightPlayer.knows(text) else ComputedPlayer.parse(text)


BUILT_IN: Mapping[str, tuple[str, Callable[[str], Seated]]] = {
    "random": ("random", _random),
    "simple": ("simple", _simple),
    "gin-only": ("gin-only", _simple),
    "knock": ("knock:EARLY,LATE,TURN", _simple),
    "mc": ("mc:N", MonteCarloPlayer.parse),
    "ensemble": ("ensemble[:best|paper|shipped|base|text|FILE.toml]", EnsemblePlayer.parse),
    "computed": ("computed:light|light-ensemble|DIR", _computed),
}


def _load(module: str, name: str) -> Any:
    try:
        found = _module_of_file(module) if module.endswith(".py") else import_module(module)
    except ImportError as problem:
        raise NotLegalHere(f"no player in {module}: {problem}") from None
    if not hasattr(found, name):
        raise NoSuchThing(f"player in {module}", name, [each for each, value in vars(found).items() if hasattr(value, "choose")])
    return getattr(found, name)


def _module_of_file(path: str) -> ModuleType:
    if not Path(path).is_file():
        raise ImportError(f"no file {path}")
    name = f"meldlab_player_{Path(path).stem}"
    spec = spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _seat(found: Any, text: str) -> Seated:
    player = found() if isinstance(found, type) else found
    if not hasattr(player, "choose"):
        raise NotLegalHere(f"{text} cannot play: it has no method choose(view, chance)")
    name = getattr(player, "name", "player")
    for parent in BUILT_IN_PLAYERS:
        # Its constructor has set the parent's name: a class that plays otherwise goes by its own.
        if isinstance(player, parent) and type(player) is not parent and name == parent.name:
            name = vars(type(player)).get("name", "player")
    if name == "player":
        name = text
    if name != getattr(player, "name", None):
        object.__setattr__(player, "name", name)
    return player  # type: ignore[no-any-return]
