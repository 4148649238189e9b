"""``meldlab recycle arena``: many games between players of a described game, with intervals."""

from typing import TYPE_CHECKING

from meldlab.cli.contest import Contests, GamesOption, read_contests
from meldlab.cli.options import taking
from meldlab.cli.recycle.options import read_game

if TYPE_CHECKING:
    from meldlab.recycle.game import Described


@taking(described=read_game, play=read_contests)
def arena(described: "Described", play: Contests, games: GamesOption = 100) -> None:
    """Let players meet at one table; every deal is played once for each seating. As many players as teams play a team each.

    Players: random, pimc, mcts or ismcts, as in mcts:200:taken:rank:visits (simulations of an option, what is remembered,
    what is rewarded, the final policy).

    Example: meldlab recycle arena block_rummy mcts:50 random --games 20 --seed 1
    """
    play(described, games)
