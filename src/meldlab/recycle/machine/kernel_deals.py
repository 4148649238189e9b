"""What a seat sees, deals that agree with it, and positions and options as they look from a seat.

``state``: [words] int64; ``layout``: [LAYOUT] int64; ``known``: [players + 1, cards] uint8, which cards each seat remembers the location
of. Nothing here depends on how the cards that a seat cannot see lie: they are listed by type, and places by location.
"""

from typing import NamedTuple

import numpy as np

from meldlab.chance.kernel import below, mix
from meldlab.compiling import device_function
from meldlab.recycle.machine.kernel_layout import *


class Deals(NamedTuple):
    """What cards look like from behind, and the arrays on which those that a seat cannot see are listed and dealt."""

    backs: int  # how many there are
    back: np.ndarray  # [types] int64, the number of the back of each type of card
    memories: np.ndarray  # [memories] int64, the locations by name that remember cards
    known: np.ndarray
    pool: np.ndarray  # [cards] int64, as all that follow: the unseen cards
    home: np.ndarray  # the location of each unseen place
    back_at: np.ndarray  # the back that lies there
    dealt: np.ndarray  # the card that comes there
    rest: np.ndarray


seen = device_function(sees)


@device_function
def visible(state, home, seat):
    """Tell whether a seat sees the cards of a location."""
    return seen(state[home + KIND_AT], state[home + OWNER_AT], seat)


@device_function
def place_of(state, home):
    """Return a number that names a location in every copy of a game."""
    return np.uint64(state[home + FIRST_AT]) << np.uint64(24) ^ np.uint64(state[home + INDEX_AT])


@device_function
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


@device_function
def appearance(state, layout, memories, seat):
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
        for family in memories:
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


@device_function
def number_of(layout, card):
    """Return the number of a card, from 0."""
    return (card - layout[L_CARDS]) // NODE


@device_function
def survey(state, layout, deals, seat):
    """List the places that a seat does not see, location by location from the bottom up, and the cards in them; return how many.

    The cards are the pool: by back and type, those that the seat remembers last.
    """
    places = 0
    family = layout[L_TEAM_CELLS_END]
    while family < layout[L_CARDS]:
        if state[family + KIND_AT] != MEMORY and not visible(state, family, seat):
            home = family
            following = state[family + CHAIN_AT]
            while home:
                node = state[home + BOTTOM_AT]
                while node:
                    deals.home[places] = home
                    deals.back_at[places] = deals.back[state[node + TYPE]]
                    places += 1
                    node = state[node + ABOVE]
                # The location of index 0 comes first, wherever it stands in the chain.
                home = following
                following = state[home + NEXT_AT] if home else 0
                if home == family:
                    home = following
                    following = state[home + NEXT_AT] if home else 0
        family += LOCATION
    pool, known, back = deals.pool, deals.known, deals.back
    hidden = 0
    for i in range(state[CARDS]):
        card = layout[L_CARDS] + NODE * i
        if not visible(state, state[card + HOME], seat):
            order = order_in_pool(state, layout, known, back, seat, card)
            at = hidden
            while at > 0 and order_in_pool(state, layout, known, back, seat, pool[at - 1]) > order:
                pool[at] = pool[at - 1]
                at -= 1
            pool[at] = card
            hidden += 1
    return hidden


@device_function
def order_in_pool(state, layout, known, back, seat, card):
    """Return where a hidden card stands in the pool: those that are remembered last, else by back and type."""
    kind = state[card + TYPE]
    return (np.int64(known[seat, number_of(layout, card)]) << 40) + (back[kind] << 30) + kind


@device_function
def first_known(layout, deals, seat, hidden):
    """Return where in the pool the cards begin that a seat remembers, and let every unseen place be free."""
    for i in range(hidden):
        deals.dealt[i] = 0
    known = hidden
    while known > 0 and deals.known[seat, number_of(layout, deals.pool[known - 1])]:
        known -= 1
    return known


@device_function
def deal(state, layout, deals, seat, hidden, key):
    """Deal the cards listed by ``survey`` anew: remembered ones to places of their location, all others to the rest."""
    pool, dealt, back_at, back_of, rest = deals.pool, deals.dealt, deals.back_at, deals.back, deals.rest
    known = first_known(layout, deals, seat, hidden)
    draw = 0
    for i in range(known, hidden):
        card = pool[i]
        back, home = back_of[state[card + TYPE]], state[card + HOME]
        free = 0
        for j in range(hidden):
            if dealt[j] == 0 and deals.home[j] == home and back_at[j] == back:
                free += 1
        nth = below(key, draw, free)
        draw += 1
        for j in range(hidden):
            if dealt[j] == 0 and deals.home[j] == home and back_at[j] == back:
                if nth == 0:
                    dealt[j] = card
                    break
                nth -= 1
    # One back after the other; each place draws from the cards not yet dealt.
    first = 0
    for back in range(deals.backs):
        end = first
        while end < known and back_of[state[pool[end] + TYPE]] == back:
            end += 1
        if end == first:
            continue
        for i in range(first, end):
            rest[i] = pool[i]
        for j in range(hidden):
            if dealt[j] == 0 and back_at[j] == back:
                other = first + below(key, draw, end - first)
                draw += 1
                dealt[j] = rest[other]
                rest[other] = rest[first]
                first += 1
    lay(state, deals.home, dealt, hidden)


