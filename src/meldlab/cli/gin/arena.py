"""``meldlab gin arena``: many games between players, with intervals."""

from meldlab.cli.contest import GamesOption, PairsOption, PlayersArgument, run_contest
from meldlab.cli.gin.options import RulesOption
from meldlab.cli.options import GameSecondsOption, JsonOption, MoveSecondsOption, RaiseOption, SeedOption, ThreadsOption


def arena(
    players: PlayersArgument,
    games: GamesOption = 10_000,
    seed: SeedOption = 0,
    rules: RulesOption = "eaai",
    pairs: PairsOption = False,
    threads: ThreadsOption = 0,
    seconds_per_move: MoveSecondsOption = None,
    seconds_per_game: GameSecondsOption = None,
    raising: RaiseOption = False,
    json: JsonOption = False,
) -> None:
    """Let players meet; every deal is played once for each seating. Three or more meet two by two and are rated.

    Players: simple, gin-only, knock:A,B,T, ensemble:paper, computed:light, mc:64, random, or FILE.py:CLASS.

    Example: meldlab gin arena ensemble:paper simple --games 20000 --seed 1
    """
    from meldlab.gin import Gin

    run_contest(Gin(rules), players, games, seed, pairs=pairs, threads=threads, seconds_per_move=seconds_per_move,
                seconds_per_game=seconds_per_game, raising=raising, json=json)  # fmt: skip
