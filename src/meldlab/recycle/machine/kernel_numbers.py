"""Arithmetic in 32 bits; what does not fit, or divides by zero, sets the status."""

from meldlab.compiling import scalar_kernel
from meldlab.recycle.machine.kernel_layout import BY_ZERO, STATUS, TOO_LARGE


@scalar_kernel
def small(state, number):
    """Return the number, or 0 and an error if it takes more than 32 bits."""
    if number > 2147483647 or number < -2147483648:
        state[STATUS] = TOO_LARGE
        return 0
    return number


@scalar_kernel
def divided(state, number, by):
    """Divide, cut towards zero."""
    if by == 0:
        state[STATUS] = BY_ZERO
        return 0
    quotient = abs(number) // abs(by)
    return quotient if (number < 0) == (by < 0) else -quotient


@scalar_kernel
def power(number, exponent):
    """Raise to a power; a negative exponent gives the part before the point, and large results stop growing."""
    if exponent < 0:
        if number == 1 or number == -1:
            return 1 if exponent % 2 == 0 else number
        return 0
    if number >= -1 and number <= 1:
        exponent = min(exponent, 2 - exponent % 2)
    result = 1
    for _ in range(exponent):
        result *= number
        if result > 4294967296 or result < -4294967296:
            break
    return result


@scalar_kernel
def fibonacci(number):
    """Return the Fibonacci number, 1 for 1 and 2, 0 from 0 down."""
    low, high = 0, 1
    for _ in range(min(number, 64)):
        low, high = high, low + high
    return low
