"""Write the verdicts that ``meldlab reproduce`` remembers, from the JSON of runs, quick or full: python FILE reproduction.json ..."""

import json
import sys
from pathlib import Path
from typing import Any

import meldlab.reproduce
from meldlab.reproduce.claims import publications

PLACE = Path(meldlab.reproduce.__file__).with_name("baseline.toml")


def verdict(one: dict[str, Any]) -> str:
    """Return what is expected of a claim; of one that could not be checked for want of a program, what the book says."""
    kinds = {claim.id: claim.kind for claim in publications()[one["publication"]].claims}
    return kinds[one["claim"]] if "is not installed" in one["note"] else str(one["verdict"])


def main() -> None:
    verdicts: dict[str, dict[str, str]] = {"quick": {}, "full": {}}
    for name in sys.argv[1:]:
        run = json.loads(Path(name).read_text())
        verdicts[run["size"]] |= {f"{one['publication']}.{one['claim']}": verdict(one) for one in run["claims"]}
    lines = ["# The verdicts of the claims by the size of the run; a run with another verdict ends with status 1."]
    for size, some in verdicts.items():
        lines += ["", f"[{size}]", *(f'"{name}" = "{each}"' for name, each in some.items())]
    PLACE.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
