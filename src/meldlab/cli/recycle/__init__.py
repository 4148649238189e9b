"""``meldlab recycle``: card games described in RECYCLE, checked, run and played."""

import typer

from meldlab.cli.recycle import analyse, arena, check, layout, play, run

__all__ = ["app"]

app = typer.Typer(name="recycle", help="Card games described in RECYCLE: check, run and play them.", no_args_is_help=True)
app.command("list")(check.list_games)
app.command("check")(check.check)
app.command("show")(check.show)
app.command("format")(layout.format_program)
app.command("migrate")(layout.migrate)
app.command("run")(run.run)
app.command("play")(play.play)
app.command("transcript")(run.transcript)
app.command("perft")(run.perft)
app.command("arena")(arena.arena)
app.command("analyse")(analyse.analyse)
app.command("compare")(analyse.compare)


@app.callback()
def recycle() -> None:
    """Card games described in RECYCLE: check, run and play them."""
