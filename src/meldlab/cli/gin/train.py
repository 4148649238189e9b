"""``meldlab gin train``: a network taught by play."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from meldlab.cli.gin.course import adviser_of, place_of, refuse, teach
from meldlab.cli.options import DeviceOption, DryRunOption, GinRulesOption, JsonOption, SeedOption, StoreOption

ONLY_POLICY = ("adviser", "tables", "shares", "wide", "deep", "mixing")
ONLY_VALUES = ("rounds", "seats")


def train(
    context: typer.Context,
    learn: Annotated[
        Literal["policy", "values"], typer.Option("--learn", help="What the network says: how to play, or what every move is worth.")
    ] = "policy",
    against: Annotated[
        str, typer.Option("--against", help="Who visits: players that the kernels play, computed:FILE.npz; for values also self, past.")
    ] = "simple",
    adviser: Annotated[
        str, typer.Option("--adviser", help="Policy: a light player that it begins as, and goes on hearing; '' for none.")
    ] = "computed:light-pool",
    steps: Annotated[int, typer.Option("--steps", min=1, help="Decisions to learn from.")] = 20_000_000,
    tables: Annotated[int, typer.Option("--tables", min=2, help="Policy: tables at once.")] = 3584,
    shares: Annotated[
        str, typer.Option("--shares", help="Policy: how the tables are shared by playing itself, its past, and visitors.")
    ] = "4,2,1",
    rounds: Annotated[int, typer.Option("--rounds", min=2, help="Values: rounds of a batch, of which a lap has up to five.")] = 1 << 18,
    seats: Annotated[int, typer.Option("--seats", min=1, max=2, help="Values: seats that teach in rounds against itself.")] = 2,
    wide: Annotated[int, typer.Option("--wide", min=1, max=2048, help="Policy: units of a layer.")] = 256,
    deep: Annotated[int, typer.Option("--deep", min=0, max=8, help="Policy: layers after the first.")] = 2,
    rate: Annotated[float | None, typer.Option("--rate", help="Learning rate at the beginning; policy 5e-4, values 8e-4.")] = None,
    mixing: Annotated[float, typer.Option("--mixing", min=0, max=1, help="Policy: pull towards equal chances at the beginning.")] = 0.01,
    batch: Annotated[int, typer.Option("--batch", min=1, help="Decisions of one change of the network.")] = 65_536,
    save: Annotated[Path, typer.Option("--save", help="Where the network goes; computed:FILE.npz plays it.")] = Path("network.npz"),
    start: Annotated[str, typer.Option("--start", help="Begin with this network: FILE.npz, or a player such as computed:light.")] = "",
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the course of --save.")] = False,
    measure: Annotated[
        str | None, typer.Option("--measure", help="Play against these afterwards, commas between; else the visitors.")
    ] = None,
    games: Annotated[int, typer.Option("--games", min=2, help="Mirrored games against each of them, rounded up to an even number.")] = 2000,
    rules: GinRulesOption = "eaai",
    seed: SeedOption = 0,
    device: DeviceOption = "auto",
    store: StoreOption = None,
    dry_run: DryRunOption = False,
    json: JsonOption = False,
) -> None:
    """Teach a network gin: it plays itself, its past and others, and learns from what each decision brought.

    Example: meldlab gin train --adviser computed:light --steps 2000000 --wide 64 --save mine.npz
    """
    refuse(context, ONLY_POLICY if learn == "values" else ONLY_VALUES, learn)
    place = place_of(device)
    from meldlab.errors import NotLegalHere
    from meldlab.gin import Rules
    from meldlab.training import training
    from meldlab.training.learner import Course
    from meldlab.training.value_learner import ValueCourse

    visitors = training.read_visitors(against)
    if rate is not None and not 0 < rate <= 1:
        raise NotLegalHere(f"a learning rate is above 0 and at most 1, not {rate:g}")
    course: Course | ValueCourse
    if learn == "values":
        course = ValueCourse(visitors, steps, seed, rounds=rounds, seats=seats, rate=rate or 8e-4, batch=batch, rules=Rules.named(rules))
        visitors = course.visitors
    else:
        speed = rate or 5e-4
        course = Course(
            training.shared(tables, shares),
            visitors,
            adviser_of(context, adviser, start),
            steps,
            seed,
            wide=wide,
            deep=deep,
            rate=speed,
            last_rate=speed / 20,
            mixing=mixing,
            last_mixing=mixing / 10,
            batch=batch,
            rules=Rules.named(rules),
        )
    names = tuple(dict.fromkeys(visitors)) if measure is None else training.read_visitors(measure)
    found = teach(
        context,
        course,
        save=save,
        place=place,
        start=start,
        resume=resume,
        against=names,
        games=games,
        store=store,
        dry_run=dry_run,
        json=json,
    )
    if found is not None:
        print(f"{found.steps:,} decisions in {found.laps} laps, {found.seconds:,.0f} s; play it as computed:{found.path}")
        for one in found.measured:
            print(one)
