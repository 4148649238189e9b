"""Players that look ahead, inside the machine: what comes next in a game whose seats search, one task after the other.

``kernel.drive`` carries out tasks on two states: ``stack[0]`` is the game, ``stack[1]`` the copy that is played on. After each task
``next_task`` says what to do next. A simulation copies the game, deals the unseen cards anew (``kernel_seeing``), walks down the tree,
adds one option to it, plays on at random and counts. Nothing is read from the hidden cards of the game.

``orders``: [words] int64, what is sought and where the parts of ``hunt`` begin; ``hunt``: [words] int64, where the search stands;
``table``: [entries, 4] int64 and ``sums``: [entries, 2] float64, the tree: one entry per position and option, found by its key;
``root``: [options, 3 + 2 players] float64, summed for each option of the decision; ``gauge``: [2 + 4 players] float64, the range of
scores so far and the last result; ``decided``: [decisions, 6] int64 and ``judged``: [decisions, 5 + 2 players] float64, the record.
"""

import math

import numpy as np

from meldlab.chance.kernel import address, below, mix
from meldlab.compiling import scalar_kernel
from meldlab.recycle.machine.kernel_deals import *
from meldlab.recycle.machine.kernel_layout import *

NOTHING, NEXT_SIMULATION = -1, -2  # instead of a task

BY_CHANCE, BY_SAMPLES, BY_TREES, BY_ONE_TREE = range(4)  # random, pimc, mcts, ismcts
BY_SCORE, BY_RANK = range(2)

# --- hunt
(
    H_LEVEL, H_OPTION, H_PHASE, H_SEAT, H_KIND, H_OPTIONS, H_DONE, H_BUDGET, H_DEAL, H_KEY, H_FUTURE, H_NODE, H_DEPTH, H_STAMP, H_USED,
    H_ROW, H_CHANGED, H_FAILED, H_START, H_CHOSEN, H_HIDDEN, H_SEEKS, H_PENDING, H_SAVED_SEAT, H_SAVED_DECISION, H_MOVER, H_LASTS,
    H_WORK,
) = range(28)  # fmt: skip
HUNT = 28
# --- phases of a simulation
PENDING_CHOICES, AT_ROOT, IN_TREE, AT_RANDOM = range(4)
# --- the tree
T_KEY, T_STAMP, T_VISITS, T_OFFERED = range(4)
DEEPEST = 512
# --- root
R_COUNT, R_SCORE, R_RANK, R_EACH = range(4)
# --- gauge
G_LOW, G_HIGH, G_EACH = range(3)
# --- the record
D_SEAT, D_OPTIONS, D_CHOSEN, D_SIMULATIONS, D_CHANGED, D_FAILED = range(6)
J_BEST, J_WORST, J_MEAN, J_REWARD, J_REWARD_MEAN, J_EACH = range(6)
DECIDED, JUDGED = 6, 5


@scalar_kernel
def next_task(code, layout, stack, goal, task, limit, orders, hunt, table, sums, root, gauge, decided, judged):
    """Return the task that follows a task just done, or ``NOTHING``; its state and option are left in ``hunt``."""
    if hunt[H_LEVEL] == 0:
        following = in_the_game(code, layout, stack[0], task, limit, orders, hunt, root, gauge)
    else:
        following = ahead(code, layout, stack, task, limit, orders, hunt, table, sums, root, gauge)
    if following == NEXT_SIMULATION:
        if hunt[H_DONE] < hunt[H_BUDGET]:
            following = simulate(code, layout, stack, orders, hunt)
        else:
            following = conclude(layout, stack[0], orders, hunt, root, gauge, decided, judged)
            if goal == TO_ADVISE:
                return NOTHING
    return following


