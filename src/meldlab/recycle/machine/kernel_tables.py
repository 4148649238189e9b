"""Many tables of one game, each a step further: the task that follows a task just done, and positions as features.

A table between two steps is one row: the words of its game up to TOP, then its options as [length, branches ..]. To be played on it is
copied to the state of the machine, so tables need no workspace of their own. ``state``: [words] int64; ``layout``: [LAYOUT] int64.
"""

from typing import NamedTuple

import numpy as np

from meldlab.chance.kernel import below, player_root
from meldlab.compiling import device_function
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine.kernel_observe import seat_to_move, update_known, visible
from meldlab.recycle.machine.kernel_search import draws_of, next_decision
from meldlab.recycle.machine.kernel_tree import compare_sides, side_score

# --- instead of an option, from 0, that a table is to take
START_NEXT, LOOK, REST = -1, -2, -3  # start its next game; list the options of the game as it is; nothing
BY_PLACE, BY_SCORE = range(2)
MAX_PASSED = 10_000  # games in a row that end before any decision
# --- one step of some tables: the current one, the end, the distance to the next game of a table; and the words that a row needs
STEP_JOB = np.dtype(
    [(name, np.int64) for name in ("table", "end", "stride", "reward", "sign", "needed", "decided", "passed", "stuck", "work")]
)
# --- features of a location by name: the first one, owner and its category, width for each owner, range in ``indexes``, last block
LOCATION_FEATURES = np.dtype([(name, np.int64) for name in ("first", "category", "owner", "width", "indexes", "count", "last")])
# --- a cell: its address, first feature, owner and its category, whether it is a number, which takes two features
CELL_FEATURES = np.dtype([(name, np.int64) for name in ("cell", "first", "category", "owner", "number")])
OF_GAME, OF_PLAYER, OF_TEAM = range(3)
# --- the first features
SEAT_FEATURE, CHOICE_FEATURE, DECISIONS_FEATURE, TEAM_FEATURE = range(4)
MAX_FEATURE = 255


class FeatureLayout(NamedTuple):
    """The place of each feature of a position."""

    locations: np.ndarray  # [locations by name] LOCATION_FEATURES, in the order of their addresses
    indexes: np.ndarray  # [..] int64, the indexes of each location that have features of their own
    cells: np.ndarray  # [cells] CELL_FEATURES
    choices: np.ndarray  # [instructions] int64, the number of each choice
    back: np.ndarray  # [types] int64, the back of each type of card
    backs: int


class Tables(NamedTuple):
    """All tables of a game, and the part of them that one call takes a step further."""

    step: np.ndarray  # [1] STEP_JOB
    blocks: np.ndarray  # [words] int64, workspace: the features of each location
    rows: np.ndarray  # [tables, width] int64
    seeds: np.ndarray  # [tables] int64
    games: np.ndarray  # [tables] int64, the number of the game in progress
    known: np.ndarray  # [tables, players, cards] uint8, the cards of which each seat remembers the location
    actions: np.ndarray  # [tables] int64
    ends: np.ndarray  # [tables] int64, status with which a game ended in this step, else 0
    errors: np.ndarray  # [tables] int64, the instruction at which it failed
    scores: np.ndarray  # [tables, players] int64, of the game that ended
    rewards: np.ndarray  # [tables, players] float32
    features: np.ndarray  # [tables, features] uint8
    mask: np.ndarray  # [tables, options] int8
    option_counts: np.ndarray  # [tables] int64
    to_move: np.ndarray  # [tables] int8
    action_keys: np.ndarray  # [tables, options] int64, see ``kernel_observe.action_key``; [tables, 0] where they are not asked for
    layout: FeatureLayout


