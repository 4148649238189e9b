"""``meldlab rummikub solve``: the best move in a position."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from meldlab.cli.options import JsonOption, one_of, print_json, read_by
from meldlab.cli.rummikub.options import HOUSE, OFFICIAL, JokersOption, RulesOption, changed, told
from meldlab.errors import NotLegalHere, NotPossible

if TYPE_CHECKING:
    from meldlab.rummikub import Alternatives, Solution, TileSet, WhyNot

TableOption = Annotated[str, typer.Option("--table", help="Sets on the table, such as 'R5-7 | K9 B9 O9' (or ; or new lines between).")]
RackOption = Annotated[str, typer.Option("--rack", help="Tiles on the rack, such as 'R8 K3-5 J' or 'red 8, black 3-5, joker'.")]


def solve(
    rack: RackOption,
    table: TableOption = "",
    objective: Annotated[
        str,
        typer.Option(
            "--objective",
            **one_of("objective", "count", "value", "tiles"),
            help="The most tiles and then points; the most points; or the most tiles alone.",
        ),
    ] = "count",
    keep: Annotated[
        str,
        typer.Option(
            "--keep", **one_of("measure of change", "sets", "tiles", "none"), help="What should change least, as second objective."
        ),
    ] = "sets",
    opening: Annotated[bool, typer.Option("--opening", help="The player has not opened yet.")] = False,
    method: Annotated[
        str, typer.Option("--method", **one_of("method", "search", "ilp"), help="Our search, or the paper's integer program.")
    ] = "search",
    rules: RulesOption = OFFICIAL,
    jokers: JokersOption = None,
    joker_value: Annotated[int | None, typer.Option(rich_help_panel=HOUSE, help="What a joker counts in the value objective.")] = None,
    colours: Annotated[int | None, typer.Option(rich_help_panel=HOUSE, help="Number of colours.")] = None,
    numbers: Annotated[int | None, typer.Option(rich_help_panel=HOUSE, help="Highest number.")] = None,
    copies: Annotated[int | None, typer.Option(rich_help_panel=HOUSE, help="Copies of each tile.")] = None,
    joker_tiles: Annotated[int | None, typer.Option(rich_help_panel=HOUSE, help="Jokers in the box, 0 to 4.")] = None,
    smallest: Annotated[int | None, typer.Option(rich_help_panel=HOUSE, help="Fewest tiles of a set.")] = None,
    opening_points: Annotated[int | None, typer.Option(rich_help_panel=HOUSE, help="Points that an opening needs.")] = None,
    after_opening: Annotated[
        str | None,
        typer.Option(
            **one_of("rule after the opening", "wait", "manipulate"), rich_help_panel=HOUSE, help="What may follow the opening in its turn."
        ),
    ] = None,
    round_the_corner: Annotated[bool, typer.Option("--round-the-corner", rich_help_panel=HOUSE, help="12 13 1 is a run.")] = False,
    all_moves: Annotated[bool, typer.Option("--all", help="List every best move, up to the limit.")] = False,
    limit: Annotated[int, typer.Option(min=1, help="The most moves that --all lists.")] = 20,
    why_not: Annotated[
        Any, typer.Option("--why-not", **read_by("meldlab.rummikub:Tile.parse", "TILE"), help="Say what playing this tile would cost.")
    ] = None,
    nodes: Annotated[int, typer.Option(min=1, help="States that the search may visit before the integer program takes over.")] = 3_000_000,
    seconds: Annotated[float, typer.Option(min=0.1, help="Processor time; the best move found by then is returned, unproven.")] = 20,
    lp: Annotated[Path | None, typer.Option(help="Write the integer program as an LP file.")] = None,
    json: JsonOption = False,
) -> None:
    """Find the best move, and among the best the one that changes the table least.

    Example: meldlab rummikub solve --table "R5 R6 R7 | K9 B9 O9" --rack "R8 J"
    """
    from meldlab import rummikub as room

    house = changed(
        rules, colours=colours, numbers=numbers, copies=copies, jokers=joker_tiles, smallest=smallest, opening=opening_points,
        joker_value=joker_value, joker_rule=jokers, round_the_corner=round_the_corner or None, after_opening=after_opening,
    )  # fmt: skip
    position = room.Position.parse(table, rack, house, opened=not opening)
    goal = room.Objective(objective, keep)
    if not position.rack:
        raise NotLegalHere("no tiles on the rack")
    room.warm_up()
    answer = room.solve(position, goal, method, nodes=nodes, seconds=seconds)
    doubt = room.why_not(answer, why_not, nodes=nodes, seconds=seconds) if why_not else None
    every = room.find_alternatives(answer, limit, nodes=nodes, seconds=seconds) if all_moves else None
    if lp:
        write_lp(lp, answer)
    if json:
        print_json(answer_json(answer) | ({"why_not": doubt_json(doubt)} if doubt else {}) | (every_json(every) if every else {}))
        return
    show(answer)
    if every:
        many = len(every.tables)
        print(f"\n{many} best {'move' if many == 1 else 'moves'}{'' if every.complete else ' (there may be more)'}:")
        for one in every.tables:
            print("  " + room.format_table(one))
    if doubt:
        sure = "" if doubt.proven else " (unproven)"
        print(f"\nplaying {why_not} {doubt_text(doubt)}{sure}")


def write_lp(path: Path, answer: "Solution") -> None:
    """Write the model whose optimum an answer is, or say why it cannot be written."""
    from meldlab.rummikub import integer_program_of

    try:
        integer_program_of(answer).write(path)
    except OSError as problem:
        raise NotPossible(f"{path} cannot be written: {problem.strerror}") from None


def doubt_text(doubt: "WhyNot") -> str:
    """Return what playing a tile costs in words; a cost in points counts among equally many tiles only."""
    if doubt.cost is None:
        return "is not possible here"
    objective = doubt.best.objective.measure
    if doubt.cost and objective != "value":
        return f"costs {doubt.cost} tile{'s' * (doubt.cost != 1)}"
    points = 0 if objective == "tiles" else doubt.points
    return f"costs {points} point{'s' * (points != 1)}" if points else "costs nothing"


def doubt_json(doubt: "WhyNot") -> dict[str, Any]:
    """Return what playing a tile costs as JSON wants it."""
    with_tile = doubt.with_tile
    played = [str(tile) for tile in with_tile.played] if with_tile else []
    cost = {"cost": doubt.cost, "points": doubt.points}
    return {"tile": str(doubt.tile), "possible": with_tile is not None} | cost | {"played": played, "proven": doubt.proven}


def every_json(every: "Alternatives") -> dict[str, Any]:
    """Return all best tables as JSON wants them."""
    return {"all": [as_lists(one) for one in every.tables], "all_complete": every.complete}


def as_lists(table: "tuple[TileSet, ...]") -> list[list[str]]:
    """Return a table as JSON wants it."""
    return [[str(tile) for tile in tile_set.tiles] for tile_set in table]


def answer_json(answer: "Solution") -> dict[str, Any]:
    """Return an answer as JSON wants it."""
    from meldlab.rummikub import describe_steps, opening_points

    rules = answer.position.rules
    opening = {} if answer.position.opened else {"opening": {"points": opening_points(answer), "needed": rules.opening}}
    return {
        "played": [str(tile) for tile in answer.played],
        "count": answer.count,
        "value": answer.value,
        "table": as_lists(answer.table),
        "kept": answer.kept,
        "kept_sets": as_lists(answer.kept_sets),
        "moved": answer.moved,
        "moves": describe_steps(answer),
        "proven": answer.proven,
        "method": answer.method,
        "seconds": round(answer.seconds, 6),
        "rules": rules.as_record(),
    } | opening


def show(answer: "Solution") -> None:
    """Draw the table before and after, and the moves between."""
    from rich.console import Console

    from meldlab.cli.rummikub.tiles import rack_text, table_text
    from meldlab.rummikub import describe_steps, opening_points

    position = answer.position
    opening = "" if position.opened else f"{opening_points(answer)} of {position.rules.opening} points to open"
    console = Console(highlight=False)
    console.print(told(position.rules))
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
