"""Kernels of the vector environment: one action at each of many tables, and what the seat to move may see.

A table is a row of arrays. Its notes are those of a round and, behind them, what a match and a legal action need. The same functions serve
the CPU, where a core goes from table to table, and the GPU, where a thread has a table.
"""

from typing import Any, NamedTuple

import numpy as np

from meldlab.cards.kernel import popcount
from meldlab.chance.kernel import below, decision, root_of
from meldlab.chance.kernel_purpose import Purpose
from meldlab.compiling import inlined_kernel, kernel, scalar_kernel
from meldlab.gin.kernel import LEFT, bit, knocks, nth_card
from meldlab.gin.kernel_layout import *
from meldlab.gin.kernel_round import (
    MOST_ROUNDS,
    drop_card,
    drop_decision,
    first_starter,
    is_void,
    lay_out,
    new_sheet,
    next_starter,
    settle,
    sight_of,
    take_decision,
    tell_draw,
)
from meldlab.gin.players.kernel_light import advise_to_draw, advise_to_drop
from meldlab.gin.players.kernel_policy import new_bench
from meldlab.melds.kernel import deadwood

# Actions: three without a card, then one for every card to drop, one for every card to knock with, and big gin.
DO_PASS, DO_DRAW, DO_TAKE, DO_DROP, DO_KNOCK, DO_BIG = 0, 1, 2, 3, 55, 107
ACTIONS = 108
NEW = -1  # in place of an action: a new game

# What the seat to move has to decide, as gin.view.Phase numbers it.
OFFERED, FORCED, DRAWING, DROPPING, AT_WALL, LAST = range(6)

# Places in the notes of a table, [NOTED] int64, behind those of a round.
PHASE, TO_MOVE, STARTED, ROUND, SEED, GAME, ROOT = range(NOTES, NOTES + 7)
DREW, TOOK, RETURNED = range(NOTES + 7, NOTES + 10)  # the card just drawn, the same if it was the upcard, the one just put back; or -1
LEGAL = NOTES + 10  # two places: legal actions 0 to 63 and the others, as bits
OWN = NOTES + 12  # the seat that is asked where a player sits inside, or -1: it changes with every game
NOTED = NOTES + 13

# Behind a vector of rules: what is rewarded, and how far on the next game of a table is.
REWARD, STRIDE = RULES, RULES + 1
SETTINGS = RULES + 2
BY_WIN, BY_POINTS = 0, 1

PILE_CARDS = 32  # all that are in no hand
PLANES = 8  # of 52 bytes: seven of cards that are there or not, and their places in the pile
SCALARS = 16
WORDS = 13  # a plane is written four cards at a time
FEATURES = 52 * PLANES + SCALARS
MASK_WORDS = ACTIONS // 4
CHOICE = int(Purpose.CHOICE)


class Tables(NamedTuple):
    """Where ``n`` games stand."""

    notes: Any  # [n, NOTED] int64
    deck: Any  # [n, 52] uint8
    pile: Any  # [n, PILE_CARDS] uint8, as Desk has it
    place: Any  # [n, 52] uint8, of each card in the pile, from 1 at the bottom; 0 for one that is not there
    used: Any  # [n, 2, 52] int64, as Desk has it; [n, 2, 0] without an opponent inside
    order: Any  # [n, 2, 12] int64, as Desk has it
    belief: Any  # [n, 2, 54] float64, as Desk has it; [n, 2, 0] without an opponent inside


class Told(NamedTuple):
    """What is said about ``n`` tables; features and mask share their memory with the arrays of words."""

    features: Any  # [n, FEATURES] uint8
    feature_words: Any  # [n, FEATURES / 4] uint32
    mask_words: Any  # [n, MASK_WORDS] uint32
    to_move: Any  # [n] int8
    rewards: Any  # [n, 2] float32
    done: Any  # [n] bool
    points: Any  # [n, 2] int32
    scores: Any  # [n, 2] int32
    over: Any  # [n] bool
    winner: Any  # [n] int8
    finals: Any  # [n, 2, FEATURES] uint8, what both seats saw last of a game that has ended; [n, 2, 0] where nobody asks


