"""State tracking by a genetic algorithm: the paper's section 5.1.

An individual is nine numbers: how far p moves when the opponent draws, declines and discards a card, for cards one rank away, two away and
of the same rank. It plays as the simple player and only watches; its fitness is the share of the opponent's hidden cards that it guesses.

>>> paper = genes_of(Ensemble())
>>> scores = fitness([paper, (0.0,) * 9], games=40, seed=1, allowance=3, schedule="every draw")
>>> scores[0] > scores[1]
True
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from meldlab.arena.evaluation import RunEvaluator
from meldlab.arena.tasks import rules_record
from meldlab.chance import Purpose, check_seed, derive_seed
from meldlab.chance.kernel import unit
from meldlab.errors import NotLegalHere
from meldlab.gin import kernel_tracking, players
from meldlab.gin.batch import batch_rules, kernel_parameters, new_states
from meldlab.gin.players import Ensemble
from meldlab.gin.rules import Rules
from meldlab.reproduce.nagai.report import CheckedClaim, Report
from meldlab.reproduce.nagai.significance import Verdict
from meldlab.runs.store import Counts
from meldlab.runs.tasks import Task
from meldlab.statistics import Interval, Moments

__all__ = [
    "FULL",
    "QUICK",
    "SCHEDULES",
    "Genes",
    "GuessCurve",
    "TrackingSize",
    "curves_of",
    "evolve_trackers",
    "fitness",
    "genes_of",
    "play_shard",
    "search_trackers",
]

Genes = tuple[float, ...]
Population = NDArray[np.float64]  # [individuals, genes]
NINE = 9
WATCHED = "gin-only"  # who plays while a population is judged: longer rounds, more to see
JUDGED = "simple"  # who plays in the end
GROUP = 10  # individuals that one shard follows; playing the games costs as much as three of them
# When fitness is measured, by the number of own draws. The paper says only that times and frequencies differed.
SCHEDULES: Mapping[str, NDArray[np.bool_]] = {
    "every draw": np.arange(kernel_tracking.TRACKED_TURNS) >= 1,
    "every third draw": (np.arange(kernel_tracking.TRACKED_TURNS) >= 1) & (np.arange(kernel_tracking.TRACKED_TURNS) % 3 == 0),
    "from the sixth draw": np.arange(kernel_tracking.TRACKED_TURNS) >= 6,
}


@dataclass(frozen=True)
class TrackingSize:
    """How large the experiment is."""

    population: int
    generations: int
    games: int
    final: int
    tournament: int = 3
    mutation: float = 0.02

    def planned(self) -> int:
        """Return the games of the whole experiment at most: those that groups of individuals watch, and those of the end."""
        runs = len(SCHEDULES) * len(kernel_tracking.ALLOWED)
        return runs * self.generations * -(-self.population // GROUP) * self.games + self.final


QUICK = TrackingSize(population=50, generations=15, games=400, final=24_000)
FULL = TrackingSize(population=100, generations=50, games=2000, final=24_000)


def genes_of(player: Ensemble) -> Genes:
    """Return the nine numbers of a player."""
    return (*player.draws, *player.declines, *player.discards)


def _follow(
    genes: Sequence[Genes], opponent: str, table: Rules, seed: int, first: int, games: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return [trackers, ALLOWANCES, TRACKED_TURNS, 3] float64 and [TRACKED_TURNS, 2] int64 as the kernel adds them up."""
    if first % 2 or games % 2:
        raise NotLegalHere(f"games {first} to {first + games - 1} are not mirrored pairs")
    if table.small:
        raise NotLegalHere(f"state tracking expects hands of 10 cards from a deck of 52, got {table.cards} from {len(table.pack)}")
    if table.most_upcard_draws:
        raise NotLegalHere("state tracking does not follow most_upcard_draws, rounds that end when too many upcards were taken")
    pair = kernel_parameters(players.parse("simple")), kernel_parameters(players.parse(opponent))
    trackers = np.array(genes, np.float64).reshape(-1, kernel_tracking.NUM_SHARES)
    if not ((trackers >= 0) & (trackers <= 1)).all():
        raise NotLegalHere("a tracker moves p by shares from 0 to 1")
    totals, counts = (
        np.zeros((len(genes), kernel_tracking.ALLOWANCES, kernel_tracking.TRACKED_TURNS, 3)),
        np.zeros((kernel_tracking.TRACKED_TURNS, 2), np.int64),
    )
    kernel_tracking.track_matches(pair, batch_rules(table), new_states(check_seed(seed), first // 2), games // 2, trackers, totals, counts)
    return totals, counts


def _scores(totals: NDArray[np.float64], counts: NDArray[np.int64], allowance: int, schedule: str) -> list[float]:
    chosen = SCHEDULES[schedule]
    sums = totals[:, kernel_tracking.ALLOWED.index(allowance), chosen, kernel_tracking.FITNESS].sum(1)
    scores: list[float] = (sums / max(1, counts[chosen, kernel_tracking.MEASURED].sum())).tolist()
    return scores


def fitness(genes: Sequence[Genes], *, games: int, seed: int, allowance: int, schedule: str, first: int = 0) -> list[float]:
    """Return the fitness of each individual over the same mirrored games."""
    return _scores(*_follow(genes, WATCHED, Rules(), seed, first, games), allowance, schedule)


def play_shard(shard: Task) -> Counts:
    """Follow the games of a shard with each of its individuals; the worker ``gin.track``.

    With an allowance and a schedule among the arguments it answers scores, else everything that a curve is made of.
    """
    assert not isinstance(shard.player, str)
    assert isinstance(shard.opponent, str)
    genes = [shard.player[start : start + NINE] for start in range(0, len(shard.player), NINE)]
    totals, counts = _follow(genes, shard.opponent, Rules.read(rules_record(shard)), shard.seed, shard.first, shard.games)
    if "schedule" in shard.arguments:
        scores = _scores(totals, counts, shard.arguments["allowance"], shard.arguments["schedule"])
        return {"games": shard.games, "score": max(scores), "scores": scores}
    return {"games": shard.games, "totals": totals.tolist(), "counts": counts.tolist()}


@dataclass(frozen=True)
class GuessCurve:
    """How well one tracker guesses, by the number of its draws."""

    name: str
    allowance: int
    turns: tuple[int, ...]
    fitness: tuple[Interval, ...]
    whole: Interval
    """Over all draws."""


def curves_of(
    names: Sequence[str], totals: NDArray[np.float64], counts: NDArray[np.int64], pairs: int, least: int = 200
) -> list[GuessCurve]:
    """Return the curves of some trackers, for each allowance, over the turns with ``least`` measurements."""
    turns = [turn for turn in range(1, kernel_tracking.TRACKED_TURNS) if counts[turn, kernel_tracking.MEASURED] >= least]

    def interval(part: NDArray[np.float64], measured: NDArray[np.int64]) -> Interval:
        sums = np.array([measured[kernel_tracking.MEASURED], part[kernel_tracking.FITNESS]], np.float64)
        products = np.array(
            [
                [measured[kernel_tracking.MEASURED_SQUARE], part[kernel_tracking.PRODUCT]],
                [part[kernel_tracking.PRODUCT], part[kernel_tracking.SQUARE]],
            ],
            np.float64,
        )
        return Moments(pairs, sums, products).rate(1, 0)

    return [
        GuessCurve(
            name,
            allowed,
            tuple(turns),
            tuple(interval(totals[at, which, turn], counts[turn]) for turn in turns),
            interval(totals[at, which, 0], counts[0]),
        )
        for at, name in enumerate(names)
        for which, allowed in enumerate(kernel_tracking.ALLOWED)
    ]


# --- the genetic algorithm


def _chances(key: int, first: int, *shape: int) -> Population:
    """Return draws ``first`` and following at an address, floats in [0, 1)."""
    return np.array([unit(key, first + nth) for nth in range(int(np.prod(shape)))]).reshape(shape)


def _ordered(people: Population) -> Population:
    """Return individuals with a card one rank away never below one two away."""
    near, far = people[:, 0::3], people[:, 1::3]
    people[:, 0::3], people[:, 1::3] = np.maximum(near, far), np.minimum(near, far)
    return people


def _children(people: Population, scores: NDArray[np.float64], size: TrackingSize, key: int) -> Population:
    """Return the next generation: the best one, and children of those that win tournaments, crossed at two places and mutated."""
    many = size.population - 1
    picked = (_chances(key, 0, many, size.tournament) * len(people)).astype(np.int64)
    children = people[picked[np.arange(many), scores[picked].argmax(1)]]
    used = picked.size
    for one, cuts in zip(range(0, many - 1, 2), _chances(key, used, many // 2, 2), strict=True):
        # Two different places behind the first gene; what lies between them changes hands.
        start, end = 1 + int(cuts[0] * NINE), 1 + int(cuts[1] * (NINE - 1))
        start, end = (start, end + 1) if end >= start else (end, start)
        children[one : one + 2, start:end] = children[[one + 1, one], start:end]
    used += many // 2 * 2
    mutated = _chances(key, used, many, NINE) < size.mutation
    children[mutated] = _chances(key, used + children.size, many, NINE)[mutated]
    return np.concatenate((people[[scores.argmax()]], _ordered(children)))


def evolve_trackers(work: RunEvaluator, size: TrackingSize, *, seed: int, allowance: int, schedule: str) -> Iterator[tuple[Genes, float]]:
    """Run the paper's genetic algorithm; after each generation yield the best individual and its fitness.

    All meet the same games throughout, so that nobody is judged twice; the end measures on fresh ones.
    """
    known: dict[Genes, float] = {}

    def judge(individuals: Sequence[Genes]) -> NDArray[np.float64]:
        new = list(dict.fromkeys(one for one in individuals if one not in known))
        arguments = {"allowance": allowance, "schedule": schedule}
        groups = [new[start : start + GROUP] for start in range(0, len(new), GROUP)]
        shards = [
            Task("gin.track", tuple(g for genes in some for g in genes), WATCHED, seed=seed, games=size.games, arguments=arguments)
            for some in groups
        ]
        for some, counts in zip(groups, work.counts(shards), strict=True):
            known.update(zip(some, counts["scores"], strict=True))
        return np.array([known[one] for one in individuals])

    number = list(SCHEDULES).index(schedule) * len(kernel_tracking.ALLOWED) + kernel_tracking.ALLOWED.index(allowance)
    people = _ordered(_chances(derive_seed(seed, Purpose.EVOLVED, number), 0, size.population, NINE))
    for generation in range(1, size.generations + 1):
        individuals = [tuple(genes) for genes in people.tolist()]
        scores = judge(individuals)
        yield individuals[scores.argmax()], float(scores.max())
        people = _children(people, scores, size, derive_seed(seed, Purpose.EVOLVED, number, generation))


# --- the whole experiment


def search_trackers(work: RunEvaluator, size: TrackingSize, seed: int) -> Report:
    """Do the whole experiment: six runs of the algorithm, then all winners on fresh games, and the paper's values beside them."""
    named: dict[str, Genes] = {"baseline": (0.0,) * NINE, "paper": genes_of(Ensemble())}
    history: dict[str, list[float]] = {}
    for schedule in SCHEDULES:
        for allowance in kernel_tracking.ALLOWED:
            name = f"{schedule}, ad = {allowance}"
            found = list(evolve_trackers(work, size, seed=seed, allowance=allowance, schedule=schedule))
            named[name], history[name] = found[-1][0], [score for _, score in found]
    every = tuple(gene for genes in named.values() for gene in genes)
    pieces = Task("gin.track", every, JUDGED, seed=derive_seed(seed, Purpose.FRESH), games=size.final).split(2000)
    counted = work.counts(pieces)
    totals, counts = (np.sum([np.array(each[key]) for each in counted], axis=0) for key in ("totals", "counts"))
    curves = curves_of(list(named), totals, counts, size.final // 2, least=max(20, size.final // 200))
    results = {
        "individuals": {name: list(genes) for name, genes in named.items()},
        "history": history,
        "curves": [
            {
                "name": one.name,
                "ad": one.allowance,
                "turns": list(one.turns),
                "fitness": [each.value for each in one.fitness],
                "ci95": [[each.low, each.high] for each in one.fitness],
                "mean": one.whole.value,
                "mean_ci95": [one.whole.low, one.whole.high],
            }
            for one in curves
        ],
    }
    return Report("track", _findings(curves), results, NOTES)


NOTES = (
    "the number of generations and the times of measuring are not published; three schedules are ours",
    "p counts by its order only, and guesses among equal p fall at random: what is told is their mean",
)


NEARLY = 0.02  # means so near to each other count as nearly identical


def _above(high: Sequence[Interval], low: Sequence[Interval]) -> Verdict:
    """Judge whether every number of one row lies above its neighbour in the other."""
    pairs = list(zip(high, low, strict=True))
    if any(one.high < other.low for one, other in pairs):
        return Verdict.DIFFERS
    return Verdict.AGREES if pairs and all(one.value > other.value for one, other in pairs) else Verdict.OPEN


def _findings(curves: Sequence[GuessCurve]) -> tuple[CheckedClaim, ...]:
    by_name = {(one.name, one.allowance): one for one in curves}
    found = []
    for allowed in kernel_tracking.ALLOWED:
        base, paper = by_name["baseline", allowed], by_name["paper", allowed]
        ours = by_name[f"every draw, ad = {allowed}", allowed]
        others = [by_name[f"{schedule}, ad = {allowed}", allowed] for schedule in SCHEDULES]
        rises = _above(ours.fitness[1:], ours.fitness[:-1])
        pairs = list(zip(ours.fitness, base.fitness, strict=True))
        above, clearly = sum(one.value > other.value for one, other in pairs), sum(one.low > other.high for one, other in pairs)
        spread = max(one.whole.value for one in others) - min(one.whole.value for one in others)
        width = max(one.whole.high - one.whole.low for one in others)
        found += [
            CheckedClaim(
                f"ad = {allowed}: fitness rises with the turns",
                "yes (Figure 1)",
                f"{ours.fitness[0]} to {ours.fitness[-1]}",
                rises,
                "tracking-rises",
            ),
            CheckedClaim(
                f"ad = {allowed}: adjacency updates beat the baseline at every turn",
                "yes (Figure 1)",
                f"at {above} of {len(ours.turns)} turns, intervals apart at {clearly}; mean {ours.whole} against {base.whole}",
                _above(ours.fitness, base.fitness),
                "tracking-adjacency",
            ),
            CheckedClaim(
                f"ad = {allowed}: other times of measuring give nearly the same",
                "nearly identical",
                f"means within {spread:.4f}",
                Verdict.OPEN if width > NEARLY else Verdict.exactly(spread < NEARLY),
                "tracking-times",
            ),
            CheckedClaim(
                f"ad = {allowed}: the paper's own nine values, mean fitness",
                "not published",
                f"{paper.whole}; ours {ours.whole.value - paper.whole.value:+.4f}",
            ),
        ]
    return tuple(found)
