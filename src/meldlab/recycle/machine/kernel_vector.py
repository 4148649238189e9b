"""Many tables of one game, each a step further: what ``kernel.drive`` does next with them, and how a position becomes numbers.

A table between two steps is one row: the words of its game up to TOP, then its options as [length, branches ..]. To be played on it is
copied to where the machine works, so tables need no room of their own. ``state``: [words] int64; ``layout``: [LAYOUT] int64.
"""

from typing import NamedTuple

import numpy as np

from meldlab.chance.kernel import below, player_root
from meldlab.compiling import device_function
from meldlab.recycle.machine.kernel_deals import learn_all, visible
from meldlab.recycle.machine.kernel_layout import *
from meldlab.recycle.machine.kernel_search import NOTHING, draws_of

TOO_NARROW = -3  # instead of a task: the rows do not hold what is to be kept
# --- instead of an option, from 0, that a table is to take
BEGIN, LOOK, REST = -1, -2, -3  # begin its next game; find the options of the game as it stands; nothing
# --- where a step stands
V_TABLE, V_END, V_STRIDE, V_REWARD, V_SIGN, V_NEEDED, V_DECIDED, V_PASSED, V_STUCK, V_WORK, STEP_NOW = range(11)
BY_PLACE, BY_SCORE = range(2)
MOST_PASSED = 10_000  # games in a row that end before anybody decides
# --- a family of locations: first feature, category of its owner, owner, features of an owner, first of its indexes, how many, last block
F_AT, F_CATEGORY, F_OWNER, F_WIDTH, F_INDEXES, F_MANY, F_LAST, FAMILY = range(8)
# --- a cell: address, first feature, category of its owner, owner, whether it holds a number, which takes two features
X_CELL, X_AT, X_CATEGORY, X_OWNER, X_NUMBER, CELL = range(6)
OF_GAME, OF_PLAYER, OF_TEAM = range(3)
# --- the first features
SEAT_FEATURE, CHOICE_FEATURE, DECISIONS_FEATURE, TEAM_FEATURE, FIRST_FEATURES = range(5)
MOST = 255  # what a feature can say


class Seen(NamedTuple):
    """Where the features of a position lie."""

    families: np.ndarray  # [families, FAMILY] int64, in the order of their addresses
    indexes: np.ndarray  # [..] int64, the indexes of each family that have features of their own
    cells: np.ndarray  # [cells, CELL] int64
    choices: np.ndarray  # [instructions] int64, the number of each choice
    back: np.ndarray  # [types] int64, the back of each type of card
    backs: int


class Hall(NamedTuple):
    """All tables of a game, and the part of them that one call takes a step further."""

    now: np.ndarray  # [STEP_NOW] int64
    places: np.ndarray  # [words] int64, room to note where the features of each location lie
    rows: np.ndarray  # [tables, width] int64
    seeds: np.ndarray  # [tables] int64, the bits of the seed of each
    games: np.ndarray  # [tables] int64, the number of the game that each plays
    known: np.ndarray  # [tables, players + 1, cards] uint8, which cards each seat remembers the location of
    actions: np.ndarray  # [tables] int64
    ends: np.ndarray  # [tables] int64, status with which a game ended in this step, else 0
    errors: np.ndarray  # [tables] int64, the instruction at which it failed
    scores: np.ndarray  # [tables, players] int64, of the game that ended
    rewards: np.ndarray  # [tables, players] float32
    features: np.ndarray  # [tables, features] uint8
    mask: np.ndarray  # [tables, options] int8
    offered: np.ndarray  # [tables] int64, how many options there are
    to_move: np.ndarray  # [tables] int8, from 0
    effects: np.ndarray  # [tables, options] int64, a number for what each option does; [tables, 0] where nobody asks
    seen: Seen


