"""What each move leads to: the chance to win the match and the points of the round, valued as a review values them.

>>> from meldlab.gin.advice import imagined_view
>>> first, *others = prospects(imagined_view(hand="2C 2D 2H 2S 4D 4H 4S 8D 8H 8S AC"))
>>> str(first.move)[:8], first.points > 25, 0.5 < first.chance < 1
('knock AC', True, True)
"""

from functools import cache

from meldlab.gin.review import Candidate, Reviewer
from meldlab.gin.view import View

__all__ = ["prospects"]


def prospects(view: View) -> tuple[Candidate, ...]:
    """Return every move of the seat that acts, the best first, on the same worlds; nothing where there is no choice.

    So a hint never recommends what a review of the match calls a mistake.
    """
    moves = view.legal_actions() if view.acting == view.seat else []
    decision = _reviewer().weigh(view, moves[0], len(view.history)) if len(moves) > 1 else None
    return decision.candidates if decision else ()


@cache
def _reviewer() -> Reviewer:
    return Reviewer.named(least=1.0)  # nothing is called a mistake here, so nothing is looked at twice
