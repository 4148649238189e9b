"""Kernels of players by a value network, a small network in place of the value tables.

Each card is in one of four states: unseen, own, the opponent's and known, or gone (seen in the pile). Two hands hold them as *planes*: the
first has own and gone cards, the second known and gone ones. The network adds a row of numbers for every stretch of four ranks in a suit,
one for every rank across the suits, and a few more: turn, deadwood, both scores, and for a discard the states of the cards that would
make a meld with it, where it also counts whether the opponent itself discarded them. Two small layers follow, and three outputs: the
values of waiting after a discard, of knocking after it, and of drawing from stock.

``player`` is a NetworkParameters, ``weights`` a ValueWeights, ``observation`` an Observation and ``workspace`` a Workspace of
gin.kernel_state.
"""

import numpy as np

from meldlab.chance.kernel import unit
from meldlab.compiling import device_function
from meldlab.gin import kernel_state as ks
from meldlab.gin.kernel_hand import bit, discards, lowest_card
from meldlab.gin.kernel_round import discard_key, observe, observe_discard, upcard_of
from meldlab.melds.kernel import suits_held

STRETCHES, PATTERNS = 10, 256  # first ranks of a stretch of four, and states of four cards
COLUMN_ROWS = STRETCHES * PATTERNS
WAIT_ROWS = COLUMN_ROWS + 13 * PATTERNS
DRAW_ROWS = WAIT_ROWS + ks.TURNS + 1
DEADWOOD_ROWS = DRAW_ROWS + ks.TURNS + 1
MAX_DEADWOOD = 63
RUN_ROWS = DEADWOOD_ROWS + MAX_DEADWOOD + 1  # by the states of the four cards around a discard
SET_ROWS = RUN_ROWS + 5**4  # by those of its rank
OWN_SCORE_ROWS = SET_ROWS + 5**3
SCORE_STEPS = 10  # tens of points, nine and more in one
OTHER_SCORE_ROWS = OWN_SCORE_ROWS + SCORE_STEPS
ROWS = OTHER_SCORE_ROWS + SCORE_STEPS
GONE = 3
MAX_PRIOR = 4.0  # against any action, in tens of points; not tuned
WAIT_HEAD, KNOCK_HEAD, DRAW_HEAD = 0, 1, 2


@device_function
def stretch_row(first, second, suit, start):
    """Return the row of the stretch of a suit that starts at a rank."""
    card = 13 * suit + start
    return start * PATTERNS + ((first >> card) & 15) + ((second >> card) & 15) * 16


@device_function
def column_row(first, second, rank):
    """Return the row of a rank across the suits."""
    return COLUMN_ROWS + rank * PATTERNS + suits_held(first, rank) + suits_held(second, rank) * 16


@device_function
def add_row(total, row, rows):
    """Add one row to a total, [WIDE] float32."""
    for i in range(len(total)):
        total[i] += rows[row, i]


@device_function
def add_cards(total, first, second, rows):
    """Set a total to the sum of the rows of all cards."""
    total[:] = np.float32(0.0)
    for suit in range(4):
        for start in range(STRETCHES):
            add_row(total, stretch_row(first, second, suit, start), rows)
    for rank in range(13):
        add_row(total, column_row(first, second, rank), rows)


@device_function
def change_card(total, card, first, second, new_first, new_second, rows):
    """Turn a total of planes ``first``, ``second`` into that of the new ones, which differ from them in one card."""
    suit, rank = card // 13, card % 13
    for start in range(max(rank - 3, 0), min(rank, STRETCHES - 1) + 1):
        before, after = stretch_row(first, second, suit, start), stretch_row(new_first, new_second, suit, start)
        for i in range(len(total)):
            total[i] += rows[after, i] - rows[before, i]
    before, after = column_row(first, second, rank), column_row(new_first, new_second, rank)
    for i in range(len(total)):
        total[i] += rows[after, i] - rows[before, i]


@device_function
def card_state(card, first, second, opponent_discards):
    """Return the state of a card: unseen, own, known, gone, or discarded by the opponent, 0 to 4."""
    state = ((first >> card) & 1) + 2 * ((second >> card) & 1)
    return state + 1 if state == GONE and (opponent_discards >> card) & 1 else state


