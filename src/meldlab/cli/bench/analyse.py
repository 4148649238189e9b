"""``meldlab bench analyse``: an opening decision, a quick page, and what the whole page would take."""

import tempfile
import time
from typing import Annotated

import typer

from meldlab.cli.options import JsonOption, SeedOption, print_json

# One opening decision in the reference engine, 1000 simulations for each option, CPU seconds.
REFERENCE = {"mcts": 440.0, "pimc": 170.0}
PUBLISHED_GAMES, PUBLISHED_SIMULATIONS = 100, 1000


def bench_analyse(
    game: Annotated[str, typer.Option(help="A game of the library.")] = "block_rummy",
    games: Annotated[int, typer.Option(min=1, help="Games of each line-up from which the whole page is projected.")] = 1,
    simulations: Annotated[int, typer.Option(min=1, help="Simulations for each option; the published budget has 1000.")] = 1000,
    seed: SeedOption = 1,
    json: JsonOption = False,
) -> None:
    """Time opening decisions and quick pages, and project the page of the published budget, in CPU seconds.

    Example: meldlab bench analyse --games 1 --simulations 100
    """
    from meldlab.lab.analysis.page import analysis_page
    from meldlab.lab.analysis.study import Analysis, Budget, Subject, analyse
    from meldlab.lab.store import Store
    from meldlab.recycle.game import Described
    from meldlab.recycle.search import Searcher, Study

    described = Described.named(game)
    machine = described.machine
    machine.searched_games([Searcher("mcts", 1)] * machine.players, 1, seed, threads=1)

    def studied(budget: Budget) -> tuple[Analysis, float, float]:
        cpu, wall = time.process_time(), time.perf_counter()
        with tempfile.TemporaryDirectory() as folder:
            analysis = analyse(Subject.of(described, {}), budget, Store.open(f"{folder}/runs.sqlite"))
        analysis_page(analysis)
        return analysis, time.process_time() - cpu, time.perf_counter() - wall

    opening = {}
    for kind in REFERENCE:
        search, start = Study(machine, [Searcher(kind, simulations)] * machine.players), time.process_time()
        search.advise(machine.begin(seed), seed)
        opening[kind] = time.process_time() - start
    _, quick_cpu, quick_wall = studied(Budget.of(None, None, True, "mcts", seed))
    some, *_ = studied(Budget(games, 100, "mcts", simulations, seed))
    scale = PUBLISHED_GAMES / games * PUBLISHED_SIMULATIONS / simulations
    whole = scale * float(some.skilled.seconds.sum() + some.single.seconds.sum())
    answer = {
        "game": game,
        "simulations": simulations,
        "opening_seconds": opening,
        "reference_seconds": REFERENCE if game == "block_rummy" and simulations == PUBLISHED_SIMULATIONS else None,
        "quick_cpu_seconds": quick_cpu,
        "quick_seconds": quick_wall,
        "page_cpu_seconds": whole,
        "page_minutes_two_cores": whole / 120,
    }
    if json:
        print_json(answer)
        return
    for kind, seconds in opening.items():
        rival = f"   {REFERENCE[kind] / seconds:,.0f} x the reference engine" if answer["reference_seconds"] else ""
        print(f"opening decision, {kind:4} {simulations} per option  {seconds:8.2f} s of one core{rival}")
    print(f"quick page                           {quick_cpu:8.1f} s of one core, {quick_wall:.1f} s here")
    print(f"whole page, published budget         {whole:8.0f} s of one core, {whole / 120:.0f} minutes on two (from {games} of 100 games)")
