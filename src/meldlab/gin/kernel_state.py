"""The state of a match in kernels, the rules, the parameters of every kind of player, and the workspaces of players.

The state is one numpy record: a kernel gets one pointer, and reads ``state.hand[seat]``. Hands and sets of cards are masks of 52 bits.
"""

from typing import Any, NamedTuple

import numpy as np

# Actions: three without a card, one for every card to discard, one for every card to knock with, and big gin.
PASS, DRAW, TAKE, DISCARD, KNOCK, BIG_GIN = 0, 1, 2, 3, 55, 107
NUM_ACTIONS = 108

# The decision of the seat to move, as gin.view.Phase numbers it.
OFFERED, FORCED, DRAWING, DISCARDING, AT_WALL, LAST = range(6)

# The starter after a scored round.
ALTERNATES, WINNER, LOSER = range(3)

NO_CARD = -1
NO_SEAT = -1
MAX_MELDS = 4  # in one suit of eleven cards three, and so in all
MAX_ROUNDS = 1000  # a match without a winner by then is a draw: under some rules neither seat ever scores

_i8 = np.int64
_STATE_FIELDS = [
    # Of each seat: its hand, the opponent's cards that it has seen, its discards, the upcards that it left, its draws, its points.
    *((name, _i8, 2) for name in ("hand", "known", "discarded", "declined", "turns", "scores")),
    ("stock", _i8),  # cards face down; they are the end of the deck
    ("pile_mask", _i8),
    ("pile_size", _i8),
    ("upcard_draws", _i8),  # upcards taken, the one offered first not counted
    ("draws", _i8),
    ("step", _i8),  # actions of the match so far
    ("knock_limit", _i8),  # the most deadwood to knock with in this round
    ("phase", _i8),
    ("seat", _i8),  # the seat to move
    ("starter", _i8),
    ("round_index", _i8),
    ("drawn", _i8),  # the last card drawn
    ("taken", _i8),  # the card just drawn if it was the upcard, or NO_CARD
    ("returned", _i8),  # the upcard put back in the turn before, or NO_CARD; set only under void_if_returned_twice
    ("seed", _i8),
    ("game", _i8),
    ("root", _i8),  # of the draws of players
    ("winner", _i8),  # of the round that is over, or NO_SEAT
    ("points", _i8),
    ("gin", _i8),
    ("undercut", _i8),
    ("knocker", _i8),  # or NO_SEAT
    ("legal", _i8, 2),  # of the vector environment: actions 0 to 63 and the others, as bits
    ("own_seat", _i8),  # of the vector environment: the seat outside the environment, or NO_SEAT if it changes with every game
    ("shown", _i8, (2, MAX_MELDS)),  # melds of the knocker, and of the other
    ("deck", np.uint8, 52),
    ("pile", np.uint8, 52),  # the upcard last, each card + 64 * (1 + seat) for the seat that discarded it
]
# With np.record a state of numpy, which the simulator of CUDA works on, has attributes as one in a kernel has; no field may have the name
# of a method of numpy, such as "round".
STATE = np.dtype((np.record, np.dtype(_STATE_FIELDS, align=True)))
CARD_BITS, SEAT_SHIFT = 63, 6  # of a card in the pile

# The result of a match.
_i4 = np.int32
_MATCH_FIELDS = [
    ("winner", _i4),  # seat, or NO_SEAT
    *((name, _i4) for name in ("rounds", "draws", "voids", "actions")),
    *((name, _i4, 2) for name in ("points", "gins", "undercuts", "rounds_won")),
]
MATCH = np.dtype((np.record, np.dtype(_MATCH_FIELDS)))

# Decisions of a round that are recorded of a seat, [turns, TURN_WIDTH] float64, a row for each of its discards: deadwood left, number of
# known cards of the opponent, points of a knock, whether it knocked, the expected value; the cards as planes (kernel_value_network) after
# the discard, and before a draw from stock, -1 if the upcard was taken; the points of the round; the opponent's discards, the discard,
# both scores before the round.
LEFT_OVER, NUM_KNOWN, IF_KNOCK, KNOCKED, EXPECTED, PLANE, DRAW_PLANE, RESULT = 0, 1, 2, 3, 4, 5, 7, 9
OPPONENT_DISCARDS, DISCARDED, OWN_SCORE, OTHER_SCORE = 10, 11, 12, 13
TURN_WIDTH = 14
MAX_TURNS = 24  # rows of a seat and round
CANNOT_KNOCK = -1e9

