"""``meldlab gin review``: what the decisions of a match cost, and the better moves."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from meldlab.cli.options import JsonOption, SeedOption, ThreadsOption, out_file
from meldlab.cli.output import print_json
from meldlab.cli.progress import progress_bar
from meldlab.cli.replay import RecordArgument, read_record

if TYPE_CHECKING:
    from rich.console import Console

    from meldlab.gin.review import Decision, Review, Reviewer
    from meldlab.play import Record


def review(
    file: RecordArgument,
    seat: Annotated[
        int | None, typer.Option("--seat", min=1, help="Seat to review; by default yours if you played, otherwise both.")
    ] = None,
    player: Annotated[str, typer.Option("--player", help="Player of both seats in the rollouts.")] = "champion",
    determinizations: Annotated[
        int, typer.Option("--determinizations", min=2, max=1_000_000, help="Sampled deals of the hidden cards per decision.")
    ] = 200,
    min_loss: Annotated[float, typer.Option("--min-loss", min=0, max=1, help="Minimum loss of a mistake, in win probability.")] = 0.025,
    out: Annotated[Path | None, out_file("HTML page to write.", "PAGE.html")] = None,
    seed: SeedOption = 0,
    threads: ThreadsOption = 0,
    json: JsonOption = False,
) -> None:
    """Review a match: evaluate every decision on sampled deals of the hidden cards, and list the mistakes, most costly first.

    Example: meldlab gin review game.toml --out review.html
    """
    from rich.console import Console

    from meldlab.cache import replace_file
    from meldlab.gin.review import Reviewer

    record = read_record(file, seat)
    yours = [place for place, name in enumerate(record.players) if name == "you"]
    reviewer = Reviewer.from_name(player, determinizations, seed, threads, min_loss)
    review = _review(reviewer, record, [seat - 1] if seat is not None else yours or [0, 1])
    if out is not None:
        from meldlab.web.review_models import Reviewed
        from meldlab.web.review_page import review_document

        with replace_file(out) as page:
            page.write(review_document(Reviewed.from_review(review, record, least=min_loss)).encode())
    if json:
        from meldlab.schemas.review import ReviewAnswer

        print_json(ReviewAnswer.from_review(review, min_loss).model_dump(by_alias=True) | ({"page": out} if out else {}))
        return
    console = Console(highlight=False)
    mistakes = review.mistakes(min_loss)
    for place in review.seats:
        decisions = sum(decision.seat == place for decision in review.decisions)
        own = sum(decision.seat == place for decision in mistakes)
        cost = f"{own} mistake{'s' * (own != 1)} that cost {100 * review.cost(place, min_loss):.1f} % of a match" if own else "no mistake"
        console.print(f"p{place + 1} {review.players[place]}: {decisions} decisions, {cost}", markup=False, soft_wrap=True)
    kinds = ", ".join(f"{kind} {count}" for kind, count in review.kinds(min_loss).items() if count)
    if kinds:
        console.print(f"by kind: {kinds}")
    for number, decision in enumerate(mistakes, 1):
        _print_mistake(console, number, decision)
    if out is not None:
        console.print(f"\n{out}", markup=False, soft_wrap=True)


def _review(reviewer: "Reviewer", record: "Record", seats: list[int]) -> "Review":
    from meldlab.gin.review import Review, steps_of

    steps, decisions = steps_of(record), []
    with progress_bar("reviewing") as show:
        for decision in reviewer.decisions(steps, seats):
            decisions.append(decision)
            show(decision.number + 1, len(steps), "")
    return Review.of(reviewer, record, decisions, seats)


def _print_mistake(console: "Console", number: int, decision: "Decision") -> None:
    """Print the place of a mistake, the cards, the move and the better one."""
    from rich.text import Text

    from meldlab.cli.pictures import arrangement_text, cards_drawn, cards_text
    from meldlab.melds import arrange

    view, own = decision.view, decision.own
    lost = f"{100 * own.cost:.1f} % lost" + (f" (± {100 * own.error:.1f})" if decision.samples else "")
    console.print(f"\n{number}. round {view.number + 1}, action {decision.number + 1}, p{view.seat + 1}: {decision.kind}, {lost}")
    console.print("   hand   ", arrangement_text(arrange(view.hand)))
    upcard = cards_text([view.upcard]) if view.upcard else "none"
    console.print("   upcard ", upcard, f" stock {view.stock}, score {view.scores[view.seat]} to {view.scores[1 - view.seat]}")
    for word, candidate in (("did", own), ("better", decision.best)):
        value = f"   {word:8}{100 * candidate.win_probability:.1f} % to win, {candidate.points:+.1f} points: "
        console.print(Text(value).append_text(cards_drawn(str(candidate.move))), soft_wrap=True)
