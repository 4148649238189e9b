"""The five grid searches of the paper's section 5.3: each starts from the best player of the one before.

All candidates of a search meet the same mirrored deals, each search others. The best of a grid is the best of many noisy numbers: what it
is worth is measured again, on deals that no search has seen.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from meldlab.gin.players import Ensemble
from meldlab.lab.tuning.grids import GAMES, GRIDS, candidates, played, value_of
from meldlab.lab.tuning.measuring import Measure, Measured
from meldlab.lab.tuning.racing import Heats, race

__all__ = ["OPPONENT", "Searched", "first_game", "iterate", "race_grid", "search_grid"]

OPPONENT = "simple"


@dataclass(frozen=True)
class Searched:
    """One search: its candidates, what was measured of each, and who was best."""

    name: str
    iteration: int
    base: Ensemble
    before: Measured
    """What the base does on the deals of this search."""
    candidates: tuple[Ensemble, ...]
    measured: tuple[Measured, ...]
    order: tuple[int, ...]
    """Places of the candidates, the best first."""
    first: int
    """Number of the first game of this search."""
    games: int
    """Games that were played in all."""

    @property
    def best(self) -> Ensemble:
        """Return the winner."""
        return self.candidates[self.order[0]]

    @property
    def after(self) -> Measured:
        """Return what the winner did when it won: too much, as it was chosen for it."""
        return self.measured[self.order[0]]

    @property
    def distinct(self) -> int:
        """Return how many different players there are among the candidates."""
        return len({played(each) for each in self.candidates})

    @property
    def value(self) -> tuple[float, ...]:
        """Return what the winner has in the place that was searched."""
        return value_of(self.best, self.name)


def first_game(iteration: int, name: str, games: int) -> int:
    """Return the number of the first game of a search; no two searches share a deal."""
    return (5 * (iteration - 1) + list(GRIDS).index(name)) * games


def search_grid(name: str, base: Ensemble, measure: Measure, *, seed: int, iteration: int = 1, games: int = GAMES) -> Searched:
    """Let every candidate of a grid play all games, as the paper does; of equals the first counts as best."""
    first, some = first_game(iteration, name, games), candidates(name, base)
    before, *measured = measure([base, *some], OPPONENT, seed=seed, first=first, games=games)
    order = sorted(range(len(some)), key=lambda place: (-measured[place].wins, place))
    return Searched(name, iteration, base, before, tuple(some), tuple(measured), tuple(order), first, games * (len(some) + 1))


def race_grid(name: str, base: Ensemble, measure: Measure, heats: Heats, *, seed: int, iteration: int = 1) -> Searched:
    """Race the distinct players of a grid; those that left early have few games."""
    first = first_game(iteration, name, heats.most)
    some = list({played(each): each for each in reversed(candidates(name, base))}.values())[::-1]

    def play(runners: Sequence[Ensemble], start: int, games: int) -> list[Measured]:
        return measure(runners, OPPONENT, seed=seed, first=first + start, games=games)

    before = measure([base], OPPONENT, seed=seed, first=first, games=heats.most)[0]
    outcome = race(some, play, heats)
    measured = tuple(outcome.measured[place] for place in range(len(some)))
    return Searched(name, iteration, base, before, tuple(some), measured, outcome.order, first, outcome.games + heats.most)


def iterate(base: Ensemble, search: Callable[[str, Ensemble, int], Searched], iterations: int = 1) -> Iterator[Searched]:
    """Go through the five searches, ``iterations`` times; ``search(name, base, iteration)`` does one."""
    for iteration in range(1, iterations + 1):
        for name in GRIDS:
            found = search(name, base, iteration)
            yield found
            base = found.best
