"""Make docs/reproduced, the longest run so far: four publications at full size, Block Rummy at the quick one until its hour is spent."""

import sys
from dataclasses import replace
from pathlib import Path

from meldlab.reproduce.page import write_reproduction
from meldlab.reproduce.run import Context, reproduce
from meldlab.runs.store import Store

FULL, QUICK = ("finkle", "hertog", "yang", "nagai"), ("valet",)


def main(folder: Path, store: str) -> None:
    def show(done: float, total: float, name: str) -> None:
        print(f"{name} {done:.2f} of {total}", file=sys.stderr)

    full = reproduce(FULL, Context(full=True, store=Store.open(store)), show)
    quick = reproduce(QUICK, Context(store=Store.open(store)), show)
    command = f"{full.command}; {quick.command}"
    report = replace(full, publications=full.publications + quick.publications, command=command)
    for path in write_reproduction(report, folder)[:3]:
        print(path)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
