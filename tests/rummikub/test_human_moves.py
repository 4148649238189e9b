"""The steps of an answer, told to somebody who knows the rules and nothing else."""

from collections import Counter

import pytest

from meldlab.rummikub import CLASSES, FAMILIES, Answer, Goal, Position, Rules, moves, random_position, read_table, solve
from tests.rummikub.by_the_steps import carry_out, looks
from tests.rummikub.small_deck import small_position

SMALL = {"colours": 3, "numbers": 6, "copies": 2, "jokers": 2, "opening": 6}


def follow(answer: Answer) -> list[str]:
    """Carry the told steps out, and see that they end at the answer's table; return them."""
    told = moves(answer)
    scene = carry_out(answer.position, told)
    wanted = [Counter((tile.colour, tile.number, tile.joker) for tile in one.tiles) for one in answer.table]
    reached = [Counter({(*shows, joker): many for (shows, joker), many in looks(pile).items() if shows}) for pile in scene.piles if pile]
    assert sorted(map(sorted, (one.elements() for one in reached))) == sorted(map(sorted, (one.elements() for one in wanted))), told
    return told


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("objective", ["count", "value"])
def test_the_steps_of_crowded_small_tables_can_be_carried_out(family: str, objective: str) -> None:
    played = exchanged = 0
    for nth in range(100):
        position = small_position(5, nth, Rules(**SMALL, jokers_are=family), sets=3, rack=6)  # type: ignore[arg-type]
        answer = solve(position, Goal(objective, ("sets", "none")[nth % 2]))
        told = follow(answer)
        played += bool(answer.played)
        exchanged += any(" in the place of " in line for line in told)
    assert played > 50
    assert exchanged > 5 or family == "free"


@pytest.mark.parametrize("family", FAMILIES)
def test_the_steps_of_whole_boxes_can_be_carried_out(family: str) -> None:
    for nth in range(45):
        kind = list(CLASSES)[nth % 2]
        follow(solve(random_position(kind, 3, nth, Rules(jokers_are=family)), Goal("value", "sets"), nodes=10_000, seconds=0.5))


@pytest.mark.parametrize("family", FAMILIES)
def test_an_opening_is_laid_before_the_table_is_touched(family: str) -> None:
    opened = 0
    for nth in range(60):
        rules = Rules(**{**SMALL, "opening": 9}, jokers_are=family, after_opening="manipulate")  # type: ignore[arg-type]
        dealt = small_position(6, nth, rules, sets=2, rack=7)
        answer = solve(Position(dealt.table, dealt.rack, rules, opened=False), Goal("value"))
        points = 0
        for line in follow(answer):
            if not line.startswith("take") or " from the rack, lay " not in line:
                break
            points += sum(
                tile.number for one in read_table(line.rpartition(" down as ")[2].split(maxsplit=2)[2], rules) for tile in one.tiles
            )
        assert points >= 9 or not answer.played, moves(answer)
        opened += bool(answer.played)
    assert opened > 10
