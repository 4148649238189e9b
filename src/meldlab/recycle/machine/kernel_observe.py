"""Observations of a seat: visibility, deals that agree with it, keys of positions and actions, and the cards it remembers.

``state``: [words] int64; ``layout``: [LAYOUT] int64; ``known``: [players, cards] uint8, the cards of which each seat remembers the
location. Nothing here depends on the order of the cards that a seat cannot see: they are listed by type, and places by location.
"""

from typing import NamedTuple

import numpy as np

from meldlab.chance.kernel import below, mix
from meldlab.compiling import device_function
from meldlab.recycle.machine import kernel_layout as k


class UnseenCards(NamedTuple):
    """Backs of cards, and the arrays in which the cards that a seat cannot see are listed and dealt."""

    backs: int  # how many there are
    back: np.ndarray  # [types] int64, the number of the back of each type of card
    memories: np.ndarray  # [memories] int64, the locations by name that remember cards
    known: np.ndarray  # [players, cards] uint8
    pool: np.ndarray  # [cards] int64, as all that follow: the unseen cards
    location: np.ndarray  # of each unseen place
    back_at: np.ndarray  # the back of the card there
    dealt: np.ndarray  # the card dealt there
    rest: np.ndarray


seen = device_function(k.sees)


@device_function
def seat_to_move(code, state):
    """Return the seat that is to decide; the choice names the word with its player."""
    return state[code[state[k.PC] + 3]] - 1


@device_function
def visible(state, location, seat):
    """Return whether a seat sees the cards of a location."""
    return seen(state[location + k.KIND_AT], state[location + k.OWNER_AT], seat)


@device_function
def location_key(state, location):
    """Return the key of a location, the same in every copy of a game."""
    return np.uint64(state[location + k.FIRST_AT]) << np.uint64(24) ^ np.uint64(state[location + k.INDEX_AT])


@device_function
def action_key(state, layout, seat):
    """Return a key of what the option being explored does as far as its seat knows: options with the same effect have the same key.

    It is read from the trail: cells and their new values, and cards that changed their location; a card that the seat did not see counts
    without its face, so that taking one unseen card of a list is taking any.
    """
    result = np.uint64(0)
    cards, fixed = layout[k.L_CARDS], layout[k.L_FIXED]
    for offset in range(layout[k.L_TRAIL], state[k.TRAIL], 2):
        where = state[offset]
        if where < layout[k.L_PLAYER_CYCLE]:
            continue
        if where < layout[k.L_TEAM_CELLS_END]:
            result += mix(np.uint64(where) << np.uint64(32) ^ np.uint64(state[where]))
        elif cards <= where < fixed and (where - cards) % k.NODE == k.LOCATION_AT:
            card, before, after = where - k.LOCATION_AT, state[offset + 1], state[where]
            face = np.uint64(0)
            if before and visible(state, before, seat):
                face = np.uint64(state[card + k.TYPE] + 1)
            end = np.uint64((1 if state[card + k.BELOW] == 0 else 0) + (2 if state[card + k.ABOVE] == 0 else 0))
            x = mix(face)
            if before:
                x = mix(x ^ location_key(state, before))
            x = mix(x ^ location_key(state, after))
            result += mix(x ^ end) if visible(state, after, seat) else x
    return np.int64(result >> np.uint64(1))


@device_function
def position_key(state, layout, memories, seat):
    """Return the key of a position as a seat sees it; seat -1 sees everything."""
    h = mix(np.uint64(state[k.PC]) ^ np.uint64(state[k.DECISION]) << np.uint64(32))
    first, end = layout[k.L_PENDING], layout[k.L_PENDING]
    if seat >= 0:
        # Choices not shown yet; a seat's own choice is part of the path to the position.
        end += layout[k.L_PENDING_WIDTH] * layout[k.L_PLAYERS]
    multiplier = np.uint64(0x9E3779B97F4A7C15)
    for offset in range(layout[k.L_PLAYER_CYCLE], first):
        h = (h ^ np.uint64(state[offset])) * multiplier
        h ^= h >> np.uint64(32)
    for offset in range(end, layout[k.L_TEAM_CELLS_END]):
        h = (h ^ np.uint64(state[offset])) * multiplier
        h ^= h >> np.uint64(32)
    for i in range(state[k.CARDS]):
        card = layout[k.L_CARDS] + k.NODE * i
        location, under = state[card + k.LOCATION_AT], state[card + k.BELOW]
        x = location_key(state, location)
        if seat < 0 or visible(state, location, seat):
            lower = state[under + k.TYPE] + 2 if under else 1
            x ^= np.uint64(state[card + k.TYPE] + 1) << np.uint64(40) ^ np.uint64(lower) << np.uint64(52)
        h += mix(x)
    if state[k.REMEMBERED]:
        for group in memories:
            # The location of index 0 is in the chain from when it was named, and is empty before.
            location = state[group + k.CHAIN_AT]
            while location:
                node, references = state[location + k.BOTTOM_AT], mix(location_key(state, location))
                while node:
                    references = mix(references ^ np.uint64(state[state[node + k.TYPE] + k.TYPE] + 1))
                    h += references
                    node = state[node + k.ABOVE]
                location = state[location + k.NEXT_AT]
    return h >> np.uint64(1)


