"""Worlds dealt from what a seat knows, and moves played out in them: what a searching player and a review think with.

>>> from meldlab.gin.advice import imagined_view
>>> from meldlab.gin.batch import pair_of
>>> from meldlab.gin.players import parse
>>> view, simple = imagined_view("2C 3C 4C 9D 9H 9S KC KD KH KS 5H"), parse("simple")
>>> moves = [Move.parse("knock 5H | 9D 9H 9S | KC KD KH KS | 2C 3C 4C"), Move.parse("drop KS")]
>>> outcomes = played_out(view, moves, 1, range(100), pair_of(simple, simple))
>>> outcomes.shape, bool(outcomes[:, 0].mean() > outcomes[:, 1].mean())
((100, 2), True)
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meldlab.cards import Hand
from meldlab.errors import NotLegalHere
from meldlab.gin import kernel_layout
from meldlab.gin.batch import rule_vector
from meldlab.gin.kernel import knocks
from meldlab.gin.kernel_layout import ENSEMBLE, KIND, MOST_DRAWS, Pair
from meldlab.gin.kernel_worlds import CANDIDATE, FIRST_SHOWN, SCORELESS, Ends, Memory, Situation, play_worlds
from meldlab.gin.move import Move, Verb
from meldlab.gin.players.ensemble import events_of
from meldlab.gin.players.kernel_ensemble import recall
from meldlab.gin.round import returned_twice
from meldlab.gin.rules import ONLY_SIMPLE, Rules
from meldlab.gin.view import Phase, View, best_melds
from meldlab.melds import deadwood
from meldlab.pieces import on_cores

__all__ = ["NO_ODDS", "memory_of", "played_ahead", "played_out", "points_of", "situation_of"]

VERBS = {Verb.PASS: kernel_layout.PASS, Verb.TAKE: kernel_layout.TAKE, Verb.DRAW: kernel_layout.DRAW, Verb.DROP: kernel_layout.DROP}
KNOCKING = (Verb.KNOCK, Verb.BIG_GIN)
LONGEST = 100  # draws after which a world is void: two may swap upcards for ever
CHUNK = 4
NO_ODDS = np.empty(0)


def played_out(
    view: View, moves: Sequence[Move], key: int, worlds: range, pair: Pair, *, odds: Any = NO_ODDS, threads: int = 1
) -> NDArray[np.int64]:
    """Return [worlds, moves] int64, what comes of each move in each world, coded as in ``Ends``; not for showing.

    ``pair``: who plays on for the seat of the view, and for the other; ``key``: the address that all draws hang from;
    ``odds``: [52], of each card to be the other's, as somebody believes; where nobody does, its hand is developed for as many turns.
    """
    outcomes: NDArray[np.int64] = played_ahead(view, moves, key, worlds, pair, 0, odds=odds, threads=threads).outcomes
    return outcomes


def played_ahead(
    view: View, moves: Sequence[Move], key: int, worlds: range, pair: Pair, steps: int, *, odds: Any = NO_ODDS, threads: int = 1
) -> Ends:
    """Return how each move ends in each world if that is broken off after so many steps; two policies are the pair."""
    rows, situation, memory, root = _rows(view, moves), situation_of(view, odds), memory_of(view, pair), np.uint64(key)
    rules, shape = _rules(view.rules).copy(), (len(worlds), len(moves))
    rules[kernel_layout.LIMIT] = view.limit
    rules[MOST_DRAWS] = min(rules[MOST_DRAWS], situation.draws + LONGEST)
    ends = Ends(np.empty(shape, np.int64), np.empty(shape), steps)

    def play(first: int, many: int) -> None:
        some = slice(first, first + many)
        play_worlds(rows, worlds.start + first, root, situation, memory, pair, rules, Ends(ends.outcomes[some], ends.expected[some], steps))

    on_cores(play, len(worlds), threads=threads, size=CHUNK)
    return ends


def points_of(outcomes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the points that outcomes stand for."""
    return (np.sign(outcomes) * np.maximum(abs(outcomes) - 1, 0)).astype(np.float64)


