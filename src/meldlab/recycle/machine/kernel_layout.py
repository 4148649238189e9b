"""Addresses and numbers: words of the state and the layout, fields of records, instructions, tasks and statuses.

A state is one array of int64::

    header | cycles | teams | cells | point maps | locations by name | cards | locations by index, memories || constants | registers
    | lists | trail | choice points | path | options | action keys | log | saved effects | tally

Up to ``||`` it is the game; copying that much forks it. The rest is workspace, empty between decisions. Numbers in a program are addresses
in this array, so a constant, a variable and a cell are read alike. A list is an address too: below ``LISTS_FROM`` that of a location, above
that of [length, members ..].

What backtracking must restore goes through ``put``, which saves the old value on the trail. That is the whole game, and the registers that
live from one item of a choice to the next where items are repeated: variables, and the counters of loops over items that choose (COPY_ITEM,
NEXT_ITEM, COUNT_ITEM). Code between two choice points, or that an option passes once, may write its registers directly (COPY, NEXT,
COUNT). Players are numbered from 1 in a state, as programs see them; seats count from 0 everywhere else.
"""

import numpy as np

from meldlab.chance.kernel_purpose import Purpose

# --- the header of a state
PC = 1  # the instruction to continue with
DECISION = 2  # decisions made
EVENT = 3  # chance events since the last of them
KEY = 4  # of the game, for addressed chance
STATUS = 5
CARDS = 6  # cards made
INDEXED = 7  # locations made by index
REMEMBERED = 8  # cards remembered
FREE = 9  # memories to use again, a chain
TOP = 10  # first free word behind locations and memories
STEPS = 11  # END tests since the last decision
TEAMS = 12
LOG_SPLIT = 13  # words of the log that belong to the option carried out
GAME_WORK = 14  # work done in the game so far, in instructions
KEY_PLAYER = 15  # the player (from 1) for whom options get an action key, 0 for none
WORKING = 16  # from here on the header is room to work in
HEAP = 16  # first free word for lists
TRAIL = 17  # first free word of the trail, 0 while nothing must be restored
MODE = 18
ACTED = 19
POINTS_OPEN = 20  # choice points
PATH = 21  # length of the path so far
PATH_END = 22  # length of the path to follow
ERROR_AT = 23
FLOOR = 24  # lists below belong to a choice point
OPTIONS = 25
OPTION_WORDS = 26
RETURN = 27  # where a carried out joint option goes back to
LOGGING = 28
LOG = 29  # words written
SAVED_DECISION = 30
SAVED_EVENT = 31
TRAIL_END = 32  # where the trail is full
WORK = 33  # of the present task: long instructions as they come, plain ones added when the loop stops
PAUSED_AT = 34  # the instruction to continue with after a pause
FOLLOWED = 35  # whether the option must be followed again to be carried out: it shuffles, or makes a location
LAST_CARD = 36  # that the option moves last, 0 for none, and where to
LAST_LOCATION = 37
LAST_END = 38
LAST_INDEX = 39
JUMPED = 40  # written where an instruction jumps, see kernel_run.run
HEADER = 41

# --- tasks of the machine; the last two are goals reached before: the options are listed, the first table is to be loaded
START, LIST_OPTIONS, TAKE_OPTION, PREVIEW, CONTINUE, SCORE_PLAYERS, OPTIONS_LISTED, LOAD_TABLE = range(8)
# --- goals of a job: one task; whole games; one decision of a searching player; counts of histories; a step of tables
ONE_TASK, PLAY, DECIDE_ONCE, PERFT, STEP_TABLES = range(5)
# --- instead of a task: the goal is reached; the fuel is spent; the rows of the tables must grow first; the next simulation is due
DONE, MORE, ROWS_TOO_NARROW, NEXT_SIMULATION = -1, -2, -3, -4

# --- a job: its goal, its task, the state it works on, whether the task is paused; its games, and players being scored
JOB = np.dtype(
    [(name, np.int64) for name in ("goal", "task", "level", "option", "paused", "spent", "games", "limit", "game", "prefer_last")]
    + [(name, np.uint64) for name in ("seed", "first", "root")]
    + [(name, np.int64) for name in ("player", "status", "error", "current", "queued")]
)

# --- modes
RUN, EXPLORE, FOLLOW = 0, 1, 2

