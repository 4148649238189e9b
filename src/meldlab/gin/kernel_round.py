"""Kernels that play whole matches between player vectors, many at a time.

The same seed gives the same actions as the Table: cards come from the address (seed, game, round), every draw of a player from the root
of the game, the step and the seat, where a step is one action of the match.
"""

import numpy as np

from meldlab.cards.kernel import popcount
from meldlab.chance.kernel import address, below, decision, root_of, shuffle
from meldlab.chance.kernel_purpose import Purpose
from meldlab.compiling import inlined_kernel, kernel, scalar_kernel
from meldlab.gin.kernel import (
    DISCARD,
    FULL,
    LEFT,
    MELDS,
    POINTS,
    bit,
    guarded_melds,
    lay_off,
    makes_meld,
    pick_melds,
    points_of,
    simple_discard,
)
from meldlab.gin.kernel_layout import *
from meldlab.gin.players.kernel_ensemble import (
    HOLD,
    adjacent_cards,
    baseline,
    ensemble_discard,
    ensemble_takes,
    hear_draw,
    start_belief,
    weigh_knock,
)
from meldlab.gin.players.kernel_light import advise_to_draw, advise_to_drop, light_discard, light_takes
from meldlab.gin.players.kernel_looking import computed_discard, computed_takes
from meldlab.gin.players.kernel_marjj import marjj_discard, marjj_takes
from meldlab.gin.players.kernel_policy import TO_DRAW, TO_DROP, TO_OFFER, heed, new_bench, policy_discard, policy_takes, write_known
from meldlab.melds.kernel import deadwood

DEAL, STARTER, SCORES = int(Purpose.DEAL), int(Purpose.STARTER), int(Purpose.SCORES)
MOST_ROUNDS = 1000  # a match that nobody has won by then is a draw: under some rules nobody ever scores
OVER = np.int64(-1)  # in place of who goes on
GONE = np.int64(3)  # passes of the first upcard when there is none any more
CHOSEN = np.int64(-1)  # the first action of a round that is played on: the player's own choice


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


@inlined_kernel
def sight_of(desk, seat, barred):
    """Return what a seat sees; ``barred``: a card that it may not drop, as a hand."""
    notes, pile, other = desk.notes, desk.pile, 1 - seat
    top = pile[notes[PILED] - 1] if notes[PILED] > 0 else np.int64(-1)
    return Sight(
        notes[HAND + seat],
        barred,
        notes[TURN + seat],
        notes[KNOWN + seat],
        notes[PILE],
        notes[DROPPED + other],
        top & 63 if top >= 0 else np.int64(-1),
        top >= 0 and top >> 6 == 2 - seat,
        notes[SCORED + seat],
        notes[SCORED + other],
        notes[KNOCK_LIMIT],
    )


@inlined_kernel
def take_decision(desk, seat, upcard, offered, pair, root):
    """Tell whether a seat takes the upcard; ``offered``: whether it is the first one, which may be passed."""
    sheet, player, kind = desk.sheet, pair.vectors[seat], pair.vectors[seat, KIND]
    if kind == SIMPLE:
        return makes_meld(desk.notes[HAND + seat], upcard)
    sight = sight_of(desk, seat, np.int64(0))
    if kind == POLICY:
        policy, bench, key = pair.books[seat].policy, desk.bench, decision(root, desk.notes[STEP], seat, DISCARD)
        adviser = Network(policy.rows, policy.first, policy.last)
        if 0 < player[ASKED] <= desk.notes[STEP]:
            return light_takes(sight, upcard, adviser, sheet)
        allowed = write_known(desk.notes, desk.pile, seat, TO_OFFER if offered else TO_DRAW, np.int64(0), bench)
        known = Known(bench.planes, bench.shades, bench.scalars, allowed)
        advise_to_draw(sight, upcard, adviser, sheet, bench.advice)
        heed(bench.advice, known)
        return policy_takes(known, player[TEMPERATURE], key, policy, bench)
    if kind == ENSEMBLE:
        return ensemble_takes(sight, upcard, desk.order[seat], desk.belief[seat], player, sheet)
    if kind == COMPUTED:
        return computed_takes(sight, upcard, pair.books[seat].values, sheet)
    if kind == MARJJ:
        return marjj_takes(sight, upcard)
    return light_takes(sight, upcard, pair.books[seat].network, sheet)


