"""Make docs/reproduced, the longest run so far: four publications at full size, Block Rummy at the quick one until its hour is spent."""

import sys
from dataclasses import replace
from pathlib import Path

from meldlab.reproduce.bench import Reproducer
from meldlab.reproduce.page import write_reproduction
from meldlab.reproduce.report import reproduce
from meldlab.runs.store import Store

FULL, QUICK = ("finkle", "hertog", "yang", "nagai"), ("valet",)


def main(folder: Path, store: str) -> None:
    def show(what: str, done: float, whole: int) -> None:
        print(f"{what} {done:.2f} of {whole}", file=sys.stderr)

    full = reproduce(FULL, Reproducer(full=True, store=Store.open(store)), show)
    quick = reproduce(QUICK, Reproducer(store=Store.open(store)), show)
    command = f"{full.command}; {quick.command}"
    found = replace(full, tallies=full.tallies + quick.tallies, figures=full.figures + quick.figures, command=command)
    for path in write_reproduction(found, folder)[:3]:
        print(path)


main(Path(sys.argv[1]), sys.argv[2])
