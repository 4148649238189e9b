"""Games and searches inside the machine: the task that follows a task just done.

``kernel_drive.drive`` carries out tasks on two states: ``stack[0]`` is the game, ``stack[1]`` the copy of a simulation. A simulation copies
the game, deals the unseen cards (``kernel_observe``), walks down the tree (``kernel_tree``), adds one option to it, continues at random and
counts. Nothing is read from the hidden cards of the game.
"""

import math
from typing import NamedTuple

import numpy as np

from meldlab.chance.kernel import address, below, decision, mix
from meldlab.compiling import device_function
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine.kernel_observe import UnseenCards, deal_unseen, list_unseen, position_key, seat_to_move, update_known
from meldlab.recycle.machine.kernel_tree import (
    AT_ROOT,
    IN_TREE,
    ISMCTS,
    PENDING_CHOICES,
    PIMC,
    RANDOM,
    ROLLOUT,
    VISITS,
    Statistics,
    Tree,
    backup,
    backup_failure,
    clear_statistics,
    end_determinization,
    evaluate,
    reward_of,
    select_ucb,
)

# --- the player of a seat; simulations are for each option, the rollout limit is in decisions
PLAYER = np.dtype(
    [(name, np.int64) for name in ("algorithm", "simulations", "determinizations", "remembers", "reward", "rollout_limit", "final_policy")]
    + [("exploration", np.float64)]
)
# --- the search of one decision
SEARCH = np.dtype(
    [
        (name, np.int64)
        for name in (
            *("level", "option", "work", "sign", "seat", "algorithm", "reward", "rollout_limit", "final_policy"),
            *("options", "start", "hidden", "key", "budget", "simulation", "determinization", "unmatched", "failed", "rows"),
            *("phase", "future", "node", "depth", "mover", "chosen", "stamp", "used", "pending", "saved_player", "saved_decision"),
        )
    ]
    + [("low", np.float64), ("high", np.float64)]  # the range of scores
)
# --- a decision in the record
DECISION = np.dtype(
    [(name, np.int64) for name in ("seat", "options", "chosen", "simulations", "unmatched", "failed", "determinizations")]
    + [(name, np.float64) for name in ("best", "worst", "mean", "reward", "reward_mean", "first_half", "second_half")]
)


class Results(NamedTuple):
    """Results of games, [games] int64 each; of histories, by level: the option tried, the options, and how many end the game."""

    statuses: np.ndarray
    errors: np.ndarray  # the instruction at which a game failed
    decisions: np.ndarray
    options: np.ndarray  # summed over the decisions
    scores: np.ndarray  # [games, players], or of histories [depth + 1, 2]: their number, and how many of them end the game


class Search(NamedTuple):
    """The arrays on which the players of one thread search."""

    players: np.ndarray  # [players] PLAYER
    now: np.ndarray  # [1] SEARCH
    unseen: UnseenCards
    tree: Tree
    deal: Statistics  # over the simulations of this determinization
    totals: Statistics  # over the determinizations before it, or over all simulations of ISMCTS
    result: np.ndarray  # [RESULT, players] float64, of the last simulation
    decisions: np.ndarray  # [decisions] DECISION, the record
    estimates: np.ndarray  # [decisions, 2 players] float64, scores and ranks of all players after the chosen option


# --- the game itself


@device_function
def draws_of(root, state, seat, purpose):
    """Return the address of what the player in a seat draws for its decision, as at the table."""
    return decision(root, state[k.DECISION], seat, purpose)


@device_function
def random_option(root, code, state):
    """Return the choice of a random player."""
    if state[k.OPTIONS] == 1:
        return 0
    return below(draws_of(root, state, seat_to_move(code, state), k.FOR_CHOICE), 0, state[k.OPTIONS])


@device_function
def late_option(root, code, state):
    """Return the choice of ``players.LastOptionPlayer``: the last option with probability 0.8, otherwise a random one."""
    draws = draws_of(root, state, seat_to_move(code, state), k.FOR_CHOICE)
    return state[k.OPTIONS] - 1 if below(draws, 1, 5) else below(draws, 0, state[k.OPTIONS])


