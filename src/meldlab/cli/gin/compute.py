"""``meldlab gin compute``: a player by dynamic programming, against an opponent of your choice."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from meldlab.cli.gin.options import RulesOption
from meldlab.cli.interruption import DRY_RUN, on_interrupt
from meldlab.cli.options import DeviceOption, DryRunOption, JsonOption, SeedOption, print_cost, print_json, read_by
from meldlab.cli.outputs import out_folder
from meldlab.cli.progress import progress_bar

if TYPE_CHECKING:
    from meldlab.gin.computing.compute import Computed


def read_turns(text: str) -> list[int]:
    """Read whole numbers with commas between them.

    >>> read_turns("1,3, 5")
    [1, 3, 5]
    """
    from meldlab.errors import BadText

    turns, at = [], 0
    for word in text.split(",") if text.strip() else ():
        if not word.strip().isdecimal():
            raise BadText("turns are whole numbers, such as 1,3,5,7", text, at)
        turns.append(int(word))
        at += len(word) + 1
    return turns


def compute(
    against: Annotated[
        str, typer.Option("--against", help="simple, gin-only, knock:A,B,T, ensemble[:NAME], computed:DIR or self.")
    ] = "simple",
    rules: RulesOption = "eaai",
    cards: Annotated[int, typer.Option("--cards", help="Cards in a hand; fewer than 10 make a game for a CPU.")] = 10,
    ranks: Annotated[int, typer.Option("--ranks", help="Ranks of the deck, aces first.")] = 13,
    knock_limit: Annotated[int | None, typer.Option("--knock-limit", min=0, help="Most deadwood to knock with, if not the rules'.")] = None,
    device: DeviceOption = "auto",
    rounds: Annotated[int | None, typer.Option("--rounds", help="Rounds a lap for the odds (2^20 on a GPU, 2^16 on a CPU).")] = None,
    games: Annotated[int | None, typer.Option("--games", help="Mirrored games a lap for the win rate (200,000; 4,000 on a CPU).")] = None,
    loops: Annotated[int, typer.Option("--loops", help="Laps at most; fewer if the win rate is stable before.")] = 4,
    price: Annotated[float, typer.Option("--price", help="Points that a discard costs times the chance that it is taken.")] = 5.0,
    upcard: Annotated[float, typer.Option("--upcard", help="Chance that the upcard is as good as a random card.")] = 0.3,
    bits: Annotated[int, typer.Option("--bits", help="8 or 16 for each value.")] = 8,
    turns: Annotated[
        Any,
        typer.Option("--turns", **read_by(read_turns, "TURN,..."), help="Turns whose values are kept, such as 1,3,5,7; all by default."),
    ] = "",
    save: Annotated[Path | None, out_folder("Write the player into this folder; computed:DIR plays it.", "--save")] = None,
    seed: SeedOption = 0,
    dry_run: DryRunOption = False,
    json: JsonOption = False,
) -> None:
    """Compute a player: play rounds, take the opponent's odds from them, solve for the best answer, and again.

    Example: meldlab gin compute --against simple --cards 5 --ranks 6 --knock-limit 3
    """
    from dataclasses import replace

    from meldlab.gin import value_tables
    from meldlab.gin.computing.compute import Setting
    from meldlab.gin.computing.compute import compute as run

    if knock_limit is not None:
        rules = replace(rules, knock_limit=knock_limit, oklahoma=False)
    setting = Setting(rules, cards, ranks)
    numbers: dict[str, Any] = {
        "rounds": rounds,
        "games": games,
        "loops": loops,
        "price": price,
        "upcard": upcard,
        "bits": bits,
        "turns": turns,
    }
    if dry_run:
        from meldlab.dry_run import compute_cost

        print_cost(f"computing against {against}", compute_cost(against, setting, device=device, **numbers), json)
        return
    if save is not None:
        value_tables.check_folder(save)
    on_interrupt(DRY_RUN)
    with progress_bar(f"computing against {against}") as show:
        found = run(against, setting, device=device, seed=seed, progress=show, **numbers)
    size = found.save(save) if save is not None else 0
    if json:
        print_json({**found.as_json(), "saved": save and str(save), "bytes": size})
        return
    print_computed(found)
    if save is not None:
        print(f"saved {save} ({size:,} bytes)" + (f"; play it as computed:{save}" if setting.full else ""))


def print_computed(found: "Computed") -> None:
    """Print every lap, then what came out."""
    from rich.console import Console
    from rich.table import Table

    setting = found.setting
    print(f"computed against {found.against}: {setting.cards} cards of {4 * setting.ranks}, knocks with {setting.limit}, on {found.device}")
    table = Table("lap", "points by the model", f"won against {found.measured_against}", "odds moved", "left to gain", "s", box=None)
    for number, lap in enumerate(found.iterations, 1):
        gain = "" if lap.exploitability is None else f"{lap.exploitability:.3f}"
        table.add_row(str(number), f"{lap.value:+.3f}", str(lap.win_rate), f"{lap.change:.4f}", gain, f"{lap.seconds:.1f}")
    Console(highlight=False, width=100).print(table)
    print(f"{'stable' if found.stable else 'not yet stable'} after {len(found.iterations)} laps, {found.seconds:.1f} s")
