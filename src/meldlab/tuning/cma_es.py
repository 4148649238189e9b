"""CMA-ES over all parameters of an ensemble at once.

All players of a generation meet the same mirrored deals, and each generation other deals, so that no deal is overfitted. The search
depends on its seed alone; with games from a store it resumes and comes to the same result.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import count, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meldlab.arena.evaluation import Scores
from meldlab.chance import Purpose, derive_seed
from meldlab.errors import NotLegalHere
from meldlab.gin.players import Ensemble
from meldlab.statistics import Score
from meldlab.tuning.ensemble_space import DIMENSIONS, START, Point, ensemble_at
from meldlab.tuning.experiment import Experiment
from meldlab.tuning.halving import HalvingConfig, successive_halving

Opponents = Mapping[str, float]
"""The weight of the win rate against each opponent; the weights sum to one."""
OPPONENTS: Opponents = {"simple": 0.7, "ensemble:paper": 0.3}
SPARE_BITS = 63 - 32  # the random generator of CMA-ES takes seeds of 32 bits


@dataclass(frozen=True)
class Generation:
    """One generation: its points and their scores."""

    number: int
    points: tuple[Point, ...]
    scores: tuple[float, ...]
    games: int
    """Games of each player against each opponent."""
    first: int
    """The number of the first game after those of this generation."""

    @property
    def best(self) -> int:
        """Return the index of the best point."""
        return int(np.argmax(self.scores))


@dataclass(frozen=True)
class CMAConfig:
    """Hyperparameters of a CMA-ES run."""

    population: int = 20
    width: float = 0.12
    """Initial standard deviation, as a share of each dimension's bounds."""
    games: int = 1000
    """Games of a player against all opponents together in the first generation ..."""
    growth: float = 1.01
    """... which grow by this factor per generation, up to ``most``, because later differences are smaller."""
    most: int = 20_000
    seed: int = 1

    def games_in(self, generation: int, weight: float) -> int:
        """Return the games of a player against an opponent of some weight, an even number."""
        return 2 * max(1, round(min(self.most, self.games * self.growth**generation) * weight / 2))

    def halving(self, test_games: int) -> HalvingConfig:
        """Return the rungs of the finalists; none of them plays more games than the winner in its test."""
        start = 2 * max(1, min(4 * self.games, test_games) // 2)
        return HalvingConfig(start, max(start, test_games), keep=3, least=2)

    def planned(self, generations: int, test_games: int) -> int:
        """Return the approximate games of a search, with the ranking of the finalists and the test of the winner."""
        searched = sum(self.population * min(self.most, self.games * self.growth**number) for number in range(generations))
        ranking = self.halving(test_games).cost(min(generations * self.population, 18))
        return round(searched) + ranking + len(OPPONENTS) * test_games


def weighted_rates(
    players: Sequence[Ensemble], scores: Scores, opponents: Opponents, seed: int, first: int, games: Mapping[str, int]
) -> list[float]:
    """Return the weighted win rate of each player, on the same deals."""
    by_name = {name: scores(players, name, seed=seed, first=first, games=games[name]) for name in opponents}
    return [
        sum(weight * by_name[name][index].wins / by_name[name][index].games for name, weight in opponents.items())
        for index in range(len(players))
    ]


def cma_es(scores: Scores, config: CMAConfig, start: Point = START, opponents: Opponents = OPPONENTS) -> Iterator[Generation]:
    """Yield generations from ``start`` on, without an end."""
    from cmaes import CMA

    low, span = np.array([axis.low for axis in DIMENSIONS]), np.array([axis.high - axis.low for axis in DIMENSIONS])
    # Unit bounds: a step has the same meaning in every dimension.
    bounds = np.tile([0.0, 1.0], (len(DIMENSIONS), 1))
    mean = (np.array([start[axis.name] for axis in DIMENSIONS]) - low) / span
    seed = derive_seed(config.seed, Purpose.POPULATION) >> SPARE_BITS
    optimizer = CMA(mean=mean, sigma=config.width, bounds=bounds, seed=seed, population_size=config.population)

    def to_point(position: NDArray[np.float64]) -> Point:
        values = np.clip(low + span * position, low, low + span).tolist()
        return dict(zip([axis.name for axis in DIMENSIONS], values, strict=True))

    first = 0
    for number in count():
        positions = [optimizer.ask() for _ in range(config.population)]
        points = tuple(map(to_point, positions))
        games = {name: config.games_in(number, weight) for name, weight in opponents.items()}
        rates = weighted_rates([ensemble_at(point) for point in points], scores, opponents, config.seed, first, games)
        optimizer.tell([(position, -rate) for position, rate in zip(positions, rates, strict=True)])
        first += max(games.values())
        yield Generation(number, points, tuple(rates), max(games.values()), first)


def centroid(generations: Sequence[Generation]) -> Point:
    """Return the mean of all points of some generations, which has less noise than any point."""
    points = [point for generation in generations for point in generation.points]
    return {axis.name: float(np.mean([point[axis.name] for point in points])) for axis in DIMENSIONS}


def finalists(generations: Sequence[Generation], windows: Sequence[int] = (3, 6, 12, 25, 50), best: int = 12) -> list[Point]:
    """Return the candidates for the winner: centroids of the last generations, and the best points among the last 25."""
    centroids = [centroid(generations[-window:]) for window in windows if window <= len(generations)]
    late = [pair for generation in generations[-25:] for pair in zip(generation.scores, generation.points, strict=True)]
    late.sort(key=lambda pair: -pair[0])
    return centroids + [point for _, point in late[:best]]


def rank_finalists(
    points: Sequence[Point], scores: Scores, seed: int, halving: HalvingConfig, opponents: Opponents = OPPONENTS
) -> list[tuple[Point, Score]]:
    """Return points and their weighted scores, best first; the score of the first is biased by its selection."""

    def play(group: Sequence[Point], first: int, games: int) -> list[Score]:
        players = [ensemble_at(point) for point in group]
        shares = {name: 2 * max(1, round(games * weight / 2)) for name, weight in opponents.items()}
        return [Score(games, games * rate) for rate in weighted_rates(players, scores, opponents, seed, first, shares)]

    result = successive_halving(points, play, halving)
    return [(points[index], result.scores[index]) for index in result.order]


@dataclass(frozen=True)
class TuningResult:
    """The winner of a search."""

    point: Point
    player: Ensemble
    generation_scores: tuple[float, ...]
    """The mean score of each generation."""
    selection_score: float
    """The winner's score among the finalists, biased by the selection."""
    test_scores: Mapping[str, Score]
    """Its scores on held-out deals, by opponent."""

    def as_json(self) -> dict[str, Any]:
        """Return the answer of the command line."""
        return {
            "player": str(self.player),
            "point": dict(self.point),
            "generation_scores": list(self.generation_scores),
            "selection_score": self.selection_score,
            "test_scores": {name: score.as_json() for name, score in self.test_scores.items()},
        }


def tuning_experiment(config: CMAConfig, generations: int, test_games: int) -> Experiment:
    """Return the search of ``tune`` as an experiment."""
    if test_games % 2:
        raise NotLegalHere(f"{test_games} games cannot be played in mirrored pairs")
    settings = {**asdict(config), "generations": generations, "test_games": test_games}
    planned = config.planned(generations, test_games)
    return Experiment("best", settings, planned, lambda work: tune(work.scores, config, generations, test_games).as_json())


def tune(
    scores: Scores, config: CMAConfig, generations: int, test_games: int, start: Point = START, opponents: Opponents = OPPONENTS
) -> TuningResult:
    """Search for some generations, rank the finalists on other deals, and test the winner on held-out deals."""
    searched = list(islice(cma_es(scores, config, start, opponents), generations))
    ranking_seed, test_seed = derive_seed(config.seed, Purpose.HALVING), derive_seed(config.seed, Purpose.FRESH)
    point, selected = rank_finalists([*finalists(searched), start], scores, ranking_seed, config.halving(test_games), opponents)[0]
    player = ensemble_at(point)
    test_scores = {name: scores([player], name, seed=test_seed, first=0, games=test_games)[0] for name in opponents}
    means = tuple(float(np.mean(generation.scores)) for generation in searched)
    return TuningResult(point, player, means, selected.wins / selected.games, test_scores)
