"""A reviewed decision: its candidates with their values, and whether the move was a mistake.

>>> from meldlab.gin.advice import position_view
>>> view = position_view("2C 3C 4C 9D 9H 9S KC KD KH 5H", "KS")
>>> take, leave = Move.parse("take KS"), Move.parse("pass")
>>> candidates = Candidate(take, 0.71, 40.0, 0.0, 0.0), Candidate(leave, 0.6, 21.0, 0.11, 0.02)
>>> decision = Decision(0, view, leave, candidates, samples=200, sure=True)
>>> decision.is_mistake(), decision.is_mistake(least=0.2), str(decision.kind), decision.judge(take).good
(True, False, 'draw', True)
"""

from dataclasses import dataclass
from typing import Any

from meldlab.errors import NoSuchThing
from meldlab.gin.move import Move
from meldlab.gin.review.candidates import Kind, kind_of, same, same_melds
from meldlab.gin.view import View

MIN_LOSS = 0.025
"""Minimum loss of a mistake, in match-win probability."""
SURE_ERRORS = 2.0
"""Minimum loss of a mistake, in its standard errors."""
ACCEPTABLE_LOSS = 0.035 / 2
"""Maximum loss of a good second try, in match-win probability: 0.035 on the scale from -1 to 1, as in lichess."""


@dataclass(frozen=True)
class Candidate:
    """A move and its value on the sampled deals that all candidates of a decision share."""

    move: Move
    win_probability: float
    """Of the match."""
    points: float
    """Expected points of the round."""
    cost: float
    """Loss against the best candidate, in match-win probability."""
    error: float
    """Standard error of the loss; 0 for the best candidate and where all cards are open."""

    @property
    def clear(self) -> bool:
        """Return whether the loss is significant: more than two standard errors."""
        return self.cost > SURE_ERRORS * self.error

    def as_json(self) -> dict[str, Any]:
        """Return the candidate as JSON, rounded."""
        numbers = {"chance": self.win_probability, "cost": self.cost, "error": self.error}
        return {"move": str(self.move), **{name: round(number, 5) for name, number in numbers.items()}, "points": round(self.points, 2)}


@dataclass(frozen=True)
class Judgement:
    """A judgement of a second try: whether it is good, and the best move."""

    good: bool
    candidate: Candidate
    best: Candidate

    def as_json(self) -> dict[str, Any]:
        """Return the judgement as JSON."""
        return {"good": self.good, **self.candidate.as_json(), "best": str(self.best.move)}


@dataclass(frozen=True)
class Decision:
    """One decision of a seat with all its candidates, the best first."""

    number: int
    """Index of the action in the game, from 0."""
    view: View
    """The seat's view; the values depend on nothing else."""
    done: Move
    candidates: tuple[Candidate, ...]
    samples: int
    """Number of sampled deals; 0 where no card was hidden."""
    sure: bool
    """True if the move also loses against a best that was chosen on other sampled deals, or no card was hidden."""

    @property
    def seat(self) -> int:
        """Return the seat that decided."""
        return self.view.seat

    @property
    def best(self) -> Candidate:
        """Return the best candidate."""
        return self.candidates[0]

    @property
    def own(self) -> Candidate:
        """Return the candidate of the move that was made."""
        return self.candidate(self.done)

    def candidate(self, move: Move) -> Candidate:
        """Return the candidate of a move."""
        for candidate in self.candidates:
            if same(candidate.move, move):
                return candidate
        raise NoSuchThing("candidate", str(move), [str(candidate.move) for candidate in self.candidates])

    @property
    def kind(self) -> Kind | None:
        """Return the kind of mistake of the move, or None if it is the best."""
        own, best = self.own, self.best
        if own is best:
            return None
        same_shown = (candidate for candidate in self.candidates if same_melds(candidate.move, self.done))
        return kind_of(self.done, best.move, any(candidate.cost < own.cost for candidate in same_shown))

    def is_mistake(self, least: float = MIN_LOSS) -> bool:
        """Return whether the move is sure to lose at least ``least``, and more than two standard errors."""
        return self.sure and self.own.clear and self.own.cost >= least

    def judge(self, move: Move) -> Judgement:
        """Return whether another candidate is good: it loses less than ``ACCEPTABLE_LOSS``, or at most two standard errors."""
        candidate = self.candidate(move)
        return Judgement(candidate.cost < ACCEPTABLE_LOSS or not candidate.clear, candidate, self.best)

    def as_json(self, least: float = MIN_LOSS) -> dict[str, Any]:
        """Return the decision as JSON; seats, rounds and actions are counted from 1."""
        view, own = self.view, self.own
        return {
            "action": self.number + 1,
            "round": view.number + 1,
            "seat": view.seat + 1,
            "phase": view.phase.name.lower(),
            "scores": list(view.scores),
            "hand": str(view.hand),
            "upcard": None if view.upcard is None else str(view.upcard),
            "stock": view.stock,
            "done": str(self.done),
            "best": str(self.best.move),
            "chance": round(own.win_probability, 5),
            "cost": round(own.cost, 5),
            "error": round(own.error, 5),
            "kind": self.kind,
            "mistake": self.is_mistake(least),
            "worlds": self.samples,
            "sure": self.sure,
            "candidates": [candidate.as_json() for candidate in self.candidates],
        }
