"""A game of few decisions whose numbers make it dull, endless or impossible."""

from pathlib import Path

GAME = """;; Dare
;; Players: 2
(game
 (declare 1 'DEAL)
 (declare 2 'TURNS)
 (declare 3 'PRIZE)
 (setup (create players 2) (create deck (game iloc STOCK) (deck (RANK (A, B, C, D, E)) (SUIT (X, Y)))))
 (do ((shuffle (game iloc STOCK))
  (all player 'P (repeat 'DEAL (move (top (game iloc STOCK)) (top ('P iloc HAND)))))))
 (stage player (end (== (game sto ROUND) 'TURNS))
  (choice ((inc ((current player) sto N) 1)
           (inc ((current player) sto N) (random 0 .. 'PRIZE))))
  (do ((inc (game sto ROUND)))))
 (scoring max ((current player) sto N)))
"""


def written(folder: Path) -> str:
    """Write the game into a folder and return its path."""
    path = folder / "dare.rcy"
    path.write_text(GAME)
    return str(path)
