"""``meldlab waiting figures``: the figures of Finkle's thesis, redrawn."""

from pathlib import Path
from typing import Annotated

import typer

from meldlab.cli.interruption import NOTHING, on_interrupt
from meldlab.cli.options import JsonOption, SeedOption, out_folder
from meldlab.cli.output import print_files
from meldlab.cli.progress import tracked
from meldlab.errors import NoSuchThing

NAMES = (*map(str, range(1, 13)), "theorem-4", "knowledge")
FORMATS = ("svg", "png")


def figures(
    out: Annotated[Path, out_folder("Folder to write; created if needed.")],
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar=f"[{'|'.join(NAMES)}]", help="Figure to draw; all by default; may be repeated.")
    ] = None,
    format: Annotated[
        list[str] | None, typer.Option("--format", metavar="[svg|png]", help="Picture format; svg by default; may be repeated.")
    ] = None,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Draw figures 1 to 12 of Finkle's thesis from our data, Theorem 4, and win rate against knowledge, with their numbers as CSV.

    Example: meldlab waiting figures --out figures --only 1 --only 7
    """
    for kind, values, names in (("figure", only, NAMES), ("picture format", format, FORMATS)):
        for value in values or ():
            if value not in names:
                raise NoSuchThing(kind, value, names)
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
