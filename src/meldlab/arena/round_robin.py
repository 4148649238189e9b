"""All against all: a contest of every two players on the same deals, and the ratings that explain them.

>>> from meldlab.gin import Gin
>>> robin = all_against_all(Gin(), ["simple", "ensemble", "gin-only"], games=1000, seed=2)
>>> [one.name for one in robin.ratings.players], robin.ratings.cycle
(['ensemble', 'gin-only', 'simple'], ())
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from meldlab.arena.contest import NOTHING, Contest, contest
from meldlab.arena.processes import Keep
from meldlab.arena.seating import seatings
from meldlab.errors import NotLegalHere
from meldlab.formatting import html_table
from meldlab.play import Game, TimeLimit
from meldlab.statistics import Ratings, bradley_terry

__all__ = ["RoundRobin", "all_against_all"]


@dataclass(frozen=True)
class RoundRobin:
    """The contests of all pairs, and the ratings."""

    players: tuple[str, ...]
    contests: tuple[Contest, ...]
    ratings: Ratings

    def as_json(self) -> dict[str, object]:
        """Return the answer of the command line."""
        worst = self.ratings.misfit
        misfit = {
            "players": [worst.first, worst.second],
            "win_rate": worst.played.value,
            "ci95": worst.played.ends,
            "by_ratings": worst.expected,
            "significant": worst.significant,
        }
        return {
            "game": self.contests[0].game,
            "players": list(self.players),
            "ratings": [{"player": one.name, "rating": one.points.value, "ci95": one.points.ends} for one in self.ratings.players],
            "misfit": misfit,
            "cycle": list(self.ratings.cycle),
            "contests": [each.as_json() for each in self.contests],
        }

    def _repr_html_(self) -> str:
        won = {(each.players[at], each.players[1 - at]): each.rate(at) for each in self.contests for at in (0, 1)}
        names = [one.name for one in self.ratings.players]
        rows = list[list[object]]()
        for one in self.ratings.players:
            rated = f"{one.points.value:+.0f} ({one.points.low:+.0f} to {one.points.high:+.0f})"
            rows.append([one.name, rated, *("" if other == one.name else won[one.name, other] for other in names)])
        says = f"{self.contests[0].game}, {self.contests[0].games:,} games of every two: share won by the player of the row"
        return html_table(["player", "rating", *names], rows, says)


def all_against_all(
    game: Game[Any],
    players: Sequence[str],
    games: int,
    seed: int = 0,
    *,
    threads: int = 0,
    time_limit: TimeLimit = TimeLimit(),  # noqa: B008  # frozen, so sharing it is harmless
    raise_errors: bool = False,
    progress: Callable[[int], None] = lambda games: None,
    keep: Keep = NOTHING,
) -> RoundRobin:
    """Play ``games`` games between every two players, all on the same deals; ``keep`` gets the records of the first of every two."""
    if len(set(players)) != len(players):
        raise NotLegalHere("a player cannot be rated against itself")
    if len(players) < 2:
        raise NotLegalHere("all against all takes two players or more")
    if len({seatings(game, 2)[0].count(player) for player in range(2)}) > 1:
        raise NotLegalHere(f"all against all needs sides of the same size; {game.name} has {game.seats[0]} seats and no two teams")
    found, before = list[Contest](), 0
    for pair in combinations(players, 2):
        found.append(
            contest(
                game,
                pair,
                games,
                seed,
                threads=threads,
                time_limit=time_limit,
                raise_errors=raise_errors,
                progress=lambda done, before=before: progress(before + done),  # type: ignore[misc]
                keep=keep,
            )
        )
        before += found[-1].games
    won = {pair: each.won for pair, each in zip(combinations(range(len(players)), 2), found, strict=True)}
    return RoundRobin(tuple(players), tuple(found), bradley_terry(players, won))
