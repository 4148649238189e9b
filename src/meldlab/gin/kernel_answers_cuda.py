"""What a network would do at each table, on a GPU: a thread for each table."""

import numba
from numba import cuda

from meldlab.gin.kernel_answers import network_answer
from meldlab.gin.kernel_layout import *
from meldlab.gin.kernel_vector import desk_at

LOG_SHAPE, TOTAL_SHAPE = (1, LOG_WIDTH), (2, WIDE)


@cuda.jit
def answer_by_network(tables, network, actions):
    """See kernel_answers."""
    left = cuda.local.array(52, numba.int64)
    values = cuda.local.array(53, numba.float64)
    total = cuda.local.array(TOTAL_SHAPE, numba.float32)
    inner = cuda.local.array(NARROW, numba.float32)
    sheet = Sheet(values, left, values, values, total, inner)
    four = cuda.local.array(4, numba.int64)
    log = cuda.local.array(LOG_SHAPE, numba.int64)
    for i in range(cuda.grid(1), len(actions), cuda.gridsize(1)):
        actions[i] = network_answer(desk_at(tables, i, four, four, four, log[:0], sheet), network)
