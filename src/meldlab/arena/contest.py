"""Contests between players of any game: each deal is played once per seating, and is one observation.

The kernel of the game plays where it can play all players; else the games are played at the table.

>>> from meldlab.gin import Gin
>>> result = play_contest(Gin(), ["simple", "random"], games=20, seed=1)
>>> result.wins(0), result.win_rate(0).low > 0.5
(20.0, True)
"""

import base64
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import lcm
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from meldlab.arena.processes import RecordSink, TableGames
from meldlab.chance import check_seed
from meldlab.errors import NotLegalHere, whole_number
from meldlab.formatting import html_table
from meldlab.parallel import Progress, chunks, no_progress
from meldlab.play import Batch, Count, Deal, Game, Player, TimeLimit
from meldlab.statistics import Interval, Moments, Score, sign_test

MAX_FAILURES = 5  # in an answer
FIRST_CHUNK, CHUNK_SECONDS = 64, 1.0  # deals that the kernel plays first, and the time of each later chunk
MAX_PARTS = 256  # chunks that wait to be joined
Seatings = Sequence[tuple[int, ...]]
Counts = dict[str, Any]  # plain JSON
NO_RECORDS = RecordSink(0, lambda record: None)


class Failure(NamedTuple):
    """Games that did not end by their rules, all for one reason; ``player`` forfeited them, or None if no player is the cause."""

    why: str
    player: int | None
    games: int
    first: int
    """The number of the first of these games; each deal has as many games as seatings."""


