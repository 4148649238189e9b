"""Kernels of the stopping game in double precision: values and boundary level by level, the probability of each stop, and simulation.

A position is (black, red): the cards still face down. Its *premium* is the value of the game there beyond the winnings so far, which
depends on nothing else: W = max(0, (black * (gain + W[black - 1, red]) + red * (W[black, red - 1] - loss)) / (black + red)).
More black cards never make it smaller and more red cards never larger, so that for each number of red cards the policy stops
at ``boundary[red]`` black cards or fewer, and the boundary never falls as red grows.

Long work is done in chunks, in arrays of the caller: Ctrl-C interrupts between two calls only.
"""

from meldlab.chance.kernel import address, below
from meldlab.chance.kernel_purpose import Purpose
from meldlab.compiling import kernel

DRAW = int(Purpose.STOPPING)


@kernel
def sweep(level, levels, first, old, new, boundary, equal, units):
    """Compute ``levels`` levels from ``level`` on and return the least number of black cards at which to draw, ``first`` before.

    A level is all positions with as many cards; it needs only the level below and runs in vector registers. ``old`` and ``new``:
    [black + 1] float64, the premiums of the level below and of the next, exchanged after each level; ``boundary``: [red + 1] int64
    of 0, the most black cards at which to stop; ``equal``: [min(black, red) + 1] float64, premium of n black and n red; ``units``:
    gain and loss. The level of 0 cards is all 0, with ``first`` 1.
    """
    gain, loss = units
    black, red = len(old) - 1, len(boundary) - 1
    for cards in range(level, level + levels):
        end = min(black, cards)
        first = max(first, cards - red)
        # The first moves up by one card or stays: a red card more makes drawing worse, a black card more makes it better.
        if first <= end:
            premium = (first * (gain + old[first - 1]) + (cards - first) * (old[first] - loss)) / cards
            if premium > 0.0:
                new[first] = premium
            else:
                new[first] = 0.0
                first += 1
        for b in range(first, end + 1):
            new[b] = (b * (gain + old[b - 1]) + (cards - b) * (old[b] - loss)) / cards
        new[first - 1] = 0.0
        reds = cards - (first - 1)
        if reds <= red:
            boundary[reds] = max(boundary[reds], first - 1)
        if cards % 2 == 0 and cards // 2 < len(equal):
            equal[cards // 2] = new[cards // 2]
        old, new = new, old
    return first


@kernel
def premiums(gain, loss, table):
    """Set ``table``, [black + 1, red + 1] float64 zeros, to the premium of each position."""
    for b in range(1, len(table)):
        table[b, 0] = b * gain
        for r in range(1, table.shape[1]):
            table[b, r] = max(0.0, (b * (gain + table[b - 1, r]) + r * (table[b, r - 1] - loss)) / (b + r))


@kernel
def stop_probabilities(first, count, boundary, reach, probabilities):
    """Set ``probabilities``, [red + 1] float64, to stop with each number of red cards left, in ``count`` rows from ``first`` down.

    The policy stops only at ``boundary[red]`` black cards: a red card leads to a position where drawing is even better.
    ``reach``: [black + 1] float64, the probability to reach each number of black cards with ``first`` red ones left: 1 for all of both.
    """
    black = len(reach) - 1
    for r in range(first, first - count, -1):
        stop = boundary[r]
        for b in range(black, stop, -1):
            reach[b - 1] += reach[b] * b / (b + r)
            reach[b] *= r / (b + r)
        probabilities[r] = reach[stop]
        reach[stop] = 0.0


@kernel
def simulate(first, games, seed, black, boundary, stops):
    """Count in ``stops``, [red + 1] int64, the games ``first`` and following that stop with each number of red cards left."""
    red = len(boundary) - 1
    for game in range(first, first + games):
        key = address(seed, game, 0, 0, DRAW)
        b, r = black, red
        while b > boundary[r]:
            if below(key, b + r, b + r) < b:
                b -= 1
            else:
                r -= 1
        stops[r] += 1
