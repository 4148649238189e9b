"""``meldlab stopping``: the game of black and red cards, solved and played."""

import typer

from meldlab.cli.stopping import figures, play, solve

__all__ = ["app"]

app = typer.Typer(name="stopping", help="Draw cards, win on black, lose on red, stop when you like.", no_args_is_help=True)
app.command("value")(solve.value)
app.command("advise")(solve.advise)
app.command("policy")(solve.policy)
app.command("matrices")(solve.matrices)
app.command("winnings")(solve.winnings)
app.command("draw")(figures.draw)
app.command("figures")(figures.figures)
app.command("play")(play.play)


@app.callback()
def stopping() -> None:
    """Draw cards, win on black, lose on red, stop when you like."""
