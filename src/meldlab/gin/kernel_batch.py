"""Kernels that play whole matches between player vectors, many at a time.

The same seed gives the same actions as the Table: cards come from the address (seed, game, round), every draw of a player from
(seed, game, step, seat), where a step is one action of the match.
"""

import numba
import numpy as np

from meldlab.cards.deck import DEAL
from meldlab.cards.kernel import address, below, shuffle
from meldlab.compiling import kernel, parallel_kernel, scalar_kernel
from meldlab.gin.kernel import (
    DISCARD,
    MELDS,
    POINTS,
    bit,
    lay_off,
    makes_meld,
    pick_melds,
    points_of,
    simple_discard,
)
from meldlab.gin.kernel import LEFT as TABLE
from meldlab.gin.kernel_ensemble import (
    BIG,
    DRAW,
    DROP,
    DROPS,
    ENSEMBLE,
    KIND,
    KNOCK,
    KNOCK_EARLY,
    KNOCK_LATE,
    KNOCK_TURN,
    PASS,
    SHOW,
    TAKE,
    adjacent_cards,
    baseline,
    ensemble_discard,
    ensemble_takes,
    hear_draw,
    start_belief,
    weigh_knock,
)
from meldlab.melds.kernel import deadwood

STARTER = 1  # the purpose under which the first starter is drawn
MOST_SEATS = 16

# Places in a vector of rules, [RULES] int64.
LIMIT, OKLAHOMA, GIN, BIG_GIN, UNDERCUT, EQUAL, OFFER, FLOOR, MOST_UPCARDS, MOST_DRAWS, RANDOM_START, NEXT, POINTS_WANTED = range(13)
RULES = 13
ALTERNATES, WINNER, LOSER = 0, 1, 2

# What a step of the log says: seat, verb, card, melds.
SEAT, VERB, CARD, FIRST_MELD = 0, 1, 2, 3
LOG_WIDTH = 7

# What is counted per match, [games, COUNTS] int32.
WINNER_SEAT, ROUNDS, TURNS, VOIDS, STEPS = range(5)
SCORE, GINS, UNDERCUTS, WON = 5, 7, 9, 11  # two places each
COUNTS = 13

# Notes of a round, [NOTES] int64.
STOCK_LEFT, PILE, PILED, UPCARDS, STEP, N_DRAWS = 0, 1, 2, 3, 4, 5
HAND, KNOWN, TURN = 6, 8, 10  # two places each
CHUNK = 32


@scalar_kernel
def write(log, step, seat, verb, card):
    """Write a step into the log, [steps, 7] int64, as long as there is room."""
    if step < len(log):
        log[step, SEAT], log[step, VERB], log[step, CARD] = seat, verb, card
        log[step, FIRST_MELD:] = 0


@scalar_kernel
def write_melds(log, step, melds):
    """Write the melds of a step, as long as there is room."""
    if step < len(log):
        for i in range(4):
            log[step, FIRST_MELD + i] = melds[i]


@scalar_kernel
def key_of(seed, game, turned, step, seat, purpose):
    """Return the address of a player's draw at a step."""
    return address(seed, game, step, MOST_SEATS * turned + seat, purpose)


@scalar_kernel
def take_decision(notes, seat, upcard, players, order, belief, ob, left):
    """Tell whether a seat takes the upcard."""
    hand = notes[HAND + seat]
    if players[seat, KIND] == ENSEMBLE:
        turn, known, pile = notes[TURN + seat], notes[KNOWN + seat], notes[PILE]
        return ensemble_takes(hand, order[seat], upcard, turn, belief[seat], known, pile, players[seat], ob, left)
    return makes_meld(hand, upcard)


@scalar_kernel
def tell_draw(notes, seat, upcard, taken, players, belief):
    """Let the other seat learn that ``seat`` took the upcard, or left it lying."""
    other = 1 - seat
    if taken:
        notes[KNOWN + other] |= bit(upcard)
    if players[other, KIND] == ENSEMBLE:
        hear_draw(belief[other], upcard, taken, players[other])


