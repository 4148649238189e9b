"""``meldlab waiting``: expected turns to a complete hand, exact, for every hand of three to ten cards."""

import typer

from meldlab.cli.waiting import figures, hand, solve

__all__ = ["app"]

app = typer.Typer(epilog="Example: meldlab waiting solve --cards 4 --aces both", no_args_is_help=True, rich_markup_mode=None)
app.command()(solve.solve)
app.command()(hand.hand)
app.command()(hand.discard)
app.command()(solve.approximate)
app.command()(solve.classes)
app.command("table")(solve.write_table)
app.command()(hand.simulate)
app.command()(figures.figures)
