"""``meldlab waiting``: expected turns to a complete hand, exact, for every hand of three to ten cards."""

import typer

from meldlab.cli.waiting import figures, hand, solve

__all__ = ["app"]

app = typer.Typer(name="waiting", help="How many turns until a hand is complete? Exact, for 3 to 10 cards.", no_args_is_help=True)
app.command("solve")(solve.solve)
app.command("hand")(hand.hand)
app.command("discard")(hand.discard)
app.command("approximate")(solve.approximate)
app.command("classes")(solve.classes)
app.command("table")(solve.write_table)
app.command("simulate")(hand.simulate)
app.command("figures")(figures.figures)


@app.callback()
def waiting() -> None:
    """How many turns until a hand is complete? Exact, for 3 to 10 cards."""