@device_function(inline="always")
def next_in_hall(code, layout, state, course, task, limit, hall):
    """Return the next task of a step, NOTHING at its end, or TOO_NARROW where the rows must grow first."""
    now = hall.now
    table = now[V_TABLE]
    following = NOTHING
    if task == TO_EXPLORE and state[STATUS] == DECIDING:
        state[TELLING] = 0
        if keep_table(layout, state, now, hall.rows[table]):
            seat = state[code[state[PC] + 3]]
            hall.to_move[table] = seat - 1
            hall.offered[table] = state[OPTIONS]
            offer(hall.mask[table], state[OPTIONS])
            for option in range(hall.effects.shape[1]):
                hall.effects[table, option] = state[layout[L_EFFECTS] + option] if option < state[OPTIONS] else 0
            choice = hall.seen.choices[state[PC] // STRIDE]
            write_features(state, layout, hall.known[table, seat], hall.seen, seat, choice, hall.places, hall.features[table])
            now[V_TABLE] = table + 1
            following = take_up(layout, state, now, hall.rows, hall.actions)
        else:
            following = TOO_NARROW
    elif task == TO_STEP:
        following = take_up(layout, state, now, hall.rows, hall.actions)
    elif task == TO_SCORE or state[STATUS] > CAPPED:
        if now[V_DECIDED]:
            now[V_DECIDED] = 0
            hall.ends[table] = state[STATUS]
            hall.errors[table] = state[ERROR_AT]
            if state[STATUS] <= CAPPED:
                for seat in range(layout[L_PLAYERS]):
                    hall.scores[table, seat] = state[layout[L_SCORES] + 1 + seat]
                settle(layout, state, now, hall.rewards[table])
        # Where nobody had to decide anything there is nothing to learn from, and nothing to show.
        now[V_PASSED] += 1
        if now[V_PASSED] > MOST_PASSED:
            now[V_STUCK] = 1
        else:
            hall.games[table] += now[V_STRIDE]
            following = TO_BEGIN
    elif state[STATUS] == FINISHED:
        following = TO_SCORE
    elif state[DECISION] >= limit:
        state[STATUS] = CAPPED
        following = TO_SCORE
    else:
        known = hall.known[table]
        if task == TO_BEGIN:
            for seat in range(known.shape[0]):
                for card in range(known.shape[1]):
                    known[seat, card] = 0
        learn_all(state, layout, known)
        state[LOG] = 0
        following = TO_EXPLORE
    if following == TO_EXPLORE and hall.effects.shape[1]:
        state[TELLING] = state[code[state[PC] + 3]]
    if following == TO_BEGIN:
        state[LOGGING] = 1
        course[C_SEED] = hall.seeds[now[V_TABLE]]
        course[C_GAME] = hall.games[now[V_TABLE]]
    return following


@device_function
def take_up(layout, state, now, rows, actions):
    """Make the next table that has something to do the one that the machine works on; return what it does first."""
    while now[V_TABLE] < now[V_END] and actions[now[V_TABLE]] == REST:
        now[V_TABLE] += 1
    if now[V_TABLE] >= now[V_END]:
        return NOTHING
    action = actions[now[V_TABLE]]
    now[V_PASSED] = 0
    now[V_DECIDED] = 0
    if action == BEGIN:
        return TO_BEGIN
    row = rows[now[V_TABLE]]
    top = row[TOP]
    now[V_WORK] += top >> 2
    for i in range(top):
        state[i] = row[i]
    state[LOG] = 0
    state[LOGGING] = 1
    state[TELLING] = 0
    if action == LOOK:
        # Finding the options is work that counts once.
        state[GAME_WORK] -= state[WORK]
        return TO_EXPLORE
    now[V_DECIDED] = 1
    at = top
    for _ in range(action):
        at += row[at] + 1
    state[layout[L_OPTION]] = layout[L_OPTION_WORDS]
    for i in range(row[at] + 1):
        state[layout[L_OPTION_WORDS] + i] = row[at + i]
    return TO_DECIDE


@device_function
def keep_table(layout, state, now, row):
    """Write a game and its options into its row; return whether they fit."""
    top, words, first = state[TOP], state[OPTION_WORDS], layout[L_OPTION_WORDS]
    if top + words > len(row):
        now[V_NEEDED] = top + words
        return False
    now[V_WORK] += (top + words) >> 2
    for i in range(top):
        row[i] = state[i]
    for i in range(words):
        row[top + i] = state[first + i]
    return True


@device_function
def offer(mask, options):
    """Let a mask, [options] int8, offer so many options."""
    for i in range(len(mask)):
        mask[i] = 1 if i < options else 0


@device_function
def choose_at_random(hall, actions):
    """Write into ``actions``, [tables] int64, what a random player would choose at each table."""
    width = hall.mask.shape[1]
    for table in range(len(actions)):
        root = player_root(hall.seeds[table], hall.games[table])
        draws = draws_of(root, hall.rows[table], hall.to_move[table] + 1, FOR_CHOICE)
        actions[table] = below(draws, 0, min(hall.offered[table], width))


# --- what a seat sees, as numbers


@device_function
def relative(state, layout, category, owner, seat):
    """Return how many seats, or teams, an owner is further than the seat that looks on."""
    if category == OF_PLAYER:
        return owner - seat if owner >= seat else owner - seat + layout[L_PLAYERS]
    if category == OF_TEAM:
        own, teams = state[layout[L_TEAM_OF] + seat], state[TEAMS]
        if own == 0 or owner > teams:
            return owner - 1
        return owner - own if owner >= own else owner - own + teams
    return 0


@device_function
def block_of(seen, family, index):
    """Return which block of a family has the cards of an index: its own, or the last one."""
    many, first = seen.families[family, F_MANY], seen.families[family, F_INDEXES]
    if 0 <= index < many and seen.indexes[first + index] == index:
        return index
    for i in range(many):
        if seen.indexes[first + i] == index:
            return i
    return seen.families[family, F_LAST]


@device_function
def write_features(state, layout, known, seen, seat, choice, places, features):
    """Write what a seat sees into ``features``, [features] uint8; ``known``, [cards] uint8: the cards it remembers the location of.

    ``places``, [words] int64, is room to note of each location where its block lies, and whether the seat sees its cards.
    """
    for i in range(len(features)):
        features[i] = 0
    features[SEAT_FEATURE] = seat - 1
    features[CHOICE_FEATURE] = min(choice, MOST)
    features[DECISIONS_FEATURE] = min(state[DECISION], MOST)
    features[TEAM_FEATURE] = min(state[layout[L_TEAM_OF] + seat], MOST)
    for i in range(len(seen.cells)):
        cell = seen.cells[i]
        value = state[cell[X_CELL]]
        if value:
            number = cell[X_NUMBER]
            at = cell[X_AT] + (1 + number) * relative(state, layout, cell[X_CATEGORY], cell[X_OWNER], seat)
            if value < 0:
                at += 1
                value = -value
            features[at] = min(value, MOST)
    types, first = layout[L_TYPES], layout[L_TEAM_CELLS_END]
    block = types + seen.backs + 1
    for i in range(len(seen.families)):
        family = first + LOCATION * i
        home, following = family, state[family + CHAIN_AT]
        if following == 0 and state[family + SIZE_AT] == 0:
            continue
        entry = seen.families[i]
        at = entry[F_AT] + entry[F_WIDTH] * relative(state, layout, entry[F_CATEGORY], entry[F_OWNER], seat)
        sees, remembers = visible(state, family, seat), state[family + KIND_AT] == MEMORY
        while home:
            if state[home + SIZE_AT]:
                here = at + block * block_of(seen, i, state[home + INDEX_AT])
                places[home] = 2 * here + sees
                if remembers:
                    write_memory(state, home, here, features)
                if sees:
                    top = state[state[home + TOP_AT] + TYPE]
                    features[here + block - 1] = min((state[top + TYPE] if remembers else top) + 1, MOST)
            # The location of index 0 comes first, wherever it stands in the chain.
            home = following
            following = state[home + NEXT_AT] if home else 0
            if home == family:
                home = following
                following = state[home + NEXT_AT] if home else 0
    # Cards by number, not by location: to follow a chain takes several times as long.
    for i in range(state[CARDS]):
        card = layout[L_CARDS] + NODE * i
        place, kind = places[state[card + HOME]], state[card + TYPE]
        at = (place >> 1) + (kind if place & 1 or known[i] else types + seen.back[kind])
        features[at] += features[at] < MOST


@device_function
def write_memory(state, home, at, features):
    """Count the cards that a memory remembers into the block ``at``."""
    node = state[home + BOTTOM_AT]
    while node:
        kind = state[state[node + TYPE] + TYPE]
        features[at + kind] += features[at + kind] < MOST
        node = state[node + ABOVE]


# --- what a game is worth at its end


@device_function
def side_score(layout, state, seat):
    """Return the mean score of the team of a seat (from 0), or its own score where it plays alone."""
    scores, teams = layout[L_SCORES] + 1, layout[L_TEAM_OF] + 1
    team, total, members = state[teams + seat], 0, 0
    if team == 0:
        return float(state[scores + seat])
    for other in range(layout[L_PLAYERS]):
        if state[teams + other] == team:
            total += state[scores + other]
            members += 1
    return total / members


@device_function
def settle(layout, state, now, rewards):
    """Write the reward of every seat at the end of a game; they sum to nothing, unless somebody plays alone."""
    players, teams, sign = layout[L_PLAYERS], layout[L_TEAM_OF] + 1, now[V_SIGN]
    if players == 1:
        rewards[0] = sign * state[layout[L_SCORES] + 1]
        return
    most, mean = 1, 0.0
    for seat in range(players):
        mean += state[layout[L_SCORES] + 1 + seat] / players
    for seat in range(players):
        mine, team = side_score(layout, state, seat), state[teams + seat]
        if now[V_REWARD] == BY_SCORE:
            rewards[seat] = sign * (mine - mean)
            continue
        ahead, opponents = 0, 0
        for other in range(players):
            if other != seat and (team == 0 or state[teams + other] != team):
                theirs = side_score(layout, state, other)
                opponents += 1
                if mine != theirs:
                    ahead += sign if mine > theirs else -sign
        most = max(most, opponents)
        rewards[seat] = ahead
    if now[V_REWARD] == BY_PLACE:
        # By the same number for all, whatever the teams: each pair adds as much to one as it takes from the other.
        for seat in range(players):
            rewards[seat] /= most