# Dimensions of a value table.
TURNS = 16  # own draws; after the last the round is void
KNOWNS = 5  # 0 to 3 known cards of the opponent, or more
DEADWOODS = 100
HAZARD, PRICE, BIAS = 0, 1, 2
ODDS = 3

# The layers of a value network.
WIDE, NARROW = 64, 32

# The input of a policy: planes of cards (own, known, discarded by the opponent, declined by it, own discards, pile, upcard, cards to knock
# with), planes of floats (position in the pile, prior logits to discard and to knock with), and numbers (offered, forced, drawing,
# discarding; both turns, stock, both scores, limit, deadwood; prior logits to draw, to take, and the value).
PLANES, FLOAT_PLANES, SCALARS = 8, 3, 14
NUM_CARD_PLANES = 7  # of them, the first, also among the features of the vector environment

# The prior of a value network, [PRIOR] float32: the value of each action less that of the best, and the value of the best.
PRIOR_DRAW, PRIOR_TAKE, PRIOR_VALUE, PRIOR_DISCARD, PRIOR_KNOCK = 0, 1, 2, 3, 55
PRIOR = 107


class RuleNumbers(NamedTuple):
    """The rules of a match, as integers."""

    knock_limit: int
    oklahoma: int
    gin_bonus: int
    big_gin_bonus: int
    undercut_bonus: int
    equal_is_undercut: int
    offer_upcard: int
    stock_floor: int
    max_upcard_draws: int
    max_draws: int
    random_starter: int
    next_starter: int
    match_points: int
    cards: int  # ten of thirteen ranks and four suits; smaller games serve where something is computed exactly
    ranks: int
    suits: int
    wall_knock: int  # this and the next two are of the vector environment; no player of a batch puts an upcard back
    return_upcard: int
    void_if_returned_twice: int
    random_scores: int  # every match starts with random scores below this, for training; 0: without scores


class ValueTable(NamedTuple):
    """Parameters of a computed player: V of every hand at every turn, and a model of the opponent."""

    codes: Any  # [slots, classes] of an unsigned type: V in steps
    turns: Any  # [TURNS + 2, 3] float64: slot, low, step of each turn
    keys: Any  # of the numbering of hands, as are the patterns
    patterns: Any
    odds: Any  # [TURNS + 2, KNOWNS, ODDS] float64, by turn and number of known cards
    knock: Any  # [TURNS + 2, KNOWNS, DEADWOODS] float64
    caught: Any  # [TURNS + 2, KNOWNS, DEADWOODS] float64
    deck: Any  # [2] int64: all cards as a mask, and the size of a hand


class ValueWeights(NamedTuple):
    """The weights of a value network, float32, biases last."""

    rows: Any  # [ROWS, WIDE]
    first: Any  # [WIDE + 1, NARROW]
    last: Any  # [NARROW + 1, 3]


class PolicyWeights(NamedTuple):
    """The weights of a policy network, float32, biases last; ``wide`` and ``deep`` are free."""

    rows: Any  # of the prior network, as are the next two
    first: Any
    last: Any
    prior_scale: Any  # [3], factor of the prior logits to draw or take, to discard and to knock
    own: Any  # [(PLANES + FLOAT_PLANES) * 13, wide], from a suit
    every: Any  # [(PLANES + FLOAT_PLANES) * 13, wide], from the mean of the suits
    scalars: Any  # [SCALARS + 1, wide]
    deep_own: Any  # [deep, wide, wide]
    deep_every: Any  # [deep, wide, wide]
    deep_bias: Any  # [deep, wide]
    cards: Any  # [wide + 1, 39], to discard a card of a suit, to knock with it, and whether the opponent holds it
    plain: Any  # [wide + 1, 5], to pass, draw, take, declare big gin; and the value


class SimpleParameters(NamedTuple):
    """Parameters of the simple player."""

    knock: Any  # the most deadwood to knock with before a draw of the player, and from then on; the number of that draw


