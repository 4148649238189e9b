"""What a game is like, in ten published numbers, each with its 95 % interval over games and a sentence that says what it means.

>>> from meldlab.lab.analysis.record import Decision, Record, Row
>>> rows = [Row((1, 0), (Decision(0, 3), Decision(1, 2))), Row((0, 1), (Decision(0, 3), Decision(1, 3)))]
>>> fair = fairness(Record.of_rows("max", 2, rows))
>>> fair.name, fair.interval.value
('fairness', 1.0)
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from meldlab.lab.analysis.record import Record
from meldlab.statistics import Interval, Moments, difference

__all__ = ["CLEAR", "NAMES", "SETTLED", "Heuristic", "heuristics"]

Real = NDArray[np.float64]
Games = NDArray[np.int64]

SETTLED = 0.8  # an estimate above which a game counts as decided
CLEAR = 0.3  # by how much a clearly best option beats the mean
NAMES = ("fairness", "order", "gain", "convergence", "spread", "drama", "security", "decisiveness", "coolness", "clarity")


@dataclass(frozen=True)
class Heuristic:
    """A number with its interval, None where the games do not define it, and what it means."""

    name: str
    interval: Interval | None
    meaning: str

    def __str__(self) -> str:
        return f"{self.name} {self.interval if self.interval else 'not defined'}"


def heuristics(random: Record, skilled: Record, single: Record, counted: Record | None = None) -> tuple[Heuristic, ...]:
    """Return all ten: from games of random players, of searching players, and of one of these in the first seat against random ones.

    ``counted`` may be a larger sample of random games, without their decisions, for the chances of the first seat.
    """
    first = counted or random
    return (
        fairness(first),
        order(single),
        gain(single, first),
        convergence(random),
        spread(skilled),
        drama(skilled),
        security(skilled),
        decisiveness(skilled),
        coolness(skilled),
        clarity(skilled),
    )


# --- from results


def fairness(random: Record) -> Heuristic:
    """Compare the first seat's chance in random games with an equal share."""
    seats, chance = random.seats, _wins_of_first(random)

    def fair(rate: float) -> float:
        return rate * seats if rate <= 1 / seats else (seats - seats * rate) / (seats - 1)

    interval = None
    if chance is not None and seats > 1:
        ends = sorted((fair(chance.low), fair(chance.high)))
        # The tent has its top at the equal share.
        interval = Interval(fair(chance.value), ends[0], 1.0 if chance.low <= 1 / seats <= chance.high else ends[1])
    share = f" It wins {chance.value:.1%}, an equal share is {1 / seats:.1%}." if chance and interval else ""
    return Heuristic(
        "fairness", interval, f"1 if the first seat wins its equal share of random games, 0 if it never or always wins.{share}"
    )


def order(single: Record) -> Heuristic:
    """Ask how much skill decides: the win rate of one searching player against random ones, 0 for an equal share, 1 for all."""
    seats, chance = single.seats, _wins_of_first(single)
    interval = None
    if chance is not None and seats > 1:
        ends = [(rate - 1 / seats) / (1 - 1 / seats) for rate in (chance.value, chance.low, chance.high)]
        interval = Interval(*ends)
    share = f" It wins {chance.value:.1%} of its games." if chance and interval else ""
    return Heuristic(
        "order",
        interval,
        f"How far skill beats chance: 1 if one searching player always beats random ones, 0 if it wins its equal share.{share}",
    )


def gain(single: Record, random: Record) -> Heuristic:
    """Subtract the first seat's chance among random players from that of a searching player in its place."""
    with_skill, without = _wins_of_first(single), _wins_of_first(random)
    interval = difference(with_skill, without) if with_skill and without and single.seats > 1 else None
    return Heuristic("gain", interval, "What searching adds to the first seat's win rate over choosing at random.")


def _wins_of_first(record: Record) -> Interval | None:
    """Return the win rate of the first seat over games that have scores; ties are shared."""
    shares = record.win_shares[record.ended, 0]
    return _share(shares, np.ones(len(shares)))


# --- from options


def convergence(random: Record) -> Heuristic:
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


def spread(skilled: Record) -> Heuristic:
    """Average best minus worst estimated score over decisions."""
    known = skilled.estimated
    apart = np.abs(skilled.best - skilled.worst)[known]
    game = skilled.game[known]
    interval = _mean(_sums(game, apart, skilled.games), _sums(game, np.ones(len(game)), skilled.games))
    text = "How much a decision matters: points of the final score between the best and the worst option, on average."
    return Heuristic("spread", interval, text)


def drama(skilled: Record) -> Heuristic:
    """Ask how far behind the winner saw himself while behind."""

    def depth(own: Real) -> float:
        behind = own[own < _threshold(skilled)]
        return float(np.sqrt(_threshold(skilled) - behind).mean()) if len(behind) else 0.0

    return Heuristic("drama", _over_winners(skilled, depth), "How deep the later winner sat in trouble: 0 if he was never behind.")


def security(skilled: Record) -> Heuristic:
    """Ask for how much of the game the winner did not see himself behind."""

    def safe(own: Real) -> float:
        return 1 - float((own < _threshold(skilled)).mean())

    return Heuristic("security", _over_winners(skilled, safe), "The share of his decisions at which the later winner was not behind.")


def decisiveness(skilled: Record) -> Heuristic:
    """Ask how soon the game was over once the winner saw himself nearly certain."""

    def settled(own: Real) -> float:
        sure = np.flatnonzero(own > SETTLED)
        return 1 - (len(own) - sure[0]) / len(own) if len(sure) else 1.0

    text = (
        f"1 less the share of the winner's decisions from his first estimate above {SETTLED:g} on: near 1 the game ends once it is decided."
    )
    return Heuristic("decisiveness", _over_winners(skilled, settled), text)


def coolness(skilled: Record) -> Heuristic:
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


def clarity(skilled: Record) -> Heuristic:
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


def _threshold(record: Record) -> float:
    """Return the estimate halfway between the first place and the second."""
    seats = record.seats
    return (1 + (seats - 2) / (seats - 1)) / 2


def _over_winners(record: Record, judge: Callable[[Real], float]) -> Interval | None:
    """Average what ``judge`` says of the winner's own estimates, game by game; a winner who never decided says nothing."""
    if record.seats < 2:
        return None
    winners = record.places.argmin(axis=1)
    by_winner = ~np.isnan(record.own_leads) & (record.seat == winners[record.game]) & record.ended[record.game]
    games = record.game[by_winner]
    said = np.array([judge(own) for own in np.split(record.own_leads[by_winner], np.flatnonzero(np.diff(games)) + 1) if len(own)])
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
