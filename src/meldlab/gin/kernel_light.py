"""Kernels of the light player: a small network in place of the tables.

Each card is in one of four states: unseen, own, the opponent's and known, or gone (seen in the pile). Two hands hold them as *planes*: the
first has own and gone cards, the second known and gone ones. The network adds a row of numbers for every stretch of four ranks in a suit,
one for every rank across the suits, and a few more: turn, deadwood, both scores, and for a discard the states of the cards that would
make a meld with it, where it also counts whether the opponent itself dropped them. Two small layers follow and three answers come out:
what waiting is worth after a discard, what knocking is worth after it, and what drawing from stock is worth.

``net`` is the named tuple of gin.book, of which the network is three float32 arrays: ``rows`` [ROWS, WIDE], ``first`` [WIDE + 1, NARROW],
``last`` [NARROW + 1, 3], biases last. Workspaces: ``total`` [2, WIDE] float32, ``inner`` [NARROW] float32.
"""

import numpy as np

from meldlab.cards.kernel import LANE
from meldlab.chance.kernel import unit
from meldlab.compiling import scalar_kernel
from meldlab.gin.kernel import bit, discards
from meldlab.gin.kernel_computed import TURNS
from meldlab.melds.kernel import LOWEST, suits_held

WIDE, NARROW = 64, 32
STRETCHES, PATTERNS = 10, 256  # first ranks of a stretch of four, and states of four cards
COLUMN_ROWS = STRETCHES * PATTERNS
WAIT_ROWS = COLUMN_ROWS + 13 * PATTERNS
DRAW_ROWS = WAIT_ROWS + TURNS + 1
DEADWOOD_ROWS = DRAW_ROWS + TURNS + 1
MOST_DEADWOOD = 63
RUN_ROWS = DEADWOOD_ROWS + MOST_DEADWOOD + 1  # by the states of the four cards around a discard
SET_ROWS = RUN_ROWS + 5**4  # by those of its rank
OWN_SCORE_ROWS = SET_ROWS + 5**3
SCORES = 10  # tens of points, nine and more in one
OTHER_SCORE_ROWS = OWN_SCORE_ROWS + SCORES
ROWS = OTHER_SCORE_ROWS + SCORES
GONE = 3
WAIT, KNOCK, DRAW = 0, 1, 2


@scalar_kernel
def stretch_row(one, two, suit, start):
    """Return the row of the stretch of a suit that starts at a rank."""
    at = 13 * suit + start
    return start * PATTERNS + ((one >> at) & 15) + ((two >> at) & 15) * 16


@scalar_kernel
def column_row(one, two, rank):
    """Return the row of a rank across the suits."""
    return COLUMN_ROWS + rank * PATTERNS + suits_held(one, rank) + suits_held(two, rank) * 16


@scalar_kernel
def add_row(total, row, rows):
    """Add one row to a total, [WIDE] float32."""
    for i in range(len(total)):
        total[i] += rows[row, i]


@scalar_kernel
def add_cards(total, one, two, rows):
    """Set a total to the sum of the rows of all cards."""
    total[:] = np.float32(0.0)
    for suit in range(4):
        for start in range(STRETCHES):
            add_row(total, stretch_row(one, two, suit, start), rows)
    for rank in range(13):
        add_row(total, column_row(one, two, rank), rows)


@scalar_kernel
def change_card(total, card, one, two, other_one, other_two, rows):
    """Turn a total of planes ``one``, ``two`` into that of the others, which differ from them in one card."""
    suit, rank = card // 13, card % 13
    for start in range(max(rank - 3, 0), min(rank, STRETCHES - 1) + 1):
        before, after = stretch_row(one, two, suit, start), stretch_row(other_one, other_two, suit, start)
        for i in range(len(total)):
            total[i] += rows[after, i] - rows[before, i]
    before, after = column_row(one, two, rank), column_row(other_one, other_two, rank)
    for i in range(len(total)):
        total[i] += rows[after, i] - rows[before, i]


@scalar_kernel
def state_of(card, one, two, dropped):
    """Return the state of a card: unseen, own, known, gone, or dropped by the opponent, 0 to 4."""
    state = ((one >> card) & 1) + 2 * ((two >> card) & 1)
    return state + 1 if state == GONE and (dropped >> card) & 1 else state


@scalar_kernel
def run_row(card, one, two, dropped):
    """Return the row of the cards within two ranks of a discard; beyond the ends of a suit all is gone."""
    rank = card % 13
    a = state_of(card - 2, one, two, dropped) if rank >= 2 else GONE
    b = state_of(card - 1, one, two, dropped) if rank >= 1 else GONE
    c = state_of(card + 1, one, two, dropped) if rank <= 11 else GONE
    d = state_of(card + 2, one, two, dropped) if rank <= 10 else GONE
    return RUN_ROWS + a + 5 * b + 25 * c + 125 * d


