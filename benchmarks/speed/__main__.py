"""Speed of each package here, next to every other implementation that is installed.

    python benchmarks/speed melds
    python benchmarks/speed rummikub --positions 200 --agree 2000 --json

``python benchmarks/speed --help`` lists the measurements, ``make bench`` runs all of them.
"""

import sys

import analyse
import typer
import vector

import gin
import melds
import recycle
import rummikub
import stopping
import tuning
import waiting
from meldlab.errors import MeldlabError

app = typer.Typer(help="Measure the speed of each package.", no_args_is_help=True, pretty_exceptions_enable=False, add_completion=False)
for module in (melds, waiting, stopping, gin, vector, rummikub, recycle, analyse, tuning):
    app.command(module.__name__)(getattr(module, f"bench_{module.__name__}"))

if __name__ == "__main__":
    try:
        app()
    except MeldlabError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
