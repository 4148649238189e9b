"""Gin on a GPU: the sweeps of the computed player's recursion, and rounds and matches played one per thread.

The scalar functions are those of the CPU; so are the names of the sweeps and their arguments.
"""

from typing import Any, NamedTuple

import numba
import numpy as np
from numba import config, cuda

from meldlab.cards.kernel import class_hand, orbit_size, popcount
from meldlab.chance.kernel import root_of
from meldlab.gin.kernel import bit, lowest_card
from meldlab.gin.kernel_layout import *
from meldlab.gin.kernel_round import (
    CHOSEN,
    OVER,
    begin_match,
    clear_outcome,
    close_diary,
    end_round,
    lay_out,
    passes_at_first,
    play_turn,
    sight_of,
)
from meldlab.gin.players.kernel_looking import after_draw, reckoning, risk_of, share_of
from meldlab.gin.values.kernel_recursion import (
    best_after_discard,
    guided_after_discard,
    knocks_now,
    stay_or_knock,
    value_before_draw,
)
from meldlab.gin.values.kernel_tally import ENTRIES, tally_row
from meldlab.melds.kernel import deadwood

DIARY_SHAPE, LOG_SHAPE, TOTAL_SHAPE, TERMS_SHAPE = (1, DIARY_ROWS, DIARY), (1, LOG_WIDTH), (2, WIDE), (2, 52)
THREADS = 64  # in a block, when each plays a game of its own
RISKS_SHAPE = THREADS, 11
# Half of what the games would take: twice as many of them hide how far away the values of hands are. The simulator has none.
REGISTERS = {} if config.ENABLE_CUDASIM else {"max_registers": 128}
DEALS = 4  # turns after which threads whose round is over are dealt the next one, together


@cuda.jit
def list_classes(hands, numbering):
    """See kernel_recursion."""
    for number in range(cuda.grid(1), len(hands), cuda.gridsize(1)):
        hands[number] = class_hand(np.int64(number), numbering)


@cuda.jit
def list_deadwood(left, hands, leftovers):
    """See kernel_recursion."""
    for number in range(cuda.grid(1), len(hands), cuda.gridsize(1)):
        left[number] = deadwood(hands[number], leftovers)


@cuda.jit
def sweep_worth(worth, value, left, odds, limit):
    """See kernel_recursion."""
    for number in range(cuda.grid(1), len(worth), cuda.gridsize(1)):
        worth[number] = stay_or_knock(value[number], left[number], odds, limit)


@cuda.jit
def sweep_guided_worth(worth, value, guide, left, both, limit):
    """See kernel_recursion."""
    odds, believed = both
    for number in range(cuda.grid(1), len(worth), cuda.gridsize(1)):
        if knocks_now(guide[number], left[number], believed, limit):
            worth[number] = odds[1][left[number]]
        else:
            worth[number] = stay_or_knock(value[number], left[number], odds, -1)


@cuda.jit
def sweep_discards(after, worth, hands, deck):
    """See kernel_recursion."""
    for number in range(cuda.grid(1), len(after), cuda.gridsize(1)):
        after[number] = best_after_discard(hands[number], worth, deck.keys, deck.small)


@cuda.jit
def sweep_guided_discards(after, guide, worth, hands, deck):
    """See kernel_recursion."""
    for number in range(cuda.grid(1), len(after), cuda.gridsize(1)):
        after[number] = guided_after_discard(hands[number], guide, worth, deck.keys, deck.small)


@cuda.jit
def sweep_draws(value, after, hands, upcard, deck):
    """See kernel_recursion."""
    for number in range(cuda.grid(1), len(value), cuda.gridsize(1)):
        value[number] = value_before_draw(hands[number], after, deck.alive, upcard, deck.keys, deck.large)


@cuda.jit
def encode(codes, value, low, step):
    """See kernel_recursion."""
    for number in range(cuda.grid(1), len(codes), cuda.gridsize(1)):
        codes[number] = np.uint32((value[number] - low) / step + np.float32(0.5))


@cuda.jit
def decode(value, codes, low, step):
    """See kernel_recursion."""
    for number in range(cuda.grid(1), len(codes), cuda.gridsize(1)):
        value[number] = np.float32(low + step * np.float32(codes[number]))


