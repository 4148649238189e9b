"""``meldlab rummikub arena``: many games between players, with intervals."""

from meldlab.cli.contest import GamesOption, PairsOption, PlayersArgument, run_contest
from meldlab.cli.options import GameSecondsOption, JsonOption, MoveSecondsOption, RaiseOption, SeedOption, ThreadsOption
from meldlab.cli.rummikub.options import JokersOption, RulesOption, changed


def arena(
    players: PlayersArgument,
    games: GamesOption = 100,
    seed: SeedOption = 0,
    rules: RulesOption = "paper",
    jokers: JokersOption = None,
    pairs: PairsOption = False,
    threads: ThreadsOption = 0,
    seconds_per_move: MoveSecondsOption = None,
    seconds_per_game: GameSecondsOption = None,
    raising: RaiseOption = False,
    json: JsonOption = False,
) -> None:
    """Let players meet at one table; every deal is played once for each seating.

    Players: random, greedy, optimal or patient.

    Example: meldlab rummikub arena patient optimal --games 200 --seed 1
    """
    from meldlab.rummikub.game import Rummikub

    run_contest(Rummikub(changed(rules, jokers_are=jokers)), players, games, seed, pairs=pairs, threads=threads,
                seconds_per_move=seconds_per_move, seconds_per_game=seconds_per_game, raising=raising, json=json)  # fmt: skip
