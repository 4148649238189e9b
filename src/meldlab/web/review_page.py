"""The page of a finished review: in the web app with links and forms, as a file with the candidates of every decision."""

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from markupsafe import Markup

from meldlab.web.charts import chances
from meldlab.web.gin_hand import sorted_hand
from meldlab.web.rendering import render
from meldlab.web.review_models import Decided, Reviewed

STYLES = ("meldlab.css", "table.css", "review.css")


def review_values(review: Reviewed, chosen: Sequence[Decided], address: Callable[[Decided], str]) -> dict[str, Any]:
    """Return the values of the template ``review/result.html.jinja``; ``address``: where a mark on the curve leads."""
    marks = [
        (float(item.action), item.chance, address(item), f"Action {item.action}, {item.kind}: {100 * item.cost:.1f} points lost")
        for item in chosen
    ]
    names = " and ".join(seat.name for seat in review.seats)
    says = f"The chance of {names} to win, over {review.actions} actions"
    curve = chances([seat.curve for seat in review.seats], review.rounds, marks, says)
    return {"review": review, "chosen": chosen, "curve": curve, "sorted_hand": sorted_hand}


def review_document(review: Reviewed) -> str:
    """Return the page as one self-contained HTML text; the same review gives the same bytes."""
    by_cost = sorted(review.decisions, key=lambda decision: (-decision.cost, decision.action))
    mistakes = [decision for decision in by_cost if decision.mistake]
    return render(
        "review/document.html.jinja",
        title=review_title(review),
        styles=_styles(),
        others=[decision for decision in by_cost if not decision.mistake],
        **review_values(review, mistakes, lambda decision: f"#action-{decision.action}"),
    )


def review_title(review: Reviewed | None) -> str:
    """Return the title of the page; without a review that of one in progress."""
    return "Review" if review is None else f"Review: {' against '.join(review.players)}"


@cache
def _styles() -> Markup:
    folder = Path(__file__).with_name("static")
    return Markup("\n".join((folder / name).read_text(encoding="utf-8") for name in STYLES))