@cuda.jit
def extremes(ends, value):
    """Set ``ends`` [2] float32 to the least and the largest value."""
    low, high = np.float32(1e30), np.float32(-1e30)
    for number in range(cuda.grid(1), len(value), cuda.gridsize(1)):
        low, high = min(low, value[number]), max(high, value[number])
    cuda.atomic.min(ends, 0, low)
    cuda.atomic.max(ends, 1, high)


@cuda.jit
def sum_values(sums, value, hands, keys, renamings):
    """Add to ``sums`` [2] float64 V over all hands, and how many there are; the order of adding is the device's."""
    total, count = 0.0, 0.0
    for number in range(cuda.grid(1), len(value), cuda.gridsize(1)):
        orbit = orbit_size(hands[number], keys, renamings)
        total += orbit * np.float64(value[number])
        count += orbit
    cuda.atomic.add(sums, 0, total)
    cuda.atomic.add(sums, 1, count)


class Paper(NamedTuple):
    """What playing games on a GPU writes on."""

    counts: Any  # [games, COUNTS] int32
    tally: Any  # [2 * CELLS] float64, to add the diaries of seat 0 to, or empty
    pages: Any  # [games, seats, rows, DIARY] float64, to keep diaries whole, or empty
    worths: Any  # [blocks, THREADS * 52] float64, of a Blackboard: in the memory of a block they would leave room for fewer blocks


class Blackboard(NamedTuple):
    """What the threads of a block write side by side when computed players are to draw, a place for each thread."""

    hands: Any  # [THREADS] int64
    known: Any  # [THREADS] int64, as a hand
    unseen: Any  # [THREADS] int64, as a hand
    rest: Any  # [THREADS] int64: seat, then from bit 8 on the turn, from bit 16 on the most deadwood to knock with
    risks: Any  # [THREADS, 11] float64, of the cards of the hand
    many: Any  # [1] int32, how many cards may be drawn
    worths: Any  # [THREADS * 52] float64, 64 * thread + a card that it may draw, then what that is worth


@cuda.jit(device=True)
def ask(asked, me, sight, seat, upcard, values):
    """Write down what ``me`` has to know before it draws: the worth of the upcard, and of all it may draw; return the first place."""
    hand, known = sight.hand, sight.known
    unseen = values.deck[0] & ~(hand | known | sight.pile)
    share = share_of(known, unseen, values)
    asked.hands[me], asked.known[me], asked.unseen[me] = hand, known, unseen
    asked.rest[me] = seat | min(sight.turn + 1, TURNS) << 8 | sight.limit << 16
    at, rest = 0, hand
    while rest:
        asked.risks[me, at] = risk_of(lowest_card(rest), known, unseen, share)
        rest &= rest - 1
        at += 1
    first = cuda.atomic.add(asked.many, 0, np.int32(popcount(unseen) + 1))
    asked.worths[first] = 64 * me + upcard
    at, rest = first + 1, unseen
    while rest:
        asked.worths[at] = 64 * me + lowest_card(rest)
        rest &= rest - 1
        at += 1
    return first


@cuda.jit(device=True)
def answer(asked, at, pair):
    """Work out what one card is worth to the thread that may draw it."""
    draw = np.int64(asked.worths[at])
    who, card = draw >> 6, draw & 63
    hand, known, unseen, rest = asked.hands[who], asked.known[who], asked.unseen[who], asked.rest[who]
    values = pair.books[rest & 255].values
    taken = unseen & bit(card) == 0
    risk = 0.0 if taken else risk_of(card, known, unseen, share_of(known, unseen, values))
    reckoned = reckoning(rest >> 8 & 255, known, rest >> 16, values)
    asked.worths[at] = after_draw(hand, card, taken, risk, asked.risks[who], reckoned, values)


@cuda.jit(device=True)
def is_taken(asked, me, first):
    """Tell whether the upcard is worth more than the mean of the others, as kernel_looking.computed_takes does."""
    many, total = popcount(asked.unseen[me]), 0.0
    for at in range(first + 1, first + 1 + many):
        total += asked.worths[at]
    return asked.worths[first] > total / max(many, 1)


@cuda.jit(device=True)
def add_diary(diary, notes, outcome, tally, cell):
    """Add the diary of seat 0 to a tally; ``cell`` is a workspace."""
    rows = min(notes[TURN], diary.shape[1])
    for row in range(rows):
        for entry in range(ENTRIES):
            amount = tally_row(diary[0], row, rows, outcome, entry, cell)
            if cell[0] >= 0:
                cuda.atomic.add(tally, cell[0], 1.0)
                cuda.atomic.add(tally, cell[0] + 1, amount)