@device_function(inline="always")
def next_in_step(code, layout, state, job, task, tables):
    """Return the next task of a step, DONE at its end, or ROWS_TOO_NARROW where the rows must grow first."""
    step = tables.step[0]
    table = step.table
    following = k.DONE
    if task == k.LIST_OPTIONS and state[k.STATUS] == k.DECIDING:
        state[k.KEY_PLAYER] = 0
        if store_table(layout, state, step, tables.rows[table]):
            write_observation(code, layout, state, table, tables)
            step.table = table + 1
            following = load_table(layout, state, step, tables.rows, tables.actions)
        else:
            following = k.ROWS_TOO_NARROW
    elif task == k.LOAD_TABLE:
        following = load_table(layout, state, step, tables.rows, tables.actions)
    elif task == k.SCORE_PLAYERS or state[k.STATUS] > k.CAPPED:
        if step.decided:
            step.decided = 0
            tables.ends[table] = state[k.STATUS]
            tables.errors[table] = state[k.ERROR_AT]
            if state[k.STATUS] <= k.CAPPED:
                for seat in range(layout[k.L_PLAYERS]):
                    tables.scores[table, seat] = state[layout[k.L_SCORES] + 1 + seat]
                write_rewards(layout, state, step, tables.rewards[table])
        # A game without a decision has nothing to learn from, and nothing to show.
        step.passed += 1
        if step.passed > MAX_PASSED:
            step.stuck = 1
        else:
            tables.games[table] += step.stride
            following = k.START
    else:
        following = next_decision(state, job)
        if following == k.LIST_OPTIONS:
            known = tables.known[table]
            if task == k.START:
                for seat in range(known.shape[0]):
                    for card in range(known.shape[1]):
                        known[seat, card] = 0
            for seat in range(known.shape[0]):
                update_known(state, layout, known[seat], seat)
            state[k.LOG] = 0
    if following == k.LIST_OPTIONS and tables.action_keys.shape[1]:
        state[k.KEY_PLAYER] = seat_to_move(code, state) + 1
    if following == k.START:
        state[k.LOGGING] = 1
        job.seed = tables.seeds[step.table]
        job.game = tables.games[step.table]
    return following


@device_function
def load_table(layout, state, step, rows, actions):
    """Load the next table that has something to do into the state; return its first task."""
    while step.table < step.end and actions[step.table] == REST:
        step.table += 1
    if step.table >= step.end:
        return k.DONE
    action = actions[step.table]
    step.passed = 0
    step.decided = 0
    if action == START_NEXT:
        return k.START
    row = rows[step.table]
    top = row[k.TOP]
    step.work += top >> 2
    for i in range(top):
        state[i] = row[i]
    state[k.LOG] = 0
    state[k.LOGGING] = 1
    state[k.KEY_PLAYER] = 0
    if action == LOOK:
        # Listing the options is work that counts once.
        state[k.GAME_WORK] -= state[k.WORK]
        return k.LIST_OPTIONS
    step.decided = 1
    offset = top
    for _ in range(action):
        offset += row[offset] + 1
    state[layout[k.L_OPTION]] = layout[k.L_OPTION_WORDS]
    for i in range(row[offset] + 1):
        state[layout[k.L_OPTION_WORDS] + i] = row[offset + i]
    return k.TAKE_OPTION


@device_function
def store_table(layout, state, step, row):
    """Write a game and its options into its row; return whether they fit."""
    top, words, first = state[k.TOP], state[k.OPTION_WORDS], layout[k.L_OPTION_WORDS]
    if top + words > len(row):
        step.needed = top + words
        return False
    step.work += (top + words) >> 2
    for i in range(top):
        row[i] = state[i]
    for i in range(words):
        row[top + i] = state[first + i]
    return True


