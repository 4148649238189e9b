"""State tracking: the kernel against a slow tracker that follows a game at the table with dictionaries."""

from collections import defaultdict
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from meldlab.cards import CARDS, Card
from meldlab.gin import Gin, Match, Move, Rules, Verb, kernel_tracking, players
from meldlab.gin.batch import batch_rules, kernel_parameters, new_states
from meldlab.gin.players import Ensemble
from meldlab.play import Deal, Table
from meldlab.reproduce.nagai.tracking import genes_from, guess_curves

SEED = 9
EIGHTHS = (0.75, 0.25, 0.5, 0.375, 0.125, 0.25, 0.25, 0.125, 0.5)  # exact in floats as in fractions


def near(card: Card, genes: tuple[float, ...]) -> dict[Card, float]:
    """Return the cards near a card and the share by which their p moves."""
    shares = {}
    for other in CARDS:
        if other.rank == card.rank and other != card:
            shares[other] = genes[2]
        elif other.suit == card.suit and abs(other.rank - card.rank) in (1, 2):
            shares[other] = genes[abs(other.rank - card.rank) - 1]
    return shares


class Watcher:
    """Follows the rounds of seat 0 as the paper's section 2 says, in fractions."""

    def __init__(self, genes: tuple[float, ...]) -> None:
        self.genes = genes
        self.fitness: dict[tuple[int, int], list[Fraction]] = defaultdict(list)

    def start(self) -> None:
        self.p = {card: Fraction(31, 41) for card in CARDS}
        self.stock, self.known, self.turn, self.ratio = 31, set[Card](), 0, Fraction(31, 41)

    def move(self, card: Card, goal: int, genes: tuple[float, ...]) -> None:
        for other, share in near(card, genes).items():
            self.p[other] += (goal - self.p[other]) * Fraction(share)

    def see(self, own: bool, move: Move, upcard: Card | None) -> None:
        if move.verb is Verb.DRAW:
            self.stock -= 1
        if move.verb is Verb.DROP:
            if not own:
                self.known.discard(CARDS[move.index])
                self.move(CARDS[move.index], 1, self.genes[6:])
            ratio = Fraction(self.stock, self.stock + 10 - len(self.known))
            self.p = {card: p + ratio - self.ratio for card, p in self.p.items()}
            self.ratio = ratio
        elif not own and move.verb in (Verb.PASS, Verb.DRAW, Verb.TAKE):
            assert upcard is not None
            if move.verb is Verb.TAKE:
                self.known.add(upcard)
                self.move(upcard, 0, self.genes[:3])
            else:
                self.move(upcard, 1, self.genes[3:6])

    def guess(self, unknown: set[Card], hidden: set[Card]) -> None:
        self.turn += 1
        for allowance in kernel_tracking.ALLOWED:
            self.fitness[self.turn, allowance].append(self.mean_hits(unknown, hidden, allowance) / len(hidden))

    def mean_hits(self, unknown: set[Card], hidden: set[Card], allowance: int) -> Fraction:
        """Return the mean over all ways to break ties."""
        guesses = len(hidden) + allowance
        if guesses >= len(unknown):
            return Fraction(len(hidden))
        last = sorted(self.p[card] for card in unknown)[guesses - 1]
        sure = {card for card in unknown if self.p[card] < last}
        tied = {card for card in unknown if self.p[card] == last}
        return len(sure & hidden) + Fraction((guesses - len(sure)) * len(tied & hidden), len(tied))