@inlined_kernel
def drop_decision(desk, seat, drawn, taken, pair, root):
    """Return (card, deadwood it leaves, whether to knock) of a seat that holds a card too many."""
    notes, sheet, player, kind = desk.notes, desk.sheet, pair.vectors[seat], pair.vectors[seat, KIND]
    if kind == SIMPLE:
        used, key = desk.used[seat], decision(root, notes[STEP], seat, DISCARD)
        chosen = simple_discard(notes[HAND + seat], drawn, taken, used, key, sheet.left)
        card, after = chosen & 63, chosen >> 6
        used[drawn] |= bit(card)
        used[card] |= bit(drawn)
        return card, after, after <= threshold(player, notes[TURN + seat], notes[KNOCK_LIMIT])
    barred = bit(drawn) if taken else np.int64(0)
    sight = sight_of(desk, seat, barred)
    if kind == POLICY:
        policy, bench, key = pair.books[seat].policy, desk.bench, decision(root, notes[STEP], seat, DISCARD)
        adviser = Network(policy.rows, policy.first, policy.last)
        if 0 < player[ASKED] <= notes[STEP]:
            chosen = light_discard(sight, 0.0, key, adviser, sheet)
            return chosen & 63, sheet.left[chosen & 63], chosen >= 64
        known = Known(bench.planes, bench.shades, bench.scalars, write_known(notes, desk.pile, seat, TO_DROP, barred, bench))
        advise_to_drop(sight, adviser, sheet, bench.advice)
        heed(bench.advice, known)
        chosen = policy_discard(known, player[TEMPERATURE], key, policy, bench)
        return chosen & 63, sheet.left[chosen & 63], chosen >= 64
    if kind == COMPUTED:
        chosen = computed_discard(sight, pair.books[seat].values, sheet)
        return chosen & 63, sheet.left[chosen & 63], chosen >= 64
    if kind == LIGHT:
        key = decision(root, notes[STEP], seat, DISCARD)
        chosen = light_discard(sight, player[NOISE], key, pair.books[seat].network, sheet)
        return chosen & 63, sheet.left[chosen & 63], chosen >= 64
    if kind == MARJJ:
        most = threshold(player, notes[TURN + seat], notes[KNOCK_LIMIT])
        chosen = marjj_discard(sight, most, player, sheet)
        return chosen & 63, chosen >> 6, chosen >> 6 <= most
    order, belief = desk.order[seat], desk.belief[seat]
    order[10] = drawn
    chosen = weigh_knock(ensemble_discard(sight, order, belief, player, sheet), sight, belief, player, sheet.left)
    card, after = chosen & 63, (chosen & (HOLD - 1)) >> 6
    at = 0
    while at < 10 and order[at] != card:
        at += 1
    while at < 10:
        order[at] = order[at + 1]
        at += 1
    return card, after, chosen < HOLD and after <= threshold(player, notes[TURN + seat], notes[KNOCK_LIMIT])


@scalar_kernel
def tell_draw(notes, seat, upcard, taken, players, belief):
    """Let the other seat learn that ``seat`` took the upcard, or left it lying."""
    other = 1 - seat
    if taken:
        notes[KNOWN + other] |= bit(upcard)
    else:
        notes[DECLINED + seat] |= bit(upcard)
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
def laid_open(hand, theirs, big, rules, other_key, shown, many, melds):
    """Return what a knock that shows the first ``many`` melds of ``shown`` is worth: 4 * points + 1 if it is gin, - (4 * points + 2) if
    it is undercut.
    """
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


@inlined_kernel
def showdown(desk, knocker, verb, card, players, rules, root):
    """Return what a knock is worth, as ``laid_open`` tells it; the desk then has the melds of both.

    ``card``: the discard, which is out of the knocker's hand already.
    """
    notes, other, step = desk.notes, 1 - knocker, desk.notes[STEP]
    hand = notes[HAND + knocker]
    if players[knocker, KIND] == MARJJ:
        unseen = FULL & ~(hand | notes[PILE]) if verb == BIG else FULL & ~(hand | notes[PILE] | bit(card))
        many = guarded_melds(hand, unseen, desk.shown)
    else:
        many = pick_melds(hand, decision(root, step, knocker, MELDS), desk.shown)
    other_key = decision(root, step + 1, other, MELDS)
    return laid_open(hand, notes[HAND + other], verb == BIG, rules, other_key, desk.shown, many, desk.melds)


