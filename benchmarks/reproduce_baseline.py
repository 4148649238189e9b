"""Write the verdicts that ``meldlab reproduce`` remembers, from the JSON of a quick and of a full run: python FILE quick.json full.json."""

import json
import sys
from pathlib import Path

import meldlab.lab.reproduce

PLACE = Path(meldlab.lab.reproduce.__file__).with_name("baseline.toml")


def main() -> None:
    runs = [{f"{one['publication']}.{one['claim']}": one for one in json.loads(Path(name).read_text())["claims"]} for name in sys.argv[1:3]]
    lines = ["# The verdict of each claim, or of the quick and of the full run: a run whose verdict differs ends with status 1."]
    for name in runs[0]:
        quick, full = (run[name]["verdict"] for run in runs)
        lines.append(f'"{name}" = ' + (f'"{quick}"' if quick == full else f'["{quick}", "{full}"]'))
    PLACE.write_text("\n".join(lines) + "\n")


main()
