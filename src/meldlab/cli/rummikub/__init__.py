"""``meldlab rummikub``: the best move, puzzles, a game in the terminal, and matches between players."""

from meldlab.cli.options import door
from meldlab.cli.rummikub import arena, play, puzzle, solve

__all__ = ["app"]

app = door(
    "Rummikub: the best move with the least change, puzzles, and the game.",
    solve=solve.solve,
    puzzle=puzzle.puzzle,
    arena=arena.arena,
    play=play.play,
)