@inlined_kernel
def desk_at(tables, i, melds, shown, outcome, log, sheet, bench):
    """Return the desk of a table."""
    return Desk(
        tables.deck[i],
        tables.notes[i],
        tables.used[i],
        tables.order[i],
        tables.belief[i],
        tables.pile[i],
        melds,
        shown,
        outcome,
        log,
        sheet,
        bench,
    )


@inlined_kernel
def new_round(desk, place, players, rules):
    """Deal the next round of the game in the notes."""
    notes = desk.notes
    lay_out(desk, notes[SEED], notes[GAME], notes[ROUND], notes[STARTED], players, rules)
    for card in range(52):
        place[card] = 0
    place[desk.pile[0]] = 1
    notes[TO_MOVE], notes[PHASE] = notes[STARTED], OFFERED if rules[OFFER] else DRAWING
    notes[DREW], notes[TOOK], notes[RETURNED] = -1, -1, -1


@scalar_kernel
def begin_game(notes, rules):
    """Set the notes to the beginning of the game they name."""
    notes[ROOT], notes[STARTED] = np.int64(root_of(notes[SEED], notes[GAME])), first_starter(notes[SEED], notes[GAME], rules)
    notes[STEP], notes[ROUND], notes[SCORED], notes[SCORED + 1] = 0, 0, 0, 0


@inlined_kernel
def draw_card(desk, place, taken, players, rules):
    """Take the upcard or a card from stock; tell whether the round is void by it."""
    notes, pile = desk.notes, desk.pile
    seat, top = notes[TO_MOVE], np.int64(pile[notes[PILED] - 1]) & 63
    if taken:
        drawn = top
        notes[PILED] -= 1
        notes[PILE] &= ~bit(drawn)
        place[drawn] = 0
        notes[UPCARDS] += notes[PHASE] == DRAWING
        notes[TOOK] = drawn
    else:
        drawn = np.int64(desk.deck[rules[SUITS] * rules[RANKS] - notes[STOCK_LEFT]])
        notes[STOCK_LEFT] -= 1
        notes[TOOK] = -1
    notes[DREW] = drawn
    notes[STEP] += 1
    notes[N_DRAWS] += 1
    notes[TURN + seat] += 1
    notes[HAND + seat] |= bit(drawn)
    tell_draw(notes, seat, top, taken, players, desk.belief)
    notes[PHASE] = LAST if notes[PHASE] == AT_WALL else DROPPING
    return rules[MOST_UPCARDS] != 0 and notes[UPCARDS] >= rules[MOST_UPCARDS]


@inlined_kernel
def discard(desk, place, card, players, rules):
    """Drop a card; tell whether the round is void by it."""
    notes = desk.notes
    seat = notes[TO_MOVE]
    notes[HAND + seat] ^= bit(card)
    drop_card(notes, seat, card, desk.pile, players, desk.belief)
    place[card] = notes[PILED]
    back = notes[TOOK] == card
    twice = back and notes[RETURNED] == card and rules[RETURNED_TWICE] != 0
    notes[RETURNED] = card if back else -1
    notes[DREW], notes[TOOK] = -1, -1
    notes[TO_MOVE] = 1 - seat
    at_wall = notes[STOCK_LEFT] <= rules[FLOOR]
    notes[PHASE] = AT_WALL if at_wall else DRAWING
    if rules[WALL_KNOCK] and at_wall:
        return twice or notes[N_DRAWS] >= rules[MOST_DRAWS]
    return twice or is_void(notes, rules)


