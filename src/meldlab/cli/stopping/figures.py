"""``meldlab stopping draw`` and ``figures``: pictures."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from meldlab.cli.options import JsonOption, SeedOption, print_json
from meldlab.cli.stopping.options import DeckOption, GainOption, LossOption, read_urn
from meldlab.errors import NoSuchThing

if TYPE_CHECKING:
    from meldlab.stopping import Urn

__all__ = ["PICTURES", "draw", "figures"]

PICTURES = ("value", "policy", "shepp", "winnings")


def draw(
    picture: Annotated[str, typer.Argument(help="value, policy, shepp or winnings.")],
    out: Annotated[Path, typer.Option("--out", help="A file ending in .svg or .png; its numbers go beside it as .csv.")],
    deck: DeckOption = "26,26",
    gain: GainOption = "1",
    loss: LossOption = "1",
    seed: SeedOption = 1,
    json: JsonOption = False,
) -> None:
    """Draw one picture: heat map of value or policy, values against Shepp's asymptotics, or the distribution of the winnings.

    Example: meldlab stopping draw policy --out policy.svg
    """
    if picture not in PICTURES:
        raise NoSuchThing("picture", picture, PICTURES)
    _print_files(_draw(picture, read_urn(deck, gain, loss), seed, out), json)


def figures(
    out: Annotated[Path, typer.Option("--out", help="A folder, created if need be.")],
    deck: DeckOption = "26,26",
    gain: GainOption = "1",
    loss: LossOption = "1",
    seed: SeedOption = 1,
    json: JsonOption = False,
) -> None:
    """Draw all pictures as SVG into a folder.

    Example: meldlab stopping figures --out figures
    """
    urn = read_urn(deck, gain, loss)
    files = [path for picture in PICTURES for path in _draw(picture, urn, seed, out / f"stopping-{picture}.svg")]
    _print_files(files, json)


def _draw(picture: str, urn: "Urn", seed: int, out: Path) -> list[Path]:
    from meldlab.lab.figures import save, stopping

    if picture == "winnings":
        sheet = stopping.draw_winnings(urn, seed)
    else:
        sheet = {"value": stopping.draw_value, "policy": stopping.draw_policy, "shepp": stopping.draw_shepp}[picture](urn)
    return list(save(*sheet, out))


def _print_files(files: list[Path], as_json: bool) -> None:
    if as_json:
        print_json({"files": files})
    else:
        print(*files, sep="\n")
