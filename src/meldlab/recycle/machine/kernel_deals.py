"""What a seat sees, deals that agree with it, and positions and options as they look from a seat.

``state``: [words] int64; ``layout``: [LAYOUT] int64. The working arrays of a search, ``orders`` and ``hunt``, are described in
``kernel_search``. Nothing here depends on how the cards that a seat cannot see lie: they are listed by type, and places by location.
"""

import numpy as np

from meldlab.chance.kernel import below, mix
from meldlab.compiling import scalar_kernel
from meldlab.recycle.machine.kernel_layout import *

# --- orders: what does not change during a search
(
    O_SIGN, O_KEY, O_MEMORIES, O_BACKS, O_BACK, O_KNOWN, O_POOL, O_DEALT, O_PLACE, O_PLACE_BACK, O_WAY, O_WAY_SLOT, O_FOUND,
    O_SEATS,
) = range(14)  # fmt: skip
# --- of each seat, from 1: kind, simulations per option, deals, what is remembered, what is sought, exploration in thousandths, how many
# decisions a simulation goes on
KIND_OF, SIMULATIONS_OF, DEALS_OF, REMEMBERS, SEEKS, EXPLORES, LASTS = range(7)
SEAT_WORDS = 7


@scalar_kernel
def visible(state, home, seat):
    """Tell whether a seat sees the cards of a location."""
    kind = state[home + KIND_AT]
    if kind == PRIVATE:
        return state[home + OWNER_AT] == seat
    if kind == FROM_OWNER:
        return state[home + OWNER_AT] != seat
    return kind != HIDDEN


@scalar_kernel
def place_of(state, home):
    """Return a number that names a location in every copy of a game."""
    return np.uint64(state[home + FIRST_AT]) << np.uint64(24) ^ np.uint64(state[home + INDEX_AT])


@scalar_kernel
def effect(state, layout, seat):
    """Return a number for what the option being explored does, as its seat can tell before: options that do the same have the same.

    Read from the trail: cells and their new values, and cards that changed their home; a card that the seat did not see counts without
    its face, so that taking one unseen card of a list is taking any.
    """
    result = np.uint64(0)
    cards, fixed = layout[L_CARDS], layout[L_FIXED]
    for at in range(layout[L_TRAIL], state[TRAIL], 2):
        where = state[at]
        if where < layout[L_PLAYER_CYCLE]:
            continue
        if where < layout[L_TEAM_CELLS_END]:
            result += mix(np.uint64(where) << np.uint64(32) ^ np.uint64(state[where]))
        elif cards <= where < fixed and (where - cards) % NODE == HOME:
            card, before, after = where - HOME, state[at + 1], state[where]
            face = np.uint64(0)
            if before and visible(state, before, seat):
                face = np.uint64(state[card + TYPE] + 1)
            end = np.uint64((1 if state[card + BELOW] == 0 else 0) + (2 if state[card + ABOVE] == 0 else 0))
            x = mix(face)
            if before:
                x = mix(x ^ place_of(state, before))
            x = mix(x ^ place_of(state, after))
            result += mix(x ^ end) if visible(state, after, seat) else x
    return np.int64(result >> np.uint64(1))


