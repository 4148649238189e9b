"""Kernel of match equity: the probability to win the match from every score."""

import numpy as np

from meldlab.compiling import kernel

EVEN = 0.5  # win probability where neither seat can score
SINGULAR = 1e-12


@kernel
def fill_equity(odds, next_starter, table):
    """Fill ``table``, [points + 1, points + 1, 2] float64: win probability by own score, other score and starter, the own seat as 0.

    ``odds``: [2, points] float64, probability that the starter, and that the other seat, wins a round by this number of points. The
    rest to 1 are void rounds, after which the same seat starts again. ``next_starter``: [2, 2] int64, by starter and winner.
    """
    last, num_points = table.shape[0] - 1, odds.shape[1]
    table[:last, last, :], table[last, :, :] = 0.0, 1.0
    void = max(0.0, 1.0 - odds.sum())
    known, same = np.zeros(2), np.zeros((2, 2))
    for own in range(last - 1, -1, -1):
        for other in range(last - 1, -1, -1):
            known[:], same[:] = 0.0, 0.0
            for starter in range(2):
                same[starter, starter] += void
                for winner in range(2):
                    row, after = odds[0 if winner == starter else 1], next_starter[starter, winner]
                    same[starter, after] += row[0]
                    for points in range(1, num_points):
                        mine, theirs = own + points * (winner == 0), other + points * (winner == 1)
                        known[starter] += row[points] * table[min(mine, last), min(theirs, last), after]
            # A round that changes no score leads back here: two equations, by starter.
            a, b, c, d = 1.0 - same[0, 0], -same[0, 1], -same[1, 0], 1.0 - same[1, 1]
            determinant = a * d - b * c
            if determinant > SINGULAR:
                table[own, other, 0] = (known[0] * d - b * known[1]) / determinant
                table[own, other, 1] = (a * known[1] - known[0] * c) / determinant
            else:
                table[own, other, :] = EVEN
