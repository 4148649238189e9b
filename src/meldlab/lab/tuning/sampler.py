"""CMA-ES as a sampler of Optuna that keeps its cloud to itself.

Optuna's own sampler writes the whole state of the search into every trial and reads all trials for each new one; after a hundred
generations that costs more than the games, and the start and width of the cloud are no longer to be chosen there.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from cmaes import CMA
from numpy.typing import NDArray
from optuna.distributions import BaseDistribution, FloatDistribution
from optuna.samplers import BaseSampler
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState

from meldlab.errors import NoSuchThing
from meldlab.lab.tuning.space import Dimension, Point

__all__ = ["Cloud"]


class Cloud(BaseSampler):
    """A normal distribution over the box of some dimensions that moves, stretches and turns after each generation."""

    def __init__(self, dimensions: Sequence[Dimension], start: Point, width: float, population: int, seed: int) -> None:
        self.low = np.array([each.low for each in dimensions])
        self.span = np.array([each.high - each.low for each in dimensions])
        self.space: dict[str, BaseDistribution] = {each.name: FloatDistribution(each.low, each.high) for each in dimensions}
        mean = (np.array([start[each.name] for each in dimensions]) - self.low) / self.span
        # Bounds of one for all: a step means the same in every dimension.
        box = np.tile([0.0, 1.0], (len(dimensions), 1))
        # Its chance takes seeds below 2 ** 32 only; every seed of ours gives one of them, small ones themselves.
        own = seed if seed < 2**32 else int(np.random.SeedSequence(seed).generate_state(1)[0])
        self.cma = CMA(mean=mean, sigma=width, bounds=box, seed=own, population_size=population)
        self.asked: dict[int, NDArray[np.float64]] = {}
        self.told: list[tuple[NDArray[np.float64], float]] = []

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        """Return the box."""
        return self.space

    def sample_relative(self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]) -> dict[str, Any]:
        """Return a point of the cloud."""
        self.asked[trial.number] = place = self.cma.ask()
        values = np.clip(self.low + self.span * place, self.low, self.low + self.span)
        return dict(zip(self.space, values.tolist(), strict=True))

    def sample_independent(self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution) -> Any:
        """Refuse: a dimension that the cloud does not have cannot be asked for."""
        raise NoSuchThing("dimension", param_name, self.space)

    def after_trial(self, study: Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None) -> None:
        """Learn what a point is worth; move when the generation is complete."""
        assert values is not None
        self.told.append((self.asked.pop(trial.number), -values[0]))
        if len(self.told) == self.cma.population_size:
            self.cma.tell(self.told)
            self.told = []
