"""Kernels of the ensemble player: its belief about unseen cards, and its choices.

``belief``: [54] float64, updated during a round; ``known``: the opponent's known cards, as a mask.
"""

import numpy as np

from meldlab.cards.kernel import SUIT_MASK, popcount
from meldlab.compiling import device_function
from meldlab.gin.kernel_hand import FULL, bit, discards, least_after_discard, lowest_card, makes_meld, melded
from meldlab.gin.kernel_round import observe, observe_discard, threshold, upcard_of
from meldlab.gin.kernel_state import DISCARD, DRAW, KNOCK, TAKE
from meldlab.melds.kernel import SPREAD

SHIFT, RATIO = 52, 53  # in a belief, after p of the 52 cards: an offset of all of them, and |stock| / |unknown|
FROM_OPPONENT = 0.99
NO_REDUCTION = 99.0  # a need that no upcard fulfils
SUIT_PLACES = 17  # of a suit: its ranks, and two empty places on each side
DEADWOOD_MOST = 98.0
# For each card those whose meldability it is part of, as a hand: of its rank, and up to two ranks away in its suit.
AROUND = np.array(
    [
        sum(1 << i for i in range(52) if i != card and (i % 13 == card % 13 or (i // 13 == card // 13 and abs(i - card) <= 2)))
        for card in range(52)
    ],
    np.int64,
)


@device_function
def start_belief(belief):
    """Set the probability that an unknown card is in stock to 31 / 41."""
    belief[:52] = 31.0 / 41.0
    belief[SHIFT] = 0.0
    belief[RATIO] = 31.0 / 41.0


@device_function
def _move_toward(belief, card, goal, share):
    """Move p of a card a share of the way to a goal."""
    p = belief[card] + belief[SHIFT]
    belief[card] = p + (goal - p) * share - belief[SHIFT]


@device_function
def adjacent_cards(belief, card, goal, shares):
    """Move p of the cards near ``card`` toward ``goal``, 1 (stock) or 0 (opponent), by ``shares``: one rank away, two away, same rank.

    Known cards need not be left out: their p is never read, and a card that is unknown now has always been.
    """
    suit, rank = card // 13, card % 13
    for other in range(4):
        if other != suit:
            _move_toward(belief, 13 * other + rank, goal, shares[2])
    if rank >= 1:
        _move_toward(belief, card - 1, goal, shares[0])
    if rank >= 2:
        _move_toward(belief, card - 2, goal, shares[1])
    if rank <= 11:
        _move_toward(belief, card + 1, goal, shares[0])
    if rank <= 10:
        _move_toward(belief, card + 2, goal, shares[1])


@device_function
def see_action(belief, action, is_own, upcard, stock, known, shares):
    """Update a belief after an action; ``upcard``: the one before it; ``stock`` and ``known``: those after it.

    ``shares``: those by which p moves when the opponent draws, declines and discards, for three distances each.
    """
    if action >= KNOCK:
        return
    if action >= DISCARD:
        if not is_own:
            adjacent_cards(belief, np.int64(action - DISCARD), 1.0, shares[2])
        # Every p changes as |stock| / |unknown| does.
        ratio = stock / (stock + 10.0 - popcount(known))
        belief[SHIFT] += ratio - belief[RATIO]
        belief[RATIO] = ratio
    elif not is_own and action == TAKE:
        adjacent_cards(belief, upcard, 0.0, shares[0])
    elif not is_own:
        adjacent_cards(belief, upcard, 1.0, shares[1])


@device_function(inline="always")
def ensemble_sees(player, memory, state, seat, mover, upcard, action):
    """Update the belief of an ensemble after an action."""
    shares = player.draws, player.declines, player.discards
    see_action(memory.belief, action, mover == seat, upcard, state.stock, state.known[seat], shares)


@device_function(inline="always")
def ensemble_starts(player, memory, state, seat):
    """Reset the belief, and store the own cards in the order they came."""
    start_belief(memory.belief)
    first = 0 if seat == state.starter else 10
    for i in range(10):
        memory.cards[i] = state.deck[first + i]


@device_function
def replay_events(seat, events, player, belief):
    """Fill the belief of ``seat`` by the open events of a round; ``events``: [events, 3] int64, a seat, an action, the upcard."""
    start_belief(belief)
    stock, known = 31, np.int64(0)
    for i in range(len(events)):
        is_own, action, upcard = events[i, 0] == seat, events[i, 1], events[i, 2]
        stock -= action == DRAW
        if not is_own and action == TAKE:
            known |= bit(upcard)
        elif not is_own and action >= DISCARD:
            known &= ~bit(action - DISCARD)
        see_action(belief, action, is_own, upcard, stock, known, (player.draws, player.declines, player.discards))


@device_function
def place_of(card):
    """Return the place of a card among obtainabilities."""
    return SUIT_PLACES * (card // 13) + card % 13 + 2


@device_function
def obtainabilities(hand, belief, known, pile, top, top_from_opponent, player, ob):
    """Fill ``ob``, [4 * 17] float64, a suit in 17 places with two empty ones on each side; ``top`` is a card or -1."""
    ob[:] = 0.0
    shift, unknown_share, known_share = belief[SHIFT], player.meldability[1], player.meldability[0]
    unknown = FULL & ~(hand | known | pile)
    while unknown:
        card = lowest_card(unknown)
        unknown &= unknown - 1
        ob[place_of(card)] = unknown_share * (belief[card] + shift)
    while known:
        ob[place_of(lowest_card(known))] = known_share
        known &= known - 1
    if top >= 0:
        ob[place_of(top)] = FROM_OPPONENT if top_from_opponent else player.own_top


@device_function
def rank_meldability(ob, suit, place):
    """Return the meldability by pairs of the three other cards of the rank."""
    fourth = SUIT_PLACES * 3
    a = ob[place + (fourth if suit == 0 else 0)]
    b = ob[place + (fourth if suit == 1 else SUIT_PLACES)]
    c = ob[place + (fourth if suit == 2 else SUIT_PLACES * 2)]
    return a * b + b * c + a * c


@device_function
def run_meldability(ob, suit, place):
    """Return the meldability by pairs of near cards of the suit."""
    index = SUIT_PLACES * suit + place
    return ob[index - 2] * ob[index - 1] + ob[index - 1] * ob[index + 1] + ob[index + 1] * ob[index + 2]


@device_function
def nearness(hand, card, player):
    """Return the adjacency of a card within a hand."""
    suit, rank = card // 13, card % 13
    column = (hand >> rank) & SPREAD[15]
    window = (((hand >> (13 * suit)) & SUIT_MASK) << 2) >> rank
    one_away = ((window >> 1) & 1) + ((window >> 3) & 1)
    two_away = (window & 1) + ((window >> 4) & 1)
    same = popcount(column & ~(np.int64(1) << (13 * suit)))
    return player.adjacency[0] * same + player.adjacency[1] * one_away + player.adjacency[2] * two_away


@device_function
def meldability(card, sets, runs, player, ob):
    """Return the meldability of one card of a hand; ``sets`` and ``runs``: its melded cards."""
    suit, place = card // 13, card % 13 + 2
    by_rank = player.melded if sets & bit(card) else rank_meldability(ob, suit, place)
    by_run = player.melded if runs & bit(card) else run_meldability(ob, suit, place)
    return player.meldability[2] * by_rank + player.meldability[3] * by_run


@device_function
def obtain_hand(hand, ob):
    """Set the obtainabilities of the cards of a hand, 1 or 0 for those that are melded; return (cards in sets, cards in runs)."""
    sets, runs = melded(hand)
    rest = hand
    while rest:
        ob[place_of(lowest_card(rest))] = 0.0 if (sets | runs) & rest & -rest else 1.0
        rest &= rest - 1
    return sets, runs


@device_function
def card_meldability(hand, card, player, ob):
    """Return the meldability of one card of a hand."""
    sets, runs = obtain_hand(hand, ob)
    return meldability(card, sets, runs, player, ob)


@device_function
def _turn_over(cards, ob):
    """Invert the obtainability of cards: 1 becomes 0, and 0 becomes 1."""
    while cards:
        place = place_of(lowest_card(cards))
        ob[place] = 1.0 - ob[place]
        cards &= cards - 1


@device_function
def meldability_without(card, hand, melds, order, player, workspace):
    """Return the sum of meldabilities over a hand less a card; ``order`` holds its cards, ``melds`` those in sets and those in runs.

    Both rows of terms are those of the whole hand, before and after: only the terms that the card takes part in are recomputed.
    """
    (sets, runs), gone, ob = melds, bit(card), workspace.obtainability
    whole, terms = workspace.terms[0], workspace.terms[1]
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
        changed_card = lowest_card(rest)
        terms[changed_card] = meldability(changed_card, sets_now, runs_now, player, ob)
        rest &= rest - 1
    terms[card] = 0.0
    total = 0.0
    for i in range(popcount(hand)):
        total += terms[order[i]]
    _turn_over(turned, ob)
    rest = changed | gone
    while rest:
        changed_card = lowest_card(rest)
        terms[changed_card] = whole[changed_card]
        rest &= rest - 1
    return total


@device_function
def ensemble_takes(player, memory, state):
    """Return whether the ensemble takes the upcard: for a meld, late also for less deadwood."""
    observation, upcard = observe(state, state.seat, np.int64(0)), upcard_of(state)
    hand, belief, workspace, left = observation.hand, memory.belief, memory.workspace, memory.workspace.left
    if makes_meld(hand, upcard):
        # A meld counts if the best arrangement uses it; in the paper's text any meld does.
        sets, runs = melded(hand | bit(upcard))
        if player.any_meld != 0.0 or (sets | runs) & bit(upcard):
            return True
    late = observation.turn >= player.draw_turn
    if not late and player.draw_need >= NO_REDUCTION and player.draw_to_knock < 0.0:
        return False
    discards(hand | bit(upcard), left)
    now, least, rest = left[upcard], left[upcard], hand
    while rest:
        least = min(least, left[lowest_card(rest)])
        rest &= rest - 1
    if late and now - least >= player.draw_reduction:
        return True
    if least < now and least <= player.draw_to_knock:
        return True
    if player.draw_need >= NO_REDUCTION:
        return False
    value = float(now - least)
    if player.draw_promise != 0.0:
        eleven = hand | bit(upcard)
        obtainabilities(eleven, belief, observation.known, observation.pile, np.int64(-1), False, player, workspace.obtainability)
        value += player.draw_promise * card_meldability(eleven, upcard, player, workspace.obtainability)
    return value >= player.draw_need


@device_function
def dangers(hand, order, cards, belief, known, pile, ob, values):
    """Fill ``values`` with the estimated probability that the opponent can meld each card of a hand; ``ob`` is a workspace.

    It is the meldability of the opponent's cards: pairs that would make a meld of the card, each card with its probability of being there.
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


@device_function
def best_value_discard(observation, order, belief, player, workspace):
    """Return the discard with the highest value.

    ``order``: the cards of the hand in the order they came. ``workspace.values`` and ``left`` are set for each discard.
    """
    hand, turn, known, pile = observation.hand, observation.turn, observation.known, observation.pile
    ob, left, values = workspace.obtainability, workspace.left, workspace.values
    cards = popcount(hand)
    discards(hand, left)
    price = player.feed[0] + player.feed[1] * turn
    if price != 0.0:
        dangers(hand, order, cards, belief, known, pile, ob, values)
    obtainabilities(hand, belief, known, pile, observation.upcard, observation.upcard_from_opponent, player, ob)
    by_turn, by_known = 0.0, 0.0
    if player.turn_penalty[0] != 0.0:
        by_turn = player.turn_penalty[0] * max(turn - player.turn_lag, 0.0) ** player.turn_penalty[1]
    if player.known_penalty[0] != 0.0:
        by_known = player.known_penalty[0] * float(popcount(known)) ** player.known_penalty[1]
    # Weights sum to one again; computed once per decision.
    total = player.weights[0]
    for i in range(1, 6):
        total += player.weights[i]
    scale = 1.0 / (total + by_turn + by_known)
    for_meld = scale * player.weights[0] / player.meldability_most
    for_deadwood = scale * (player.weights[1] + player.weights[2] + player.weights[3] + by_turn + by_known)
    for_low = scale * player.weights[4] / 8.0
    for_near = scale * player.weights[5] / player.adjacency_most
    low = (hand & (SPREAD[15] | SPREAD[15] << 1)) if for_low else np.int64(0)
    near = 0.0
    if for_near:
        for i in range(cards):
            near += nearness(hand, order[i], player)
    melds = obtain_hand(hand, ob)
    if for_meld:
        for i in range(cards):
            workspace.terms[0, order[i]] = workspace.terms[1, order[i]] = meldability(order[i], melds[0], melds[1], player, ob)
    # Start with the first allowed card, so that one is chosen whatever the values are.
    best, chosen = 0.0, np.int64(-1)
    for i in range(cards):
        card = order[i]
        if observation.forbidden & bit(card):
            continue
        rest = hand ^ bit(card)
        share = left[card] / DEADWOOD_MOST
        if player.deadwood_power != 1.0:
            share = share**player.deadwood_power
        value = for_deadwood * (1.0 - share)
        if for_meld:
            value += for_meld * meldability_without(card, hand, melds, order, player, workspace)
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
    return chosen


@device_function
def gin_cards(hand, belief, unknown):
    """Return the expected number of cards in stock that would make gin of ten cards."""
    total = 0.0
    while unknown:
        card = lowest_card(unknown)
        unknown &= unknown - 1
        if least_after_discard(hand | bit(card)) == 0:
            total += min(1.0, max(0.0, belief[card] + belief[SHIFT]))
    return total


@device_function
def weigh_knock(chosen, observation, belief, player, left):
    """Return (discard, deadwood it leaves, whether it may be a knock): where knocks are weighed, the discard with the least deadwood.

    ``chosen``: the discard to continue with; ``left``: [52] int64, deadwood after each discard.
    """
    after = left[chosen]
    if player.weighs_knock == 0.0:
        return chosen, after, True
    hand, known = observation.hand, observation.known
    least, card, allowed = np.int64(500), np.int64(-1), hand & ~observation.forbidden
    while allowed:
        candidate = lowest_card(allowed)
        allowed &= allowed - 1
        if left[candidate] < least:
            least, card = left[candidate], candidate
    if least > observation.knock_limit:
        return chosen, after, True
    if least > 0:
        rest = hand ^ bit(card)
        total = player.knock_weights[0] + player.knock_weights[1] * observation.turn + player.knock_weights[2] * least
        total += player.knock_weights[4] * popcount(known)
        if player.knock_weights[3] != 0.0:
            total += player.knock_weights[3] * gin_cards(rest, belief, FULL & ~(hand | known | observation.pile))
        if total <= 0.0:
            return chosen, after, False
    return card, least, True


@device_function
def ensemble_discards(player, memory, state):
    """Return (discard, whether to knock with it) of an ensemble, and forget the card."""
    observation, order, belief, workspace = observe_discard(state), memory.cards, memory.belief, memory.workspace
    order[10] = state.drawn
    chosen = best_value_discard(observation, order, belief, player, workspace)
    card, left, can_knock = weigh_knock(chosen, observation, belief, player, workspace.left)
    index = 0
    while index < 10 and order[index] != card:
        index += 1
    while index < 10:
        order[index] = order[index + 1]
        index += 1
    return card, can_knock and left <= threshold(player, observation.turn, observation.knock_limit)
