"""The purposes of random draws: one number for each kind of draw, so that no two kinds share an address.

The numbers are compile-time constants of kernels; the file is named like a kernel so that a new number compiles them again. A player's
own draws may use any number below 100: its addresses have a root of their own (see chance.kernel).
"""

from enum import IntEnum, unique

MAX_PURPOSES = 1 << 16  # an address has sixteen bits for the purpose


@unique
class Purpose(IntEnum):
    """The purposes of all packages."""

    DEAL = 0
    """The deal of a game: the order of a deck or a pile, the key of a RECYCLE game."""

    # RECYCLE: events of a game, and samples of its searching players. The numbers are part of the published semantics.
    RANDOM_NUMBER = 1
    TIE = 2
    SHUFFLE = 3
    TRIAL_SHUFFLE = 4
    SEARCH = 6
    SAMPLED_DEAL = 7
    FUTURE = 8
    UNTRIED = 9
    PENDING = 10

    # Parts of a deal other than the cards.
    STARTER = 100
    SCORES = 101
    LOTS = 102
    TILES = 103

    # Players: the root of all their draws in a game, then the purposes of the draws.
    PLAYERS = 200
    CHOICE = 201
    DISCARD = 202
    MELDS = 203
    SAMPLED_HANDS = 204
    PLAYOUT = 205
    REVIEW = 206
    DEVELOPING = 207

    # Simulations outside the table.
    STOPPING = 300
    WAITING_DRAW = 301
    WAITING_DISCARD = 302
    POSITION = 303
    PUZZLE = 304
    ROLLOUTS = 305
    RANDOM_HANDS = 306

    # Seeds derived from a seed: deals of one part of a study.
    FRESH = 400
    """Held-out deals, which no search has used."""
    HALVING = 401
    POPULATION = 402
    ITERATION = 403
    AGREEMENT = 404
    OTHER_OPPONENTS = 405
    EVOLVED = 406