# --- deals that agree with what a seat sees


@device_function
def card_number(layout, card):
    """Return the number of a card, from 0."""
    return (card - layout[k.L_CARDS]) // k.NODE


@device_function
def list_unseen(state, layout, unseen, seat):
    """List the places that a seat does not see, location by location from the bottom up, and the cards in them; return how many.

    The cards are the pool: by back and type, those that the seat remembers last.
    """
    places = 0
    group = layout[k.L_TEAM_CELLS_END]
    while group < layout[k.L_CARDS]:
        if state[group + k.KIND_AT] != k.MEMORY and not visible(state, group, seat):
            location, following = group, state[group + k.CHAIN_AT]
            while location:
                node = state[location + k.BOTTOM_AT]
                while node:
                    unseen.location[places] = location
                    unseen.back_at[places] = unseen.back[state[node + k.TYPE]]
                    places += 1
                    node = state[node + k.ABOVE]
                # The location of index 0 comes first, wherever it is in the chain.
                location = following
                following = state[location + k.NEXT_AT] if location else 0
                if location == group:
                    location = following
                    following = state[location + k.NEXT_AT] if location else 0
        group += k.LOCATION
    pool, known, back = unseen.pool, unseen.known, unseen.back
    hidden = 0
    for number in range(state[k.CARDS]):
        card = layout[k.L_CARDS] + k.NODE * number
        if not visible(state, state[card + k.LOCATION_AT], seat):
            order = order_in_pool(state, layout, known, back, seat, card)
            i = hidden
            while i > 0 and order_in_pool(state, layout, known, back, seat, pool[i - 1]) > order:
                pool[i] = pool[i - 1]
                i -= 1
            pool[i] = card
            hidden += 1
    return hidden


@device_function
def order_in_pool(state, layout, known, back, seat, card):
    """Return the sort key of a hidden card in the pool: remembered cards last, else by back and type."""
    kind = state[card + k.TYPE]
    return (np.int64(known[seat, card_number(layout, card)]) << 40) + (back[kind] << 30) + kind


@device_function
def first_remembered(layout, unseen, seat, hidden):
    """Free every unseen place; return the index in the pool of the first card that the seat remembers."""
    for i in range(hidden):
        unseen.dealt[i] = 0
    known = hidden
    while known > 0 and unseen.known[seat, card_number(layout, unseen.pool[known - 1])]:
        known -= 1
    return known


@device_function
def deal_unseen(state, layout, unseen, seat, hidden, key):
    """Deal the cards listed by ``list_unseen`` anew: remembered ones to places of their location, all others to the rest."""
    pool, dealt, back_at, back_of, rest = unseen.pool, unseen.dealt, unseen.back_at, unseen.back, unseen.rest
    known = first_remembered(layout, unseen, seat, hidden)
    draw = 0
    for i in range(known, hidden):
        card = pool[i]
        back, location = back_of[state[card + k.TYPE]], state[card + k.LOCATION_AT]
        free = 0
        for j in range(hidden):
            if dealt[j] == 0 and unseen.location[j] == location and back_at[j] == back:
                free += 1
        nth = below(key, draw, free)
        draw += 1
        for j in range(hidden):
            if dealt[j] == 0 and unseen.location[j] == location and back_at[j] == back:
                if nth == 0:
                    dealt[j] = card
                    break
                nth -= 1
    # One back after the other; each place draws from the cards not yet dealt.
    first = 0
    for back in range(unseen.backs):
        end = first
        while end < known and back_of[state[pool[end] + k.TYPE]] == back:
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
    place_cards(state, unseen.location, dealt, hidden)


@device_function
def place_cards(state, locations, dealt, hidden):
    """Link the dealt cards in their places."""
    under = 0
    for j in range(hidden):
        location, card = locations[j], dealt[j]
        if j == 0 or locations[j - 1] != location:
            under = 0
            state[location + k.BOTTOM_AT] = card
        else:
            state[under + k.ABOVE] = card
        state[card + k.BELOW] = under
        state[card + k.LOCATION_AT] = location
        state[card + k.ABOVE] = 0
        state[location + k.TOP_AT] = card
        under = card


