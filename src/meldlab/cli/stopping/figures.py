"""``meldlab stopping draw`` and ``figures``: pictures."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from meldlab.cli.options import JsonOption, SeedOption, one_of, print_files, taking
from meldlab.cli.outputs import out_file, out_folder
from meldlab.cli.stopping.options import read_urn

if TYPE_CHECKING:
    from meldlab.stopping import Urn

PICTURES = ("value", "policy", "shepp", "winnings")


@taking(urn=read_urn)
def draw(
    picture: Annotated[str, typer.Argument(**one_of("picture", *PICTURES), help="What to draw.")],
    out: Annotated[Path, out_file("A file ending in .svg or .png; its numbers are saved as .csv.", parents=True)],
    urn: "Urn",
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Draw one picture: heat map of value or policy, values against Shepp's asymptotics, or the distribution of the winnings.

    Example: meldlab stopping draw policy --out policy.svg
    """
    print_files(_draw(picture, urn, seed, out), json)


@taking(urn=read_urn)
def figures(
    out: Annotated[Path, out_folder("A folder, created if need be.")],
    urn: "Urn",
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Draw all pictures as SVG into a folder.

    Example: meldlab stopping figures --out figures
    """
    files = [path for picture in PICTURES for path in _draw(picture, urn, seed, out / f"stopping-{picture}.svg")]
    print_files(files, json)


def _draw(picture: str, urn: "Urn", seed: int, out: Path) -> list[Path]:
    from meldlab.reports import save, stopping

    if picture == "winnings":
        plot = stopping.draw_winnings(urn, seed)
    else:
        plot = {"value": stopping.draw_value, "policy": stopping.draw_policy, "shepp": stopping.draw_shepp}[picture](urn)
    return list(save(*plot, out))
