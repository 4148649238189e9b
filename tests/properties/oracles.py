"""Slow and obvious answers to compare with: plain recursion over sets of (rank, suit) pairs, nothing from meldlab."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import combinations

Pair = tuple[int, int]  # rank 0 to 12, suit 0 to 3
Cards = frozenset[Pair]

# The order in which ranks follow each other; a run is three or more neighbours, none of them twice.
LINES = {"low": [*range(13)], "both": [*range(13), 0], "round": [*range(13), *range(12)]}
GIN = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10)


def from_mask(mask: int) -> Cards:
    """Return the cards of a mask: bit 13 * suit + rank."""
    return frozenset((bit % 13, bit // 13) for bit in range(52) if mask >> bit & 1)


def to_mask(cards: Cards) -> int:
    """Return the mask of cards."""
    return sum(1 << 13 * suit + rank for rank, suit in cards)


def all_melds(cards: Cards, aces: str) -> set[Cards]:
    """Return every set and every run within the cards."""
    found: set[Cards] = set()
    for rank in range(13):
        same = [card for card in cards if card[0] == rank]
        found.update(frozenset(some) for size in (3, 4) for some in combinations(same, size))
    line = LINES[aces]
    for suit in range(4):
        for start in range(len(line)):
            run: list[Pair] = []
            for rank in line[start:]:
                if (rank, suit) not in cards or (rank, suit) in run:
                    break
                run.append((rank, suit))
                if len(run) >= 3:
                    found.add(frozenset(run))
    return found


def total(cards: Cards, points: Sequence[int] = GIN) -> int:
    """Return the points of all cards."""
    return sum(points[rank] for rank, _ in cards)


def least_deadwood(cards: Cards, aces: str, points: Sequence[int] = GIN) -> int:
    """Return the fewest points outside melds: the first card is left over, or lies in one of the melds around it."""
    melds = all_melds(cards, aces)
    loose = cards - frozenset().union(*melds)

    @cache
    def least(rest: Cards) -> int:
        if not rest:
            return 0
        first = min(rest)
        ways = [points[first[0]] + least(rest - {first})]
        ways += [least(rest - meld) for meld in melds if first in meld and meld <= rest]
        return min(ways)

    return total(loose, points) + least(cards - loose)


def best_arrangements(cards: Cards, aces: str, points: Sequence[int] = GIN) -> set[frozenset[Cards]]:
    """Return every family of disjoint melds that leaves the least deadwood, from all families there are."""
    families: list[tuple[frozenset[Cards], Cards]] = [(frozenset(), cards)]
    for meld in all_melds(cards, aces):
        families += [(chosen | {meld}, rest - meld) for chosen, rest in families if meld <= rest]
    least = min(total(rest, points) for _, rest in families)
    return {chosen for chosen, rest in families if total(rest, points) == least}


def least_after_laying_off(free: Cards, shown: Sequence[Cards], aces: str, cost: Callable[[Cards], int]) -> tuple[int, int]:
    """Return (cost of what is left, cards laid) of the best lay-off of free cards, trying every order of laying one at a time."""
    seen: set[tuple[Cards, ...]] = set()
    ends: list[tuple[int, int]] = []

    def lay(left: Cards, table: tuple[Cards, ...]) -> None:
        if table in seen:
            return
        seen.add(table)
        ends.append((cost(left), len(free) - len(left)))
        for card in left:
            for i, meld in enumerate(table):
                grown = meld | {card}
                if grown in all_melds(grown, aces):
                    lay(left - {card}, (*table[:i], grown, *table[i + 1 :]))

    lay(free, tuple(shown))
    return min(ends)


def classes_by_sorting(n: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """Give each class of n-card hands as its sorted suit lanes, with its size, from all hands one by one."""
    sizes: dict[tuple[int, ...], int] = {}
    for bits in combinations(range(52), n):
        lanes = [0, 0, 0, 0]
        for bit in bits:
            lanes[bit // 13] |= 1 << bit % 13
        key = tuple(sorted(lanes))
        sizes[key] = sizes.get(key, 0) + 1
    return iter(sizes.items())


def complete_hands(n: int, aces: str) -> set[int]:
    """Return the masks of all hands of n cards that fall into melds, by putting melds together."""
    deck = from_mask((1 << 52) - 1)
    melds: dict[int, list[int]] = {}
    for meld in all_melds(deck, aces):
        melds.setdefault(len(meld), []).append(to_mask(meld))

    @cache
    def of(size: int, largest: int) -> frozenset[int]:
        if size == 0:
            return frozenset([0])
        return frozenset(
            meld | rest
            for length in range(3, min(size, largest) + 1)
            for rest in of(size - length, length)
            for meld in melds[length]
            if not meld & rest
        )

    return set(of(n, n))
