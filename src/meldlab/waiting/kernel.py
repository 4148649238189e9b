"""Kernels of the waiting game: draws and discards of a hand, the two-phase sweep that checks a solution, and sums over all hands.

E(h) is the mean of 1 + F(h + x) over the cards x of the bag, where F(g) is the least E over the discards from g, and no worse than E(h)
itself. Only draws with F < E matter, so E(h) = (bag + sum of those F) / (their number), and it depends on better hands only.

Arrays, with N the classes of n-card hands and M those of (n+1)-card hands: ``expected`` [N] float64, E or the best bound so far;
``after`` [M] float64, F. ``keys`` and ``patterns`` are those of the numbering (cards.kernel) of the hands that a card more or less makes.

Long work is done in chunks, from ``first`` on, in arrays of the caller, on several cores or one after the other: Ctrl-C interrupts between
two calls only.
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

INFINITY = np.inf
STRETCH = 4096  # classes that are summed up together
CARDS_AND_RANK = (1 << BLOCK_BIT) - 1  # of a key


class Space(NamedTuple):
    """The hands of a game, between turns and with the card drawn, and the cards that can be drawn."""

    numbering: Numbering
    drawn_numbering: Numbering
    alive: Any  # [4] int64, the ranks of each suit that are in play
    bag: float  # cards that can be drawn


class Sums(NamedTuple):
    """Sums over each stretch of 4,096 classes."""

    totals: Any  # [stretches] float64, E of all hands
    zeros: Any  # [stretches] int64, hands with E = 0
    bests: Any  # [stretches] int64, number of the least E above 0, -1 without one
    worsts: Any  # [stretches] float64, the largest E


def new_sums(classes: int) -> Sums:
    """Return the sums of this number of classes before any is added."""
    stretches = -(-classes // STRETCH)
    return Sums(np.zeros(stretches), np.zeros(stretches, np.int64), np.full(stretches, -1, np.int64), np.zeros(stretches))


@device_function
def repeats_suit(hand, suit, keys):
    """Return whether an earlier suit has the same key: what holds for one of the two holds for the other."""
    key = suit_key(hand, suit, keys)
    for earlier in range(suit):
        if suit_key(hand, earlier, keys) == key:
            return True
    return False


@device_function
def list_draws(hand, alive, keys, patterns, drawn, around):
    """Write the hands with one card more and their numbers into ``drawn`` and ``around``, [52] int64; return their count.

    Equal suits lead to the same classes, so only the first of them is drawn from.
    """
    count = 0
    for suit in range(4):
        held = (hand >> (13 * suit)) & SUIT_MASK
        rest = alive[suit] & ~held
        if rest == 0 or repeats_suit(hand, suit, keys):
            continue
        frame = suit_frame(hand, suit, held | (rest & -rest), keys, patterns)
        while rest:
            bit = rest & -rest
            rest ^= bit
            drawn[count] = hand | bit << (13 * suit)
            around[count] = number_in_frame(keys[suit, held | bit], frame)
            count += 1
    return count


@device_function
def list_discards(hand, keys, patterns, targets, first):
    """Write the numbers of the hands with one card less into ``targets`` from index ``first`` on; return the index after the last."""
    for suit in range(4):
        held = (hand >> (13 * suit)) & SUIT_MASK
        rest = held
        if rest == 0:
            continue
        frame = suit_frame(hand, suit, held & (held - 1), keys, patterns)
        while rest:
            bit = rest & -rest
            rest ^= bit
            targets[first] = number_in_frame(keys[suit, held ^ bit], frame)
            first += 1
    return first


@kernel
def mark_goals(first, count, expected, orbits, leftovers, limit, numbering):
    """Set E of ``count`` classes to 0 for deadwood at most ``limit``, else to infinity; count their hands. ``leftovers``: melds.kernel."""
    hands, last = np.empty(STRETCH, np.int64), first + count
    for start in range(first, last, STRETCH):
        part = min(STRETCH, last - start)
        list_hands(start, part, hands, numbering)
        for i in range(part):
            expected[start + i] = 0.0 if deadwood(hands[i], leftovers) <= limit else INFINITY
            orbits[start + i] = orbit_size(hands[i], numbering.keys, numbering.renamings)


@device_function
def least_wait(hand, expected, keys, patterns):
    """Return F of an (n+1)-card hand and its discard: (least E, number of that hand, card), the first of equals.

    The number is -1 and the card 255 where no discard leads to a hand with a finite E.
    """
    least, chosen, card = INFINITY, np.int64(-1), np.int64(255)
    for suit in range(4):
        held = (hand >> (13 * suit)) & SUIT_MASK
        rest = held
        if rest == 0:
            continue
        frame = suit_frame(hand, suit, held & (held - 1), keys, patterns)
        while rest:
            bit = rest & -rest
            rest ^= bit
            number = number_in_frame(keys[suit, held ^ bit], frame)
            value = np.float64(expected[number])
            if value < least:
                least, chosen, card = value, np.int64(number), 13 * suit + np.int64(LOWEST[bit])
    return least, chosen, card


@kernel
def sweep_discards(first, count, after, chosen, expected, space):
    """Set ``after`` [M] to F, and ``chosen`` [M] uint32 to the class after the best discard, of ``count`` classes of (n+1)-card hands.

    Either array may be None; numba then compiles the loop without it. Neighbouring classes differ in one suit: what is the same in all
    hands of such a run is computed once.
    """
    numbering, keys, patterns = space.drawn_numbering, space.numbering.keys, space.numbering.patterns
    scratch = np.empty(RANK_BITS)
    number, last = first, first + count
    while number < last:
        hand = class_hand(number, numbering)
        suit, rank, length = run_from(hand, numbering)
        end = min(number + length, last)
        least = scratch[: end - number] if after is None else after[number:end]
        least[:] = INFINITY
        if chosen is not None:
            choices = chosen[number:end]
            choices[:] = 0
        held = (hand >> (13 * suit)) & SUIT_MASK
        rest = hand & ~(SUIT_MASK << (13 * suit))
        while rest:
            bit = rest & -rest
            rest ^= bit
            frame = suit_frame(hand ^ bit, suit, held, keys, patterns)
            for i in range(len(least)):
                target = number_in_frame(rank + i, frame)
                value = np.float64(expected[target])
                if chosen is not None:
                    choices[i] = target if value < least[i] else choices[i]
                least[i] = min(value, least[i])
        if held:
            frame = suit_frame(hand, suit, held & (held - 1), keys, patterns)
            masks = numbering.suit_masks[suit, (keys[suit, held] & CARDS_AND_RANK) :]
            for i in range(len(least)):
                held = np.int64(masks[i])
                rest = held
                while rest:
                    bit = rest & -rest
                    rest ^= bit
                    target = number_in_frame(keys[suit, held ^ bit], frame)
                    value = np.float64(expected[target])
                    if chosen is not None:
                        choices[i] = target if value < least[i] else choices[i]
                    least[i] = min(value, least[i])
        number = end


@kernel
def sweep_draws(first, count, expected, after, space):
    """Set ``expected`` of ``count`` classes to its next value from ``after`` and return the largest change among finite ones.

    Runs of neighbours as in ``sweep_discards``.
    """
    numbering, alive, bag = space.numbering, space.alive, space.bag
    keys, patterns = numbering.keys, space.drawn_numbering.patterns
    totals, useful = np.empty(RANK_BITS), np.empty(RANK_BITS)
    change = 0.0
    number, last = first, first + count
    while number < last:
        hand = class_hand(number, numbering)
        suit, rank, length = run_from(hand, numbering)
        end = min(number + length, last)
        now, total, draws = expected[number:end], totals[: end - number], useful[: end - number]
        total[:] = 0.0
        draws[:] = 0.0
        held = (hand >> (13 * suit)) & SUIT_MASK
        for other in range(4):
            rest = alive[other] & ~((hand >> (13 * other)) & SUIT_MASK)
            if other == suit:
                continue
            while rest:
                bit = rest & -rest
                rest ^= bit
                frame = suit_frame(hand | bit << (13 * other), suit, held, keys, patterns)
                for i in range(len(now)):
                    value = after[number_in_frame(rank + i, frame)]
                    counts = value < now[i]
                    total[i] += value if counts else 0.0
                    draws[i] += 1.0 if counts else 0.0
        rest = alive[suit] & ~held
        if rest:
            frame = suit_frame(hand, suit, held | (rest & -rest), keys, patterns)
            masks = numbering.suit_masks[suit, (keys[suit, held] & CARDS_AND_RANK) :]
            for i in range(len(now)):
                held = np.int64(masks[i])
                rest = alive[suit] & ~held
                while rest:
                    bit = rest & -rest
                    rest ^= bit
                    value = after[number_in_frame(keys[suit, held | bit], frame)]
                    if value < now[i]:
                        total[i] += value
                        draws[i] += 1.0
        for i in range(len(now)):
            if now[i] > 0.0:
                new = (bag + total[i]) / draws[i] if draws[i] > 0.0 else INFINITY
                if now[i] < INFINITY or new < INFINITY:
                    change = max(change, abs(now[i] - new))
                now[i] = new
        number = end
    return change


@kernel
def summarise(first, count, sums, expected, numbering):
    """Add up ``count`` stretches of 4,096 classes from stretch ``first`` on; ``sums`` is as ``new_sums`` makes it."""
    totals, zeros, bests, worsts = sums
    keys, renamings = numbering.keys, numbering.renamings
    masks = np.empty(STRETCH, np.int64)
    for stretch in range(first, first + count):
        start, end = stretch * STRETCH, min(len(expected), (stretch + 1) * STRETCH)
        list_hands(start, end - start, masks, numbering)
        for number in range(start, end):
            hands = orbit_size(masks[number - start], keys, renamings)
            totals[stretch] += expected[number] * hands
            if expected[number] == 0:
                zeros[stretch] += hands
            elif bests[stretch] < 0 or expected[number] < expected[bests[stretch]]:
                bests[stretch] = number
            worsts[stretch] = max(worsts[stretch], expected[number])
