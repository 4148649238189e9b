"""Two source trees: run the same commands with fixed seeds in both and print every output that differs.

    git worktree add ../before HEAD~20
    python benchmarks/outputs.py ../before/src src
    python benchmarks/outputs.py ../before/src src --only gin

Times and rates are blanked, since they differ from run to run. Status 1 if an output differs.
"""

import argparse
import difflib
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

COMMANDS = """
deadwood "5H 6H 7H 9C 9D 9S KC 2D" --json
gin advise --hand "2C 3C 4C 9D 9H 9S KC KD 4H 5S" --upcard KH --json
gin advise --hand "2C 3C 4C 9D 9H 9S KC KD KH 4S 5H" --json
gin arena simple ensemble:best --games 2000 --seed 3 --json
gin arena champion network:light --games 40 --seed 3 --json
gin arena marjj random --games 40 --seed 3 --json
gin arena simple champion --games 4 --seed 5 --save games
gin export --players champion,simple --games 2 --seed 1 --out moves.csv
replay games/game-0001.toml --step
gin review games/game-0001.toml --worlds 16
rummikub solve --table "R3-5 | K5 B5 O5 | K6-8" --rack "R5 B6 B7 O1" --json
rummikub solve --table "R1 J=R2 R3 R4 | R8 K8 B8 J=O8 | K6 B6 O6" --rack "R5 R6 R9 R10 K10 K13 B7 B9" --json
rummikub solve --table "R3-5 | K5 B5 O5 | K6-8" --rack "R5 B6 B7 O1" --keep tiles
rummikub puzzle --seed 4
rummikub arena optimal patient --games 4 --seed 2 --json
recycle list
recycle check hearts
recycle show kuhn_poker
recycle format block_rummy
recycle run block_rummy --games 500 --seed 1 --json
recycle run hearts --games 500 --seed 1 --json
recycle run euchre --games 500 --seed 1 --json
recycle run scopa --players pimc:20,random --games 10 --seed 1 --json
recycle run scopa --players mcts:20,random --games 10 --seed 1 --json
recycle run scopa --players ismcts:20,random --games 10 --seed 1 --json
recycle transcript crazy_eights --seed 1
recycle perft kuhn_poker --depth 4 --json
recycle analyse kuhn_poker --quick --store runs.sqlite --json
waiting solve --cards 3 --json
waiting solve --cards 4 --aces both --goal knock:5 --json
waiting hand "AC QH KD" --json
waiting discard "AC QH KD 4S" --json
waiting table --cards 3
waiting simulate "AC QH KD" --games 1000 --seed 1 --json
stopping value --deck 26,26 --exact --json
stopping policy --deck 10,10
stopping winnings --deck 26,26 --games 1000 --seed 1 --json
tune knock --quick --store runs.sqlite --json
runs list --store runs.sqlite --json
reproduce yang --quick --out reproduced
"""
CHANGING = [
    r'"(\w*seconds\w*|games_per_second|milliseconds|time|started|began|done|code|version|digest|computed|run)": [^,}]*',
    r"\d[\d,.]* (m?s|minutes?|seconds?)\b",
    r"\d[\d,.]* (games|rounds|histories|nodes)/s",
    r"0\.1\.0\+\w+",
    r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?",
]


def outputs(tree: Path, commands: list[str]) -> dict[str, list[str]]:
    """Return the lines that each command prints, with its status; all commands share one empty folder."""
    environment = os.environ | {"PYTHONPATH": str(tree.resolve()), "COLUMNS": "120"}
    texts = {}
    with TemporaryDirectory() as folder:
        for command in commands:
            words = [sys.executable, "-m", "meldlab", *shlex.split(command)]
            done = subprocess.run(words, env=environment, cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
            text = done.stdout.replace(", ", ",\n") if command.endswith("--json") else done.stdout
            for pattern in CHANGING:
                text = re.sub(pattern, "~", text)
            texts[command] = [f"status {done.returncode}", *text.splitlines(), *(done.stderr.splitlines() if done.returncode else [])]
    return texts


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare what two source trees print.")
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--only", default="", help="commands that contain this text")
    given = parser.parse_args()
    commands = [line for line in COMMANDS.strip().splitlines() if given.only in line]
    before, after = outputs(given.before, commands), outputs(given.after, commands)
    different = [command for command in commands if before[command] != after[command]]
    for command in different:
        print(f"$ meldlab {command}")
        print("\n".join(list(difflib.unified_diff(before[command], after[command], "before", "after", lineterm="", n=1))[:40]))
    failed = sum(lines[0] != "status 0" for lines in after.values())
    print(f"{len(commands)} commands, {len(different)} outputs differ, {failed} fail")
    sys.exit(bool(different))


if __name__ == "__main__":
    main()