@device_function
def lay(state, homes, dealt, hidden):
    """Let the dealt cards lie in their places."""
    under = 0
    for j in range(hidden):
        home, card = homes[j], dealt[j]
        if j == 0 or homes[j - 1] != home:
            under = 0
            state[home + BOTTOM_AT] = card
        else:
            state[under + ABOVE] = card
        state[card + BELOW] = under
        state[card + HOME] = home
        state[card + ABOVE] = 0
        state[home + TOP_AT] = card
        under = card


@device_function
def mask(state, layout, deals, seat):
    """Take out of a state what a seat may not know: chance, secret choices, how the unseen cards lie; return how many it remembers.

    The unseen cards are laid by their numbers, and the types that nobody has named are given to them in order, so that two states that
    look alike become one. The cards that the seat remembers are listed in ``deals.rest``.
    """
    for at in (KEY, EVENT, STEPS, LOG_SPLIT, GAME_WORK, TELLING):
        state[at] = 0
    for at in range(WORKING, HEADER):
        state[at] = 0
    for i in range(layout[L_PLAYERS]):
        # When somebody chose is no secret.
        for at in range(1, layout[L_PENDING_WIDTH]):
            state[layout[L_PENDING] + i * layout[L_PENDING_WIDTH] + at] = 0
    hidden = survey(state, layout, deals, seat)
    pool, dealt, rest, back = deals.pool, deals.dealt, deals.rest, deals.back
    known = first_known(layout, deals, seat, hidden)
    # Cards that memories name keep their types; here dealt marks them.
    named = state[REMEMBERED] > 0
    if named:
        for i in range(state[CARDS]):
            dealt[i] = 0
        for family in deals.memories:
            home = state[family + CHAIN_AT]
            while home:
                node = state[home + BOTTOM_AT]
                while node:
                    dealt[number_of(layout, state[node + TYPE])] = 1
                    node = state[node + ABOVE]
                home = state[home + NEXT_AT]
    types = 0
    for i in range(known):
        if not named or dealt[number_of(layout, pool[i])] == 0:
            rest[types] = state[pool[i] + TYPE]
            types += 1
    types = 0
    for number in range(deals.backs):
        for i in range(state[CARDS]):
            card = layout[L_CARDS] + NODE * i
            if deals.known[seat, i] or visible(state, state[card + HOME], seat) or (named and dealt[i]):
                continue
            if back[state[card + TYPE]] == number:
                state[card + TYPE] = rest[types]
                types += 1
    # Remembered cards come to the first places of their location, the others follow by number.
    for j in range(hidden):
        dealt[j] = 0
    for i in range(known, hidden):
        rest[i] = pool[i]
        for j in range(hidden):
            if dealt[j] == 0 and deals.home[j] == state[pool[i] + HOME] and deals.back_at[j] == back[state[pool[i] + TYPE]]:
                dealt[j] = pool[i]
                break
    at = 0
    for i in range(state[CARDS]):
        card = layout[L_CARDS] + NODE * i
        if not (deals.known[seat, i] or visible(state, state[card + HOME], seat)):
            pool[at] = card
            at += 1
    for number in range(deals.backs):
        j = 0
        for i in range(known):
            if back[state[pool[i] + TYPE]] == number:
                while dealt[j] or deals.back_at[j] != number:
                    j += 1
                dealt[j] = pool[i]
    for i in range(known, hidden):
        rest[i - known] = rest[i]
    lay(state, deals.home, dealt, hidden)
    return hidden - known


# --- what the seats learn from what happens


@device_function
def leave_unseen(state, layout, known, home, card):
    """Forget what a seat knew of a location that a card left unseen: it may have been any of them."""
    for i in range(state[CARDS]):
        if known[i] and state[layout[L_CARDS] + NODE * i + HOME] == home:
            known[i] = 0
    known[number_of(layout, card)] = 0


@device_function
def learn(state, layout, known, seat):
    """Let a seat follow the cards in the log: ``known``, [cards] uint8, are those it saw go to where it does not see them and not lost.

    Lists that are swapped or interleaved as a whole, or shuffled, take along what is known of them. Where more happened than the log
    holds, everything is forgotten.
    """
    if layout[L_LOG] + state[LOG] > layout[L_LOG_END]:
        for i in range(len(known)):
            known[i] = 0
        return
    for at in range(layout[L_LOG], layout[L_LOG] + state[LOG], 4):
        what, a, b, c = state[at], state[at + 1], state[at + 2], state[at + 3]
        if what == MOVE:
            if visible(state, b, seat) or visible(state, c, seat):
                known[number_of(layout, a)] = 1
            elif b != c:
                leave_unseen(state, layout, known, b, a)
        elif what == SWAP_CARDS:
            home, other_home = c & 0xFFFFFFFF, c >> 32
            if home != other_home and not visible(state, home, seat) and not visible(state, other_home, seat):
                leave_unseen(state, layout, known, home, a)
                leave_unseen(state, layout, known, other_home, b)
            elif home != other_home:
                known[number_of(layout, a)] = 1
                known[number_of(layout, b)] = 1
        elif what == REMEMBER:
            known[number_of(layout, a)] = 1


@device_function
def learn_all(state, layout, known):
    """Let every seat learn."""
    for seat in range(1, layout[L_PLAYERS] + 1):
        learn(state, layout, known[seat], seat)
