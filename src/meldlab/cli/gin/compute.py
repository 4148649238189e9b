"""``meldlab gin compute``: a player by dynamic programming against a chosen opponent."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from meldlab.cli.interruption import DRY_RUN, on_interrupt
from meldlab.cli.options import DeviceOption, DryRunOption, GinRulesOption, JsonOption, SeedOption, out_folder
from meldlab.cli.output import print_estimate, print_json
from meldlab.cli.progress import progress_bar
from meldlab.errors import BadText

if TYPE_CHECKING:
    from meldlab.gin.computing.compute import Computed


def read_turns(text: str) -> list[int]:
    """Read whole numbers with commas between them.

    >>> read_turns("1,3, 5")
    [1, 3, 5]
    """
    turns, offset = [], 0
    for word in text.split(",") if text.strip() else ():
        if not word.strip().isdecimal():
            raise BadText("turns are whole numbers, such as 1,3,5,7", text, offset)
        turns.append(int(word))
        offset += len(word) + 1
    return turns


def compute(
    against: Annotated[
        str, typer.Option("--against", help="Opponent: simple, gin-only, knock:A,B,T, ensemble[:NAME], tables:DIR or self.")
    ] = "simple",
    rules: GinRulesOption = "eaai",
    cards: Annotated[int, typer.Option("--cards", help="Cards in a hand; fewer than 10 make a game for a CPU.")] = 10,
    ranks: Annotated[int, typer.Option("--ranks", help="Ranks of the deck, from the ace up.")] = 13,
    knock_limit: Annotated[
        int | None, typer.Option("--knock-limit", min=0, help="Maximum deadwood to knock with; default: that of the rules.")
    ] = None,
    device: DeviceOption = "auto",
    rounds: Annotated[
        int | None, typer.Option("--rounds", help="Rounds per iteration for the odds; default: 2^20 on a GPU, 2^16 on a CPU.")
    ] = None,
    games: Annotated[
        int | None, typer.Option("--games", help="Mirrored games per iteration for the win rate; default: 200,000, or 4,000 on a CPU.")
    ] = None,
    iterations: Annotated[int, typer.Option("--iterations", help="Maximum iterations; fewer if the win rate is stable before.")] = 4,
    price: Annotated[float, typer.Option("--price", help="Cost of a discard in points, times the probability that it is taken.")] = 5.0,
    upcard: Annotated[float, typer.Option("--upcard", help="Probability that the upcard is as good as a random card.")] = 0.3,
    bits: Annotated[int, typer.Option("--bits", help="Bits per value: 8 or 16.")] = 8,
    turns: Annotated[
        str, typer.Option("--turns", metavar="TURN,...", help="Turns whose values are stored, such as 1,3,5,7; all by default.")
    ] = "",
    save: Annotated[Path | None, out_folder("Folder for the player, which tables:DIR plays.", "--save")] = None,
    seed: SeedOption = 0,
    dry_run: DryRunOption = False,
    json: JsonOption = False,
) -> None:
    """Compute a player: play rounds, estimate the opponent's odds from them, solve for the best response, and repeat.

    Example: meldlab gin compute --against simple --cards 5 --ranks 6 --knock-limit 3
    """
    from dataclasses import replace

    from meldlab.gin import Rules, value_tables
    from meldlab.gin.computing.compute import Setting
    from meldlab.gin.computing.compute import compute as run

    changed = Rules.named(rules)
    if knock_limit is not None:
        changed = replace(changed, knock_limit=knock_limit, oklahoma=False)
    setting = Setting(changed, cards, ranks)
    numbers: dict[str, Any] = {
        "rounds": rounds,
        "games": games,
        "loops": iterations,
        "price": price,
        "upcard": upcard,
        "bits": bits,
        "turns": read_turns(turns),
    }
    if dry_run:
        from meldlab.dry_run import compute_cost
        from meldlab.gin.computing.compute import ComputeConfig

        print_estimate(f"computing against {against}", compute_cost(ComputeConfig(against, setting, device, **numbers)), json)
        return
    if save is not None:
        value_tables.check_folder(save)
    on_interrupt(DRY_RUN)
    with progress_bar(f"computing against {against}") as show:
        computed = run(against, setting, device=device, seed=seed, progress=show, **numbers)
    size = computed.save(save) if save is not None else 0
    if json:
        print_json({**computed.as_json(), "saved": save and str(save), "bytes": size})
        return
    _print_computed(computed)
    if save is not None:
        print(f"saved {save} ({size:,} bytes)" + (f"; play it as tables:{save}" if setting.full else ""))


def _print_computed(computed: "Computed") -> None:
    """Print every iteration, then the total."""
    from rich.console import Console
    from rich.table import Table

    config, setting = computed.config, computed.config.setting
    deck = f"{setting.cards} cards of {4 * setting.ranks}, knocks with {setting.limit}"
    print(f"computed against {config.against}: {deck}, on {config.device}")
    won = f"won against {config.measured_against}"
    table = Table("iteration", "points by the model", won, "odds moved", "left to gain", "s", box=None)
    for number, iteration in enumerate(computed.iterations, 1):
        gain = "" if iteration.exploitability is None else f"{iteration.exploitability:.3f}"
        columns = f"{iteration.value:+.3f}", str(iteration.win_rate), f"{iteration.change:.4f}", gain, f"{iteration.seconds:.1f}"
        table.add_row(str(number), *columns)
    Console(highlight=False, width=100).print(table)
    print(f"{'stable' if computed.stable else 'not yet stable'} after {len(computed.iterations)} iterations, {computed.seconds:.1f} s")