@scalar_kernel
def looks(state, layout, orders, seat):
    """Return a number for a position as a seat sees it; seat 0 sees everything."""
    h = mix(np.uint64(state[PC]) ^ np.uint64(state[DECISION]) << np.uint64(32))
    first, end = layout[L_PENDING], layout[L_PENDING]
    if seat:
        # What was chosen but not yet shown; a seat's own choice is part of the way to the position.
        end += layout[L_PENDING_WIDTH] * layout[L_PLAYERS]
    multiplier = np.uint64(0x9E3779B97F4A7C15)
    for at in range(layout[L_PLAYER_CYCLE], first):
        h = (h ^ np.uint64(state[at])) * multiplier
        h ^= h >> np.uint64(32)
    for at in range(end, layout[L_TEAM_CELLS_END]):
        h = (h ^ np.uint64(state[at])) * multiplier
        h ^= h >> np.uint64(32)
    for i in range(state[CARDS]):
        card = layout[L_CARDS] + NODE * i
        home, under = state[card + HOME], state[card + BELOW]
        x = place_of(state, home)
        if seat == 0 or visible(state, home, seat):
            lower = state[under + TYPE] + 2 if under else 1
            x ^= np.uint64(state[card + TYPE] + 1) << np.uint64(40) ^ np.uint64(lower) << np.uint64(52)
        h += mix(x)
    if state[REMEMBERED]:
        memories = orders[O_MEMORIES]
        for i in range(orders[memories]):
            family = orders[memories + 1 + i]
            # The location of index 0 is in the chain once it was named, and holds nothing before.
            home = state[family + CHAIN_AT]
            while home:
                node, place = state[home + BOTTOM_AT], mix(place_of(state, home))
                while node:
                    place = mix(place ^ np.uint64(state[state[node + TYPE] + TYPE] + 1))
                    h += place
                    node = state[node + ABOVE]
                home = state[home + NEXT_AT]
    return h >> np.uint64(1)


# --- deals that agree with what a seat sees


