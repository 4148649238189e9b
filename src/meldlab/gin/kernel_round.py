"""Kernels that play whole matches between player vectors, many at a time.

The same seed gives the same actions as the Table: cards come from the address (seed, game, round), every draw of a player from the root
of the game, the step and the seat, where a step is one action of the match.
"""

import numpy as np

from meldlab.chance.kernel import address, below, decision, root_of, shuffle
from meldlab.chance.kernel_purpose import Purpose
from meldlab.compiling import kernel, scalar_kernel
from meldlab.gin.kernel import (
    DISCARD,
    MELDS,
    POINTS,
    bit,
    lay_off,
    makes_meld,
    pick_melds,
    points_of,
    popcount,
    simple_discard,
)
from meldlab.gin.kernel import LEFT as TABLE
from meldlab.gin.kernel_computed import computed_discard, computed_takes
from meldlab.gin.kernel_desk import Desk
from meldlab.gin.kernel_ensemble import (
    BIG,
    COMPUTED,
    DRAW,
    DROP,
    DROPS,
    ENSEMBLE,
    KIND,
    KNOCK,
    KNOCK_EARLY,
    KNOCK_LATE,
    KNOCK_TURN,
    NOISE,
    PASS,
    SHOW,
    SIMPLE,
    TAKE,
    adjacent_cards,
    baseline,
    ensemble_discard,
    ensemble_takes,
    hear_draw,
    start_belief,
    weigh_knock,
)
from meldlab.gin.kernel_light import NARROW, WIDE, light_discard, light_takes
from meldlab.melds.kernel import deadwood

DEAL, STARTER, SCORES = int(Purpose.DEAL), int(Purpose.STARTER), int(Purpose.SCORES)
MOST_ROUNDS = 1000  # a match that nobody has won by then is a draw: under some rules nobody ever scores

# Places in a vector of rules, [RULES] int64.
LIMIT, OKLAHOMA, GIN, BIG_GIN, UNDERCUT, EQUAL, OFFER, FLOOR, MOST_UPCARDS, MOST_DRAWS, RANDOM_START, NEXT, POINTS_WANTED = range(13)
CARDS_EACH, RANKS = 13, 14  # ten of thirteen; smaller games serve as tests of what is computed
ANY_SCORES = 15  # 1: every match starts with scores drawn at random, to learn from
RULES = 16
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
HAND, KNOWN, TURN, DROPPED, SCORED = 6, 8, 10, 12, 14  # two places each
NOTES = 16

# What seat 0 writes into its diary at each of its discards, [turns, DIARY] float64: its deadwood, cards known of the opponent, points if it
# knocked, whether it did, the risk of the discard, what it expected, whether the discard was taken; the cards as planes (kernel_light)
# after the discard, and before a draw from stock, -1 if it took the upcard; the points of the round, filled in when it is over.
LEFT_OVER, SEEN, IF_KNOCK, KNOCKED, RISK, EXPECTED, TAKEN, PLANE, DRAW_PLANE, RESULT = 0, 1, 2, 3, 4, 5, 6, 7, 9, 11
OF_OPPONENT, DISCARDED, OWN_SCORE, OTHER_SCORE = 12, 13, 14, 15  # cards that the opponent dropped, the discard, the match before the round
DIARY = 16
CANNOT_KNOCK = -1e9


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
def take_decision(desk, seat, upcard, limit, players, books):
    """Tell whether a seat that computes takes the upcard."""
    notes, left, values = desk.notes, desk.left, desk.values
    hand, kind = notes[HAND + seat], players[seat, KIND]
    turn, known, pile = notes[TURN + seat], notes[KNOWN + seat], notes[PILE]
    if kind == ENSEMBLE:
        return ensemble_takes(hand, desk.order[seat], upcard, turn, desk.belief[seat], known, pile, players[seat], desk.ob, left)
    if kind == COMPUTED:
        return computed_takes(hand, upcard, turn, known, pile, limit, books[seat], left, desk.risks, values)
    dropped, own, other = notes[DROPPED + 1 - seat], notes[SCORED + seat], notes[SCORED + 1 - seat]
    seen = turn, known, pile, dropped, own, other
    return light_takes(hand, upcard, *seen, limit, books[seat], left, values, desk.total, desk.inner)


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
def showdown(hand, theirs, big, rules, own_key, other_key, shown, melds):
    """Return what a knock with ``hand`` against ``theirs`` is worth: 4 * points + 1 if it is gin, - (4 * points + 2) if it is undercut.

    ``shown`` and ``melds``, [4] int64, are set to the melds of both; the keys address who arranges them how.
    """
    many = pick_melds(hand, own_key, shown)
    count = pick_melds(theirs, other_key, melds)
    own = hand
    for i in range(many):
        own &= ~shown[i]
    own = points_of(own)
    loose = theirs
    for i in range(count):
        loose &= ~melds[i]
    if big or own == 0:
        return 4 * (points_of(loose) + (rules[BIG_GIN] if big else rules[GIN])) + 1
    # Laid off on a copy: what is shown stays as it was shown.
    a, b, c, d = shown[0], shown[1], shown[2], shown[3]
    rest = points_of(lay_off(loose, shown, many))
    shown[0], shown[1], shown[2], shown[3] = a, b, c, d
    if rest > own:
        return 4 * (rest - own)
    if rest < own or rules[EQUAL] == 0:
        return -4 * (own - rest + rules[UNDERCUT]) - 2  # an undercut even where it scores nothing
    return np.int64(0)


