"""Players that look ahead, inside the machine: what comes next in a game whose seats search, one task after the other.

``kernel.drive`` carries out tasks on two states: ``stack[0]`` is the game, ``stack[1]`` the copy that is played on. After each task
``next_task`` says what to do next. A simulation copies the game, deals the unseen cards anew (``kernel_deals``), walks down the tree,
adds one option to it, plays on at random and counts. Nothing is read from the hidden cards of the game.
"""

import math
from typing import NamedTuple

import numpy as np

from meldlab.chance.kernel import address, below, decision, mix
from meldlab.compiling import device_function
from meldlab.recycle.machine.kernel_deals import *
from meldlab.recycle.machine.kernel_layout import *

NOTHING, NEXT_SIMULATION = -1, -2  # instead of a task

BY_CHANCE, BY_SAMPLES, BY_TREES, BY_ONE_TREE = range(4)  # random, pimc, mcts, ismcts
BY_SCORE, BY_RANK = range(2)
BY_MEAN, BY_VISITS, POOLED = range(3)  # final policies; the last is the mean over all simulations

# --- of each seat: kind, simulations per option, deals, whether it remembers, what it seeks, exploration in thousandths, how many decisions
# a simulation goes on, the final policy
KIND_OF, SIMULATIONS_OF, DEALS_OF, REMEMBERS, SEEKS, EXPLORES, LASTS, POLICY_OF, SETTINGS = range(9)
# --- where a search stands
(
    S_LEVEL, S_OPTION, S_PHASE, S_SEAT, S_KIND, S_OPTIONS, S_DONE, S_BUDGET, S_DEAL, S_KEY, S_FUTURE, S_NODE, S_DEPTH, S_STAMP, S_USED,
    S_ROW, S_CHANGED, S_FAILED, S_START, S_CHOSEN, S_HIDDEN, S_SEEKS, S_PENDING, S_SAVED_SEAT, S_SAVED_DECISION, S_MOVER, S_LASTS,
    S_WORK, S_SIGN, S_ROOT, S_POLICY, NOW, *_,
) = range(99)  # fmt: skip
# --- phases of a simulation
PENDING_CHOICES, AT_ROOT, IN_TREE, AT_RANDOM = range(4)
# --- the tree
T_KEY, T_STAMP, T_VISITS, T_OFFERED, ENTRY = range(5)
DEEPEST = 512
# --- sums for an option of the decision, over one deal or all: simulations, deals, their weight, own score, opponents beaten; weight and
# own rank over every second deal, the same over the others; scores and ranks of all players
R_COUNT, R_DEALS, R_WEIGHT, R_SCORE, R_RANK, R_HALVES = range(6)
R_EACH = R_HALVES + 4
# --- the range of scores
LOW, HIGH, EACH = range(3)
# --- the record
D_SEAT, D_OPTIONS, D_CHOSEN, D_SIMULATIONS, D_CHANGED, D_FAILED, D_DEALS, DECIDED = range(8)
J_BEST, J_WORST, J_MEAN, J_REWARD, J_REWARD_MEAN, J_FIRST_HALF, J_SECOND_HALF, J_EACH = range(8)


class Tree(NamedTuple):
    """One entry per position and option, found by its key, and the way that a simulation takes."""

    table: np.ndarray  # [entries, ENTRY] int64
    sums: np.ndarray  # [entries, 2] float64, of scores and of opponents beaten
    way: np.ndarray  # [DEEPEST, 2] int64, who decided, and the entry taken
    found: np.ndarray  # [options] int64, each option of the decision among those of the copy


class Search(NamedTuple):
    """The arrays of one thread on which players look ahead."""

    settings: np.ndarray  # [players + 1, SETTINGS] int64
    now: np.ndarray  # [NOW] int64, where the search stands
    deals: Deals
    tree: Tree
    root: np.ndarray  # [options, R_EACH + 2 players] float64, sums over the simulations of this deal
    totals: np.ndarray  # the same over the deals before it, or over all simulations of one tree
    scores: np.ndarray  # [EACH + 4 players] float64, the range of scores so far and the last result
    decided: np.ndarray  # [decisions, DECIDED] int64, the record
    judged: np.ndarray  # [decisions, J_EACH + 2 players] float64


@device_function
def draws_of(root, state, seat, purpose):
    """Return the address of what the player in a seat draws for its decision, as at the table."""
    return decision(root, state[DECISION], seat - 1, purpose)


