"""The paper's section 5.3: its grids in exact arithmetic, five searches over them, and the winners on held-out deals.

A search plays the whole grid or runs successive halving over it, from the best player of the search before. All its candidates play the
same mirrored deals, each search others. The best of a grid is the best of many noisy rates: it is measured again on deals of no search.

>>> {name: len(GRIDS[name]()) for name in GRIDS}
{'meldability': 1331, 'adjacency': 36, 'turn penalty': 187, 'known penalty': 187, 'weights': 3003}
>>> len(adjacency_in_floats()), len({canonical(player) for player in candidates("weights", Ensemble())})
(34, 286)
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from fractions import Fraction
from itertools import product
from typing import Any

from meldlab.arena.evaluation import RunEvaluator, Scores
from meldlab.chance import Purpose, derive_seed
from meldlab.gin.players import Ensemble
from meldlab.reproduce.claims import Verdict
from meldlab.reproduce.nagai.significance import RateDifference, better, gaining, holds, one_sample, outcome, paired, two_samples
from meldlab.statistics import Score
from meldlab.tuning.experiment import Experiment
from meldlab.tuning.halving import HalvingConfig, successive_halving

GAMES = 5000  # of each candidate in the paper
OPPONENT = "simple"
# The paper's win rates of the start, after the first search, after the last; and its chi-squares.
PAPER = {"base": 0.701, "meldability": 0.720, "weights": 0.739}
CHI_SQUARES = (("the whole iteration", 0.701, 0.739, 34.4), ("meldability", 0.701, 0.720, 8.0), ("weights", 0.7195, 0.739, 9.7))
AUTHORS_AGAIN = (0.7228, 0.0072)  # the authors' own program with the paper's vector, measured again

TENTH = Fraction(1, 10)
Value = tuple[Fraction, ...]
Grids = Mapping[str, Callable[[], list[Value]]]


# --- the grids


def _meldability() -> list[Value]:
    """Return (a_m0, a_m1, a_m2, a_m3): the first in steps of .05 to .5, the second of .1, sets and runs share one."""
    tenths = range(11)
    return [(Fraction(a, 20), b * TENTH, c * TENTH, 1 - c * TENTH) for a, b, c in product(tenths, tenths, tenths)]


def _adjacency() -> list[Value]:
    """Return (a_c0, a_c1, a_c2) in tenths that sum to one, with a_c1 at least a_c2."""
    return [tuple(n * TENTH for n in (10 - b - c, b, c)) for b in range(11) for c in range(11 - b) if b >= c]


def _penalty() -> list[Value]:
    """Return (slope, power): slopes in tenths to 1, powers in quarters to 4."""
    return [(slope * TENTH, Fraction(power, 4)) for slope in range(11) for power in range(17)]


def _weights() -> list[Value]:
    """Return all ways to split ten tenths into six."""
    return [tuple(n * TENTH for n in split) for split in _splits(10, 6)]


def _splits(whole: int, parts: int) -> list[tuple[int, ...]]:
    if parts == 1:
        return [(whole,)]
    return [(first, *rest) for first in range(whole, -1, -1) for rest in _splits(whole - first, parts - 1)]


GRIDS: Grids = {
    "meldability": _meldability,
    "adjacency": _adjacency,
    "turn penalty": _penalty,
    "known penalty": _penalty,
    "weights": _weights,
}


def adjacency_in_floats() -> list[tuple[float, float, float]]:
    """Return the points of a loop in steps of 0.1 that compares floats: rounding loses two points of the grid.

    >>> exact = {tuple(map(float, point)) for point in GRIDS["adjacency"]()}
    >>> sorted(exact - {tuple(round(value, 6) for value in point) for point in adjacency_in_floats()})
    [(0.8, 0.1, 0.1), (1.0, 0.0, 0.0)]
    """
    steps = [0.0]
    while steps[-1] + 0.1 <= 1.0:
        steps.append(steps[-1] + 0.1)
    points = ((same, one_away, 1.0 - same - one_away) for same, one_away in product(steps, steps))
    return [point for point in points if 0.0 <= point[2] <= point[1]]


def varied_value(player: Ensemble, search: str) -> tuple[float, ...]:
    """Return the parameter of a player that a search varies."""
    value: tuple[float, ...] = getattr(player, search.replace(" ", "_"))
    return value


def candidates(search: str, base: Ensemble, grids: Grids = GRIDS) -> list[Ensemble]:
    """Return the players of a search, with all other parameters as in ``base``."""
    name = search.replace(" ", "_")
    changes: list[dict[str, Any]] = [{name: tuple(map(float, value))} for value in grids[search]()]
    return [replace(base, **change) for change in changes]


def canonical(player: Ensemble) -> Ensemble:
    """Return one player for all that play the same games: three of the six policies rate a hand by its deadwood.

    Their weights, and the terms of the penalties, count as a sum only.

    >>> first, second = Ensemble(weights=(0.2, 0.5, 0.1, 0.0, 0.1, 0.1)), Ensemble(weights=(0.2, 0.1, 0.2, 0.3, 0.1, 0.1))
    >>> canonical(first) == canonical(second)
    True
    """
    tenths = [Fraction(weight).limit_denominator(1000) for weight in player.weights]
    # A penalty with slope zero adds nothing whatever its power.
    turn = player.turn_penalty if player.turn_penalty[0] else (0.0, 1.0)
    known = player.known_penalty if player.known_penalty[0] else (0.0, 1.0)
    merged = (tenths[0], sum(tenths[1:4], Fraction(0)), Fraction(0), Fraction(0), tenths[4], tenths[5])
    return replace(player, weights=tuple(map(float, merged)), turn_penalty=turn, known_penalty=known)  # type: ignore[arg-type]


# --- one search


@dataclass(frozen=True)
class SearchSize:
    """The size of the experiment: whole grids or successive halving, iterations, and games of each winner on held-out deals."""

    grid: bool
    iterations: int = 1
    test_games: int = 20_000
    games: int = GAMES
    """Games of each candidate of a whole grid."""
    halving: HalvingConfig = field(default_factory=lambda: HalvingConfig(start=100, most=GAMES))

    def planned(self, grids: Grids = GRIDS) -> int:
        """Return the games of the whole experiment, including successive halving of whole grids."""
        start = Ensemble.preset("base")
        whole = self.games * sum(len(grid()) for grid in grids.values())
        halved = sum(self.halving.cost(len(set(map(canonical, candidates(name, start, grids))))) for name in grids)
        searches = 2 * len(grids) * self.iterations
        return self.iterations * (whole * self.grid + halved) + searches * self.games + (searches + 1) * self.test_games


SIZES = {
    "full": SearchSize(grid=True, iterations=3, test_games=100_000),
    "quick": SearchSize(grid=False, halving=HalvingConfig(start=80, most=GAMES)),
    "short": SearchSize(grid=False, test_games=8_000, halving=HalvingConfig(start=20, most=1500)),
    "tiny": SearchSize(grid=False, test_games=20, halving=HalvingConfig(start=2, most=4)),
}


@dataclass(frozen=True)
class SearchResult:
    """One search: its candidates, their scores, and the winner."""

    name: str
    iteration: int
    base: Ensemble
    before: Score
    """The score of the base on the deals of this search."""
    points: int
    """Points of the grid; several may be the same player."""
    candidates: tuple[Ensemble, ...]
    measured: tuple[Score, ...]
    order: tuple[int, ...]
    """Indices of the candidates, the best first."""
    first: int
    """Number of the first game of this search."""
    games: int
    """Games played in all."""

    @property
    def best(self) -> Ensemble:
        """Return the winner."""
        return self.candidates[self.order[0]]

    @property
    def after(self) -> Score:
        """Return the score by which the winner was chosen, which is biased by the selection."""
        return self.measured[self.order[0]]

    @property
    def value(self) -> tuple[float, ...]:
        """Return the winner's value of the parameter that was searched."""
        return varied_value(self.best, self.name)

    def best_group(self) -> set[Ensemble]:
        """Return the canonical players whose rates reach into the interval of the winner's."""
        least = self.after.win_rate().low
        scores = zip(self.candidates, self.measured, strict=True)
        return {canonical(player) for player, score in scores if score.games and score.win_rate().value >= least}


