"""Kernel of the review: the chance to win a match from every score."""

import numpy as np

from meldlab.compiling import kernel

EVEN = 0.5  # what a match is worth that nobody can win
SINGULAR = 1e-12


@kernel
def fill_equity(odds, next_starter, equity):
    """Fill ``equity``, [points wanted, points wanted, 2] float64: the chance to win from own points and the other's, by who starts.

    Seat 0 is one's own. ``odds``: [2, points] float64, how often the starter wins so many points, and how often the other does; what is
    missing to 1 are rounds that nobody wins, after which the same starts again. ``next_starter``: [2, 2] int64, by who started and who won.
    """
    wanted, most = equity.shape[0], odds.shape[1]
    nobody = max(0.0, 1.0 - odds.sum())
    known, same = np.zeros(2), np.zeros((2, 2))
    for own in range(wanted - 1, -1, -1):
        for other in range(wanted - 1, -1, -1):
            known[:], same[:] = 0.0, 0.0
            for starter in range(2):
                same[starter, starter] += nobody
                for winner in range(2):
                    row, after = odds[0 if winner == starter else 1], next_starter[starter, winner]
                    same[starter, after] += row[0]
                    for points in range(1, most):
                        mine, theirs = own + points * (winner == 0), other + points * (winner == 1)
                        if mine >= wanted:
                            known[starter] += row[points]
                        elif theirs < wanted:
                            known[starter] += row[points] * equity[mine, theirs, after]
            # A round that changes no score leads back here: two equations, by who starts.
            a, b, c, d = 1.0 - same[0, 0], -same[0, 1], -same[1, 0], 1.0 - same[1, 1]
            determinant = a * d - b * c
            if determinant > SINGULAR:
                equity[own, other, 0] = (known[0] * d - b * known[1]) / determinant
                equity[own, other, 1] = (a * known[1] - known[0] * c) / determinant
            else:
                equity[own, other, :] = EVEN
