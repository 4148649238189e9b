"""Your own gin player in the arena: change the decisions you want to change, and see what they are worth.

    python examples/own_gin_player.py 200
    meldlab gin arena examples/own_gin_player.py:Late simple --games 1000

A player sees a view: its own cards, the pile, what the other took and dropped. What it does not decide itself is decided as by the simple
player.
"""

import sys

from meldlab.arena.contest import play_contest
from meldlab.gin import Gin, View
from meldlab.gin.players import Drop, GinPlayer
from meldlab.melds import deadwood
from meldlab.play import Chance


class Late(GinPlayer):
    """Knocks as soon as it can in its first seven turns; later the other is ready for it, so it goes for gin."""

    name = "late"

    def drop(self, view: View, chance: Chance) -> Drop:
        """Return the discard of the simple player, and knock with it where that pays."""
        card = super().drop(view, chance).card
        return Drop(card, knock=view.turn <= 7 or deadwood(view.hand - {card}) == 0)


def main(games: int = 200) -> None:
    """Play against the simple player, each deal from both seats."""
    found = play_contest(Gin(), [f"{__file__}:Late", "simple"], games=games, seed=1)
    print(f"late wins {found.win_rate(0)} of {games} matches against simple")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
