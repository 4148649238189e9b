"""Looking back at a game of gin: which decisions cost most, by the values of a player that can say what moves are worth.

>>> from meldlab.gin import Gin, players
>>> from meldlab.play import Table
>>> played = Table(Gin(), [players.parse("random"), players.parse("computed:light")]).play(Deal(seed=3))
>>> found = review(played.steps(), played.deal, players.parse("computed:light"))
>>> {decision.seat for decision in found}, found[0].cost >= found[-1].cost > 0
({0}, True)
"""

from collections.abc import Iterable
from dataclasses import dataclass

from meldlab.gin.advice import thinking
from meldlab.gin.match import Match
from meldlab.gin.move import Move
from meldlab.gin.view import View
from meldlab.play import Deal, Player, Step

__all__ = ["Decision", "review"]


@dataclass(frozen=True)
class Decision:
    """One decision of a seat that another move would have bettered."""

    number: int
    """The action of the game, from 0."""
    view: View
    done: Move
    better: Move
    cost: float
    """What the better move is worth more, in whatever the player counts in."""

    @property
    def seat(self) -> int:
        """Return who decided."""
        return self.view.seat


def review(steps: Iterable[Step[Match]], deal: Deal, player: Player[View, Move], seats: Iterable[int] = (0, 1)) -> list[Decision]:
    """Return the decisions of some seats that cost something, the dearest first; a move that the player has no value for costs nothing.

    The player sees what the seat saw, and no card more.
    """
    think, looked_at, found = thinking(player), tuple(seats), []
    for step in steps:
        if step.seat not in looked_at or step.forfeit:
            continue
        view, done = step.before.view(step.seat), step.action
        values = think(view, deal.chance(step.number, step.seat))
        # The melds that are shown with a knock are another decision than the knock.
        own = [value for move, value in values if (move.verb, move.index) == (done.verb, done.index)]
        if not own:
            continue
        best = max(values, key=lambda one: one[1])
        if best[1] > max(own):
            found.append(Decision(step.number, view, done, best[0], float(best[1] - max(own))))
    return sorted(found, key=lambda decision: -decision.cost)
