"""Ten published heuristics of a game, each with its 95 % interval over games and its meaning.

>>> fair = fairness(Sample.from_scores("max", np.array([[1, 0], [0, 1]])))
>>> fair.name, fair.interval.value
('fairness', 1.0)
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meldlab.analysis.sample import Sample
from meldlab.statistics import Interval, Moments, difference, wilson

Real = NDArray[np.float64]
Games = NDArray[np.int64]

SETTLED = 0.8  # an estimate above which a game counts as decided
CLEAR = 0.3  # by how much a clearly best option beats the mean
NAMES = ("fairness", "order", "gain", "convergence", "spread", "drama", "security", "decisiveness", "coolness", "clarity")
# The heuristics that follow another rule as published, and what that rule does.
PUBLISHED_RULES = {
    **dict.fromkeys(("fairness", "order", "gain"), "The same by seats, a tie being a whole win for each."),
    **dict.fromkeys(("drama", "security", "decisiveness", "coolness"), "The same from whole estimates, their noise included."),
}


@dataclass(frozen=True)
class Heuristic:
    """A value with its interval, None where the games do not define it, and its meaning."""

    name: str
    interval: Interval | None
    meaning: str
    published: Interval | None = None
    """The same by the published rule, where that is another: see ``PUBLISHED_RULES``."""

    def __str__(self) -> str:
        return f"{self.name} {self.interval if self.interval else 'not defined'}"


def heuristics(
    random: Sample, skilled: Sample, single: Sample, random_scores: Sample | None = None, teams: Sequence[int] = ()
) -> tuple[Heuristic, ...]:
    """Return all ten: from games of random players, of searching players, and of one of these in the first seat against random ones.

    ``random_scores`` may be a larger sample of random games, without their decisions, for the win rate of the first seat; ``teams`` has
    the number of each seat's team, 0 for none.
    """
    first = random_scores or random
    return (
        fairness(first, teams),
        order(single, teams),
        gain(single, first, teams),
        convergence(random),
        spread(skilled),
        drama(skilled),
        security(skilled),
        decisiveness(skilled),
        coolness(skilled),
        clarity(skilled),
    )


# --- from results


def fairness(random: Sample, teams: Sequence[int] = ()) -> Heuristic:
    """Compare the win rate of the first seat's side in random games with an equal share."""
    sides, rate = _sides(random, teams), _wins_of_first(random, teams)
    share = f" It wins {rate.value:.1%}, an equal share is {1 / sides:.1%}." if rate and sides > 1 else ""
    text = f"1 if {_first(random, teams)} wins its equal share of random games, 0 if it never or always wins.{share}"
    return Heuristic("fairness", _by_sides(rate, sides, _fair), text, _by_sides(_firsts(random), random.seats, _fair))


def _by_sides(rate: Interval | None, sides: int, function: Callable[[int, Interval], Interval]) -> Interval | None:
    return None if rate is None or sides < 2 else rate.mapped(partial(function, sides))


def fair_value(sides: int, share: float) -> float:
    """Return 1 at an equal share of the wins, 0 at none or all of them."""
    return share * sides if share <= 1 / sides else (sides - sides * share) / (sides - 1)


def _fair(sides: int, rate: Interval) -> Interval:
    ends = sorted((fair_value(sides, rate.low), fair_value(sides, rate.high)))
    # The function has its top at the equal share.
    return Interval(fair_value(sides, rate.value), ends[0], 1.0 if rate.low <= 1 / sides <= rate.high else ends[1])


def order(single: Sample, teams: Sequence[int] = ()) -> Heuristic:
    """Measure the effect of skill: the win rate of one searching player's side against random ones, 0 for an equal share, 1 for all."""
    sides, rate = _sides(single, teams), _wins_of_first(single, teams)
    share = f" It wins {rate.value:.1%} of its games." if rate and sides > 1 else ""
    partners = len(first_side(single, teams)) > 1
    who = "one searching player and its random partners always beat" if partners else "one searching player always beats"
    text = f"How far skill beats chance: 1 if {who} random ones, 0 if it wins its equal share.{share}"
    return Heuristic("order", _by_sides(rate, sides, _beyond), text, _by_sides(_firsts(single), single.seats, _beyond))


def beyond_share(sides: int, share: float) -> float:
    """Return 0 at an equal share of the wins, 1 at all of them."""
    return (share - 1 / sides) / (1 - 1 / sides)


def _beyond(sides: int, rate: Interval) -> Interval:
    value, low, high = (beyond_share(sides, share) for share in (rate.value, rate.low, rate.high))
    return Interval(value, low, high)


