"""What a game is like, in ten published numbers, each with its 95 % interval over games and a sentence that says what it means.

>>> fair = fairness(Sample.of_scores("max", np.array([[1, 0], [0, 1]])))
>>> fair.name, fair.interval.value
('fairness', 1.0)
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from meldlab.lab.analysis.sample import Sample
from meldlab.statistics import Interval, Moments, difference

__all__ = ["BY_RESULT", "CLEAR", "NAMES", "SETTLED", "Heuristic", "first_side", "heuristics"]

Real = NDArray[np.float64]
Games = NDArray[np.int64]

SETTLED = 0.8  # an estimate above which a game counts as decided
CLEAR = 0.3  # by how much a clearly best option beats the mean
BY_RESULT = ("fairness", "order", "gain")  # these follow another rule as published
NAMES = (*BY_RESULT, "convergence", "spread", "drama", "security", "decisiveness", "coolness", "clarity")


@dataclass(frozen=True)
class Heuristic:
    """A number with its interval, None where the games do not define it, and what it means."""

    name: str
    interval: Interval | None
    meaning: str
    published: Interval | None = None
    """The same by the published rule, where that is another: by seats instead of teams, and a tie is a whole win for each."""

    def __str__(self) -> str:
        return f"{self.name} {self.interval if self.interval else 'not defined'}"


def heuristics(
    random: Sample, skilled: Sample, single: Sample, counted: Sample | None = None, teams: Sequence[int] = ()
) -> tuple[Heuristic, ...]:
    """Return all ten: from games of random players, of searching players, and of one of these in the first seat against random ones.

    ``counted`` may be a larger sample of random games, without their decisions, for the chances of the first seat; ``teams`` has the number
    of each seat's team, 0 for none.
    """
    first = counted or random
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
    """Compare the chance of the first seat's side in random games with an equal share."""
    sides, chance = _sides(random, teams), _wins_of_first(random, teams)
    share = f" It wins {chance.value:.1%}, an equal share is {1 / sides:.1%}." if chance and sides > 1 else ""
    text = f"1 if {_first(random, teams)} wins its equal share of random games, 0 if it never or always wins.{share}"
    return Heuristic("fairness", _tent(chance, sides), text, _tent(_firsts(random), random.seats))


def _tent(chance: Interval | None, sides: int) -> Interval | None:
    if chance is None or sides < 2:
        return None

    def fair(rate: float) -> float:
        return rate * sides if rate <= 1 / sides else (sides - sides * rate) / (sides - 1)

    ends = sorted((fair(chance.low), fair(chance.high)))
    # The tent has its top at the equal share.
    return Interval(fair(chance.value), ends[0], 1.0 if chance.low <= 1 / sides <= chance.high else ends[1])


def order(single: Sample, teams: Sequence[int] = ()) -> Heuristic:
    """Ask how much skill decides: the wins of one searching player's side against random ones, 0 for an equal share, 1 for all."""
    sides, chance = _sides(single, teams), _wins_of_first(single, teams)
    share = f" It wins {chance.value:.1%} of its games." if chance and sides > 1 else ""
    partners = len(first_side(single, teams)) > 1
    who = "one searching player and its random partners always beat" if partners else "one searching player always beats"
    text = f"How far skill beats chance: 1 if {who} random ones, 0 if it wins its equal share.{share}"
    return Heuristic("order", _above(chance, sides), text, _above(_firsts(single), single.seats))


def _above(chance: Interval | None, sides: int) -> Interval | None:
    if chance is None or sides < 2:
        return None
    value, low, high = ((rate - 1 / sides) / (1 - 1 / sides) for rate in (chance.value, chance.low, chance.high))
    return Interval(value, low, high)


def gain(single: Sample, random: Sample, teams: Sequence[int] = ()) -> Heuristic:
    """Subtract the chance of the first seat's side among random players from its chance with a searching player in that seat."""

    def apart(one: Interval | None, other: Interval | None) -> Interval | None:
        return difference(one, other) if one and other and _sides(single, teams) > 1 else None

    ours = apart(_wins_of_first(single, teams), _wins_of_first(random, teams))
    text = f"What searching adds to the win rate of {_first(single, teams)} over choosing at random."
    return Heuristic("gain", ours, text, apart(_firsts(single), _firsts(random)))


def first_side(sample: Sample, teams: Sequence[int]) -> list[int]:
    """Return the seats that win and lose with the first one."""
    return [seat for seat in range(sample.seats) if seat == 0 or (teams and teams[0] and teams[seat] == teams[0])]


def _sides(sample: Sample, teams: Sequence[int]) -> int:
    """Return how many sides there are: teams, and players without a team."""
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
    towards = 1 - (slopes / 2 + 0.5)
    interval = _mean(towards, np.ones(len(towards)))
    way = f" On average a decision has {slopes.mean():+.3f} options more than the one before." if len(slopes) else ""
    return Heuristic("convergence", interval, f"Above 0.5 the options become fewer as a random game goes on, below 0.5 more.{way}")


