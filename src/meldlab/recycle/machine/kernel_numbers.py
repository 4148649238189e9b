"""Arithmetic in 32 bits; what does not fit, or divides by zero, sets the status."""

from meldlab.compiling import scalar_kernel
from meldlab.recycle.language import kernel_arithmetic
from meldlab.recycle.machine.kernel_layout import BY_ZERO, STATUS, TOO_LARGE

fibonacci = scalar_kernel(kernel_arithmetic.fibonacci)
power = scalar_kernel(kernel_arithmetic.power)
quotient = scalar_kernel(kernel_arithmetic.divided)


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
    return quotient(number, by)
