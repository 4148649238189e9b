"""The library: games written in RECYCLE from their rules, each naming where those are.

>>> from meldlab.recycle import library
>>> library.names()[:3]
('blackjack', 'block_rummy', 'crazy_eights')
>>> library.entry("kuhn_poker")  # doctest: +ELLIPSIS
Entry(name='kuhn_poker', title='Kuhn Poker', players=2, rules='H. W. Kuhn, "A simplified two-person poker", ...')
"""

from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path

from meldlab.errors import NoSuchThing, NotLegalHere

__all__ = ["Entry", "cases", "entry", "load", "names", "template"]

_HERE = files(__name__)


@dataclass(frozen=True)
class Entry:
    """A game of the library; title, players and source of the rules are the first three comments of its text."""

    name: str
    title: str
    players: int
    rules: str
    text: str = field(repr=False)


def names() -> tuple[str, ...]:
    """Return the names of all games, sorted."""
    return tuple(sorted(file.name.removesuffix(".rcy") for file in _HERE.iterdir() if file.name.endswith(".rcy")))


def entry(name: str) -> Entry:
    """Return the game of that name.

    >>> entry("harts")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    meldlab.errors.NoSuchThing: no game 'harts' (use blackjack, ...); did you mean hearts?
    """
    if name not in names():
        raise NoSuchThing("game", name, names())
    text = (_HERE / f"{name}.rcy").read_text(encoding="utf-8")
    title, players, rules = (line.removeprefix(";;").strip() for line in text.splitlines()[:3])
    return Entry(name, title, int(players.removeprefix("Players:")), rules.removeprefix("Rules:").strip(), text)


def cases(name: str) -> str:
    """Return the cases of a game, from its rules, as ``recycle verify`` reads them.

    >>> cases("kuhn_poker").count("[[case]]")
    5
    """
    known = sorted(file.name.removesuffix(".toml") for file in (_HERE / "cases").iterdir())
    if name not in known:
        raise NoSuchThing("cases in the library for", name, known)
    return (_HERE / "cases" / f"{name}.toml").read_text(encoding="utf-8")


def template(title: str) -> str:
    """Return a complete small game to begin with, each part of it explained.

    >>> template("My Game").splitlines()[0]
    ';; My Game'
    """
    return (_HERE / "template.txt").read_text(encoding="utf-8").replace("TITLE", title, 1)


def load(name: str) -> tuple[str, str]:
    """Return name and text of a game: a file by its path, or a game of the library by its name."""
    path = Path(name)
    if path.suffix in (".rcy", ".gdl", ".txt") or path.is_file():
        try:
            content = path.read_bytes()
        except OSError as error:
            raise NotLegalHere(f"cannot read {name}: {error.strerror}") from None
        if b"\0" in content:
            raise NotLegalHere(f"expected a text, got a binary file: {name}")
        # Only comments can hold anything beyond ASCII, so what they mean elsewhere does not matter.
        return path.stem, content.decode("utf-8-sig", "replace")
    return name, entry(name).text