def follow(genes: tuple[float, ...], pairs: int) -> Watcher:
    """Play games at the table and watch them."""
    watcher = Watcher(genes)
    for game in range(2 * pairs):
        me = game % 2
        seated = [players.parse("simple"), players.parse("gin-only")]
        played = Table(Gin(), seated[::-1] if me else seated).play(Deal(SEED, game // 2))
        state, rounds = played.first, -1
        for move in played.actions:
            assert isinstance(move, Move)
            assert isinstance(state, Match)
            if len(state.outcomes) != rounds:
                rounds = len(state.outcomes)
                watcher.start()
            own = state.seat == me
            before = state.round.view(me)
            watcher.see(own, move, before.upcard)
            after = state.apply(move)
            if own and move.verb in (Verb.DRAW, Verb.TAKE):
                view, other = after.round.view(me), set(after.round.view(1 - me).hand)
                seen = {*view.hand, *view.pile} | watcher.known
                watcher.guess(set(CARDS) - seen, other - watcher.known)
            state = after
    return watcher


def kernel(genes: list[tuple[float, ...]], pairs: int, first: int = 0) -> tuple[np.ndarray, np.ndarray]:
    totals, counts = (
        np.zeros((len(genes), kernel_tracking.ALLOWANCES, kernel_tracking.TRACKED_TURNS, 3)),
        np.zeros((kernel_tracking.TRACKED_TURNS, 2), np.int64),
    )
    pair = kernel_parameters(players.parse("simple")), kernel_parameters(players.parse("gin-only"))
    kernel_tracking.track_matches(pair, batch_rules(Rules()), new_states(SEED, first), pairs, np.array(genes, np.float64), totals, counts)
    return totals, counts


@pytest.mark.parametrize("genes", [EIGHTHS, genes_from(Ensemble())])
def test_track_matches_agrees_with_a_slow_tracker(genes: tuple[float, ...]) -> None:
    pairs = 3
    watcher = follow(genes, pairs)
    totals, counts = kernel([genes], pairs)
    for turn in range(1, kernel_tracking.TRACKED_TURNS):
        for which, allowance in enumerate(kernel_tracking.ALLOWED):
            expected = watcher.fitness.get((turn, allowance), [])
            assert counts[turn, kernel_tracking.MEASURED] == len(expected)
            assert totals[0, which, turn, kernel_tracking.FITNESS] == pytest.approx(float(sum(expected)), abs=1e-9)


def test_track_matches_without_updates_guesses_blindly() -> None:
    # All p are equal, so the share guessed is the share of unknown cards that are guesses.
    totals, counts = kernel([(0.0,) * 9], 20)
    watcher = follow((0.0,) * 9, 1)
    one, _ = kernel([(0.0,) * 9], 1)
    assert one[0, 0, 1, kernel_tracking.FITNESS] == pytest.approx(float(sum(watcher.fitness[1, 0])))
    # After the first draw 10 of 40 unknown cards are hidden, or of 41 if the opponent's card was taken.
    assert 10 / 41 <= totals[0, 0, 1, kernel_tracking.FITNESS] / counts[1, kernel_tracking.MEASURED] <= 10 / 38


def test_track_matches_of_several_trackers_and_in_pieces_add_up() -> None:
    several = [EIGHTHS, (0.0,) * 9, genes_from(Ensemble())]
    together, counts = kernel(several, 6)
    for at, genes in enumerate(several):
        alone, same = kernel([genes], 6)
        assert np.array_equal(alone[0], together[at])
        assert np.array_equal(same, counts)
    pieces = [kernel(several, 2, first) for first in (0, 2, 4)]
    assert np.allclose(sum(totals for totals, _ in pieces), together)
    assert np.array_equal(sum(each for _, each in pieces), counts)


def test_guess_curves_take_intervals_from_mirrored_pairs() -> None:
    totals, counts = kernel([EIGHTHS], 30)
    by_pair = [kernel([EIGHTHS], 1, first) for first in range(30)]
    curve = guess_curves(["one"], totals, counts, 30, minimum=1)[0]
    sums = np.array([one[0, 0, 0, kernel_tracking.FITNESS] for one, _ in by_pair])
    many = np.array([each[0, kernel_tracking.MEASURED] for _, each in by_pair])
    mean = sums.sum() / many.sum()
    error = np.sqrt(((sums - mean * many) ** 2).sum() / 29 * 30) / many.sum()
    assert curve.whole.value == pytest.approx(mean)
    assert (curve.whole.high - curve.whole.low) / 2 == pytest.approx(1.96 * error, rel=0.05)


def test_slow_tracker_takes_the_mean_over_ties() -> None:
    # A check of the oracle itself: five tied cards, two of them hidden, three guesses.
    watcher = Watcher(EIGHTHS)
    watcher.start()
    unknown, hidden = set(CARDS[:5]), set(CARDS[:2])
    every = [len(hidden & set(choice)) for choice in combinations(sorted(unknown), 2)]
    assert watcher.mean_hits(unknown, hidden, 0) == Fraction(sum(every), len(every))
