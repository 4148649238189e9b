"""Best moves of 600 random positions, as two other searches found them."""

from itertools import groupby
from pathlib import Path

import pytest

from meldlab.rummikub import Objective, Rules, random_position, solve

LINES = [line.split() for line in (Path(__file__).parent / "rummikub.txt").read_text().splitlines() if not line.startswith("#")]
PARTS = {key: list(lines) for key, lines in groupby(LINES, key=lambda line: (line[0], line[1]))}


@pytest.mark.parametrize(("joker_rule", "difficulty"), PARTS)
def test_best_moves_have_the_recorded_value_sets_kept_and_tiles_moved(joker_rule: str, difficulty: str) -> None:
    for _, _, nth, measure, value, kept, moved in PARTS[joker_rule, difficulty]:
        position = random_position(difficulty, 2027, int(nth), Rules(joker_rule=joker_rule))
        alone, keeping = solve(position, Objective(measure, "none")), solve(position, Objective(measure, "sets"))
        assert (alone.objective_value, keeping.objective_value, keeping.kept) == (int(value), int(value), int(kept)), repr(position)
        assert alone.proven
        assert keeping.proven
        # Crowded tables take the integer program a second each; a few of them suffice.
        if moved != "-" and (difficulty != "hard" or int(nth) < 6):
            fewest = solve(position, Objective(measure, "tiles"))
            assert (fewest.objective_value, fewest.moved, fewest.proven) == (int(value), int(moved), True), repr(position)
