"""Kernels of worlds: where the cards lie that a seat does not see, and every candidate played out on the same ones.

Seat 0 is whoever decides. What was open both have seen, so that whoever plays the round out goes on with all that it would remember. The
opponent's hand is no random one: it has been played with for as many turns as the real one.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from meldlab.cards.kernel import popcount
from meldlab.chance.kernel import address, below, decision, shuffle, unit
from meldlab.chance.kernel_purpose import Purpose
from meldlab.compiling import inlined_kernel, kernel, scalar_kernel
from meldlab.gin.kernel import LEFT, MELDS, bit, discards
from meldlab.gin.kernel_layout import *
from meldlab.gin.kernel_round import CHOSEN, GONE, OVER, clear_outcome, laid_open, new_desk, play_turn, sight_of, threshold
from meldlab.gin.players.kernel_light import light_draws, light_taking
from meldlab.melds.kernel import deadwood

OWN, OTHER = 0, 1
IMAGINED_HANDS, DEVELOPING, PLAYOUT = int(Purpose.IMAGINED_HANDS), int(Purpose.DEVELOPING), int(Purpose.PLAYOUT)

# Places in a candidate, [CANDIDATE] int64: verb and card; for a knock the cards that are shown, and four melds.
TRIED, ABOUT, SHOWN, FIRST_SHOWN = 0, 1, 2, 3
CANDIDATE = 7
SCORELESS = -1  # the verb of a candidate that ends the round without score
NEVER = -1  # deadwood that nobody has
# Draws of a hand that is believed, behind those of one that is developed; how often its cards are exchanged, and what weight a point of
# deadwood costs after each of the opponent's turns: found so that the deadwood is that of rounds which are played.
FIRST_BELIEVED, FIRST_EXCHANGED, EXCHANGES = 64, 128, 60
PRICE_OF_DEADWOOD, MOST_PRICED = 0.01, 8
# What each of two light networks thinks of a position counts so much: each knows one hand, and thinks of the other's as of any.
EACH_COUNTS = 0.85


class Situation(NamedTuple):
    """The middle of a round, as the player who thinks sees it; numbers are int64."""

    hand: Any  # ten cards before a draw, eleven after
    known: Any  # cards seen to be the opponent's, as a hand
    piled: Any  # [cards] int64, the pile with its top last, as a desk has it; who dropped a card may be left out
    stock: Any  # how many cards it has
    turn: Any  # how often the player has drawn
    draws: Any  # of how many in all
    upcards: Any  # taken after the first
    passes: Any  # as in play_on
    odds: Any  # [52] float64, that a card is the opponent's against that it is not, as somebody believes; empty where nobody does


class Memory(NamedTuple):
    """What both remember of the round so far, beside a Situation; whoever decided comes first."""

    seen: Any  # own cards that the opponent saw taken, as a hand
    dropped: Any  # [2] int64, as hands
    declined: Any  # [2] int64, as hands
    scores: Any  # [2] int64
    order: Any  # [10 or 11] int64, own cards as they came
    beliefs: Any  # [2, 54] float64, of an ensemble


class Ends(NamedTuple):
    """How worlds end; an outcome is 0 if nobody wins the round, points + 1 if whoever decides wins, - (points + 1) if the other does."""

    outcomes: Any  # [worlds, candidates] int64
    expected: Any  # [worlds, candidates] float64, for whoever decides, in points of a light network, where a world is broken off; else NaN
    steps: Any  # after which a world is broken off before a draw, if two policies with a light network inside play; 0 if none is


@scalar_kernel
def list_unseen(situation, unseen):
    """Write the cards that may lie anywhere into ``unseen``, [52] int64, in order; return how many."""
    seen, count = situation.hand | situation.known, 0
    for card in situation.piled:
        seen |= bit(card & 63)
    for card in range(52):
        if not seen & bit(card):
            unseen[count] = card
            count += 1
    return count


@scalar_kernel
def develop(theirs, unseen, hidden, count, turns, most, key, left):
    """Play with the first ``hidden`` of ``count`` unseen cards, and those known of ``theirs``, for some turns; return the hand.

    In every turn a card comes from stock and the one goes back without which the least deadwood is left; a known card stays. A hand with
    at most ``most`` points would have knocked, so it does not come about. ``left``: [52] int64 workspace.
    """
    for turn in range(turns if count > hidden else 0):
        drawn = hidden + below(key, turn, count - hidden)
        eleven = theirs | bit(unseen[drawn])
        discards(eleven, left)
        # The order of the unseen cards is random, so among equals the first will do.
        goes, least = drawn, left[unseen[drawn]]
        for i in range(hidden):
            if left[unseen[i]] < least:
                goes, least = np.int64(i), left[unseen[i]]
        if goes != drawn and least > most:
            theirs = eleven ^ bit(unseen[goes])
            unseen[goes], unseen[drawn] = unseen[drawn], unseen[goes]
    return theirs


@scalar_kernel
def believe(unseen, count, hidden, odds, key, sums):
    """Bring ``hidden`` of ``count`` unseen cards to the front, drawn by their odds as if each were held or not by itself.

    ``sums``: [53, 12] float64 workspace, the weight of all ways to hold so many of the cards from a place on.
    """
    for many in range(hidden + 1):
        sums[count, many] = 1.0 if many == 0 else 0.0
    for at in range(count - 1, -1, -1):
        sums[at, 0] = 1.0
        for many in range(1, hidden + 1):
            sums[at, many] = sums[at + 1, many] + odds[unseen[at]] * sums[at + 1, many - 1]
    held = 0
    for at in range(count):
        wanted = hidden - held
        if wanted > 0 and unit(key, FIRST_BELIEVED + at) * sums[at, wanted] < odds[unseen[at]] * sums[at + 1, wanted - 1]:
            unseen[at], unseen[held] = unseen[held], unseen[at]
            held += 1


@scalar_kernel
def match_up(theirs, unseen, hidden, count, turns, odds, key):
    """Exchange the first ``hidden`` unseen cards, and return the hand, until they go together as after so many turns.

    Odds of single cards do not say that a hand holds melds: hands are drawn with a weight that falls with their deadwood, by Metropolis.
    """
    price, left = PRICE_OF_DEADWOOD * min(turns, MOST_PRICED), deadwood(theirs, LEFT)
    for i in range(EXCHANGES if 0 < hidden < count else 0):
        at = FIRST_EXCHANGED + 3 * i
        goes, comes = below(key, at, hidden), hidden + below(key, at + 1, count - hidden)
        other = theirs ^ bit(unseen[goes]) ^ bit(unseen[comes])
        after = deadwood(other, LEFT)
        if unit(key, at + 2) * odds[unseen[goes]] < odds[unseen[comes]] * math.exp(price * (left - after)):
            theirs, left = other, after
            unseen[goes], unseen[comes] = unseen[comes], unseen[goes]
    return theirs


@scalar_kernel
def deal_world(deck, situation, key, world, player, limit, work, sums):
    """Deal a world: put the stock into a deck, [52] int64, and return the opponent's hand, who plays as ``player``, a vector.

    All its draws hang from ``key`` and its number. ``limit``: the most deadwood to knock with; ``work``: [2, 52]
    int64, and ``sums``: [53, 12] float64, are workspaces.
    """
    known, stock, turns, unseen = situation.known, situation.stock, situation.draws - situation.turn, work[0]
    count, hidden = list_unseen(situation, unseen), 10 - popcount(known)
    shuffle(unseen[:count], address(key, world, 0, 0, IMAGINED_HANDS))
    played = address(key, world, 0, 0, DEVELOPING)
    if len(situation.odds) > 0:
        believe(unseen, count, hidden, situation.odds, played, sums)
    theirs = known
    for i in range(hidden):
        theirs |= bit(unseen[i])
    if len(situation.odds) > 0:
        theirs = match_up(theirs, unseen, hidden, count, turns, situation.odds, played)
    elif turns > 0:
        # Cards that are known came without a draw from stock. One turn more brings the deadwood to where it is in rounds that are played.
        drawn, most = turns - popcount(known) + 1, threshold(player, turns, limit) if player[KIND] == SIMPLE else np.int64(NEVER)
        theirs = develop(theirs, unseen, hidden, count, drawn, most, played, work[1])
    for i in range(stock):
        deck[52 - stock + i] = unseen[hidden + i]
    return theirs


@scalar_kernel
def set_out(desk, situation, theirs, limit):
    """Write the situation into the notes of a desk, with ``theirs`` in the other hand; nobody remembers how the round began."""
    notes, pile = desk.notes, desk.pile
    hand, known, piled, stock, turn, draws, upcards, _, _ = situation
    notes[HAND + OWN], notes[HAND + OTHER] = hand, theirs
    notes[KNOWN + OWN], notes[KNOWN + OTHER] = known, 0
    notes[TURN + OWN], notes[TURN + OTHER] = turn, draws - turn
    notes[PILE], notes[PILED], notes[STOCK_LEFT] = 0, len(piled), stock
    notes[DROPPED:NOTES] = 0
    notes[UPCARDS], notes[N_DRAWS], notes[STEP], notes[KNOCK_LIMIT] = upcards, draws, 0, limit
    for i in range(len(piled)):
        pile[i] = piled[i]
        notes[PILE] |= bit(piled[i] & 63)
    desk.used[:] = 0


@scalar_kernel
def remember(desk, memory, known, gone):
    """Write what both remember on a desk that is set out; ``gone``: the card that is dropped first, or -1."""
    notes, order = desk.notes, desk.order
    notes[KNOWN + OTHER] = memory.seen
    at = 0
    for card in memory.order:
        if card != gone:
            order[OWN, at] = card
            at += 1
    # In which order the opponent's cards came is hidden; those it took came last.
    at, theirs = 0, notes[HAND + OTHER]
    for card in range(52):
        if theirs & ~known & bit(card):
            order[OTHER, at] = card
            at += 1
    for card in range(52):
        if known & bit(card):
            order[OTHER, at] = card
            at += 1
    for seat in range(2):
        notes[DROPPED + seat], notes[SCORED + seat] = memory.dropped[seat], memory.scores[seat]
        notes[DECLINED + seat] = memory.declined[seat]
        for i in range(54):
            desk.belief[seat, i] = memory.beliefs[seat, i]


@scalar_kernel
def knocked(candidate, theirs, rules, root, shown, melds):
    """Return the outcome of a knock against ``theirs``, coded as in play_worlds."""
    for i in range(4):
        shown[i] = candidate[FIRST_SHOWN + i]
    many = 0
    while many < 4 and shown[many] != 0:
        many += 1
    worth = laid_open(candidate[SHOWN], theirs, candidate[TRIED] == BIG, rules, decision(root, 1, OTHER, MELDS), shown, many, melds)
    return np.int64(0) if worth == 0 else (worth >> 2) + 1 if worth > 0 else -((-worth >> 2) + 1)


@inlined_kernel
def look_at(desk, seat, pair):
    """Return what a round in which ``seat`` is to draw is worth to whoever decides, as the light networks of both think."""
    total, upcard = 0.0, desk.pile[desk.notes[PILED] - 1] & 63
    for each in range(2):
        policy, sight = pair.books[each].policy, sight_of(desk, each, np.int64(0))
        network = Network(policy.rows, policy.first, policy.last)
        worth = light_draws(sight, sight.turn + 1, network, desk.sheet)
        if each == seat:
            worth = max(worth, light_taking(sight, upcard, network, desk.sheet))
        total += worth if each == OWN else -worth
    return EACH_COUNTS * total


@kernel
def play_worlds(candidates, first, key, situation, memory, pair, rules, ends):
    """Play every candidate out in worlds ``first`` and following, one for each row of ``ends``, an Ends.

    ``candidates``: [candidates, CANDIDATE] int64. All draws of a world hang from ``key`` and its number, so nothing depends on how worlds
    are split up.
    """
    known, outcomes, expected = situation.known, ends.outcomes, ends.expected
    desk, diary = new_desk(np.empty((0, LOG_WIDTH), np.int64), pair), np.empty((0, 0, DIARY), np.float64)
    outcome, notes, work, sums = desk.outcome, desk.notes, np.empty((2, 52), np.int64), np.empty((53, 12), np.float64)
    for row in range(len(outcomes)):
        world = first + row
        theirs, root = (
            deal_world(desk.deck, situation, key, world, pair.vectors[OTHER], rules[LIMIT], work, sums),
            address(key, world, 0, 0, PLAYOUT),
        )
        for which in range(len(candidates)):
            verb, card = candidates[which, TRIED], candidates[which, ABOUT]
            outcomes[row, which], expected[row, which] = 0, np.nan
            if verb == KNOCK or verb == BIG:
                outcomes[row, which] = knocked(candidates[which], theirs, rules, root, desk.shown, desk.melds)
            elif verb != SCORELESS:
                set_out(desk, situation, theirs, rules[LIMIT])
                remember(desk, memory, known, card if verb == DROP else np.int64(-1))
                clear_outcome(outcome)
                seat, passes, action = np.int64(OWN), situation.passes, verb + 8 * card
                while True:
                    going = play_turn(desk, diary, seat, passes, pair, rules, root, action)
                    if going == OVER:
                        break
                    seat, passes, action = going & 1, going >> 1, CHOSEN
                    if 0 < ends.steps <= notes[STEP] and passes == GONE:
                        expected[row, which] = look_at(desk, seat, pair)
                        break
                won = outcome[1] + 1
                outcomes[row, which] = 0 if outcome[0] < 0 else won if outcome[0] == OWN else -won


@kernel
def imagine(situation, key, world, player, limit):
    """Return one world: the opponent's hand, and [stock] int64, the stock with its top first."""
    deck = np.empty(52, np.int64)
    theirs = deal_world(deck, situation, key, world, player, limit, np.empty((2, 52), np.int64), np.empty((53, 12), np.float64))
    return theirs, deck[52 - situation.stock :].copy()