def gain(single: Sample, random: Sample, teams: Sequence[int] = ()) -> Heuristic:
    """Subtract the win rate of the first seat's side among random players from that with a searching player in that seat."""

    def gap(searching: Interval | None, guessing: Interval | None) -> Interval | None:
        return difference(searching, guessing) if searching and guessing and _sides(single, teams) > 1 else None

    ours = gap(_wins_of_first(single, teams), _wins_of_first(random, teams))
    text = f"What searching adds to the win rate of {_first(single, teams)} over choosing at random."
    return Heuristic("gain", ours, text, gap(_firsts(single), _firsts(random)))


def first_side(sample: Sample, teams: Sequence[int]) -> list[int]:
    """Return the seats on the side of the first seat."""
    return [seat for seat in range(sample.seats) if seat == 0 or (teams and teams[0] and teams[seat] == teams[0])]


def _sides(sample: Sample, teams: Sequence[int]) -> int:
    """Return the number of sides: teams, and players without a team."""
    return len({team or -seat for seat, team in enumerate(teams, 1)}) if teams else sample.seats


def _first(sample: Sample, teams: Sequence[int]) -> str:
    return "the first seat's team" if len(first_side(sample, teams)) > 1 else "the first seat"


def _wins_of_first(sample: Sample, teams: Sequence[int]) -> Interval | None:
    """Return the win rate of the first seat's side over games that have scores; ties are shared."""
    shares = sample.win_shares[sample.ended][:, first_side(sample, teams)].sum(axis=1)
    return _share(shares, np.ones(len(shares)))


def _firsts(sample: Sample) -> Interval | None:
    """Return how often the first seat alone has the first rank, over games that have scores; a tie is a win for each."""
    first = (sample.ranks[sample.ended, 0] == 0).astype(np.float64)
    return _share(first, np.ones(len(first)))


# --- from options


def convergence(random: Sample) -> Heuristic:
    """Fit a line to the options of each random game and turn its slope into 0 (ever more options) to 1 (ever fewer)."""
    slopes = np.array([_slope(random.options[random.game == number]) for number in range(random.games)])
    slopes = slopes[~np.isnan(slopes)]
    values = 1 - (slopes / 2 + 0.5)
    interval = _mean(values, np.ones(len(values)))
    trend = f" On average a decision has {slopes.mean():+.3f} options more than the one before." if len(slopes) else ""
    return Heuristic("convergence", interval, f"Above 0.5 the options become fewer during a random game, below 0.5 more.{trend}")


def _slope(options: NDArray[np.int64]) -> float:
    if len(options) < 2:
        return float("nan")
    move = np.arange(len(options)) - (len(options) - 1) / 2
    return float((move * options).sum() / (move**2).sum())


# --- from estimates


def spread(skilled: Sample) -> Heuristic:
    """Average best minus worst estimated score over decisions."""
    interval = _mean(*_by_game(skilled, np.abs(skilled.best - skilled.worst), skilled.estimated))
    text = "How much a decision matters: points of the final score between the best and the worst option, on average."
    return Heuristic("spread", interval, text)


def drama(skilled: Sample) -> Heuristic:
    """Measure how far behind the winner was by its own estimates: one half of the determinizations decides when, the other how far."""

    def depth(leads: Real, others: Real) -> float:
        behind = leads < _threshold(skilled)
        gaps = _threshold(skilled) - others[behind]
        # A gap that the other half does not confirm counts with a minus, so that noise has a mean of 0.
        return float((np.sign(gaps) * np.sqrt(np.abs(gaps))).mean()) if len(gaps) else 0.0

    return _halved("drama", "How far behind the later winner saw himself: 0 if he was never behind.", skilled, depth)


def security(skilled: Sample) -> Heuristic:
    """Measure the share of decisions at which the winner was not behind by its own estimates."""

    def safe(leads: Real, others: Real) -> float:
        return 1 - float(((leads < _threshold(skilled)) * np.sign(_threshold(skilled) - others)).mean())

    text = "The share of his decisions at which the later winner was not behind."
    return _halved("security", text, skilled, safe)


def decisiveness(skilled: Sample) -> Heuristic:
    """Measure how soon the game ended after the winner was nearly certain by both halves of the determinizations."""

    def settled(leads: Real, others: Real) -> float:
        sure = np.flatnonzero((leads > SETTLED) & (others > SETTLED))
        return 1 - (len(leads) - sure[0]) / len(leads) if len(sure) else 1.0

    text = (
        f"1 less the share of the winner's decisions from his first estimate above {SETTLED:g} on: near 1 the game ends once it is decided."
    )
    return _halved("decisiveness", text, skilled, settled)


