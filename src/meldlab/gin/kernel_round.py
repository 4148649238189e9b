"""One round of gin in kernels: the deal, one action, the legal actions, and the score of a knock.

The same seed gives the same game as the Table: cards come from the address (seed, game, round), every draw of a player from the root of the
game, the step and the seat, where a step is one action of the match.
"""

import numpy as np

from meldlab.chance.kernel import address, below, decision, player_root, shuffle
from meldlab.chance.kernel_purpose import Purpose
from meldlab.compiling import device_function
from meldlab.gin import kernel_state as ks
from meldlab.gin.kernel_hand import DISCARD_PURPOSE, LEFT, MELDS_PURPOSE, POINTS, bit, knocks, lay_off, pick_melds, points_of
from meldlab.melds.kernel import deadwood

DEAL, STARTER, SCORES = int(Purpose.DEAL), int(Purpose.STARTER), int(Purpose.SCORES)


@device_function
def start_match(state, rules):
    """Set the state to the start of the match of its seed and game."""
    state.root = np.int64(player_root(state.seed, state.game))
    state.starter = below(address(state.seed, state.game, 0, 0, STARTER), 0, 2) if rules.random_starter else 0
    state.step, state.round_index = 0, 0
    key = address(state.seed, state.game, 0, 0, SCORES)
    for seat in range(2):
        state.scores[seat] = below(key, seat, rules.random_scores) if rules.random_scores else 0


@device_function(inline="always")
def deal(state, rules):
    """Deal the round of the state's seed, game and round index."""
    deck, num_cards, size = state.deck, rules.suits * rules.ranks, rules.cards
    index = 0
    for suit in range(rules.suits):
        for rank in range(rules.ranks):
            deck[index] = 13 * suit + rank
            index += 1
    shuffle(deck[:num_cards], address(state.seed, state.game, state.round_index, 0, DEAL))
    for seat in range(2):
        first = 0 if seat == state.starter else size
        hand = np.int64(0)
        for i in range(size):
            hand |= bit(deck[first + i])
        state.hand[seat], state.known[seat], state.turns[seat] = hand, 0, 0
        state.discarded[seat], state.declined[seat] = 0, 0
    up = np.int64(deck[2 * size])
    state.pile[0] = up
    state.pile_mask, state.pile_size = bit(up), 1
    state.stock = num_cards - 2 * size - 1
    state.upcard_draws, state.draws = 0, 0
    points = POINTS[up]
    state.knock_limit = rules.knock_limit if rules.oklahoma == 0 else points if points > 1 else 0
    state.seat, state.phase = state.starter, ks.OFFERED if rules.offer_upcard else ks.DRAWING
    state.drawn, state.taken, state.returned = ks.NO_CARD, ks.NO_CARD, ks.NO_CARD
    state.winner, state.points, state.gin, state.undercut, state.knocker = ks.NO_SEAT, 0, 0, 0, ks.NO_SEAT


@device_function(inline="always")
def upcard_of(state):
    """Return the top of the pile."""
    return np.int64(state.pile[state.pile_size - 1]) & ks.CARD_BITS


@device_function(inline="always")
def draw(state, taken, rules):
    """Take the upcard or a card from stock; return whether that makes the round void."""
    seat, upcard = state.seat, upcard_of(state)
    other = 1 - seat
    if taken:
        drawn = upcard
        state.pile_size -= 1
        state.pile_mask &= ~bit(drawn)
        state.upcard_draws += state.phase == ks.DRAWING
        state.taken = drawn
        state.known[other] |= bit(drawn)
    else:
        drawn = np.int64(state.deck[rules.suits * rules.ranks - state.stock])
        state.stock -= 1
        state.taken = ks.NO_CARD
        state.declined[seat] |= bit(upcard)
    state.drawn = drawn
    state.step += 1
    state.draws += 1
    state.turns[seat] += 1
    state.hand[seat] |= bit(drawn)
    state.phase = ks.LAST if state.phase == ks.AT_WALL else ks.DISCARDING
    return rules.max_upcard_draws != 0 and state.upcard_draws >= rules.max_upcard_draws


