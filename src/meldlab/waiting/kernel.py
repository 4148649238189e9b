"""Kernels of the waiting game: what draws and discards lead to, and the two-phase sweep that checks a solution.

E(h) is the mean of 1 + F(h + x) over the cards x of the bag, where F(g) is the least E over the discards from g, and no worse than E(h)
itself. Only draws with F < E matter, so E(h) = (bag + sum of those F) / (their number), and it depends on better hands only.

Arrays, with N the classes of n-card hands and M those of (n+1)-card hands: ``expected`` [N] float64, E or the best bound so far;
``after`` [M] float64, F. ``keys`` and ``patterns`` are those of the numbering (cards.kernel) of the hands that are led to.

What takes long is done in stretches, from ``first`` on, in arrays that are given, on several cores at once or one after the other: Ctrl-C
is heard between two calls only.
"""

from typing import Any, NamedTuple

import numpy as np

from meldlab.cards.kernel import (
    BLOCK_BIT,
    RANK_BITS,
    SUIT_MASK,
    Numbering,
    class_hand,
    list_hands,
    number_in_frame,
    orbit_size,
    run_from,
    suit_frame,
    suit_key,
)
from meldlab.compiling import device_function, kernel
from meldlab.melds.kernel import LOWEST, deadwood

NEVER = np.inf
STRETCH = 4096  # classes that are summed up together
CARDS_AND_RANK = (1 << BLOCK_BIT) - 1  # of a key


class Space(NamedTuple):
    """The hands of a game, between turns and with the card drawn, and what can be drawn."""

    small: Numbering
    large: Numbering
    alive: Any  # [4] int64, the ranks of each suit that are in play
    bag: float  # cards that can be drawn


class Sums(NamedTuple):
    """All values of E in a few numbers, for each stretch of 4,096 classes."""

    totals: Any  # [stretches] float64, E of all hands
    zeros: Any  # [stretches] int64, hands with E = 0
    bests: Any  # [stretches] int64, number of the least E above 0, -1 without one
    worsts: Any  # [stretches] float64, the largest E