@scalar_kernel
def settle(notes, knocker, verb, card, rules, root, melds, shown, log, outcome):
    """Show both hands after a knock and fill ``outcome``, [5] int64: winner, points, whether gin, whether undercut, who knocked."""
    other, step = 1 - knocker, notes[STEP]
    own_key, other_key = decision(root, step, knocker, MELDS), decision(root, step + 1, other, MELDS)
    worth = showdown(notes[HAND + knocker], notes[HAND + other], verb == BIG, rules, own_key, other_key, shown, melds)
    write(log, step, knocker, verb, card)
    write_melds(log, step, shown)
    write(log, step + 1, other, SHOW, -1)
    write_melds(log, step + 1, melds)
    notes[STEP] = step + 2
    outcome[0] = -1 if worth == 0 else knocker if worth > 0 else other
    outcome[1], outcome[2], outcome[3], outcome[4] = abs(worth) >> 2, worth & 1, worth < 0, knocker


@scalar_kernel
def note_discard(diary, notes, card, left_over, knocked, limit, rules, root, risk, expected, shown, melds):
    """Write the discard of seat 0, which is out of its hand already, into its diary; ``left_over``: its deadwood."""
    row = notes[TURN] - 1
    if row >= len(diary):
        return
    diary[row, LEFT_OVER], diary[row, SEEN] = left_over, popcount(notes[KNOWN])
    diary[row, KNOCKED], diary[row, RISK], diary[row, EXPECTED], diary[row, TAKEN] = knocked, risk, expected, 0
    pile = notes[PILE] | bit(card)
    diary[row, PLANE], diary[row, PLANE + 1] = notes[HAND] | pile, notes[KNOWN] | pile
    diary[row, OF_OPPONENT], diary[row, DISCARDED] = notes[DROPPED + 1], card
    diary[row, OWN_SCORE], diary[row, OTHER_SCORE] = notes[SCORED], notes[SCORED + 1]
    diary[row, IF_KNOCK] = CANNOT_KNOCK
    if left_over <= limit:
        step = notes[STEP]
        own_key, other_key = decision(root, step, 0, MELDS), decision(root, step + 1, 1, MELDS)
        worth = showdown(notes[HAND], notes[HAND + 1], False, rules, own_key, other_key, shown, melds)
        diary[row, IF_KNOCK] = worth >> 2 if worth >= 0 else -(-worth >> 2)


@scalar_kernel
def deal_round(desk, starter, players, rules):
    """Lay out hands, pile and memories from the deck."""
    deck, notes, pile = desk.deck, desk.notes, desk.pile
    size = rules[CARDS_EACH]
    for seat in range(2):
        first = 0 if seat == starter else size
        hand = np.int64(0)
        for i in range(size):
            desk.order[seat, i] = deck[first + i]
            hand |= bit(deck[first + i])
        notes[HAND + seat], notes[KNOWN + seat], notes[TURN + seat], notes[DROPPED + seat] = hand, 0, 0, 0
        if players[seat, KIND] == ENSEMBLE:
            start_belief(desk.belief[seat])
        else:
            desk.used[seat, :] = 0
    pile[0] = deck[2 * size]
    notes[PILE], notes[PILED], notes[UPCARDS], notes[N_DRAWS] = bit(pile[0]), 1, 0, 0
    notes[STOCK_LEFT] = 4 * rules[RANKS] - 2 * size - 1