# --- the layout: addresses and sizes that differ from program to program
(
    L_LISTS_FROM, L_LISTS, L_LISTS_END, L_TRAIL, L_TRAIL_END, L_OPEN, L_OPEN_END, L_PATH, L_PATH_END, L_OPTION, L_OPTION_END,
    L_OPTION_WORDS, L_OPTION_WORDS_END, L_LOG, L_LOG_END, L_PLAYERS, L_TYPES, L_COLUMN_OF, L_CARDS, L_CARDS_LIMIT,
    L_FIXED, L_INDEX_LIMIT, L_MEMORY_LIMIT, L_STEP_LIMIT, L_WORK_LIMIT, L_TEAM_OF, L_TEAM_LISTS, L_TEAM_CYCLES, L_TEAM_DEPTH,
    L_PLAYER_CYCLE, L_SCORE_AT, L_SCORES, L_AWARDS, L_AWARD_WIDTH, L_PENDING, L_PENDING_WIDTH, L_TEAM_CELLS, L_TEAM_CELLS_END,
    L_DYNAMIC_END, L_START, L_ACTION_KEYS, L_GAME_WORK_LIMIT, L_SAVED_EFFECTS, L_TALLY, LAYOUT, *_,
) = range(99)  # fmt: skip

# --- a location: [bottom, top, size, owner, kind, location of index 0, index, next touched, first touched, last touched]
BOTTOM_AT, TOP_AT, SIZE_AT, OWNER_AT, KIND_AT, FIRST_AT, INDEX_AT, NEXT_AT, CHAIN_AT, CHAIN_END_AT, LOCATION = range(11)
KINDS = ("vloc", "iloc", "hloc", "oloc", "mem")
PUBLIC, PRIVATE, HIDDEN, FROM_OWNER, MEMORY = range(len(KINDS))
# --- a card: [next above, next below, location, type]; a reference in a memory: [next above, next below, memory, card]
ABOVE, BELOW, LOCATION_AT, TYPE, NODE = range(5)
# --- a cycle: [current, queued, passes, member of a joint phase]
CURRENT, QUEUED, PASSES, MEMBER, CYCLE = range(5)
# --- a choice point: [trail, heap, instruction, list, member, variable (negative if it is to be restored), path, floor, acted]
OPEN = 9

# --- saved effects of an option: [writes, -1 for none saved; last move: card, location, end, index; address, value ..]
EFFECTS, MAX_WRITES, EFFECTS_HEADER = 36, 15, 5
SAVED_OPTIONS = 16  # the first options have their effects saved

# --- an instruction: [operation, five operands]; those of ``kernel_run`` have the first numbers, those of ``kernel_rare`` follow
STRIDE = 6
(
    JUMP, JEQ, JNE, JLT, JGE, JSIZE, JSIZE_AT, JCELL, JATTRIBUTE, JEMPTY, FIRST, NEXT, FIRST_CARD, NEXT_CARD, FIRST_REFERENCE,
    NEXT_REFERENCE, NEXT_ITEM, ATTRIBUTE, SCORE, SIZE, TOP_CARD, BOTTOM_CARD, ADDRESS, LOAD, LOAD_FIELD, COPY, COPY_ITEM, ANY, ANY_LAST,
    ALTERNATIVE, LEAF, MOVE, MOVE_LAST, MARK, RELEASE, PUT, ADJUST, ADD, SUB, LOCATE, SNAPSHOT, RESULT, APPEND, COUNT, COUNT_ITEM,
    FILTER_ATTRIBUTE, FILTER_SCORE, FILTER_SIZE, FILTER_SUM, JANY_ATTRIBUTE, JANY_SIZE, JANY_CELL, EACH_LOCATION, SIZES, LOCATE_INDEX,
    SUM, SCOREMAX, MUL, PARTITION, UNION, TAKE, RUNS, RANGE, OTHERS, REMEMBER, FORGET_AT, AWARD, CARD_AT, INDEXED_LISTS, CYCLE_NEXT, PASS,
    NEXT_SEAT, SEAT_NUMBER, PUSH, POP, ADVANCE, NEXT_TURN, ZERO_QUEUE, STEP, CHOICE, JOINT, CARRY_OUT, HALT, SCORED, ATTRIBUTE_BY,
    LOCATE_NAME, SCOREMIN, BEST, DIV, MOD, POW, TRI, FIB, RANDOM, LOAD_AT, PUT_AT, ADDRESS_NAME, PREVIOUS_SEAT, OWNER, TEAM_OF,
    INDEXED_NAME, PICK, PICK_LAST, PACK, INTERSECT, DISJUNCTION, LONGEST_RUN, SUBSETS, SORT, MEMBERS, FORGET_CARD, SWAP_CARDS, SWAP_LISTS,
    SHUFFLE, FARO, CYCLE_CURRENT, CLEAR_POINTS, TABLE_POINTS, UPDATE, RECOUNT, CREATE_CARDS, CREATE_TEAMS, *_,
) = range(999)  # fmt: skip
NAMES = list(globals())[list(globals()).index("JUMP") :]  # of the instructions, by their numbers

