"""Round robins: a contest of every two players on the same deals, and their ratings.

>>> from meldlab.gin import Gin
>>> robin = round_robin(Gin(), ["simple", "ensemble", "gin-only"], games=1000, seed=2)
>>> [player.name for player in robin.ratings.players], robin.ratings.cycle
(['ensemble', 'gin-only', 'simple'], ())
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from meldlab.arena.contest import NO_RECORDS, ContestResult, play_contest, seatings
from meldlab.arena.processes import RecordSink
from meldlab.errors import NotLegalHere
from meldlab.formatting import html_table
from meldlab.parallel import Progress, no_progress
from meldlab.play import Game, TimeLimit
from meldlab.statistics import Ratings, bradley_terry


@dataclass(frozen=True)
class RoundRobin:
    """The contests of all pairs, and the ratings."""

    players: tuple[str, ...]
    contests: tuple[ContestResult, ...]
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
            "ratings": [{"player": row.name, "rating": row.points.value, "ci95": row.points.ends} for row in self.ratings.players],
            "misfit": misfit,
            "cycle": list(self.ratings.cycle),
            "contests": [contest.as_json() for contest in self.contests],
        }

    def _repr_html_(self) -> str:
        rates = {(contest.players[i], contest.players[1 - i]): contest.win_rate(i) for contest in self.contests for i in (0, 1)}
        names = [rating.name for rating in self.ratings.players]
        rows = list[list[object]]()
        for rating in self.ratings.players:
            rows.append([rating.name, rating.text, *("" if other == rating.name else rates[rating.name, other] for other in names)])
        caption = f"{self.contests[0].game}, {self.contests[0].games:,} games of every two: share won by the player of the row"
        return html_table(["player", "rating", *names], rows, caption)


def round_robin(
    game: Game[Any],
    players: Sequence[str],
    games: int,
    seed: int = 0,
    *,
    threads: int = 0,
    time_limit: TimeLimit = TimeLimit(),  # noqa: B008  # frozen, so sharing it is harmless
    raise_errors: bool = False,
    records: RecordSink = NO_RECORDS,
    progress: Progress = no_progress,
) -> RoundRobin:
    """Play ``games`` games between every two players, all on the same deals; ``records`` gets the first records of each pair."""
    if len(set(players)) != len(players):
        raise NotLegalHere("a player cannot be rated against itself")
    if len(players) < 2:
        raise NotLegalHere("a round robin takes two players or more")
    if len({seatings(game, 2)[0].count(player) for player in range(2)}) > 1:
        raise NotLegalHere(f"a round robin needs sides of the same size; {game.name} has {game.seats[0]} seats and no two teams")
    results, before, pairs = list[ContestResult](), 0, list(combinations(players, 2))
    for pair in pairs:
        results.append(
            play_contest(
                game,
                pair,
                games,
                seed,
                threads=threads,
                time_limit=time_limit,
                raise_errors=raise_errors,
                records=records,
                progress=lambda done, whole, text, before=before: progress(before + done, len(pairs) * whole, text),  # type: ignore[misc]
            )
        )
        before += games
    wins = {pair: result.wins_by_deal() for pair, result in zip(combinations(range(len(players)), 2), results, strict=True)}
    return RoundRobin(tuple(players), tuple(results), bradley_terry(players, wins))
