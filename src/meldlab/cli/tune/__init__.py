"""``meldlab tune``: the paper's experiments, the search beyond them, and a look at one that runs."""

import typer

from meldlab.cli.tune import best, experiments, watch

__all__ = ["app"]

app = typer.Typer(name="tune", help="Tune players: the paper's experiments and better ones.", no_args_is_help=True)
app.command("track")(experiments.track)
app.command("knock")(experiments.knock)
app.command("ensemble")(experiments.ensemble)
app.command("best")(best.best)
app.command("watch")(watch.watch)