# --- ends of a list, as operands
AT_TOP, AT_BOTTOM, AT_INDEX, NOWHERE = 0, 1, 2, 3

# --- what a test jumps on, as an operand; an odd one is the opposite of the one before
IS, IS_NOT, IS_BELOW, IS_FROM, IS_ABOVE, IS_UP_TO = range(6)

# --- what the size of a subset is compared by, as an operand
ANY_SIZE, EQUAL, UNEQUAL, AT_MOST, AT_LEAST, BELOW_SIZE, ABOVE_SIZE = range(7)

# --- statuses, and what those that end a game mean
PLAYING, DECIDING, FINISHED, CAPPED = range(4)
PAUSED = -1  # in the middle of a task; only inside the kernel
(
    NO_CARD, BEYOND, ON_TABLE, NO_SEAT, NO_TEAM, BY_ZERO, TOO_LARGE, NO_OPTION, NO_RANGE, NO_TARGET, FROM_MEMORY, NO_MEMORY, NO_LIST,
    STUCK, OVERWORKED, OUT_OF_LISTS, OUT_OF_TRAIL, OUT_OF_OPTIONS, OUT_OF_LOCATIONS, OUT_OF_MEMORIES, OUT_OF_CARDS,
    OUT_OF_PATH, OUT_OF_AWARDS, TOO_MANY_SUBSETS, OVERLONG, *_,
) = range(10, 99)  # fmt: skip
REASONS = {
    FINISHED: "the game is over",
    CAPPED: "the game took more decisions than allowed (raise the limit 'decisions')",
    NO_CARD: "there is no card here: the list is empty",
    BEYOND: "there are not so many cards in the list",
    ON_TABLE: "the card lies on the table and belongs to no player",
    NO_SEAT: "there is no player or team of this number",
    NO_TEAM: "this player is in no team",
    BY_ZERO: "division by zero",
    TOO_LARGE: "a number beyond 32 bits",
    NO_OPTION: "the choice has no option",
    NO_RANGE: "a random number from an empty range",
    NO_TARGET: "only a location (vloc, iloc, hloc, oloc) can be the target",
    FROM_MEMORY: "a memory (mem) only remembers cards; they lie elsewhere",
    NO_MEMORY: "this is no memory (mem), or it does not remember the card",
    NO_LIST: "there are not so many lists",
    STUCK: "a stage goes round and round without a decision (raise the limit 'steps' if that is meant)",
    OVERWORKED: "too much work between two decisions (raise the limit 'work')",
    OVERLONG: "too much work in one game (raise the limit 'game_work')",
    OUT_OF_LISTS: "computed lists take too much room (raise the limit 'lists')",
    OUT_OF_TRAIL: "exploring the options takes too much room (raise the limit 'lists')",
    OUT_OF_OPTIONS: "the choice has too many options (raise the limit 'options')",
    OUT_OF_LOCATIONS: "too many locations by index (raise the limit 'locations')",
    OUT_OF_MEMORIES: "too many cards are remembered (raise the limit 'memories')",
    OUT_OF_CARDS: "too many cards are made (raise the limit 'cards')",
    OUT_OF_PATH: "an option branches too often (raise the limit 'branches')",
    OUT_OF_AWARDS: "a point map has too many awards (raise the limit 'awards')",
    TOO_MANY_SUBSETS: "the list has too many subsets (ask for fewer, or raise the limit 'lists')",
}

# --- purposes of chance; the numbers are those of docs/recycle-semantics.md
GAME_KEY = int(Purpose.DEAL)
FOR_RANDOM, FOR_TIE, FOR_SHUFFLE = int(Purpose.RANDOM_NUMBER), int(Purpose.TIE), int(Purpose.SHUFFLE)
FOR_TRIAL_SHUFFLE, FOR_CHOICE = int(Purpose.TRIAL_SHUFFLE), int(Purpose.CHOICE)
FOR_SEARCH, FOR_DEAL, FOR_FUTURE = int(Purpose.SEARCH), int(Purpose.SAMPLED_DEAL), int(Purpose.FUTURE)
FOR_UNTRIED, FOR_PENDING = int(Purpose.UNTRIED), int(Purpose.PENDING)


def sees(kind: int, owner: int, seat: int) -> bool:
    """Return whether a seat (from 0) sees the cards of a location of this kind and owner (a player from 1, 0 for the table)."""
    if kind == PRIVATE:
        return owner == seat + 1
    if kind == FROM_OWNER:
        return owner != seat + 1
    return kind != HIDDEN