@scalar_kernel
def knows(layout, orders, hunt, seat, card):
    """Tell whether a seat remembers where a card is that it does not see."""
    if not orders[O_SEATS + SEAT_WORDS * seat + REMEMBERS]:
        return False
    return hunt[orders[O_KNOWN] + seat * layout[L_CARDS_LIMIT] + (card - layout[L_CARDS]) // NODE] != 0


@scalar_kernel
def survey(state, layout, orders, hunt, seat):
    """List the places that a seat does not see, location by location from the bottom up, and the cards in them; return how many.

    The cards are the pool: by back and type, those that the seat remembers last.
    """
    pool, place, place_back = orders[O_POOL], orders[O_PLACE], orders[O_PLACE_BACK]
    places = 0
    family = layout[L_TEAM_CELLS_END]
    while family < layout[L_CARDS]:
        if state[family + KIND_AT] != MEMORY and not visible(state, family, seat):
            home = family
            following = state[family + CHAIN_AT]
            while home:
                node = state[home + BOTTOM_AT]
                while node:
                    hunt[place + places] = home
                    hunt[place_back + places] = orders[orders[O_BACK] + state[node + TYPE]]
                    places += 1
                    node = state[node + ABOVE]
                # The location of index 0 comes first, wherever it stands in the chain.
                home = following
                following = state[home + NEXT_AT] if home else 0
                if home == family:
                    home = following
                    following = state[home + NEXT_AT] if home else 0
        family += LOCATION
    hidden = 0
    for i in range(state[CARDS]):
        card = layout[L_CARDS] + NODE * i
        if not visible(state, state[card + HOME], seat):
            rank = card_rank(state, layout, orders, hunt, seat, card)
            at = hidden
            while at > 0 and card_rank(state, layout, orders, hunt, seat, hunt[pool + at - 1]) > rank:
                hunt[pool + at] = hunt[pool + at - 1]
                at -= 1
            hunt[pool + at] = card
            hidden += 1
    return hidden


@scalar_kernel
def card_rank(state, layout, orders, hunt, seat, card):
    """Return where a hidden card stands in the pool: those that are remembered last, else by back and type."""
    kind = state[card + TYPE]
    known = 1 if knows(layout, orders, hunt, seat, card) else 0
    return (known << 40) + (orders[orders[O_BACK] + kind] << 30) + kind


@scalar_kernel
def deal(state, layout, orders, hunt, seat, hidden, key):
    """Deal the cards listed by ``survey`` anew: remembered ones to places of their location, all others to the rest."""
    pool, dealt, place, place_back = orders[O_POOL], orders[O_DEALT], orders[O_PLACE], orders[O_PLACE_BACK]
    for i in range(hidden):
        hunt[dealt + i] = 0
    draw = 0
    known = hidden
    while known > 0 and knows(layout, orders, hunt, seat, hunt[pool + known - 1]):
        known -= 1
    for i in range(known, hidden):
        card = hunt[pool + i]
        back, home = orders[orders[O_BACK] + state[card + TYPE]], state[card + HOME]
        free = 0
        for j in range(hidden):
            if hunt[dealt + j] == 0 and hunt[place + j] == home and hunt[place_back + j] == back:
                free += 1
        nth = below(key, draw, free)
        draw += 1
        for j in range(hidden):
            if hunt[dealt + j] == 0 and hunt[place + j] == home and hunt[place_back + j] == back:
                if nth == 0:
                    hunt[dealt + j] = card
                    break
                nth -= 1
    # One back after the other; each place draws from the cards not yet dealt.
    first = 0
    for back in range(orders[O_BACKS]):
        end = first
        while end < known and orders[orders[O_BACK] + state[hunt[pool + end] + TYPE]] == back:
            end += 1
        if end == first:
            continue
        rest = orders[O_FOUND]
        for i in range(first, end):
            hunt[rest + i] = hunt[pool + i]
        for j in range(hidden):
            if hunt[dealt + j] == 0 and hunt[place_back + j] == back:
                other = first + below(key, draw, end - first)
                draw += 1
                hunt[dealt + j] = hunt[rest + other]
                hunt[rest + other] = hunt[rest + first]
                first += 1
    # Link the cards as they lie now.
    under = 0
    for j in range(hidden):
        home, card = hunt[place + j], hunt[dealt + j]
        if j == 0 or hunt[place + j - 1] != home:
            under = 0
            state[home + BOTTOM_AT] = card
        else:
            state[under + ABOVE] = card
        state[card + BELOW] = under
        state[card + HOME] = home
        state[card + ABOVE] = 0
        state[home + TOP_AT] = card
        under = card


# --- what the seats learn from what happens


@scalar_kernel
def leave_unseen(state, layout, orders, hunt, seat, home, card):
    """Forget what a seat knew of a location that a card left unseen: it may have been any of them."""
    base = orders[O_KNOWN] + seat * layout[L_CARDS_LIMIT]
    for i in range(state[CARDS]):
        other = layout[L_CARDS] + NODE * i
        if hunt[base + i] and state[other + HOME] == home:
            hunt[base + i] = 0
    hunt[base + (card - layout[L_CARDS]) // NODE] = 0


@scalar_kernel
def learn(state, layout, orders, hunt):
    """Let every seat that remembers follow the cards in the log: those it saw go to where it does not see them, and those it lost.

    Lists that are swapped or interleaved as a whole, or shuffled, take along what is known of them.
    """
    for at in range(layout[L_LOG], layout[L_LOG] + state[LOG], 4):
        what, a, b, c = state[at], state[at + 1], state[at + 2], state[at + 3]
        for seat in range(1, layout[L_PLAYERS] + 1):
            if not orders[O_SEATS + SEAT_WORDS * seat + REMEMBERS]:
                continue
            base = orders[O_KNOWN] + seat * layout[L_CARDS_LIMIT]
            if what == MOVE:
                if visible(state, b, seat) or visible(state, c, seat):
                    hunt[base + (a - layout[L_CARDS]) // NODE] = 1
                elif b != c:
                    leave_unseen(state, layout, orders, hunt, seat, b, a)
            elif what == SWAP_CARDS:
                home, other_home = c & 0xFFFFFFFF, c >> 32
                if home != other_home and not visible(state, home, seat) and not visible(state, other_home, seat):
                    leave_unseen(state, layout, orders, hunt, seat, home, a)
                    leave_unseen(state, layout, orders, hunt, seat, other_home, b)
                elif home != other_home:
                    hunt[base + (a - layout[L_CARDS]) // NODE] = 1
                    hunt[base + (b - layout[L_CARDS]) // NODE] = 1
            elif what == REMEMBER:
                hunt[base + (a - layout[L_CARDS]) // NODE] = 1
