"""The Bellman equation in whole numbers, which makes it exact and needs no fraction.

Of a pile with b black and r red cards there are N = C(b + r, b) orders, all equally likely. Multiply the paper's equation by N: since
N * b / (b + r) is the number of orders of the pile with one black card less, and N * r / (b + r) that with one red card less, every
division goes away and a position costs three additions. The winnings so far are left out; they add to both sides.

>>> [go_on for go_on, orders in rows(black=2, red=2, gain=1, loss=1)][2]
[-1, 0, 4]
>>> Fraction(4, comb(4, 2))  # so the game with two black and two red cards is worth 2/3
Fraction(2, 3)
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import comb, lgamma, log

__all__ = ["exact_seconds", "premium", "rows", "stop_counts"]

Row = list[int]


def rows(black: int, red: int, gain: int, loss: int) -> Iterator[tuple[Row, Row]]:
    """Give, for 0 to ``red`` red cards left, two rows over 0 to ``black`` black cards left.

    The first is the premium of drawing one more card and then playing best, times the number of orders: one goes on where it is positive
    and does not care where it is 0. The second is the number of orders.
    """
    go_on, orders = [0] * (black + 1), [0] * (black + 1)
    for red_left in range(red + 1):
        go_on_below, orders_below = go_on, orders
        worth, count = (-loss * orders_below[0], orders_below[0]) if red_left else (0, 1)
        if go_on_below[0] > 0:
            worth += go_on_below[0]
        go_on, orders = [worth], [count]
        for below, ways in zip(go_on_below[1:], orders_below[1:], strict=True):
            worth = (worth if worth > 0 else 0) + gain * count + (below if below > 0 else 0) - loss * ways
            count += ways
            go_on.append(worth)
            orders.append(count)
        yield go_on, orders


def premium(black: int, red: int, gain: int, loss: int) -> Fraction:
    """Return what a pile is worth before a card of it is drawn.

    >>> premium(26, 26, 1, 1)
    Fraction(41984711742427, 15997372030584)
    """
    for go_on, orders in rows(black, red, gain, loss):
        worth, count = go_on[-1], orders[-1]
    return Fraction(max(0, worth), count)


def stop_counts(black: int, boundary: Sequence[int]) -> Row:
    """Return how many orders of the whole pile make one stop with each number of red cards left.

    ``boundary[r]`` is the most black cards at which one stops with r red ones left; it never falls as r grows.

    >>> stop_counts(2, [0, 0, 1])  # of the six orders of two black and two red cards
    [2, 1, 3]
    """
    red = len(boundary) - 1
    paths = [0] * black + [1]
    counts = [0] * (red + 1)
    for r in range(red, -1, -1):
        stop = boundary[r]
        for b in range(black, stop, -1):
            paths[b - 1] += paths[b]
        # The paths that stopped leave the game; those that go on draw a red card into the next row.
        counts[r] = paths[stop] * comb(stop + r, stop)
        paths[stop] = 0
    return counts


def exact_seconds(black: int, red: int) -> float:
    """Estimate how long ``rows`` takes: three additions a position, of numbers as long as the number of orders (one 2.8 GHz core)."""
    bits = (lgamma(black + red + 1) - lgamma(black + 1) - lgamma(red + 1)) / log(2)
    return (black + 1) * (red + 1) * (2.5e-7 + 2e-10 * bits)
