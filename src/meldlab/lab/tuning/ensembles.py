"""The paper's section 5.3 as an experiment: five grid searches, as a whole or raced, and what is left of their winners on fresh deals.

>>> grids = GAMES * sum(len(grid()) for grid in GRIDS.values())
>>> grids, QUICK.games < grids / 20
(23720000, True)
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

from meldlab.chance import Purpose, derived
from meldlab.gin.players import Ensemble
from meldlab.lab.tuning.claims import LEVEL, Claim, Verdict, agreeing, better, gaining, of_all, one_sample, paired, two_samples
from meldlab.lab.tuning.grids import GAMES, GRIDS, adjacency_in_floats, candidates, played, value_of
from meldlab.lab.tuning.iteration import OPPONENT, Searched, iterate, race_grid, search_grid
from meldlab.lab.tuning.measuring import Measured
from meldlab.lab.tuning.racing import Heats
from meldlab.lab.tuning.report import Finding, Report, json_of
from meldlab.lab.tuning.work import Work
from meldlab.statistics import Z95

__all__ = ["FULL", "PAPER", "QUICK", "Size", "best_group", "searching"]

# What the paper says: win rates of the start, after the first search, after the last, and the chi-squares of its three claims.
PAPER = {"base": 0.701, "meldability": 0.720, "weights": 0.739}
CLAIMS = (("the whole iteration", 0.701, 0.739, 34.4), ("meldability", 0.701, 0.720, 8.0), ("weights", 0.7195, 0.739, 9.7))
AUTHORS_AGAIN = (0.7228, 0.0072)  # the authors' own program with the paper's vector, measured again


@dataclass(frozen=True)
class Size:
    """How large the experiment is: whole grids or races, how often, and games of each winner on fresh deals."""

    grid: bool
    iterations: int = 1
    fresh: int = 20_000
    heats: Heats = field(default_factory=lambda: Heats(start=100, most=GAMES))

    @property
    def games(self) -> int:
        """Return the games of the whole experiment, races beside whole grids included."""
        start = Ensemble.preset("base")
        whole = GAMES * sum(len(grid()) for grid in GRIDS.values())
        races = sum(self.heats.cost(len({played(each) for each in candidates(name, start)})) for name in GRIDS)
        searches = 2 * len(GRIDS) * self.iterations
        return self.iterations * (whole * self.grid + races) + searches * GAMES + (searches + 1) * self.fresh


QUICK = Size(grid=False, heats=Heats(start=80, most=GAMES))
FULL = Size(grid=True, iterations=3, fresh=100_000)


@dataclass(frozen=True)
class Judged:
    """A search and its winner on fresh deals, beside the player it started from."""

    search: Searched
    race: Searched | None
    """The race over the same grid, where the whole grid was played."""
    before: Measured
    after: Measured
    same_deals: Claim
    """Winner against start on the deals of the search, as pairs."""
    fresh_deals: Claim
    """The same on fresh deals; the only one that the choice has not spoiled."""

    @property
    def inflation(self) -> float:
        """Return how much of the winner's rate came from its being chosen."""
        return self.search.after.rate.value - self.after.rate.value

    def as_json(self) -> dict[str, Any]:
        """Return the answer of the command line."""
        one = self.search
        answer: dict[str, Any] = {
            "search": one.name,
            "iteration": one.iteration,
            "candidates": len(GRIDS[one.name]()),
            "distinct_players": one.distinct,
            "games": one.games,
            "best": list(one.value),
            "before": json_of(one.before),
            "after": json_of(one.after),
            "fresh_before": json_of(self.before),
            "fresh_after": json_of(self.after),
            "inflation": self.inflation,
            "one_sample": one_sample(one.before.wins / one.before.games, one.after).as_json(),
            "two_samples": two_samples(one.before, one.after).as_json(),
            "paired": self.same_deals.as_json(),
            "fresh_paired": self.fresh_deals.as_json(),
        }
        if self.race is not None:
            answer["race"] = {
                "best": list(self.race.value),
                "games": self.race.games,
                "share_of_games": self.race.games / one.games,
                "in_best_group": played(self.race.best) in best_group(one),
            }
        return answer


def best_group(search: Searched) -> set[Ensemble]:
    """Return the players, each as the one that stands for it, whose rates reach into the interval of the winner's."""
    least = search.after.rate.low
    return {played(each) for each, one in zip(search.candidates, search.measured, strict=True) if one.games and one.rate.value >= least}


def _of_group(search: Searched, holds: Callable[[tuple[float, ...]], bool]) -> Verdict:
    """Judge a claim about the best: it is true of all that may be the best, or of none of them, or more games would have to tell."""
    chosen, many = search.after, len(search.candidates)
    rivals = [each for each, one in zip(search.candidates, search.measured, strict=True) if one.games and not better(chosen, one, many)]
    found = {holds(value_of(each, search.name)) for each in rivals}
    return Verdict.OPEN if len(found) == 2 else Verdict.exactly(found == {True})


