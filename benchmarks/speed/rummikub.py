"""CPU milliseconds per best move, on positions of three classes, next to the integer program and another solver."""

import time
from collections.abc import Callable, Iterable
from importlib import import_module
from itertools import count, islice
from typing import TYPE_CHECKING, Annotated, Any

import typer

from meldlab.cli.options import JsonOption, SeedOption
from meldlab.cli.output import print_json
from meldlab.cli.progress import tracked

if TYPE_CHECKING:
    from meldlab.rummikub import Position

GOALS = {
    "search, tiles": ("tiles", "none"),
    "search, count": ("count", "none"),
    "search, value": ("value", "none"),
    "search, value with sets kept": ("value", "sets"),
    "search, value, fewest tiles moved": ("value", "tiles"),
}


def bench_rummikub(
    positions: Annotated[int, typer.Option(min=3, help="Positions of each class.")] = 200,
    program_positions: Annotated[int, typer.Option(min=0, help="Positions of each class for the integer program and another solver.")] = 30,
    agree: Annotated[int, typer.Option(min=0, help="Positions on which search and integer program are compared, all classes.")] = 0,
    turns: Annotated[int, typer.Option(min=0, help="Turns of official games between optimal players that are timed.")] = 0,
    seats: Annotated[int, typer.Option(min=2, max=4, help="Players of these games.")] = 2,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Time the best move in easy, mid and hard positions: median / 95th percentile / maximum, CPU ms, one core.

    Example: python benchmarks/speed rummikub --positions 200 --agree 2000
    """
    from meldlab.rummikub import DIFFICULTIES, Objective, Solution, random_position, solve, warm_up

    warm_up()
    figures: dict[str, dict[str, list[float]]] = {}
    unproven = 0
    for kind in DIFFICULTIES:
        some = [random_position(kind, seed, nth) for nth in range(positions)]
        few = some[:program_positions]
        for name, (objective, keep) in GOALS.items():
            goal = Objective(objective, keep)
            figures.setdefault(name, {})[kind] = spread(_each(some, lambda position, goal=goal: solve(position, goal)))  # type: ignore[misc]
        for family in ("modern", "strict"):
            answers = list[Solution]()
            lying = jokers_lying(kind, seed, family, positions)
            timed = _each(lying, lambda position, said=answers: said.append(solve(position, Objective("value"))))  # type: ignore[misc]
            figures.setdefault(f"the same, {family} jokers on the table", {})[kind] = spread(timed)
            unproven += sum(not answer.proven for answer in answers)
        if few:
            whole = Objective("tiles", "none")
            timed = _each(few, lambda position, goal=whole: solve(position, goal, "ilp"))  # type: ignore[misc]
            figures.setdefault("integer program, tiles", {})[kind] = spread(timed)
            other = rummikub_solver()
            if other:
                figures.setdefault("rummikub-solver, tiles", {})[kind] = spread(_each(few, other))
    agreement = compare(agree, seed) if agree else None
    games = official_turns(turns, seats, seed) if turns else None
    ours, theirs = figures["search, tiles"], figures.get("rummikub-solver, tiles", {})
    ratios = {kind: theirs[kind][0] / ours[kind][0] for kind in theirs}
    if json:
        print_json(
            {"cpu_ms": figures, "ratios": ratios, "positions": positions, "unproven": unproven, "agreement": agreement, "games": games}
        )
        return
    print(f"{'CPU ms, median / p95 / max':34} {'easy':>24} {'mid':>24} {'hard':>24}")
    for name, row in figures.items():
        print(f"{name:34} " + " ".join(f"{' / '.join(f'{value:.3g}' for value in row[kind]):>24}" for kind in row))
    print(f"{unproven} answers with jokers that are not free are unproven")
    if ratios:
        print(f"{'rummikub-solver : search (median)':34} " + " ".join(f"{f'{ratio:,.0f} x':>24}" for ratio in ratios.values()))
    else:
        print("no other implementation is installed (pip install rummikub-solver)")
    if games:
        print("official games between optimal players: " + ", ".join(f"{name} {value:,}" for name, value in games.items()))
    if agreement:
        print(f"search and integer program agree in objective and kept sets on {agreement['agreed']} of {agreement['positions']} positions")


def jokers_lying(kind: str, seed: int, family: str, many: int) -> "list[Position]":
    """Return positions of a class in which all the jokers in play lie on the table and are not free."""
    from meldlab.rummikub import JOKER, Rules, random_position

    made = (random_position(kind, seed, nth, Rules(joker_rule=family)) for nth in count())
    return list(islice((one for one in made if JOKER not in one.rack and any(some.jokers for some in one.table)), many))


def spread(values: list[float]) -> list[float]:
    """Return median, 95th percentile and maximum."""
    import numpy as np

    return [round(float(value), 4) for value in (np.median(values), np.percentile(values, 95), max(values))]


def _each(positions: Iterable[Any], job: Callable[[Any], Any]) -> list[float]:
    """Return the CPU milliseconds of each call, those of programs it starts included."""
    from meldlab.rummikub.integer_program import cpu_seconds

    measured = []
    for position in positions:
        # The clock of this process is fine but blind to the solver that CBC is; the other one sees it, in steps of 10 ms.
        fine, coarse = time.process_time(), cpu_seconds()
        job(position)
        fine, coarse = time.process_time() - fine, cpu_seconds() - coarse
        measured.append(1000 * (coarse if coarse - fine > 0.015 else fine))
    return measured


def rummikub_solver() -> "Callable[[Position], Any] | None":
    """Return the package rummikub-solver as a function of a position that finds the most tiles, if it is installed."""
    try:
        other = import_module("rummikub_solver")
    except ImportError:
        return None
    rules, mode = other.RuleSet(), other.SolverMode.TILE_COUNT

    def answer(position: "Position") -> Any:
        state = rules.new_game()
        # Its tiles are numbers: 13 a colour from 1, then the joker.
        state.add_table(*(53 if tile.joker else 13 * tile.colour + tile.number for tile in position.table_tiles))
        state.add_rack(*(53 if tile.joker else 13 * tile.colour + tile.number for tile in position.rack))
        return rules.solve(state, mode)

    return answer


def compare(many: int, seed: int) -> dict[str, int]:
    """Return on how many positions, spread over the classes, both methods have the same objective and kept sets."""
    from meldlab.chance import Purpose, derive_seed
    from meldlab.rummikub import DIFFICULTIES, Objective, random_position, solve
    from meldlab.rummikub.solution import OBJECTIVES

    agreed = 0
    for nth in tracked(range(many), many, "comparing"):
        position = random_position(list(DIFFICULTIES)[nth % len(DIFFICULTIES)], derive_seed(seed, Purpose.AGREEMENT), nth)
        goal = Objective(OBJECTIVES[nth // len(DIFFICULTIES) % len(OBJECTIVES)])
        one, other = solve(position, goal), solve(position, goal, "ilp")
        agreed += (one.objective_value, one.kept) == (other.objective_value, other.kept)
    return {"positions": many, "agreed": agreed}


def official_turns(turns: int, seats: int, seed: int) -> dict[str, float]:
    """Return how long the turns of official games between optimal players take, CPU ms, and the share that the integer program answers."""
    import numpy as np

    from meldlab.play import Deal, Table
    from meldlab.rummikub import players
    from meldlab.rummikub.game import Rummikub

    views, answered = [], list[str]()
    best_turn = players.best_turn
    players.best_turn = lambda view: views.append(view) or best_turn(view)  # type: ignore[func-returns-value]
    try:
        game = 0
        while len(views) < turns:
            for _ in Table(Rummikub(), [players.find_player("optimal")] * seats).steps(Deal(seed + game)):
                pass
            game += 1
    finally:
        players.best_turn = best_turn
    times = _each(views, lambda view: answered.append(best_turn(view).method))
    percentiles = dict(zip(("median", "p95", "p99", "max"), np.percentile(times, [50, 95, 99, 100]).round(3).tolist(), strict=True))
    by_program = sum(method != "search" for method in answered) / len(answered)
    return {"turns": len(times), "games": game, "mean": round(float(np.mean(times)), 3), **percentiles, "by_program": round(by_program, 4)}