@scalar_kernel
def tell_drop(notes, seat, card, players, belief):
    """Let both seats learn of a discard, which lies on the pile already."""
    other = 1 - seat
    notes[KNOWN + other] &= ~bit(card)
    if players[other, KIND] == ENSEMBLE:
        adjacent_cards(belief[other], card, 1.0, players[other], DROPS)
    for each in range(2):
        if players[each, KIND] == ENSEMBLE:
            baseline(belief[each], notes[STOCK_LEFT], notes[KNOWN + each])


@scalar_kernel
def threshold(player, turn, limit):
    """Return the most deadwood a player knocks with after ``turn`` draws."""
    wanted = player[KNOCK_EARLY] if turn < player[KNOCK_TURN] else player[KNOCK_LATE]
    return min(np.int64(wanted), limit)


@scalar_kernel
def settle(notes, knocker, verb, card, limit, rules, seed, game, turned, melds, shown, log, outcome):
    """Show both hands after a knock and fill ``outcome``, [4] int64: winner, points, whether gin, whether undercut."""
    other, step = 1 - knocker, notes[STEP]
    hand = notes[HAND + knocker]
    many = pick_melds(hand, key_of(seed, game, turned, step, knocker, MELDS), shown)
    write(log, step, knocker, verb, card)
    write_melds(log, step, shown)
    laid = np.int64(0)
    for i in range(many):
        laid |= shown[i]
    own = points_of(hand & ~laid)
    step += 1
    theirs = notes[HAND + other]
    count = pick_melds(theirs, key_of(seed, game, turned, step, other, MELDS), melds)
    write(log, step, other, SHOW, -1)
    write_melds(log, step, melds)
    notes[STEP] = step + 1
    loose = theirs
    for i in range(count):
        loose &= ~melds[i]
    if own > 0:
        loose = lay_off(loose, shown, many)
    rest = points_of(loose)
    outcome[2], outcome[3] = 0, 0
    if verb == BIG or own == 0:
        outcome[0], outcome[1], outcome[2] = knocker, rest + (rules[BIG_GIN] if verb == BIG else rules[GIN]), 1
    elif rest > own:
        outcome[0], outcome[1] = knocker, rest - own
    elif rest < own or rules[EQUAL] == 0:
        outcome[0], outcome[1], outcome[3] = other, own - rest + rules[UNDERCUT], 1
    else:
        outcome[0], outcome[1] = -1, 0


@scalar_kernel
def deal_round(deck, starter, players, notes, used, order, belief, pile):
    """Lay out hands, pile and memories; ``deck``: [52] int64."""
    for seat in range(2):
        first = 0 if seat == starter else 10
        hand = np.int64(0)
        for i in range(10):
            order[seat, i] = deck[first + i]
            hand |= bit(deck[first + i])
        notes[HAND + seat], notes[KNOWN + seat], notes[TURN + seat] = hand, 0, 0
        if players[seat, KIND] == ENSEMBLE:
            start_belief(belief[seat])
        else:
            used[seat, :] = 0
    pile[0] = deck[20]
    notes[PILE], notes[PILED], notes[STOCK_LEFT], notes[UPCARDS], notes[N_DRAWS] = bit(deck[20]), 1, 31, 0, 0


@scalar_kernel
def drop_card(notes, seat, card, pile, players, belief):
    """Lay a card of the hand on the pile."""
    notes[STEP] += 1
    pile[notes[PILED]] = card + 64 * (1 + seat)
    notes[PILED] += 1
    notes[PILE] |= bit(card)
    tell_drop(notes, seat, card, players, belief)


@scalar_kernel
def is_void(notes, rules):
    """Tell whether a discard without a knock has ended the round."""
    return notes[STOCK_LEFT] <= rules[FLOOR] or notes[N_DRAWS] >= rules[MOST_DRAWS]


