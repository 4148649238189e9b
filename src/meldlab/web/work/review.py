"""What workers do for the review: read a record, look back at a match, judge a second try."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from meldlab.errors import NotLegalHere
from meldlab.gin import Match, Move
from meldlab.gin.review import MIN_LOSS, SAMPLES, Candidate, Decision, Review, Reviewer, steps_of
from meldlab.gin.typed_moves import read_move
from meldlab.parallel import Progress
from meldlab.play import Record, Step
from meldlab.runs.store import Run
from meldlab.web.review_models import Reviewed


@cache
def reviewer(player: str, worlds: int, least: float = MIN_LOSS) -> Reviewer:
    """Return who looks back; what points are worth is measured once for each of its rules."""
    return Reviewer.from_name(player, worlds, least=least)


def read(text: str) -> dict[str, Any]:
    """Return a record as the house writes it, if it is one of gin that leads where it says."""
    record = Record.parse(text)
    if not steps_of(record):
        raise NotLegalHere("nothing was done in this record")
    return {"record": str(record), "players": list(record.players), "actions": len(record.actions)}


def review(run: Run, settings: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """Review the decisions of some seats, and save each as it is made; ``settings``: match, record, seats, player and worlds."""
    answer, seats = Record.parse(settings["record"]), settings["seats"]
    steps = steps_of(answer)
    decisions = [_decision(steps[part["number"]], **part["decision"]) for part in run.parts()]
    since = decisions[-1].number + 1 if decisions else 0
    run.set_total(sum(step.seat in seats for step in steps))
    progress(since, len(steps), "measuring what points are worth")
    looking = reviewer(settings["player"], settings["worlds"])
    for decision in looking.decisions(steps, seats, since):
        decisions.append(decision)
        valued = {"candidates": [*map(_response, decision.candidates)], "worlds": decision.samples, "sure": decision.sure}
        run.save_part(f"decision {decision.number}", decision.number, {"number": decision.number, "decision": valued})
        progress(decision.number + 1, len(steps), f"{len(decisions)} decisions valued")
    return Reviewed.from_review(Review.of(looking, answer, decisions, seats), answer, settings["match"]).model_dump(mode="json")


def judge(record: str, decision: dict[str, Any], move: str, player: str, worlds: int) -> dict[str, Any]:
    """Say whether a move is good where a decision, as a review response it, was made."""
    step = steps_of(Record.parse(record))[decision["action"] - 1]
    before = _decision(step, **{name: decision[name] for name in ("candidates", "worlds", "sure")})
    # What was weighed is meant as it stands: "show" is to show nothing where the player did that.
    weighed = {str(candidate.move): candidate.move for candidate in before.candidates}
    tried = weighed.get(move.strip()) or read_move(before.view, move)
    # A move that was no candidate is valued while the person waits: on no more worlds than that allows.
    return reviewer(player, min(worlds, SAMPLES), least=1.0).judge(before, tried).as_json()


def _decision(step: Step[Match], candidates: list[dict[str, Any]], worlds: int, sure: bool) -> Decision:
    """Return the decision of a step as it was valued."""
    valued = tuple(
        Candidate(Move.parse(candidate["move"]), candidate["chance"], candidate["points"], candidate["cost"], candidate["error"])
        for candidate in candidates
    )
    return Decision(step.number, step.before.view(step.seat), step.action, valued, worlds, sure)


def _response(candidate: Candidate) -> dict[str, Any]:
    """Return a candidate to the last digit, unlike what an answer has of it."""
    numbers = {"chance": candidate.win_probability, "points": candidate.points, "cost": candidate.cost, "error": candidate.error}
    return {"move": str(candidate.move), **numbers}
