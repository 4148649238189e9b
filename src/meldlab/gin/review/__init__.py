"""Looking back at a match of gin: every decision valued anew on common worlds, its mistakes, and how the chance to win went.

>>> from meldlab.gin import Gin, players
>>> from meldlab.play import Deal, Table
>>> record = Table(Gin(), [players.parse("random"), players.parse("simple")]).play(Deal(seed=1)).record
>>> reviewer = Reviewer.named("simple", worlds=20)
>>> decisions = reviewer.decisions(steps_of(record), seats=[0])  # one by one: stop whenever you like
>>> review = Review.of(reviewer, record, decisions, seats=[0])
>>> worst = review.mistakes()[0]
>>> worst.own.cost > 2 * worst.own.error, reviewer.judge(worst, worst.best.move).good, reviewer.judge(worst, worst.done).good
(True, True, False)
"""

from meldlab.gin.review.candidates import Kind
from meldlab.gin.review.decision import GOOD, LEAST, SURE, Candidate, Decision, Judgement
from meldlab.gin.review.review import Point, Review
from meldlab.gin.review.reviewer import PLAYER, WORLDS, Reviewer, steps_of

__all__ = [
    "GOOD",
    "LEAST",
    "PLAYER",
    "SURE",
    "WORLDS",
    "Candidate",
    "Decision",
    "Judgement",
    "Kind",
    "Point",
    "Review",
    "Reviewer",
    "steps_of",
]
