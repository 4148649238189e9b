"""A turn of Rummikub built by hand: what is typed, what it makes of the table, and what advice says in the same lines."""

import pytest

from meldlab.errors import MeldlabError
from meldlab.rummikub import (
    JOKER_RULES,
    PRESETS,
    Board,
    Objective,
    Rules,
    TileSet,
    format_table,
    parse_rack,
    parse_table,
    random_position,
    solve,
    violations,
)
from meldlab.rummikub.building import Pile
from meldlab.rummikub.checker import table_violations
from tests.rummikub.small_deck import small_position

PILES = {1: Pile(parse_table("R5-8")[0].tiles), 3: Pile(parse_table("K9 B9 O9")[0].tiles), 4: Pile(parse_table("R1 R2 J=R3")[0].tiles)}


def built(rack: str, *lines: str) -> Board:
    turn = Board(Rules(), parse_rack(rack), PILES)
    for line in lines:
        turn = turn.run(line)
    return turn


@pytest.mark.parametrize(
    ("rack", "lines", "table"),
    [
        ("R9", ["r9 TO 1"], "R5 R6 R7 R8 R9 | K9 B9 O9 | R1 R2 J=R3"),
        ("▲9", ["▲9 to 1"], "R5 R6 R7 R8 R9 | K9 B9 O9 | R1 R2 J=R3"),
        ("R9 R10", ["R9 R10 to 1", "split 1 after R7"], "R5 R6 R7 | R8 R9 R10 | K9 B9 O9 | R1 R2 J=R3"),
        ("R3 R4", ["R3 to 4", "J from 4", "J to 1"], "R5 R6 R7 R8 J=R9 | K9 B9 O9 | R1 R2 R3"),
        ("K8 K7 R9", ["R9 to 3", "new K7 K8", "K9 from 3 to 2"], "R5 R6 R7 R8 | K7 K8 K9 | R9 B9 O9 | R1 R2 J=R3"),
        ("O10 O11 R9", ["new O9 from 3", "O10 O11 to 2", "R9 to 3"], "R5 R6 R7 R8 | O9 O10 O11 | R9 K9 B9 | R1 R2 J=R3"),
        ("R4", ["R4 to 4", "1 to 4"], "K9 B9 O9 | R1 R2 J=R3 R4 R5 R6 R7 R8"),
    ],
)
def test_lines_make_a_table(rack: str, lines: list[str], table: str) -> None:
    assert format_table(built(rack, *lines).table()) == table


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (["R9 to 7"], "no set 7 on the table"),
        (["R5 to 3"], r"R5 is not on your rack \(set 1 has one: R5 from 1\)"),
        (["K13 to 3"], "K13 is not on your rack$"),
        (["R9 from 1"], "R9 is not in set 1"),
        (["split 1 after K3"], "cannot be split after K3"),
        (["split 1 after R8"], "cannot be split after R8"),
        (["1 to 1"], "set 1 is set 1"),
        (["castle"], "is not a command"),
        (["X5 to 1"], "no colour 'X'"),
    ],
)
def test_mistakes_say_what_is_wrong(lines: list[str], why: str) -> None:
    with pytest.raises(MeldlabError, match=why):
        built("R9", *lines)


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (["R8 from 1"], "R8 came from the table and must be laid on it again"),
        (["K9 from 3 to 1"], "set 1, R5 R6 R7 R8 K9: neither one number nor one colour"),
        (["new R9"], "set 2, R9: a set has at least 3 tiles"),
    ],
)
def test_the_table_is_judged_at_the_end(lines: list[str], why: str) -> None:
    turn = built("R9", *lines)
    with pytest.raises(MeldlabError, match=why):
        turn.table()


def test_numbers_stay_while_sets_lie_there() -> None:
    after = parse_table("K9 B9 O9 | O1-3 | R1 R2 J=R3 R4 | R5-8")
    board = Board(Rules(), (), PILES).renumber(after)
    assert {number: str(TileSet(pile.tiles)) for number, pile in board.piles.items()} == {
        1: "R5 R6 R7 R8",
        2: "O1 O2 O3",
        3: "K9 B9 O9",
        4: "R1 R2 J=R3 R4",
    }


@pytest.mark.parametrize("house", ["paper", "official"])
def test_advice_can_be_typed_as_it_stands(house: str) -> None:
    rules, turns = PRESETS[house], 0
    for number in range(25):
        position = random_position("easy", 1, number, rules)
        answer = solve(position, Objective("value", "none"))
        if not answer.played:
            continue
        assert not violations(answer)
        turn = Board(rules, position.rack, {number: Pile(one.tiles) for number, one in enumerate(position.table, 3)})
        for line in turn.commands(answer):
            turn = turn.run(line)
        assert sorted(map(str, turn.table())) == sorted(map(str, answer.table))
        assert table_violations(position, turn.table()) == []
        turns += 1
    assert turns > 10


@pytest.mark.parametrize("family", JOKER_RULES)
def test_advice_about_jokers_can_be_typed_as_it_stands(family: str) -> None:
    rules, freed = Rules(colours=3, numbers=6, joker_rule=family), 0
    for number in range(60):
        position = small_position(5, number, rules, sets=3, rack=6)
        answer = solve(position, Objective("value", "none"))
        turn = Board(rules, position.rack, {number: Pile(one.tiles) for number, one in enumerate(position.table, 3)})
        lines = list(turn.commands(answer))
        for line in lines:
            turn = turn.run(line)
        assert sorted(map(str, turn.table())) == sorted(map(str, answer.table)), (position, lines)
        freed += any(line.startswith("J") and " to " not in line for line in lines)
    assert freed > 5
