"""The steps of an answer, told to somebody who knows the rules and nothing else."""

from collections import Counter

import pytest

from meldlab.play import Deal
from meldlab.rummikub import (
    DIFFICULTIES,
    JOKER_RULES,
    Objective,
    Position,
    Rules,
    Solution,
    describe_steps,
    parse_table,
    random_position,
    solve,
)
from meldlab.rummikub.random_positions import box
from meldlab.rummikub.sets import TileSet, columns, readings
from tests.rummikub.by_the_steps import carry_out, looks
from tests.rummikub.small_deck import small_position

TWO_JOKERS = "J=B4 B5 B6 J=B7 B8 B9 | K7 B7 O7 R7 | B2 B3 B4 B5 + O1 K4 R4 B7"
RUN_TO_GROUP = "J=R3 R4 J=R5 | B4 B5 B6 B7 + K4 B9 B10 O9 O10"
GROUP_TO_RUN = "R3 R4 R5 | J=R4 K4 J=B4 + K3 K5 R6 R7"
SMALL = {"colours": 3, "numbers": 6, "copies": 2, "jokers": 2, "opening": 6}


def follow(answer: Solution) -> list[str]:
    """Carry the told steps out, and see that they end at the answer's table; return them."""
    told = describe_steps(answer)
    scene = carry_out(answer.position, told)
    wanted = [Counter((tile.colour, tile.number, tile.joker) for tile in one.tiles) for one in answer.table]
    reached = [Counter({(*shows, joker): many for (shows, joker), many in looks(pile).items() if shows}) for pile in scene.piles if pile]
    assert sorted(map(sorted, (one.elements() for one in reached))) == sorted(map(sorted, (one.elements() for one in wanted))), told
    return told


@pytest.mark.parametrize("family", JOKER_RULES)
@pytest.mark.parametrize("objective", ["count", "value"])
def test_the_steps_of_crowded_small_tables_can_be_carried_out(family: str, objective: str) -> None:
    played = exchanged = 0
    for nth in range(100):
        position = small_position(5, nth, Rules(**SMALL, joker_rule=family), sets=3, rack=6)  # type: ignore[arg-type]
        answer = solve(position, Objective(objective, ("sets", "none")[nth % 2]))
        told = follow(answer)
        played += bool(answer.played)
        exchanged += any(" in the place of " in line for line in told)
    assert played > 50
    assert exchanged > 5 or family == "free"


@pytest.mark.parametrize("family", JOKER_RULES)
def test_the_steps_of_whole_boxes_can_be_carried_out(family: str) -> None:
    for nth in range(45):
        kind = list(DIFFICULTIES)[nth % 2]
        follow(solve(random_position(kind, 3, nth, Rules(joker_rule=family)), Objective("value", "sets"), nodes=10_000, seconds=0.5))


@pytest.mark.parametrize("family", JOKER_RULES)
def test_an_opening_is_laid_before_the_table_is_touched(family: str) -> None:
    opened = 0
    for nth in range(60):
        rules = Rules(**{**SMALL, "opening": 9}, joker_rule=family, after_opening="manipulate")  # type: ignore[arg-type]
        dealt = small_position(6, nth, rules, sets=2, rack=7)
        answer = solve(Position(dealt.table, dealt.rack, rules, opened=False), Objective("value"))
        points = 0
        for line in follow(answer):
            if not line.startswith("take") or " from the rack, lay " not in line:
                break
            points += sum(
                tile.number for one in parse_table(line.rpartition(" down as ")[2].split(maxsplit=2)[2], rules) for tile in one.tiles
            )
        assert points >= 9 or not answer.played, describe_steps(answer)
        opened += bool(answer.played)
    assert opened > 10


@pytest.mark.parametrize(
    ("text", "family", "told"),
    [
        (
            TWO_JOKERS,
            "strict",
            [
                "J=B4 in the run J=B4 B5 B6 J=B7 B8 B9 to make the run B4 B5 B6 J=B7 B8 B9",
                "J=B7 in the run B4 B5 B6 J=B7 B8 B9 to make the run B4-B9",
            ],
        ),
        (
            RUN_TO_GROUP,
            "modern",
            [
                "J=R3 in the run J=R3 R4 J=R5 to make the group R4 B4 J=K4",
                "J=K4 in the group R4 B4 J=K4 to make the group R4 K4 B4",
            ],
        ),
        (
            GROUP_TO_RUN,
            "modern",
            [
                "J=R4 in the group K4 J=R4 J=B4 to make the run K3 K4 J=K5",
                "J=K5 in the run K3 K4 J=K5 to make the run K3-K5",
            ],
        ),
    ],
)
def test_two_jokers_of_one_set_are_exchanged_one_by_one(text: str, family: str, told: list[str]) -> None:
    answer = solve(Position.parse(text, rules=Rules(joker_rule=family)))
    assert [line.partition(" in the place of ")[2] for line in follow(answer) if " in the place of " in line] == told


@pytest.mark.parametrize("family", ["modern", "strict"])
def test_the_exchanges_of_sets_with_two_jokers_can_be_carried_out(family: str) -> None:
    rules = Rules(**SMALL, joker_rule=family)  # type: ignore[arg-type]
    twice = changed_kind = 0
    for nth in range(300):
        position = two_jokers_in_a_set(nth, rules)
        told = follow(solve(position, Objective("value", ("sets", "none")[nth % 2])))
        exchanges = [line for line in told if " in the place of " in line]
        twice += len(exchanges) > 1
        changed_kind += any(" in the run " in line and " to make the group " in line for line in exchanges)
    assert twice > 100
    assert changed_kind or family == "strict"


def two_jokers_in_a_set(nth: int, rules: Rules) -> Position:
    """Return a position with a set that holds both jokers; the rack has tiles of that set's colour and number, and others."""
    chance = Deal(21, nth).chance(0, 0).stream()
    holders = [column for column in columns(rules) if column.jokers == 2]
    holder = TileSet(chance.choice(readings(chance.choice(holders), rules)))
    numbers = {tile.number for tile in holder.tiles}
    near = [tile for tile in box(rules) if tile.number in numbers]
    left = Counter(box(rules)) - Counter(tile.piece for tile in holder.tiles)
    others = [column for column in columns(rules) if not column.jokers and not Counter(column.pieces) - left]
    table = [holder]
    for _ in range(2):
        column = chance.choice([column for column in others if not Counter(column.pieces) - left])
        left -= Counter(column.pieces)
        table.append(TileSet(readings(column, rules)[0]))
    rack = Counter(chance.sample(near, 5)) & left
    rest = sorted((left - rack).elements())
    chance.shuffle(rest)
    return Position(tuple(table), tuple(sorted([*rack.elements(), *rest[:4]])), rules)
