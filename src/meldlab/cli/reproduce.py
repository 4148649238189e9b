"""``meldlab reproduce``: the five publications, claim by claim, on one page."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from meldlab.cli.options import DryRunOption, JsonOption, StoreOption, ThreadsOption, open_store, out_folder, seed_option
from meldlab.cli.output import aligned, print_json, terminal_width
from meldlab.cli.progress import progress_bar
from meldlab.cost import about_text, memory_text
from meldlab.errors import NoSuchThing

if TYPE_CHECKING:
    from meldlab.reproduce.planning import PlannedRun
    from meldlab.reproduce.report import Reproduction

PUBLICATIONS = ("finkle", "hertog", "yang", "nagai", "valet")
WIDE = 140  # columns of the table of claims in a file or a pipe


def reproduce(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[finkle|hertog|yang|nagai|valet]", help="Publications; all five by default.")
    ] = None,
    full: Annotated[bool, typer.Option("--full/--quick", help="The publications' sizes, or smaller ones in a few minutes.")] = False,
    recompute: Annotated[bool, typer.Option("--recompute", help="With --full, recompute the stored results, too; takes hours.")] = False,
    out: Annotated[Path | None, out_folder("Folder for the page, CSV, JSON and figures.")] = None,
    seed: Annotated[int, seed_option("Seed of the games.")] = 1,
    store: StoreOption = None,
    threads: ThreadsOption = 0,
    dry_run: DryRunOption = False,
    json: JsonOption = False,
) -> None:
    """Compute every table and figure of the five publications and judge each claim; status 1 if a verdict is not the remembered one.

    Games are saved in the store, so an interrupted run resumes. --dry-run prints what is stored already, and what the rest
    would take, place by place.

    Example: meldlab reproduce yang --quick --out reproduced
    """
    for name in names or ():
        if name not in PUBLICATIONS:
            raise NoSuchThing("publication", name, PUBLICATIONS)
    from meldlab.reproduce.bench import Reproducer

    if dry_run:
        from meldlab.reproduce.planning import plan

        planned = plan(names or (), Reproducer(full=full, seed=seed, threads=threads, anew=recompute), store)
        if json:
            print_json(planned.as_json())
        else:
            print_plan(planned)
        return
    from meldlab.reproduce.report import reproduce as run

    bench = Reproducer(full=full, seed=seed, store=open_store(store), threads=threads, anew=recompute)
    with progress_bar("claims") as show:
        reproduction = run(names or (), bench, lambda what, done, whole: show(int(1000 * done), 1000 * whole))
    files: list[Path] = []
    if out is not None:
        from meldlab.reproduce.page import write_reproduction

        files = write_reproduction(reproduction, out)
    if json:
        print_json({**reproduction.as_json(), "files": list(map(str, files))})
    else:
        print_claims(reproduction)
        for number, row in enumerate(reproduction.errata, 1):
            printed = row.cells(reproduction.version)["published"]
            print(f"{number:3} {row.ruling:8} {row.publication}, {row.claim.where}: printed {printed}; ours {row.found.ours}")
        if files:
            print(f"the page is {files[0]}")
    for row in reproduction.changed:
        print(f"error: {row.publication}.{row.claim.id} was {row.expected} and is {row.ruling}: {row.found.ours}", file=sys.stderr)
    if reproduction.changed:
        raise typer.Exit(1)


def print_claims(reproduction: "Reproduction") -> None:
    """Print each publication with its claims: published, ours and the verdict; then the meaning of the signs and verdicts."""
    from meldlab.reproduce.claims import MEANINGS, SIGNS

    columns = ("claim", "published", "ours", "verdict")
    for tally in reproduction.tallies:
        counts = ", ".join(f"{count} {verdict}" for verdict, count in sorted(tally.counts.items()))
        print(f"{tally.sign:6} {tally.publication.name:7} {len(tally.rows):3} claims: {counts}; {tally.seconds:.1f} s")
        rows = [tuple(str(row.cells(reproduction.version)[name]) for name in columns) for row in tally.rows]
        # Long lists of numbers are in the page and in --json.
        print(*aligned([columns, *rows], terminal_width() or WIDE, {1: 20, 2: 20}), "", sep="\n")
    for sign in dict.fromkeys(tally.sign for tally in reproduction.tallies):
        print(f"{sign:9} {SIGNS[sign]}")
    for verdict in dict.fromkeys(row.ruling for row in reproduction.rows):
        print(f"{verdict:9} {MEANINGS[verdict]}")


def print_plan(planned: "PlannedRun") -> None:
    """Print what would be run: every place in a publication that takes a second or plays games, and what the others take together."""
    for name in planned.publications:
        part = planned.of(name)
        print(f"{name}, {planned.size}: {about_text(part.seconds)}, {memory_text(part.memory)} of memory")
        quick = [place for place in part.places if place.seconds < 1 and not place.note]
        for place in part.places:
            if place not in quick:
                takes = f"{about_text(place.seconds)}, {memory_text(place.memory)}" if place.seconds >= 1 else "nothing to do"
                print(f"  {place.where}: {takes}{'; ' * bool(place.note)}{place.note}")
        if quick:
            others = "other " * (len(quick) < len(part.places))
            print(f"  {len(quick)} {others}place{'s' * (len(quick) > 1)}: {about_text(sum(place.seconds for place in quick))}")
    if len(planned.publications) > 1:
        print(f"all of it: {about_text(planned.seconds)}, {memory_text(planned.memory)} of memory")
    print(f"an estimate, from {planned.basis}; nothing was started")