@scalar_kernel
def in_the_game(code, layout, state, task, limit, orders, hunt, root, gauge):
    """Go on with the game itself: to the next decision, a search, or the scores."""
    if task == TO_SCORE or state[STATUS] > CAPPED:
        return NOTHING
    if task != TO_EXPLORE:
        if state[LOGGING]:
            hunt[H_WORK] += state[LOG] * layout[L_PLAYERS]
            learn(state, layout, orders, hunt)
            state[LOG] = 0
        if state[STATUS] == FINISHED:
            return TO_SCORE
        if state[DECISION] >= limit:
            state[STATUS] = CAPPED
            return TO_SCORE
        return TO_EXPLORE
    seat = state[code[state[PC] + 3]]
    mine = O_SEATS + SEAT_WORDS * seat
    hunt[H_SEAT] = seat
    hunt[H_KIND] = orders[mine + KIND_OF]
    hunt[H_SEEKS] = orders[mine + SEEKS]
    hunt[H_LASTS] = orders[mine + LASTS]
    hunt[H_OPTIONS] = state[OPTIONS]
    hunt[H_DONE] = 0
    hunt[H_BUDGET] = 0
    hunt[H_DEAL] = -1
    hunt[H_CHANGED] = 0
    hunt[H_FAILED] = 0
    if hunt[H_KIND] != BY_CHANCE:
        hunt[H_BUDGET] = state[OPTIONS] * orders[mine + SIMULATIONS_OF]
        hunt[H_KEY] = np.int64(address(np.uint64(orders[O_KEY]), 0, state[DECISION], seat, FOR_SEARCH))
        hunt[H_START] = state[DECISION]
        hunt[H_HIDDEN] = survey(state, layout, orders, hunt, seat)
        hunt[H_WORK] += hunt[H_HIDDEN] * hunt[H_HIDDEN] >> 2
        gauge[G_LOW], gauge[G_HIGH] = math.inf, -math.inf
        for option in range(state[OPTIONS]):
            for column in range(R_EACH + 2 * layout[L_PLAYERS]):
                root[option, column] = 0.0
    return NEXT_SIMULATION


@scalar_kernel
def ahead(code, layout, stack, task, limit, orders, hunt, table, sums, root, gauge):
    """Go on with a simulation."""
    state = stack[1]
    if state[STATUS] > CAPPED:
        hunt[H_FAILED] += 1
        give_up(hunt, orders, table, sums, gauge)
    elif task == TO_EXPLORE:
        following = choose_ahead(code, layout, stack, orders, hunt, table, sums, gauge)
        if following == NEXT_SIMULATION:
            hunt[H_DONE] += 1
        return following
    elif task == TO_SCORE:
        weigh(layout, orders, state, gauge)
        back_up(layout, hunt, orders, table, sums, root, gauge)
    elif state[STATUS] == FINISHED:
        return TO_SCORE
    elif state[DECISION] - hunt[H_START] >= hunt[H_LASTS] or state[DECISION] >= limit:
        state[STATUS] = CAPPED
        return TO_SCORE
    else:
        if hunt[H_PHASE] == IN_TREE:
            arrive(code, layout, orders, hunt, state)
        return TO_EXPLORE
    hunt[H_DONE] += 1
    return NEXT_SIMULATION


# --- one simulation after the other


