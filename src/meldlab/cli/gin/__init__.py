"""``meldlab gin``: play gin rummy, ask for advice, let players meet."""

from meldlab.cli.gin import advise, arena, compute, play
from meldlab.cli.options import door

__all__ = ["app"]

app = door(
    "Gin rummy: play, ask for advice, let players meet, compute.",
    play=play.play,
    advise=advise.advise,
    arena=arena.arena,
    compute=compute.compute,
)
