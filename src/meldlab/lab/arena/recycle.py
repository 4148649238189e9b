"""The arena of described games: players at every seat, each deal played once for each way to seat them.

>>> from meldlab.recycle.game import Described
>>> fight = contest(Described.named("kuhn_poker"), "pimc:50,random", games=100, seed=1)
>>> fight.players, fight.games, len(fight.rates)
(('pimc:50', 'random'), 100, 2)
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from meldlab.errors import NotLegalHere
from meldlab.recycle.game import Described
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine.machine import Machine
from meldlab.recycle.players import Searcher, parse
from meldlab.recycle.players.searching import SearchedGames, searched_games
from meldlab.statistics import Interval, Moments, mean, sign_test

__all__ = ["Contest", "contest", "seatings"]


@dataclass(frozen=True)
class Contest:
    """What came of many games; a win that is tied is shared, and a player at several seats has the wins of all."""

    game: str
    players: tuple[str, ...]
    seats: tuple[int, ...]  # of each player, how many
    games: int
    deals: int
    rates: tuple[Interval, ...]  # wins per game
    scores: tuple[Interval, ...]  # mean score of a seat
    lead: Interval  # of a seat of the first player over the mean of the other seats, high where it is better
    ahead: tuple[int, int]  # deals in which the first player won more, and less, than its share
    finished: int
    capped: int
    failed: int
    decisions: int
    simulations: int
    changed: int
    broken: int
    seconds: float

    @property
    def fair(self) -> tuple[float, ...]:
        """Return the share of wins that chance alone would give each player."""
        return tuple(many / sum(self.seats) for many in self.seats)

    @property
    def sign_test(self) -> float:
        """Return the exact p-value of the deals in which the first player was ahead or behind."""
        return sign_test(*self.ahead)

    def as_json(self) -> dict[str, object]:
        """Return the answer of the command line."""
        rows = [
            {
                "player": name,
                "seats": many,
                "win_rate": rate.value,
                "ci95": [rate.low, rate.high],
                "fair_share": fair,
                "score": score.value,
                "score_ci95": score.ends,
            }
            for name, many, rate, fair, score in zip(self.players, self.seats, self.rates, self.fair, self.scores, strict=True)
        ]
        return {
            "game": self.game,
            "players": rows,
            "games": self.games,
            "deals": self.deals,
            "deals_ahead": self.ahead[0],
            "deals_behind": self.ahead[1],
            "sign_test_p": self.sign_test,
            "score_lead": self.lead.value,
            "score_lead_ci95": self.lead.ends,
            "finished": self.finished,
            "capped": self.capped,
            "failed": self.failed,
            "decisions_per_game": self.decisions / max(1, self.games),
            "simulations": self.simulations,
            "simulations_with_other_options": self.changed,
            "simulations_broken_off": self.broken,
            "cpu_seconds": self.seconds,
        }


def seatings(machine: Machine, players: Sequence[str]) -> list[tuple[int, ...]]:
    """Return the different ways to seat the players, by turning the table; each is the number of a player for every seat.

    The last player takes the seats that are left; where as many players as teams are named, each plays for a team.

    >>> from meldlab.recycle import library
    >>> seatings(Machine.of(library.entry("hearts").text), ["mcts", "random"])
    [(0, 1, 1, 1), (1, 0, 1, 1), (1, 1, 0, 1), (1, 1, 1, 0)]
    >>> seatings(Machine.of(library.entry("whist").text), ["mcts", "random"])
    [(0, 1, 0, 1), (1, 0, 1, 0)]
    """
    seats = machine.players
    if not 1 <= len(players) <= seats:
        raise NotLegalHere(f"{len(players)} players for {seats} seats")
    first = [min(seat, len(players) - 1) for seat in range(seats)]
    teams = machine.begin(seed=0).teams
    if set(teams) == set(range(1, len(players) + 1)):
        first = [team - 1 for team in teams]
    turned = [tuple(first[(seat - turn) % seats] for seat in range(seats)) for turn in range(seats)]
    return list(dict.fromkeys(turned))


def contest(
    described: Described,
    players: str,
    games: int,
    seed: int = 0,
    *,
    simulations: int = 1000,
    level: str = "private",
    threads: int = 0,
    progress: Callable[[int], None] = lambda games: None,
) -> Contest:
    """Play ``games`` games, rounded up to whole deals; every deal is played once for each seating."""
    machine = described.machine
    searchers = [parse(name, simulations, level) for name in players.split(",")]
    ways = seatings(machine, [one.name for one in searchers])
    deals = -(-games // len(ways))
    played: list[SearchedGames] = []
    for number, way in enumerate(ways):
        seated = [searchers[player] for player in way]
        done = number * deals
        played.append(searched_games(machine, seated, deals, seed, 0, threads, lambda one, done=done: progress(done + one)))  # type: ignore[misc]
    wins, scores = _shares(machine, searchers, ways, played)
    clusters = np.column_stack([np.full(deals, len(ways)), wins])
    moments = Moments.of(clusters)
    seats = tuple(ways[0].count(player) for player in range(len(searchers)))
    ahead = wins[:, 0] - len(ways) * seats[0] / machine.players
    others = scores[:, 1:] @ np.array(seats[1:]) / sum(seats[1:]) if len(seats) > 1 else scores[:, 0]
    lead = (scores[:, 0] - others) * (1 if machine.best == "max" else -1)
    every = SearchedGames.joined(played)
    return Contest(
        described.name,
        tuple(one.name for one in searchers),
        seats,
        deals * len(ways),
        deals,
        tuple(moments.rate(1 + player, 0) for player in range(len(searchers))),
        tuple(mean(scores[:, player]) for player in range(len(searchers))),
        mean(lead),
        (int((ahead > 1e-9).sum()), int((ahead < -1e-9).sum())),
        int((every.statuses == k.FINISHED).sum()),
        int((every.statuses == k.CAPPED).sum()),
        int((every.statuses > k.CAPPED).sum()),
        int(every.decisions.sum()),
        int(every.simulations.sum()),
        int(every.changed.sum()),
        int(every.broken.sum()),
        float(every.seconds.sum()),
    )


Numbers = NDArray[np.float64]


def _shares(
    machine: Machine, searchers: Sequence[Searcher], ways: Sequence[tuple[int, ...]], played: Sequence[SearchedGames]
) -> tuple[Numbers, Numbers]:
    """Return [deals, players] of wins, summed over the seatings, and of the mean score of a seat."""
    deals = len(played[0].statuses)
    wins, scores = np.zeros((deals, len(searchers))), np.zeros((deals, len(searchers)))
    for way, part in zip(ways, played, strict=True):
        first = (part.ranks == 0) & (part.statuses <= k.CAPPED)[:, None]
        share = first / np.maximum(1, first.sum(axis=1))[:, None]
        for seat, player in enumerate(way):
            wins[:, player] += share[:, seat]
            scores[:, player] += part.scores[:, seat] / (len(ways) * way.count(player))
    return wins, scores
