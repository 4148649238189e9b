"""``meldlab rummikub puzzle``: a position with one best move."""

from typing import TYPE_CHECKING, Annotated

import typer

from meldlab.cli.options import JsonOption, NewDealOption, RummikubRulesOption, need_input, new_seed
from meldlab.cli.output import print_json
from meldlab.cli.rummikub.solve import OFFICIAL, JokersOption, as_flags, describe_rules, read_rules, show

if TYPE_CHECKING:
    from rich.console import Console

    from meldlab.rummikub import Puzzle


def puzzle(
    seed: NewDealOption = None,
    hard: Annotated[bool, typer.Option("--hard", help="More tiles on the table, and a longer solution.")] = False,
    solution: Annotated[bool, typer.Option("--solution", help="Show the solution, too.")] = False,
    answer: Annotated[bool, typer.Option("--answer", help="Solve it at the terminal, line by line.")] = False,
    rules: RummikubRulesOption = OFFICIAL,
    jokers: JokersOption = None,
    json: JsonOption = False,
) -> None:
    """Print a position whose only best move rearranges the table.

    Example: meldlab rummikub puzzle --seed 3 --hard
    """
    from meldlab import rummikub

    if answer:
        need_input()
    seed = new_seed(seed)
    made = rummikub.make_puzzle(seed, hard=hard, rules=read_rules(rules, joker_rule=jokers))
    if json:
        from meldlab.schemas.rummikub import SolutionAnswer

        position = {"table": rummikub.format_table(made.position.table), "rack": [str(tile) for tile in made.position.rack]}
        extra = {"simple": made.simple, "unique": made.unique, "solution": SolutionAnswer.from_solution(made.solution).model_dump()}
        print_json({"seed": seed, "hard": hard, "rules": made.position.rules.as_record()} | position | extra)
        return
    from rich.console import Console

    from meldlab.cli.pictures import rack_text, table_text

    console = Console(highlight=False)
    if not answer:
        console.print(table_text(made.position.table))
        console.print("rack: ", rack_text(made.position.rack))
    console.print(f"Play {made.solution.count} tiles; without rearranging only {made.simple} can be played. There is one best move.")
    console.print(f"{describe_rules(made.position.rules)}; seed {seed}")
    if answer:
        _ask(made, console)
    if solution:
        show(made.solution)
    elif not answer:
        text = f'--table "{rummikub.format_table(made.position.table)}" --rack "{" ".join(map(str, made.position.rack))}"'
        print(f"solution: meldlab rummikub solve {text}{as_flags(made.position.rules)}")


def _ask(made: "Puzzle", console: "Console") -> None:
    """Ask for turns until one is the best or the user quits."""
    from meldlab.cli.rummikub.screen import RummikubScreen
    from meldlab.cli.table import Quit, RecordFile, Undo, User
    from meldlab.play import Deal, Record
    from meldlab.rummikub.game import Play, View

    position = made.position
    view = View(0, 0, position.table, position.rack, (len(position.rack),), 1, (True,), position.rules)
    user = User(RummikubScreen(console, 0, ("you",)), RecordFile(Record("rummikub", position.rules.as_record(), ("you",))))
    while True:
        try:
            turn = user.choose(view, Deal(0).chance(0, 0))
        except Undo:
            console.print("nothing to undo")
            continue
        except Quit:
            return
        laid = sum(map(len, turn.table)) - len(position.table_tiles) if isinstance(turn, Play) else 0
        if laid == made.solution.count:
            console.print(f"Right: {laid} tiles.")
            return
        console.print(f"That is legal, but {made.solution.count} tiles can be played, not {laid}.")
