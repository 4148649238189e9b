"""CMA-ES over all parameters at once: a cloud of players that moves, stretches and turns to where games are won.

All players of a generation meet the same mirrored deals, each generation others, so that no deal is learned by heart. The search asks
and tells in a fixed order and takes every chance from its seed; with measurements from a store it can be killed and asked again, and
comes to the same answer.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meldlab.arena.evaluation import Measure, Measured
from meldlab.chance import Purpose, derive_seed
from meldlab.gin.players import Ensemble
from meldlab.tuning.ensemble_space import DIMENSIONS, START, Point, player_at
from meldlab.tuning.halving import Heats, race

__all__ = ["Champion", "Evolution", "Generation", "Opponents", "best_player", "evolve", "final_race", "finalists", "middle"]

Opponents = Mapping[str, float]
"""Names and how much the rate against each counts; the weights sum to one."""
BOTH: Opponents = {"simple": 0.7, "ensemble:paper": 0.3}
SPARE_BITS = 63 - 32  # the chance of CMA-ES takes seeds of 32 bits


@dataclass(frozen=True)
class Generation:
    """What one generation did."""

    number: int
    points: tuple[Point, ...]
    scores: tuple[float, ...]
    games: int
    """Games of each player against each opponent."""
    first: int
    """Number of the first game behind those of this generation."""

    @property
    def best(self) -> int:
        """Return the place of the best point."""
        return int(np.argmax(self.scores))


@dataclass(frozen=True)
class Evolution:
    """How a search goes: the size of a generation, its width, and how many games a player of generation g plays."""

    population: int = 20
    width: float = 0.12
    """Standard deviation at the start, as a share of each dimension's bounds."""
    games: int = 1000
    """Games against all opponents together in the first generation ..."""
    growth: float = 1.01
    """... which grow by this factor with each generation, up to ``most``: later differences are smaller."""
    most: int = 20_000
    seed: int = 1

    def games_of(self, generation: int, weight: float) -> int:
        """Return the games of a player against an opponent of some weight; even, as deals are mirrored."""
        return 2 * max(1, round(min(self.most, self.games * self.growth**generation) * weight / 2))

    def heats(self, fresh: int) -> Heats:
        """Return how finalists race: nobody plays more than the winner will on fresh deals."""
        start = 2 * max(1, min(4 * self.games, fresh) // 2)
        return Heats(start, max(start, fresh), keep=3, least=2)

    def planned(self, generations: int, fresh: int) -> int:
        """Return about how many games a search takes, the race of the finalists and fresh games of the winner included."""
        searched = sum(self.population * min(self.most, self.games * self.growth**number) for number in range(generations))
        return round(searched) + self.heats(fresh).cost(min(generations * self.population, 18)) + len(BOTH) * fresh


def score(measured: Mapping[str, Measured], opponents: Opponents) -> float:
    """Return the weighed rate of games won."""
    return sum(weight * measured[name].wins / measured[name].games for name, weight in opponents.items())


def scores(
    players: Sequence[Ensemble], measure: Measure, opponents: Opponents, seed: int, first: int, games: Mapping[str, int]
) -> list[float]:
    """Return the weighed rates of players on the same deals."""
    by_name = {name: measure(players, name, seed=seed, first=first, games=games[name]) for name in opponents}
    return [score({name: found[place] for name, found in by_name.items()}, opponents) for place in range(len(players))]


def evolve(measure: Measure, plan: Evolution, start: Point = START, opponents: Opponents = BOTH) -> Iterator[Generation]:
    """Walk on from ``start``, a generation at a time, for as long as the caller asks."""
    from cmaes import CMA

    low, span = np.array([each.low for each in DIMENSIONS]), np.array([each.high - each.low for each in DIMENSIONS])
    # Bounds of one for all: a step means the same in every dimension.
    box = np.tile([0.0, 1.0], (len(DIMENSIONS), 1))
    mean = (np.array([start[each.name] for each in DIMENSIONS]) - low) / span
    seed = derive_seed(plan.seed, Purpose.POPULATION) >> SPARE_BITS
    cloud = CMA(mean=mean, sigma=plan.width, bounds=box, seed=seed, population_size=plan.population)

    def point_at(place: NDArray[np.float64]) -> Point:
        values = np.clip(low + span * place, low, low + span).tolist()
        return dict(zip([each.name for each in DIMENSIONS], values, strict=True))

    first = 0
    for number in count():
        places = [cloud.ask() for _ in range(plan.population)]
        points = tuple(map(point_at, places))
        games = {name: plan.games_of(number, weight) for name, weight in opponents.items()}
        found = scores([player_at(point) for point in points], measure, opponents, plan.seed, first, games)
        cloud.tell([(place, -value) for place, value in zip(places, found, strict=True)])
        first += max(games.values())
        yield Generation(number, points, tuple(found), max(games.values()), first)


def middle(generations: Sequence[Generation]) -> Point:
    """Return the mean of all points of some generations: where the cloud stands, with less noise than any point of it."""
    points = [point for generation in generations for point in generation.points]
    return {each.name: float(np.mean([point[each.name] for point in points])) for each in DIMENSIONS}


def finalists(generations: Sequence[Generation], windows: Sequence[int] = (3, 6, 12, 25, 50), best: int = 12) -> list[Point]:
    """Return who is worth a closer look: the middle of the last few generations, of more of them, and the best points of late."""
    middles = [middle(generations[-many:]) for many in windows if many <= len(generations)]
    late = [(value, point) for each in generations[-25:] for value, point in zip(each.scores, each.points, strict=True)]
    late.sort(key=lambda one: -one[0])
    return middles + [point for _, point in late[:best]]


@dataclass(frozen=True)
class Weighed:
    """What a finalist won in a race: of each game the weighed rate against all opponents."""

    games: int
    wins: float

    def __add__(self, other: "Weighed") -> "Weighed":
        return Weighed(self.games + other.games, self.wins + other.wins)


def final_race(
    points: Sequence[Point], measure: Measure, seed: int, heats: Heats, opponents: Opponents = BOTH
) -> list[tuple[Point, Weighed]]:
    """Race points on fresh deals; return what each won, the best first. The first rate is inflated by the choice."""

    def play(some: Sequence[Point], first: int, games: int) -> list[Weighed]:
        players = [player_at(point) for point in some]
        shares = {name: 2 * max(1, round(games * weight / 2)) for name, weight in opponents.items()}
        return [Weighed(games, games * each) for each in scores(players, measure, opponents, seed, first, shares)]

    ended = race(points, play, heats)
    return [(points[place], ended.measured[place]) for place in ended.order]


@dataclass(frozen=True)
class Champion:
    """The end of a search: the winner, what it seemed to be worth, and what it is worth."""

    point: Point
    player: Ensemble
    course: tuple[float, ...]
    """The mean score of each generation."""
    inflated: float
    """The winner's score in the race that chose it."""
    honest: Mapping[str, Measured]
    """Its games on fresh deals, by opponent."""

    def as_json(self) -> dict[str, Any]:
        """Return what the command line answers."""
        return {
            "player": str(self.player),
            "point": dict(self.point),
            "course": list(self.course),
            "inflated": self.inflated,
            "honest": {name: one.as_json() for name, one in self.honest.items()},
        }


def best_player(
    measure: Measure, plan: Evolution, generations: int, fresh: int, start: Point = START, opponents: Opponents = BOTH
) -> Champion:
    """Search for some generations, race the finalists on fresh deals, and measure the winner on others again."""
    walked = list(islice(evolve(measure, plan, start, opponents), generations))
    raced = final_race([*finalists(walked), start], measure, derive_seed(plan.seed, Purpose.HALVING), plan.heats(fresh), opponents)
    (point, chosen), deals = raced[0], derive_seed(plan.seed, Purpose.FRESH)
    player = player_at(point)
    honest = {name: measure([player], name, seed=deals, first=0, games=fresh)[0] for name in opponents}
    return Champion(point, player, tuple(float(np.mean(each.scores)) for each in walked), chosen.wins / chosen.games, honest)