@device_function(inline="always")
def next_in_game(layout, state, job, task, results):
    """Return the next task of a game: TAKE_OPTION where a seat has to choose, DONE after the last game."""
    if task == k.SCORE_PLAYERS or state[k.STATUS] > k.CAPPED:
        game = job.game
        results.statuses[game] = state[k.STATUS]
        results.errors[game] = state[k.ERROR_AT]
        results.decisions[game] = state[k.DECISION]
        for seat in range(layout[k.L_PLAYERS]):
            results.scores[game, seat] = state[layout[k.L_SCORES] + 1 + seat]
        job.game = game + 1
        return k.START if game + 1 < job.games else k.DONE
    if task == k.LIST_OPTIONS:
        results.options[job.game] += state[k.OPTIONS]
        return k.TAKE_OPTION
    return next_decision(state, job)


@device_function
def next_decision(state, job):
    """Return LIST_OPTIONS, or SCORE_PLAYERS at the end of a game."""
    if state[k.STATUS] == k.FINISHED:
        return k.SCORE_PLAYERS
    if state[k.DECISION] >= job.limit:
        state[k.STATUS] = k.CAPPED
        return k.SCORE_PLAYERS
    return k.LIST_OPTIONS


# --- the search of a decision


@device_function(inline="always")
def next_in_search(code, layout, stack, job, task, results, search):
    """Return the next task of games with searching players; its state and option are in ``search.now``."""
    now = search.now[0]
    if now.level == 1:
        following = step_simulation(code, layout, stack, job, task, search)
    else:
        state = stack[0]
        following = k.TAKE_OPTION
        if job.goal == k.PLAY:
            if state[k.LOGGING] and task != k.LIST_OPTIONS and task != k.SCORE_PLAYERS and state[k.STATUS] <= k.CAPPED:
                now.work += state[k.LOG] * layout[k.L_PLAYERS]
                for seat in range(layout[k.L_PLAYERS]):
                    if search.players[seat].remembers:
                        update_known(state, layout, search.unseen.known[seat], seat)
                state[k.LOG] = 0
            following = next_in_game(layout, state, job, task, results)
        if following == k.TAKE_OPTION:
            begin_search(code, layout, state, job, search)
            following = k.NEXT_SIMULATION
    if following == k.NEXT_SIMULATION:
        if now.simulation < now.budget:
            if begin_determinization(search.players, now):
                end_determinization(layout, now, search.deal, search.totals)
            following = begin_simulation(code, layout, stack, now, search.unseen)
        else:
            final_choice(code, layout, stack[0], job, search)
            following = k.DONE if job.goal == k.DECIDE_ONCE else k.TAKE_OPTION
    return following


@device_function
def begin_search(code, layout, state, job, search):
    """List the unseen cards and clear the statistics for the decision that a game is at."""
    now = search.now[0]
    seat = seat_to_move(code, state)
    player = search.players[seat]
    now.seat = seat
    now.algorithm = player.algorithm
    now.reward = player.reward
    now.rollout_limit = player.rollout_limit
    now.final_policy = player.final_policy
    now.options = state[k.OPTIONS]
    now.simulation = now.budget = now.unmatched = now.failed = 0
    now.determinization = -1
    if now.algorithm != RANDOM:
        now.budget = state[k.OPTIONS] * player.simulations
        if job.goal == k.PLAY:
            now.key = np.int64(draws_of(job.root, state, seat, k.FOR_SEARCH))
        now.start = state[k.DECISION]
        now.hidden = list_unseen(state, layout, search.unseen, seat)
        now.work += now.hidden * now.hidden >> 2
        now.low, now.high = math.inf, -math.inf
        clear_statistics(search.deal, now.options)
        clear_statistics(search.totals, now.options)


@device_function
def begin_determinization(players, now):
    """Number the determinization of the next simulation; return whether the one before it is to be counted."""
    number = now.simulation
    if now.algorithm != ISMCTS:
        # Each determinization serves all options equally often.
        player = players[now.seat]
        number = number // now.options * player.determinizations // player.simulations
    if number == now.determinization:
        return False
    now.determinization = number
    if now.algorithm != ISMCTS or number == 0:
        # An empty tree: edges with an older stamp are free.
        now.stamp += 1
        now.used = 0
    return now.algorithm != ISMCTS


