"""``meldlab bench``: the figures of docs/benchmarks.md, measured here, beside every rival that is installed."""

import typer

from meldlab.cli.bench import melds, rummikub

__all__ = ["app"]

app = typer.Typer(name="bench", help="Measure speed here, beside every rival that is installed.", no_args_is_help=True)
app.command("melds")(melds.bench_melds)
app.command("rummikub")(rummikub.bench_rummikub)


@app.callback()
def bench() -> None:
    """Measure speed here, beside every rival that is installed."""