def searching(work: Work, size: Size, seed: int, start: str = "base") -> Report:
    """Do the whole experiment."""
    judged: list[Judged] = []
    races: dict[tuple[int, str], Searched] = {}

    def search(name: str, base: Ensemble, iteration: int) -> Searched:
        raced = race_grid(name, base, work.measure, size.heats, seed=seed, iteration=iteration)
        if not size.grid:
            return raced
        races[iteration, name] = raced
        return search_grid(name, base, work.measure, seed=seed, iteration=iteration)

    first = Ensemble.preset(start)
    for found in iterate(first, search, size.iterations):
        judged.append(_judge(work, found, races.get((found.iteration, found.name)), seed, size.fresh))
    deals, ends = derived(seed, Purpose.FRESH), (first, judged[-1].search.best)
    whole = paired(*(work.won(player, OPPONENT, seed=deals, first=0, games=size.fresh) for player in ends))
    results = {
        "start": start,
        "searches": [each.as_json() for each in judged],
        "whole": {"before": json_of(judged[0].before), "after": json_of(judged[-1].after), "fresh_paired": whole.as_json()},
        "adjacency_vectors": {"exact": len(GRIDS["adjacency"]()), "in_floats": len(adjacency_in_floats())},
        "player": str(judged[-1].search.best),
    }
    return Report("ensemble", _findings(judged, whole, size), results, _notes(size))


def _judge(work: Work, found: Searched, race: Searched | None, seed: int, fresh: int) -> Judged:
    players = (found.base, found.best)
    deals = derived(seed, Purpose.FRESH)
    before, after = work.measure(players, OPPONENT, seed=deals, first=0, games=fresh)
    same = [work.won(player, OPPONENT, seed=seed, first=found.first, games=found.after.games) for player in players]
    again = [work.won(player, OPPONENT, seed=deals, first=0, games=fresh) for player in players]
    return Judged(found, race, before, after, paired(*same), paired(*again))


def _findings(judged: Sequence[Judged], whole: Claim, size: Size) -> tuple[Finding, ...]:
    iteration = {each.search.name: each for each in judged if each.search.iteration == 1}
    melds, last = iteration["meldability"], iteration["weights"]
    sets = melds.search.value[2]
    slopes = [iteration[name].search.value[0] for name in ("turn penalty", "known penalty")]
    deadwood = sum(last.search.value[1:4])
    runs = _of_group(melds.search, lambda value: value[2] <= 0.5)
    flat = of_all(_of_group(iteration[name].search, lambda value: value[0] == 0) for name in ("turn penalty", "known penalty"))
    heavy = _of_group(last.search, lambda value: abs(sum(value[1:4]) - 0.6) < 0.11)
    authors, margin = AUTHORS_AGAIN
    found = [
        Finding("the start", f"{PAPER['base']}, its values not published", f"{melds.before.rate} for our guess"),
        Finding(
            "after the meldability search",
            f"{PAPER['meldability']} when chosen",
            f"{melds.search.after.rate} when chosen, {melds.after.rate} on fresh deals",
        ),
        Finding("runs weigh at least as much as sets", "0.6 against 0.4", f"{1 - sets:.1f} against {sets:.1f}", runs),
        Finding("slopes of both penalties", "0 and 0 (any other loses)", f"{slopes[0]:g} and {slopes[1]:g}", flat),
        Finding("weight of deadwood, three policies together, within a step", "0.6", f"{deadwood:.1f}", heavy),
        Finding(
            "after the first iteration",
            f"{PAPER['weights']} when chosen among 3003",
            f"{last.search.after.rate} when chosen, {last.after.rate} on fresh deals",
            agreeing(last.after.rate, PAPER["weights"], sqrt(PAPER["weights"] * (1 - PAPER["weights"]) / GAMES), 0.0005),
        ),
        Finding(
            "the same, with the authors' program measured again",
            f"{authors} +- {margin}",
            str(last.after.rate),
            agreeing(last.after.rate, authors, margin / Z95, 0.0),
        ),
        Finding(
            "the whole iteration is a significant gain",
            "yes, chi-square 34.4",
            f"start against end on fresh deals, paired: {whole.difference:+.4f}, {whole}",
            gaining(whole, PAPER["weights"] - PAPER["base"]),
        ),
        Finding(
            "players among the 3003 weight vectors",
            "3003 told apart",
            f"{last.search.distinct} distinct",
            Verdict.exactly(last.search.distinct == 3003),
        ),
        Finding(
            "adjacency vectors",
            "34",
            f"{len(GRIDS['adjacency']())} exactly, {len(adjacency_in_floats())} in a loop of floats",
            Verdict.exactly(len(adjacency_in_floats()) == 34),
        ),
    ]
    for name, before, after, chi_square in CLAIMS:
        old, new = (Measured(GAMES, round(rate * GAMES)) for rate in (before, after))
        again = two_samples(old, new)
        found.append(
            Finding(
                f"the paper's claim for {name}, its own rates",
                f"chi-square {chi_square} with the rate before as known",
                f"two samples: {again} at {LEVEL}",
                Verdict.exactly(again.gain()),
            )
        )
    if size.iterations > 1:
        later = [each for each in judged if each.search.iteration > 1]
        gains = [each for each in later if each.fresh_deals.gain(among=len(later))]
        ours = f"{len(gains)} of {len(later)} searches on fresh deals"
        found.append(Finding("significant gains after the first iteration", "none", ours, Verdict.DIFFERS if gains else Verdict.OPEN))
    raced = [each for each in judged if each.race is not None]
    if raced:
        same = sum(played(each.race.best) in best_group(each.search) for each in raced if each.race)
        share = sum(each.race.games for each in raced if each.race) / sum(each.search.games for each in raced)
        found.append(
            Finding("races end in the best group of the grid", "no races", f"{same} of {len(raced)}, with {share:.1%} of the games")
        )
    return tuple(found)


def _notes(size: Size) -> tuple[str, ...]:
    raced = "every candidate played all games" if size.grid else "the grids were raced: rates of those that left early rest on few games"
    return (
        raced,
        "all candidates of a search met the same mirrored deals; fresh deals are those that no search has seen",
        "the paper's start is not published; ours is a guess",
    )