@scalar_kernel
def simulate(code, layout, stack, orders, hunt):
    """Begin the next simulation: copy the game, deal the unseen cards, give it a future of its own."""
    game, state = stack[0], stack[1]
    seat, kind, nth = hunt[H_SEAT], hunt[H_KIND], hunt[H_DONE]
    for i in range(game[TOP]):
        state[i] = game[i]
    hunt[H_WORK] += (game[TOP] >> 2) + hunt[H_HIDDEN] * (orders[O_BACKS] + (hunt[H_HIDDEN] >> 2))
    # A future may take as much work as a game, however much this one has taken.
    state[GAME_WORK] = 0
    state[LOGGING] = 0
    state[TELLING] = 0
    key = np.uint64(hunt[H_KEY])
    number = nth
    if kind == BY_ONE_TREE:
        if nth == 0:
            plant(hunt)
    else:
        # Each deal serves all options equally often.
        mine = O_SEATS + SEAT_WORDS * seat
        number = nth // hunt[H_OPTIONS] * orders[mine + DEALS_OF] // orders[mine + SIMULATIONS_OF]
        if number != hunt[H_DEAL]:
            hunt[H_DEAL] = number
            plant(hunt)
    deal(state, layout, orders, hunt, seat, hunt[H_HIDDEN], address(key, number, 0, 0, FOR_DEAL))
    future = address(key, nth, 0, 0, FOR_FUTURE)
    hunt[H_FUTURE] = np.int64(future)
    state[KEY] = hunt[H_FUTURE]
    hunt[H_LEVEL] = 1
    hunt[H_DEPTH] = 0
    hunt[H_NODE] = 0
    hunt[H_PHASE] = AT_ROOT
    choice = state[PC]
    if code[choice] == JOINT and code[choice + 2] == code[choice + 3] + PASSES and state[code[choice + 2]] > 0:
        # Others have chosen in secret: any of their options may be it.
        hunt[H_PHASE] = PENDING_CHOICES
        hunt[H_PENDING] = 0
        hunt[H_SAVED_SEAT] = seat
        hunt[H_SAVED_DECISION] = state[DECISION]
        turn_to_pending(code, layout, hunt, state)
    return TO_EXPLORE


@scalar_kernel
def plant(hunt):
    """Begin an empty tree: entries with an older stamp are free."""
    hunt[H_STAMP] += 1
    hunt[H_USED] = 0


