"""``meldlab tune``: the paper's experiments, the search beyond them, and a look at one that runs."""

from meldlab.cli.options import door
from meldlab.cli.tune import best, experiments, watch

__all__ = ["app"]

app = door(
    "Tune players: the paper's experiments and better ones.",
    track=experiments.track,
    knock=experiments.knock,
    ensemble=experiments.ensemble,
    best=best.best,
    watch=watch.watch,
)