@device_function
def random_option(root, code, state):
    """Return what a random player chooses."""
    if state[OPTIONS] == 1:
        return 0
    return below(draws_of(root, state, state[code[state[PC] + 3]], FOR_CHOICE), 0, state[OPTIONS])


@device_function
def late_option(root, code, state):
    """Return the last option four times of five, else what a random player chooses."""
    draws = draws_of(root, state, state[code[state[PC] + 3]], FOR_CHOICE)
    return state[OPTIONS] - 1 if below(draws, 1, 5) else below(draws, 0, state[OPTIONS])


@device_function(inline="always")
def next_task(code, layout, stack, goal, task, limit, search):
    """Return the task that follows a task just done, or ``NOTHING``; its state and option are left in ``search.now``."""
    now = search.now
    if now[S_LEVEL] == 0:
        following = in_the_game(code, layout, stack[0], goal, task, limit, search)
    else:
        following = ahead(code, layout, stack, task, limit, search)
    if following == NEXT_SIMULATION:
        if now[S_DONE] < now[S_BUDGET]:
            if begin_deal(search.settings, now):
                end_determinization(layout, now, search.root, search.totals)
            following = simulate(code, layout, stack, now, search.deals)
        else:
            following = conclude(code, layout, stack[0], search)
            if goal == TO_ADVISE:
                return NOTHING
    return following


@device_function
def in_the_game(code, layout, state, goal, task, limit, search):
    """Go on with the game itself: to the next decision, a search, or the scores."""
    now = search.now
    if task == TO_SCORE or state[STATUS] > CAPPED:
        return NOTHING
    if task != TO_EXPLORE:
        if state[LOGGING]:
            now[S_WORK] += state[LOG] * layout[L_PLAYERS]
            for seat in range(1, layout[L_PLAYERS] + 1):
                if search.settings[seat, REMEMBERS]:
                    learn(state, layout, search.deals.known[seat], seat)
            state[LOG] = 0
        if state[STATUS] == FINISHED:
            return TO_SCORE
        if state[DECISION] >= limit:
            state[STATUS] = CAPPED
            return TO_SCORE
        return TO_EXPLORE
    seat = state[code[state[PC] + 3]]
    settings = search.settings[seat]
    now[S_SEAT] = seat
    now[S_KIND] = settings[KIND_OF]
    now[S_SEEKS] = settings[SEEKS]
    now[S_LASTS] = settings[LASTS]
    now[S_POLICY] = settings[POLICY_OF]
    now[S_OPTIONS] = state[OPTIONS]
    now[S_DONE] = 0
    now[S_BUDGET] = 0
    now[S_DEAL] = -1
    now[S_CHANGED] = 0
    now[S_FAILED] = 0
    if now[S_KIND] != BY_CHANCE:
        now[S_BUDGET] = state[OPTIONS] * settings[SIMULATIONS_OF]
        if goal == TO_SEARCH:
            now[S_KEY] = np.int64(draws_of(np.uint64(now[S_ROOT]), state, seat, FOR_SEARCH))
        now[S_START] = state[DECISION]
        now[S_HIDDEN] = survey(state, layout, search.deals, seat)
        now[S_WORK] += now[S_HIDDEN] * now[S_HIDDEN] >> 2
        search.scores[LOW], search.scores[HIGH] = math.inf, -math.inf
        for option in range(state[OPTIONS]):
            for column in range(R_EACH + 2 * layout[L_PLAYERS]):
                search.root[option, column] = 0.0
                search.totals[option, column] = 0.0
    return NEXT_SIMULATION


@device_function(inline="always")
def ahead(code, layout, stack, task, limit, search):
    """Go on with a simulation."""
    state, now, tree, scores = stack[1], search.now, search.tree, search.scores
    if state[STATUS] > CAPPED:
        now[S_FAILED] += 1
        count_as_lost(now, tree, scores)
    elif task == TO_EXPLORE and now[S_PHASE] == AT_RANDOM:
        now[S_OPTION] = random_option(np.uint64(now[S_FUTURE]), code, state)
        return TO_DECIDE
    elif task == TO_EXPLORE:
        following = choose_ahead(code, layout, stack, search.settings, now, tree, scores)
        if following == NEXT_SIMULATION:
            now[S_DONE] += 1
        return following
    elif task == TO_SCORE:
        write_result(layout, now, state, scores)
        back_up(layout, now, tree, search.totals if now[S_KIND] == BY_ONE_TREE else search.root, scores)
    elif state[STATUS] == FINISHED:
        return TO_SCORE
    elif state[DECISION] - now[S_START] >= now[S_LASTS] or state[DECISION] >= limit:
        state[STATUS] = CAPPED
        return TO_SCORE
    else:
        if now[S_PHASE] == IN_TREE:
            arrive(code, layout, now, search.deals.memories, state)
        return TO_EXPLORE
    now[S_DONE] += 1
    return NEXT_SIMULATION


