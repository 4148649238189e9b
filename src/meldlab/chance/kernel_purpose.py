"""What a draw is for: one number for every kind of draw in the house, so that no two kinds share an address.

Kernels take the numbers as plain integers, frozen when they are compiled; the file is named like a kernel so that a new number compiles
them again. A player's own draws may use any number below 100: its addresses have a root of their own (see chance.kernel).
"""

from enum import IntEnum, unique

__all__ = ["MOST_PURPOSES", "Purpose"]

MOST_PURPOSES = 1 << 16  # an address keeps sixteen bits for the purpose


@unique
class Purpose(IntEnum):
    """Every purpose of every room."""

    DEAL = 0
    """What a game is dealt from: the order of a deck or a pile, the key of a described game."""

    # RECYCLE: events of a game, and what its searching players imagine. The numbers are part of the published semantics.
    RANDOM_NUMBER = 1
    TIE = 2
    SHUFFLE = 3
    TRIAL_SHUFFLE = 4
    SEARCH = 6
    IMAGINED_DEAL = 7
    FUTURE = 8
    UNTRIED = 9
    PENDING = 10

    # What belongs to a deal beside the cards.
    STARTER = 100
    SCORES = 101
    LOTS = 102
    TILES = 103

    # Players: the root of all their draws in a game, then what they draw for.
    PLAYERS = 200
    CHOICE = 201
    DISCARD = 202
    MELDS = 203
    IMAGINED_HANDS = 204
    PLAYOUT = 205
    REVIEW = 206
    DEVELOPING = 207

    # Simulations outside the table.
    STOPPING = 300
    WAITING_DRAW = 301
    WAITING_DISCARD = 302
    POSITION = 303
    PUZZLE = 304
    LESSONS = 305
    RANDOM_HANDS = 306

    # Seeds made from a seed: deals that belong to one part of the work only.
    FRESH = 400
    """Deals that no search has seen, for honest measurements."""
    RACE = 401
    CLOUD = 402
    LAP = 403
    AGREEMENT = 404
    OTHER_OPPONENTS = 405
    EVOLVED = 406