def first_game(iteration: int, name: str, games: int) -> int:
    """Return the number of the first game of a search; no two searches share a deal."""
    return (len(GRIDS) * (iteration - 1) + list(GRIDS).index(name)) * games


def search_grid(
    name: str, base: Ensemble, measure: Scores, *, seed: int, iteration: int = 1, games: int = GAMES, grids: Grids = GRIDS
) -> SearchResult:
    """Let every candidate of a grid play all games, as the paper does; of equal scores the first wins."""
    first, players = first_game(iteration, name, games), candidates(name, base, grids)
    before, *measured = measure([base, *players], OPPONENT, seed=seed, first=first, games=games)
    order = sorted(range(len(players)), key=lambda index: (-measured[index].wins, index))
    total = games * (len(players) + 1)
    return SearchResult(name, iteration, base, before, len(players), tuple(players), tuple(measured), tuple(order), first, total)


def halve_grid(
    name: str, base: Ensemble, measure: Scores, halving: HalvingConfig, *, seed: int, iteration: int = 1, grids: Grids = GRIDS
) -> SearchResult:
    """Run successive halving over the distinct players of a grid; players that leave early have few games."""
    first, points = first_game(iteration, name, halving.most), candidates(name, base, grids)
    players = list({canonical(player): player for player in reversed(points)}.values())[::-1]

    def play(runners: Sequence[Ensemble], start: int, games: int) -> list[Score]:
        return measure(runners, OPPONENT, seed=seed, first=first + start, games=games)

    before = measure([base], OPPONENT, seed=seed, first=first, games=halving.most)[0]
    result = successive_halving(players, play, halving)
    measured = tuple(result.scores[index] for index in range(len(players)))
    total = result.games + halving.most
    return SearchResult(name, iteration, base, before, len(points), tuple(players), measured, result.order, first, total)