@inlined_kernel
def settle(desk, knocker, verb, card, players, rules, root):
    """Show both hands after a knock and fill the outcome."""
    notes, log, outcome = desk.notes, desk.log, desk.outcome
    other, step = 1 - knocker, notes[STEP]
    worth = showdown(desk, knocker, verb, card, players, rules, root)
    write(log, step, knocker, verb, card)
    write_melds(log, step, desk.shown)
    write(log, step + 1, other, SHOW, -1)
    write_melds(log, step + 1, desk.melds)
    notes[STEP] = step + 2
    outcome[0] = -1 if worth == 0 else knocker if worth > 0 else other
    outcome[1], outcome[2], outcome[3], outcome[4] = abs(worth) >> 2, worth & 1, worth < 0, knocker


@inlined_kernel
def note_discard(desk, diary, seat, card, knocked, pair, rules, root):
    """Write the discard of a seat, which is out of its hand already, into its diary, [turns, DIARY] float64."""
    notes, kind, hand = desk.notes, pair.vectors[seat, KIND], desk.notes[HAND + seat]
    row = notes[TURN + seat] - 1
    if row >= len(diary):
        return
    left_over = deadwood(hand, LEFT)
    diary[row, LEFT_OVER], diary[row, SEEN] = left_over, popcount(notes[KNOWN + seat])
    diary[row, KNOCKED], diary[row, TAKEN] = knocked, 0
    diary[row, RISK] = desk.sheet.risks[card] if kind == COMPUTED else 0.0
    diary[row, EXPECTED] = desk.sheet.values[card] if kind >= COMPUTED else 0.0
    pile = notes[PILE] | bit(card)
    diary[row, PLANE], diary[row, PLANE + 1] = hand | pile, notes[KNOWN + seat] | pile
    diary[row, OF_OPPONENT], diary[row, DISCARDED] = notes[DROPPED + 1 - seat], card
    diary[row, OWN_SCORE], diary[row, OTHER_SCORE] = notes[SCORED + seat], notes[SCORED + 1 - seat]
    diary[row, IF_KNOCK] = CANNOT_KNOCK
    if left_over <= notes[KNOCK_LIMIT]:
        worth = showdown(desk, seat, KNOCK, card, pair.vectors, rules, root)
        diary[row, IF_KNOCK] = worth >> 2 if worth >= 0 else -(-worth >> 2)


@inlined_kernel
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
        notes[HAND + seat], notes[KNOWN + seat], notes[TURN + seat] = hand, 0, 0
        notes[DROPPED + seat], notes[DECLINED + seat] = 0, 0
        if players[seat, KIND] == ENSEMBLE:
            start_belief(desk.belief[seat])
        else:
            desk.used[seat, :] = 0
    pile[0] = deck[2 * size]
    notes[PILE], notes[PILED], notes[UPCARDS], notes[N_DRAWS] = bit(pile[0]), 1, 0, 0
    notes[STOCK_LEFT] = rules[SUITS] * rules[RANKS] - 2 * size - 1


@inlined_kernel
def lay_out(desk, seed, game, round, starter, players, rules):
    """Shuffle and deal a round of a game, and set its knock limit."""
    deck, many = desk.deck, rules[SUITS] * rules[RANKS]
    at = 0
    for suit in range(rules[SUITS]):
        for rank in range(rules[RANKS]):
            deck[at] = 13 * suit + rank
            at += 1
    shuffle(deck[:many], address(seed, game, round, 0, DEAL))
    deal_round(desk, starter, players, rules)
    points = POINTS[desk.pile[0]]
    desk.notes[KNOCK_LIMIT] = rules[LIMIT] if rules[OKLAHOMA] == 0 else points if points > 1 else np.int64(0)


@scalar_kernel
def first_starter(seed, game, rules):
    """Return the seat that starts a game."""
    return below(address(seed, game, 0, 0, STARTER), 0, 2) if rules[RANDOM_START] else np.int64(0)


