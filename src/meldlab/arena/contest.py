"""Games between players of any game, counted: one meaning of a win, one way to an interval.

Every deal is played once for each way to seat the players, by the kernel of the game where it has one that plays them all, else at the
table. A deal with all its games is one observation.

>>> from meldlab.gin import Gin
>>> found = contest(Gin(), ["simple", "random"], games=20, seed=1)
>>> found.wins(0), found.rate(0).low > 0.5
(20.0, True)
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import lcm
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from meldlab.arena.processes import Keep, Series
from meldlab.arena.seating import seatings
from meldlab.chance import check_seed
from meldlab.errors import whole_number
from meldlab.formatting import html_table
from meldlab.games import player_of
from meldlab.parallel import chunks
from meldlab.play import Batch, Count, Deal, Game, Player, TimeLimit
from meldlab.statistics import Interval, Moments, sign_test

__all__ = ["Contest", "Trouble", "contest"]

FEW = 5  # troubles that are told one by one
CHUNK, PIECE = 64, 1.0  # deals that the kernel plays first, and seconds that it may take for the following ones
MANY = 256  # pieces that wait to be joined
Ways = Sequence[tuple[int, ...]]
NOTHING = Keep(0, lambda record: None)


class Trouble(NamedTuple):
    """Games that did not end by their rules, all for one reason; ``player`` forfeited them, or nobody did (None)."""

    why: str
    player: int | None
    games: int
    first: int
    """The number of the first of them: of each deal there are as many games as seatings."""


@dataclass(frozen=True, eq=False)
class Contest:
    """What came of deals, each played once for each seating; contests of the same players on other deals can be joined."""

    game: str
    players: tuple[str, ...]
    ways: tuple[tuple[int, ...], ...]
    counts: Mapping[str, Count]
    moments: Moments
    """Over deals, of the ``columns``, in fractions of ``unit``: whole numbers, whose sums do not depend on how the work was cut."""
    won: NDArray[np.float64]
    """[deals, players], wins of each deal."""
    troubles: tuple[Trouble, ...] = ()
    seconds: float = 0.0
    lowest_wins: bool = False

    @classmethod
    def of(cls, game: Game[Any], players: Sequence[str], ways: Ways, batches: Sequence[Batch], first: int = 0) -> "Contest":
        """Return what deals ``first`` and following came to, a batch for each way."""
        # A kernel may count more than the table can.
        declared = {name: how for name, how in getattr(game, "counts", {}).items() if name in batches[0].counts}
        at = columns(len(players), declared)
        sums = np.zeros((len(batches[0].wins), len(at)))
        sums[:, 0] = len(ways)
        found: dict[tuple[str, int | None], Trouble] = {}
        for number, (way, batch) in enumerate(zip(ways, batches, strict=True)):
            for seat, player in enumerate(way):
                sums[:, at["wins", player]] += batch.wins[:, seat]
                sums[:, at["scores", player]] += batch.scores[:, seat] / way.count(player)
            for name, count in declared.items():
                for seat, player in enumerate(way if count.by_seat else (0,)):
                    sums[:, at[name, player]] += batch.counts[name][:, seat] if count.by_seat else batch.counts[name]
            for deal, why in batch.abnormal_ends.items():
                _add(found, Trouble(why, _who(why, way), 1, deal * len(ways) + number))
        won = sums[:, 1 : 1 + len(players)].copy()
        moments = Moments.from_counts(np.rint(sums * unit_of(ways)).astype(np.int64))
        lowest: bool = getattr(game, "lowest_wins", False)
        return cls(game.name, tuple(players), tuple(ways), declared, moments, won, tuple(found.values()), lowest_wins=lowest)

    @classmethod
    def joined(cls, parts: Sequence["Contest"]) -> "Contest":
        """Return what contests of the same players on different deals add up to."""
        found, moments = dict[tuple[str, int | None], Trouble](), parts[0].moments
        for part in parts[1:]:
            moments += part.moments
        for trouble in (trouble for part in parts for trouble in part.troubles):
            _add(found, trouble)
        won, seconds = np.concatenate([part.won for part in parts]), sum(part.seconds for part in parts)
        return replace(parts[0], moments=moments, won=won, troubles=tuple(found.values()), seconds=seconds)

    @property
    def deals(self) -> int:
        """Return how many deals were played."""
        return self.moments.clusters

    @property
    def games(self) -> int:
        """Return how many games were played."""
        return self.deals * len(self.ways)

    @property
    def seats(self) -> tuple[int, ...]:
        """Return at how many seats each player sits."""
        return tuple(self.ways[0].count(player) for player in range(len(self.players)))

    @property
    def fair(self) -> tuple[float, ...]:
        """Return the share of wins that chance alone would give each player."""
        return tuple(many / sum(self.seats) for many in self.seats)

    def wins(self, player: int = 0) -> float:
        """Return the games that a player won, a shared one in part; a player at several seats has the wins of all."""
        return float(self.moments.sums[self._at("wins", player)] / unit_of(self.ways))

    @property
    def drawn(self) -> int:
        """Return how many games nobody won."""
        return self.games - round(sum(map(self.wins, range(len(self.players)))))

    def rate(self, player: int = 0) -> Interval:
        """Return the share of games that a player won."""
        return self.moments.rate(self._at("wins", player), 0)

    def score(self, player: int = 0) -> Interval:
        """Return the mean score of a seat of a player."""
        return self.moments.mean(self._at("scores", player), 0)

    @property
    def lead(self) -> Interval:
        """Return how much better a seat of the first player scores than the others do in the mean: more, or less where the lowest wins."""
        weights = np.zeros(len(self.moments.sums))
        others = sum(self.seats[1:])
        for player, many in enumerate(self.seats):
            weights[self._at("scores", player)] = (1 if player == 0 else -many / others) * (-1 if self.lowest_wins else 1)
        both = np.stack([np.eye(len(weights))[0], weights])
        return Moments(self.deals, both @ self.moments.sums, both @ self.moments.products @ both.T).mean(1, 0)

    def total(self, name: str, player: int = 0) -> int:
        """Return how often something was counted that the game counts."""
        return int(self.moments.sums[self._at(name, player)] // unit_of(self.ways))

    def count(self, name: str, player: int = 0) -> Interval:
        """Return such a count per game, or per whatever the game says."""
        how = self.counts[name]
        under = 0 if how.per == "games" else self._at(how.per, 0)
        return (self.moments.rate if how.rate else self.moments.mean)(self._at(name, player), under)

    @property
    def ahead(self) -> tuple[int, int]:
        """Return in how many deals the first player had more than its share of the wins, and less."""
        more = self.won[:, 0] - self.fair[0] * self.won.sum(1)
        return int((more > 1e-9).sum()), int((more < -1e-9).sum())

    @property
    def sign_test(self) -> float | None:
        """Return the exact p-value of the deals in which the first player was ahead or behind; None where chance favours one of the two."""
        even = len(self.ways) > 1 and self.fair[0] == 0.5
        return sign_test(*self.ahead) if even else None

    def forfeits(self, player: int | None) -> int:
        """Return how many games a player forfeited; of None, those that did not end by their rules for another reason."""
        return sum(one.games for one in self.troubles if one.player == player)

    def as_json(self) -> dict[str, object]:
        """Return the answer of the command line."""
        rows = []
        for player, name in enumerate(self.players):
            rate, score = self.rate(player), self.score(player)
            row = {"player": name, "seats": self.seats[player], "wins": self.wins(player), "win_rate": rate.value, "ci95": rate.ends}
            row |= {"fair_share": self.fair[player], "score": score.value, "score_ci95": score.ends, "forfeits": self.forfeits(player)}
            rows.append({**row, **self._counted(True, player)})
        lead = {"score_lead": self.lead.value, "score_lead_ci95": self.lead.ends} if len(self.players) > 1 else {}
        often = sorted(self.troubles, key=lambda one: (-one.games, one.first))[:FEW]
        return {
            "game": self.game,
            "games": self.games,
            "deals": self.deals,
            "players": rows,
            "drawn": self.drawn,
            "deals_ahead": self.ahead[0],
            "deals_behind": self.ahead[1],
            "sign_test_p": self.sign_test,
            **lead,
            **self._counted(False, 0),
            "unended": self.forfeits(None),
            "troubles": [{"games": one.games, "first_game": one.first, "why": one.why.splitlines()[0]} for one in often],
            "seconds": self.seconds,
            "games_per_second": self.games / max(self.seconds, 1e-9),
        }

    def _repr_html_(self) -> str:
        rows = [
            (name, self.seats[player], self.rate(player), f"{self.fair[player]:.3f}", self.score(player))
            for player, name in enumerate(self.players)
        ]
        drawn = f", {self.drawn:,} without a winner" if self.drawn else ""
        return html_table(
            ["player", "seats", "won", "by chance", "score"], rows, f"{self.game}: {self.games:,} games, {self.deals:,} deals{drawn}"
        )

    def _counted(self, by_seat: bool, player: int) -> dict[str, object]:
        found: dict[str, object] = {}
        for name, how in self.counts.items():
            if how.by_seat == by_seat:
                each, key = self.count(name, player), f"{name}_per_{how.per[:-1]}"
                found |= {name: self.total(name, player), key: each.value, f"{key}_ci95": each.ends}
        return found

    def _at(self, name: str, player: int) -> int:
        return columns(len(self.players), self.counts)[name, player]


def unit_of(ways: Ways) -> int:
    """Return the unit of the moments: a win is shared by some of the seats, a score by the seats of a player.

    >>> unit_of([(0, 1, 2), (1, 2, 0), (2, 0, 1)])
    6
    """
    return lcm(*range(1, len(ways[0]) + 1))


def columns(players: int, counts: Mapping[str, Count]) -> dict[tuple[str, int], int]:
    """Return what is counted for each deal, by name and player, with its column; what nobody owns is under player 0.

    >>> columns(2, {"rounds": Count()})
    {('games', 0): 0, ('wins', 0): 1, ('wins', 1): 2, ('scores', 0): 3, ('scores', 1): 4, ('rounds', 0): 5}
    """
    names = [("games", 0), *product(("wins", "scores"), range(players))]
    names += [(name, player) for name, how in counts.items() for player in range(players if how.by_seat else 1)]
    return {name: at for at, name in enumerate(names)}


def contest(
    game: Game[Any],
    players: Sequence[str | Player[Any, Any]],
    games: int,
    seed: int = 0,
    *,
    turning: bool = True,
    threads: int = 0,
    time_limit: TimeLimit = TimeLimit(),  # noqa: B008  # frozen, so sharing it is harmless
    raise_errors: bool = False,
    progress: Callable[[int], None] = lambda games: None,
    keep: Keep = NOTHING,
) -> Contest:
    """Play ``games`` games, rounded up to whole deals, each of which is played once for each seating.

    Without ``turning`` each deal is played once, and the players are told apart by their seats.

    Where the kernel of the game does not play all of them, players sit at the table, on ``threads`` cores (0 is all); there these are
    processes, each with players of its own, so a player that learns is measured on one. Only players by name can sit in processes, which
    can be stopped; under a time limit they do. ``raise_errors`` raises players' errors. ``progress`` gets the number of finished games.

    ``keep`` gets the records of the first games. The kernel writes none, so these are played at the table, too, where they are the same.
    """
    number, many = check_seed(seed), whole_number(games, "number of games", 1)
    ways = seatings(game, len(players))[: None if turning else 1]
    deals = -(-many // len(ways))
    found = [player_of(game, one) if isinstance(one, str) else one for one in players]
    names = [one.name if turning else f"p{seat} {one.name}" for seat, one in enumerate(found, 1)]
    seated = [[found[player] for player in way] for way in ways]
    can_batch: Callable[[Sequence[Any]], bool] = getattr(game, "can_batch", lambda players: False)
    series = Series(game, tuple(players), tuple(ways), number, time_limit, min(keep.games, deals * len(ways)))
    played: Iterator[tuple[int, list[Batch]]]
    if can_batch(seated[0]) and not time_limit and not raise_errors:
        tables = series.tables(found)
        for nth in range(series.kept):
            keep.take(tables[nth % len(ways)].play(Deal(number, nth // len(ways))).record)
        played = _by_kernel(game, seated, number, deals, threads)
    else:
        played = series.batches(found, deals, threads, keep.take, raise_errors=raise_errors)
    start, parts, done = time.perf_counter(), list[Contest](), 0
    for first, batches in played:
        parts.append(Contest.of(game, names, ways, batches, first))
        done += parts[-1].games
        progress(done)
        if len(parts) == MANY:
            parts = [Contest.joined(parts)]
    return replace(Contest.joined(parts), seconds=time.perf_counter() - start)


def _by_kernel(game: Any, seated: Sequence[Sequence[Any]], seed: int, deals: int, threads: int) -> Iterator[tuple[int, list[Batch]]]:
    for first, many in chunks(deals, CHUNK, PIECE):
        yield first, [game.batch(players, seed, first, many, threads) for players in seated]


def _who(why: str, way: tuple[int, ...]) -> int | None:
    """Return the player who forfeits by such a line."""
    seat, _, rest = why.partition(" forfeits")
    return way[int(seat[1:]) - 1] if rest and seat[1:].isdecimal() else None


def _add(found: dict[tuple[str, int | None], Trouble], one: Trouble) -> None:
    key = one.why, one.player
    before = found.get(key)
    found[key] = one if before is None else Trouble(*key, before.games + one.games, min(before.first, one.first))
