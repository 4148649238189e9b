"""The searching players of RECYCLE against each other, at equal simulations, on mirrored deals.

    python benchmarks/recycle_search_players.py
    python benchmarks/recycle_search_players.py --all --simulations 100 --deals 200 > players.txt
    python benchmarks/recycle_search_players.py --games leduc_poker --players mcts mcts:pooled

Every deal is played once for each seating. A row is a pairing: how often the first player wins, its share if both were equal, and how much
better its seats score than those of the second. In games for three and more the second player has all other seats, in partnership games
each has a team. Intervals are of 95 %, with deals as the units.
"""

import argparse
import time
from itertools import combinations

from meldlab.arena.contest import play_contest, seatings
from meldlab.recycle import RecycleGame, library

QUICK = ("kuhn_poker", "leduc_poker", "indian_poker", "three_card_brag")  # a few seconds each
ALONE = "golf_solitaire"  # has nobody to meet
PLAYERS = ("mcts", "pimc", "ismcts")


def with_simulations(player: str, simulations: int) -> str:
    """Return a player's text with the number of simulations for each option.

    >>> with_simulations("mcts:pooled", 20)
    'mcts:20:pooled'
    """
    kind, *rest = player.split(":")
    return ":".join([kind, str(simulations), *rest])


def main() -> None:
    parser = argparse.ArgumentParser(description="Let the searching players of RECYCLE meet, at equal simulations.")
    parser.add_argument("--games", nargs="+", default=QUICK, choices=library.names(), help="games of the library")
    parser.add_argument("--all", action="store_true", help="all games of the library that have more than one player")
    parser.add_argument("--players", nargs="+", default=PLAYERS, help="each meets each other one")
    parser.add_argument("--simulations", type=int, default=30, help="simulations for each option (%(default)s)")
    parser.add_argument("--deals", type=int, default=400, help="deals of each pairing (%(default)s)")
    parser.add_argument("--threads", type=int, default=0, help="cores, 0 for all")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    names = [name for name in library.names() if name != ALONE] if given.all else given.games
    players = [with_simulations(player, given.simulations) for player in given.players]
    print(f"{'game':16} {'pairing':30} {'games':>6} {'CPU s':>7}  {'wins of the first':25} {'equal':5}  score lead")
    for name in names:
        game = RecycleGame.load(name)
        for pair in combinations(players, 2):
            start = time.process_time()
            found = play_contest(game, pair, given.deals * len(seatings(game, 2)), given.seed, threads=given.threads)
            spent = time.process_time() - start
            won = f"{found.win_rate()!s:25} {found.fair_share[0]:.3f}  {found.score_margin}"
            row = f"{name:16} {' v '.join(pair):30} {found.games:6} {spent:7.1f}  {won}"
            print(row, flush=True)


if __name__ == "__main__":
    main()
