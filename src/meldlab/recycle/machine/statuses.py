"""How a game can end, in words."""

from meldlab.recycle.machine import kernel_layout as k

__all__ = ["reason"]

_REASONS = {
    k.FINISHED: "the game is over",
    k.CAPPED: "the game took more decisions than allowed (raise the limit 'decisions')",
    k.NO_CARD: "there is no card here: the list is empty",
    k.BEYOND: "there are not so many cards in the list",
    k.ON_TABLE: "the card lies on the table and belongs to no player",
    k.NO_SEAT: "there is no player or team of this number",
    k.NO_TEAM: "this player is in no team",
    k.BY_ZERO: "division by zero",
    k.TOO_LARGE: "a number beyond 32 bits",
    k.NO_OPTION: "the choice has no option",
    k.NO_RANGE: "a random number from an empty range",
    k.NO_TARGET: "only a location (vloc, iloc, hloc, oloc) can be the target",
    k.FROM_MEMORY: "a memory (mem) only remembers cards; they lie elsewhere",
    k.NO_MEMORY: "this is no memory (mem), or it does not remember the card",
    k.NO_LIST: "there are not so many lists",
    k.STUCK: "a stage goes round and round without a decision (raise the limit 'steps' if that is meant)",
    k.OVERWORKED: "too much work between two decisions (raise the limit 'work')",
    k.OVERLONG: "too much work in one game (raise the limit 'game_work')",
    k.OUT_OF_LISTS: "computed lists take too much room (raise the limit 'lists')",
    k.OUT_OF_TRAIL: "exploring the options takes too much room (raise the limit 'lists')",
    k.OUT_OF_OPTIONS: "the choice has too many options (raise the limit 'options')",
    k.OUT_OF_LOCATIONS: "too many locations by index (raise the limit 'locations')",
    k.OUT_OF_MEMORIES: "too many cards are remembered (raise the limit 'memories')",
    k.OUT_OF_CARDS: "too many cards are made (raise the limit 'cards')",
    k.OUT_OF_PATH: "an option branches too often (raise the limit 'branches')",
    k.OUT_OF_AWARDS: "a point map has too many awards (raise the limit 'awards')",
    k.TOO_MANY_SUBSETS: "the list has too many subsets (ask for fewer, or raise the limit 'lists')",
    k.OUT_OF_LOG: "too much happens between two decisions to be told",
}


def reason(status: int) -> str:
    """Return what a status means.

    >>> reason(k.BY_ZERO)
    'division by zero'
    """
    return _REASONS[status]