@device_function
def begin_simulation(code, layout, stack, now, unseen):
    """Copy the game, deal the unseen cards, and give the copy a future of its own."""
    game, state = stack[0], stack[1]
    for i in range(game[k.TOP]):
        state[i] = game[i]
    now.work += (game[k.TOP] >> 2) + now.hidden * (unseen.backs + (now.hidden >> 2))
    # A future may take as much work as a game, however much this one has taken.
    state[k.GAME_WORK] = 0
    state[k.LOGGING] = 0
    state[k.KEY_PLAYER] = 0
    key = np.uint64(now.key)
    deal_unseen(state, layout, unseen, now.seat, now.hidden, address(key, now.determinization, 0, 0, k.FOR_DEAL))
    now.future = np.int64(address(key, now.simulation, 0, 0, k.FOR_FUTURE))
    state[k.KEY] = now.future
    now.level = 1
    now.depth = 0
    now.node = 0
    now.phase = AT_ROOT
    choice = state[k.PC]
    if code[choice] == k.JOINT and code[choice + 2] == code[choice + 3] + k.PASSES and state[code[choice + 2]] > 0:
        # Others have chosen in secret: any of their options may be it.
        now.phase = PENDING_CHOICES
        now.pending = 0
        now.saved_player = now.seat + 1
        now.saved_decision = state[k.DECISION]
        turn_to_pending(code, layout, now, state)
    return k.LIST_OPTIONS


@device_function(inline="always")
def step_simulation(code, layout, stack, job, task, search):
    """Return what follows a task of a simulation: another task, or NEXT_SIMULATION."""
    state, now, tree = stack[1], search.now[0], search.tree
    if state[k.STATUS] > k.CAPPED:
        now.failed += 1
        backup_failure(now, tree)
    elif task == k.LIST_OPTIONS and now.phase == ROLLOUT:
        now.option = random_option(np.uint64(now.future), code, state)
        return k.TAKE_OPTION
    elif task == k.LIST_OPTIONS:
        following = select(code, layout, stack, search)
        if following == k.NEXT_SIMULATION:
            now.simulation += 1
        return following
    elif task == k.SCORE_PLAYERS:
        evaluate(layout, now, state, search.result)
        backup(layout, now, tree, search.totals if now.algorithm == ISMCTS else search.deal, search.result)
    elif state[k.STATUS] == k.FINISHED:
        return k.SCORE_PLAYERS
    elif state[k.DECISION] - now.start >= now.rollout_limit or state[k.DECISION] >= job.limit:
        state[k.STATUS] = k.CAPPED
        return k.SCORE_PLAYERS
    else:
        if now.phase == IN_TREE:
            enter_node(code, layout, now, search.unseen.memories, state)
        return k.LIST_OPTIONS
    now.simulation += 1
    return k.NEXT_SIMULATION


@device_function
def select(code, layout, stack, search):
    """Choose an option of a simulation before its rollout, in turn or by the tree."""
    state, now, tree = stack[1], search.now[0], search.tree
    if now.phase == PENDING_CHOICES:
        choose_pending(code, layout, now, state)
        return k.LIST_OPTIONS
    exploration = search.players[now.seat].exploration
    if now.phase == IN_TREE:
        now.option = select_ucb(layout, now, tree, exploration, state, state[k.OPTIONS], False)
        state[k.KEY_PLAYER] = 0
        return k.TAKE_OPTION
    match_options(layout, stack, now, tree.matches)
    if now.algorithm == PIMC:
        chosen = now.simulation % now.options
        now.phase = ROLLOUT
    else:
        chosen = select_ucb(layout, now, tree, exploration, state, now.options, True)
    if chosen < 0 or tree.matches[chosen] < 0:
        # Not an option in this deal; it costs a simulation all the same.
        return k.NEXT_SIMULATION
    now.chosen = chosen
    now.option = tree.matches[chosen]
    return k.TAKE_OPTION


