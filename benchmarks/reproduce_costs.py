"""Record what every claim of ``meldlab reproduce`` takes here, for its --dry-run: python FILE; some minutes.

Seconds are those of the processor, which hardly depend on what else runs. Every publication and size has a process of its own, so that the
memory is its own. Experiments that go through the store are tried by the dry run itself, so of these the full size is not played: the
package carries them, and Block Rummy is searched at the quick size.
"""

import json
import resource
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import meldlab.reproduce
from meldlab.reproduce import valet
from meldlab.reproduce.bench import Reproducer
from meldlab.reproduce.claims import NAMES
from meldlab.reproduce.planning import FIGURES
from meldlab.reproduce.report import this_machine
from meldlab.runs.store import Store, code_version

PLACE = Path(meldlab.reproduce.__file__).parent / "kept" / "costs.json"
SEARCHING = ("nagai", "valet")  # where a claim was stored, the dry run asks the store itself


def processor_seconds() -> float:
    """Return what all threads of this process and its children have spent."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def costs(name: str, **size: bool) -> dict[str, Any]:
    """Return seconds and memory of each claim of a publication, with warm kernels."""
    found: dict[str, Any] = {}
    valet.StudyConfig = lambda: valet.QUICK  # type: ignore[attr-defined,misc,assignment]
    with tempfile.TemporaryDirectory() as folder:
        bench = Reproducer(store=Store.open(Path(folder) / "runs.sqlite"), **size)
        last = processor_seconds()

        def note(id: str, **more: str) -> None:
            nonlocal last
            now, held = processor_seconds(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
            found[id] = {"seconds": round(now - last, 2), "memory": held, **more}
            last = now

        for id, one in import_module(f"meldlab.reproduce.{name}").claims(bench):
            note(id, **({"note": "carried by the package"} if one.stored and name not in SEARCHING else {}))
        note(FIGURES)
    return found


def main() -> None:
    told: dict[str, Any] = {"date": time.strftime("%Y-%m-%d", time.gmtime()), "version": code_version(), "machine": this_machine()}
    for name in NAMES:
        for size in ("tiny", "quick", "full"):  # the first compiles what is not compiled yet
            with ProcessPoolExecutor(1, get_context("spawn")) as alone:
                found = alone.submit(costs, name, **({} if size == "quick" else {size: True})).result()
            print(name, size, f"{sum(each['seconds'] for each in found.values()):.1f} s", file=sys.stderr)
            told.setdefault(size, {})[name] = found
    del told["tiny"]
    PLACE.write_text(json.dumps(told, indent=1) + "\n")


if __name__ == "__main__":
    main()