@scalar_kernel
def next_starter(starter, winner, rules):
    """Return the seat that starts after a scored round."""
    if rules[NEXT] == ALTERNATES:
        return 1 - starter
    return winner if rules[NEXT] == WINNER else 1 - winner


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
def clear_outcome(outcome):
    """Say that nobody has knocked."""
    outcome[0], outcome[1], outcome[2], outcome[3], outcome[4] = -1, 0, 0, 0, -1


@inlined_kernel
def play_turn(desk, diary, seat, passes, pair, rules, root, first):
    """Let ``seat`` pass, or draw and drop; return the next seat + 2 * passes, or OVER. The arguments are those of play_on."""
    deck, notes, belief, pile, log = desk.deck, desk.notes, desk.belief, desk.pile, desk.log
    players = pair.vectors
    if first & 7 == DROP or first & 7 == KNOCK:
        card, wanted = first >> 3, first & 7 == KNOCK
        hand = notes[HAND + seat]
    else:
        top = pile[notes[PILED] - 1] & 63
        taken = first & 7 == TAKE
        if first == CHOSEN and passes != 2:
            taken = take_decision(desk, seat, top, passes < 2, pair, root)
        if passes < 2 and not taken:
            write(log, notes[STEP], seat, PASS, -1)
            notes[STEP] += 1
            tell_draw(notes, seat, top, False, players, belief)
            return 1 - seat + 2 * (passes + 1)
        if taken:
            drawn = top
            other = 1 - seat
            if other < len(diary) and pile[notes[PILED] - 1] >> 6 == 1 + other and 0 < notes[TURN + other] <= diary.shape[1]:
                diary[other, notes[TURN + other] - 1, TAKEN] = 1
            notes[PILED] -= 1
            notes[PILE] &= ~bit(drawn)
            notes[UPCARDS] += passes == 3
            write(log, notes[STEP], seat, TAKE, drawn)
        else:
            drawn = np.int64(deck[rules[SUITS] * rules[RANKS] - notes[STOCK_LEFT]])
            notes[STOCK_LEFT] -= 1
            write(log, notes[STEP], seat, DRAW, drawn)
        notes[STEP] += 1
        notes[N_DRAWS] += 1
        if rules[MOST_UPCARDS] != 0 and notes[UPCARDS] >= rules[MOST_UPCARDS]:
            return OVER
        tell_draw(notes, seat, top, taken, players, belief)
        if seat < len(diary) and notes[TURN + seat] < diary.shape[1]:
            diary[seat, notes[TURN + seat], DRAW_PLANE] = -1 if taken else notes[HAND + seat] | notes[PILE]
            diary[seat, notes[TURN + seat], DRAW_PLANE + 1] = notes[KNOWN + seat] | notes[PILE]
        hand = notes[HAND + seat] | bit(drawn)
        notes[HAND + seat] = hand
        notes[TURN + seat] += 1
        if rules[BIG_GIN] and deadwood(hand, LEFT) == 0:
            notes[TURN + seat] -= 1  # no discard, so no line in the diary
            settle(desk, seat, BIG, -1, players, rules, root)
            return OVER
        card, _, wanted = drop_decision(desk, seat, drawn, taken, pair, root)
    notes[HAND + seat] = hand ^ bit(card)
    if seat < len(diary):
        note_discard(desk, diary[seat], seat, card, wanted, pair, rules, root)
    if wanted:
        settle(desk, seat, KNOCK, card, players, rules, root)
        return OVER
    write(log, notes[STEP], seat, DROP, card)
    drop_card(notes, seat, card, pile, players, belief)
    return OVER if is_void(notes, rules) else 1 - seat + 2 * GONE


@inlined_kernel
def play_on(desk, diary, seat, passes, pair, rules, root, first):
    """Play a round to its end from ``seat`` on; the steps go on from the notes.

    ``diary``: [seats, turns, DIARY] float64, of the seats that keep one, the first ones or none;
    ``passes``: how often the first upcard was passed, GONE when it is gone; ``rules``: [RULES] int64; ``root``: of the players' draws;
    ``first``: CHOSEN, or the action that ``seat`` begins with, as verb + 8 * card; with DROP or KNOCK it has a card too many already.
    """
    clear_outcome(desk.outcome)
    while True:
        going = play_turn(desk, diary, seat, passes, pair, rules, root, first)
        if going == OVER:
            return
        seat, passes, first = going & 1, going >> 1, CHOSEN


