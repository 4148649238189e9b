"""``meldlab waiting figures``: the figures of Finkle's thesis, redrawn."""

from pathlib import Path
from typing import Annotated

import typer

from meldlab.cli.interruption import NOTHING, on_interrupt
from meldlab.cli.options import JsonOption, SeedOption, one_of, print_files
from meldlab.cli.outputs import out_folder
from meldlab.cli.progress import tracked

NAMES = (*map(str, range(1, 13)), "theorem-4", "knowledge")


def figures(
    out: Annotated[Path, out_folder("A folder, created if need be.")],
    only: Annotated[
        list[str] | None, typer.Option("--only", **one_of("figure", *NAMES), help="Draw this figure only; may be given again.")
    ] = None,
    format: Annotated[
        list[str] | None, typer.Option("--format", **one_of("picture format", "svg", "png"), help="svg if none; may be given again.")
    ] = None,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Draw figures 1 to 12 of Finkle's thesis from our data, Theorem 4, and win rate against knowledge, with their numbers as CSV.

    Example: meldlab waiting figures --out figures --only 1 --only 7
    """
    from meldlab.reports import save
    from meldlab.reproduce.finkle_figures import draw_figure

    files: dict[Path, None] = {}
    on_interrupt(lambda: f"{len(files)} files are in {out}; --only draws the others" if files else NOTHING)
    for name in tracked([name for name in NAMES if not only or name in only], "drawing"):
        plot = draw_figure(name, seed)
        stem = f"waiting-figure-{name}" if name.isdigit() else f"waiting-{name}"
        for kind in dict.fromkeys(format or ["svg"]):
            files.update(dict.fromkeys(save(*plot, out / f"{stem}.{kind}")))
    print_files(list(files), json)