@scalar_kernel
def drop_card(notes, seat, card, pile, players, belief):
    """Lay a card of the hand on the pile."""
    notes[STEP] += 1
    pile[notes[PILED]] = card + 64 * (1 + seat)
    notes[PILED] += 1
    notes[PILE] |= bit(card)
    notes[DROPPED + seat] |= bit(card)
    tell_drop(notes, seat, card, players, belief)


@scalar_kernel
def is_void(notes, rules):
    """Tell whether a discard without a knock has ended the round."""
    return notes[STOCK_LEFT] <= rules[FLOOR] or notes[N_DRAWS] >= rules[MOST_DRAWS]


@scalar_kernel
def play_on(desk, seat, passes, limit, players, books, rules, root, log, diary):
    """Play a round to its end from ``seat`` to draw; the steps go on from ``notes[STEP]``.

    ``passes``: how often the first upcard was passed, 3 when it is gone; ``players``: [2, PARAMETERS] float64; ``books``: what each seat
    computes with; ``rules``: [RULES] int64; ``root``: of the players' draws.
    """
    deck, notes, used, order, belief, pile, ob, left, risks, values, total, inner, melds, shown, outcome = desk
    outcome[0], outcome[1], outcome[2], outcome[3], outcome[4] = -1, 0, 0, 0, -1
    while True:
        top = pile[notes[PILED] - 1] & 63
        taken = False
        if passes != 2 and players[seat, KIND] == SIMPLE:
            # Asked here: handing the desk and the books on costs more than the answer.
            taken = makes_meld(notes[HAND + seat], top)
        elif passes != 2:
            taken = take_decision(desk, seat, top, limit, players, books)
        if passes < 2 and not taken:
            write(log, notes[STEP], seat, PASS, -1)
            notes[STEP] += 1
            tell_draw(notes, seat, top, False, players, belief)
            passes += 1
            seat = 1 - seat
            continue
        if taken:
            drawn = top
            if seat == 1 and pile[notes[PILED] - 1] >> 6 == 1 and 0 < notes[TURN] <= len(diary):
                diary[notes[TURN] - 1, TAKEN] = 1
            notes[PILED] -= 1
            notes[PILE] &= ~bit(drawn)
            notes[UPCARDS] += passes == 3
            write(log, notes[STEP], seat, TAKE, drawn)
        else:
            drawn = np.int64(deck[4 * rules[RANKS] - notes[STOCK_LEFT]])
            notes[STOCK_LEFT] -= 1
            write(log, notes[STEP], seat, DRAW, drawn)
        passes = np.int64(3)
        notes[STEP] += 1
        notes[N_DRAWS] += 1
        if rules[MOST_UPCARDS] != 0 and notes[UPCARDS] >= rules[MOST_UPCARDS]:
            return
        tell_draw(notes, seat, top, taken, players, belief)
        if seat == 0 and notes[TURN] < len(diary):
            diary[notes[TURN], DRAW_PLANE] = -1 if taken else notes[HAND] | notes[PILE]
            diary[notes[TURN], DRAW_PLANE + 1] = notes[KNOWN] | notes[PILE]
        hand = notes[HAND + seat] | bit(drawn)
        notes[HAND + seat] = hand
        notes[TURN + seat] += 1
        if rules[BIG_GIN] and deadwood(hand, TABLE) == 0:
            notes[TURN + seat] -= 1  # no discard, so no line in the diary
            settle(notes, seat, BIG, -1, rules, root, melds, shown, log, outcome)
            return

        risk, expected = 0.0, 0.0
        if players[seat, KIND] >= COMPUTED:
            barred = bit(drawn) if taken else np.int64(0)
            turn, known = notes[TURN + seat], notes[KNOWN + seat]
            if players[seat, KIND] == COMPUTED:
                chosen = computed_discard(hand, barred, turn, known, notes[PILE], limit, books[seat], left, risks, values)
            else:
                key = decision(root, notes[STEP], seat, DISCARD)
                chosen = light_discard(
                    hand,
                    barred,
                    turn,
                    known,
                    notes[PILE],
                    notes[DROPPED + 1 - seat],
                    notes[SCORED + seat],
                    notes[SCORED + 1 - seat],
                    limit,
                    players[seat, NOISE],
                    key,
                    books[seat],
                    left,
                    values,
                    total,
                    inner,
                )
            card = chosen & 63
            after, wanted, risk, expected = left[card], chosen >= 64, risks[card], values[card]
        elif players[seat, KIND] == ENSEMBLE:
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
            wanted = after <= threshold(players[seat], notes[TURN + seat], limit)
            at = 0
            while at < 10 and order[seat, at] != card:
                at += 1
            while at < 10:
                order[seat, at] = order[seat, at + 1]
                at += 1
        else:
            key = decision(root, notes[STEP], seat, DISCARD)
            chosen = simple_discard(hand, drawn, taken, used[seat], key, left)
            card, after = chosen & 63, chosen >> 6
            wanted = after <= threshold(players[seat], notes[TURN + seat], limit)
            used[seat, drawn] |= bit(card)
            used[seat, card] |= bit(drawn)
        notes[HAND + seat] = hand ^ bit(card)
        if seat == 0 and len(diary) > 0:
            note_discard(diary, notes, card, after, wanted, limit, rules, root, risk, expected, shown, melds)
        if wanted:
            settle(notes, seat, KNOCK, card, rules, root, melds, shown, log, outcome)
            return
        write(log, notes[STEP], seat, DROP, card)
        drop_card(notes, seat, card, pile, players, belief)
        if is_void(notes, rules):
            return
        seat = 1 - seat


