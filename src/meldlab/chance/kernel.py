"""Kernels of addressed random draws: equal addresses give equal draws on every machine and thread, and no two draws share one.

A draw of a deal has the address (seed, game, round, place, purpose). The draws of players start from a *root* of their game, a one-way
function of seed and game, so that the deck cannot be computed from a player's draws.
"""

import numpy as np

from meldlab.chance.kernel_purpose import Purpose
from meldlab.compiling import device_function, kernel

MAX_SEATS = 64  # players of a game
PLAYERS = int(Purpose.PLAYERS)
ROOT_ROUNDS = 4  # one-way steps of ``player_root``


@device_function
def mix(x):
    """Scramble 64 bits (the finaliser of splitmix64)."""
    x = np.uint64(x) + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@device_function
def address(seed, game, round, place, purpose):
    """Return the address of a draw; ``place`` is below 2^47 and ``purpose`` below 2^16, so that their bits do not overlap."""
    x = mix(np.uint64(seed))
    x = mix(x ^ np.uint64(game))
    x = mix(x ^ np.uint64(round))
    # 63 bits: Python callers pass the result on as a signed integer.
    return mix(x ^ (np.uint64(place) << np.uint64(16)) ^ np.uint64(purpose)) >> np.uint64(1)


@device_function
def player_root(seed, game):
    """Return the root of all draws of the players of a game.

    ``mix`` can be inverted; the sum of its input and output cannot, except by trying all seeds: each step maps several inputs to one
    output, and the result has 63 of 64 bits.
    """
    x = np.uint64(address(seed, game, 0, 0, PLAYERS))
    for _ in range(ROOT_ROUNDS):
        x = mix(x) + x
    return x >> np.uint64(1)


@device_function
def decision(root, step, seat, purpose):
    """Return the address of the draws of the player in ``seat`` for action ``step`` of a game."""
    x = mix(np.uint64(root) ^ np.uint64(step))
    return mix(x ^ (np.uint64(seat) << np.uint64(16)) ^ np.uint64(purpose)) >> np.uint64(1)


@device_function
def below(key, nth, bound):
    """Return the ``nth`` draw at address ``key``, an integer in 0 .. bound - 1 (bias below bound / 2^32)."""
    high = mix(np.uint64(key) + np.uint64(nth)) >> np.uint64(32)
    return np.int64((high * np.uint64(bound)) >> np.uint64(32))


@device_function
def unit(key, nth):
    """Return the ``nth`` draw at address ``key``, a float in [0, 1)."""
    return np.float64(mix(np.uint64(key) + np.uint64(nth)) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@device_function
def draw(root, step, seat, purpose, nth, bound):
    """Return the ``nth`` draw of a decision in one call, for players outside the kernels."""
    return below(decision(root, step, seat, purpose), nth, bound)


@kernel
def shuffle(order, key):
    """Shuffle ``order``, [cards] of any integer type, in place."""
    for last in range(len(order) - 1, 0, -1):
        other = below(key, last, last + 1)
        order[last], order[other] = order[other], order[last]
