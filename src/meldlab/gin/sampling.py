"""Deals sampled from a view, and rollouts of moves on them, for search players and reviews.

>>> from meldlab.gin.advice import position_view
>>> from meldlab.gin.players import parse
>>> view, simple = position_view("2C 3C 4C 9D 9H 9S KC KD KH KS 5H"), parse("simple").parameters()
>>> moves = [Move.parse("knock 5H | 9D 9H 9S | KC KD KH KS | 2C 3C 4C"), Move.parse("drop KS")]
>>> outcomes = rollouts(view, moves, 1, range(100), (simple, simple)).outcomes
>>> outcomes.shape, bool(outcomes[:, 0].mean() > outcomes[:, 1].mean())
((100, 2), True)
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meldlab.cards import Hand
from meldlab.errors import NotLegalHere
from meldlab.gin.batch import PlayerParameters
from meldlab.gin.equity import decode_outcomes
from meldlab.gin.kernel_ensemble import replay_events
from meldlab.gin.kernel_sampling import CANDIDATE_WIDTH, FIRST_MELD, NO_SCORE, Position, Rollouts, play_rollouts
from meldlab.gin.kernel_state import BIG_GIN, KNOCK, NO_CARD, SEAT_SHIFT, STATE, EnsembleParameters, RuleNumbers
from meldlab.gin.move import Move, Verb
from meldlab.gin.observation import action_of, events_of, state_of
from meldlab.gin.round import returned_twice
from meldlab.gin.rules import ONLY_SIMPLE, Rules, kernel_rules
from meldlab.gin.view import Phase, View, best_melds
from meldlab.melds import deadwood
from meldlab.parallel import run_on_cores

EITHER_SEAT = 3 << SEAT_SHIFT  # exchanges 1 and 2, the seats that discarded a card of the pile
KNOCKING = (Verb.KNOCK, Verb.BIG_GIN)
MAX_DRAWS = 100  # after which a rollout is void: two players may swap upcards without end
CHUNK = 4
NO_ODDS = np.empty(0)
PAIRS = ("hand", "known", "discarded", "declined", "turns", "scores")  # fields of a state, by seat
Players = tuple[PlayerParameters, PlayerParameters]


def rollouts(
    view: View, moves: Sequence[Move], key: int, samples: range, players: Players, steps: int = 0, *, odds: Any = NO_ODDS, threads: int = 1
) -> Rollouts:
    """Return the outcome of each move on each sampled deal; between two policies truncated after ``steps`` actions, if not 0.

    Not for showing. ``players``: those of the seat of the view, and of the other; ``key``: the address that all draws come from;
    ``odds``: [52], that the opponent holds each card, by a belief; without one its hand is developed for as many turns.
    """
    candidates, position, root = _candidates(view, moves), position_of(view, players, odds), np.uint64(key)
    rules = _rules(view.rules)
    rules = rules._replace(max_draws=min(rules.max_draws, view.draws + MAX_DRAWS))
    outcomes, expected = np.empty((len(samples), len(moves)), np.int64), np.empty((len(samples), len(moves)))

    def play(first: int, count: int) -> None:
        part = slice(first, first + count)
        results = Rollouts(outcomes[part], expected[part], steps, np.zeros(1, STATE))
        play_rollouts(candidates, position, *players, rules, root, samples.start + first, results)

    run_on_cores(play, len(samples), threads=threads, size=CHUNK)
    return Rollouts(outcomes, expected, steps, None)


def points_of(outcomes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the points of outcomes."""
    signs, points = decode_outcomes(outcomes)
    return (signs * points).astype(np.float64)


def position_of(view: View, players: Sequence[PlayerParameters] = (), odds: NDArray[np.float64] = NO_ODDS) -> Position:
    """Return the position of a view, with its seat as seat 0; ``players``: those whose beliefs are restored."""
    states = state_of(view)
    if view.seat == 1:
        for name in PAIRS:
            states[name] = states[name][:, ::-1]
        owner = states["pile"][0] >> SEAT_SHIFT
        states["pile"][0] ^= np.where(owner > 0, EITHER_SEAT, 0).astype(np.uint8)
    states["seat"], states["starter"], states["returned"] = 0, 0, NO_CARD
    if view.phase is Phase.OFFER and any(move.verb is Verb.PASS for _, move in view.history):
        states["starter"] = 1
    beliefs = np.zeros((2, 54))
    for belief, player, seat in zip(beliefs, players, (view.seat, 1 - view.seat), strict=False):
        if isinstance(player, EnsembleParameters):
            replay_events(seat, events_of(view), player, belief)
    return Position(states, np.array(view.card_indices, np.int64), beliefs, odds, view.limit)


@cache
def _rules(rules: Rules) -> RuleNumbers:
    """Return the rules of rollouts: no player in kernels puts an upcard back, and the stock runs out without a last knock."""
    if rules.small:
        raise NotLegalHere(ONLY_SIMPLE)
    return kernel_rules(rules)._replace(wall_knock=0, void_if_returned_twice=0)


def _candidates(view: View, moves: Sequence[Move]) -> NDArray[np.int64]:
    """Return [moves, CANDIDATE_WIDTH] int64, candidates of the kernel; not for shown melds, where no card is hidden."""
    rows = np.zeros((len(moves), CANDIDATE_WIDTH), np.int64)
    for row, move in zip(rows, moves, strict=True):
        if view.phase is Phase.WALL:
            _at_the_wall(row, view, move)
        elif move.verb in KNOCKING:
            _knock(row, view.mask, move)
        elif _ends(view, move):
            row[0] = NO_SCORE
        else:
            row[0] = action_of(move)
    return rows


def _knock(row: NDArray[np.int64], hand: int, move: Move) -> None:
    row[:FIRST_MELD] = BIG_GIN if move.verb is Verb.BIG_GIN else KNOCK + move.index, hand
    row[FIRST_MELD : FIRST_MELD + len(move.melds)] = [meld.hand.mask for meld in move.melds]


def _at_the_wall(row: NDArray[np.int64], view: View, move: Move) -> None:
    """Set a candidate at the wall: to pass ends the round, to take is to knock with the least deadwood."""
    if move.verb is Verb.PASS:
        row[0] = NO_SCORE
        return
    eleven = view.mask | 1 << move.index
    allowed = view.knockable(eleven, move.index)
    cards = [card for card in range(52) if allowed >> card & 1]
    least = min(cards, key=lambda card: deadwood(Hand.from_mask(eleven ^ 1 << card)))
    _knock(row, eleven, Move(Verb.KNOCK, least, best_melds(eleven ^ 1 << least)[0]))


def _ends(view: View, move: Move) -> bool:
    """Return whether a discard ends the round because the upcard was put back twice."""
    rules, history = view.rules, (*view.history, (view.seat, move))
    return move.verb is Verb.DROP and rules.void_if_returned_twice and returned_twice(history, move.index)
