"""Kernels of addressed chance: equal addresses give equal draws on every machine and thread, and no two draws share one.

A draw that belongs to a deal has the address (seed, game, round, place, purpose). The draws of players hang from a *root* of their game,
made from seed and game by steps that cannot be walked backwards, so that a player who is handed its draws is not handed the deck.
"""

import numpy as np

from meldlab.chance.kernel_purpose import Purpose
from meldlab.compiling import kernel, scalar_kernel

MOST_SEATS = 64  # players of a game
PLAYERS = int(Purpose.PLAYERS)
FORGETTING = 4  # rounds, each of which forgets what it would take to go back


@scalar_kernel
def mix(x):
    """Scramble 64 bits (the finaliser of splitmix64)."""
    x = np.uint64(x) + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@scalar_kernel
def address(seed, game, round, place, purpose):
    """Return the address of a draw; ``place`` is below 2^47 and ``purpose`` below 2^16, so that the two never run into each other."""
    x = mix(np.uint64(seed))
    x = mix(x ^ np.uint64(game))
    x = mix(x ^ np.uint64(round))
    # 63 bits: a Python caller gets a plain integer back, and hands it on as a signed one.
    return mix(x ^ (np.uint64(place) << np.uint64(16)) ^ np.uint64(purpose)) >> np.uint64(1)


@scalar_kernel
def root_of(seed, game):
    """Return the root of all draws of the players of a game.

    ``mix`` alone can be undone. Adding what went in to what came out cannot, short of trying all seeds: each round is a function that
    takes several inputs to one output, and the last one gives away 63 of 64 bits.
    """
    x = np.uint64(address(seed, game, 0, 0, PLAYERS))
    for _ in range(FORGETTING):
        x = mix(x) + x
    return x >> np.uint64(1)


@scalar_kernel
def decision(root, step, seat, purpose):
    """Return the address of what the player in ``seat`` draws for action ``step`` of a game."""
    x = mix(np.uint64(root) ^ np.uint64(step))
    return mix(x ^ (np.uint64(seat) << np.uint64(16)) ^ np.uint64(purpose)) >> np.uint64(1)


@scalar_kernel
def below(key, nth, bound):
    """Return the ``nth`` draw at address ``key``, an integer in 0 .. bound - 1 (bias below bound / 2^32)."""
    high = mix(np.uint64(key) + np.uint64(nth)) >> np.uint64(32)
    return np.int64((high * np.uint64(bound)) >> np.uint64(32))


@scalar_kernel
def unit(key, nth):
    """Return the ``nth`` draw at address ``key``, a float in [0, 1)."""
    return np.float64(mix(np.uint64(key) + np.uint64(nth)) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@scalar_kernel
def draw(root, step, seat, purpose, nth, bound):
    """Return the ``nth`` draw of a decision in one call, for players outside the kernels."""
    return below(decision(root, step, seat, purpose), nth, bound)


@kernel
def shuffle(order, key):
    """Shuffle ``order``, [cards] of any integer type, in place."""
    for last in range(len(order) - 1, 0, -1):
        other = below(key, last, last + 1)
        order[last], order[other] = order[other], order[last]
