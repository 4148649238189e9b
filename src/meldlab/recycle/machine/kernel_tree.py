"""The tree of a search and its statistics: edges by key, the option to try next, results added along the path."""

import math
from typing import NamedTuple

import numpy as np

from meldlab.chance.kernel import address, below, mix
from meldlab.compiling import device_function
from meldlab.recycle.machine import kernel_layout as k

RANDOM, PIMC, MCTS, ISMCTS = range(4)  # algorithms
BY_SCORE, BY_RANK = range(2)  # rewards
MEAN, VISITS, POOLED = range(3)  # final policies; POOLED is the mean over all simulations
PENDING_CHOICES, AT_ROOT, IN_TREE, ROLLOUT = range(4)  # phases of a simulation
MAX_DEPTH = 512
TEAM_SCORE, BEATEN, SCORE, RANK, RESULT = range(5)  # rows of a result; BEATEN is the share of opponents beaten

EDGE = np.dtype(
    [(name, np.int64) for name in ("key", "stamp", "visits", "available")]
    + [(name, np.float64) for name in ("score", "beaten")]  # sums for the seat that decided
)
# Sums for an option of the decision, over one deal or all. Weight and own rank stand apart for every second deal, so that these two
# estimates of the rank are independent.
OPTION_SUMS = np.dtype(
    [(name, np.float64) for name in ("count", "determinizations", "weight", "score", "beaten")]
    + [(name, np.float64) for name in ("weight_0", "rank_0", "weight_1", "rank_1")]
)


class Tree(NamedTuple):
    """Edges found by their keys, and the path of a simulation."""

    edges: np.ndarray  # [entries] EDGE, a hash table
    path: np.ndarray  # [MAX_DEPTH, 2] int64, the seat that decided and the edge taken
    matches: np.ndarray  # [options] int64, each option of the decision among those of the copy, -1 for none


class Statistics(NamedTuple):
    """Sums for each option of the decision."""

    options: np.ndarray  # [options] OPTION_SUMS
    players: np.ndarray  # [options, 2 players] float64, scores and ranks of all players


@device_function
def find_edge(now, edges, key):
    """Return the edge of a key, made if it is new, or -1 if the table is full."""
    size = len(edges)
    i = key & (size - 1)
    stamp = now.stamp
    while edges[i].stamp == stamp:
        if edges[i].key == key:
            return i
        i = (i + 1) & (size - 1)
    if 4 * now.used >= 3 * size:
        return -1
    now.used += 1
    edge = edges[i]
    edge.key = key
    edge.stamp = stamp
    edge.visits = 0
    edge.available = 0
    edge.score = 0.0
    edge.beaten = 0.0
    return i


@device_function
def reward_of(now, score, beaten):
    """Return the reward, from 0 to 1 and high for the seat, of a mean score or a mean share of opponents beaten."""
    if now.reward == BY_RANK:
        return beaten
    if not now.high > now.low:
        return 0.5
    return (score - now.low) / (now.high - now.low) if now.sign > 0 else (now.high - score) / (now.high - now.low)


@device_function
def select_ucb(layout, now, tree, exploration, state, options, at_root):
    """Return the option to try at a node: an untried one, at random, else the one with the highest upper confidence bound.

    Return -1 if no option of the root is one in this deal. The path grows by the option's edge, and the phase says what follows it.
    """
    edges, path = tree.edges, tree.path
    untried, chosen, chosen_edge, best = 0, -1, -1, -1.0
    draw = address(np.uint64(now.future), 0, state[k.DECISION], 0, k.FOR_UNTRIED)
    node = np.uint64(now.node)
    now.work += 8 * options
    for option in range(options):
        if at_root and tree.matches[option] < 0:
            continue
        name = np.uint64(option)
        if now.algorithm == ISMCTS and not at_root:
            name = np.uint64(state[layout[k.L_ACTION_KEYS] + option])
        i = find_edge(now, edges, np.int64(mix(node ^ mix(name)) >> np.uint64(1)))
        if i < 0:
            # The table is full: this node stays a leaf.
            now.phase = ROLLOUT
            if at_root:
                return option
            return below(draw, 0, options)
        edge = edges[i]
        edge.available += 1
        visits = edge.visits
        if visits == 0:
            untried += 1
            if below(draw, untried, untried) == 0:
                chosen, chosen_edge = option, i
        elif untried == 0:
            value = reward_of(now, edge.score / visits, edge.beaten / visits)
            value += exploration * math.sqrt(math.log(edge.available) / visits)
            if value > best:
                chosen, chosen_edge, best = option, i, value
    if chosen < 0:
        return -1
    depth = now.depth
    path[depth, 0] = now.seat if at_root else now.mover
    path[depth, 1] = chosen_edge
    now.depth = depth + 1
    now.phase = ROLLOUT if untried or depth + 1 >= MAX_DEPTH else IN_TREE
    # The key of the next node begins with the path to it; what others do in secret is not part of what the seat knows.
    if now.algorithm != ISMCTS or path[depth, 0] == now.seat:
        now.node = edges[chosen_edge].key
    return chosen


