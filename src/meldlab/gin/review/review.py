"""A review of a match: its decisions, its mistakes by kind, and the win probability of each seat over the match.

>>> from meldlab.gin import Gin, players
>>> from meldlab.play import Deal, Table
>>> record = Table(Gin(), [players.parse("simple"), players.parse("simple")]).play(Deal(seed=2)).record
>>> reviewer = Reviewer.from_name("simple", samples=10)
>>> partial = Review.of(reviewer, record, reviewer.decisions(steps_of(record)[:20]))
>>> len(partial.decisions), partial.curve(seat=1)[-1].win_probability == float(1 in record.result.winners)
(19, True)
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from meldlab.errors import NotLegalHere
from meldlab.gin.match import Match
from meldlab.gin.review.candidates import Kind
from meldlab.gin.review.decision import MIN_LOSS, Decision
from meldlab.gin.review.reviewer import Reviewer, steps_of
from meldlab.play import Record, Step


class Point(NamedTuple):
    """A point of a seat's curve: its match-win probability before an action, or after the action that it chose."""

    action: int
    """Number of actions made, the seat's own included."""
    win_probability: float
    number: int | None = None
    """Index of the decision's action; None at the start of a round and at the end, where the scores alone count."""


@dataclass(frozen=True)
class Review:
    """The reviewed decisions of a match, or of a part of it."""

    players: tuple[str, ...]
    seats: tuple[int, ...]
    """Reviewed seats."""
    decisions: tuple[Decision, ...]
    """In the order of the game."""
    between: tuple[tuple[int, tuple[float, float]], ...]
    """Starts of rounds and end of the match: the number of actions made and the win probability of both seats."""
    player: str
    samples: int
    seed: int

    @classmethod
    def of(cls, reviewer: Reviewer, record: Record, decisions: Iterable[Decision], seats: Iterable[int] = (0, 1)) -> "Review":
        """Return the review of a record from the decisions of a reviewer."""
        between = _between(reviewer, steps_of(record))
        return cls(record.players, tuple(seats), tuple(decisions), between, reviewer.player, reviewer.samples, reviewer.seed)

    def mistakes(self, least: float = MIN_LOSS) -> list[Decision]:
        """Return the mistakes that cost at least ``least``, the most costly first."""
        return sorted(
            (decision for decision in self.decisions if decision.is_mistake(least)),
            key=lambda decision: (-decision.own.cost, decision.number),
        )

    def kinds(self, least: float = MIN_LOSS) -> dict[Kind, int]:
        """Return the number of mistakes of each kind."""
        counts = Counter(decision.kind for decision in self.mistakes(least))
        return {kind: counts[kind] for kind in Kind}

    def cost(self, seat: int, least: float = MIN_LOSS) -> float:
        """Return the total cost of a seat's mistakes, in match-win probability."""
        return sum(decision.own.cost for decision in self.mistakes(least) if decision.seat == seat)

    def curve(self, seat: int) -> list[Point]:
        """Return the win probability that a seat could know: after each of its decisions, and between rounds."""
        if seat not in self.seats:
            raise NotLegalHere(f"p{seat + 1} was not reviewed")
        points = [
            Point(decision.number + 1, decision.own.win_probability, decision.number)
            for decision in self.decisions
            if decision.seat == seat
        ]
        points += [Point(action, both[seat]) for action, both in self.between]
        return sorted(points, key=lambda point: (point.action, point.number is None))

    def as_json(self, least: float = MIN_LOSS) -> dict[str, Any]:
        """Return the review as JSON; seats, rounds and actions are counted from 1, the actions of a curve from 0."""
        mistakes = self.mistakes(least)
        return {
            "players": list(self.players),
            "player": self.player,
            "worlds": self.samples,
            "seed": self.seed,
            "least": least,
            "seats": [
                {
                    "seat": seat + 1,
                    "name": self.players[seat],
                    "decisions": sum(decision.seat == seat for decision in self.decisions),
                    "mistakes": sum(decision.seat == seat for decision in mistakes),
                    "cost": round(self.cost(seat, least), 5),
                    "curve": [[point.action, round(point.win_probability, 5)] for point in self.curve(seat)],
                }
                for seat in self.seats
            ],
            "rounds": [action for action, _ in self.between],
            "kinds": {str(kind): count for kind, count in self.kinds(least).items()},
            "mistakes": [decision.number + 1 for decision in mistakes],
            "decisions": [decision.as_json(least) for decision in self.decisions],
        }


def _between(reviewer: Reviewer, steps: list[Step[Match]]) -> tuple[tuple[int, tuple[float, float]], ...]:
    """Return the win probability of both seats at the start of each round and at the end of the match."""
    points: list[tuple[int, tuple[float, float]]] = []
    for i, step in enumerate(steps):
        before = step.before
        if i == 0 or before.number != steps[i - 1].before.number:
            own = reviewer.equity(before.rules).win_probability(before.scores, before.round.starter)
            points.append((step.number, (own, 1.0 - own)))
        if step.result is not None:
            won = [1.0 if seat in step.result.winners else 0.0 for seat in range(2)]
            points.append((step.number + 1, (won[0], won[1]) if sum(won) else (0.5, 0.5)))
    return tuple(points)