@scalar_kernel
def begin_match(notes, seed, game, rules, counts):
    """Set the notes and counts of a match to its begin and return who starts."""
    counts[:] = 0
    notes[STEP] = 0
    for seat in range(2):
        notes[SCORED + seat] = below(address(seed, game, 0, 0, SCORES), seat, 100) if rules[ANY_SCORES] else 0
    return first_starter(seed, game, rules)


@scalar_kernel
def passes_at_first(rules):
    """Return how often the first upcard counts as passed when a round begins."""
    return np.int64(0) if rules[OFFER] else GONE


@scalar_kernel
def end_round(notes, outcome, starter, rules, counts):
    """Count a round that is over and return who starts the next, or OVER after the last."""
    counts[ROUNDS] += 1
    counts[DRAWN] += notes[N_DRAWS]
    winner = outcome[0]
    if winner < 0:
        counts[VOIDS] += outcome[4] < 0  # a knock with equal deadwood may score nothing, too
    else:
        counts[SCORE + winner] += outcome[1]
        counts[GINS + winner] += outcome[2]
        counts[UNDERCUTS + winner] += outcome[3]
        counts[WON + winner] += 1
        notes[SCORED + winner] += outcome[1]
        starter = next_starter(starter, winner, rules)
    won = winner >= 0 and counts[SCORE + winner] >= rules[POINTS_WANTED]
    if rules[POINTS_WANTED] == 0 or won or counts[ROUNDS] == MOST_ROUNDS:
        counts[WINNER_SEAT] = winner if won else -1
        counts[STEPS] = notes[STEP]
        return OVER
    return starter


@scalar_kernel
def play_match(desk, diary, pair, rules, seed, game, counts):
    """Play rounds until a player has the points, or MOST_ROUNDS; ``counts``: [COUNTS] int32 is filled."""
    root = root_of(seed, game)
    starter = begin_match(desk.notes, seed, game, rules, counts)
    while starter != OVER:
        lay_out(desk, seed, game, counts[ROUNDS], starter, pair.vectors, rules)
        play_on(desk, diary, starter, passes_at_first(rules), pair, rules, root, CHOSEN)
        starter = end_round(desk.notes, desk.outcome, starter, rules, counts)


@scalar_kernel
def close_diary(diary, notes, outcome):
    """Write the points of a round that is over into the lines of the diaries that it filled, [seats, turns, DIARY] float64."""
    for seat in range(len(diary)):
        points = outcome[1] if outcome[0] == seat else -outcome[1]
        for row in range(diary.shape[1]):
            diary[seat, row, RESULT] = points if row < notes[TURN + seat] else CANNOT_KNOCK


@kernel
def new_sheet():
    """Return a sheet to compute on."""
    return Sheet(
        np.zeros(68, np.float64),
        np.zeros(52, np.int64),
        np.zeros(52, np.float64),
        np.zeros(53, np.float64),
        np.zeros((2, 52), np.float64),
        np.zeros((2, WIDE), np.float32),
        np.zeros(NARROW, np.float32),
    )


@kernel
def new_desk(log, pair):
    """Return a desk for two players to play at."""
    one, other = pair.books[0].policy, pair.books[1].policy
    return Desk(
        np.zeros(52, np.int64),
        np.zeros(NOTES, np.int64),
        np.zeros((2, 52), np.int64),
        np.zeros((2, 12), np.int64),
        np.zeros((2, 54), np.float64),
        np.zeros(64, np.int64),
        np.zeros(4, np.int64),
        np.zeros(4, np.int64),
        np.zeros(5, np.int64),
        log,
        new_sheet(),
        new_bench(max(one.own.shape[1], other.own.shape[1])),
    )


@kernel
def play_some(pair, rules, seed, first, many, log, counts):
    """Play games ``first`` to ``first + many - 1`` on one core; ``counts``: [many, COUNTS] int32."""
    desk, diary = new_desk(log, pair), np.zeros((0, 0, DIARY), np.float64)
    for i in range(many):
        play_match(desk, diary, pair, rules, seed, first + i, counts[i])