@device_function
def run_row(card, first, second, opponent_discards):
    """Return the row of the cards within two ranks of a discard; beyond the ends of a suit all are gone."""
    rank = card % 13
    a = card_state(card - 2, first, second, opponent_discards) if rank >= 2 else GONE
    b = card_state(card - 1, first, second, opponent_discards) if rank >= 1 else GONE
    c = card_state(card + 1, first, second, opponent_discards) if rank <= 11 else GONE
    d = card_state(card + 2, first, second, opponent_discards) if rank <= 10 else GONE
    return RUN_ROWS + a + 5 * b + 25 * c + 125 * d


@device_function
def set_row(card, first, second, opponent_discards):
    """Return the row of the cards of a discard's rank."""
    suit, rank = card // 13, card % 13
    a = card_state(13 * ((suit + 1) & 3) + rank, first, second, opponent_discards)
    b = card_state(13 * ((suit + 2) & 3) + rank, first, second, opponent_discards)
    c = card_state(13 * ((suit + 3) & 3) + rank, first, second, opponent_discards)
    return SET_ROWS + a + 5 * b + 25 * c


@device_function
def add_scores(total, own, other, rows):
    """Add the rows of both scores."""
    add_row(total, OWN_SCORE_ROWS + min(own // 10, SCORE_STEPS - 1), rows)
    add_row(total, OTHER_SCORE_ROWS + min(other // 10, SCORE_STEPS - 1), rows)


@device_function
def first_layer(total, weights, inner):
    """Put a total through the first layer, four inputs at a time."""
    for j in range(ks.NARROW):
        inner[j] = weights.first[ks.WIDE, j]
    for i in range(0, ks.WIDE, 4):
        a, b = max(total[i], np.float32(0.0)), max(total[i + 1], np.float32(0.0))
        c, d = max(total[i + 2], np.float32(0.0)), max(total[i + 3], np.float32(0.0))
        for j in range(ks.NARROW):
            sums = inner[j] + a * weights.first[i, j] + b * weights.first[i + 1, j]
            inner[j] = sums + c * weights.first[i + 2, j] + d * weights.first[i + 3, j]


@device_function
def head_output(inner, weights, which):
    """Return one of the three outputs, in points."""
    result = weights.last[ks.NARROW, which]
    for j in range(len(inner)):
        if inner[j] > 0:
            result += inner[j] * weights.last[j, which]
    return np.float64(result)


@device_function
def best_discard_value(observation, noise, key, weights, workspace):
    """Return (value, discard, whether to knock with it) of the best discard of eleven cards.

    ``workspace.values`` is set to the value of waiting after each discard, ``workspace.risks`` to that of knocking.
    ``noise``: the spread of the noise added to every value, to explore other discards; ``key``: its address.
    """
    hand, pile, opponent_discards = observation.hand, observation.pile, observation.opponent_discards
    left, values, inner, rows = workspace.left, workspace.values, workspace.inner, weights.rows
    discards(hand, left)
    base, work = workspace.total[0], workspace.total[1]
    first, second = hand | pile, observation.known | pile
    add_cards(base, first, second, rows)
    add_row(base, WAIT_ROWS + min(observation.turn, ks.TURNS), rows)
    add_scores(base, observation.own_score, observation.other_score, rows)
    # Start with the first allowed card, so that one is chosen whatever the values are.
    best, chosen, knocks = 0.0, np.int64(-1), False
    allowed = hand & ~observation.forbidden
    while allowed:
        card = lowest_card(allowed)
        allowed &= allowed - 1
        for i in range(len(work)):
            work[i] = base[i]
        change_card(work, card, first, second, first, second | bit(card), rows)
        add_row(work, DEADWOOD_ROWS + min(left[card], MAX_DEADWOOD), rows)
        add_row(work, run_row(card, first, second, opponent_discards), rows)
        add_row(work, set_row(card, first, second, opponent_discards), rows)
        first_layer(work, weights, inner)
        wait = head_output(inner, weights, WAIT_HEAD)
        values[card] = wait
        if noise > 0.0:
            # The sum of three draws has mean 1.5 and spread 0.5.
            wait += noise * (2.0 * (unit(key, 3 * card) + unit(key, 3 * card + 1) + unit(key, 3 * card + 2)) - 3.0)
        if chosen < 0 or wait > best:
            best, chosen, knocks = wait, card, False
        if left[card] <= observation.knock_limit:
            knock = head_output(inner, weights, KNOCK_HEAD)
            workspace.risks[card] = knock
            if knock > best:
                best, chosen, knocks = knock, card, True
    return best, chosen, knocks


@device_function
def draw_value(observation, turn, weights, workspace):
    """Return the value of drawing from stock with ten cards, at the coming turn."""
    base, rows = workspace.total[0], weights.rows
    add_cards(base, observation.hand | observation.pile, observation.known | observation.pile, rows)
    add_row(base, DRAW_ROWS + min(turn, ks.TURNS), rows)
    add_scores(base, observation.own_score, observation.other_score, rows)
    first_layer(base, weights, workspace.inner)
    return head_output(workspace.inner, weights, DRAW_HEAD)


@device_function
def take_value(observation, upcard, weights, workspace):
    """Return the value of taking the upcard."""
    taken = ks.Observation(
        hand=observation.hand | bit(upcard),
        forbidden=bit(upcard),
        turn=observation.turn + 1,
        known=observation.known,
        pile=observation.pile & ~bit(upcard),
        opponent_discards=observation.opponent_discards,
        upcard=observation.upcard,
        upcard_from_opponent=observation.upcard_from_opponent,
        own_score=observation.own_score,
        other_score=observation.other_score,
        knock_limit=observation.knock_limit,
    )
    return best_discard_value(taken, 0.0, np.uint64(0), weights, workspace)[0]


@device_function
def network_takes(player, memory, state):
    """Return whether the value of the upcard exceeds that of a card from stock."""
    observation, weights, workspace = observe(state, state.seat, np.int64(0)), player.weights, memory.workspace
    drawn = draw_value(observation, observation.turn + 1, weights, workspace)
    return take_value(observation, upcard_of(state), weights, workspace) > drawn


@device_function
def network_discards(player, memory, state):
    """Return (discard, whether to knock with it)."""
    _, card, knock = best_discard_value(observe_discard(state), player.noise, discard_key(state), player.weights, memory.workspace)
    return card, knock


@device_function
def prior_logit(value, best):
    """Return a prior logit: the value less that of the best, in tens of points, and at least -MAX_PRIOR."""
    return np.float32(max((value - best) / 10.0, -MAX_PRIOR))


@device_function
def write_prior(state, seat, forbidden, weights, workspace, prior):
    """Write the prior of the actions of a seat that is to draw or to discard; ``prior``: [PRIOR] float32, 0 for other actions.

    ``forbidden``: the card that it may not discard, as a mask.
    """
    phase = state.phase
    for i in range(ks.PRIOR):
        prior[i] = np.float32(0.0)
    if phase == ks.DISCARDING or phase == ks.LAST:
        observation = observe(state, seat, forbidden)
        best, _, _ = best_discard_value(observation, 0.0, np.uint64(0), weights, workspace)
        prior[ks.PRIOR_VALUE] = best / 30.0
        rest = observation.hand & ~forbidden
        while rest:
            card = lowest_card(rest)
            rest &= rest - 1
            prior[ks.PRIOR_DISCARD + card] = prior_logit(workspace.values[card], best)
            if workspace.left[card] <= observation.knock_limit:
                prior[ks.PRIOR_KNOCK + card] = prior_logit(workspace.risks[card], best)
    elif phase == ks.OFFERED or phase == ks.DRAWING:
        observation = observe(state, seat, np.int64(0))
        drawn = draw_value(observation, observation.turn + 1, weights, workspace)
        taken = take_value(observation, upcard_of(state), weights, workspace)
        best = max(drawn, taken)
        prior[ks.PRIOR_VALUE] = best / 30.0
        prior[ks.PRIOR_DRAW], prior[ks.PRIOR_TAKE] = prior_logit(drawn, best), prior_logit(taken, best)
