"""``meldlab gin``: play gin rummy, ask for advice, let players fight."""

import typer

from meldlab.cli.gin import advise, arena, compute, play

__all__ = ["app"]

app = typer.Typer(name="gin", help="Gin rummy: play, ask for advice, let players fight, compute.", no_args_is_help=True)
app.command("play")(play.play)
app.command("advise")(advise.advise)
app.command("arena")(arena.arena)
app.command("compute")(compute.compute)


@app.callback()
def gin() -> None:
    """Gin rummy: play, ask for advice, let players fight, compute."""
