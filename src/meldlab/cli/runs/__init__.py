"""``meldlab runs``: what the store has kept of every search."""

from meldlab.cli.options import door
from meldlab.cli.runs import export, look

__all__ = ["app"]

app = door("What the store has kept of every search.", list=look.list_runs, show=look.show, export=export.export)
