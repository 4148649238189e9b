"""The best Rummikub move of a position in text, step by step, with the least change to the table.

python examples/rummikub_move.py "R3-5 | K5 B5 O5 | K6-8" "R5 B6 B7 O1"
"""

import sys

from meldlab.rummikub import PRESETS, Position, describe_steps, solve


def main(table: str, rack: str) -> None:
    """Read a position, solve it, and tell what to do."""
    answer = solve(Position.parse(table, rack, PRESETS["official"]))
    for number, step in enumerate(describe_steps(answer), 1):
        print(f"{number}. {step}")
    sure = "nothing is better" if answer.proven else "perhaps there is better"
    print(f"{answer.count} tiles, {answer.value} points, {sure}; of the table {answer.moved} moved")


if __name__ == "__main__":
    main(*(sys.argv[1:] or ["R3-5 | K5 B5 O5 | K6-8", "R5 B6 B7 O1"]))
