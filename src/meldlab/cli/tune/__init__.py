"""``meldlab tune``: the paper's experiments, the search beyond them, and a look at one that runs."""

import typer

from meldlab.cli.tune.best import best
from meldlab.cli.tune.experiments import ensemble, knock, track
from meldlab.cli.tune_watch import watch

__all__ = ["app"]

app = typer.Typer(name="tune", help="Tune players: the paper's experiments and better ones.", no_args_is_help=True)
app.command("track")(track)
app.command("knock")(knock)
app.command("ensemble")(ensemble)
app.command("best")(best)
app.command("watch")(watch)
