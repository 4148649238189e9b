"""``meldlab bench``: the figures of docs/benchmarks.md, measured here, beside every rival that is installed."""

from meldlab.cli.bench import analyse, gin, melds, recycle, rummikub, stopping, tuning, vector, waiting
from meldlab.cli.options import door

__all__ = ["app"]

app = door(
    "Measure speed here, beside every rival that is installed.",
    melds=melds.bench_melds,
    waiting=waiting.bench_waiting,
    gin=gin.bench_gin,
    stopping=stopping.bench_stopping,
    recycle=recycle.bench_recycle,
    analyse=analyse.bench_analyse,
    rummikub=rummikub.bench_rummikub,
    tuning=tuning.bench_tuning,
    vector=vector.bench_vector,
)
