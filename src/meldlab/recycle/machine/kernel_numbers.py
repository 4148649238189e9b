"""Arithmetic in 32 bits; what does not fit, or divides by zero, sets the status."""

from meldlab.compiling import device_function
from meldlab.recycle.language import kernel_arithmetic
from meldlab.recycle.machine.kernel_layout import BY_ZERO, STATUS, TOO_LARGE

fibonacci = device_function(kernel_arithmetic.fibonacci)
power = device_function(kernel_arithmetic.power)
quotient = device_function(kernel_arithmetic.divided)


@device_function
def small(state, number):
    """Return the number, or 0 and an error if it takes more than 32 bits."""
    if number > 2147483647 or number < -2147483648:
        state[STATUS] = TOO_LARGE
        return 0
    return number


@device_function
def divided(state, number, by):
    """Divide, cut towards zero."""
    if by == 0:
        state[STATUS] = BY_ZERO
        return 0
    return quotient(number, by)
