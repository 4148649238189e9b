"""Who may be played against: names of the house; a name that would read a file is none of them."""

from typing import Any

from meldlab.errors import NoSuchThing

OPPONENTS: dict[str, tuple[str, ...]] = {
    "gin": (
        "random",
        "simple",
        "ensemble:paper",
        "ensemble:best",
        "marjj",
        "computed:light",
        "computed:light-ensemble",
        "specialist",
        "champion",
        "mc:16",
        "mc:64",
    ),
    "recycle": ("random", "mcts:20", "mcts:100", "ismcts:100", "pimc:20"),
}


def check_opponent(kind: str, name: str) -> None:
    """Raise NoSuchThing for a name that is none of the house's.

    >>> check_opponent("gin", "own.py:Player")
    Traceback (most recent call last):
        ...
    meldlab.errors.NoSuchThing: no opponent 'own.py:Player' (use random, simple, ensemble:paper, ensemble:best, marjj, \
computed:light, computed:light-ensemble, specialist, champion, mc:16, mc:64)
    """
    if name not in OPPONENTS[kind]:
        raise NoSuchThing("opponent", name, OPPONENTS[kind])


def opponent(game: Any, kind: str, name: str) -> Any:
    """Return a player of the house by its name in a record, which may come from anywhere; what a worker does."""
    from meldlab.games import parse_player

    check_opponent(kind, name)
    return parse_player(game, name)