@scalar_kernel
def play_match(desk, players, books, rules, seed, game, log, diary, counts):
    """Play rounds until a player has the points, or MOST_ROUNDS; ``counts``: [COUNTS] int32 is filled."""
    deck, notes, outcome = desk.deck, desk.notes, desk.outcome
    root = root_of(seed, game)
    counts[:] = 0
    notes[STEP] = 0
    for seat in range(2):
        notes[SCORED + seat] = below(address(seed, game, 0, 0, SCORES), seat, 100) if rules[ANY_SCORES] else 0
    starter = below(address(seed, game, 0, 0, STARTER), 0, 2) if rules[RANDOM_START] else np.int64(0)
    round = 0
    while True:
        many = 4 * rules[RANKS]
        for i in range(many):
            deck[i] = i // rules[RANKS] * 13 + i % rules[RANKS]
        shuffle(deck[:many], address(seed, game, round, 0, DEAL))
        deal_round(desk, starter, players, rules)
        limit = rules[LIMIT]
        if rules[OKLAHOMA]:
            limit = POINTS[desk.pile[0]] if POINTS[desk.pile[0]] > 1 else np.int64(0)
        passes = np.int64(0) if rules[OFFER] else np.int64(3)
        play_on(desk, starter, passes, limit, players, books, rules, root, log, diary)
        round += 1
        counts[ROUNDS] += 1
        counts[TURNS] += notes[N_DRAWS]
        winner = outcome[0]
        if winner < 0:
            counts[VOIDS] += outcome[4] < 0  # a knock with equal deadwood may score nothing, too
        else:
            counts[SCORE + winner] += outcome[1]
            counts[GINS + winner] += outcome[2]
            counts[UNDERCUTS + winner] += outcome[3]
            counts[WON + winner] += 1
            notes[SCORED + winner] += outcome[1]
            if rules[NEXT] == ALTERNATES:
                starter = 1 - starter
            else:
                starter = winner if rules[NEXT] == WINNER else 1 - winner
        won = winner >= 0 and counts[SCORE + winner] >= rules[POINTS_WANTED]
        if rules[POINTS_WANTED] == 0 or won or round == MOST_ROUNDS:
            counts[WINNER_SEAT] = winner if won else -1
            counts[STEPS] = notes[STEP]
            return


@kernel
def new_desk():
    """Return a desk to play at."""
    return Desk(
        np.zeros(52, np.int64),
        np.zeros(NOTES, np.int64),
        np.zeros((2, 52), np.int64),
        np.zeros((2, 12), np.int64),
        np.zeros((2, 54), np.float64),
        np.zeros(64, np.int64),
        np.zeros(68, np.float64),
        np.zeros(52, np.int64),
        np.zeros(52, np.float64),
        np.zeros(53, np.float64),
        np.zeros((2, WIDE), np.float32),
        np.zeros(NARROW, np.float32),
        np.zeros(4, np.int64),
        np.zeros(4, np.int64),
        np.zeros(5, np.int64),
    )


@kernel
def play_some(players, books, rules, seed, first, many, log, counts):
    """Play games ``first`` to ``first + many - 1`` on one core; ``counts``: [many, COUNTS] int32."""
    desk, diary = new_desk(), np.zeros((0, DIARY), np.float64)
    for i in range(many):
        play_match(desk, players, books, rules, seed, first + i, log, diary, counts[i])
