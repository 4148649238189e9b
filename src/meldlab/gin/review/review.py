"""A match looked back at: its decisions, its mistakes by kind, and the chance to win it as it went up and down.

>>> from meldlab.gin import Gin, players
>>> from meldlab.play import Deal, Table
>>> record = Table(Gin(), [players.parse("simple"), players.parse("simple")]).play(Deal(seed=2)).record
>>> reviewer = Reviewer.named("simple", worlds=10)
>>> begun = Review.of(reviewer, record, reviewer.decisions(steps_of(record)[:20]))
>>> len(begun.decisions), begun.curve(seat=1)[-1].chance == float(1 in record.result.winners)
(19, True)
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from meldlab.errors import NotLegalHere
from meldlab.gin.match import Match
from meldlab.gin.review.candidates import Kind
from meldlab.gin.review.decision import LEAST, Decision
from meldlab.gin.review.reviewer import Reviewer, steps_of
from meldlab.play import Record, Step

__all__ = ["Point", "Review"]


class Point(NamedTuple):
    """A place on the curve of a seat: its chance to win the match before an action, or after the one that it chose."""

    action: int
    """From 0: how many actions had been made, the seat's own included."""
    chance: float
    number: int | None = None
    """The action that was decided; none where a round begins or the match ends, and the scores alone tell the chance."""


@dataclass(frozen=True)
class Review:
    """What a reviewer says about a match, or as much of it as has been looked at."""

    players: tuple[str, ...]
    seats: tuple[int, ...]
    """Whose decisions were looked at."""
    decisions: tuple[Decision, ...]
    """In the order of the game."""
    between: tuple[tuple[int, tuple[float, float]], ...]
    """Where rounds begin, and the end: how many actions had been made, and the chances of both seats."""
    player: str
    worlds: int
    seed: int

    @classmethod
    def of(cls, reviewer: Reviewer, record: Record, decisions: Iterable[Decision], seats: Iterable[int] = (0, 1)) -> "Review":
        """Return the review of a record from the decisions that a reviewer gave."""
        between = _between(reviewer, steps_of(record))
        return cls(record.players, tuple(seats), tuple(decisions), between, reviewer.player, reviewer.worlds, reviewer.seed)

    def mistakes(self, least: float = LEAST) -> list[Decision]:
        """Return the mistakes that cost at least so much, the dearest first."""
        return sorted((one for one in self.decisions if one.is_mistake(least)), key=lambda one: (-one.own.cost, one.number))

    def kinds(self, least: float = LEAST) -> dict[Kind, int]:
        """Return how many mistakes there are of each kind."""
        found = Counter(one.kind for one in self.mistakes(least))
        return {kind: found[kind] for kind in Kind}

    def cost(self, seat: int, least: float = LEAST) -> float:
        """Return what the mistakes of a seat cost together, in chance to win."""
        return sum(one.own.cost for one in self.mistakes(least) if one.seat == seat)

    def curve(self, seat: int) -> list[Point]:
        """Return the chance of a seat over the match, as it could know it: after each of its decisions, and between rounds."""
        if seat not in self.seats:
            raise NotLegalHere(f"p{seat + 1} was not reviewed")
        points = [Point(one.number + 1, one.own.chance, one.number) for one in self.decisions if one.seat == seat]
        points += [Point(action, chances[seat]) for action, chances in self.between]
        return sorted(points, key=lambda point: (point.action, point.number is None))

    def as_json(self, least: float = LEAST) -> dict[str, Any]:
        """Return the review as an answer has it; seats, rounds and actions are counted from 1, a curve from 0 actions on."""
        found = self.mistakes(least)
        return {
            "players": list(self.players),
            "player": self.player,
            "worlds": self.worlds,
            "seed": self.seed,
            "least": least,
            "seats": [
                {
                    "seat": seat + 1,
                    "name": self.players[seat],
                    "decisions": sum(one.seat == seat for one in self.decisions),
                    "mistakes": sum(one.seat == seat for one in found),
                    "cost": round(self.cost(seat, least), 5),
                    "curve": [[point.action, round(point.chance, 5)] for point in self.curve(seat)],
                }
                for seat in self.seats
            ],
            "rounds": [action for action, _ in self.between],
            "kinds": {str(kind): many for kind, many in self.kinds(least).items()},
            "mistakes": [one.number + 1 for one in found],
            "decisions": [one.as_json(least) for one in self.decisions],
        }


def _between(reviewer: Reviewer, steps: list[Step[Match]]) -> tuple[tuple[int, tuple[float, float]], ...]:
    """Return the chances of both where a round begins, and where the match has ended."""
    found: list[tuple[int, tuple[float, float]]] = []
    for at, step in enumerate(steps):
        before = step.before
        if at == 0 or before.number != steps[at - 1].before.number:
            own = reviewer.equity(before.rules).chance(before.scores, before.round.starter)
            found.append((step.number, (own, 1.0 - own)))
        if step.result is not None:
            won = [1.0 if seat in step.result.winners else 0.0 for seat in range(2)]
            found.append((step.number + 1, (won[0], won[1]) if sum(won) else (0.5, 0.5)))
    return tuple(found)
