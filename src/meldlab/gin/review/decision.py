"""A decision that is looked back at: what could have been done, what each of it was worth, and whether it was a mistake.

>>> from meldlab.gin.advice import imagined_view
>>> view = imagined_view("2C 3C 4C 9D 9H 9S KC KD KH 5H", "KS")
>>> take, leave = Move.parse("take KS"), Move.parse("pass")
>>> candidates = Candidate(take, 0.71, 40.0, 0.0, 0.0), Candidate(leave, 0.6, 21.0, 0.11, 0.02)
>>> decision = Decision(0, view, leave, candidates, worlds=200, sure=True)
>>> decision.is_mistake(), decision.is_mistake(least=0.2), str(decision.kind), decision.judge(take).good
(True, False, 'draw', True)
"""

from dataclasses import dataclass
from typing import Any

from meldlab.errors import NoSuchThing
from meldlab.gin.move import Move
from meldlab.gin.review.candidates import Kind, kind_of, same
from meldlab.gin.view import View

__all__ = ["GOOD", "LEAST", "SURE", "Candidate", "Decision", "Judgement"]

LEAST = 0.025
"""The least loss of a mistake, in chance to win the match."""
SURE = 2.0
"""How many standard errors a mistake costs at least."""
GOOD = 0.035 / 2
"""What a second try may lose at most and still be good: 0.035 on the scale from -1 to 1, as lichess has it."""


@dataclass(frozen=True)
class Candidate:
    """A move, and what it was worth on the worlds that all candidates of the decision share."""

    move: Move
    chance: float
    """To win the match."""
    points: float
    """Of the round, in the mean."""
    cost: float
    """What it loses against the best, in chance to win."""
    error: float
    """The standard error of that loss; of the best itself, and of what is known for sure, 0."""

    @property
    def clear(self) -> bool:
        """Tell whether the loss is more than luck with the worlds: above two standard errors."""
        return self.cost > SURE * self.error

    def as_json(self) -> dict[str, Any]:
        """Return the candidate as an answer has it."""
        numbers = {name: round(getattr(self, name), 5) for name in ("chance", "cost", "error")}
        return {"move": str(self.move), **numbers, "points": round(self.points, 2)}


@dataclass(frozen=True)
class Judgement:
    """Whether a move that is tried in place of the one made is good, and how it compares with the best."""

    good: bool
    candidate: Candidate
    best: Candidate

    def as_json(self) -> dict[str, Any]:
        """Return the judgement as an answer has it."""
        return {"good": self.good, **self.candidate.as_json(), "best": str(self.best.move)}


@dataclass(frozen=True)
class Decision:
    """One decision of a seat, with every candidate, the best first."""

    number: int
    """The action of the game, from 0."""
    view: View
    """What the seat knew; nothing else was used."""
    done: Move
    candidates: tuple[Candidate, ...]
    worlds: int
    """On how many worlds the candidates were tried; 0 where nothing was hidden."""
    sure: bool
    """Whether what was done loses also against a best that other worlds have chosen, or nothing was hidden."""

    @property
    def seat(self) -> int:
        """Return who decided."""
        return self.view.seat

    @property
    def best(self) -> Candidate:
        """Return the candidate that was worth most."""
        return self.candidates[0]

    @property
    def own(self) -> Candidate:
        """Return the move that was made, as it was valued."""
        return self.candidate(self.done)

    def candidate(self, move: Move) -> Candidate:
        """Return a move as it was valued."""
        for one in self.candidates:
            if same(one.move, move):
                return one
        raise NoSuchThing("candidate", str(move), [str(one.move) for one in self.candidates])

    @property
    def kind(self) -> Kind | None:
        """Return what was wrong with the move, if it was not the best."""
        own, best = self.own, self.best
        if own is best:
            return None
        laid_otherwise = (
            one for one in self.candidates if {meld.hand for meld in one.move.melds} == {meld.hand for meld in self.done.melds}
        )
        return kind_of(self.done, best.move, any(one.cost < own.cost for one in laid_otherwise))

    def is_mistake(self, least: float = LEAST) -> bool:
        """Tell whether the move lost at least so much, and more than two standard errors, for sure."""
        return self.sure and self.own.clear and self.own.cost >= least

    def judge(self, move: Move) -> Judgement:
        """Say whether another candidate is good: it loses less than ``GOOD``, or no more than two standard errors."""
        one = self.candidate(move)
        return Judgement(one.cost < GOOD or not one.clear, one, self.best)

    def as_json(self, least: float = LEAST) -> dict[str, Any]:
        """Return the decision as an answer has it; seats, rounds and actions are counted from 1."""
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
            "chance": round(own.chance, 5),
            "cost": round(own.cost, 5),
            "error": round(own.error, 5),
            "kind": self.kind,
            "mistake": self.is_mistake(least),
            "worlds": self.worlds,
            "sure": self.sure,
            "candidates": [one.as_json() for one in self.candidates],
        }
