"""Players of gin, by name.

>>> [parse(text).name for text in ("simple", "knock:10,0,6", "ensemble:shipped", "mc:128")]
['simple', 'knock:10,0,6', 'ensemble:shipped', 'mc:128']
"""

from collections.abc import Callable, Mapping
from pathlib import Path

from meldlab.digests import PACKAGE
from meldlab.errors import NoSuchThing
from meldlab.gin.move import Move
from meldlab.gin.players.computed import ComputedPlayer
from meldlab.gin.players.ensemble import Belief, Ensemble, EnsemblePlayer
from meldlab.gin.players.loading import entry_point_names, load_player, player_files
from meldlab.gin.players.marjj import MarjjPlayer
from meldlab.gin.players.montecarlo import MonteCarloPlayer
from meldlab.gin.players.player import Drop, GinPlayer, KernelPlayer, MoveValue
from meldlab.gin.players.policy import PolicyPlayer
from meldlab.gin.players.search import SearchPlayer
from meldlab.gin.players.simple import SimplePlayer
from meldlab.gin.players.value_network import LightPlayer
from meldlab.gin.view import View
from meldlab.play import Player, RandomPlayer

__all__ = [
    "Belief",
    "ComputedPlayer",
    "Drop",
    "Ensemble",
    "EnsemblePlayer",
    "GinPlayer",
    "KernelPlayer",
    "LightPlayer",
    "MarjjPlayer",
    "MonteCarloPlayer",
    "MoveValue",
    "PolicyPlayer",
    "SearchPlayer",
    "SimplePlayer",
    "files_of",
    "names",
    "parse",
]


def names() -> list[str]:
    """Return the names of players, those from other packages included."""
    return [*(form for form, _ in BUILT_IN.values() if form), *entry_point_names(), "FILE.py:CLASS"]


def parse(text: str) -> Player[View, Move]:
    """Return the player of a name: a built-in one, an entry point of the group ``meldlab.players``, or a class in a file or module."""
    word = text.partition(":")[0]
    player = BUILT_IN[word][1](text) if word in BUILT_IN else load_player(text)
    if player is None:
        raise NoSuchThing("player", text, names())
    return player


def files_of(text: str) -> list[Path]:
    """Return the files and folders outside the package that ``parse`` reads for a name; of a module its one file, not its imports.

    >>> files_of("ensemble:paper"), files_of("network:light"), [path.name for path in files_of("json.decoder:JSONDecoder")]
    ([], [], ['decoder.py'])
    """
    word, _, rest = text.partition(":")
    if word == "ensemble":
        path = EnsemblePlayer.file_of(text)
    elif word in ("network", "tables", "computed"):
        path = Path(rest) if rest and (rest.endswith(".npz") or not LightPlayer.knows(text)) else None
    elif word in BUILT_IN:
        path = None
    else:
        return [path for path in player_files(text) if path.exists()]
    return [path] if path and path.exists() and PACKAGE not in path.resolve().parents else []


def _random(text: str) -> Player[View, Move]:
    if text != "random":
        raise NoSuchThing("player", text, names())
    return RandomPlayer()


def _simple(text: str) -> Player[View, Move]:
    if text.startswith(("simple:", "gin-only:")):
        raise NoSuchThing("player", text, names())
    return SimplePlayer.parse(text)


def _network(text: str) -> Player[View, Move]:
    return PolicyPlayer.parse(text) if text.endswith(".npz") and not LightPlayer.knows(text) else LightPlayer.parse(text)


def _computed(text: str) -> Player[View, Move]:
    """Read the former name of networks and tables, which records and runs hold."""
    return _network(text) if text.endswith(".npz") or LightPlayer.knows(text) else ComputedPlayer.parse(text)


def _champion(text: str) -> Player[View, Move]:
    return PolicyPlayer.parse(text) if text == "champion" else SearchPlayer.parse(text)


BUILT_IN: Mapping[str, tuple[str, Callable[[str], Player[View, Move]]]] = {
    "random": ("random", _random),
    "simple": ("simple", _simple),
    "gin-only": ("gin-only", _simple),
    "knock": ("knock:EARLY,LATE,TURN", _simple),
    "marjj": ("marjj[:paper]", MarjjPlayer.parse),
    "mc": ("mc:N", MonteCarloPlayer.parse),
    "ensemble": ("ensemble[:best|paper|shipped|base|text|FILE.toml]", EnsemblePlayer.parse),
    "champion": ("champion[:search:N]", _champion),
    "specialist": ("specialist", PolicyPlayer.parse),
    "network": ("network:light|light-ensemble|light-pool|FILE.npz", _network),
    "tables": ("tables:DIR", ComputedPlayer.parse),
    "computed": ("", _computed),
}