@inlined_kernel
def act(desk, place, action, players, rules):
    """Apply an action that is legal; tell whether the round is over, with its outcome on the desk."""
    notes, outcome = desk.notes, desk.outcome
    seat = notes[TO_MOVE]
    outcome[0], outcome[1] = -1, 0
    if action >= DO_KNOCK:
        card = np.int64(action - DO_KNOCK)
        if action != DO_BIG:
            notes[HAND + seat] ^= bit(card)
        settle(desk, seat, BIG if action == DO_BIG else KNOCK, card, players, rules, notes[ROOT])
        return True
    if action >= DO_DROP:
        return discard(desk, place, np.int64(action - DO_DROP), players, rules)
    if action != DO_PASS:
        return draw_card(desk, place, action == DO_TAKE, players, rules)
    notes[STEP] += 1
    if notes[PHASE] == AT_WALL:
        return True
    tell_draw(notes, seat, np.int64(desk.pile[notes[PILED] - 1]) & 63, False, players, desk.belief)
    notes[PHASE] = OFFERED if seat == notes[STARTED] else FORCED
    notes[TO_MOVE] = 1 - seat
    return False


@scalar_kernel
def score(notes, outcome, i, rules, told):
    """Write down the outcome of a round; tell whether the match is over."""
    winner, points = outcome[0], outcome[1]
    notes[ROUND] += 1
    won = False
    if winner >= 0:
        notes[SCORED + winner] += points
        notes[STARTED] = next_starter(notes[STARTED], winner, rules)
        won = notes[SCORED + winner] >= rules[POINTS_WANTED]
    ended = won or rules[POINTS_WANTED] == 0 or notes[ROUND] == MOST_ROUNDS
    # Of a next game nothing is told before the own seat is asked: that seat was another one in the game that has ended.
    if told.done[i]:
        return ended
    told.over[i] = True
    if winner >= 0:
        told.points[i, winner] += points
        if won or rules[REWARD] == BY_POINTS:
            worth = np.float32(points) / np.float32(100.0) if rules[REWARD] == BY_POINTS else np.float32(1.0)
            told.rewards[i, winner] += worth
            told.rewards[i, 1 - winner] -= worth
    if ended:
        told.done[i], told.winner[i] = True, winner if won else -1
        told.scores[i, 0], told.scores[i, 1] = notes[SCORED], notes[SCORED + 1]
    return ended


@scalar_kernel
def note_legal(notes, pile, rules):
    """Note what the seat to move may do."""
    phase, hand = notes[PHASE], notes[HAND + notes[TO_MOVE]]
    low, high = np.int64(0), np.int64(0)
    if phase == DROPPING or phase == LAST:
        barred = bit(notes[TOOK]) if notes[TOOK] >= 0 and rules[RETURN_UPCARD] == 0 else np.int64(0)
        if phase == DROPPING:
            low = (hand & ~barred) << DO_DROP
        knock = knocks(hand, notes[KNOCK_LIMIT]) & ~barred
        low |= knock << DO_KNOCK
        high = knock >> (64 - DO_KNOCK)
        if rules[BIG_GIN] and deadwood(hand, LEFT) == 0:
            high |= np.int64(1) << (DO_BIG - 64)
    elif phase == DRAWING:
        low = np.int64(1 << DO_DRAW | 1 << DO_TAKE)
    elif phase == FORCED:
        low = np.int64(1 << DO_DRAW)
    else:
        low = np.int64(1 << DO_PASS | 1 << DO_TAKE)
        if phase == AT_WALL:
            top = bit(np.int64(pile[notes[PILED] - 1]) & 63)
            if knocks(hand | top, notes[KNOCK_LIMIT]) & ~(np.int64(0) if rules[RETURN_UPCARD] else top) == 0:
                low = np.int64(1 << DO_PASS)
    notes[LEGAL], notes[LEGAL + 1] = low, high


@scalar_kernel
def plane_of(notes, pile, plane):
    """Return one of the seven planes of cards as a hand, from the seat to move."""
    seat = notes[TO_MOVE]
    other = 1 - seat
    if plane < 4:
        return notes[(HAND + seat if plane == 0 else KNOWN + seat) if plane < 2 else (DROPPED + other if plane == 2 else DECLINED + other)]
    if plane < 6:
        return notes[DROPPED + seat if plane == 4 else PILE]
    return bit(np.int64(pile[notes[PILED] - 1]) & 63) if notes[PILED] > 0 else np.int64(0)