@scalar_kernel
def set_row(card, one, two, dropped):
    """Return the row of the cards of a discard's rank."""
    suit, rank = card // 13, card % 13
    a = state_of(13 * ((suit + 1) & 3) + rank, one, two, dropped)
    b = state_of(13 * ((suit + 2) & 3) + rank, one, two, dropped)
    c = state_of(13 * ((suit + 3) & 3) + rank, one, two, dropped)
    return SET_ROWS + a + 5 * b + 25 * c


@scalar_kernel
def add_scores(total, own, other, rows):
    """Add the rows of both scores."""
    add_row(total, OWN_SCORE_ROWS + min(own // 10, SCORES - 1), rows)
    add_row(total, OTHER_SCORE_ROWS + min(other // 10, SCORES - 1), rows)


@scalar_kernel
def layers(total, net, inner):
    """Put a total through the first layer."""
    for j in range(len(inner)):
        inner[j] = net.first[WIDE, j]
    for i in range(len(total)):
        x = total[i]
        if x > 0:
            for j in range(len(inner)):
                inner[j] += x * net.first[i, j]


@scalar_kernel
def answer(inner, net, which):
    """Return one of the three answers in points."""
    result = net.last[NARROW, which]
    for j in range(len(inner)):
        if inner[j] > 0:
            result += inner[j] * net.last[j, which]
    return np.float64(result)


@scalar_kernel
def light_best(hand, known, pile, dropped, own, other, barred, turn, limit, noise, key, net, left, values, total, inner):
    """Return the value of eleven cards, and leave ``values`` as kernel_computed.best_after does.

    ``dropped``: cards that the opponent dropped; ``own``, ``other``: the scores of the match; ``noise``: the spread of what is added to
    every value, to try out other discards; ``key``: its address.
    """
    discards(hand, left)
    now = min(turn, TURNS)
    base, work = total[0], total[1]
    one, two = hand | pile, known | pile
    add_cards(base, one, two, net.rows)
    add_row(base, WAIT_ROWS + now, net.rows)
    add_scores(base, own, other, net.rows)
    # The first card that may go is chosen until a better one comes: there is always one, whatever the numbers are.
    best, chosen = 0.0, np.int64(-1)
    for suit in range(4):
        lane = (hand >> (13 * suit)) & LANE
        while lane:
            card = 13 * suit + np.int64(LOWEST[lane])
            lane &= lane - 1
            if barred & bit(card):
                continue
            for i in range(len(work)):
                work[i] = base[i]
            change_card(work, card, one, two, one, two | bit(card), net.rows)
            add_row(work, DEADWOOD_ROWS + min(left[card], MOST_DEADWOOD), net.rows)
            add_row(work, run_row(card, one, two, dropped), net.rows)
            add_row(work, set_row(card, one, two, dropped), net.rows)
            layers(work, net, inner)
            wait = answer(inner, net, WAIT)
            values[card] = wait
            if noise > 0.0:
                wait += noise * scatter(key, card)
            if chosen < 0 or wait > best:
                best, chosen = wait, card
            if left[card] <= limit:
                knock = answer(inner, net, KNOCK)
                if knock > best:
                    best, chosen = knock, card + 64
    values[52] = chosen
    return best


@scalar_kernel
def scatter(key, nth):
    """Return a number with mean 0 and spread about 1 from an address."""
    return 2.0 * (unit(key, 3 * nth) + unit(key, 3 * nth + 1) + unit(key, 3 * nth + 2)) - 3.0


@scalar_kernel
def light_draws(hand, known, pile, own, other, turn, net, total, inner):
    """Return what drawing from stock is worth with ten cards, at the coming turn."""
    base = total[0]
    add_cards(base, hand | pile, known | pile, net.rows)
    add_row(base, DRAW_ROWS + min(turn, TURNS), net.rows)
    add_scores(base, own, other, net.rows)
    layers(base, net, inner)
    return answer(inner, net, DRAW)


@scalar_kernel
def light_takes(hand, upcard, turn, known, pile, dropped, own, other, limit, net, left, values, total, inner):
    """Tell whether the upcard is worth more than a card from stock; ``turn``: how many cards were drawn before."""
    drawn = light_draws(hand, known, pile, own, other, turn + 1, net, total, inner)
    eleven, rest, no_key = hand | bit(upcard), pile & ~bit(upcard), np.uint64(0)
    taken = light_best(eleven, known, rest, dropped, own, other, bit(upcard), turn + 1, limit, 0.0, no_key, net, left, values, total, inner)
    return taken > drawn


@scalar_kernel
def light_discard(hand, barred, turn, known, pile, dropped, own, other, limit, noise, key, net, left, values, total, inner):
    """Choose among the discards of eleven cards; return card + 64 if it is a knock."""
    light_best(hand, known, pile, dropped, own, other, barred, turn, limit, noise, key, net, left, values, total, inner)
    return np.int64(values[52])
