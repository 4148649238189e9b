"""``meldlab gin``: play gin rummy, ask for advice, let players meet."""

from meldlab.cli.gin import advise, arena, compute, export, play, review, train
from meldlab.cli.options import door

__all__ = ["app"]

app = door(
    "Gin rummy: play, ask for advice, look back, let players meet, compute, train, exploit.",
    play=play.play,
    advise=advise.advise,
    review=review.review,
    arena=arena.arena,
    compute=compute.compute,
    train=train.train,
    exploit=train.exploit,
    export=export.export,
)
