"""``meldlab rummikub puzzle``: a position with one best move, to be found."""

from typing import TYPE_CHECKING, Annotated

import typer

from meldlab.cli.options import JsonOption, NewDealOption, need_input, new_seed, print_json
from meldlab.cli.rummikub.options import OFFICIAL, JokersOption, RulesOption, as_flags, changed, told
from meldlab.cli.rummikub.solve import answer_json, as_lists, show

if TYPE_CHECKING:
    from rich.console import Console

    from meldlab.rummikub import Puzzle


def puzzle(
    seed: NewDealOption = None,
    hard: Annotated[bool, typer.Option("--hard", help="A crowded table, and more to move.")] = False,
    solution: Annotated[bool, typer.Option("--solution", help="Show the solution as well.")] = False,
    answer: Annotated[bool, typer.Option("--answer", help="Answer it at the table, line by line.")] = False,
    rules: RulesOption = OFFICIAL,
    jokers: JokersOption = None,
    json: JsonOption = False,
) -> None:
    """Make a position with one best move that has to rearrange the table.

    Example: meldlab rummikub puzzle --seed 3 --hard
    """
    from meldlab import rummikub as room

    if answer:
        need_input()
    seed = new_seed(seed)
    found = room.make_puzzle(seed, hard=hard, rules=changed(rules, joker_rule=jokers))
    if json:
        position = {"table": as_lists(found.position.table), "rack": [str(tile) for tile in found.position.rack]}
        extra = {"simple": found.simple, "unique": found.unique, "solution": answer_json(found.solution)}
        print_json({"seed": seed, "hard": hard, "rules": found.position.rules.as_record()} | position | extra)
        return
    from rich.console import Console

    from meldlab.cli.rummikub.tiles import rack_text, table_text

    console = Console(highlight=False)
    if not answer:
        console.print(table_text(found.position.table))
        console.print("rack: ", rack_text(found.position.rack))
    console.print(f"Play {found.solution.count} tiles; without rearranging only {found.simple} can be played. There is one best move.")
    console.print(f"{told(found.position.rules)}; seed {seed}")
    if answer:
        _ask(found, console)
    if solution:
        show(found.solution)
    elif not answer:
        text = f'--table "{room.format_table(found.position.table)}" --rack "{" ".join(map(str, found.position.rack))}"'
        print(f"solution: meldlab rummikub solve {text}{as_flags(found.position.rules)}")


def _ask(found: "Puzzle", console: "Console") -> None:
    """Let a person build turns until one is the best, or enough is enough."""
    from meldlab.cli.rummikub.screen import RummikubScreen
    from meldlab.cli.table import Kept, Leave, Person, TakeBack
    from meldlab.play import Deal, Record
    from meldlab.rummikub.game import Play, View

    position = found.position
    view = View(0, 0, position.table, position.rack, (len(position.rack),), 1, (True,), position.rules)
    person = Person(RummikubScreen(console, 0, ("you",)), Kept(Record("rummikub", position.rules.as_record(), ("you",))))
    while True:
        try:
            turn = person.choose(view, Deal(0).chance(0, 0))
        except TakeBack:
            console.print("nothing to take back")
            continue
        except Leave:
            return
        laid = sum(map(len, turn.table)) - len(position.table_tiles) if isinstance(turn, Play) else 0
        if laid == found.solution.count:
            console.print(f"Right: {laid} tiles.")
            return
        console.print(f"That is legal, but {found.solution.count} tiles can be played, not {laid}.")
