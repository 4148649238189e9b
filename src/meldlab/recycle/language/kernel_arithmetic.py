"""Arithmetic of RECYCLE, used both for constant folding and, compiled, by the machine."""


def divided(number: int, by: int) -> int:
    """Divide, cut towards zero.

    >>> divided(-7, 2)
    -3
    """
    quotient = abs(number) // abs(by)
    return quotient if (number < 0) == (by < 0) else -quotient


def power(number: int, exponent: int) -> int:
    """Raise to a power; a negative exponent gives the part before the point, and large results stop growing.

    >>> power(2, 10), power(2, -1), power(-1, -3)
    (1024, 0, -1)
    """
    if exponent < 0:
        return (1 if exponent % 2 == 0 else number) if abs(number) == 1 else 0
    result = 1
    for _ in range(exponent if abs(number) > 1 else min(exponent, 2 - exponent % 2)):
        result *= number
        if abs(result) >= 2**32:
            break
    return result


def fibonacci(number: int) -> int:
    """Return the Fibonacci number, 1 for 1 and 2, 0 from 0 down.

    >>> fibonacci(7)
    13
    """
    low, high = 0, 1
    for _ in range(min(number, 64)):
        low, high = high, low + high
    return low
