"""What the kernels of gin have in common: verbs, kinds of players, the places in vectors, rules, counts, notes and diaries, and structures.

A player is a vector, [PARAMETERS] float64, of which the simple player needs the first four.
"""

from typing import Any, NamedTuple

# Verbs of events and logs.
PASS, TAKE, DRAW, DROP, KNOCK, BIG, SHOW = range(7)

# Kinds of players, at place KIND of a vector.
SIMPLE, ENSEMBLE, COMPUTED, LIGHT, MARJJ, POLICY = range(6)

# Places in a vector.
KIND = 0
KNOCK_EARLY, KNOCK_LATE, KNOCK_TURN = 1, 2, 3
NOISE = 1  # of a light player that tries things out; it has no thresholds
TEMPERATURE = 1  # of a player by policy, which has none either
ASKED = 2  # of one that plays worlds out: for so many steps its network is asked, then its adviser decides; 0 if it is always asked
LOOK, FADES, TURN_DRAWS, DANGER = 4, 5, 6, 7  # of a marjj: points for what the next card saves, less each turn of so many draws; of feeding
DRAW_TURN = 4
DRAWS, DECLINES, DROPS = 5, 8, 11  # one rank away, two away, same rank
MELD = 14  # obtainability of a card the opponent took, of an unknown card; weight of sets, of runs
NEAR = 18  # adjacency: same rank, one away, two away
TURN_SLOPE, TURN_POWER, KNOWN_SLOPE, KNOWN_POWER = 21, 22, 23, 24
WEIGHT = 25  # of the six policies
MELD_MOST, NEAR_MOST = 31, 32
TURN_LAG = 33
OWN_TOP = 34  # obtainability of the player's own discard on top of the pile
ANY_MELD = 35  # 1: take the upcard for any meld, 0: only for one that the best arrangement uses
# Beyond the paper, each with a value that changes nothing.
DRAW_LEAST = 36  # points by which a late upcard must lower deadwood
DRAW_NEED, DRAW_PROMISE = 37, 38  # take an upcard at any time when points + promise * meldability reach the need
DRAW_KNOCK = 39  # take an upcard that brings deadwood down to so much
MELDED = 40  # meldability of a card in a meld, for its kind of meld
FEED, FEED_TURN = 41, 42  # points that a discard costs which the opponent can meld, and more with every own draw
WEIGHS_KNOCK, KNOCK_WEIGHT = 43, 44  # knock when a sum is positive: constant, draws, deadwood, cards that make gin, cards the opponent took
DEADWOOD_POWER = 49  # below 1: the last points of deadwood weigh more than the first
PARAMETERS = 50

# Places in a vector of rules, [RULES] int64.
LIMIT, OKLAHOMA, GIN, BIG_GIN, UNDERCUT, EQUAL, OFFER, FLOOR, MOST_UPCARDS, MOST_DRAWS, RANDOM_START, NEXT, POINTS_WANTED = range(13)
CARDS_EACH, RANKS = 13, 14  # ten of thirteen; smaller games serve where something is computed exactly
ANY_SCORES = 15  # 1: every match starts with scores drawn at random, to learn from
WALL_KNOCK, RETURN_UPCARD, RETURNED_TWICE = 16, 17, 18  # of the vector environment; no player of a batch puts an upcard back
SUITS = 19
RULES = 20
ALTERNATES, WINNER, LOSER = 0, 1, 2

# What a step of the log says: seat, verb, card, melds.
SEAT, VERB, CARD, FIRST_MELD = 0, 1, 2, 3
LOG_WIDTH = 7

# What is counted per match, [games, COUNTS] int32.
WINNER_SEAT, ROUNDS, DRAWN, VOIDS, STEPS = range(5)
SCORE, GINS, UNDERCUTS, WON = 5, 7, 9, 11  # two places each
COUNTS = 13

# Notes of a round, [NOTES] int64.
STOCK_LEFT, PILE, PILED, UPCARDS, STEP, N_DRAWS = 0, 1, 2, 3, 4, 5
HAND, KNOWN, TURN, DROPPED, SCORED = 6, 8, 10, 12, 14  # two places each
KNOCK_LIMIT = 16  # the most deadwood to knock with in this round
DECLINED = 17  # two places: upcards that a seat has left lying, as hands
NOTES = 19

# What a seat that keeps a diary writes into it at each of its discards, [turns, DIARY] float64: its deadwood, cards known of the opponent,
# points if it knocked, whether it did, the risk of the discard, what it expected, whether the discard was taken; the cards as planes
# (kernel_light) after the discard, and before a draw from stock, -1 if it took the upcard; the points of the round, when it is over.
LEFT_OVER, SEEN, IF_KNOCK, KNOCKED, RISK, EXPECTED, TAKEN, PLANE, DRAW_PLANE, RESULT = 0, 1, 2, 3, 4, 5, 6, 7, 9, 11
OF_OPPONENT, DISCARDED, OWN_SCORE, OTHER_SCORE = 12, 13, 14, 15  # cards that the opponent dropped, the discard, the match before the round
DIARY = 16
DIARY_ROWS = 24  # turns that are kept
CANNOT_KNOCK = -1e9

# What a book of values tells apart.
TURNS = 16  # own draws; after the last the round is void
KNOWNS = 5  # 0 to 3 cards of the opponent seen, or more
DEADWOODS = 100
HAZARD, PRICE, BIAS = 0, 1, 2
ODDS = 3

# The layers of a network.
WIDE, NARROW = 64, 32