def situation_of(view: View, odds: NDArray[np.float64] = NO_ODDS) -> Situation:
    """Return a view as worlds are dealt from it, the player who thinks in seat 0."""
    passes = sum(move.verb is Verb.PASS for _, move in view.history) if view.phase == Phase.OFFER else 3
    draws = sum(move.verb in (Verb.DRAW, Verb.TAKE) for _, move in view.history)
    upcards = sum(move.verb is Verb.TAKE for _, move in view.history) - _took_the_first(view)
    dropped = {move.index: 1 + (seat != view.seat) for seat, move in view.history if move.verb is Verb.DROP}
    pile = np.array([card + 64 * dropped.get(card, 0) for card in view.pile_indices], np.int64)
    return Situation(view.mask, view.known_mask, pile, view.stock, view.turn, draws, upcards, passes, odds)


@cache
def _rules(rules: Rules) -> NDArray[np.int64]:
    """Return the rules that rounds are played out by: the kernel's, which know no last knock at the wall."""
    if rules.small:
        raise NotLegalHere(ONLY_SIMPLE)
    return rule_vector(replace(rules, wall_knock=False))


def _took_the_first(view: View) -> bool:
    """Tell whether the first upcard was taken when it was offered, which the limit on upcards does not count."""
    first = next((move.verb for _, move in view.history if move.verb is not Verb.PASS), None)
    return view.rules.offer_upcard and first is Verb.TAKE


def memory_of(view: View, pair: Pair) -> Memory:
    """Return what both remember of the round; ``pair``: who plays on for the seat of the view, and for the other."""
    own, other = view.seat, 1 - view.seat
    dropped, seen = [0, 0], 0
    for who, move in view.history:
        if move.verb is Verb.DROP:
            dropped[who] |= 1 << move.index
            seen &= ~(0 if who == other else 1 << move.index)
        elif move.verb is Verb.TAKE and who == own:
            seen |= 1 << move.index
    beliefs = np.zeros((2, 54))
    for place, who in enumerate((own, other)):
        if pair.vectors[place, KIND] == ENSEMBLE:
            recall(who, events_of(view), pair.vectors[place], beliefs[place])
    declined = [view.declined_mask(0), view.declined_mask(1)]
    gone, left, scores = (np.array([values[own], values[other]], np.int64) for values in (dropped, declined, view.scores))
    return Memory(seen, gone, left, scores, np.array(view.card_indices, np.int64), beliefs)


def _rows(view: View, moves: Sequence[Move]) -> NDArray[np.int64]:
    """Return [moves, CANDIDATE] int64, moves as the kernel tries them; not for showing, where nothing is hidden."""
    rows = np.zeros((len(moves), CANDIDATE), np.int64)
    for row, move in zip(rows, moves, strict=True):
        if view.phase is Phase.WALL:
            _at_the_wall(row, view, move)
        elif move.verb in KNOCKING:
            _knock(row, view.mask & ~(1 << move.index if move.verb is Verb.KNOCK else 0), move)
        elif _ends(view, move):
            row[0] = SCORELESS
        else:
            row[:2] = VERBS[move.verb], max(move.index, 0)
    return rows


def _knock(row: NDArray[np.int64], shown: int, move: Move) -> None:
    row[:FIRST_SHOWN] = kernel_layout.BIG if move.verb is Verb.BIG_GIN else kernel_layout.KNOCK, max(move.index, 0), shown
    row[FIRST_SHOWN : FIRST_SHOWN + len(move.melds)] = [meld.hand.mask for meld in move.melds]


def _at_the_wall(row: NDArray[np.int64], view: View, move: Move) -> None:
    """Set a candidate at the wall: to pass ends the round, to take is to knock with the least deadwood."""
    if move.verb is Verb.PASS:
        row[0] = SCORELESS
        return
    eleven = view.mask | 1 << move.index
    able = [card for card in range(52) if knocks(eleven, view.limit) >> card & 1]
    cards = [card for card in able if card != move.index or view.rules.return_upcard] or able
    least = min(cards, key=lambda card: deadwood(Hand.from_mask(eleven ^ 1 << card)))
    _knock(row, eleven ^ 1 << least, Move(Verb.KNOCK, least, best_melds(eleven ^ 1 << least)[0]))


def _ends(view: View, move: Move) -> bool:
    """Tell whether a discard ends the round by a rule that the kernels do not know."""
    rules, history = view.rules, (*view.history, (view.seat, move))
    return move.verb is Verb.DROP and rules.void_if_returned_twice and returned_twice(history, move.index)
