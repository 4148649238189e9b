"""``meldlab recycle arena``: many games between players of a described game, with intervals."""

from meldlab.cli.contest import GamesOption, PairsOption, PlayersArgument, ThreadsOption, run_contest
from meldlab.cli.options import GameSecondsOption, JsonOption, MoveSecondsOption, RaiseOption, SeedOption
from meldlab.cli.recycle.options import DialectOption, GameArgument, LimitsOption, SetOption, read_game


def arena(
    game: GameArgument,
    players: PlayersArgument,
    games: GamesOption = 100,
    seed: SeedOption = 0,
    dialect: DialectOption = "0.6",
    limits: LimitsOption = "",
    settings: SetOption = None,
    pairs: PairsOption = False,
    threads: ThreadsOption = 0,
    seconds_per_move: MoveSecondsOption = None,
    seconds_per_game: GameSecondsOption = None,
    raising: RaiseOption = False,
    json: JsonOption = False,
) -> None:
    """Let players meet at one table; every deal is played once for each seating. As many players as teams play a team each.

    Players: random, pimc, mcts or ismcts, as in mcts:200:taken:rank (simulations of an option, what is remembered, what is rewarded).

    Example: meldlab recycle arena block_rummy mcts:50 random --games 20 --seed 1
    """
    run_contest(read_game(game, dialect, limits, settings), players, games, seed, pairs=pairs, threads=threads,
                seconds_per_move=seconds_per_move, seconds_per_game=seconds_per_game, raising=raising, json=json)  # fmt: skip