@scalar_kernel
def write_scalars(notes, rules, row):
    """Write the scalars of the features, [FEATURES] uint8, from the seat to move."""
    seat, at = notes[TO_MOVE], 52 * PLANES
    other = 1 - seat
    row[at] = notes[PHASE]
    row[at + 1] = min(notes[TURN + seat], 255)
    row[at + 2] = min(notes[TURN + other], 255)
    row[at + 3] = notes[STOCK_LEFT]
    row[at + 4] = min(notes[UPCARDS], 255)
    row[at + 5] = min(notes[SCORED + seat], 255)
    row[at + 6] = min(notes[SCORED + other], 255)
    row[at + 7] = min(notes[KNOCK_LIMIT], 255)
    row[at + 8] = min(rules[POINTS_WANTED], 255)
    row[at + 9] = min(notes[ROUND], 255)
    row[at + 10] = notes[STARTED] == seat
    row[at + 11] = notes[TOOK] + 1
    row[at + 12] = deadwood(notes[HAND + seat], LEFT)


@scalar_kernel
def show_both(notes, pile, place, rules, rows):
    """Write what each seat sees, whoever is to move; ``rows``: [2, FEATURES] uint8."""
    to_move = notes[TO_MOVE]
    for seat in range(2):
        notes[TO_MOVE] = seat
        for plane in range(PLANES - 1):
            cards = plane_of(notes, pile, plane)
            for card in range(52):
                rows[seat, 52 * plane + card] = cards >> card & 1
        for card in range(52):
            rows[seat, 52 * (PLANES - 1) + card] = place[card]
        write_scalars(notes, rules, rows[seat])
    notes[TO_MOVE] = to_move


@scalar_kernel
def is_legal(notes, action):
    """Tell whether the seat to move may do this; ``action`` is any number."""
    return 0 <= action < ACTIONS and notes[LEGAL + (action >> 6)] >> (action & 63) & 1 == 1


@inlined_kernel
def advance(desk, place, action, i, players, rules, told):
    """Apply an action to table ``i``, or begin its game, and go on to the next decision, in a new round or game if need be."""
    notes = desk.notes
    if action == NEW:
        begin_game(notes, rules)
        new_round(desk, place, players, rules)
    elif act(desk, place, action, players, rules):
        telling = told.finals.shape[2] > 0 and not told.done[i]
        if score(notes, desk.outcome, i, rules, told):
            if telling:
                show_both(notes, desk.pile, place, rules, told.finals[i])
            notes[GAME] += rules[STRIDE]
            begin_game(notes, rules)
        new_round(desk, place, players, rules)
    note_legal(notes, desk.pile, rules)


@scalar_kernel
def knocking_discard(notes):
    """Return the first card to knock with, in the order in which hands are printed: by rank, then by suit."""
    for at in range(52):
        card = at % 4 * 13 + at // 4
        if is_legal(notes, DO_KNOCK + card):
            return card
    return -1


@inlined_kernel
def answer_of(desk, pair):
    """Return the action of a seat to move whose player decides in the kernels, as that player answers at the Table."""
    notes = desk.notes
    seat, phase = notes[TO_MOVE], notes[PHASE]
    if phase == DROPPING or phase == LAST:
        if is_legal(notes, DO_BIG):
            return DO_BIG
        card, _, wanted = drop_decision(desk, seat, notes[DREW], notes[TOOK] >= 0, pair, notes[ROOT])
        if phase == LAST and not is_legal(notes, DO_KNOCK + card):
            card = knocking_discard(notes)
        return (DO_KNOCK if wanted or phase == LAST else DO_DROP) + card
    if phase == AT_WALL:
        return DO_TAKE if is_legal(notes, DO_TAKE) else DO_PASS
    top = np.int64(desk.pile[notes[PILED] - 1]) & 63
    if phase == FORCED or not take_decision(desk, seat, top, phase == OFFERED, pair, notes[ROOT]):
        return DO_PASS if phase == OFFERED else DO_DRAW
    return DO_TAKE