# What a policy reads: planes of cards (own, known of the other, dropped by it, declined by it, dropped by oneself, pile, upcard, cards to
# knock with), shades, which are planes of numbers (place in the pile, advice to drop and to knock with), and numbers (to be offered the
# upcard, to have to draw, to draw, to drop; both turns, stock, both scores, limit, deadwood; advice to draw, to take, and on the whole).
PLANES, SHADES, SCALARS = 8, 3, 14

# Where the advice of a light network lies, [ADVICE] float32: what less than the best an action is worth, and what the best is.
ADVISED_DRAW, ADVISED_TAKE, ADVISED_WORTH, ADVISED_DROP, ADVISED_KNOCK = 0, 1, 2, 3, 55
ADVICE = 107


class Values(NamedTuple):
    """What the tables of a computed player hold: V of every hand at every turn, and what is known of the opponent."""

    codes: Any  # [slots, classes] of an unsigned type: V in steps
    turns: Any  # [TURNS + 2, 3] float64: slot, low, step of each turn
    keys: Any  # of the numbering of hands, as are the patterns
    patterns: Any
    odds: Any  # [TURNS + 2, KNOWNS, ODDS] float64, by turn and by how many cards of the opponent have been seen
    knock: Any  # [TURNS + 2, KNOWNS, DEADWOODS] float64
    caught: Any  # [TURNS + 2, KNOWNS, DEADWOODS] float64
    deck: Any  # [2] int64: all cards as a hand, and how many each player holds


class Network(NamedTuple):
    """The network of a light player, float32, biases last."""

    rows: Any  # [ROWS, WIDE]
    first: Any  # [WIDE + 1, NARROW]
    last: Any  # [NARROW + 1, 3]


class PolicyLayers(NamedTuple):
    """The network of a player by policy, float32, biases last; ``wide`` and ``deep`` are free."""

    rows: Any  # of the light network that advises it, as are the next two
    first: Any
    last: Any
    trust: Any  # [3], how much advice to draw or take, to drop and to knock counts by itself
    own: Any  # [(PLANES + SHADES) * 13, wide], from a suit
    every: Any  # [(PLANES + SHADES) * 13, wide], from the mean of the suits
    scalars: Any  # [SCALARS + 1, wide]
    deep_own: Any  # [deep, wide, wide]
    deep_every: Any  # [deep, wide, wide]
    deep_bias: Any  # [deep, wide]
    cards: Any  # [wide + 1, 39], to drop a card of a suit, to knock with it, and whether the other holds it
    plain: Any  # [wide + 1, 5], to pass, draw, take, declare big gin; and what the position is worth


class Known(NamedTuple):
    """What a policy decides by."""

    planes: Any  # [PLANES] int64, as hands
    shades: Any  # [SHADES, 52] float32
    scalars: Any  # [SCALARS] float32
    allowed: Any  # cards that may be dropped, as a hand


class Bench(NamedTuple):
    """What a policy computes on, and where a kernel writes what the policy knows."""

    layers: Any  # [2, 5, wide or wider] float32: of each suit, and their mean
    values: Any  # [64] float64, of the actions that are compared
    planes: Any  # of a Known, as are the next two
    shades: Any
    scalars: Any
    advice: Any  # [ADVICE] float32


class Book(NamedTuple):
    """What a seat computes with; two of the three are empty. Arrays may lie on a GPU, where no policy plays."""

    values: Values
    network: Network
    policy: PolicyLayers


class Pair(NamedTuple):
    """Two players, as the kernels know them."""

    vectors: Any  # [2, PARAMETERS] float64
    books: tuple[Book, Book]


class Sight(NamedTuple):
    """What a seat sees when it decides; hands, cards and numbers are int64."""

    hand: Any
    barred: Any  # the card that may not be dropped, as a hand
    turn: Any  # own draws
    known: Any  # cards of the opponent that were seen, as a hand
    pile: Any  # as a hand
    dropped: Any  # cards that the opponent dropped, as a hand
    top: Any  # of the pile, a card or -1
    fed: Any  # whether the opponent dropped it
    own: Any  # points in the match
    other: Any
    limit: Any  # the most deadwood to knock with


class Sheet(NamedTuple):
    """What a seat computes on."""

    ob: Any  # [68] float64, obtainabilities
    left: Any  # [52] int64, deadwood after each discard
    risks: Any  # [52] float64, of each discard; a light player keeps there what knocking with it is worth
    values: Any  # [53] float64, of each discard, and the chosen one
    terms: Any  # [2, 52] float64, meldabilities of the cards of a hand, and of those without one of them
    total: Any  # [2, WIDE] float32, of the network
    inner: Any  # [NARROW] float32


class Desk(NamedTuple):
    """What a kernel writes on while it plays a round; on a GPU the arrays lie in the memory of a thread."""

    deck: Any  # [52] int64
    notes: Any  # [NOTES] int64
    used: Any  # [2, 52] int64, for each card those it made a {drawn, discarded} pair with
    order: Any  # [2, 12] int64, hands as they came
    belief: Any  # [2, 54] float64
    pile: Any  # [64] int64, card + 64 for one that seat 0 dropped, + 128 for seat 1
    melds: Any  # [4] int64, of the defender
    shown: Any  # [4] int64, of the knocker
    outcome: Any  # [5] int64: winner, points, whether gin, whether undercut, who knocked
    log: Any  # [steps, LOG_WIDTH] int64
    sheet: Sheet
    bench: Bench
