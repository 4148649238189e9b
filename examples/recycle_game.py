"""Write a card game in RECYCLE, check it, and see what it is like: python examples/recycle_game.py."""

import tempfile

from meldlab.analysis.study import StudyConfig, analyse
from meldlab.analysis.variant import Variant
from meldlab.recycle import RecycleGame, check_program
from meldlab.runs.store import Store

TRADE_UP = """
(game
 (declare 3 'CARDS)
 (setup (create players 2)
  (create deck (game iloc STOCK) (deck (SUIT (RED, BLUE, GREEN)) (RANK (ONE, TWO, THREE, FOUR, FIVE, SIX)))))
 (do ((set (game points PIPS)
       (((RANK : ONE) 1) ((RANK : TWO) 2) ((RANK : THREE) 3) ((RANK : FOUR) 4) ((RANK : FIVE) 5) ((RANK : SIX) 6)))
      (shuffle (game iloc STOCK))
      (all player 'P (repeat 'CARDS (move (top (game iloc STOCK)) (top ('P iloc HAND)))))))
 (stage player (end (== (size (game iloc STOCK)) 0))
  (do ((move (top (game iloc STOCK)) (top (game vloc PILE)))))
  (choice ((turn pass)
   (any ((current player) iloc HAND) 'C
    (do ((move 'C (bottom (game vloc PILE))) (move (top (game vloc PILE)) (top ((current player) iloc HAND)))))))))
 (scoring max (sum ((current player) iloc HAND) using (game points PIPS))))
"""


def main() -> None:
    """Check the text, then let random and searching players meet."""
    print([str(diagnostic.error(TRADE_UP)) for diagnostic in check_program(TRADE_UP).diagnostics] or "nothing to complain of")
    with tempfile.TemporaryDirectory() as folder:
        variant, config = Variant(RecycleGame("trade up", TRADE_UP)), StudyConfig(10, 1000, simulations=20)
        analysis = analyse(variant, config, Store.open(f"{folder}/runs.sqlite"))
    for heuristic in analysis.heuristics:
        print(f"{heuristic.name:14} {heuristic.interval}")


if __name__ == "__main__":
    main()