@cuda.jit(**REGISTERS)
def play_games(pair, rules, seed, first, many, paper):
    """Play ``many`` matches as kernel_round.play_some does, a thread each, and write on ``paper``, a Paper.

    What a computed player may draw is shared out among the threads of its block: by itself a thread would look up some 340 hands while its
    neighbours wait. A thread whose match is over begins another.
    """
    counts, tally, pages = paper.counts, paper.tally, paper.pages
    deck = cuda.local.array(52, numba.uint8)
    notes = cuda.local.array(NOTES, numba.int64)
    used = cuda.local.array((2, 52), numba.int64)
    order = cuda.local.array((2, 12), numba.int64)
    belief = cuda.local.array((2, 54), numba.float64)
    pile = cuda.local.array(64, numba.uint8)
    ob = cuda.local.array(68, numba.float64)
    left = cuda.local.array(52, numba.int64)
    risks = cuda.local.array(52, numba.float64)
    values = cuda.local.array(53, numba.float64)
    terms = cuda.local.array(TERMS_SHAPE, numba.float64)
    total = cuda.local.array(TOTAL_SHAPE, numba.float32)
    inner = cuda.local.array(NARROW, numba.float32)
    melds = cuda.local.array(4, numba.int64)
    shown = cuda.local.array(4, numba.int64)
    outcome = cuda.local.array(5, numba.int64)
    log = cuda.local.array(LOG_SHAPE, numba.int64)
    layers = cuda.local.array((1, 1, 1), numba.float32)  # no policy plays here
    sheet, bench = Sheet(ob, left, risks, values, terms, total, inner), Bench(layers, values, left, total, inner, inner)
    desk = Desk(deck, notes, used, order, belief, pile, melds, shown, outcome, log[:0], sheet, bench)
    own_pages = cuda.local.array(DIARY_SHAPE, numba.float64)
    cell = cuda.local.array(2, numba.int64)
    diary = own_pages[: 1 if len(tally) > 0 else 0]
    asked = Blackboard(
        cuda.shared.array(THREADS, numba.int64),
        cuda.shared.array(THREADS, numba.int64),
        cuda.shared.array(THREADS, numba.int64),
        cuda.shared.array(THREADS, numba.int64),
        cuda.shared.array(RISKS_SHAPE, numba.float64),
        cuda.shared.array(1, numba.int32),
        paper.worths[cuda.blockIdx.x],
    )
    me, i, going, starter, root = cuda.threadIdx.x, np.int64(cuda.grid(1)), OVER, OVER, root_of(seed, first)
    if me == 0:
        asked.many[0] = 0
    turn = 0
    while cuda.syncthreads_or(np.int32(i < many)):
        turn += 1
        if i < many and going == OVER and turn % DEALS == 0:
            game = np.int64(first + i)
            if starter == OVER:
                if len(pages) > 0:
                    diary = pages[i]
                root = root_of(seed, game)
                starter = begin_match(notes, seed, game, rules, counts[i])
            lay_out(desk, seed, game, counts[i, ROUNDS], starter, pair.vectors, rules)
            clear_outcome(outcome)
            going = starter + 2 * passes_at_first(rules)
        playing, asks, place, action = i < many and going != OVER, False, 0, CHOSEN
        seat, passes = going & 1, going >> 1
        upcard = pile[notes[PILED] - 1] & 63 if playing else np.int64(0)
        if playing and passes != 2 and pair.vectors[seat, KIND] == COMPUTED:
            asks, place = True, ask(asked, me, sight_of(desk, seat, np.int64(0)), seat, upcard, pair.books[seat].values)
        cuda.syncthreads()
        for at in range(me, asked.many[0], cuda.blockDim.x):
            answer(asked, at, pair)
        cuda.syncthreads()
        if me == 0:
            asked.many[0] = 0
        if asks:
            action = np.int64(TAKE if is_taken(asked, me, place) else DRAW)
        if playing:
            going = play_turn(desk, diary, seat, passes, pair, rules, root, action)
            if going == OVER:
                starter = end_round(notes, outcome, starter, rules, counts[i])
                if starter == OVER:
                    close_diary(diary, notes, outcome)
                    if len(tally) > 0:
                        add_diary(diary, notes, outcome, tally, cell)
                    i += cuda.gridsize(1)
