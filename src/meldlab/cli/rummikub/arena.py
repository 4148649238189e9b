"""``meldlab rummikub arena``: players against each other, with intervals."""

from typing import Annotated

import typer

from meldlab.cli.options import GameSecondsOption, JsonOption, MoveSecondsOption, SeedOption, print_json
from meldlab.cli.progress import progress_bar
from meldlab.cli.rummikub.options import JokersOption, RulesOption, changed


def arena(
    first: Annotated[str, typer.Argument(help="random, greedy, optimal or patient.")],
    second: Annotated[str, typer.Argument(help="The other player.")],
    games: Annotated[int, typer.Option(min=2, help="Games, in mirrored pairs.")] = 100,
    rules: RulesOption = "paper",
    jokers: JokersOption = None,
    seed: SeedOption = 0,
    seconds_per_move: MoveSecondsOption = None,
    seconds_per_game: GameSecondsOption = None,
    json: JsonOption = False,
) -> None:
    """Let two players meet on mirrored deals: every deal is played twice, with the seats swapped.

    Example: meldlab rummikub arena patient optimal --games 200 --seed 1
    """
    from meldlab.lab.arena.table import tournament
    from meldlab.play import TimeLimit
    from meldlab.rummikub import load
    from meldlab.rummikub.game import Rummikub
    from meldlab.rummikub.players import find_player

    game, one, two = Rummikub(changed(rules, jokers_are=jokers)), find_player(first), find_player(second)
    with progress_bar("games") as show:
        limit = TimeLimit(seconds_per_move, seconds_per_game)
        load()
        bout = tournament(game, one, two, games, seed, lambda done: show(done, games), limit)
    if json:
        print_json(bout.as_json())
        return
    told = bout.as_json()
    print(f"{first} against {second}: {bout.wins} of {bout.games} games won, {bout.win_rate}")
    print(f"points per game  {bout.points}")
    print(f"mirrored pairs   {bout.swept[0]} ahead, {bout.swept[1]} behind, sign test p = {told['sign_test_p']:.3g}")
    for line in bout.troubles():
        print(line)
