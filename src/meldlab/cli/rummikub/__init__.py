"""``meldlab rummikub``: the best move, puzzles, a game in the terminal, and matches between players."""

import typer

from meldlab.cli.rummikub import arena, play, solve

__all__ = ["app"]

app = typer.Typer(name="rummikub", help="Rummikub: the best move with the least change, puzzles, and the game.", no_args_is_help=True)
app.command("solve")(solve.solve)
app.command("puzzle")(solve.puzzle)
app.command("arena")(arena.arena)
app.command("play")(play.play)


@app.callback()
def rummikub() -> None:
    """Rummikub: the best move with the least change, puzzles, and the game."""