@device_function
def turn_to_pending(code, layout, now, state):
    """Make a player who has already chosen in this joint choice the one to move."""
    choice = state[k.PC]
    behind = state[code[choice + 2]] - now.pending
    players = layout[k.L_PLAYERS]
    state[code[choice + 3] + k.CURRENT] = (now.saved_player - 1 - behind + players * (1 + behind // players)) % players + 1
    state[k.DECISION] = state[layout[k.L_PENDING] + now.pending * layout[k.L_PENDING_WIDTH]]


@device_function
def choose_pending(code, layout, now, state):
    """Replace the secret choice of a player by any option; turn to the next such player, or back to the searching seat."""
    pending = layout[k.L_PENDING] + now.pending * layout[k.L_PENDING_WIDTH]
    option = below(address(np.uint64(now.future), 0, now.pending, 0, k.FOR_PENDING), 0, state[k.OPTIONS])
    offset = state[layout[k.L_OPTION] + option]
    if state[offset] + 2 <= layout[k.L_PENDING_WIDTH]:
        for i in range(state[offset] + 1):
            state[pending + 1 + i] = state[offset + i]
    now.pending += 1
    if now.pending < state[code[state[k.PC] + 2]]:
        turn_to_pending(code, layout, now, state)
    else:
        state[code[state[k.PC] + 3] + k.CURRENT] = now.saved_player
        state[k.DECISION] = now.saved_decision
        now.phase = AT_ROOT


@device_function
def match_options(layout, stack, now, matches):
    """Find each option of the game among those of the copy, by its path; count deals in which they differ."""
    game, state = stack[0], stack[1]
    options = now.options
    now.work += options
    same_index = 0
    for option in range(options):
        matches[option] = -1
        if option < state[k.OPTIONS] and same_path(game, game[layout[k.L_OPTION] + option], state, state[layout[k.L_OPTION] + option]):
            matches[option] = option
            same_index += 1
    if same_index == options and state[k.OPTIONS] == options:
        return
    now.unmatched += 1
    now.work += options * state[k.OPTIONS] >> 1
    for option in range(options):
        if matches[option] < 0:
            for other in range(state[k.OPTIONS]):
                if same_path(game, game[layout[k.L_OPTION] + option], state, state[layout[k.L_OPTION] + other]):
                    matches[option] = other
                    break


@device_function
def same_path(state, offset, other_state, other_offset):
    """Return whether two options take the same branches."""
    for i in range(state[offset] + 1):
        if state[offset + i] != other_state[other_offset + i]:
            return False
    return True


@device_function
def enter_node(code, layout, now, memories, state):
    """Set the node of a simulation: by the position for MCTS, by what the searching seat knows for ISMCTS."""
    one_tree = now.algorithm == ISMCTS
    now.work += (layout[k.L_TEAM_CELLS_END] >> 1) + 4 * state[k.CARDS] + state[k.REMEMBERED]
    observation = position_key(state, layout, memories, now.seat if one_tree else -1)
    now.node = np.int64(mix(np.uint64(now.node) ^ observation) >> np.uint64(1))
    now.mover = seat_to_move(code, state)
    state[k.KEY_PLAYER] = now.mover + 1 if one_tree else 0


# --- the final choice


@device_function
def final_choice(code, layout, state, job, search):
    """Choose by the final policy, and record the decision with its estimates."""
    now, totals, row = search.now[0], search.totals, search.now[0].rows
    now.level = 0
    players, options = layout[k.L_PLAYERS], now.options
    record = search.decisions[row]
    record.best = record.worst = record.mean = record.reward = record.reward_mean = math.nan
    record.first_half = record.second_half = math.nan
    for column in range(2 * players):
        search.estimates[row, column] = math.nan
    chosen, equals, best = 0, 0, -1.0
    if now.algorithm == RANDOM:
        chosen = random_option(job.root, code, state)
    else:
        if now.algorithm == ISMCTS:
            for i in range(options):
                totals.options[i].determinizations = totals.options[i].weight = totals.options[i].count
        else:
            end_determinization(layout, now, search.deal, totals)
        tried, low, high, total, total_reward, best_reward = 0, math.inf, -math.inf, 0.0, 0.0, 0.0
        for i in range(options):
            option = totals.options[i]
            weight = option.weight
            if weight == 0.0:
                continue
            tried += 1
            score = option.score / weight
            reward = reward_of(now, score, option.beaten / weight)
            low, high = min(low, score), max(high, score)
            total += score
            total_reward += reward
            # Among options with the most visits the mean decides.
            value = option.count + reward if now.final_policy == VISITS else reward
            if value > best:
                best, equals = value, 1
                chosen, best_reward = i, reward
            elif value == best:
                equals += 1
                if below(np.uint64(now.key), equals, equals) == 0:
                    chosen, best_reward = i, reward
        if tried == 0:
            chosen = below(np.uint64(now.key), 0, options)
        else:
            record.best = high if now.sign > 0 else low
            record.worst = low if now.sign > 0 else high
            record.mean = total / tried
            record.reward = best_reward
            record.reward_mean = total_reward / tried
            option = totals.options[chosen]
            for column in range(2 * players):
                search.estimates[row, column] = totals.players[chosen, column] / option.weight
            if option.weight_0 > 0.0:
                record.first_half = option.rank_0 / option.weight_0
            if option.weight_1 > 0.0:
                record.second_half = option.rank_1 / option.weight_1
    record.seat = now.seat
    record.options = options
    record.chosen = chosen
    record.simulations = now.budget
    record.unmatched = now.unmatched
    record.failed = now.failed
    record.determinizations = 0
    if now.algorithm != RANDOM:
        record.determinizations = int(totals.options[chosen].determinizations)
    now.rows = row + 1
    now.option = chosen
