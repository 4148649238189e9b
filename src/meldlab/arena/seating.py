"""Who sits where: every deal is played once for each way to seat the players.

>>> from meldlab.gin import Gin
>>> seatings(Gin(), 2)
[(0, 1), (1, 0)]
"""

from typing import Any

from meldlab.errors import NotLegalHere
from meldlab.play import Game

__all__ = ["seatings"]


def seatings(game: Game[Any], players: int) -> list[tuple[int, ...]]:
    """Return the different ways to seat the players, by turning the table; each is the number of a player for every seat.

    The last player takes the seats that are left; where there are as many players as teams, each plays for a team.

    >>> from meldlab.recycle.game import Described
    >>> seatings(Described.named("hearts"), 2)
    [(0, 1, 1, 1), (1, 0, 1, 1), (1, 1, 0, 1), (1, 1, 1, 0)]
    >>> seatings(Described.named("whist"), 2)
    [(0, 1, 0, 1), (1, 0, 1, 0)]
    """
    seats = max(game.seats[0], min(players, game.seats[-1]))
    if not 1 <= players <= seats:
        raise NotLegalHere(f"{players} players for {seats} seats")
    first = [min(seat, players - 1) for seat in range(seats)]
    teams: tuple[int, ...] = getattr(game, "teams", ())
    if set(teams) == set(range(players)):
        first = list(teams)
    turns = (tuple(first[(seat - turn) % seats] for seat in range(seats)) for turn in range(seats))
    return list(dict.fromkeys(turns))
