"""``meldlab recycle search``: the variant of a described game that fulfils a designer's wishes best."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from meldlab.cli.options import (
    ClusterOption,
    DryRunOption,
    JsonOption,
    SeedOption,
    StoreOption,
    ThreadsOption,
    one_of,
    open_store,
    print_cost,
    print_json,
    read_by,
    taking,
)
from meldlab.cli.outputs import out_folder
from meldlab.cli.progress import progress_bar
from meldlab.cli.recycle.options import DialectOption, GameArgument, LimitsOption, SetOption, read_game
from meldlab.errors import NotLegalHere

if TYPE_CHECKING:
    from collections.abc import Callable

    from meldlab.analysis.study import Effort
    from meldlab.recycle.game import Described
    from meldlab.variants.effects import Effect
    from meldlab.variants.search import Attempt, Discovery, Sizes
    from meldlab.variants.spec import Wishes

WISHES = "meldlab.variants.spec"
MeasureOption = read_by(f"{WISHES}:verified_measure", "MEASURE")


def read_wishes(
    vary: Annotated[
        list[Any] | None,
        typer.Option(
            "--vary", **read_by(f"{WISHES}:Span.parse", "NAME=LOW..HIGH"), help="A declared number, and what it may be; can be repeated."
        ),
    ] = None,
    maximise: Annotated[Any, typer.Option("--maximise", **MeasureOption, help="What is to be large, such as drama.")] = None,
    minimise: Annotated[Any, typer.Option("--minimise", **MeasureOption, help="What is to be small, such as decisions.")] = None,
    keep: Annotated[
        list[Any] | None,
        typer.Option("--keep", **read_by(f"{WISHES}:Demand.parse", "MEASURE>NUMBER"), help="What must hold; can be repeated."),
    ] = None,
) -> "Callable[[Described, Effort], Wishes]":
    """Return what is asked for, once the game and the players are known."""

    def wishes(game: "Described", effort: "Effort") -> "Wishes":
        from meldlab.variants.spec import Aim, Wishes

        if (maximise is None) == (minimise is None):
            raise NotLegalHere("say one thing that is to be large or small: --maximise MEASURE or --minimise MEASURE")
        aim = Aim(maximise) if maximise is not None else Aim(minimise, -1)
        return Wishes.of(game, vary or [], aim, keep or [], effort.searcher.kind != "random")

    return wishes


def read_plan(
    trials: Annotated[int, typer.Option("--trials", min=1, max=100_000, help="Variants to try at most.")] = 40,
    games: Annotated[int, typer.Option("--games", min=2, max=100_000, help="Deals of a variant that is not stopped early.")] = 60,
    fresh: Annotated[
        int | None, typer.Option("--fresh", min=2, max=1_000_000, help="Fresh deals of the winner.", show_default="twice as many")
    ] = None,
    player: Annotated[str, typer.Option("--player", **one_of("player", "random", "pimc", "mcts", "ismcts"), help="Who searches.")] = "mcts",
    simulations: Annotated[int, typer.Option("--simulations", min=1, help="Simulations for each option.")] = 20,
    seed: SeedOption = 0,
) -> "tuple[Effort, Sizes]":
    """Return how much is played, by whom."""
    from meldlab.analysis.study import Effort
    from meldlab.variants.search import Sizes

    return Effort(games, player=player, simulations=simulations, seed=seed), Sizes(trials, games, fresh or 2 * games)


@taking(wish=read_wishes, plan=read_plan)
def search(
    game: GameArgument,
    wish: "Callable[[Described, Effort], Wishes]",
    plan: "tuple[Effort, Sizes]",
    store: StoreOption = None,
    cluster: ClusterOption = None,
    threads: ThreadsOption = 0,
    out: Annotated[Path | None, out_folder("Write page, tables and figures into this folder.")] = None,
    settings: SetOption = None,
    dialect: DialectOption = "0.6",
    limits: LimitsOption = "",
    dry_run: DryRunOption = False,
    json: JsonOption = False,
) -> None:
    """Search the variants of a game, over numbers that it declares, for the one that is most what you want.

    All variants play the same deals, poor ones are stopped early, and the best is measured again on fresh deals. Finished games are kept:
    an interrupted search goes on where it stopped.

    Example: meldlab recycle search leduc_poker --vary BET=1..4 --vary RAISES=1..4 --maximise drama --keep "fairness > 0.9" --games 20
    """
    from meldlab.variants.runner import Workbench
    from meldlab.variants.search import search as search_variants

    (effort, sizes), described = plan, read_game(game, dialect, limits, settings)
    wishes = wish(described, effort)
    if dry_run:
        from meldlab.analysis.study import Subject
        from meldlab.dry_run import study_cost

        subject, games = Subject(described), min(sizes.trials, wishes.size) * sizes.games + 2 * sizes.fresh
        each = {line_up: games for line_up in effort.line_ups(subject.machine.players).values() if line_up.searches}
        cost = study_cost(subject, effort, each, threads)
        print_cost(f"{described.name}, {wishes.aim}, if none is stopped early or stored", cost, json)
        return
    with open_store(store).start_run("recycle search", _settings(described, wishes, effort, sizes)) as run:
        with progress_bar(f"{described.name}, {wishes.aim}") as show:
            whole = (min(sizes.trials, wishes.size) * sizes.games + 2 * sizes.fresh) * 2
            bench = Workbench(effort, run, threads, cluster, lambda games: show(min(games, whole), whole))
            found = search_variants(described, wishes, sizes, bench, lambda one: _tell(one, wishes.aim.measure))
        answer = found.as_json()
        run.finish({key: answer[key] for key in ("winner", "front", "searched_games")})
    files: list[Path] = []
    if out is not None:
        from meldlab.variants.page import write_discovery

        files = write_discovery(found, out)
    if json:
        print_json({**answer, "files": list(map(str, files))})
    else:
        print_discovery(found)
        if files:
            print(f"the page is {files[0]}")
    if found.winner is None:
        print(f"error: no variant {_why_none(found)}", file=sys.stderr)
        raise typer.Exit(1)


def _settings(game: "Described", wishes: "Wishes", effort: "Effort", sizes: "Sizes") -> dict[str, Any]:
    """Return what makes it the same search when it is started again."""
    from dataclasses import asdict
    from hashlib import sha256

    from meldlab.analysis.playing import limits_of

    program = sha256(game.text.encode()).hexdigest()[:16]
    described = {"game": game.name, "program": program, "dialect": game.dialect, "limits": limits_of(game.limits)}
    return {**described, **wishes.as_json(), "player": str(effort.searcher), "seed": effort.seed, **asdict(sizes)}


def _tell(one: "Attempt", aim: str) -> None:
    """Say what became of a variant."""
    found = one.measures[aim]
    value = f"{aim} {found}" if found else ""
    ended = one.problem or (f"stopped after {one.games} games: {one.stopped}" if one.stopped else "")
    print(f"{one.number:3}  {one.variant.name:28} {value:36} {ended}".rstrip(), file=sys.stderr)


def _why_none(found: "Discovery") -> str:
    """Say why there is no winner."""
    demands = " and ".join(map(str, found.wishes.demands))
    return f"keeps {demands}" if demands else f"is a game with {found.wishes.aim.measure}"


def _change(effect: "Effect", among: int) -> str:
    """Return what a number does to a measure, in words."""
    change = effect.change
    if change is None:
        return ""
    return f"{change}{' *' * effect.significant(among)}" if change.value or change.low or change.high else "nothing"


def print_discovery(found: "Discovery") -> None:
    """Print the front, what the numbers do, and the winner."""
    from rich.console import Console
    from rich.table import Table

    from meldlab.variants.effects import effects
    from meldlab.variants.measures import MEASURES

    aim, console = found.wishes.aim.measure, Console(highlight=False, width=None if Console().is_terminal else 140)
    shown_names = list(dict.fromkeys([aim, *(demand.measure for demand in found.wishes.demands)]))
    front = Table("", *shown_names, "keeps all", "", title=f"{found.game.name}: the front of the best", title_justify="left")
    for one in [*found.front, *found.equals]:
        keeps = "yes" if found.wishes.kept_by(one.measures) else "no"
        front.add_row(
            one.variant.name,
            *(str(one.measures[name]) for name in shown_names),
            keeps,
            "front" if one in found.front else "as good, or chance",
        )
    console.print(front)
    all_effects = effects(found)
    spans = found.wishes.spans
    moved = Table("", *map(str, spans), title="what the numbers do, from the least to the most", title_justify="left")
    for name in MEASURES:
        row = [each for each in all_effects if each.measure == name]
        moved.add_row(name, *(_change(each, len(all_effects)) for each in row))
    console.print(moved)
    console.print(f"* not by chance, as one of {len(all_effects)}")
    played = f"{found.played:,} of {found.whole:,} games of searching players were played: racing saved {found.saved:.0%}"
    out = sum(bool(one.problem) for one in found.attempts)
    console.print(f"{len(found.attempts)} variants, {out} of them no game; {played}" if found.whole else f"{len(found.attempts)} variants")
    if found.winner is None:
        return
    console.print(f"the winner is {found.winner.variant.name}: {aim} {found.winner.measures[aim]} when it was chosen")
    for attempt, says in ((found.winner, "on fresh deals"), (found.written, "the game as it is written")):
        if attempt.number in found.fresh:
            gathered = found.fresh[attempt.number]
            console.print(f"  {says}: " + ", ".join(f"{name} {gathered.measure(name)}" for name in shown_names))
    if found.gain is not None:
        console.print(f"  the difference in {aim} on these deals: {found.gain}")