@device_function(inline="always")
def discard(state, card, rules):
    """Discard a card; return whether that makes the round void."""
    seat = state.seat
    state.hand[seat] ^= bit(card)
    state.step += 1
    state.pile[state.pile_size] = card + ((1 + seat) << ks.SEAT_SHIFT)
    state.pile_size += 1
    state.pile_mask |= bit(card)
    state.discarded[seat] |= bit(card)
    state.known[1 - seat] &= ~bit(card)
    twice = False
    if rules.void_if_returned_twice:
        twice = state.taken == card and state.returned == card
        state.returned = card if state.taken == card else ks.NO_CARD
    state.taken = ks.NO_CARD
    state.seat = 1 - seat
    at_wall = state.stock <= rules.stock_floor
    state.phase = ks.AT_WALL if at_wall else ks.DRAWING
    return twice or state.draws >= rules.max_draws or (at_wall and rules.wall_knock == 0)


@device_function
def score_knock(state, knocker, hand, is_big_gin, count, rules):
    """Return (points for the knocker, whether it is gin, whether it is undercut) of a knock; points are negative if the other scores.

    ``hand``: the knocker's after its discard; ``count``: the number of its melds in ``state.shown[0]``. The other's melds are written
    into the second row.
    """
    other, shown, melds = 1 - knocker, state.shown[0], state.shown[1]
    loose, own = state.hand[other], hand
    other_count = pick_melds(loose, decision(state.root, state.step + 1, other, MELDS_PURPOSE), melds)
    for i in range(count):
        own &= ~shown[i]
    for i in range(other_count):
        loose &= ~melds[i]
    own_points = points_of(own)
    if is_big_gin or own_points == 0:
        return points_of(loose) + (rules.big_gin_bonus if is_big_gin else rules.gin_bonus), 1, 0
    # The shown melds are restored after the lay-offs.
    a, b, c, d = shown[0], shown[1], shown[2], shown[3]
    rest = points_of(lay_off(loose, shown, count))
    shown[0], shown[1], shown[2], shown[3] = a, b, c, d
    if rest > own_points:
        return rest - own_points, 0, 0
    if rest < own_points or rules.equal_is_undercut:
        return rest - own_points - rules.undercut_bonus, 0, 1  # an undercut even where it scores nothing
    return np.int64(0), 0, 0


@device_function(inline="always")
def step(state, action, count, rules):
    """Apply a legal action; return whether the round is over, its result then being in the state.

    ``count``: for a knock and big gin, the number of melds that the knocker shows in ``state.shown[0]``.
    """
    seat = state.seat
    if action >= ks.KNOCK:
        is_big_gin = action == ks.BIG_GIN
        if not is_big_gin:
            state.hand[seat] ^= bit(action - ks.KNOCK)
        points, gin, undercut = score_knock(state, seat, state.hand[seat], is_big_gin, count, rules)
        state.winner = seat if points > 0 or gin else 1 - seat if undercut else ks.NO_SEAT
        state.points, state.gin, state.undercut, state.knocker = abs(points), gin, undercut, seat
        state.step += 2
        return True
    if action >= ks.DISCARD:
        return discard(state, np.int64(action - ks.DISCARD), rules)
    if action != ks.PASS:
        return draw(state, action == ks.TAKE, rules)
    state.step += 1
    if state.phase == ks.AT_WALL:
        return True
    state.declined[seat] |= bit(upcard_of(state))
    state.phase = ks.OFFERED if seat == state.starter else ks.FORCED
    state.seat = 1 - seat
    return False


@device_function
def end_round(state, rules):
    """Add a round that is over to the scores; return whether the match is over, and whether its winner has won it."""
    winner, won = state.winner, False
    state.round_index += 1
    if winner >= 0:
        state.scores[winner] += state.points
        starter = state.starter
        state.starter = 1 - starter if rules.next_starter == ks.ALTERNATES else winner if rules.next_starter == ks.WINNER else 1 - winner
        won = state.scores[winner] >= rules.match_points
    return won or rules.match_points == 0 or state.round_index == ks.MAX_ROUNDS, won