@scalar_kernel
def turn_to_pending(code, layout, hunt, state):
    """Stand at the decision of somebody who has already chosen in this joint choice."""
    choice = state[PC]
    behind = state[code[choice + 2]] - hunt[H_PENDING]
    players = layout[L_PLAYERS]
    state[code[choice + 3] + CURRENT] = (hunt[H_SAVED_SEAT] - 1 - behind + players * (1 + behind // players)) % players + 1
    state[DECISION] = state[layout[L_PENDING] + hunt[H_PENDING] * layout[L_PENDING_WIDTH]]


@scalar_kernel
def choose_for_pending(code, layout, hunt, state):
    """Let somebody who has already chosen in secret have chosen anything; turn to the next one, or back to the searching seat."""
    pending = layout[L_PENDING] + hunt[H_PENDING] * layout[L_PENDING_WIDTH]
    option = below(address(np.uint64(hunt[H_FUTURE]), 0, hunt[H_PENDING], 0, FOR_PENDING), 0, state[OPTIONS])
    at = state[layout[L_OPTION] + option]
    if state[at] + 2 <= layout[L_PENDING_WIDTH]:
        for i in range(state[at] + 1):
            state[pending + 1 + i] = state[at + i]
    hunt[H_PENDING] += 1
    if hunt[H_PENDING] < state[code[state[PC] + 2]]:
        turn_to_pending(code, layout, hunt, state)
    else:
        state[code[state[PC] + 3] + CURRENT] = hunt[H_SAVED_SEAT]
        state[DECISION] = hunt[H_SAVED_DECISION]
        hunt[H_PHASE] = AT_ROOT


@scalar_kernel
def choose_ahead(code, layout, stack, orders, hunt, table, sums, gauge):
    """Choose an option in a simulation: in turn, by the tree, or at random."""
    state = stack[1]
    phase = hunt[H_PHASE]
    if phase == AT_RANDOM:
        hunt[H_OPTION] = below(address(np.uint64(state[KEY]), 0, state[DECISION], 0, FOR_PLAYER), 0, state[OPTIONS])
        return TO_DECIDE
    if phase == PENDING_CHOICES:
        choose_for_pending(code, layout, hunt, state)
        return TO_EXPLORE
    if phase == IN_TREE:
        hunt[H_OPTION] = choose_by_tree(layout, orders, hunt, table, sums, gauge, state, state[OPTIONS], False)
        state[TELLING] = 0
        return TO_DECIDE
    match_options(layout, stack, orders, hunt)
    if hunt[H_KIND] == BY_SAMPLES:
        chosen = hunt[H_DONE] % hunt[H_OPTIONS]
        hunt[H_PHASE] = AT_RANDOM
    else:
        chosen = choose_by_tree(layout, orders, hunt, table, sums, gauge, state, hunt[H_OPTIONS], True)
    if chosen < 0 or hunt[orders[O_FOUND] + chosen] < 0:
        # Not an option in this deal; it costs a simulation all the same.
        return NEXT_SIMULATION
    hunt[H_CHOSEN] = chosen
    hunt[H_OPTION] = hunt[orders[O_FOUND] + chosen]
    return TO_DECIDE


@scalar_kernel
def match_options(layout, stack, orders, hunt):
    """Find each option of the game among those of the copy, by its path; count deals in which they differ."""
    game, state = stack[0], stack[1]
    found, options = orders[O_FOUND], hunt[H_OPTIONS]
    hunt[H_WORK] += options
    here = 0
    for option in range(options):
        hunt[found + option] = -1
        if option < state[OPTIONS] and same_path(game, game[layout[L_OPTION] + option], state, state[layout[L_OPTION] + option]):
            hunt[found + option] = option
            here += 1
    if here == options and state[OPTIONS] == options:
        return
    hunt[H_CHANGED] += 1
    hunt[H_WORK] += options * state[OPTIONS] >> 1
    for option in range(options):
        if hunt[found + option] < 0:
            for other in range(state[OPTIONS]):
                if same_path(game, game[layout[L_OPTION] + option], state, state[layout[L_OPTION] + other]):
                    hunt[found + option] = other
                    break


@scalar_kernel
def same_path(one, at, other, there):
    """Tell whether two options take the same branches."""
    for i in range(one[at] + 1):
        if one[at + i] != other[there + i]:
            return False
    return True


# --- the tree


@scalar_kernel
def entry(hunt, table, sums, key):
    """Return the entry of a key, made if it is new, or -1 if there is no room for another."""
    size = len(table)
    at = key & (size - 1)
    stamp = hunt[H_STAMP]
    while table[at, T_STAMP] == stamp:
        if table[at, T_KEY] == key:
            return at
        at = (at + 1) & (size - 1)
    if 4 * hunt[H_USED] >= 3 * size:
        return -1
    hunt[H_USED] += 1
    table[at, T_KEY] = key
    table[at, T_STAMP] = stamp
    table[at, T_VISITS] = 0
    table[at, T_OFFERED] = 0
    sums[at, 0] = 0.0
    sums[at, 1] = 0.0
    return at


@scalar_kernel
def reward(gauge, orders, seeks, score, rank):
    """Return a mean score, or a mean share of opponents beaten, as a number from 0 to 1 that is to be high."""
    if seeks == BY_RANK:
        return rank
    low, high = gauge[G_LOW], gauge[G_HIGH]
    if not high > low:
        return 0.5
    return (score - low) / (high - low) if orders[O_SIGN] > 0 else (high - score) / (high - low)


@scalar_kernel
def choose_by_tree(layout, orders, hunt, table, sums, gauge, state, options, at_root):
    """Return the option to try at a position of the tree: an untried one, at random, else the one with the best upper bound."""
    found, way, way_slot = orders[O_FOUND], orders[O_WAY], orders[O_WAY_SLOT]
    untried, chosen, slot_of_chosen, best = 0, -1, -1, -1.0
    draw = address(np.uint64(hunt[H_FUTURE]), 0, state[DECISION], 0, FOR_UNTRIED)
    node = np.uint64(hunt[H_NODE])
    hunt[H_WORK] += 8 * options
    exploration = orders[O_SEATS + SEAT_WORDS * hunt[H_SEAT] + EXPLORES] / 1000.0
    for option in range(options):
        if at_root and hunt[found + option] < 0:
            continue
        name = np.uint64(option)
        if hunt[H_KIND] == BY_ONE_TREE and not at_root:
            name = np.uint64(state[layout[L_EFFECTS] + option])
        slot = entry(hunt, table, sums, np.int64(mix(node ^ mix(name)) >> np.uint64(1)))
        if slot < 0:
            # No room: this position stays a leaf.
            hunt[H_PHASE] = AT_RANDOM
            if at_root:
                return option
            return below(draw, 0, options)
        table[slot, T_OFFERED] += 1
        visits = table[slot, T_VISITS]
        if visits == 0:
            untried += 1
            if below(draw, untried, untried) == 0:
                chosen, slot_of_chosen = option, slot
        elif untried == 0:
            value = reward(gauge, orders, hunt[H_SEEKS], sums[slot, 0] / visits, sums[slot, 1] / visits)
            value += exploration * math.sqrt(math.log(table[slot, T_OFFERED]) / visits)
            if value > best:
                chosen, slot_of_chosen, best = option, slot, value
    if chosen < 0:
        return -1
    depth = hunt[H_DEPTH]
    hunt[way + depth] = hunt[H_MOVER] if not at_root else hunt[H_SEAT]
    hunt[way_slot + depth] = slot_of_chosen
    hunt[H_DEPTH] = depth + 1
    # The key of the next position begins with the way to it; what others do in secret is no part of what the seat knows.
    hunt[H_PHASE] = AT_RANDOM if untried or depth + 1 >= DEEPEST else IN_TREE
    if hunt[H_KIND] != BY_ONE_TREE or hunt[way + depth] == hunt[H_SEAT]:
        hunt[H_NODE] = table[slot_of_chosen, T_KEY]
    return chosen


@scalar_kernel
def arrive(code, layout, orders, hunt, state):
    """Name the position of the tree that a simulation has come to."""
    one_tree = hunt[H_KIND] == BY_ONE_TREE
    hunt[H_WORK] += (layout[L_TEAM_CELLS_END] >> 1) + 4 * state[CARDS] + state[REMEMBERED]
    seen = looks(state, layout, orders, hunt[H_SEAT] if one_tree else 0)
    hunt[H_NODE] = np.int64(mix(np.uint64(hunt[H_NODE]) ^ seen) >> np.uint64(1))
    hunt[H_MOVER] = state[code[state[PC] + 3]]
    state[TELLING] = hunt[H_MOVER] if one_tree else 0


# --- results


@scalar_kernel
def weigh(layout, orders, state, gauge):
    """Write the result of a simulation: for each player the score of his team, the share of opponents beaten, score and rank."""
    players, scores, teams = layout[L_PLAYERS], layout[L_SCORES] + 1, layout[L_TEAM_OF] + 1
    sign = orders[O_SIGN]
    for player in range(players):
        team, total, members = state[teams + player], 0, 0
        for other in range(players):
            if other == player or (team and state[teams + other] == team):
                total += state[scores + other]
                members += 1
        gauge[G_EACH + player] = total / members
        gauge[G_LOW] = min(gauge[G_LOW], total / members)
        gauge[G_HIGH] = max(gauge[G_HIGH], total / members)
    for player in range(players):
        team, beaten, others, rank = state[teams + player], 0.0, 0, 0
        mine = sign * gauge[G_EACH + player]
        for other in range(players):
            if sign * state[scores + other] > sign * state[scores + player]:
                rank += 1
            if other != player and (team == 0 or state[teams + other] != team):
                others += 1
                theirs = sign * gauge[G_EACH + other]
                beaten += 1.0 if mine > theirs else 0.5 if mine == theirs else 0.0
        gauge[G_EACH + players + player] = beaten / others if others else 0.5
        gauge[G_EACH + 2 * players + player] = state[scores + player]
        gauge[G_EACH + 3 * players + player] = rank


@scalar_kernel
def back_up(layout, hunt, orders, table, sums, root, gauge):
    """Add the result of a simulation to its option and to everything it passed in the tree."""
    players = layout[L_PLAYERS]
    chosen, seat = hunt[H_CHOSEN], hunt[H_SEAT] - 1
    root[chosen, R_COUNT] += 1.0
    root[chosen, R_SCORE] += gauge[G_EACH + seat]
    root[chosen, R_RANK] += gauge[G_EACH + players + seat]
    for i in range(2 * players):
        root[chosen, R_EACH + i] += gauge[G_EACH + 2 * players + i]
    for depth in range(hunt[H_DEPTH]):
        mover, slot = hunt[orders[O_WAY] + depth] - 1, hunt[orders[O_WAY_SLOT] + depth]
        table[slot, T_VISITS] += 1
        sums[slot, 0] += gauge[G_EACH + mover]
        sums[slot, 1] += gauge[G_EACH + players + mover]


@scalar_kernel
def give_up(hunt, orders, table, sums, gauge):
    """Count a simulation that broke off as lost wherever it passed in the tree, so that it is not tried for ever; no estimate has it."""
    worst = gauge[G_LOW] if orders[O_SIGN] > 0 else gauge[G_HIGH]
    if not math.isfinite(worst):
        worst = 0.0
    for depth in range(hunt[H_DEPTH]):
        slot = hunt[orders[O_WAY_SLOT] + depth]
        table[slot, T_VISITS] += 1
        sums[slot, 0] += worst


@scalar_kernel
def conclude(layout, state, orders, hunt, root, gauge, decided, judged):
    """Decide, and write down why."""
    hunt[H_LEVEL] = 0
    players, options, kind, row = layout[L_PLAYERS], hunt[H_OPTIONS], hunt[H_KIND], hunt[H_ROW]
    for column in range(J_EACH + 2 * players):
        judged[row, column] = math.nan
    chosen, equals, best = 0, 0, -1.0
    if kind == BY_CHANCE:
        chosen = below(address(np.uint64(state[KEY]), 0, state[DECISION], 0, FOR_PLAYER), 0, options)
    else:
        tried, low, high, total, total_reward, best_reward = 0, math.inf, -math.inf, 0.0, 0.0, 0.0
        for option in range(options):
            count = root[option, R_COUNT]
            if count == 0.0:
                continue
            tried += 1
            score = root[option, R_SCORE] / count
            value = reward(gauge, orders, hunt[H_SEEKS], score, root[option, R_RANK] / count)
            low, high = min(low, score), max(high, score)
            total += score
            total_reward += value
            # The mean decides; in one tree it is the number of visits, and the mean among equals.
            weight = count + value if kind == BY_ONE_TREE else value
            if weight > best:
                best, equals = weight, 1
                chosen, best_reward = option, value
            elif weight == best:
                equals += 1
                if below(np.uint64(hunt[H_KEY]), equals, equals) == 0:
                    chosen, best_reward = option, value
        if tried == 0:
            chosen = below(np.uint64(hunt[H_KEY]), 0, options)
        else:
            judged[row, J_BEST] = high if orders[O_SIGN] > 0 else low
            judged[row, J_WORST] = low if orders[O_SIGN] > 0 else high
            judged[row, J_MEAN] = total / tried
            judged[row, J_REWARD] = best_reward
            judged[row, J_REWARD_MEAN] = total_reward / tried
            for i in range(2 * players):
                judged[row, J_EACH + i] = root[chosen, R_EACH + i] / root[chosen, R_COUNT]
    decided[row, D_SEAT] = hunt[H_SEAT]
    decided[row, D_OPTIONS] = options
    decided[row, D_CHOSEN] = chosen
    decided[row, D_SIMULATIONS] = hunt[H_BUDGET]
    decided[row, D_CHANGED] = hunt[H_CHANGED]
    decided[row, D_FAILED] = hunt[H_FAILED]
    hunt[H_ROW] = row + 1
    hunt[H_OPTION] = chosen
    return TO_DECIDE