# --- one simulation after the other


@device_function
def begin_deal(settings, now):
    """Number the deal of the next simulation; return whether it ends a determinization that is to be counted."""
    number = now[S_DONE]
    if now[S_KIND] != BY_ONE_TREE:
        # Each deal serves all options equally often.
        seat = now[S_SEAT]
        number = number // now[S_OPTIONS] * settings[seat, DEALS_OF] // settings[seat, SIMULATIONS_OF]
    if number == now[S_DEAL]:
        return False
    now[S_DEAL] = number
    if now[S_KIND] != BY_ONE_TREE or number == 0:
        # An empty tree: entries with an older stamp are free.
        now[S_STAMP] += 1
        now[S_USED] = 0
    return now[S_KIND] != BY_ONE_TREE


@device_function
def simulate(code, layout, stack, now, deals):
    """Begin the next simulation: copy the game, deal the unseen cards, give it a future of its own."""
    game, state = stack[0], stack[1]
    seat, nth = now[S_SEAT], now[S_DONE]
    for i in range(game[TOP]):
        state[i] = game[i]
    now[S_WORK] += (game[TOP] >> 2) + now[S_HIDDEN] * (deals.backs + (now[S_HIDDEN] >> 2))
    # A future may take as much work as a game, however much this one has taken.
    state[GAME_WORK] = 0
    state[LOGGING] = 0
    state[TELLING] = 0
    key = np.uint64(now[S_KEY])
    deal(state, layout, deals, seat, now[S_HIDDEN], address(key, now[S_DEAL], 0, 0, FOR_DEAL))
    future = address(key, nth, 0, 0, FOR_FUTURE)
    now[S_FUTURE] = np.int64(future)
    state[KEY] = now[S_FUTURE]
    now[S_LEVEL] = 1
    now[S_DEPTH] = 0
    now[S_NODE] = 0
    now[S_PHASE] = AT_ROOT
    choice = state[PC]
    if code[choice] == JOINT and code[choice + 2] == code[choice + 3] + PASSES and state[code[choice + 2]] > 0:
        # Others have chosen in secret: any of their options may be it.
        now[S_PHASE] = PENDING_CHOICES
        now[S_PENDING] = 0
        now[S_SAVED_SEAT] = seat
        now[S_SAVED_DECISION] = state[DECISION]
        turn_to_pending(code, layout, now, state)
    return TO_EXPLORE


