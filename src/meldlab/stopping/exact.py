"""The Bellman equation in integers: exact without fractions.

Of a pile with b black and r red cards there are N = C(b + r, b) orders, all equally likely. Multiply the paper's equation by N: since
N * b / (b + r) is the number of orders of the pile with one black card less, and N * r / (b + r) that with one red card less, all
divisions cancel and a position costs three additions. The winnings so far are left out; they add to both sides.

>>> [premiums for premiums, orders in rows(black=2, red=2, gain=1, loss=1)][2]
[-1, 0, 4]
>>> Fraction(4, comb(4, 2))  # so the value of the game with two black and two red cards is 2/3
Fraction(2, 3)
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import comb, lgamma, log

Row = list[int]


def rows(black: int, red: int, gain: int, loss: int) -> Iterator[tuple[Row, Row]]:
    """Yield, for 0 to ``red`` red cards left, two rows over 0 to ``black`` black cards left.

    The first is the premium of drawing one more card and then playing best, times the number of orders: positive where drawing is better, 0
    where both are equal. The second is the number of orders.
    """
    premiums, orders = [0] * (black + 1), [0] * (black + 1)
    for red_left in range(red + 1):
        premiums_below, orders_below = premiums, orders
        value, count = (-loss * orders_below[0], orders_below[0]) if red_left else (0, 1)
        if premiums_below[0] > 0:
            value += premiums_below[0]
        premiums, orders = [value], [count]
        for below, ways in zip(premiums_below[1:], orders_below[1:], strict=True):
            value = (value if value > 0 else 0) + gain * count + (below if below > 0 else 0) - loss * ways
            count += ways
            premiums.append(value)
            orders.append(count)
        yield premiums, orders


def premium(black: int, red: int, gain: int, loss: int) -> Fraction:
    """Return the value of a pile before its first card is drawn.

    >>> premium(26, 26, 1, 1)
    Fraction(41984711742427, 15997372030584)
    """
    for premiums, orders in rows(black, red, gain, loss):
        value, count = premiums[-1], orders[-1]
    return Fraction(max(0, value), count)


def stop_counts(black: int, boundary: Sequence[int]) -> Row:
    """Return the number of orders of the whole pile that stop with each number of red cards left.

    ``boundary[r]`` is the largest number of black cards at which to stop with r red ones left; it never falls as r grows.

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
        # The paths that stopped leave the game; the others draw a red card into the next row.
        counts[r] = paths[stop] * comb(stop + r, stop)
        paths[stop] = 0
    return counts


def exact_seconds(black: int, red: int) -> float:
    """Estimate the seconds of ``rows``: three additions a position, of integers as long as the number of orders (one 2.8 GHz core)."""
    bits = (lgamma(black + red + 1) - lgamma(black + 1) - lgamma(red + 1)) / log(2)
    return (black + 1) * (red + 1) * (2.5e-7 + 2e-10 * bits)
