"""``meldlab gin train``: a network taught by play."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from meldlab.cli.gin.options import RulesOption
from meldlab.cli.options import DeviceOption, JsonOption, SeedOption, print_json
from meldlab.cli.progress import progress_bar


def train(
    against: Annotated[
        str, typer.Option("--against", help="Who visits, one after another: players that the kernels play, computed:FILE.npz.")
    ] = "simple",
    adviser: Annotated[
        str, typer.Option("--adviser", help="A light player to begin as, whose opinion it goes on hearing.")
    ] = "computed:light",
    steps: Annotated[int, typer.Option("--steps", min=1, help="Decisions to learn from.")] = 20_000_000,
    tables: Annotated[int, typer.Option("--tables", min=14, help="Tables at once: 4 of 7 against itself, 2 its past, 1 visitors.")] = 3584,
    wide: Annotated[int, typer.Option("--wide", min=1, max=2048, help="Units of a layer.")] = 256,
    deep: Annotated[int, typer.Option("--deep", min=0, max=8, help="Layers after the first.")] = 2,
    rate: Annotated[float, typer.Option("--rate", help="Learning rate at the beginning.")] = 5e-4,
    mixing: Annotated[float, typer.Option("--mixing", help="Pull towards equal chances at the beginning.")] = 0.01,
    batch: Annotated[int, typer.Option("--batch", min=1, help="Decisions of one change of the network.")] = 65_536,
    save: Annotated[Path, typer.Option("--save", help="Where the network goes; computed:FILE.npz plays it.")] = Path("network.npz"),
    start: Annotated[Path | None, typer.Option("--start", help="Begin with this network.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the course of --save.")] = False,
    measure: Annotated[str, typer.Option("--measure", help="Play against these afterwards, with commas between.")] = "simple",
    games: Annotated[int, typer.Option("--games", min=2, help="Mirrored games against each of them.")] = 2000,
    rules: RulesOption = "eaai",
    seed: SeedOption = 0,
    device: DeviceOption = "auto",
    json: JsonOption = False,
) -> None:
    """Teach a network gin: it plays itself, its past and others, at many tables at once, and learns from what each decision brought.

    Example: meldlab gin train --adviser computed:light --steps 2000000 --wide 64 --save mine.npz
    """
    place = place_of(device)
    from meldlab.lab.training import training
    from meldlab.lab.training.learner import Course, Learner, Taught

    visitors, seventh = training.read_visitors(against), tables // 14 * 2
    course = Course(
        (4 * seventh, 2 * seventh, seventh if visitors else 0),
        visitors,
        adviser,
        steps,
        seed,
        wide=wide,
        deep=deep,
        rate=rate,
        last_rate=rate / 20,
        mixing=mixing,
        last_mixing=mixing / 10,
        batch=batch,
        rules=rules,
    )
    with progress_bar("teaching") as show:

        def report(lap: Taught, learner: Learner) -> None:
            show(min(lap.steps, steps), steps)

        names = [name for name in measure.split(",") if name]
        found = training.train(course, save, device=place, start=start, resume=resume, against=names, games=games, report=report)
    if json:
        print_json(found.as_json())
        return
    print(f"{found.steps:,} decisions in {found.laps} laps, {found.seconds:,.0f} s; play it as computed:{found.path}")
    for one in found.measured:
        print(one)


def place_of(device: str) -> Literal["cpu", "cuda"]:
    """Return where to train, or say that PyTorch is missing."""
    from importlib.util import find_spec

    from meldlab.errors import NotPossible
    from meldlab.gpu import has_gpu

    if find_spec("torch") is None:
        raise NotPossible("training needs PyTorch: pip install 'meldlab[train]'")
    return "cuda" if device == "cuda" or (device == "auto" and has_gpu()) else "cpu"