# --- the whole experiment


@dataclass(frozen=True)
class SearchSummary:
    """A search, and its winner and base on held-out deals."""

    search: SearchResult
    halved: SearchResult | None
    """Successive halving over the same grid, if the whole grid was played."""
    before: Score
    after: Score
    same_deals: RateDifference
    """Winner against base on the deals of the search, as pairs."""
    fresh_deals: RateDifference
    """The same on held-out deals, which the selection has not biased."""

    def as_json(self) -> dict[str, Any]:
        """Return the result of the command line."""
        search = self.search
        answer: dict[str, Any] = {
            "search": search.name,
            "iteration": search.iteration,
            "candidates": search.points,
            "distinct_players": len(set(map(canonical, search.candidates))),
            "games": search.games,
            "best": list(search.value),
            "before": search.before.as_json(),
            "after": search.after.as_json(),
            "fresh_before": self.before.as_json(),
            "fresh_after": self.after.as_json(),
            "inflation": search.after.win_rate().value - self.after.win_rate().value,
            "one_sample": one_sample(search.before.wins / search.before.games, search.after).as_json(),
            "two_samples": two_samples(search.before, search.after).as_json(),
            "paired": self.same_deals.as_json(),
            "fresh_paired": self.fresh_deals.as_json(),
        }
        if self.halved is not None:
            answer["race"] = {
                "best": list(self.halved.value),
                "games": self.halved.games,
                "share_of_games": self.halved.games / search.games,
                "in_best_group": canonical(self.halved.best) in search.best_group(),
            }
        return answer


def ensemble_experiment(size: SearchSize, seed: int, start: str = "base", grids: Grids = GRIDS) -> Experiment:
    """Return the experiment of section 5.3; ``start``: the preset that the first search starts from."""
    Ensemble.preset(start)  # an unknown name is an error before anything starts
    settings = {**asdict(size), "base": start, "seed": seed}
    return Experiment("ensemble", settings, size.planned(grids), lambda work: search_ensembles(work, size, seed, start, grids))


def search_ensembles(work: RunEvaluator, size: SearchSize, seed: int, start: str = "base", grids: Grids = GRIDS) -> dict[str, Any]:
    """Run the whole experiment; return its result as plain JSON."""
    first = player = Ensemble.preset(start)
    searches: list[SearchSummary] = []
    for iteration in range(1, size.iterations + 1):
        for name in grids:
            search = halved = halve_grid(name, player, work.scores, size.halving, seed=seed, iteration=iteration, grids=grids)
            if size.grid:
                search = search_grid(name, player, work.scores, seed=seed, iteration=iteration, games=size.games, grids=grids)
            searches.append(_summarise(work, search, halved if size.grid else None, seed, size.test_games))
            player = search.best
    deals, ends = derive_seed(seed, Purpose.FRESH), (first, searches[-1].search.best)
    whole = paired(*(work.wins_by_deal(player, OPPONENT, seed=deals, first=0, games=size.test_games) for player in ends))
    return {
        "experiment": "ensemble",
        "outcomes": ensemble_outcomes(searches, whole),
        "start": start,
        "searches": [summary.as_json() for summary in searches],
        "whole": {"before": searches[0].before.as_json(), "after": searches[-1].after.as_json(), "fresh_paired": whole.as_json()},
        "adjacency_vectors": {"exact": len(GRIDS["adjacency"]()), "in_floats": len(adjacency_in_floats())},
        "player": str(searches[-1].search.best),
        "notes": _notes(searches, size),
    }