@scalar_kernel
def own_seat(notes, stride):
    """Return the seat that is asked where a player sits inside.

    Unless somebody wants it otherwise it changes with every game of a table: if it did not, and the same seat always began, games could go
    by for ever in which it is never asked.
    """
    return notes[OWN] if notes[OWN] >= 0 else (notes[GAME] % stride + notes[GAME] // stride) & 1


@inlined_kernel
def play_until_asked(desk, place, action, i, pair, rules, told):
    """Advance table ``i`` by an action and by the answers of the player inside, until the own seat is to move."""
    notes = desk.notes
    while True:
        advance(desk, place, action, i, pair.vectors, rules, told)
        if notes[TO_MOVE] == own_seat(notes, rules[STRIDE]):
            return
        action = answer_of(desk, pair)


@scalar_kernel
def clear(i, told):
    """Say of a table that nothing has happened yet."""
    told.done[i], told.over[i], told.winner[i] = False, False, -1
    for seat in range(2):
        told.rewards[i, seat], told.points[i, seat], told.scores[i, seat] = np.float32(0.0), 0, 0


@scalar_kernel
def tell_table(notes, i, rules, told):
    """Write the scores of the match, who is to move, and the scalars of the features."""
    if not told.done[i]:
        told.scores[i, 0], told.scores[i, 1] = notes[SCORED], notes[SCORED + 1]
    told.to_move[i] = notes[TO_MOVE]
    write_scalars(notes, rules, told.features[i])


@scalar_kernel
def word_of(bits):
    """Return the four lowest bits as four bytes, each 0 or 1."""
    return np.uint32(((bits & 15) * 0x204081) & 0x01010101)


@scalar_kernel
def mask_word(notes, word):
    """Return four actions of the mask."""
    return word_of(notes[LEGAL + (word >> 4)] >> (4 * (word & 15)))


@inlined_kernel
def tell_cards(tables, i, told):
    """Write the planes of cards and the mask of a table."""
    notes, pile, words, mask, features, place = (
        tables.notes[i],
        tables.pile[i],
        told.feature_words[i],
        told.mask_words[i],
        told.features[i],
        tables.place[i],
    )
    for plane in range(PLANES - 1):
        cards = plane_of(notes, pile, plane)
        for word in range(WORDS):
            words[WORDS * plane + word] = word_of(cards >> (4 * word))
    for card in range(52):
        features[52 * (PLANES - 1) + card] = place[card]
    for word in range(MASK_WORDS):
        mask[word] = mask_word(notes, word)


@kernel
def first_illegal(notes, actions):
    """Return the first table whose action is not legal, or -1."""
    for i in range(len(actions)):
        if not is_legal(notes[i], actions[i]):
            return i
    return -1


@kernel
def step_some(tables, actions, players, rules, told, first, many):
    """Apply legal actions, or begin games, at tables ``first`` to ``first + many - 1``, and tell what their seats to move see.

    ``actions``: [n] int64; ``players``: [2, PARAMETERS] float64, of anybody but an ensemble, since there is no belief; ``rules``:
    [SETTINGS] int64.
    """
    melds, shown, outcome = np.zeros(4, np.int64), np.zeros(4, np.int64), np.zeros(5, np.int64)
    log = np.zeros((0, LOG_WIDTH), np.int64)
    for i in range(first, first + many):
        desk = desk_at(tables, i, melds, shown, outcome, log, 0, 0)
        clear(i, told)
        advance(desk, tables.place[i], actions[i], i, players, rules, told)
        tell_table(desk.notes, i, rules, told)
        tell_cards(tables, i, told)


@kernel
def step_against(tables, actions, pair, rules, told, first, many):
    """Do the same where a player of the kernels sits opposite: the own seat acts, and the other answers until it is asked again.

    ``pair``: that player twice, so that it may sit in either seat. What several rounds are worth that end meanwhile is added up.
    """
    melds, shown, outcome = np.zeros(4, np.int64), np.zeros(4, np.int64), np.zeros(5, np.int64)
    log, sheet, bench = np.zeros((0, LOG_WIDTH), np.int64), new_sheet(), new_bench(pair.books[0].policy.own.shape[1])
    for i in range(first, first + many):
        desk = desk_at(tables, i, melds, shown, outcome, log, sheet, bench)
        clear(i, told)
        play_until_asked(desk, tables.place[i], actions[i], i, pair, rules, told)
        tell_table(desk.notes, i, rules, told)
        tell_cards(tables, i, told)


@kernel
def step_all(tables, actions, players, rules, told):
    """Step all tables on one core and return -1, or the first table whose action is not legal and change nothing."""
    wrong = first_illegal(tables.notes, actions)
    if wrong < 0:
        step_some(tables, actions, players, rules, told, 0, len(actions))
    return wrong


@inlined_kernel
def advise(desk, network, rules, advice):
    """Write what a light network thinks of the actions of the seat to move; ``advice``: [ADVICE] float32."""
    notes = desk.notes
    seat, phase = notes[TO_MOVE], notes[PHASE]
    for at in range(ADVICE):
        advice[at] = np.float32(0.0)
    if phase == DROPPING or phase == LAST:
        barred = bit(notes[TOOK]) if notes[TOOK] >= 0 and rules[RETURN_UPCARD] == 0 else np.int64(0)
        advise_to_drop(sight_of(desk, seat, barred), network, desk.sheet, advice)
    elif phase == OFFERED or phase == DRAWING:
        top = np.int64(desk.pile[notes[PILED] - 1]) & 63
        advise_to_draw(sight_of(desk, seat, np.int64(0)), top, network, desk.sheet, advice)


@kernel
def advise_all(tables, network, rules, advice):
    """Set ``advice``, [n, ADVICE] float32, to what a light network thinks."""
    melds, shown, outcome = np.zeros(4, np.int64), np.zeros(4, np.int64), np.zeros(5, np.int64)
    log, sheet = np.zeros((0, LOG_WIDTH), np.int64), new_sheet()
    for i in range(len(advice)):
        advise(desk_at(tables, i, melds, shown, outcome, log, sheet, 0), network, rules, advice[i])


@scalar_kernel
def random_action(notes):
    """Return a legal action, each equally likely, drawn at the address of the decision."""
    low, high = notes[LEGAL], notes[LEGAL + 1]
    fewer = popcount(low)
    nth = below(decision(notes[ROOT], notes[STEP], notes[TO_MOVE], CHOICE), 0, fewer + popcount(high))
    return nth_card(low, nth) if nth < fewer else 64 + nth_card(high, nth - fewer)


@scalar_kernel
def hidden_hand(notes):
    """Return the hand of the seat that is not to move."""
    return notes[HAND + 1 - notes[TO_MOVE]]


@kernel
def choose_at_random(notes, actions):
    """Set ``actions`` to legal ones."""
    for i in range(len(actions)):
        actions[i] = random_action(notes[i])


@kernel
def tell_hidden(notes, cards):
    """Set ``cards``, [n, 52] uint8, to 1 where the seat that is not to move holds the card."""
    for i in range(len(cards)):
        hand = hidden_hand(notes[i])
        for card in range(52):
            cards[i, card] = hand >> card & 1


@kernel
def tell_both(tables, rules, rows):
    """Write what both seats of each table see; ``rows``: [n, 2, FEATURES] uint8."""
    for i in range(len(rows)):
        show_both(tables.notes[i], tables.pile[i], tables.place[i], rules, rows[i])


@kernel
def note_all(notes, pile, rules):
    """Note what is legal at all tables, and the root of each game."""
    for i in range(len(notes)):
        notes[i, ROOT] = np.int64(root_of(notes[i, SEED], notes[i, GAME]))
        note_legal(notes[i], pile[i], rules)
