"""Kernels of the light player: a small network in place of the tables.

Each card is in one of four states: unseen, own, the opponent's and known, or gone (seen in the pile). Two hands hold them as *planes*: the
first has own and gone cards, the second known and gone ones. The network adds a row of numbers for every stretch of four ranks in a suit,
one for every rank across the suits, and a few more: turn, deadwood, both scores, and for a discard the states of the cards that would
make a meld with it, where it also counts whether the opponent itself dropped them. Two small layers follow and three answers come out:
what waiting is worth after a discard, what knocking is worth after it, and what drawing from stock is worth.

``net`` is a Network, ``sight`` a Sight and ``sheet`` a Sheet of gin.kernel_layout.
"""

import numpy as np

from meldlab.chance.kernel import unit
from meldlab.compiling import scalar_kernel
from meldlab.gin.kernel import bit, discards, lowest_card
from meldlab.gin.kernel_layout import (
    ADVISED_DRAW,
    ADVISED_DROP,
    ADVISED_KNOCK,
    ADVISED_TAKE,
    ADVISED_WORTH,
    NARROW,
    TURNS,
    WIDE,
    Sight,
)
from meldlab.melds.kernel import suits_held

STRETCHES, PATTERNS = 10, 256  # first ranks of a stretch of four, and states of four cards
COLUMN_ROWS = STRETCHES * PATTERNS
WAIT_ROWS = COLUMN_ROWS + 13 * PATTERNS
DRAW_ROWS = WAIT_ROWS + TURNS + 1
DEADWOOD_ROWS = DRAW_ROWS + TURNS + 1
MOST_DEADWOOD = 63
RUN_ROWS = DEADWOOD_ROWS + MOST_DEADWOOD + 1  # by the states of the four cards around a discard
SET_ROWS = RUN_ROWS + 5**4  # by those of its rank
OWN_SCORE_ROWS = SET_ROWS + 5**3
SCORE_STEPS = 10  # tens of points, nine and more in one
OTHER_SCORE_ROWS = OWN_SCORE_ROWS + SCORE_STEPS
ROWS = OTHER_SCORE_ROWS + SCORE_STEPS
GONE = 3
MOST_ADVISED = 4.0  # against anything, in tens of points
WAIT_ANSWER, KNOCK_ANSWER, DRAW_ANSWER = 0, 1, 2


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
    add_row(total, OWN_SCORE_ROWS + min(own // 10, SCORE_STEPS - 1), rows)
    add_row(total, OTHER_SCORE_ROWS + min(other // 10, SCORE_STEPS - 1), rows)


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
def light_best(sight, noise, key, net, sheet):
    """Return the value of eleven cards; the values of the sheet are set to what waiting is worth after each discard, its risks to knocking.

    values[52] is the chosen card, + 64 if it is a knock;
    ``noise``: the spread of what is added to every value, to try out other discards; ``key``: its address.
    """
    hand, pile, dropped = sight.hand, sight.pile, sight.dropped
    left, values, inner, rows = sheet.left, sheet.values, sheet.inner, net.rows
    discards(hand, left)
    base, work = sheet.total[0], sheet.total[1]
    one, two = hand | pile, sight.known | pile
    add_cards(base, one, two, rows)
    add_row(base, WAIT_ROWS + min(sight.turn, TURNS), rows)
    add_scores(base, sight.own, sight.other, rows)
    # The first card that may go is chosen until a better one comes: there is always one, whatever the numbers are.
    best, chosen = 0.0, np.int64(-1)
    allowed = hand & ~sight.barred
    while allowed:
        card = lowest_card(allowed)
        allowed &= allowed - 1
        for i in range(len(work)):
            work[i] = base[i]
        change_card(work, card, one, two, one, two | bit(card), rows)
        add_row(work, DEADWOOD_ROWS + min(left[card], MOST_DEADWOOD), rows)
        add_row(work, run_row(card, one, two, dropped), rows)
        add_row(work, set_row(card, one, two, dropped), rows)
        layers(work, net, inner)
        wait = answer(inner, net, WAIT_ANSWER)
        values[card] = wait
        if noise > 0.0:
            wait += noise * scatter(key, card)
        if chosen < 0 or wait > best:
            best, chosen = wait, card
        if left[card] <= sight.limit:
            knock = answer(inner, net, KNOCK_ANSWER)
            sheet.risks[card] = knock
            if knock > best:
                best, chosen = knock, card + 64
    values[52] = chosen
    return best


@scalar_kernel
def scatter(key, nth):
    """Return a number with mean 0 and spread about 1 from an address."""
    return 2.0 * (unit(key, 3 * nth) + unit(key, 3 * nth + 1) + unit(key, 3 * nth + 2)) - 3.0


@scalar_kernel
def light_draws(sight, turn, net, sheet):
    """Return what drawing from stock is worth with ten cards, at the coming turn."""
    base, rows = sheet.total[0], net.rows
    add_cards(base, sight.hand | sight.pile, sight.known | sight.pile, rows)
    add_row(base, DRAW_ROWS + min(turn, TURNS), rows)
    add_scores(base, sight.own, sight.other, rows)
    layers(base, net, sheet.inner)
    return answer(sheet.inner, net, DRAW_ANSWER)


@scalar_kernel
def light_taking(sight, upcard, net, sheet):
    """Return what taking the upcard is worth."""
    hand, _, turn, known, pile, dropped, top, fed, own, other, limit = sight
    taken = Sight(hand | bit(upcard), bit(upcard), turn + 1, known, pile & ~bit(upcard), dropped, top, fed, own, other, limit)
    return light_best(taken, 0.0, np.uint64(0), net, sheet)


@scalar_kernel
def light_takes(sight, upcard, net, sheet):
    """Tell whether the upcard is worth more than a card from stock."""
    drawn = light_draws(sight, sight.turn + 1, net, sheet)
    return light_taking(sight, upcard, net, sheet) > drawn


@scalar_kernel
def light_discard(sight, noise, key, net, sheet):
    """Choose among the discards of eleven cards; return card + 64 if it is a knock."""
    light_best(sight, noise, key, net, sheet)
    return np.int64(sheet.values[52])


@scalar_kernel
def advised(value, best):
    """Return advice: how much less than the best, in tens of points, and no more than the most."""
    return np.float32(max((value - best) / 10.0, -MOST_ADVISED))


@scalar_kernel
def advise_to_drop(sight, net, sheet, advice):
    """Write what a light network thinks of every discard and knock; ``advice``: [ADVICE] float32, the rest of which is 0."""
    best = light_best(sight, 0.0, np.uint64(0), net, sheet)
    advice[ADVISED_WORTH] = best / 30.0
    rest = sight.hand & ~sight.barred
    while rest:
        card = lowest_card(rest)
        rest &= rest - 1
        advice[ADVISED_DROP + card] = advised(sheet.values[card], best)
        if sheet.left[card] <= sight.limit:
            advice[ADVISED_KNOCK + card] = advised(sheet.risks[card], best)


@scalar_kernel
def advise_to_draw(sight, upcard, net, sheet, advice):
    """Write what a light network thinks of the stock and of the upcard."""
    drawn, taken = light_draws(sight, sight.turn + 1, net, sheet), light_taking(sight, upcard, net, sheet)
    best = max(drawn, taken)
    advice[ADVISED_WORTH] = best / 30.0
    advice[ADVISED_DRAW], advice[ADVISED_TAKE] = advised(drawn, best), advised(taken, best)
