"""One decision of players that look ahead, and how long the games behind a page take."""

import tempfile
import time
from typing import TYPE_CHECKING, Annotated

import typer

from meldlab.cli.options import JsonOption, SeedOption
from meldlab.cli.output import print_json

if TYPE_CHECKING:
    from meldlab.recycle import RecycleGame

# The reference engine on one thread, CPU seconds for the opening decision of Block Rummy at 1000 simulations per option.
REFERENCE = {"pimc": 170, "mcts": 440}
PUBLISHED = 1000  # simulations per option
PAGE = 100  # games of each sort
CORES = 2
REPEATS = 3  # the least counts: other programs can only slow it down


def bench_analyse(
    game: Annotated[str, typer.Option("--game", help="A file or a game of the library.")] = "block_rummy",
    games: Annotated[int, typer.Option("--games", min=1, help="Games to project a page from.")] = 2,
    simulations: Annotated[int, typer.Option("--simulations", min=1, help="Simulations per option in these games.")] = 50,
    quick: Annotated[bool, typer.Option("--quick", help="Make a quick page too, from an empty store, and time that.")] = False,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Time the opening decision at the published budget, and project the time of a whole page from a few smaller games.

    Example: python benchmarks/speed analyse --json
    """
    from meldlab.play import Deal
    from meldlab.recycle import RecycleGame
    from meldlab.recycle.players import ALGORITHMS, SearchPlayer
    from meldlab.recycle.players.search import play_games

    recycle_game = RecycleGame.load(game)
    machine = recycle_game.machine
    state, deal = recycle_game.start(machine.players, Deal(seed)), Deal(seed)
    view = state.view(state.seat or 0)
    options = len(view.legal_actions())
    decisions: dict[str, float] = {}
    for kind in ALGORITHMS:
        SearchPlayer(kind, 1).choose(view, deal.chance(0, view.seat))
        spent = []
        for _ in range(REPEATS):
            start = time.process_time()
            SearchPlayer(kind, PUBLISHED).choose(view, deal.chance(0, view.seat))
            spent.append(time.process_time() - start)
        decisions[kind] = min(spent)
    start = time.process_time()
    machine.random_games(PAGE, seed)
    random = time.process_time() - start
    played = play_games(machine, [SearchPlayer("mcts", simulations)] * machine.players, games, seed, threads=1)
    per_simulation = float(played.seconds.sum()) / int(played.simulations.sum())
    per_game = float(played.options.sum()) / games * PUBLISHED * per_simulation
    page = (random + PAGE * per_game) / CORES / 60
    quick_page = _quick_page(recycle_game, seed) if quick else None
    known = REFERENCE if recycle_game.name == "block_rummy" else {}
    if json:
        print_json(
            {
                "game": recycle_game.name,
                "options": options,
                "opening_decision_seconds": decisions,
                "reference_seconds": known,
                "random_games_seconds": random,
                "decisions_per_game": float(played.decisions.mean()),
                "options_per_game": float(played.options.sum()) / games,
                "microseconds_per_simulation": 1e6 * per_simulation,
                "searched_game_seconds": per_game,
                "page_minutes_on_two_cores": page,
                "quick_page_seconds": quick_page,
            }
        )
        return
    for kind, seconds in decisions.items():
        other = f"   {known[kind] / seconds:,.0f} x the reference engine" if kind in known else ""
        print(f"{kind:7} opening decision of {recycle_game.name}, {options} options x {PUBLISHED:,} simulations   {seconds:6.2f} s{other}")
    print(
        f"page    {PAGE} random games and {PAGE} games of mcts:{PUBLISHED}   {page:6.0f} min on two cores"
        f"   ({per_game:.0f} s a game, projected from {games} of mcts:{simulations})"
    )
    if quick_page:
        print(f"quick   page   {quick_page['cpu']:6.1f} s of one core, {quick_page['wall']:.1f} s here on all")


def _quick_page(recycle_game: "RecycleGame", seed: int) -> dict[str, float]:
    """Return the CPU seconds and the seconds on the clock that a quick page takes."""
    from meldlab.analysis.page import analysis_page
    from meldlab.analysis.study import StudyConfig, analyse
    from meldlab.analysis.variant import Variant
    from meldlab.runs.store import Store

    cpu, wall = time.process_time(), time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        config = StudyConfig.from_options(None, None, quick=True, player="mcts", seed=seed)
        analysis_page(analyse(Variant(recycle_game), config, Store.open(f"{folder}/runs.sqlite")))
    return {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}