@device_function
def write_observation(code, layout, state, table, tables):
    """Write what the seat to move sees at a table: features, mask and action keys."""
    seat, options = seat_to_move(code, state), state[k.OPTIONS]
    tables.to_move[table] = seat
    tables.option_counts[table] = options
    mask, keys = tables.mask[table], tables.action_keys[table]
    for option in range(len(mask)):
        mask[option] = 1 if option < options else 0
    for option in range(len(keys)):
        keys[option] = state[layout[k.L_ACTION_KEYS] + option] if option < options else 0
    choice = tables.layout.choices[state[k.PC] // k.STRIDE]
    write_features(state, layout, tables.known[table, seat], tables.layout, seat, choice, tables.blocks, tables.features[table])


@device_function
def choose_at_random(tables, actions):
    """Write the choice of a random player at each table into ``actions``, [tables] int64."""
    width = tables.mask.shape[1]
    for table in range(len(actions)):
        root = player_root(tables.seeds[table], tables.games[table])
        draws = draws_of(root, tables.rows[table], tables.to_move[table], k.FOR_CHOICE)
        actions[table] = below(draws, 0, min(tables.option_counts[table], width))


# --- an observation as numbers


@device_function
def relative_owner(state, layout, category, owner, seat):
    """Return the distance in seats, or teams, from the observing seat to an owner (from 1)."""
    player = seat + 1
    if category == OF_PLAYER:
        return owner - player if owner >= player else owner - player + layout[k.L_PLAYERS]
    if category == OF_TEAM:
        own, teams = state[layout[k.L_TEAM_OF] + player], state[k.TEAMS]
        if own == 0 or owner > teams:
            return owner - 1
        return owner - own if owner >= own else owner - own + teams
    return 0


@device_function
def block_of(features, location, index):
    """Return the number of the block with the cards of an index: its own, or the last one."""
    count, first = features.locations[location].count, features.locations[location].indexes
    if 0 <= index < count and features.indexes[first + index] == index:
        return index
    for i in range(count):
        if features.indexes[first + i] == index:
            return i
    return features.locations[location].last


@device_function
def write_features(state, layout, known, places, seat, choice, blocks, features):
    """Write what a seat sees into ``features``, [features] uint8; ``known``, [cards] uint8: the cards of which it remembers the location.

    ``blocks``, [words] int64, is workspace: for each location its block, and whether the seat sees its cards.
    """
    for i in range(len(features)):
        features[i] = 0
    features[SEAT_FEATURE] = seat
    features[CHOICE_FEATURE] = min(choice, MAX_FEATURE)
    features[DECISIONS_FEATURE] = min(state[k.DECISION], MAX_FEATURE)
    features[TEAM_FEATURE] = min(state[layout[k.L_TEAM_OF] + seat + 1], MAX_FEATURE)
    for i in range(len(places.cells)):
        cell = places.cells[i]
        value = state[cell.cell]
        if value:
            feature = cell.first + (1 + cell.number) * relative_owner(state, layout, cell.category, cell.owner, seat)
            if value < 0:
                feature += 1
                value = -value
            features[feature] = min(value, MAX_FEATURE)
    types, first = layout[k.L_TYPES], layout[k.L_TEAM_CELLS_END]
    width = types + places.backs + 1
    for i in range(len(places.locations)):
        named = first + k.LOCATION * i
        location, following = named, state[named + k.CHAIN_AT]
        if following == 0 and state[named + k.SIZE_AT] == 0:
            continue
        entry = places.locations[i]
        start = entry.first + entry.width * relative_owner(state, layout, entry.category, entry.owner, seat)
        sees, remembers = visible(state, named, seat), state[named + k.KIND_AT] == k.MEMORY
        while location:
            if state[location + k.SIZE_AT]:
                block = start + width * block_of(places, i, state[location + k.INDEX_AT])
                blocks[location] = 2 * block + sees
                if remembers:
                    write_memory(state, location, block, features)
                if sees:
                    top = state[state[location + k.TOP_AT] + k.TYPE]
                    features[block + width - 1] = min((state[top + k.TYPE] if remembers else top) + 1, MAX_FEATURE)
            # The location of index 0 comes first, wherever it is in the chain.
            location = following
            following = state[location + k.NEXT_AT] if location else 0
            if location == named:
                location = following
                following = state[location + k.NEXT_AT] if location else 0
    # Cards by number, not by location: to follow a chain takes several times as long.
    for i in range(state[k.CARDS]):
        card = layout[k.L_CARDS] + k.NODE * i
        block, kind = blocks[state[card + k.LOCATION_AT]], state[card + k.TYPE]
        feature = (block >> 1) + (kind if block & 1 or known[i] else types + places.back[kind])
        features[feature] += features[feature] < MAX_FEATURE


@device_function
def write_memory(state, memory, block, features):
    """Count the cards that a memory remembers into a block."""
    node = state[memory + k.BOTTOM_AT]
    while node:
        feature = block + state[state[node + k.TYPE] + k.TYPE]
        features[feature] += features[feature] < MAX_FEATURE
        node = state[node + k.ABOVE]


# --- rewards at the end of a game


@device_function
def write_rewards(layout, state, step, rewards):
    """Write the reward of every seat at the end of a game; they sum to zero, except in a game of one player."""
    players, sign = layout[k.L_PLAYERS], step.sign
    if players == 1:
        rewards[0] = sign * state[layout[k.L_SCORES] + 1]
        return
    max_opponents, mean = 1, 0.0
    for seat in range(players):
        mean += state[layout[k.L_SCORES] + 1 + seat] / players
    for seat in range(players):
        if step.reward == BY_SCORE:
            rewards[seat] = sign * (side_score(layout, state, seat) - mean)
            continue
        ahead, behind, opponents = compare_sides(layout, state, sign, seat)
        max_opponents = max(max_opponents, opponents)
        rewards[seat] = ahead - behind
    if step.reward == BY_PLACE:
        # The same divisor for all, whatever the teams: each pair adds as much to one as it takes from the other.
        for seat in range(players):
            rewards[seat] /= max_opponents