@device_function(inline="always")
def forbidden_card(state, rules):
    """Return the card that the seat to move may not discard, as a mask."""
    return bit(state.taken) if state.taken >= 0 and rules.return_upcard == 0 else np.int64(0)


@device_function
def legal_knocks(state, rules):
    """Return the cards to knock with, as a mask, of a seat that has drawn."""
    return knocks(state.hand[state.seat], state.knock_limit) & ~forbidden_card(state, rules)


@device_function
def can_take_at_wall(state, rules):
    """Return whether the upcard makes a knock."""
    upcard = bit(upcard_of(state))
    able = knocks(state.hand[state.seat] | upcard, state.knock_limit)
    return able & ~(np.int64(0) if rules.return_upcard else upcard) != 0


@device_function
def write_legal(state, rules):
    """Write the legal actions of the seat to move into the state."""
    phase, low, high = state.phase, np.int64(0), np.int64(0)
    if phase == ks.DISCARDING or phase == ks.LAST:
        hand = state.hand[state.seat]
        if phase == ks.DISCARDING:
            low = (hand & ~forbidden_card(state, rules)) << ks.DISCARD
        knock = legal_knocks(state, rules)
        low |= knock << ks.KNOCK
        high = knock >> (64 - ks.KNOCK)
        if rules.big_gin_bonus and deadwood(hand, LEFT) == 0:
            high |= np.int64(1) << (ks.BIG_GIN - 64)
    elif phase == ks.DRAWING:
        low = np.int64(1 << ks.DRAW | 1 << ks.TAKE)
    elif phase == ks.FORCED:
        low = np.int64(1 << ks.DRAW)
    elif phase == ks.OFFERED or can_take_at_wall(state, rules):
        low = np.int64(1 << ks.PASS | 1 << ks.TAKE)
    else:
        low = np.int64(1 << ks.PASS)
    state.legal[0], state.legal[1] = low, high


@device_function(inline="always")
def observe(state, seat, forbidden):
    """Return the seat's observation; ``forbidden``: mask of the card that it may not discard."""
    other, has_pile = 1 - seat, state.pile_size > 0
    top = np.int64(state.pile[state.pile_size - 1]) if has_pile else np.int64(0)
    return ks.Observation(
        hand=state.hand[seat],
        forbidden=forbidden,
        turn=state.turns[seat],
        known=state.known[seat],
        pile=state.pile_mask,
        opponent_discards=state.discarded[other],
        upcard=top & ks.CARD_BITS if has_pile else np.int64(ks.NO_CARD),
        upcard_from_opponent=has_pile and top >> ks.SEAT_SHIFT == 1 + other,
        own_score=state.scores[seat],
        other_score=state.scores[other],
        knock_limit=state.knock_limit,
    )


@device_function
def card_plane(state, seat, plane):
    """Return one of the NUM_CARD_PLANES planes of cards of a seat, as a mask."""
    other = 1 - seat
    if plane < 4:
        if plane < 2:
            return state.hand[seat] if plane == 0 else state.known[seat]
        return state.discarded[other] if plane == 2 else state.declined[other]
    if plane < 6:
        return state.discarded[seat] if plane == 4 else state.pile_mask
    return bit(upcard_of(state)) if state.pile_size > 0 else np.int64(0)


@device_function(inline="always")
def observe_discard(state):
    """Return the observation of the seat to move, which is to discard.

    No player in kernels puts the upcard back, whatever the rules say.
    """
    return observe(state, state.seat, bit(state.taken) if state.taken >= 0 else np.int64(0))


@device_function(inline="always")
def discard_key(state):
    """Return the address of the draws of the decision of the seat to move."""
    return decision(state.root, state.step, state.seat, DISCARD_PURPOSE)


@device_function
def threshold(player, turn, limit):
    """Return the most deadwood that a player with thresholds knocks with after ``turn`` draws."""
    return min(np.int64(player.knock[0] if turn < player.knock[2] else player.knock[1]), limit)