@dataclass(frozen=True, eq=False)
class ContestResult:
    """The result of deals, each played once per seating; results of the same players on different deals can be joined."""

    game: str
    players: tuple[str, ...]
    seatings: tuple[tuple[int, ...], ...]
    count_types: Mapping[str, Count]
    """Totals of the game's own counts, by name."""
    moments: Moments
    """Over deals, of the ``columns``, in fractions of ``unit``: integers, whose sums do not depend on how the deals were cut."""
    deal_wins: NDArray[np.uint32]
    """[deals, players], the wins of each deal in fractions of ``unit``."""
    failures: tuple[Failure, ...] = ()
    seconds: float = 0.0
    lowest_wins: bool = False

    @classmethod
    def from_batches(
        cls, game: Game[Any], players: Sequence[str], seatings: Seatings, batches: Sequence[Batch], first: int = 0
    ) -> "ContestResult":
        """Return the result of deals ``first`` and following from a batch for each seating."""
        # A kernel may count more than the table can.
        count_types = {name: kind for name, kind in getattr(game, "counts", {}).items() if name in batches[0].counts}
        index = columns(len(players), count_types)
        sums = np.zeros((len(batches[0].wins), len(index)))
        sums[:, 0] = len(seatings)
        failures: dict[tuple[str, int | None], Failure] = {}
        for number, (seating, batch) in enumerate(zip(seatings, batches, strict=True)):
            for seat, player in enumerate(seating):
                sums[:, index["wins", player]] += batch.wins[:, seat]
                sums[:, index["scores", player]] += batch.scores[:, seat] / seating.count(player)
            for name, count in count_types.items():
                for seat, player in enumerate(seating if count.by_seat else (0,)):
                    sums[:, index[name, player]] += batch.counts[name][:, seat] if count.by_seat else batch.counts[name]
            for deal, why in batch.abnormal_ends.items():
                _add_failure(failures, Failure(why, _forfeiting_player(why, seating), 1, deal * len(seatings) + number))
        integers = np.rint(sums * unit(seatings)).astype(np.int64)
        wins = integers[:, 1 : 1 + len(players)].astype(np.uint32)
        moments, reasons = Moments.from_counts(integers), tuple(failures.values())
        return cls(game.name, tuple(players), tuple(seatings), count_types, moments, wins, reasons, lowest_wins=game.lowest_wins)

    @classmethod
    def join(cls, parts: Sequence["ContestResult"]) -> "ContestResult":
        """Return the sum of results of the same players on different deals."""
        failures, moments = dict[tuple[str, int | None], Failure](), parts[0].moments
        for part in parts[1:]:
            moments += part.moments
        for failure in (failure for part in parts for failure in part.failures):
            _add_failure(failures, failure)
        wins, seconds = np.concatenate([part.deal_wins for part in parts]), sum(part.seconds for part in parts)
        return replace(parts[0], moments=moments, deal_wins=wins, failures=tuple(failures.values()), seconds=seconds)

    @classmethod
    def from_counts(cls, game: Game[Any], players: Sequence[str], parts: Iterable[Counts]) -> "ContestResult":
        """Return the result that the counts of tasks of these players add up to."""
        results, ways = list[ContestResult](), tuple(seatings(game, len(players)))
        for counts in parts:
            upper = np.triu_indices(len(counts["sums"]))
            products = np.zeros((len(counts["sums"]),) * 2, object)
            products[upper] = counts["products"]
            products.T[upper] = counts["products"]
            moments = Moments(counts["games"] // len(ways), np.array(counts["sums"], object), products)
            data = zlib.decompress(base64.b64decode(counts["deal_wins"]))
            item_size = len(data) // (len(players) * moments.clusters)
            wins = np.frombuffer(data, f"<u{item_size}").reshape(len(players), -1).T.astype(np.uint32)
            failures = tuple(Failure(*failure) for failure in counts["failures"])
            count_types = {
                name: kind for name, kind in getattr(game, "counts", {}).items() if not {name, kind.old_name}.isdisjoint(counts["counted"])
            }
            results.append(cls(game.name, tuple(players), ways, count_types, moments, wins, failures, 0.0, game.lowest_wins))
        return cls.join(results)

    def counts(self) -> Counts:
        """Return the result as plain JSON, as a task stores it."""
        dtype = np.min_scalar_type(self.deal_wins.max()).newbyteorder("<")
        counts: Counts = {
            "games": self.games,
            "counted": list(self.count_types),
            "sums": self.moments.sums.tolist(),
            "products": self.moments.products[np.triu_indices(len(self.moments.sums))].tolist(),
            "deal_wins": base64.b64encode(zlib.compress(self.deal_wins.T.astype(dtype).tobytes(), 1)).decode(),
            "failures": [list(failure) for failure in self.failures],
        }
        if len(self.seatings) == 2 and self.wins().is_integer():
            score = self.score()
            return {**counts, "wins": int(score.wins), "swept": score.swept}
        return {**counts, "score": self.win_rate().value}

    @property
    def deals(self) -> int:
        """Return the number of deals."""
        return self.moments.clusters

    @property
    def games(self) -> int:
        """Return the number of games."""
        return self.deals * len(self.seatings)

    @property
    def seats(self) -> tuple[int, ...]:
        """Return the number of seats of each player."""
        return tuple(self.seatings[0].count(player) for player in range(len(self.players)))

    @property
    def fair_share(self) -> tuple[float, ...]:
        """Return the expected share of wins of each player if all play alike."""
        return tuple(num_seats / sum(self.seats) for num_seats in self.seats)

    def wins(self, player: int = 0) -> float:
        """Return the games that a player won, shared ones in part, at all its seats."""
        return float(self.moments.sums[self._index("wins", player)] / unit(self.seatings))

    def wins_by_deal(self) -> NDArray[np.float64]:
        """Return [deals, players], the wins of each deal."""
        return self.deal_wins / unit(self.seatings)

    def score(self, player: int = 0) -> Score:
        """Return the score of a player, for two seatings."""
        if len(self.seatings) != 2:
            raise NotLegalHere(f"expected mirrored deals of two players, got {len(self.seatings)} seatings")
        swept = int((self.deal_wins[:, player] == 2 * unit(self.seatings)).sum())
        return Score(self.games, self.wins(player), swept)

    @property
    def drawn(self) -> int:
        """Return the number of games without a winner."""
        return self.games - round(sum(map(self.wins, range(len(self.players)))))

    def win_rate(self, player: int = 0) -> Interval:
        """Return the share of games that a player won."""
        return self.moments.rate(self._index("wins", player), 0)

    def mean_score(self, player: int = 0) -> Interval:
        """Return the mean score of a seat of a player."""
        return self.moments.mean(self._index("scores", player), 0)

    @property
    def score_margin(self) -> Interval:
        """Return by how much a seat of the first player scores better than the others do on average."""
        weights = np.zeros(len(self.moments.sums))
        others = sum(self.seats[1:])
        for player, num_seats in enumerate(self.seats):
            weights[self._index("scores", player)] = (1 if player == 0 else -num_seats / others) * (-1 if self.lowest_wins else 1)
        both = np.stack([np.eye(len(weights))[0], weights])
        return Moments(self.deals, both @ self.moments.sums, both @ self.moments.products @ both.T).mean(1, 0)

    def total(self, name: str, player: int = 0) -> int:
        """Return a total of what the game counts."""
        return int(self.moments.sums[self._index(name, player)] // unit(self.seatings))

    def count(self, name: str, player: int = 0) -> Interval:
        """Return such a count per game, or per unit of another count, as the game declares."""
        kind = self.count_types[name]
        under = 0 if kind.per == "games" else self._index(kind.per, 0)
        return (self.moments.rate if kind.rate else self.moments.mean)(self._index(name, player), under)

    @property
    def deals_ahead(self) -> tuple[int, int]:
        """Return the number of deals in which the first player won more than its share, and less."""
        wins = self.wins_by_deal()
        more = wins[:, 0] - self.fair_share[0] * wins.sum(1)
        return int((more > 1e-9).sum()), int((more < -1e-9).sum())

    @property
    def sign_test(self) -> float | None:
        """Return the exact p-value of ``deals_ahead``; None where the shares of the sides differ."""
        even = len(self.seatings) > 1 and self.fair_share[0] == 0.5
        return sign_test(*self.deals_ahead) if even else None

    def forfeits(self, player: int | None) -> int:
        """Return the number of games that a player forfeited; of None, those that failed for another reason."""
        return sum(failure.games for failure in self.failures if failure.player == player)

    def as_json(self) -> dict[str, object]:
        """Return the answer of the command line."""
        rows = []
        for player, name in enumerate(self.players):
            rate, score = self.win_rate(player), self.mean_score(player)
            row = {"player": name, "seats": self.seats[player], "wins": self.wins(player), "win_rate": rate.value, "ci95": rate.ends}
            row |= {"fair_share": self.fair_share[player], "score": score.value, "score_ci95": score.ends}
            rows.append({**row, "forfeits": self.forfeits(player), **self._counts_json(True, player)})
        margin = {"score_lead": self.score_margin.value, "score_lead_ci95": self.score_margin.ends} if len(self.players) > 1 else {}
        failures = sorted(self.failures, key=lambda failure: (-failure.games, failure.first))[:MAX_FAILURES]
        return {
            "game": self.game,
            "games": self.games,
            "deals": self.deals,
            "players": rows,
            "drawn": self.drawn,
            "deals_ahead": self.deals_ahead[0],
            "deals_behind": self.deals_ahead[1],
            "sign_test_p": self.sign_test,
            **margin,
            **self._counts_json(False, 0),
            "unended": self.forfeits(None),
            "failures": [{"games": row.games, "first_game": row.first, "why": row.why.splitlines()[0]} for row in failures],
            "seconds": self.seconds,
            "games_per_second": self.games / max(self.seconds, 1e-9),
        }

    @property
    def title(self) -> str:
        """Return the game and the number of games and deals."""
        drawn = f", {self.drawn:,} without a winner" if self.drawn else ""
        return f"{self.game}: {self.games:,} games, {self.deals:,} deals{drawn}"

    def rows(self) -> list[tuple[str, ...]]:
        """Return the win rate and the score of each player as a table, the headings first."""
        rows: list[tuple[str, ...]] = [("player", "seats", "won", "by chance", "score")]
        for player, name in enumerate(self.players):
            rate, score = self.win_rate(player), self.mean_score(player)
            rows.append((name, str(self.seats[player]), str(rate), f"{self.fair_share[player]:.3f}", str(score)))
        return rows

    def _repr_html_(self) -> str:
        headings, *rows = self.rows()
        return html_table(headings, rows, self.title)

    def _counts_json(self, by_seat: bool, player: int) -> dict[str, object]:
        answer: dict[str, object] = {}
        for name, kind in self.count_types.items():
            if kind.by_seat == by_seat:
                interval = self.count(name, player)
                for key in filter(None, (name, kind.old_name)):
                    rate = f"{key}_per_{kind.per[:-1]}"
                    answer |= {key: self.total(name, player), rate: interval.value, f"{rate}_ci95": interval.ends}
        return answer

    def _index(self, name: str, player: int) -> int:
        return columns(len(self.players), self.count_types)[name, player]


def seatings(game: Game[Any], num_players: int) -> list[tuple[int, ...]]:
    """Return the rotations of the table: the player of each seat.

    The last player takes the remaining seats; with as many players as teams, each plays for a team.

    >>> from meldlab.gin import Gin
    >>> from meldlab.recycle.game import RecycleGame
    >>> seatings(Gin(), 2)
    [(0, 1), (1, 0)]
    >>> seatings(RecycleGame.load("hearts"), 2)
    [(0, 1, 1, 1), (1, 0, 1, 1), (1, 1, 0, 1), (1, 1, 1, 0)]
    >>> seatings(RecycleGame.load("whist"), 2)
    [(0, 1, 0, 1), (1, 0, 1, 0)]
    """
    seats = max(game.seats[0], min(num_players, game.seats[-1]))
    if not 1 <= num_players <= seats:
        raise NotLegalHere(f"{num_players} players for {seats} seats")
    first = [min(seat, num_players - 1) for seat in range(seats)]
    teams: tuple[int, ...] = getattr(game, "teams", ())
    if set(teams) == set(range(num_players)):
        first = list(teams)
    turns = (tuple(first[(seat - turn) % seats] for seat in range(seats)) for turn in range(seats))
    return list(dict.fromkeys(turns))


def unit(seatings: Seatings) -> int:
    """Return the unit of the moments: wins are shared between seats, a score is the mean over the seats of a player.

    >>> unit([(0, 1, 2), (1, 2, 0), (2, 0, 1)])
    6
    """
    return lcm(*range(1, len(seatings[0]) + 1))


def columns(num_players: int, count_types: Mapping[str, Count]) -> dict[tuple[str, int], int]:
    """Return the columns of the moments by name and player; counts of the whole game are under player 0.

    >>> columns(2, {"rounds": Count()})
    {('games', 0): 0, ('wins', 0): 1, ('wins', 1): 2, ('scores', 0): 3, ('scores', 1): 4, ('rounds', 0): 5}
    """
    names = [("games", 0), *product(("wins", "scores"), range(num_players))]
    names += [(name, player) for name, kind in count_types.items() for player in range(num_players if kind.by_seat else 1)]
    return {name: index for index, name in enumerate(names)}


def play_contest(
    game: Game[Any],
    players: Sequence[str | Player[Any, Any]],
    games: int,
    seed: int = 0,
    *,
    first_deal: int = 0,
    mirrored: bool = True,
    threads: int = 0,
    time_limit: TimeLimit = TimeLimit(),  # noqa: B008  # frozen, so sharing it is harmless
    raise_errors: bool = False,
    records: RecordSink = NO_RECORDS,
    progress: Progress = no_progress,
) -> ContestResult:
    """Play ``games`` games, rounded up to whole deals, each of which is played once per seating.

    ``mirrored``: if False, each deal is played once, and players are distinguished by their seats.

    Where the kernel of the game does not play all players, they sit at the table, on ``threads`` cores (0: all). There these are
    processes, each with players of its own, so use one core for a player that learns. Only players by name can sit in processes, which
    can be stopped; with a time limit they do. ``raise_errors`` raises the errors of players.

    ``records`` gets the records of the first games, which are then played at the table, with the same result.
    """
    seed, num_games = check_seed(seed), whole_number(games, "number of games", 1)
    ways = seatings(game, len(players))[: None if mirrored else 1]
    deals = -(-num_games // len(ways))
    num_records = min(records.games, deals * len(ways))
    table_games = TableGames(game, tuple(players), tuple(ways), seed, first_deal, time_limit, num_records)
    parsed = table_games.parsed
    names = [player.name if mirrored else f"p{seat} {player.name}" for seat, player in enumerate(parsed, 1)]
    line_ups = [[parsed[player] for player in way] for way in ways]
    can_batch: Callable[[Sequence[Any]], bool] = getattr(game, "can_batch", lambda players: False)
    batches: Iterator[tuple[int, list[Batch]]]
    if can_batch(line_ups[0]) and not time_limit and not raise_errors:
        tables = table_games.tables()
        for number in range(num_records):
            records.write(tables[number % len(ways)].play(Deal(seed, first_deal + number // len(ways))).record)
        batches = _kernel_batches(game, line_ups, seed, first_deal, deals, threads)
    else:
        batches = table_games.batches(deals, threads, records.write, raise_errors=raise_errors)
    start, parts, done = time.perf_counter(), list[ContestResult](), 0
    for first, chunk in batches:
        parts.append(ContestResult.from_batches(game, names, ways, chunk, first))
        done += parts[-1].games
        progress(min(done, num_games), num_games, "")
        if len(parts) == MAX_PARTS:
            parts = [ContestResult.join(parts)]
    return replace(ContestResult.join(parts), seconds=time.perf_counter() - start)


def _kernel_batches(
    game: Any, line_ups: Sequence[Sequence[Any]], seed: int, first_deal: int, deals: int, threads: int
) -> Iterator[tuple[int, list[Batch]]]:
    for first, count in chunks(deals, FIRST_CHUNK, CHUNK_SECONDS):
        yield first_deal + first, [game.batch(players, seed, first_deal + first, count, threads) for players in line_ups]


def _forfeiting_player(why: str, seating: tuple[int, ...]) -> int | None:
    """Return the player that forfeits by such a line."""
    seat, _, rest = why.partition(" forfeits")
    return seating[int(seat[1:]) - 1] if rest and seat[1:].isdecimal() else None


def _add_failure(failures: dict[tuple[str, int | None], Failure], failure: Failure) -> None:
    key = failure.why, failure.player
    known = failures.get(key)
    failures[key] = failure if known is None else Failure(*key, known.games + failure.games, min(known.first, failure.first))