def new_sums(classes: int) -> Sums:
    """Return the sums of so many classes before any is looked at."""
    stretches = -(-classes // STRETCH)
    return Sums(np.zeros(stretches), np.zeros(stretches, np.int64), np.full(stretches, -1, np.int64), np.zeros(stretches))


@device_function
def repeats_lane(hand, suit, keys):
    """Tell whether an earlier suit has the same key: what holds for one of the two holds for the other."""
    key = suit_key(hand, suit, keys)
    for earlier in range(suit):
        if suit_key(hand, earlier, keys) == key:
            return True
    return False


@device_function
def list_draws(hand, alive, keys, patterns, drawn, around):
    """Write the hands that one card more makes of ``hand``, and their numbers, into ``drawn`` and ``around``, [52] int64; return how many.

    Suits with equal lanes lead to the same classes, so only the first of them is drawn from.
    """
    many = 0
    for suit in range(4):
        lane = (hand >> (13 * suit)) & SUIT_MASK
        rest = alive[suit] & ~lane
        if rest == 0 or repeats_lane(hand, suit, keys):
            continue
        frame = suit_frame(hand, suit, lane | (rest & -rest), keys, patterns)
        while rest:
            bit = rest & -rest
            rest ^= bit
            drawn[many] = hand | bit << (13 * suit)
            around[many] = number_in_frame(keys[suit, lane | bit], frame)
            many += 1
    return many


@device_function
def list_discards(hand, keys, patterns, targets, many):
    """Write the numbers of the hands that one card less makes of a hand into ``targets`` from place ``many`` on; return where they end."""
    for suit in range(4):
        lane = (hand >> (13 * suit)) & SUIT_MASK
        rest = lane
        if rest == 0:
            continue
        frame = suit_frame(hand, suit, lane & (lane - 1), keys, patterns)
        while rest:
            bit = rest & -rest
            rest ^= bit
            targets[many] = number_in_frame(keys[suit, lane ^ bit], frame)
            many += 1
    return many


@kernel
def mark_goals(first, many, expected, orbits, leftovers, limit, small):
    """Set E of ``many`` classes to 0 for deadwood at most ``limit``, else to infinity; count their hands. ``leftovers``: melds.kernel."""
    hands, last = np.empty(STRETCH, np.int64), first + many
    for begin in range(first, last, STRETCH):
        part = min(STRETCH, last - begin)
        list_hands(begin, part, hands, small)
        for i in range(part):
            expected[begin + i] = 0.0 if deadwood(hands[i], leftovers) <= limit else NEVER
            orbits[begin + i] = orbit_size(hands[i], small.keys, small.renamings)


@device_function
def least_wait(hand, expected, keys, patterns):
    """Return F of an (n+1)-card hand and how: (least E over the discards, number of that hand, of the card), the first of equals.

    The number is -1 and the card 255 where no discard leads to a hand with a finite E.
    """
    least, chosen, card = NEVER, np.int64(-1), np.int64(255)
    for suit in range(4):
        lane = (hand >> (13 * suit)) & SUIT_MASK
        rest = lane
        if rest == 0:
            continue
        frame = suit_frame(hand, suit, lane & (lane - 1), keys, patterns)
        while rest:
            bit = rest & -rest
            rest ^= bit
            number = number_in_frame(keys[suit, lane ^ bit], frame)
            value = np.float64(expected[number])
            if value < least:
                least, chosen, card = value, np.int64(number), 13 * suit + np.int64(LOWEST[bit])
    return least, chosen, card


@device_function
def mean_over_draws(hand, now, bag, after, alive, keys, patterns):
    """Return E of an n-card hand from ``after``, [M], the F of all larger hands, counting the draws with F below ``now``."""
    total, draws = 0.0, 0
    for suit in range(4):
        lane = (hand >> (13 * suit)) & SUIT_MASK
        rest = alive[suit] & ~lane
        if rest == 0:
            continue
        frame = suit_frame(hand, suit, lane | (rest & -rest), keys, patterns)
        while rest:
            bit = rest & -rest
            rest ^= bit
            value = after[number_in_frame(keys[suit, lane | bit], frame)]
            if value < now:
                total += value
                draws += 1
    return (bag + total) / draws if draws else NEVER


@kernel
def sweep_discards(first, many, after, expected, space):
    """Set ``after`` [M] to F of ``many`` classes of (n+1)-card hands.

    Neighbouring classes differ in one lane: what is the same in all hands of such a run is worked out once.
    """
    large, keys, patterns = space.large, space.small.keys, space.small.patterns
    number, last = first, first + many
    while number < last:
        hand = class_hand(number, large)
        suit, rank, length = run_from(hand, large)
        end = min(number + length, last)
        least = after[number:end]
        least[:] = NEVER
        lane = (hand >> (13 * suit)) & SUIT_MASK
        rest = hand & ~(SUIT_MASK << (13 * suit))
        while rest:
            bit = rest & -rest
            rest ^= bit
            frame = suit_frame(hand ^ bit, suit, lane, keys, patterns)
            for i in range(len(least)):
                least[i] = min(least[i], expected[number_in_frame(rank + i, frame)])
        if lane:
            frame = suit_frame(hand, suit, lane & (lane - 1), keys, patterns)
            lanes = large.suit_masks[suit, (keys[suit, lane] & CARDS_AND_RANK) :]
            for i in range(len(least)):
                lane = np.int64(lanes[i])
                rest = lane
                while rest:
                    bit = rest & -rest
                    rest ^= bit
                    least[i] = min(least[i], expected[number_in_frame(keys[suit, lane ^ bit], frame)])
        number = end


@kernel
def sweep_draws(first, many, expected, after, space):
    """Set ``expected`` of ``many`` classes to its next value from ``after`` and return the largest change among finite ones.

    Runs as in ``sweep_discards``.
    """
    small, alive, bag = space.small, space.alive, space.bag
    keys, patterns = small.keys, space.large.patterns
    totals, useful = np.empty(RANK_BITS), np.empty(RANK_BITS)
    change = 0.0
    number, last = first, first + many
    while number < last:
        hand = class_hand(number, small)
        suit, rank, length = run_from(hand, small)
        end = min(number + length, last)
        now, total, draws = expected[number:end], totals[: end - number], useful[: end - number]
        total[:] = 0.0
        draws[:] = 0.0
        lane = (hand >> (13 * suit)) & SUIT_MASK
        for other in range(4):
            rest = alive[other] & ~((hand >> (13 * other)) & SUIT_MASK)
            if other == suit:
                continue
            while rest:
                bit = rest & -rest
                rest ^= bit
                frame = suit_frame(hand | bit << (13 * other), suit, lane, keys, patterns)
                for i in range(len(now)):
                    value = after[number_in_frame(rank + i, frame)]
                    counts = value < now[i]
                    total[i] += value if counts else 0.0
                    draws[i] += 1.0 if counts else 0.0
        rest = alive[suit] & ~lane
        if rest:
            frame = suit_frame(hand, suit, lane | (rest & -rest), keys, patterns)
            lanes = small.suit_masks[suit, (keys[suit, lane] & CARDS_AND_RANK) :]
            for i in range(len(now)):
                lane = np.int64(lanes[i])
                rest = alive[suit] & ~lane
                while rest:
                    bit = rest & -rest
                    rest ^= bit
                    value = after[number_in_frame(keys[suit, lane | bit], frame)]
                    if value < now[i]:
                        total[i] += value
                        draws[i] += 1.0
        for i in range(len(now)):
            if now[i] > 0.0:
                new = (bag + total[i]) / draws[i] if draws[i] > 0.0 else NEVER
                if now[i] < NEVER or new < NEVER:
                    change = max(change, abs(now[i] - new))
                now[i] = new
        number = end
    return change


@kernel
def summarise(first, many, sums, expected, small):
    """Sum up ``many`` stretches of 4,096 classes from ``first`` on; ``sums`` is as ``new_sums`` makes it."""
    totals, zeros, bests, worsts = sums
    keys, renamings = small.keys, small.renamings
    masks = np.empty(STRETCH, np.int64)
    for stretch in range(first, first + many):
        begin, end = stretch * STRETCH, min(len(expected), (stretch + 1) * STRETCH)
        list_hands(begin, end - begin, masks, small)
        for number in range(begin, end):
            hands = orbit_size(masks[number - begin], keys, renamings)
            totals[stretch] += expected[number] * hands
            if expected[number] == 0:
                zeros[stretch] += hands
            elif bests[stretch] < 0 or expected[number] < expected[bests[stretch]]:
                bests[stretch] = number
            worsts[stretch] = max(worsts[stretch], expected[number])
