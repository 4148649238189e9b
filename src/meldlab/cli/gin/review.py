"""``meldlab gin review``: what the decisions of a match cost, and what would have been better."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from meldlab.cli.options import JsonOption, SeedOption, ThreadsOption, print_json
from meldlab.cli.outputs import out_file
from meldlab.cli.progress import progress_bar
from meldlab.cli.replay import RecordArgument, read_record

if TYPE_CHECKING:
    from rich.console import Console

    from meldlab.gin.review import Decision, Review, Reviewer
    from meldlab.play import Record


def review(
    file: RecordArgument,
    seat: Annotated[int | None, typer.Option("--seat", min=1, help="Whose; yours if you played, else of both.")] = None,
    player: Annotated[str, typer.Option("--player", help="Who plays every world to its end, in both seats.")] = "champion",
    worlds: Annotated[int, typer.Option("--worlds", min=2, max=1_000_000, help="Worlds for each decision.")] = 200,
    least: Annotated[float, typer.Option("--least", min=0, max=1, help="The least loss of a mistake, in chance to win.")] = 0.025,
    out: Annotated[Path | None, out_file("Write it all as one page.", "PAGE.html")] = None,
    seed: SeedOption = 0,
    threads: ThreadsOption = 0,
    json: JsonOption = False,
) -> None:
    """Look back at a match: every decision valued anew on worlds that the seat could imagine, and the mistakes, the dearest first.

    Example: meldlab gin review game.toml --out review.html
    """
    from rich.console import Console

    from meldlab.cache import replace_file
    from meldlab.gin.review import Reviewer

    record = read_record(file, seat)
    yours = [place for place, name in enumerate(record.players) if name == "you"]
    reviewer, seats = Reviewer.from_name(player, worlds, seed, threads, least), [seat - 1] if seat is not None else yours or [0, 1]
    found = _looked(reviewer, record, seats)
    if out is not None:
        from meldlab.reports.review import review_page

        with replace_file(out) as page:
            page.write(review_page(found, least).encode())
    if json:
        print_json(found.as_json(least) | ({"page": out} if out else {}))
        return
    console = Console(highlight=False)
    for place in found.seats:
        many = sum(one.seat == place for one in found.decisions)
        own = [one for one in found.mistakes(least) if one.seat == place]
        told = (
            f"{len(own)} mistake{'s' * (len(own) != 1)} that cost {100 * found.cost(place, least):.1f} % of a match"
            if own
            else "no mistake"
        )
        console.print(f"p{place + 1} {found.players[place]}: {many} decisions, {told}", markup=False, soft_wrap=True)
    kinds = ", ".join(f"{kind} {many}" for kind, many in found.kinds(least).items() if many)
    if kinds:
        console.print(f"by kind: {kinds}")
    for nth, one in enumerate(found.mistakes(least), 1):
        _show(console, nth, one)
    if out is not None:
        console.print(f"\n{out}", markup=False, soft_wrap=True)


def _looked(reviewer: "Reviewer", record: "Record", seats: list[int]) -> "Review":
    from meldlab.gin.review import Review, steps_of

    steps, decisions = steps_of(record), []
    with progress_bar("looking back") as show:
        for one in reviewer.decisions(steps, seats):
            decisions.append(one)
            show(one.number + 1, len(steps))
    return Review.of(reviewer, record, decisions, seats)


def _show(console: "Console", nth: int, one: "Decision") -> None:
    """Print a mistake: where, with which cards, what was done, and what would have been better."""
    from rich.text import Text

    from meldlab.cli.pictures import arrangement_text, cards_drawn, cards_text
    from meldlab.melds import arrange

    view, own = one.view, one.own
    lost = f"{100 * own.cost:.1f} % lost" + (f" (± {100 * own.error:.1f})" if one.worlds else "")
    console.print(f"\n{nth}. round {view.number + 1}, action {one.number + 1}, p{view.seat + 1}: {one.kind}, {lost}")
    console.print("   hand   ", arrangement_text(arrange(view.hand)))
    lying = cards_text([view.upcard]) if view.upcard else "none"
    console.print("   upcard ", lying, f" stock {view.stock}, score {view.scores[view.seat]} to {view.scores[1 - view.seat]}")
    for word, candidate in (("did", own), ("better", one.best)):
        worth = f"   {word:8}{100 * candidate.win_probability:.1f} % to win, {candidate.points:+.1f} points: "
        console.print(Text(worth).append_text(cards_drawn(str(candidate.move))), soft_wrap=True)