@device_function
def side_score(layout, state, seat):
    """Return the mean score of the team of a seat, or its own score where it plays alone."""
    scores, teams = layout[k.L_SCORES] + 1, layout[k.L_TEAM_OF] + 1
    team, total, members = state[teams + seat], 0, 0
    if team == 0:
        return float(state[scores + seat])
    for other in range(layout[k.L_PLAYERS]):
        if state[teams + other] == team:
            total += state[scores + other]
            members += 1
    return total / members


@device_function(inline="never")
def compare_sides(layout, state, sign, seat):
    """Return the number of opponents that the side of a seat is ahead of, that it is behind, and of all; ``sign`` -1: fewer is better."""
    teams = layout[k.L_TEAM_OF] + 1
    own, team, ahead, behind, opponents = sign * side_score(layout, state, seat), state[teams + seat], 0, 0, 0
    for other in range(layout[k.L_PLAYERS]):
        if other != seat and (team == 0 or state[teams + other] != team):
            theirs = sign * side_score(layout, state, other)
            opponents += 1
            ahead += own > theirs
            behind += own < theirs
    return ahead, behind, opponents


@device_function
def evaluate(layout, now, state, result):
    """Write the result of a simulation into ``result``, [RESULT, players] float64, and widen the range of scores."""
    players, scores = layout[k.L_PLAYERS], layout[k.L_SCORES] + 1
    sign = now.sign
    for player in range(players):
        score = side_score(layout, state, player)
        now.low, now.high = min(now.low, score), max(now.high, score)
        ahead, behind, opponents = compare_sides(layout, state, sign, player)
        rank = 0
        for other in range(players):
            rank += sign * state[scores + other] > sign * state[scores + player]
        result[TEAM_SCORE, player] = score
        result[BEATEN, player] = (opponents + ahead - behind) / (2 * opponents) if opponents else 0.5
        result[SCORE, player] = state[scores + player]
        result[RANK, player] = rank


@device_function
def backup(layout, now, tree, statistics, result):
    """Add the result of a simulation to its option and to every edge of its path."""
    players, chosen, seat = layout[k.L_PLAYERS], now.chosen, now.seat
    option = statistics.options[chosen]
    if now.algorithm == ISMCTS:
        add_to_half(option, int(option.count), 1.0, result[RANK, seat])
    option.count += 1.0
    option.score += result[TEAM_SCORE, seat]
    option.beaten += result[BEATEN, seat]
    for player in range(players):
        statistics.players[chosen, player] += result[SCORE, player]
        statistics.players[chosen, players + player] += result[RANK, player]
    for depth in range(now.depth):
        mover, edge = tree.path[depth, 0], tree.edges[tree.path[depth, 1]]
        edge.visits += 1
        edge.score += result[TEAM_SCORE, mover]
        edge.beaten += result[BEATEN, mover]


@device_function
def backup_failure(now, tree):
    """Count a simulation that failed as lost on its path, so that it is not tried for ever; no estimate contains it."""
    worst = now.low if now.sign > 0 else now.high
    if not math.isfinite(worst):
        worst = 0.0
    for depth in range(now.depth):
        edge = tree.edges[tree.path[depth, 1]]
        edge.visits += 1
        edge.score += worst


@device_function
def add_to_half(option, number, weight, rank):
    """Add a rank to that of every second deal, or of the others."""
    if number & 1:
        option.weight_1 += weight
        option.rank_1 += rank
    else:
        option.weight_0 += weight
        option.rank_0 += rank


@device_function
def clear_statistics(statistics, options):
    """Set the sums of options to 0."""
    for i in range(options):
        option = statistics.options[i]
        option.count = option.determinizations = option.weight = option.score = option.beaten = 0.0
        option.weight_0 = option.rank_0 = option.weight_1 = option.rank_1 = 0.0
        for column in range(statistics.players.shape[1]):
            statistics.players[i, column] = 0.0


@device_function
def end_determinization(layout, now, deal, totals):
    """Add the mean of every option on this deal to its totals, and forget the deal.

    Every deal counts once: UCT tries an option more often where it is good, so a mean over simulations would be one over good deals.
    With ``POOLED`` a deal counts once for each of its simulations.
    """
    players = layout[k.L_PLAYERS]
    now.work += now.options * (10 + 2 * players) >> 1
    for i in range(now.options):
        option, total = deal.options[i], totals.options[i]
        count = option.count
        if count == 0.0:
            continue
        weight = count if now.final_policy == POOLED else 1.0
        add_to_half(total, int(total.determinizations), weight, deal.players[i, players + now.seat] * weight / count)
        total.count += count
        total.determinizations += 1.0
        total.weight += weight
        total.score += option.score * weight / count
        total.beaten += option.beaten * weight / count
        for column in range(2 * players):
            totals.players[i, column] += deal.players[i, column] * weight / count
    clear_statistics(deal, now.options)