def _slope(options: NDArray[np.int64]) -> float:
    if len(options) < 2:
        return float("nan")
    move = np.arange(len(options)) - (len(options) - 1) / 2
    return float((move * options).sum() / (move**2).sum())


# --- from estimates


def spread(skilled: Sample) -> Heuristic:
    """Average best minus worst estimated score over decisions."""
    known = skilled.estimated
    apart = np.abs(skilled.best - skilled.worst)[known]
    game = skilled.game[known]
    interval = _mean(_sums(game, apart, skilled.games), _sums(game, np.ones(len(game)), skilled.games))
    text = "How much a decision matters: points of the final score between the best and the worst option, on average."
    return Heuristic("spread", interval, text)


def drama(skilled: Sample) -> Heuristic:
    """Ask how far behind the winner saw himself while behind."""

    def depth(own: Real) -> float:
        behind = own[own < _threshold(skilled)]
        return float(np.sqrt(_threshold(skilled) - behind).mean()) if len(behind) else 0.0

    return Heuristic("drama", _over_winners(skilled, depth), "How deep the later winner sat in trouble: 0 if he was never behind.")


def security(skilled: Sample) -> Heuristic:
    """Ask for how much of the game the winner did not see himself behind."""

    def safe(own: Real) -> float:
        return 1 - float((own < _threshold(skilled)).mean())

    return Heuristic("security", _over_winners(skilled, safe), "The share of his decisions at which the later winner was not behind.")


def decisiveness(skilled: Sample) -> Heuristic:
    """Ask how soon the game was over once the winner saw himself nearly certain."""

    def settled(own: Real) -> float:
        sure = np.flatnonzero(own > SETTLED)
        return 1 - (len(own) - sure[0]) / len(own) if len(sure) else 1.0

    text = (
        f"1 less the share of the winner's decisions from his first estimate above {SETTLED:g} on: near 1 the game ends once it is decided."
    )
    return Heuristic("decisiveness", _over_winners(skilled, settled), text)


def coolness(skilled: Sample) -> Heuristic:
    """Ask how rarely a player's view of its own chances falls from one of its decisions to the next."""
    falls, pairs = np.zeros(skilled.games), np.zeros(skilled.games)
    known = ~np.isnan(skilled.own_leads)
    for seat in range(skilled.seats):
        mine = np.flatnonzero(known & (skilled.seat == seat))
        same = skilled.game[mine[1:]] == skilled.game[mine[:-1]]
        later = mine[1:][same]
        fell = (skilled.own_leads[mine[1:]] < skilled.own_leads[mine[:-1]])[same]
        pairs += _sums(skilled.game[later], np.ones(len(later)), skilled.games)
        falls += _sums(skilled.game[later], fell.astype(np.float64), skilled.games)
    return Heuristic(
        "coolness", _less(_share(falls, pairs)), "How rarely a player's own prospects fall between two of its decisions; 1 is never."
    )


def clarity(skilled: Sample) -> Heuristic:
    """Ask how rarely one option stands out."""
    known = ~np.isnan(skilled.value)
    stands_out = (skilled.value - skilled.mean >= CLEAR)[known].astype(np.float64)
    game = skilled.game[known]
    outs = _share(_sums(game, stands_out, skilled.games), _sums(game, np.ones(len(game)), skilled.games))
    return Heuristic(
        "clarity",
        _less(outs),
        f"The share of decisions at which no option beats the mean of all by {CLEAR:g} or more on a scale from 0 to 1.",
    )


def _threshold(sample: Sample) -> float:
    """Return the estimate halfway between the first place and the second."""
    seats = sample.seats
    return (1 + (seats - 2) / (seats - 1)) / 2


def _over_winners(sample: Sample, judge: Callable[[Real], float]) -> Interval | None:
    """Average what ``judge`` says of the winner's own estimates, game by game; a winner who never decided says nothing."""
    if sample.seats < 2:
        return None
    winners = sample.places.argmin(axis=1)
    by_winner = ~np.isnan(sample.own_leads) & (sample.seat == winners[sample.game]) & sample.ended[sample.game]
    games = sample.game[by_winner]
    said = np.array([judge(own) for own in np.split(sample.own_leads[by_winner], np.flatnonzero(np.diff(games)) + 1) if len(own)])
    return _share(said, np.ones(len(said)))


# --- intervals


def _sums(game: Games, values: Real, games: int) -> Real:
    """Add up values by game."""
    return np.bincount(game, values, minlength=games).astype(np.float64)


def _share(over: Real, under: Real) -> Interval | None:
    """Return a ratio of sums that lies between 0 and 1; games are the clusters."""
    if under.sum() == 0:
        return None
    return Moments.of(np.column_stack((under, over))).rate(1, 0)


def _mean(over: Real, under: Real) -> Interval | None:
    """Return a ratio of sums of any size; games are the clusters."""
    if under.sum() == 0:
        return None
    return Moments.of(np.column_stack((under, over))).mean(1, 0)


def _less(share: Interval | None) -> Interval | None:
    """Return one less a share."""
    return None if share is None else Interval(1 - share.value, 1 - share.high, 1 - share.low)