@scalar_kernel
def play_on(
    seat,
    passes,
    limit,
    deck,
    players,
    rules,
    seed,
    game,
    turned,
    notes,
    used,
    order,
    belief,
    pile,
    ob,
    left,
    values,
    melds,
    shown,
    log,
    outcome,
):
    """Play a round to its end from ``seat`` to draw; the steps go on from ``notes[STEP]``.

    ``passes``: how often the first upcard was passed, 3 when it is gone; ``players``: [2, PARAMETERS] float64; ``rules``: [RULES] int64;
    ``used``: [2, 52] int64; ``order``: [2, 12] int64, hands as they came; ``belief``: [2, 54] float64; ``pile``: [64] int64,
    card + 64 for one that seat 0 dropped, + 128 for seat 1.
    """
    outcome[0], outcome[1], outcome[2], outcome[3] = -1, 0, 0, 0
    while True:
        top = pile[notes[PILED] - 1] & 63
        taken = False if passes == 2 else take_decision(notes, seat, top, players, order, belief, ob, left)
        if passes < 2 and not taken:
            write(log, notes[STEP], seat, PASS, -1)
            notes[STEP] += 1
            tell_draw(notes, seat, top, False, players, belief)
            passes += 1
            seat = 1 - seat
            continue
        if taken:
            drawn = top
            notes[PILED] -= 1
            notes[PILE] &= ~bit(drawn)
            notes[UPCARDS] += passes == 3
            write(log, notes[STEP], seat, TAKE, drawn)
        else:
            drawn = np.int64(deck[52 - notes[STOCK_LEFT]])
            notes[STOCK_LEFT] -= 1
            write(log, notes[STEP], seat, DRAW, drawn)
        passes = np.int64(3)
        notes[STEP] += 1
        notes[N_DRAWS] += 1
        if rules[MOST_UPCARDS] != 0 and notes[UPCARDS] >= rules[MOST_UPCARDS]:
            return
        tell_draw(notes, seat, top, taken, players, belief)
        hand = notes[HAND + seat] | bit(drawn)
        notes[HAND + seat] = hand
        notes[TURN + seat] += 1
        if rules[BIG_GIN] and deadwood(hand, TABLE) == 0:
            settle(notes, seat, BIG, -1, limit, rules, seed, game, turned, melds, shown, log, outcome)
            return

        if players[seat, KIND] == ENSEMBLE:
            order[seat, 10] = drawn
            under = pile[notes[PILED] - 1] if notes[PILED] > 0 else np.int64(-1)
            theirs = under >= 0 and under >> 6 == 2 - seat
            chosen = ensemble_discard(
                hand,
                order[seat],
                11,
                drawn,
                taken,
                notes[TURN + seat],
                belief[seat],
                notes[KNOWN + seat],
                notes[PILE],
                under & 63 if under >= 0 else np.int64(-1),
                theirs,
                players[seat],
                ob,
                left,
                values,
            )
            turn, known = notes[TURN + seat], notes[KNOWN + seat]
            chosen = weigh_knock(chosen, hand, drawn, taken, turn, belief[seat], known, notes[PILE], limit, players[seat], left)
            card, after = chosen & 63, chosen >> 6
            at = 0
            while order[seat, at] != card:
                at += 1
            while at < 10:
                order[seat, at] = order[seat, at + 1]
                at += 1
        else:
            key = key_of(seed, game, turned, notes[STEP], seat, DISCARD)
            chosen = simple_discard(hand, drawn, taken, used[seat], key, left)
            card, after = chosen & 63, chosen >> 6
            used[seat, drawn] |= bit(card)
            used[seat, card] |= bit(drawn)
        notes[HAND + seat] = hand ^ bit(card)
        if after <= threshold(players[seat], notes[TURN + seat], limit):
            settle(notes, seat, KNOCK, card, limit, rules, seed, game, turned, melds, shown, log, outcome)
            return
        write(log, notes[STEP], seat, DROP, card)
        drop_card(notes, seat, card, pile, players, belief)
        if is_void(notes, rules):
            return
        seat = 1 - seat