@device_function
def hide(state, layout, unseen, seat):
    """Remove from a state what a seat may not know: chance, secret choices, the order of unseen cards; return how many it remembers.

    The unseen cards are placed by their numbers, and get the types that no memory names in order, so that two states with the same
    observation become one. The cards that the seat remembers are listed in ``unseen.rest``.
    """
    for offset in (k.KEY, k.EVENT, k.STEPS, k.LOG_SPLIT, k.GAME_WORK, k.KEY_PLAYER):
        state[offset] = 0
    for offset in range(k.WORKING, k.HEADER):
        state[offset] = 0
    for i in range(layout[k.L_PLAYERS]):
        # When a player chose is not a secret.
        for offset in range(1, layout[k.L_PENDING_WIDTH]):
            state[layout[k.L_PENDING] + i * layout[k.L_PENDING_WIDTH] + offset] = 0
    hidden = list_unseen(state, layout, unseen, seat)
    pool, dealt, rest, back = unseen.pool, unseen.dealt, unseen.rest, unseen.back
    known = first_remembered(layout, unseen, seat, hidden)
    # Cards that memories name keep their types; here dealt marks them.
    named = state[k.REMEMBERED] > 0
    if named:
        for i in range(state[k.CARDS]):
            dealt[i] = 0
        for group in unseen.memories:
            location = state[group + k.CHAIN_AT]
            while location:
                node = state[location + k.BOTTOM_AT]
                while node:
                    dealt[card_number(layout, state[node + k.TYPE])] = 1
                    node = state[node + k.ABOVE]
                location = state[location + k.NEXT_AT]
    types = 0
    for i in range(known):
        if not named or dealt[card_number(layout, pool[i])] == 0:
            rest[types] = state[pool[i] + k.TYPE]
            types += 1
    types = 0
    for number in range(unseen.backs):
        for i in range(state[k.CARDS]):
            card = layout[k.L_CARDS] + k.NODE * i
            if unseen.known[seat, i] or visible(state, state[card + k.LOCATION_AT], seat) or (named and dealt[i]):
                continue
            if back[state[card + k.TYPE]] == number:
                state[card + k.TYPE] = rest[types]
                types += 1
    # Remembered cards come to the first places of their location, the others follow by number.
    for j in range(hidden):
        dealt[j] = 0
    for i in range(known, hidden):
        rest[i] = pool[i]
        for j in range(hidden):
            if (
                dealt[j] == 0
                and unseen.location[j] == state[pool[i] + k.LOCATION_AT]
                and unseen.back_at[j] == back[state[pool[i] + k.TYPE]]
            ):
                dealt[j] = pool[i]
                break
    free = 0
    for i in range(state[k.CARDS]):
        card = layout[k.L_CARDS] + k.NODE * i
        if not (unseen.known[seat, i] or visible(state, state[card + k.LOCATION_AT], seat)):
            pool[free] = card
            free += 1
    for number in range(unseen.backs):
        j = 0
        for i in range(known):
            if back[state[pool[i] + k.TYPE]] == number:
                while dealt[j] or unseen.back_at[j] != number:
                    j += 1
                dealt[j] = pool[i]
    for i in range(known, hidden):
        rest[i - known] = rest[i]
    place_cards(state, unseen.location, dealt, hidden)
    return hidden - known


# --- what the seats remember


@device_function
def forget_location(state, layout, known, location, card):
    """Forget the cards known in a location that a card left unseen: it may have been any of them."""
    for i in range(state[k.CARDS]):
        if known[i] and state[layout[k.L_CARDS] + k.NODE * i + k.LOCATION_AT] == location:
            known[i] = 0
    known[card_number(layout, card)] = 0


@device_function
def update_known(state, layout, known, seat):
    """Follow the cards in the log: ``known``, [cards] uint8, are those that a seat saw go to where it does not see them, and did not lose.

    Lists that are swapped or interleaved as a whole, or shuffled, keep what is known of them. If the log ran over, everything is forgotten.
    """
    if layout[k.L_LOG] + state[k.LOG] > layout[k.L_LOG_END]:
        for i in range(len(known)):
            known[i] = 0
        return
    for offset in range(layout[k.L_LOG], layout[k.L_LOG] + state[k.LOG], 4):
        what, a, b, c = state[offset], state[offset + 1], state[offset + 2], state[offset + 3]
        if what == k.MOVE:
            if visible(state, b, seat) or visible(state, c, seat):
                known[card_number(layout, a)] = 1
            elif b != c:
                forget_location(state, layout, known, b, a)
        elif what == k.SWAP_CARDS:
            location, other_location = c & 0xFFFFFFFF, c >> 32
            if location != other_location and not visible(state, location, seat) and not visible(state, other_location, seat):
                forget_location(state, layout, known, location, a)
                forget_location(state, layout, known, other_location, b)
            elif location != other_location:
                known[card_number(layout, a)] = 1
                known[card_number(layout, b)] = 1
        elif what == k.REMEMBER:
            known[card_number(layout, a)] = 1
