"""A review as one page: the win probability over the match, the mistakes by kind, and every decision with all its candidates.

>>> review_page(Review(("you", "simple"), (0,), (), (), "simple", 200, 0)).splitlines()[5]
'<title>Review: you against simple – meldlab</title>'
"""

from matplotlib.ticker import MaxNLocator, PercentFormatter

from meldlab.gin.review import MIN_LOSS, Review
from meldlab.melds import arrange
from meldlab.reports.page import render
from meldlab.reports.plot import BLUE, ORANGE, RED, Plot, new_figure

__all__ = ["draw_curve", "review_page"]

SIZE = (9.0, 3.8)
COLOURS = (BLUE, ORANGE)


def draw_curve(review: Review, least: float = MIN_LOSS) -> Plot:
    """Draw the win probability over the actions of the match, for each reviewed seat; mistakes are marked, rounds divided."""
    figure, (axes,) = new_figure(size=SIZE)
    rows: list[tuple[int, int, float]] = []
    for seat in review.seats:
        curve = review.curve(seat)
        name = f"p{seat + 1} {review.players[seat]}"
        axes.plot([point.action for point in curve], [point.win_probability for point in curve], color=COLOURS[seat], lw=1.6, label=name)
        rows += [(seat + 1, point.action, point.win_probability) for point in curve]
    mistakes = review.mistakes(least)
    if mistakes:
        actions, heights = zip(*((decision.number + 1, decision.own.win_probability) for decision in mistakes), strict=True)
        axes.plot(actions, heights, "o", color=RED, ms=6, label="mistake")
    for action, _ in review.between:
        axes.axvline(action, color="#333333", lw=0.5, alpha=0.35)
    axes.axhline(0.5, color="#333333", lw=0.5, ls=":")
    axes.set(xlabel="action", ylabel="chance to win the match", ylim=(-0.02, 1.02))
    axes.margins(x=0.01)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.yaxis.set_major_formatter(PercentFormatter(1))
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.5, 1.14), ncols=3)
    seats, actions, probabilities = zip(*rows, strict=True) if rows else ((), (), ())
    return figure, {"seat": seats, "action": actions, "chance": probabilities}


def review_page(review: Review, least: float = MIN_LOSS) -> str:
    """Return the page as one self-contained HTML text; the same review gives the same bytes."""
    mistakes = review.mistakes(least)
    by_cost = sorted(review.decisions, key=lambda decision: (-decision.own.cost, decision.number))
    contents = {"curve": "Chance to win", "mistakes": "Mistakes", "decisions": "All decisions", "legend": "How to read this"}
    return render(
        "meldlab.reports",
        "review.html.jinja",
        title=f"Review: {' against '.join(review.players)}",
        contents=contents,
        review=review,
        least=least,
        mistakes=mistakes,
        others=[decision for decision in by_cost if decision not in mistakes],
        arrange=arrange,
        sheets={"curve": draw_curve(review, least)},
    )
