"""``meldlab waiting``: expected turns to a complete hand, exact, for every hand of three to ten cards."""

import typer

from meldlab.cli.waiting.figures import figures
from meldlab.cli.waiting.hand import discard, hand, simulate
from meldlab.cli.waiting.solve import approximate, classes, solve, write_table

__all__ = ["app"]

app = typer.Typer(epilog="Example: meldlab waiting solve --cards 4 --aces both", no_args_is_help=True, rich_markup_mode=None)
app.command()(solve)
app.command()(hand)
app.command()(discard)
app.command()(approximate)
app.command()(classes)
app.command("table")(write_table)
app.command()(simulate)
app.command()(figures)
