"""``meldlab reproduce``: the five publications, claim by claim, on one page."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from meldlab.cli.options import JsonOption, StoreOption, ThreadsOption, print_json, seed_option
from meldlab.cli.progress import progress_bar
from meldlab.errors import NoSuchThing

PUBLICATIONS = ("finkle", "hertog", "yang", "nagai", "valet")


def reproduce(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[finkle|hertog|yang|nagai|valet]", help="Which; without a name all five.")
    ] = None,
    full: Annotated[bool, typer.Option("--full/--quick", help="The publications' sizes, or smaller ones in a few minutes.")] = False,
    anew: Annotated[bool, typer.Option("--anew", help="With --full, compute what the package carries as well: hours.")] = False,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Write the page, CSV, JSON and figures into this folder.")
    ] = None,
    seed: Annotated[int, seed_option("The same seed gives the same games.")] = 1,
    store: StoreOption = None,
    threads: ThreadsOption = 0,
    json: JsonOption = False,
) -> None:
    """Compute every table and figure of the five publications and judge each claim; status 1 if a verdict is not the remembered one.

    Games are kept in the store: a run that was killed goes on where it stopped.

    Example: meldlab reproduce yang --quick --out reproduced
    """
    for name in names or ():
        if name not in PUBLICATIONS:
            raise NoSuchThing("publication", name, PUBLICATIONS)
    from meldlab.lab.reproduce.bench import Reproducer
    from meldlab.lab.reproduce.report import reproduce as run
    from meldlab.lab.runs.store import Store

    if out is not None:
        from meldlab.lab.pages.page import write_folder

        write_folder(out, {}, {})  # a folder that cannot be written is better known before the work than after it
    bench = Reproducer(full=full, seed=seed, store=Store.open(store), threads=threads, anew=anew)
    with progress_bar("claims") as show:
        found = run(names or (), bench, lambda what, done, whole: show(int(1000 * done), 1000 * whole))
    files: list[Path] = []
    if out is not None:
        from meldlab.lab.reproduce.page import write_reproduction

        files = write_reproduction(found, out)
    if json:
        print_json({**found.as_json(), "files": list(map(str, files))})
    else:
        for tally in found.tallies:
            counts = ", ".join(f"{many} {verdict}" for verdict, many in sorted(tally.counts.items()))
            print(f"{tally.sign:6} {tally.publication.name:7} {len(tally.rows):3} claims: {counts}; {tally.seconds:.1f} s")
        for number, row in enumerate(found.errata, 1):
            printed = row.cells(found.version)["published"]
            print(f"{number:3} {row.ruling:8} {row.publication}, {row.claim.where}: printed {printed}; ours {row.found.ours}")
        if files:
            print(f"the page is {files[0]}")
    for row in found.changed:
        print(f"error: {row.publication}.{row.claim.id} was {row.expected} and is {row.ruling}: {row.found.ours}", file=sys.stderr)
    if found.changed:
        raise typer.Exit(1)
