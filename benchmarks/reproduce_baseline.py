"""Write the verdicts that ``meldlab reproduce`` remembers, from the JSON of runs, quick or full: python FILE reproduction.json ..."""

import json
import sys
from pathlib import Path

import meldlab.lab.reproduce

PLACE = Path(meldlab.lab.reproduce.__file__).with_name("baseline.toml")


def main() -> None:
    verdicts: dict[str, dict[str, str]] = {"quick": {}, "full": {}}
    for name in sys.argv[1:]:
        run = json.loads(Path(name).read_text())
        verdicts[run["size"]] |= {f"{one['publication']}.{one['claim']}": one["verdict"] for one in run["claims"]}
    lines = ["# The verdicts of the claims by the size of the run; a run with another verdict ends with status 1."]
    for size, some in verdicts.items():
        lines += ["", f"[{size}]", *(f'"{name}" = "{verdict}"' for name, verdict in some.items())]
    PLACE.write_text("\n".join(lines) + "\n")


main()