def _summarise(work: RunEvaluator, search: SearchResult, halved: SearchResult | None, seed: int, test_games: int) -> SearchSummary:
    players = (search.base, search.best)
    deals = derive_seed(seed, Purpose.FRESH)
    before, after = work.scores(players, OPPONENT, seed=deals, first=0, games=test_games)
    same = [work.wins_by_deal(player, OPPONENT, seed=seed, first=search.first, games=search.after.games) for player in players]
    again = [work.wins_by_deal(player, OPPONENT, seed=deals, first=0, games=test_games) for player in players]
    return SearchSummary(search, halved, before, after, paired(*same), paired(*again))


def ensemble_outcomes(searches: Sequence[SearchSummary], whole: RateDifference) -> dict[str, dict[str, Any]]:
    """Return the outcomes by claim id; ``whole``: the start against the end on held-out deals."""
    melds, last = _first_iteration(searches, "meldability"), _first_iteration(searches, "weights")
    sets, deadwood = melds.search.value[2], sum(last.search.value[1:4])
    runs = _of_best(melds.search, lambda value: value[2] <= 0.5)
    heavy = _of_best(last.search, lambda value: abs(sum(value[1:4]) - 0.6) < 0.11)
    gain = f"start against end on fresh deals, paired: {whole.difference:+.4f}, {whole}"
    outcomes = {
        "runs-over-sets": outcome(("", f"{1 - sets:.1f} against {sets:.1f}", runs)),
        "deadwood-weight": outcome(("", f"{deadwood:.1f}", heavy)),
        "iteration-gain": outcome(("", gain, gaining(whole, PAPER["weights"] - PAPER["base"]))),
    }
    later = [summary for summary in searches if summary.search.iteration > 1]
    if later:
        gains = sum(summary.fresh_deals.gain(among=len(later)) for summary in later)
        outcomes["later-iterations"] = outcome(("", f"{gains} of {len(later)} searches on fresh deals", holds(not gains)))
    return outcomes


def _first_iteration(searches: Sequence[SearchSummary], name: str) -> SearchSummary:
    return next(summary for summary in searches if (summary.search.name, summary.search.iteration) == (name, 1))


def _of_best(search: SearchResult, condition: Callable[[tuple[float, ...]], bool]) -> Verdict:
    """Judge a condition on the best player: it holds for all that may be the best, or for none, or more games are needed."""
    count, scores = len(search.candidates), zip(search.candidates, search.measured, strict=True)
    possible = [player for player, score in scores if score.games and not better(search.after, score, count)]
    values = {condition(varied_value(player, search.name)) for player in possible}
    return Verdict.OPEN if len(values) == 2 else holds(values == {True})


def _notes(searches: Sequence[SearchSummary], size: SearchSize) -> list[str]:
    melds, last = _first_iteration(searches, "meldability"), _first_iteration(searches, "weights")
    slopes = [_first_iteration(searches, name).search.value[0] for name in ("turn penalty", "known penalty")]
    authors, margin = AUTHORS_AGAIN
    in_the_paper = f"{PAPER['weights']} in the paper and {authors} +- {margin} with the authors' program measured again"
    notes = [
        "every candidate played all games" if size.grid else "the grids were raced: rates of those that left early rest on few games",
        "all candidates of a search play the same mirrored deals; fresh deals are those of no search",
        f"the start, whose values are not published: {melds.before.win_rate()} for our guess, {PAPER['base']} in the paper",
        (
            f"after meldability: {melds.search.after.win_rate()} when chosen, {melds.after.win_rate()} on fresh deals, "
            f"{PAPER['meldability']} in the paper"
        ),
        f"after the first iteration: {last.search.after.win_rate()} when chosen, {last.after.win_rate()} on fresh deals, {in_the_paper}",
        f"slopes of both penalties: {slopes[0]:g} and {slopes[1]:g}; 0 and 0 in the paper",
    ]
    halved = [summary for summary in searches if summary.halved is not None]
    if halved:
        same = sum(canonical(summary.halved.best) in summary.search.best_group() for summary in halved if summary.halved)
        share = sum(summary.halved.games for summary in halved if summary.halved) / sum(summary.search.games for summary in halved)
        notes.append(f"races end in the best group of the grid: {same} of {len(halved)}, with {share:.1%} of the games")
    return notes