def coolness(skilled: Sample) -> Heuristic:
    """Measure how rarely a player's estimate of its own lead falls from one of its decisions to the next."""

    def cool(leads: Real) -> Interval | None:
        falls, pairs = np.zeros(skilled.games), np.zeros(skilled.games)
        known = ~np.isnan(leads).any(axis=1)
        for seat in range(skilled.seats):
            mine = np.flatnonzero(known & (skilled.seat == seat))
            same = skilled.game[mine[1:]] == skilled.game[mine[:-1]]
            game, lost = skilled.game[mine[1:]][same], (leads[mine[:-1]] - leads[mine[1:]])[same]
            # A fall by one half counts 1, 0 or -1, by the sign of the fall by the other half.
            fell = ((lost > 0) * np.sign(lost[:, ::-1])).mean(axis=1)
            pairs += _sums(game, np.ones(len(game)), skilled.games)
            falls += _sums(game, fell, skilled.games)
        share = _share(falls, pairs)
        return share and share.complement()

    text = "How rarely a player's own prospects fall between two of its decisions; 1 is never."
    return Heuristic("coolness", cool(skilled.half_leads), text, cool(_whole(skilled)))


def clarity(skilled: Sample) -> Heuristic:
    """Measure how rarely one option stands out."""
    share = _share(*_by_game(skilled, skilled.value - skilled.mean >= CLEAR, ~np.isnan(skilled.value)))
    return Heuristic(
        "clarity",
        share and share.complement(),
        f"The share of decisions at which no option beats the mean of all by {CLEAR:g} or more on a scale from 0 to 1.",
    )


def _threshold(sample: Sample) -> float:
    """Return the estimate halfway between the first place and the second."""
    seats = sample.seats
    return (1 + (seats - 2) / (seats - 1)) / 2


def _halved(name: str, text: str, sample: Sample, score: Callable[[Real, Real], float]) -> Heuristic:
    """Return a heuristic of the winners' estimates by halves of the determinizations, and by the published rule."""
    return Heuristic(name, _over_winners(sample, sample.half_leads, score), text, _over_winners(sample, _whole(sample), score))


def _whole(sample: Sample) -> Real:
    """Return the estimates from all determinizations in place of both halves: the published rule."""
    return np.column_stack((sample.own_leads, sample.own_leads))


def _over_winners(sample: Sample, leads: Real, score: Callable[[Real, Real], float]) -> Interval | None:
    """Average ``score`` of the winner's own estimates, [decisions, 2] leads, over games and over the order of the halves.

    A game without an estimate of its winner does not count.
    """
    if sample.seats < 2:
        return None
    winners = sample.places.argmin(axis=1)
    by_winner = ~np.isnan(leads).any(axis=1) & (sample.seat == winners[sample.game]) & sample.ended[sample.game]
    games = np.split(leads[by_winner], np.flatnonzero(np.diff(sample.game[by_winner])) + 1)
    scores = np.array([(score(*own.T) + score(*own.T[::-1])) / 2 for own in games if len(own)])
    return _share(scores, np.ones(len(scores)))


# --- intervals


def _by_game(sample: Sample, values: NDArray[Any], known: NDArray[np.bool_]) -> tuple[Real, Real]:
    """Return the sum of values over the known decisions of each game, and the number of these."""
    game = sample.game[known]
    return _sums(game, values[known], sample.games), _sums(game, np.ones(len(game)), sample.games)


def _sums(game: Games, values: NDArray[Any], games: int) -> Real:
    """Add up values by game."""
    return np.bincount(game, values, minlength=games).astype(np.float64)


def _share(over: Real, under: Real) -> Interval | None:
    """Return a ratio of sums whose true value lies between 0 and 1; games are the clusters."""
    if under.sum() == 0:
        return None
    moments, value = Moments.from_counts(np.column_stack((under, over))), over.sum() / under.sum()
    # An estimate from two halves has no bound.
    return moments.rate(1, 0) if 0 <= value <= 1 else _bounded_share(moments, float(np.count_nonzero(under)))


def _bounded_share(moments: Moments, games: float, comparisons: int = 1) -> Interval:
    """Return an estimate outside of 0 to 1 as the bound next to it; the interval holds the one of the mean and the one of a rate."""
    mean = moments.mean(1, 0).bonferroni(comparisons)
    bound = min(1.0, max(0.0, mean.value))
    rate = wilson(bound, games, comparisons)
    low, high = min(rate.low, max(0.0, mean.low)), max(rate.high, min(1.0, mean.high))
    return Interval(bound, low, high, partial(_bounded_share, moments, games))


def _mean(over: Real, under: Real) -> Interval | None:
    """Return a ratio of sums of any size; games are the clusters."""
    if under.sum() == 0:
        return None
    return Moments.from_counts(np.column_stack((under, over))).mean(1, 0)
