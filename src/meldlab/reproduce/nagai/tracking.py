"""State tracking by a genetic algorithm: the paper's section 5.1.

An individual is nine numbers: the change of p when the opponent draws, declines and discards a card, for cards one rank away, two away and
of the same rank. It plays as the simple player and only tracks; its fitness is the share of the opponent's hidden cards that it guesses.

>>> arguments = {"allowance": 3, "schedule": "every draw"}
>>> task = Task("gin.track", (*genes_from(Ensemble()), *(0.0,) * 9), EVOLUTION_PLAYER, seed=1, games=40, arguments=arguments)
>>> paper, baseline = track_task(task)["scores"]
>>> paper > baseline
True
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meldlab.arena.evaluation import RunEvaluator
from meldlab.arena.tasks import rules_record
from meldlab.chance import Purpose, check_seed, derive_seed
from meldlab.chance.kernel import unit
from meldlab.errors import NotLegalHere
from meldlab.gin import Rules, players
from meldlab.gin.batch import batch_rules, kernel_parameters, new_states
from meldlab.gin.kernel_tracking import (
    ALLOWANCES,
    ALLOWED,
    FITNESS,
    MEASURED,
    MEASURED_SQUARE,
    NUM_SHARES,
    PRODUCT,
    SQUARE,
    TRACKED_TURNS,
    track_matches,
)
from meldlab.gin.players import Ensemble
from meldlab.reproduce.claims import Verdict
from meldlab.reproduce.nagai.significance import holds, outcome
from meldlab.runs.store import Counts
from meldlab.runs.tasks import Task
from meldlab.statistics import Interval, Moments
from meldlab.tuning.experiment import Experiment

Genes = tuple[float, ...]
Population = NDArray[np.float64]  # [individuals, genes]
NINE = 9
EVOLUTION_PLAYER = "gin-only"  # plays the games of a population: longer rounds, more observations
FINAL_PLAYER = "simple"  # plays the final games
GROUP = 10  # individuals of one task; playing the games costs as much as tracking with three of them
# The own draws at which fitness is measured. The paper says only that times and frequencies differed.
SCHEDULES: Mapping[str, NDArray[np.bool_]] = {
    "every draw": np.arange(TRACKED_TURNS) >= 1,
    "every third draw": (np.arange(TRACKED_TURNS) >= 1) & (np.arange(TRACKED_TURNS) % 3 == 0),
    "from the sixth draw": np.arange(TRACKED_TURNS) >= 6,
}


@dataclass(frozen=True)
class TrackingSize:
    """The size of the experiment."""

    population: int
    generations: int
    games: int
    final: int
    tournament: int = 3
    mutation: float = 0.02

    def planned(self) -> int:
        """Return the games of the whole experiment at most: those of groups of individuals, and the final ones."""
        runs = len(SCHEDULES) * len(ALLOWED)
        return runs * self.generations * -(-self.population // GROUP) * self.games + self.final


# quick: of tune --quick; short: of reproduce --quick, which is to take seconds; tiny: of tests
SIZES = {
    "full": TrackingSize(population=100, generations=50, games=2000, final=24_000),
    "quick": TrackingSize(population=50, generations=15, games=400, final=24_000),
    "short": TrackingSize(population=20, generations=4, games=60, final=6000),
    "tiny": TrackingSize(population=10, generations=1, games=10, final=200),
}


def genes_from(player: Ensemble) -> Genes:
    """Return the nine numbers of a player."""
    return (*player.draws, *player.declines, *player.discards)


def _track(genes: Sequence[Genes], task: Task) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return [trackers, ALLOWANCES, TRACKED_TURNS, 3] float64 and [TRACKED_TURNS, 2] int64, the sums of the kernel."""
    rules, first, games = Rules.read(rules_record(task)), task.first, task.games
    if first % 2 or games % 2:
        raise NotLegalHere(f"games {first} to {first + games - 1} are not mirrored pairs")
    if rules.small:
        raise NotLegalHere(f"state tracking expects hands of 10 cards from a deck of 52, got {rules.cards} from {len(rules.pack)}")
    if rules.max_upcard_draws:
        raise NotLegalHere("state tracking does not support max_upcard_draws, rounds that end when too many upcards were taken")
    assert isinstance(task.opponent, str)
    pair = kernel_parameters(players.parse("simple")), kernel_parameters(players.parse(task.opponent))
    trackers = np.array(genes, np.float64).reshape(-1, NUM_SHARES)
    if not ((trackers >= 0) & (trackers <= 1)).all():
        raise NotLegalHere("a tracker moves p by shares from 0 to 1")
    totals, counts = np.zeros((len(genes), ALLOWANCES, TRACKED_TURNS, 3)), np.zeros((TRACKED_TURNS, 2), np.int64)
    track_matches(pair, batch_rules(rules), new_states(check_seed(task.seed), first // 2), games // 2, trackers, totals, counts)
    return totals, counts


def _scores(totals: NDArray[np.float64], counts: NDArray[np.int64], allowance: int, schedule: str) -> list[float]:
    chosen = SCHEDULES[schedule]
    sums = totals[:, ALLOWED.index(allowance), chosen, FITNESS].sum(1)
    scores: list[float] = (sums / max(1, counts[chosen, MEASURED].sum())).tolist()
    return scores


def track_task(task: Task) -> Counts:
    """Track the games of a task with each of its individuals; the task function ``gin.track``.

    With an allowance and a schedule among the arguments the result has scores, else all sums of the curves.
    """
    assert not isinstance(task.player, str)
    genes = [task.player[start : start + NINE] for start in range(0, len(task.player), NINE)]
    totals, counts = _track(genes, task)
    if "schedule" in task.arguments:
        scores = _scores(totals, counts, task.arguments["allowance"], task.arguments["schedule"])
        return {"games": task.games, "score": max(scores), "scores": scores}
    return {"games": task.games, "totals": totals.tolist(), "counts": counts.tolist()}


@dataclass(frozen=True)
class GuessCurve:
    """The fitness of one tracker by the number of its draws."""

    name: str
    allowance: int
    turns: tuple[int, ...]
    fitness: tuple[Interval, ...]
    whole: Interval
    """Over all draws."""


def guess_curves(
    names: Sequence[str], totals: NDArray[np.float64], counts: NDArray[np.int64], pairs: int, minimum: int = 200
) -> list[GuessCurve]:
    """Return the curves of some trackers, for each allowance, over the turns with ``minimum`` measurements."""
    turns = [turn for turn in range(1, TRACKED_TURNS) if counts[turn, MEASURED] >= minimum]

    def interval(part: NDArray[np.float64], measured: NDArray[np.int64]) -> Interval:
        sums = np.array([measured[MEASURED], part[FITNESS]], np.float64)
        products = np.array([[measured[MEASURED_SQUARE], part[PRODUCT]], [part[PRODUCT], part[SQUARE]]], np.float64)
        return Moments(pairs, sums, products).rate(1, 0)

    return [
        GuessCurve(
            name,
            allowed,
            tuple(turns),
            tuple(interval(totals[tracker, index, turn], counts[turn]) for turn in turns),
            interval(totals[tracker, index, 0], counts[0]),
        )
        for tracker, name in enumerate(names)
        for index, allowed in enumerate(ALLOWED)
    ]


# --- the genetic algorithm


def _uniform(key: int, first: int, *shape: int) -> Population:
    """Return random numbers ``first`` and following at an address, floats in [0, 1)."""
    return np.array([unit(key, first + nth) for nth in range(int(np.prod(shape)))]).reshape(shape)


def _ordered(people: Population) -> Population:
    """Return individuals with a card one rank away never below one two away."""
    near, far = people[:, 0::3], people[:, 1::3]
    people[:, 0::3], people[:, 1::3] = np.maximum(near, far), np.minimum(near, far)
    return people


def _children(people: Population, scores: NDArray[np.float64], size: TrackingSize, key: int) -> Population:
    """Return the next generation: the best one, and children of those that win tournaments, crossed at two places and mutated."""
    count = size.population - 1
    picked = (_uniform(key, 0, count, size.tournament) * len(people)).astype(np.int64)
    children = people[picked[np.arange(count), scores[picked].argmax(1)]]
    used = picked.size
    for child, cuts in zip(range(0, count - 1, 2), _uniform(key, used, count // 2, 2), strict=True):
        # Two different positions after the first gene; the genes between them are exchanged.
        start, end = 1 + int(cuts[0] * NINE), 1 + int(cuts[1] * (NINE - 1))
        start, end = (start, end + 1) if end >= start else (end, start)
        children[child : child + 2, start:end] = children[[child + 1, child], start:end]
    used += count // 2 * 2
    mutated = _uniform(key, used, count, NINE) < size.mutation
    children[mutated] = _uniform(key, used + children.size, count, NINE)[mutated]
    return np.concatenate((people[[scores.argmax()]], _ordered(children)))


def evolve_trackers(work: RunEvaluator, size: TrackingSize, *, seed: int, allowance: int, schedule: str) -> Iterator[tuple[Genes, float]]:
    """Run the paper's genetic algorithm; after each generation yield the best individual and its fitness.

    All track the same games throughout, so that no individual is measured twice; the winners are measured on fresh games.
    """
    known: dict[Genes, float] = {}

    def scores_of(individuals: Sequence[Genes]) -> NDArray[np.float64]:
        new = list(dict.fromkeys(genes for genes in individuals if genes not in known))
        arguments = {"allowance": allowance, "schedule": schedule}
        groups = [new[start : start + GROUP] for start in range(0, len(new), GROUP)]
        whole = Task("gin.track", "", EVOLUTION_PLAYER, seed=seed, games=size.games, arguments=arguments)
        tasks = [replace(whole, player=tuple(chain(*group))) for group in groups]
        for group, counts in zip(groups, work.counts(tasks), strict=True):
            known.update(zip(group, counts["scores"], strict=True))
        return np.array([known[genes] for genes in individuals])

    number = list(SCHEDULES).index(schedule) * len(ALLOWED) + ALLOWED.index(allowance)
    people = _ordered(_uniform(derive_seed(seed, Purpose.EVOLVED, number), 0, size.population, NINE))
    for generation in range(1, size.generations + 1):
        individuals = [tuple(genes) for genes in people.tolist()]
        scores = scores_of(individuals)
        yield individuals[scores.argmax()], float(scores.max())
        people = _children(people, scores, size, derive_seed(seed, Purpose.EVOLVED, number, generation))


# --- the whole experiment


def track_experiment(size: TrackingSize, seed: int) -> Experiment:
    """Return the experiment of section 5.1."""
    return Experiment("track", {**asdict(size), "seed": seed}, size.planned(), lambda work: search_trackers(work, size, seed))


def search_trackers(work: RunEvaluator, size: TrackingSize, seed: int) -> dict[str, Any]:
    """Run the whole experiment: six runs of the algorithm, then all winners and the paper's values on fresh games; return plain JSON."""
    named: dict[str, Genes] = {"baseline": (0.0,) * NINE, "paper": genes_from(Ensemble())}
    history: dict[str, list[float]] = {}
    for schedule in SCHEDULES:
        for allowance in ALLOWED:
            name = f"{schedule}, ad = {allowance}"
            generations = list(evolve_trackers(work, size, seed=seed, allowance=allowance, schedule=schedule))
            named[name], history[name] = generations[-1][0], [score for _, score in generations]
    trackers = tuple(chain(*named.values()))
    tasks = Task("gin.track", trackers, FINAL_PLAYER, seed=derive_seed(seed, Purpose.FRESH), games=size.final).split(2000)
    results = work.counts(tasks)
    totals, counts = (np.sum([np.array(result[key]) for result in results], axis=0) for key in ("totals", "counts"))
    curves = guess_curves(list(named), totals, counts, size.final // 2, minimum=max(20, size.final // 200))
    return {
        "experiment": "track",
        "outcomes": tracking_outcomes(curves),
        "individuals": {name: list(genes) for name, genes in named.items()},
        "history": history,
        "curves": [
            {
                "name": curve.name,
                "ad": curve.allowance,
                "turns": list(curve.turns),
                "fitness": [rate.value for rate in curve.fitness],
                "ci95": [[rate.low, rate.high] for rate in curve.fitness],
                "mean": curve.whole.value,
                "mean_ci95": [curve.whole.low, curve.whole.high],
            }
            for curve in curves
        ],
        "notes": [*NOTES, *_paper_notes(curves)],
    }


NOTES = (
    "the number of generations and the times of measuring are not published; three schedules are ours",
    "only the order of p counts, and guesses among equal p are random: the mean is given",
)


NEARLY = 0.02  # means within this distance count as nearly identical


def _above(high: Sequence[Interval], low: Sequence[Interval]) -> Verdict:
    """Judge whether every rate of a row is above the rate at the same place of the other."""
    pairs = list(zip(high, low, strict=True))
    if any(upper.high < lower.low for upper, lower in pairs):
        return Verdict.REFUTED
    return Verdict.WITHIN if pairs and all(upper.value > lower.value for upper, lower in pairs) else Verdict.OPEN


def tracking_outcomes(curves: Sequence[GuessCurve]) -> dict[str, dict[str, Any]]:
    """Return the outcomes by claim id; each holds for both allowances or not at all."""
    by_name = {(curve.name, curve.allowance): curve for curve in curves}
    parts: dict[str, list[tuple[str, str, Verdict]]] = {"tracking-rises": [], "tracking-adjacency": [], "tracking-times": []}
    for allowed in ALLOWED:
        name, base = f"ad = {allowed}", by_name["baseline", allowed]
        ours, *others = [by_name[f"{schedule}, ad = {allowed}", allowed] for schedule in SCHEDULES]
        rises = _above(ours.fitness[1:], ours.fitness[:-1])
        parts["tracking-rises"].append((name, f"{ours.fitness[0]} to {ours.fitness[-1]}", rises))
        pairs = list(zip(ours.fitness, base.fitness, strict=True))
        above, clearly = sum(upper.value > lower.value for upper, lower in pairs), sum(upper.low > lower.high for upper, lower in pairs)
        text = f"at {above} of {len(ours.turns)} turns, intervals apart at {clearly}; mean {ours.whole} against {base.whole}"
        parts["tracking-adjacency"].append((name, text, _above(ours.fitness, base.fitness)))
        means = [curve.whole for curve in (ours, *others)]
        spread, width = max(mean.value for mean in means) - min(mean.value for mean in means), max(mean.high - mean.low for mean in means)
        verdict = Verdict.OPEN if width > NEARLY else holds(spread < NEARLY)
        parts["tracking-times"].append((name, f"means within {spread:.4f}", verdict))
    return {claim: outcome(*of_claim) for claim, of_claim in parts.items()}


def _paper_notes(curves: Sequence[GuessCurve]) -> list[str]:
    """Compare the paper's own nine values with ours."""
    whole = {(curve.name, curve.allowance): curve.whole for curve in curves}
    return [
        f"ad = {allowed}: mean fitness of the paper's own nine values {whole['paper', allowed]}; "
        f"ours {whole[f'every draw, ad = {allowed}', allowed].value - whole['paper', allowed].value:+.4f}"
        for allowed in ALLOWED
    ]
