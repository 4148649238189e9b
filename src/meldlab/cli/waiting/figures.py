"""``meldlab waiting figures``: the figures of Finkle's thesis, redrawn."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from meldlab.cli.options import JsonOption, SeedOption, print_json
from meldlab.errors import NoSuchThing

if TYPE_CHECKING:
    pass

__all__ = ["FORMATS", "figures"]

FORMATS = ("svg", "png")


def figures(
    out: Annotated[Path, typer.Option("--out", help="A folder, created if need be.")],
    only: Annotated[list[str] | None, typer.Option("--only", help="1 to 12, theorem-4 or knowledge; may be given again.")] = None,
    format: Annotated[list[str] | None, typer.Option("--format", help="svg (default) or png; may be given again.")] = None,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Draw figures 1 to 12 of Finkle's thesis from our data, Theorem 4, and win rate against knowledge, with their numbers as CSV.

    Example: meldlab waiting figures --out figures --only 1 --only 7
    """
    for kind in format or []:
        if kind not in FORMATS:
            raise NoSuchThing("picture format", kind, FORMATS)
    from rich.console import Console
    from rich.progress import track

    from meldlab.lab.figures import save
    from meldlab.lab.figures.waiting import FIGURES, knowledge

    for name in only or []:
        if name not in FIGURES:
            raise NoSuchThing("figure", name, FIGURES)
    names = [name for name in FIGURES if not only or name in only]
    files: dict[Path, None] = {}
    console = Console(stderr=True)
    for name in track(names, "drawing", console=console, transient=True, disable=not sys.stderr.isatty()):
        sheet = knowledge(seed) if name == "knowledge" else FIGURES[name]()
        stem = f"waiting-figure-{name}" if name.isdigit() else f"waiting-{name}"
        for kind in dict.fromkeys(format or ["svg"]):
            files.update(dict.fromkeys(save(*sheet, out / f"{stem}.{kind}")))
    if json:
        print_json({"files": list(files)})
    else:
        print(*files, sep="\n")
