"""``meldlab bench``: the figures of docs/benchmarks.md, measured here, beside every rival that is installed."""

import typer

from meldlab.cli.bench import analyse, gin, melds, recycle, rummikub, stopping, tuning, waiting

__all__ = ["app"]

app = typer.Typer(name="bench", help="Measure speed here, beside every rival that is installed.", no_args_is_help=True)
app.command("melds")(melds.bench_melds)
app.command("waiting")(waiting.bench_waiting)
app.command("gin")(gin.bench_gin)
app.command("stopping")(stopping.bench_stopping)
app.command("recycle")(recycle.bench_recycle)
app.command("analyse")(analyse.bench_analyse)
app.command("rummikub")(rummikub.bench_rummikub)
app.command("tuning")(tuning.bench_tuning)


@app.callback()
def bench() -> None:
    """Measure speed here, beside every rival that is installed."""
