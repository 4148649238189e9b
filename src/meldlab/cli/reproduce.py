"""``meldlab reproduce``: the five publications, claim by claim, on one page."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from meldlab.cli.options import DryRunOption, JsonOption, StoreOption, ThreadsOption, open_store, out_folder, seed_option
from meldlab.cli.output import aligned, print_json, terminal_width
from meldlab.cli.progress import progress_bar
from meldlab.cost import about_text

if TYPE_CHECKING:
    from meldlab.reproduce.run import Report

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
    """Compute every table and figure of the five publications and judge each claim; status 1 if a verdict differs from the baseline.

    Games are saved to the store: a killed run resumes. --dry-run prints the time of each publication.

    Example: meldlab reproduce yang --quick --out reproduced
    """
    from meldlab.reproduce.claims import select
    from meldlab.reproduce.run import Context

    selected = select(names or ())
    context = Context(full=full, seed=seed, threads=threads, recompute=recompute)
    if dry_run:
        from meldlab.reproduce.run import plan

        planned = plan(selected, context)
        if json:
            print_json(planned)
        else:
            print_plan(planned)
        return
    from meldlab.reproduce.run import reproduce as run

    context.store = open_store(store)
    with progress_bar("claims") as show:
        report = run(selected, context, show)
    files: list[Path] = []
    if out is not None:
        from meldlab.reproduce.page import write_reproduction

        files = write_reproduction(report, out)
    if json:
        print_json({**report.as_json(), "files": list(map(str, files))})
    else:
        print_claims(report)
        for number, row in enumerate(report.errata, 1):
            print(f"{number:3} {row.verdict:8} {row.publication}, {row.claim.where}: printed {row.published}; ours {row.outcome.ours}")
        if files:
            print(f"the page is {files[0]}")
    for row in report.changed:
        print(f"error: {row.publication}.{row.claim.id} was {row.expected} and is {row.verdict}: {row.outcome.ours}", file=sys.stderr)
    if report.changed:
        raise typer.Exit(1)


def print_claims(report: "Report") -> None:
    """Print each publication with its claims: published, ours and the verdict; then the meaning of the signs and verdicts."""
    from meldlab.reproduce.claims import SIGNS

    titles = ("claim", "published", "ours", "verdict")
    for part in report.publications:
        counts = ", ".join(f"{count} {verdict}" for verdict, count in sorted(part.counts.items()))
        print(f"{part.sign:6} {part.publication.name:7} {len(part.rows):3} claims: {counts}; {part.seconds:.1f} s")
        rows = [(row.claim.id, row.published, row.outcome.ours, str(row.verdict)) for row in part.rows]
        # Long lists of numbers are in the page and in --json.
        print(*aligned([titles, *rows], terminal_width() or WIDE, {1: 20, 2: 20}), "", sep="\n")
    for sign in dict.fromkeys(part.sign for part in report.publications):
        print(f"{sign:9} {SIGNS[sign]}")
    for verdict in dict.fromkeys(row.verdict for row in report.rows):
        print(f"{verdict:9} {verdict.meaning}")


def print_plan(planned: dict[str, Any]) -> None:
    """Print the cost of each publication, and of all of them."""
    for part in planned["publications"]:
        print(f"{part['name']}, {planned['size']}: {about_text(part['seconds'])}{'; ' * bool(part['note'])}{part['note']}")
    if len(planned["publications"]) > 1:
        print(f"all of it: {about_text(planned['seconds'])}")
    print("CPU seconds recorded on two cores, with compiled kernels and an empty store; nothing was started")