@scalar_kernel
def play_match(
    players, rules, seed, game, turned, deck, notes, used, order, belief, pile, ob, left, values, melds, shown, log, outcome, counts
):
    """Play rounds until a player has the points; ``counts``: [COUNTS] int32 is filled."""
    counts[:] = 0
    notes[STEP] = 0
    starter = below(address(seed, game, 0, 0, STARTER), 0, 2) if rules[RANDOM_START] else np.int64(0)
    starter ^= turned
    round = 0
    while True:
        for i in range(52):
            deck[i] = i
        shuffle(deck, address(seed, game, round, 0, DEAL))
        deal_round(deck, starter, players, notes, used, order, belief, pile)
        limit = rules[LIMIT]
        if rules[OKLAHOMA]:
            limit = POINTS[deck[20]] if POINTS[deck[20]] > 1 else np.int64(0)
        passes = np.int64(0) if rules[OFFER] else np.int64(3)
        play_on(
            starter,
            passes,
            limit,
            deck,
            players,
            rules,
            seed,
            game,
            turned,
            notes,
            used,
            order,
            belief,
            pile,
            ob,
            left,
            values,
            melds,
            shown,
            log,
            outcome,
        )
        round += 1
        counts[ROUNDS] += 1
        counts[TURNS] += notes[N_DRAWS]
        winner = outcome[0]
        if winner < 0:
            counts[VOIDS] += 1
        else:
            counts[SCORE + winner] += outcome[1]
            counts[GINS + winner] += outcome[2]
            counts[UNDERCUTS + winner] += outcome[3]
            counts[WON + winner] += 1
            if rules[NEXT] == ALTERNATES:
                starter = 1 - starter
            else:
                starter = winner if rules[NEXT] == WINNER else 1 - winner
        if rules[POINTS_WANTED] == 0 or (winner >= 0 and counts[SCORE + winner] >= rules[POINTS_WANTED]):
            counts[WINNER_SEAT] = winner
            counts[STEPS] = notes[STEP]
            return


@kernel
def play_some(players, rules, seed, first, many, mirror, log, counts):
    """Play games ``first`` to ``first + many - 1`` on one core; ``counts``: [many, COUNTS] int32.

    With ``mirror``, games 2k and 2k + 1 are deal k, the second with the starter swapped.
    """
    deck = np.empty(52, np.int64)
    notes = np.zeros(12, np.int64)
    used = np.zeros((2, 52), np.int64)
    order = np.zeros((2, 12), np.int64)
    belief = np.zeros((2, 54), np.float64)
    pile = np.zeros(64, np.int64)
    ob = np.zeros(68, np.float64)
    left = np.zeros(52, np.int64)
    values = np.zeros(52, np.float64)
    melds = np.zeros(4, np.int64)
    shown = np.zeros(4, np.int64)
    outcome = np.zeros(4, np.int64)
    for i in range(many):
        game, turned = first + i, np.int64(0)
        if mirror:
            game, turned = (first + i) >> 1, np.int64((first + i) & 1)
        play_match(
            players,
            rules,
            seed,
            game,
            turned,
            deck,
            notes,
            used,
            order,
            belief,
            pile,
            ob,
            left,
            values,
            melds,
            shown,
            log,
            outcome,
            counts[i],
        )


@parallel_kernel
def play_games(players, rules, seed, first, many, mirror, counts):
    """Play as ``play_some`` does, spread over the cores; the result does not depend on how many there are."""
    chunks = (many + CHUNK - 1) // CHUNK
    for chunk in numba.prange(chunks):
        start = chunk * CHUNK
        stop = min(start + CHUNK, many)
        log = np.empty((0, LOG_WIDTH), np.int64)
        play_some(players, rules, seed, first + start, stop - start, mirror, log, counts[start:stop])
