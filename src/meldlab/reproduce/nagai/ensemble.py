"""The paper's section 5.3 as an experiment: five grid searches, as a whole or raced, and what is left of their winners on fresh deals.

Each search starts from the best player of the one before. All its candidates meet the same mirrored deals, each search others. The best
of a grid is the best of many noisy numbers: what it is worth is measured again, on deals that no search has seen.

>>> whole = GAMES * sum(len(grid()) for grid in GRIDS.values())
>>> whole, QUICK.planned() < whole / 20
(23720000, True)
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

from meldlab.arena.evaluation import RunEvaluator, Scores
from meldlab.chance import Purpose, derive_seed
from meldlab.gin.players import Ensemble
from meldlab.reproduce.nagai.grids import GAMES, GRIDS, Grids, adjacency_in_floats, candidates, played, value_of
from meldlab.reproduce.nagai.report import CheckedClaim, Report
from meldlab.reproduce.nagai.significance import LEVEL, Claim, Verdict, agreeing, better, gaining, of_all, one_sample, paired, two_samples
from meldlab.statistics import Z95, Score
from meldlab.tuning.halving import HalvingConfig, successive_halving

__all__ = ["FULL", "PAPER", "QUICK", "SearchSize", "Searched", "best_group", "first_game", "race_grid", "search_ensembles", "search_grid"]

OPPONENT = "simple"
# What the paper says: win rates of the start, after the first search, after the last, and the chi-squares of its three claims.
PAPER = {"base": 0.701, "meldability": 0.720, "weights": 0.739}
CLAIMS = (("the whole iteration", 0.701, 0.739, 34.4), ("meldability", 0.701, 0.720, 8.0), ("weights", 0.7195, 0.739, 9.7))
AUTHORS_AGAIN = (0.7228, 0.0072)  # the authors' own program with the paper's vector, measured again


@dataclass(frozen=True)
class SearchSize:
    """How large the experiment is: whole grids or races, how often, and games of each winner on fresh deals."""

    grid: bool
    iterations: int = 1
    fresh: int = 20_000
    games: int = GAMES
    """Games of each candidate of a whole grid."""
    heats: HalvingConfig = field(default_factory=lambda: HalvingConfig(start=100, most=GAMES))

    def planned(self, grids: Grids = GRIDS) -> int:
        """Return the games of the whole experiment, races beside whole grids included."""
        start = Ensemble.preset("base")
        whole = self.games * sum(len(grid()) for grid in grids.values())
        races = sum(self.heats.cost(len({played(each) for each in candidates(name, start, grids)})) for name in grids)
        searches = 2 * len(grids) * self.iterations
        return self.iterations * (whole * self.grid + races) + searches * self.games + (searches + 1) * self.fresh


QUICK = SearchSize(grid=False, heats=HalvingConfig(start=80, most=GAMES))
FULL = SearchSize(grid=True, iterations=3, fresh=100_000)


# --- one search


@dataclass(frozen=True)
class Searched:
    """One search: its candidates, what was measured of each, and who was best."""

    name: str
    iteration: int
    base: Ensemble
    before: Score
    """What the base does on the deals of this search."""
    points: int
    """Points of the grid; several may be one and the same player."""
    candidates: tuple[Ensemble, ...]
    measured: tuple[Score, ...]
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
    def after(self) -> Score:
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
    return (len(GRIDS) * (iteration - 1) + list(GRIDS).index(name)) * games


def search_grid(
    name: str, base: Ensemble, measure: Scores, *, seed: int, iteration: int = 1, games: int = GAMES, grids: Grids = GRIDS
) -> Searched:
    """Let every candidate of a grid play all games, as the paper does; of equals the first counts as best."""
    first, some = first_game(iteration, name, games), candidates(name, base, grids)
    before, *measured = measure([base, *some], OPPONENT, seed=seed, first=first, games=games)
    order = sorted(range(len(some)), key=lambda place: (-measured[place].wins, place))
    return Searched(name, iteration, base, before, len(some), tuple(some), tuple(measured), tuple(order), first, games * (len(some) + 1))


def race_grid(
    name: str, base: Ensemble, measure: Scores, heats: HalvingConfig, *, seed: int, iteration: int = 1, grids: Grids = GRIDS
) -> Searched:
    """Race the distinct players of a grid; those that left early have few games."""
    first, points = first_game(iteration, name, heats.most), candidates(name, base, grids)
    some = list({played(each): each for each in reversed(points)}.values())[::-1]

    def play(runners: Sequence[Ensemble], start: int, games: int) -> list[Score]:
        return measure(runners, OPPONENT, seed=seed, first=first + start, games=games)

    before = measure([base], OPPONENT, seed=seed, first=first, games=heats.most)[0]
    ended = successive_halving(some, play, heats)
    measured = tuple(ended.scores[place] for place in range(len(some)))
    return Searched(name, iteration, base, before, len(points), tuple(some), measured, ended.order, first, ended.games + heats.most)


# --- the whole experiment


@dataclass(frozen=True)
class Judged:
    """A search and its winner on fresh deals, beside the player it started from."""

    search: Searched
    race: Searched | None
    """The race over the same grid, where the whole grid was played."""
    before: Score
    after: Score
    same_deals: Claim
    """Winner against start on the deals of the search, as pairs."""
    fresh_deals: Claim
    """The same on fresh deals; the only one that the choice has not spoiled."""

    @property
    def inflation(self) -> float:
        """Return how much of the winner's rate came from its being chosen."""
        return self.search.after.win_rate().value - self.after.win_rate().value

    def as_json(self) -> dict[str, Any]:
        """Return what the command line answers."""
        one = self.search
        answer: dict[str, Any] = {
            "search": one.name,
            "iteration": one.iteration,
            "candidates": one.points,
            "distinct_players": one.distinct,
            "games": one.games,
            "best": list(one.value),
            "before": one.before.as_json(),
            "after": one.after.as_json(),
            "fresh_before": self.before.as_json(),
            "fresh_after": self.after.as_json(),
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
    least = search.after.win_rate().low
    return {
        played(each) for each, one in zip(search.candidates, search.measured, strict=True) if one.games and one.win_rate().value >= least
    }


def _of_group(search: Searched, holds: Callable[[tuple[float, ...]], bool]) -> Verdict:
    """Judge a claim about the best: it is true of all that may be the best, or of none of them, or more games would have to tell."""
    chosen, many = search.after, len(search.candidates)
    rivals = [each for each, one in zip(search.candidates, search.measured, strict=True) if one.games and not better(chosen, one, many)]
    found = {holds(value_of(each, search.name)) for each in rivals}
    return Verdict.OPEN if len(found) == 2 else Verdict.exactly(found == {True})


def search_ensembles(work: RunEvaluator, size: SearchSize, seed: int, start: str = "base", grids: Grids = GRIDS) -> Report:
    """Do the whole experiment."""
    first = player = Ensemble.preset(start)
    judged: list[Judged] = []
    for iteration in range(1, size.iterations + 1):
        for name in grids:
            found = raced = race_grid(name, player, work.scores, size.heats, seed=seed, iteration=iteration, grids=grids)
            if size.grid:
                found = search_grid(name, player, work.scores, seed=seed, iteration=iteration, games=size.games, grids=grids)
            judged.append(_judge(work, found, raced if size.grid else None, seed, size.fresh))
            player = found.best
    deals, ends = derive_seed(seed, Purpose.FRESH), (first, judged[-1].search.best)
    whole = paired(*(work.wins_by_deal(player, OPPONENT, seed=deals, first=0, games=size.fresh) for player in ends))
    results = {
        "start": start,
        "searches": [each.as_json() for each in judged],
        "whole": {"before": judged[0].before.as_json(), "after": judged[-1].after.as_json(), "fresh_paired": whole.as_json()},
        "adjacency_vectors": {"exact": len(GRIDS["adjacency"]()), "in_floats": len(adjacency_in_floats())},
        "player": str(judged[-1].search.best),
    }
    return Report("ensemble", _findings(judged, whole, size), results, _notes(size))


def _judge(work: RunEvaluator, found: Searched, race: Searched | None, seed: int, fresh: int) -> Judged:
    players = (found.base, found.best)
    deals = derive_seed(seed, Purpose.FRESH)
    before, after = work.scores(players, OPPONENT, seed=deals, first=0, games=fresh)
    same = [work.wins_by_deal(player, OPPONENT, seed=seed, first=found.first, games=found.after.games) for player in players]
    again = [work.wins_by_deal(player, OPPONENT, seed=deals, first=0, games=fresh) for player in players]
    return Judged(found, race, before, after, paired(*same), paired(*again))


def _findings(judged: Sequence[Judged], whole: Claim, size: SearchSize) -> tuple[CheckedClaim, ...]:
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
        CheckedClaim("the start", f"{PAPER['base']}, its values not published", f"{melds.before.win_rate()} for our guess"),
        CheckedClaim(
            "after the meldability search",
            f"{PAPER['meldability']} when chosen",
            f"{melds.search.after.win_rate()} when chosen, {melds.after.win_rate()} on fresh deals",
        ),
        CheckedClaim(
            "runs weigh at least as much as sets", "0.6 against 0.4", f"{1 - sets:.1f} against {sets:.1f}", runs, "runs-over-sets"
        ),
        CheckedClaim("slopes of both penalties", "0 and 0 (any other loses)", f"{slopes[0]:g} and {slopes[1]:g}", flat),
        CheckedClaim("weight of deadwood, three policies together, within a step", "0.6", f"{deadwood:.1f}", heavy, "deadwood-weight"),
        CheckedClaim(
            "after the first iteration",
            f"{PAPER['weights']} when chosen among 3003",
            f"{last.search.after.win_rate()} when chosen, {last.after.win_rate()} on fresh deals",
            agreeing(last.after.win_rate(), PAPER["weights"], sqrt(PAPER["weights"] * (1 - PAPER["weights"]) / GAMES), 0.0005),
        ),
        CheckedClaim(
            "the same, with the authors' program measured again",
            f"{authors} +- {margin}",
            str(last.after.win_rate()),
            agreeing(last.after.win_rate(), authors, margin / Z95, 0.0),
        ),
        CheckedClaim(
            "the whole iteration is a significant gain",
            "yes, chi-square 34.4",
            f"start against end on fresh deals, paired: {whole.difference:+.4f}, {whole}",
            gaining(whole, PAPER["weights"] - PAPER["base"]),
            "iteration-gain",
        ),
        CheckedClaim(
            "players among the 3003 weight vectors",
            "3003 told apart",
            f"{last.search.distinct} distinct",
            Verdict.exactly(last.search.distinct == 3003),
        ),
        CheckedClaim(
            "adjacency vectors",
            "34",
            f"{len(GRIDS['adjacency']())} exactly, {len(adjacency_in_floats())} in a loop of floats",
            Verdict.exactly(len(adjacency_in_floats()) == 34),
        ),
    ]
    for name, before, after, chi_square in CLAIMS:
        old, new = (Score(GAMES, round(rate * GAMES)) for rate in (before, after))
        again = two_samples(old, new)
        found.append(
            CheckedClaim(
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
        verdict = Verdict.DIFFERS if gains else Verdict.OPEN
        found.append(CheckedClaim("significant gains after the first iteration", "none", ours, verdict, "later-iterations"))
    raced = [each for each in judged if each.race is not None]
    if raced:
        same = sum(played(each.race.best) in best_group(each.search) for each in raced if each.race)
        share = sum(each.race.games for each in raced if each.race) / sum(each.search.games for each in raced)
        found.append(
            CheckedClaim("races end in the best group of the grid", "no races", f"{same} of {len(raced)}, with {share:.1%} of the games")
        )
    return tuple(found)


def _notes(size: SearchSize) -> tuple[str, ...]:
    raced = "every candidate played all games" if size.grid else "the grids were raced: rates of those that left early rest on few games"
    return (
        raced,
        "all candidates of a search met the same mirrored deals; fresh deals are those that no search has seen",
        "the paper's start is not published; ours is a guess",
    )
