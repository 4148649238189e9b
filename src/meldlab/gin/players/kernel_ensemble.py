"""Kernels of the ensemble player: what it believes about unseen cards, and how it chooses.

A memory is what a player keeps during a round: ``belief``, [54] float64, and ``known``, the opponent's cards it has seen (a hand).
"""

import numpy as np

from meldlab.cards.kernel import LANE, popcount
from meldlab.compiling import scalar_kernel
from meldlab.gin.kernel import FULL, LEFT, bit, discards, lowest_card, makes_meld, melded
from meldlab.gin.kernel_layout import *
from meldlab.melds.kernel import SPREAD, deadwood

SHIFT, RATIO = 52, 53  # in a belief, behind p of the 52 cards: what is to be added to all of them, and |stock| / |unknown|
FROM_OPPONENT = 0.99
NO_REDUCTION = 99.0  # a need that no upcard fulfils
HOLD = 1 << 20  # added to a discard that is not to be knocked with
SUIT_PLACES = 17  # of a suit: its ranks, and two empty places on each side
DEADWOOD_MOST = 98.0
# For each card those whose meldability it is part of, as a hand: of its rank, and up to two ranks away in its suit.
AROUND = np.array(
    [
        sum(1 << one for one in range(52) if one != card and (one % 13 == card % 13 or (one // 13 == card // 13 and abs(one - card) <= 2)))
        for card in range(52)
    ],
    np.int64,
)


@scalar_kernel
def start_belief(belief):
    """Believe of every unknown card that it is in stock with 31 / 41."""
    belief[:52] = 31.0 / 41.0
    belief[SHIFT] = 0.0
    belief[RATIO] = 31.0 / 41.0


@scalar_kernel
def _move_toward(belief, card, goal, share):
    """Move p of a card a share of the way to a goal."""
    p = belief[card] + belief[SHIFT]
    belief[card] = p + (goal - p) * share - belief[SHIFT]


@scalar_kernel
def adjacent_cards(belief, card, goal, player, shares):
    """Move p of the cards near ``card`` toward ``goal``, 1 (stock) or 0 (opponent), by the shares at that place of the player.

    Only unknown cards have a p that is ever read; a card that is unknown now has always been, so the others need not be left out.
    """
    suit, rank = card // 13, card % 13
    for other in range(4):
        if other != suit:
            _move_toward(belief, 13 * other + rank, goal, player[shares + 2])
    if rank >= 1:
        _move_toward(belief, card - 1, goal, player[shares])
    if rank >= 2:
        _move_toward(belief, card - 2, goal, player[shares + 1])
    if rank <= 11:
        _move_toward(belief, card + 1, goal, player[shares])
    if rank <= 10:
        _move_toward(belief, card + 2, goal, player[shares + 1])


@scalar_kernel
def baseline(belief, stock, known):
    """After a discard, add to every p the change of |stock| / |unknown|."""
    ratio = stock / (stock + 10.0 - popcount(known))
    belief[SHIFT] += ratio - belief[RATIO]
    belief[RATIO] = ratio


@scalar_kernel
def hear_draw(belief, upcard, taken, player):
    """Learn that the opponent took the upcard, or left it lying."""
    if taken:
        adjacent_cards(belief, upcard, 0.0, player, DRAWS)
    else:
        adjacent_cards(belief, upcard, 1.0, player, DECLINES)


@scalar_kernel
def recall(seat, events, player, belief):
    """Go through the open events of a round and fill the belief of ``seat``.

    ``events``: [events, 3] int64, a seat, a verb, and the card dropped, taken or left lying.
    """
    start_belief(belief)
    stock, known = 31, np.int64(0)
    for i in range(len(events)):
        verb, card, own = events[i, 1], events[i, 2], events[i, 0] == seat
        if verb == DROP:
            if not own:
                known &= ~bit(card)
                adjacent_cards(belief, card, 1.0, player, DROPS)
            baseline(belief, stock, known)
            continue
        if verb == DRAW:
            stock -= 1
        if not own:
            if verb == TAKE:
                known |= bit(card)
            hear_draw(belief, card, verb == TAKE, player)


@scalar_kernel
def place_of(card):
    """Return the place of a card among obtainabilities."""
    return SUIT_PLACES * (card // 13) + card % 13 + 2


@scalar_kernel
def obtainabilities(hand, belief, known, pile, top, top_from_opponent, player, ob):
    """Fill ``ob``, [4 * 17] float64, a suit in 17 places with two empty ones on each side; ``top`` is a card or -1."""
    ob[:] = 0.0
    shift, unknown_share, known_share = belief[SHIFT], player[MELD + 1], player[MELD]
    unknown = FULL & ~(hand | known | pile)
    while unknown:
        card = lowest_card(unknown)
        unknown &= unknown - 1
        ob[place_of(card)] = unknown_share * (belief[card] + shift)
    while known:
        ob[place_of(lowest_card(known))] = known_share
        known &= known - 1
    if top >= 0:
        ob[place_of(top)] = FROM_OPPONENT if top_from_opponent else player[OWN_TOP]


@scalar_kernel
def rank_meldability(ob, suit, place):
    """Return what pairs of the three other cards of the rank promise."""
    fourth = SUIT_PLACES * 3
    a = ob[place + (fourth if suit == 0 else 0)]
    b = ob[place + (fourth if suit == 1 else SUIT_PLACES)]
    c = ob[place + (fourth if suit == 2 else SUIT_PLACES * 2)]
    return a * b + b * c + a * c


@scalar_kernel
def run_meldability(ob, suit, place):
    """Return what pairs of near cards of the suit promise."""
    at = SUIT_PLACES * suit + place
    return ob[at - 2] * ob[at - 1] + ob[at - 1] * ob[at + 1] + ob[at + 1] * ob[at + 2]


@scalar_kernel
def nearness(hand, card, player):
    """Return the adjacency of a card within a hand."""
    suit, rank = card // 13, card % 13
    column = (hand >> rank) & SPREAD[15]
    window = (((hand >> (13 * suit)) & LANE) << 2) >> rank
    one = ((window >> 1) & 1) + ((window >> 3) & 1)
    two = (window & 1) + ((window >> 4) & 1)
    same = popcount(column & ~(np.int64(1) << (13 * suit)))
    return player[NEAR] * same + player[NEAR + 1] * one + player[NEAR + 2] * two


@scalar_kernel
def meldability(card, sets, runs, player, ob):
    """Return the meldability of one card of a hand, of which some lie in sets and runs."""
    suit, place = card // 13, card % 13 + 2
    by_rank = player[MELDED] if sets & bit(card) else rank_meldability(ob, suit, place)
    by_run = player[MELDED] if runs & bit(card) else run_meldability(ob, suit, place)
    return player[MELD + 2] * by_rank + player[MELD + 3] * by_run


@scalar_kernel
def obtain_hand(hand, ob):
    """Set the obtainabilities of the cards of a hand, 1 or 0 for those that are melded; return (cards in sets, cards in runs)."""
    sets, runs = melded(hand)
    rest = hand
    while rest:
        ob[place_of(lowest_card(rest))] = 0.0 if (sets | runs) & rest & -rest else 1.0
        rest &= rest - 1
    return sets, runs


@scalar_kernel
def card_meldability(hand, card, player, ob):
    """Return the meldability of one card of a hand."""
    sets, runs = obtain_hand(hand, ob)
    return meldability(card, sets, runs, player, ob)


@scalar_kernel
def _turn_over(cards, ob):
    """Obtain the cards of a hand that were not, and the other way round."""
    while cards:
        place = place_of(lowest_card(cards))
        ob[place] = 1.0 - ob[place]
        cards &= cards - 1


@scalar_kernel
def meldability_without(card, hand, melds, order, player, sheet):
    """Return the sum of meldabilities over a hand less a card; ``order`` holds its cards, ``melds`` those in sets and those in runs.

    Both rows of terms are those of the whole hand, before and after: only what the card takes part in is worked out anew.
    """
    (sets, runs), gone, ob = melds, bit(card), sheet.ob
    whole, terms = sheet.terms[0], sheet.terms[1]
    sets_now, runs_now = sets, runs
    if (sets | runs) & gone:
        # Without a card that is in no meld the best arrangement is the same.
        sets_now, runs_now = melded(hand ^ gone)
    turned = (sets_now | runs_now | gone) ^ (sets | runs)
    changed, rest = (sets_now ^ sets) | (runs_now ^ runs), turned
    while rest:
        changed |= AROUND[lowest_card(rest)]
        rest &= rest - 1
    _turn_over(turned, ob)
    changed &= hand ^ gone
    rest = changed
    while rest:
        each = lowest_card(rest)
        terms[each] = meldability(each, sets_now, runs_now, player, ob)
        rest &= rest - 1
    terms[card] = 0.0
    total = 0.0
    for i in range(popcount(hand)):
        total += terms[order[i]]
    _turn_over(turned, ob)
    rest = changed | gone
    while rest:
        each = lowest_card(rest)
        terms[each] = whole[each]
        rest &= rest - 1
    return total


@scalar_kernel
def ensemble_takes(sight, upcard, order, belief, player, sheet):
    """Tell whether the ensemble takes the upcard: for a meld, late also for less deadwood.

    ``order``: the cards of the hand and a free place, which the upcard gets.
    """
    hand, left = sight.hand, sheet.left
    if makes_meld(hand, upcard):
        # A meld counts if the best arrangement uses it; the paper's text asks only that there be one.
        sets, runs = melded(hand | bit(upcard))
        if player[ANY_MELD] != 0.0 or (sets | runs) & bit(upcard):
            return True
    late = sight.turn >= player[DRAW_TURN]
    if not late and player[DRAW_NEED] >= NO_REDUCTION and player[DRAW_KNOCK] < 0.0:
        return False
    discards(hand | bit(upcard), left)
    now, least, rest = left[upcard], left[upcard], hand
    while rest:
        least = min(least, left[lowest_card(rest)])
        rest &= rest - 1
    if late and now - least >= player[DRAW_LEAST]:
        return True
    if least < now and least <= player[DRAW_KNOCK]:
        return True
    if player[DRAW_NEED] >= NO_REDUCTION:
        return False
    worth = float(now - least)
    if player[DRAW_PROMISE] != 0.0:
        eleven = hand | bit(upcard)
        obtainabilities(eleven, belief, sight.known, sight.pile, np.int64(-1), False, player, sheet.ob)
        worth += player[DRAW_PROMISE] * card_meldability(eleven, upcard, player, sheet.ob)
    return worth >= player[DRAW_NEED]


@scalar_kernel
def dangers(hand, order, cards, belief, known, pile, ob, values):
    """Fill ``values`` with the estimated chance that the opponent can meld each card of a hand; ``ob`` is a workspace.

    It is the meldability of the opponent's cards: pairs that would make a meld of the card, each card with its chance of being there.
    """
    ob[:] = 0.0
    unknown = FULL & ~(hand | known | pile)
    while unknown:
        card = lowest_card(unknown)
        unknown &= unknown - 1
        ob[place_of(card)] = min(1.0, max(0.0, 1.0 - belief[card] - belief[SHIFT]))
    while known:
        ob[place_of(lowest_card(known))] = 1.0
        known &= known - 1
    for i in range(cards):
        suit, place = order[i] // 13, order[i] % 13 + 2
        values[order[i]] = min(1.0, rank_meldability(ob, suit, place) + run_meldability(ob, suit, place))


@scalar_kernel
def ensemble_discard(sight, order, belief, player, sheet):
    """Return the ensemble's discard and the deadwood it leaves, as card + 64 * deadwood.

    ``order``: the cards of the hand in the order they came; the values of the sheet are those of the hand after each discard.
    """
    hand, turn, known, pile = sight.hand, sight.turn, sight.known, sight.pile
    ob, left, values = sheet.ob, sheet.left, sheet.values
    cards = popcount(hand)
    discards(hand, left)
    price = player[FEED] + player[FEED_TURN] * turn
    if price != 0.0:
        dangers(hand, order, cards, belief, known, pile, ob, values)
    obtainabilities(hand, belief, known, pile, sight.top, sight.fed, player, ob)
    by_turn, by_known = 0.0, 0.0
    if player[TURN_SLOPE] != 0.0:
        by_turn = player[TURN_SLOPE] * max(turn - player[TURN_LAG], 0.0) ** player[TURN_POWER]
    if player[KNOWN_SLOPE] != 0.0:
        by_known = player[KNOWN_SLOPE] * float(popcount(known)) ** player[KNOWN_POWER]
    # Weights sum to one again; computed once per decision.
    scale = 1.0 / (
        player[WEIGHT]
        + player[WEIGHT + 1]
        + player[WEIGHT + 2]
        + player[WEIGHT + 3]
        + player[WEIGHT + 4]
        + player[WEIGHT + 5]
        + by_turn
        + by_known
    )
    for_meld = scale * player[WEIGHT] / player[MELD_MOST]
    for_deadwood = scale * (player[WEIGHT + 1] + player[WEIGHT + 2] + player[WEIGHT + 3] + by_turn + by_known)
    for_low = scale * player[WEIGHT + 4] / 8.0
    for_near = scale * player[WEIGHT + 5] / player[NEAR_MOST]
    low = (hand & (SPREAD[15] | SPREAD[15] << 1)) if for_low else np.int64(0)
    near = 0.0
    if for_near:
        for i in range(cards):
            near += nearness(hand, order[i], player)
    melds = obtain_hand(hand, ob)
    if for_meld:
        for i in range(cards):
            sheet.terms[0, order[i]] = sheet.terms[1, order[i]] = meldability(order[i], melds[0], melds[1], player, ob)
    # The first card that may go is chosen until a better one comes: there is always one, whatever the numbers are.
    best, chosen = 0.0, np.int64(-1)
    for i in range(cards):
        card = order[i]
        if sight.barred & bit(card):
            continue
        rest = hand ^ bit(card)
        share = left[card] / DEADWOOD_MOST
        if player[DEADWOOD_POWER] != 1.0:
            share = share ** player[DEADWOOD_POWER]
        value = for_deadwood * (1.0 - share)
        if for_meld:
            value += for_meld * meldability_without(card, hand, melds, order, player, sheet)
        if for_low:
            value += for_low * popcount(low & rest)
        if for_near:
            # Every pair counts from both sides.
            value += for_near * (near - 2.0 * nearness(hand, card, player))
        if price != 0.0:
            value -= for_deadwood / DEADWOOD_MOST * price * values[card]
        values[card] = value
        if chosen < 0 or value > best:
            best, chosen = value, np.int64(card)
    return chosen + 64 * left[chosen]


@scalar_kernel
def gin_cards(hand, belief, unknown, left):
    """Return how many unknown cards would make gin of ten cards, each counted with its chance of lying in stock."""
    total = 0.0
    while unknown:
        card = lowest_card(unknown)
        unknown &= unknown - 1
        eleven = hand | bit(card)
        # A discard takes ten points away at most.
        if deadwood(eleven, LEFT) > 10:
            continue
        discards(eleven, left)
        for each in range(52):
            if left[each] == 0:
                total += min(1.0, max(0.0, belief[card] + belief[SHIFT]))
                break
    return total


@scalar_kernel
def weigh_knock(chosen, sight, belief, player, left):
    """Return the discard of a player that weighs its knocks: the one with the least deadwood to knock, or ``chosen`` to play on.

    ``chosen`` and ``left`` are as the ensemble's discard left them; HOLD is added where the player will not knock.
    """
    if player[WEIGHS_KNOCK] == 0.0:
        return chosen
    hand, known = sight.hand, sight.known
    least, card, allowed = np.int64(500), np.int64(-1), hand & ~sight.barred
    while allowed:
        each = lowest_card(allowed)
        allowed &= allowed - 1
        if left[each] < least:
            least, card = left[each], each
    if least > sight.limit:
        return chosen
    if least > 0:
        rest = hand ^ bit(card)
        total = player[KNOCK_WEIGHT] + player[KNOCK_WEIGHT + 1] * sight.turn + player[KNOCK_WEIGHT + 2] * least
        total += player[KNOCK_WEIGHT + 4] * popcount(known)
        if player[KNOCK_WEIGHT + 3] != 0.0:
            total += player[KNOCK_WEIGHT + 3] * gin_cards(rest, belief, FULL & ~(hand | known | sight.pile), left)
        if total <= 0.0:
            return chosen + HOLD
    return card + 64 * least