@device_function
def turn_to_pending(code, layout, now, state):
    """Stand at the decision of somebody who has already chosen in this joint choice."""
    choice = state[PC]
    behind = state[code[choice + 2]] - now[S_PENDING]
    players = layout[L_PLAYERS]
    state[code[choice + 3] + CURRENT] = (now[S_SAVED_SEAT] - 1 - behind + players * (1 + behind // players)) % players + 1
    state[DECISION] = state[layout[L_PENDING] + now[S_PENDING] * layout[L_PENDING_WIDTH]]


@device_function
def choose_for_pending(code, layout, now, state):
    """Let somebody who has already chosen in secret have chosen anything; turn to the next one, or back to the searching seat."""
    pending = layout[L_PENDING] + now[S_PENDING] * layout[L_PENDING_WIDTH]
    option = below(address(np.uint64(now[S_FUTURE]), 0, now[S_PENDING], 0, FOR_PENDING), 0, state[OPTIONS])
    at = state[layout[L_OPTION] + option]
    if state[at] + 2 <= layout[L_PENDING_WIDTH]:
        for i in range(state[at] + 1):
            state[pending + 1 + i] = state[at + i]
    now[S_PENDING] += 1
    if now[S_PENDING] < state[code[state[PC] + 2]]:
        turn_to_pending(code, layout, now, state)
    else:
        state[code[state[PC] + 3] + CURRENT] = now[S_SAVED_SEAT]
        state[DECISION] = now[S_SAVED_DECISION]
        now[S_PHASE] = AT_ROOT


@device_function
def choose_ahead(code, layout, stack, settings, now, tree, scores):
    """Choose an option in a simulation, in turn or by the tree."""
    state = stack[1]
    phase = now[S_PHASE]
    if phase == PENDING_CHOICES:
        choose_for_pending(code, layout, now, state)
        return TO_EXPLORE
    exploration = settings[now[S_SEAT], EXPLORES] / 1000.0
    if phase == IN_TREE:
        now[S_OPTION] = choose_by_tree(layout, now, tree, scores, exploration, state, state[OPTIONS], False)
        state[TELLING] = 0
        return TO_DECIDE
    match_options(layout, stack, now, tree.found)
    if now[S_KIND] == BY_SAMPLES:
        chosen = now[S_DONE] % now[S_OPTIONS]
        now[S_PHASE] = AT_RANDOM
    else:
        chosen = choose_by_tree(layout, now, tree, scores, exploration, state, now[S_OPTIONS], True)
    if chosen < 0 or tree.found[chosen] < 0:
        # Not an option in this deal; it costs a simulation all the same.
        return NEXT_SIMULATION
    now[S_CHOSEN] = chosen
    now[S_OPTION] = tree.found[chosen]
    return TO_DECIDE


@device_function
def match_options(layout, stack, now, found):
    """Find each option of the game among those of the copy, by its path; count deals in which they differ."""
    game, state = stack[0], stack[1]
    options = now[S_OPTIONS]
    now[S_WORK] += options
    here = 0
    for option in range(options):
        found[option] = -1
        if option < state[OPTIONS] and same_path(game, game[layout[L_OPTION] + option], state, state[layout[L_OPTION] + option]):
            found[option] = option
            here += 1
    if here == options and state[OPTIONS] == options:
        return
    now[S_CHANGED] += 1
    now[S_WORK] += options * state[OPTIONS] >> 1
    for option in range(options):
        if found[option] < 0:
            for other in range(state[OPTIONS]):
                if same_path(game, game[layout[L_OPTION] + option], state, state[layout[L_OPTION] + other]):
                    found[option] = other
                    break


@device_function
def same_path(one, at, other, there):
    """Tell whether two options take the same branches."""
    for i in range(one[at] + 1):
        if one[at + i] != other[there + i]:
            return False
    return True


# --- the tree


@device_function
def entry(now, table, sums, key):
    """Return the entry of a key, made if it is new, or -1 if there is no room for another."""
    size = len(table)
    at = key & (size - 1)
    stamp = now[S_STAMP]
    while table[at, T_STAMP] == stamp:
        if table[at, T_KEY] == key:
            return at
        at = (at + 1) & (size - 1)
    if 4 * now[S_USED] >= 3 * size:
        return -1
    now[S_USED] += 1
    table[at, T_KEY] = key
    table[at, T_STAMP] = stamp
    table[at, T_VISITS] = 0
    table[at, T_OFFERED] = 0
    sums[at, 0] = 0.0
    sums[at, 1] = 0.0
    return at


@device_function
def reward(now, scores, score, rank):
    """Return a mean score, or a mean share of opponents beaten, as a number from 0 to 1 that is to be high."""
    if now[S_SEEKS] == BY_RANK:
        return rank
    low, high = scores[LOW], scores[HIGH]
    if not high > low:
        return 0.5
    return (score - low) / (high - low) if now[S_SIGN] > 0 else (high - score) / (high - low)


@device_function
def choose_by_tree(layout, now, tree, scores, exploration, state, options, at_root):
    """Return the option to try at a position of the tree: an untried one, at random, else the one with the best upper bound."""
    table, sums, way = tree.table, tree.sums, tree.way
    untried, chosen, slot_of_chosen, best = 0, -1, -1, -1.0
    draw = address(np.uint64(now[S_FUTURE]), 0, state[DECISION], 0, FOR_UNTRIED)
    node = np.uint64(now[S_NODE])
    now[S_WORK] += 8 * options
    for option in range(options):
        if at_root and tree.found[option] < 0:
            continue
        name = np.uint64(option)
        if now[S_KIND] == BY_ONE_TREE and not at_root:
            name = np.uint64(state[layout[L_EFFECTS] + option])
        slot = entry(now, table, sums, np.int64(mix(node ^ mix(name)) >> np.uint64(1)))
        if slot < 0:
            # No room: this position stays a leaf.
            now[S_PHASE] = AT_RANDOM
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
            value = reward(now, scores, sums[slot, 0] / visits, sums[slot, 1] / visits)
            value += exploration * math.sqrt(math.log(table[slot, T_OFFERED]) / visits)
            if value > best:
                chosen, slot_of_chosen, best = option, slot, value
    if chosen < 0:
        return -1
    depth = now[S_DEPTH]
    way[depth, 0] = now[S_MOVER] if not at_root else now[S_SEAT]
    way[depth, 1] = slot_of_chosen
    now[S_DEPTH] = depth + 1
    # The key of the next position begins with the way to it; what others do in secret is no part of what the seat knows.
    now[S_PHASE] = AT_RANDOM if untried or depth + 1 >= DEEPEST else IN_TREE
    if now[S_KIND] != BY_ONE_TREE or way[depth, 0] == now[S_SEAT]:
        now[S_NODE] = table[slot_of_chosen, T_KEY]
    return chosen


@device_function
def arrive(code, layout, now, memories, state):
    """Name the position of the tree that a simulation has come to."""
    one_tree = now[S_KIND] == BY_ONE_TREE
    now[S_WORK] += (layout[L_TEAM_CELLS_END] >> 1) + 4 * state[CARDS] + state[REMEMBERED]
    seen = appearance(state, layout, memories, now[S_SEAT] if one_tree else 0)
    now[S_NODE] = np.int64(mix(np.uint64(now[S_NODE]) ^ seen) >> np.uint64(1))
    now[S_MOVER] = state[code[state[PC] + 3]]
    state[TELLING] = now[S_MOVER] if one_tree else 0


# --- results


@device_function
def write_result(layout, now, state, result):
    """Write the result of a simulation: for each player the score of his team, the share of opponents beaten, score and rank."""
    players, scores, teams = layout[L_PLAYERS], layout[L_SCORES] + 1, layout[L_TEAM_OF] + 1
    sign = now[S_SIGN]
    for player in range(players):
        team, total, members = state[teams + player], 0, 0
        for other in range(players):
            if other == player or (team and state[teams + other] == team):
                total += state[scores + other]
                members += 1
        result[EACH + player] = total / members
        result[LOW] = min(result[LOW], total / members)
        result[HIGH] = max(result[HIGH], total / members)
    for player in range(players):
        team, beaten, others, rank = state[teams + player], 0.0, 0, 0
        mine = sign * result[EACH + player]
        for other in range(players):
            if sign * state[scores + other] > sign * state[scores + player]:
                rank += 1
            if other != player and (team == 0 or state[teams + other] != team):
                others += 1
                theirs = sign * result[EACH + other]
                beaten += 1.0 if mine > theirs else 0.5 if mine == theirs else 0.0
        result[EACH + players + player] = beaten / others if others else 0.5
        result[EACH + 2 * players + player] = state[scores + player]
        result[EACH + 3 * players + player] = rank


@device_function
def back_up(layout, now, tree, sums, result):
    """Add the result of a simulation to its option and to everything it passed in the tree."""
    players = layout[L_PLAYERS]
    chosen, seat = now[S_CHOSEN], now[S_SEAT] - 1
    if now[S_KIND] == BY_ONE_TREE:
        half = R_HALVES + 2 * (int(sums[chosen, R_COUNT]) & 1)
        sums[chosen, half] += 1.0
        sums[chosen, half + 1] += result[EACH + 3 * players + seat]
    sums[chosen, R_COUNT] += 1.0
    sums[chosen, R_SCORE] += result[EACH + seat]
    sums[chosen, R_RANK] += result[EACH + players + seat]
    for i in range(2 * players):
        sums[chosen, R_EACH + i] += result[EACH + 2 * players + i]
    for depth in range(now[S_DEPTH]):
        mover, slot = tree.way[depth, 0] - 1, tree.way[depth, 1]
        tree.table[slot, T_VISITS] += 1
        tree.sums[slot, 0] += result[EACH + mover]
        tree.sums[slot, 1] += result[EACH + players + mover]


@device_function
def end_determinization(layout, now, root, totals):
    """Add the mean of every option on this deal to its totals, and forget the deal.

    Every deal counts once: UCT tries an option more often where it is good, so a mean over simulations would be one over good deals.
    With ``POOLED`` a deal counts once for each of its simulations all the same.
    """
    players, seat = layout[L_PLAYERS], now[S_SEAT] - 1
    now[S_WORK] += now[S_OPTIONS] * (R_EACH + 2 * players) >> 1
    for option in range(now[S_OPTIONS]):
        count = root[option, R_COUNT]
        if count == 0.0:
            continue
        weight = count if now[S_POLICY] == POOLED else 1.0
        half = R_HALVES + 2 * (int(totals[option, R_DEALS]) & 1)
        totals[option, half] += weight
        totals[option, half + 1] += root[option, R_EACH + players + seat] * weight / count
        totals[option, R_COUNT] += count
        totals[option, R_DEALS] += 1.0
        totals[option, R_WEIGHT] += weight
        totals[option, R_SCORE] += root[option, R_SCORE] * weight / count
        totals[option, R_RANK] += root[option, R_RANK] * weight / count
        for column in range(R_EACH, R_EACH + 2 * players):
            totals[option, column] += root[option, column] * weight / count
        for column in range(R_EACH + 2 * players):
            root[option, column] = 0.0


@device_function
def count_as_lost(now, tree, scores):
    """Count a simulation that broke off as lost wherever it passed in the tree, so that it is not tried for ever; no estimate has it."""
    worst = scores[LOW] if now[S_SIGN] > 0 else scores[HIGH]
    if not math.isfinite(worst):
        worst = 0.0
    for depth in range(now[S_DEPTH]):
        slot = tree.way[depth, 1]
        tree.table[slot, T_VISITS] += 1
        tree.sums[slot, 0] += worst


@device_function
def conclude(code, layout, state, search):
    """Decide, and write down why."""
    now, totals, scores, judged, decided = search.now, search.totals, search.scores, search.judged, search.decided
    now[S_LEVEL] = 0
    players, options, kind, row = layout[L_PLAYERS], now[S_OPTIONS], now[S_KIND], now[S_ROW]
    for column in range(J_EACH + 2 * players):
        judged[row, column] = math.nan
    chosen, equals, best = 0, 0, -1.0
    if kind == BY_CHANCE:
        chosen = random_option(np.uint64(now[S_ROOT]), code, state)
    else:
        if kind == BY_ONE_TREE:
            for option in range(options):
                totals[option, R_DEALS] = totals[option, R_WEIGHT] = totals[option, R_COUNT]
        else:
            end_determinization(layout, now, search.root, totals)
        tried, low, high, total, total_reward, best_reward = 0, math.inf, -math.inf, 0.0, 0.0, 0.0
        for option in range(options):
            weight = totals[option, R_WEIGHT]
            if weight == 0.0:
                continue
            tried += 1
            score = totals[option, R_SCORE] / weight
            value = reward(now, scores, score, totals[option, R_RANK] / weight)
            low, high = min(low, score), max(high, score)
            total += score
            total_reward += value
            # By visits the mean decides among equals.
            merit = totals[option, R_COUNT] + value if now[S_POLICY] == BY_VISITS else value
            if merit > best:
                best, equals = merit, 1
                chosen, best_reward = option, value
            elif merit == best:
                equals += 1
                if below(np.uint64(now[S_KEY]), equals, equals) == 0:
                    chosen, best_reward = option, value
        if tried == 0:
            chosen = below(np.uint64(now[S_KEY]), 0, options)
        else:
            judged[row, J_BEST] = high if now[S_SIGN] > 0 else low
            judged[row, J_WORST] = low if now[S_SIGN] > 0 else high
            judged[row, J_MEAN] = total / tried
            judged[row, J_REWARD] = best_reward
            judged[row, J_REWARD_MEAN] = total_reward / tried
            for i in range(2 * players):
                judged[row, J_EACH + i] = totals[chosen, R_EACH + i] / totals[chosen, R_WEIGHT]
            for half in range(2):
                of_half = totals[chosen, R_HALVES + 2 * half]
                if of_half > 0.0:
                    judged[row, J_FIRST_HALF + half] = totals[chosen, R_HALVES + 2 * half + 1] / of_half
    decided[row, D_SEAT] = now[S_SEAT]
    decided[row, D_OPTIONS] = options
    decided[row, D_CHOSEN] = chosen
    decided[row, D_SIMULATIONS] = now[S_BUDGET]
    decided[row, D_CHANGED] = now[S_CHANGED]
    decided[row, D_FAILED] = now[S_FAILED]
    decided[row, D_DEALS] = 0 if kind == BY_CHANCE else int(totals[chosen, R_DEALS])
    now[S_ROW] = row + 1
    now[S_OPTION] = chosen
    return TO_DECIDE
