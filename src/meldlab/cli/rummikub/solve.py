"""``meldlab rummikub solve``: the best move in a position; the rules of an option."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from meldlab.cache import write_errors
from meldlab.cli.options import JsonOption, RummikubRulesOption
from meldlab.cli.output import print_json
from meldlab.errors import NotLegalHere

if TYPE_CHECKING:
    from meldlab.rummikub import Alternatives, Rules, Solution, WhyNot

OFFICIAL = "official"
FLAGS = {
    "joker_rule": "--jokers",
    "joker_value": "--joker-value",
    "colours": "--colours",
    "numbers": "--numbers",
    "copies": "--copies",
    "jokers": "--joker-tiles",
    "smallest": "--smallest",
    "opening": "--opening-points",
    "after_opening": "--after-opening",
}
JokersOption = Annotated[Literal["free", "modern", "strict"] | None, typer.Option("--jokers", help="Rule for a joker on the table.")]
TableOption = Annotated[str, typer.Option("--table", help="Sets on the table, such as 'R5-7 | K9 B9 O9' (or ; or new lines between).")]
RackOption = Annotated[str, typer.Option("--rack", help="Tiles on the rack, such as 'R8 K3-5 J' or 'red 8, black 3-5, joker'.")]


def solve(
    rack: RackOption,
    table: TableOption = "",
    objective: Annotated[
        Literal["count", "value", "tiles"],
        typer.Option("--objective", help="Maximise tiles and then points (count), points (value), or tiles alone."),
    ] = "count",
    keep: Annotated[
        Literal["sets", "tiles", "none"], typer.Option("--keep", help="What to change least on the table, as second objective.")
    ] = "sets",
    opening: Annotated[bool, typer.Option("--opening", help="The player has not opened yet.")] = False,
    method: Annotated[Literal["search", "ilp"], typer.Option("--method", help="Our search, or the paper's integer program.")] = "search",
    rules: RummikubRulesOption = OFFICIAL,
    jokers: JokersOption = None,
    joker_value: Annotated[int | None, typer.Option(help="Points of a joker in the value objective.")] = None,
    colours: Annotated[int | None, typer.Option(help="Number of colours.")] = None,
    numbers: Annotated[int | None, typer.Option(help="Highest number.")] = None,
    copies: Annotated[int | None, typer.Option(help="Copies of each tile.")] = None,
    joker_tiles: Annotated[int | None, typer.Option(help="Jokers in the box, 0 to 4.")] = None,
    smallest: Annotated[int | None, typer.Option(help="Minimum tiles of a set.")] = None,
    opening_points: Annotated[int | None, typer.Option(help="Points needed to open.")] = None,
    after_opening: Annotated[
        Literal["wait", "manipulate"] | None, typer.Option(help="What may follow the opening in the same turn.")
    ] = None,
    round_the_corner: Annotated[bool, typer.Option("--round-the-corner", help="12 13 1 is a run.")] = False,
    all_moves: Annotated[bool, typer.Option("--all", help="List every best move, up to --limit.")] = False,
    limit: Annotated[int, typer.Option(min=1, help="Maximum moves that --all lists.")] = 20,
    why_not: Annotated[str | None, typer.Option("--why-not", metavar="TILE", help="Print the cost of playing this tile.")] = None,
    nodes: Annotated[int, typer.Option(min=1, help="States that the search visits before the integer program takes over.")] = 3_000_000,
    seconds: Annotated[float, typer.Option(min=0.1, help="Limit of processor time; then the best move so far is returned, unproven.")] = 20,
    lp: Annotated[Path | None, typer.Option(help="LP file for the integer program.")] = None,
    json: JsonOption = False,
) -> None:
    """Find the best move, and among equal ones the one that changes the table least.

    Example: meldlab rummikub solve --table "R5 R6 R7 | K9 B9 O9" --rack "R8 J"
    """
    from meldlab import rummikub

    variant = read_rules(
        rules, colours=colours, numbers=numbers, copies=copies, jokers=joker_tiles, smallest=smallest, opening=opening_points,
        joker_value=joker_value, joker_rule=jokers, round_the_corner=round_the_corner or None, after_opening=after_opening,
    )  # fmt: skip
    position = rummikub.Position.parse(table, rack, variant, opened=not opening)
    goal = rummikub.Objective(objective, keep)
    if not position.rack:
        raise NotLegalHere("no tiles on the rack")
    rummikub.warm_up()
    answer = rummikub.solve(position, goal, method, nodes=nodes, seconds=seconds)
    doubt = rummikub.why_not(answer, rummikub.Tile.parse(why_not), nodes=nodes, seconds=seconds) if why_not else None
    every = rummikub.find_alternatives(answer, limit, nodes=nodes, seconds=seconds) if all_moves else None
    if lp:
        with write_errors(lp):
            rummikub.integer_program_of(answer).write(lp)
    if json:
        print_json(_answer(answer, doubt, every))
        return
    show(answer)
    if every:
        count = len(every.tables)
        print(f"\n{count} best {'move' if count == 1 else 'moves'}{'' if every.complete else ' (there may be more)'}:")
        for table_after in every.tables:
            print("  " + rummikub.format_table(table_after))
    if doubt:
        sure = "" if doubt.proven else " (unproven)"
        print(f"\nplaying {why_not} {doubt_text(doubt)}{sure}")


def doubt_text(doubt: "WhyNot") -> str:
    """Return the cost of playing a tile as text; a cost in points is one among moves with the same number of tiles."""
    if doubt.cost is None:
        return "is not possible here"
    objective = doubt.best.objective.measure
    if doubt.cost and objective != "value":
        return f"costs {doubt.cost} tile{'s' * (doubt.cost != 1)}"
    points = 0 if objective == "tiles" else doubt.points
    return f"costs {points} point{'s' * (points != 1)}" if points else "costs nothing"


def _answer(answer: "Solution", doubt: "WhyNot | None", every: "Alternatives | None") -> dict[str, Any]:
    from dataclasses import replace

    from meldlab.schemas.rummikub import AlternativesAnswer, SolutionAnswer, WhyNotAnswer

    fields = SolutionAnswer.from_solution(answer).model_dump()
    if doubt:
        fields["why_not"] = WhyNotAnswer.from_why_not(doubt).model_dump()
    if every:
        solutions = [replace(answer, table=table) for table in every.tables]
        fields["alternatives"] = AlternativesAnswer.from_solutions(solutions, every.complete).model_dump()
    return fields


def show(answer: "Solution") -> None:
    """Print the table before and after, and the steps between."""
    from rich.console import Console

    from meldlab.cli.pictures import rack_text, table_text
    from meldlab.rummikub import describe_steps, opening_points

    position = answer.position
    opening = "" if position.opened else f"{opening_points(answer)} of {position.rules.opening} points to open"
    console = Console(highlight=False)
    console.print(describe_rules(position.rules))
    console.print("before:", table_text(answer.position.table), sep="\n")
    console.print("rack: ", rack_text(answer.position.rack))
    if not answer.played:
        nothing = "nothing can be played" if answer.proven else "nothing found to play within the budget, unproven"
        console.print(f"{opening}: {nothing}" if opening else nothing)
        return
    console.print("after: (moved tiles in brackets)", table_text(answer.table, answer), sep="\n")
    console.print("left: ", rack_text(answer.leftover) if answer.leftover else "nothing")
    for number, move in enumerate(describe_steps(answer), 1):
        console.print(f"{number:3}. {move}")
    sure = "proven best" if answer.proven else "the best found within the budget, unproven"
    console.print(
        f"{answer.count} tile{'s' * (answer.count != 1)}, {opening or f'{answer.value} points'}; {answer.kept} of {len(position.table)} "
        f"sets kept, {answer.moved} table tile{'s' * (answer.moved != 1)} moved; {sure} ({answer.method}, {answer.seconds * 1000:.1f} ms)"
    )


def read_rules(rules: str, **changes: Any) -> "Rules":
    """Return the rules of a preset or a file, with the fields changed that are not None."""
    from dataclasses import replace

    from meldlab.rummikub import Rules

    return replace(Rules.named(rules), **{name: value for name, value in changes.items() if value is not None})


def describe_rules(rules: "Rules") -> str:
    """Return rules as text: the preset, the differences from it, and the joker rule.

    >>> from meldlab.rummikub import Rules
    >>> describe_rules(Rules(joker_rule="strict"))
    'rules: official, joker_rule = strict; jokers on the table are strict'
    """
    preset, *changes = (value if name == "preset" else f"{name} = {value}" for name, value in rules.as_record(OFFICIAL).items())
    return f"rules: {', '.join((preset, *changes))}; jokers on the table are {rules.joker_rule}"


def as_flags(rules: "Rules") -> str:
    """Return the options of ``solve`` for these rules, as far as they matter to one turn.

    >>> from meldlab.rummikub import PRESETS, Rules
    >>> as_flags(PRESETS["official"]), as_flags(Rules(numbers=15))
    ('', ' --rules paper --numbers 15')
    """
    record = rules.as_record(OFFICIAL)  # of two equally close presets, the default of these commands
    preset = record.pop("preset")
    flags = [f"{flag} {record[name]}" for name, flag in FLAGS.items() if name in record]
    flags += ["--round-the-corner"] * rules.round_the_corner
    return "".join(f" {flag}" for flag in ([] if preset == OFFICIAL else [f"--rules {preset}"]) + flags)