class EnsembleParameters(NamedTuple):
    """Parameters of an ensemble, documented in gin.players.ensemble.Ensemble; three shares are for cards one rank away, two away, of
    the same rank."""

    knock: Any
    draw_turn: float
    draws: Any
    declines: Any
    discards: Any
    meldability: Any  # obtainability of a card the opponent took, of an unknown card; weight of sets, of runs
    adjacency: Any  # same rank, one away, two away
    turn_penalty: Any  # slope, power; likewise the next
    known_penalty: Any
    weights: Any  # of the six policies
    meldability_most: float
    adjacency_most: float
    turn_lag: float
    own_top: float  # obtainability of the player's own discard on top of the pile
    any_meld: float  # 1: take the upcard for any meld, 0: only for one that the best arrangement uses
    draw_reduction: float  # points by which a late upcard must lower deadwood
    draw_need: float  # take an upcard at any time when points + promise * meldability reach the need
    draw_promise: float
    draw_to_knock: float  # take an upcard that brings deadwood down to this
    melded: float  # meldability of a card in a meld, for its kind of meld
    feed: Any  # cost of a discard that the opponent can meld, in points, and what is added for every own draw
    weighs_knock: float
    knock_weights: Any  # knock when a sum is positive: constant, draws, deadwood, cards that make gin, cards the opponent took
    deadwood_power: float  # below 1: the last points of deadwood weigh more than the first


class MarjjParameters(NamedTuple):
    """Parameters of the player written from the description of MARJJ."""

    knock: Any
    look_ahead: float  # points for the deadwood that the next card saves, fewer each turn
    fading: float
    turn_draws: float
    danger: float  # cost of a discard that the opponent can surely meld, in points


class NetworkParameters(NamedTuple):
    """Parameters of a player by a value network."""

    weights: ValueWeights
    noise: float  # spread of the noise added to every value, to explore other discards


class PolicyParameters(NamedTuple):
    """Parameters of a player by a policy network."""

    weights: PolicyWeights
    temperature: float
    network_steps: float  # from this number of actions on the prior network decides; 0: never


class Observation(NamedTuple):
    """The observation of a seat when it decides; sets of cards are masks."""

    hand: Any
    forbidden: Any  # the card that may not be discarded, as a mask
    turn: Any  # own draws
    known: Any  # cards known to be held by the opponent
    pile: Any
    opponent_discards: Any
    upcard: Any  # a card or NO_CARD
    upcard_from_opponent: Any
    own_score: Any
    other_score: Any
    knock_limit: Any


class PolicyInput(NamedTuple):
    """The input of a policy network, and the cards that may be discarded."""

    planes: Any  # [PLANES] int64, masks
    float_planes: Any  # [FLOAT_PLANES, 52] float32
    scalars: Any  # [SCALARS] float32
    allowed: Any  # a mask


class Workspace(NamedTuple):
    """Arrays for the decision of a player."""

    obtainability: Any  # [68] float64
    left: Any  # [52] int64, deadwood after each discard
    risks: Any  # [52] float64, of each discard; a value network puts the value of knocking with it there
    values: Any  # [52] float64, of each discard
    terms: Any  # [2, 52] float64, meldabilities of the cards of a hand, and of those without one of them
    total: Any  # [2, WIDE] float32, of a value network
    inner: Any  # [NARROW] float32


class PolicyWorkspace(NamedTuple):
    """Arrays for the decision of a policy, and its input."""

    plain: Workspace  # of the prior network; then ``plain.left`` has the cards of the actions that are compared
    layers: Any  # [2, 6, wide] float32: units of each suit, their mean, and indices of the units that are not 0 in all suits
    values: Any  # [64] float64, logits of the actions that are compared
    planes: Any  # of a PolicyInput, as are the next two
    float_planes: Any
    scalars: Any
    prior: Any  # [PRIOR] float32


class Memory(NamedTuple):
    """The memory of a player in a round, and its workspace."""

    cards: Any  # [52] int64; simple: for each card those it made a {drawn, discarded} pair with, ensemble: its hand in the order it came
    belief: Any  # [54] float64, of an ensemble
    workspace: Any  # Workspace or PolicyWorkspace
