"""``meldlab stopping``: the game of black and red cards, solved and played."""

from meldlab.cli.options import door
from meldlab.cli.stopping import figures, play, solve

__all__ = ["app"]

app = door(
    "Draw cards, win on black, lose on red, stop when you like.",
    value=solve.value,
    advise=solve.advise,
    policy=solve.policy,
    matrices=solve.matrices,
    winnings=solve.winnings,
    draw=figures.draw,
    figures=figures.figures,
    play=play.play,
)
