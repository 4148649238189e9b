"""Reviews of gin matches: every decision evaluated again on common sampled deals, its mistakes and the win probability over the match.

>>> from meldlab.gin import Gin, players
>>> from meldlab.play import Deal, Table
>>> record = Table(Gin(), [players.parse("random"), players.parse("simple")]).play(Deal(seed=1)).record
>>> reviewer = Reviewer.from_name("simple", samples=20)
>>> decisions = reviewer.decisions(steps_of(record), seats=[0])  # one by one, so it can be stopped at any time
>>> review = Review.of(reviewer, record, decisions, seats=[0])
>>> worst = review.mistakes()[0]
>>> worst.own.cost > 2 * worst.own.error, reviewer.judge(worst, worst.best.move).good, reviewer.judge(worst, worst.done).good
(True, True, False)
"""

from meldlab.gin.review.candidates import Kind
from meldlab.gin.review.decision import ACCEPTABLE_LOSS, MIN_LOSS, SURE_ERRORS, Candidate, Decision, Judgement
from meldlab.gin.review.review import Point, Review
from meldlab.gin.review.reviewer import PLAYER, SAMPLES, Reviewer, steps_of

__all__ = [
    "ACCEPTABLE_LOSS",
    "MIN_LOSS",
    "PLAYER",
    "SAMPLES",
    "SURE_ERRORS",
    "Candidate",
    "Decision",
    "Judgement",
    "Kind",
    "Point",
    "Review",
    "Reviewer",
    "steps_of",
]
