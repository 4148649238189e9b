"""What a kernel writes on while it plays a round: one desk for each game that is played at a time."""

from typing import Any, NamedTuple

__all__ = ["Desk"]


class Desk(NamedTuple):
    """Arrays that a round needs; on a GPU they lie in the memory of a thread."""

    deck: Any  # [52] int64
    notes: Any  # [NOTES] int64
    used: Any  # [2, 52] int64, for each card those it made a {drawn, discarded} pair with
    order: Any  # [2, 12] int64, hands as they came
    belief: Any  # [2, 54] float64
    pile: Any  # [64] int64, card + 64 for one that seat 0 dropped, + 128 for seat 1
    ob: Any  # [68] float64, obtainabilities
    left: Any  # [52] int64, deadwood after each discard
    risks: Any  # [52] float64
    values: Any  # [53] float64, of each discard, and the chosen one
    total: Any  # [2, WIDE] float32, of the network
    inner: Any  # [NARROW] float32
    melds: Any  # [4] int64, of the defender
    shown: Any  # [4] int64, of the knocker
    outcome: Any  # [5] int64: winner, points, whether gin, whether undercut, who knocked
