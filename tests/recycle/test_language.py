"""Construct by construct: small programs whose outcome follows from the definition of the language."""

from typing import Any

import pytest

from meldlab.recycle.language.constants import constant
from meldlab.recycle.language.parser import parse_expression
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine.machine import Machine
from meldlab.recycle.machine.position import Position

DECK = "(create deck (game vloc ALL) (deck (RANK (A, B, C)) (COLOR (RED (SUIT (H, D))) (BLACK (SUIT (S))))))"
# Nine cards: AH AD AS BH BD BS CH CD CS, from the bottom up, numbered 0 to 8.
POINTS = "(set (game points P) (((RANK : A) 1) ((RANK : B) 2) ((RANK : C) 3) ((SUIT : H) 10) ((SUIT : D) 20) ((SUIT : S) 30)))"
RANKS = "(set (game points R) (((RANK : A) 1) ((RANK : B) 2) ((RANK : C) 3)))"


def machine(phases: str, players: int = 2, teams: str = "", declares: str = "", score: str = "(game sto X)") -> Machine:
    return Machine.compile(f"(game {declares} (setup (create players {players}) {teams} {DECK}) {phases} (scoring max {score}))")


def done(items: str, **setting: Any) -> Position:
    return machine(f"(do ({POINTS} {RANKS} {items}))", **setting).start(seed=1)


def cells(position: Position) -> dict[str, int | str]:
    return {name: value for _, category, owner, name, value in position.check().cells() if category == "game"}


def cards(position: Position, name: str, owner: int = 0, index: int = 0) -> tuple[int, ...]:
    found = [(at, cards) for at, cards in position.check().locations() if (at.owner, at.name, at.index) == (owner, name, index)]
    return found[0][1] if found else ()


def test_the_size_of_a_range_beyond_32_bits_is_not_folded() -> None:
    whole = "(size (range (- (- 0 2147483647) 1) .. 2147483647))"
    assert constant(parse_expression(whole)) is None
    assert constant(parse_expression("(size (range 1 .. 2147483647))")) == 2147483647
    played = machine("(do ((turn pass)))", score=f"(* {whole} {whole})").random_games(games=1, seed=1)
    assert played.statuses.tolist() == [k.OUT_OF_LISTS]


def number(expression: str, **setting: Any) -> int:
    value = cells(done(f"(set (game sto X) {expression})", **setting)).get("X", 0)
    assert isinstance(value, int)
    return value


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("(+ 1 2)", 3),
        ("(+ 1 2 (* 2 3 4))", 36),  # 1 2 is the number 12: something else follows
        ("(- 2 7)", -5),
        ("(// (- 0 7) 2)", -3),
        ("(% (- 0 7) 3)", -1),
        ("(// 7 (- 0 2))", -3),
        ("(% 7 (- 0 3))", 1),
        ("(^ 2 10)", 1024),
        ("(tri 4)", 10),
        ("(fib 7)", 13),
        ("(fib 1)", 1),
        ("(size (range 3 .. 5))", 3),
        ("(size (range 5 .. 3))", 0),
        ("(size (A, B, C))", 3),
        ("(size player)", 2),
        ("(size (other player))", 1),
        ("(size (game vloc ALL))", 9),
        ("(size (game vloc NONE))", 0),
        ("(sum (game vloc ALL) using (game points P))", 198),
        ("(sum (game vloc NONE) using (game points P))", 0),
        ("(sum (game vloc ALL) using (game points UNSET))", 0),
        ("(sum (union (game vloc ALL) (game vloc ALL)) using (game points P))", 396),
        ("(scoremax (game vloc ALL) using (game points P))", 33),
        ("(scoremin (game vloc ALL) using (game points P))", 11),
        ("(scoremax (game vloc NONE) using (game points P))", -1),
        ("(scoremin (game vloc NONE) using (game points P))", 2147483647),
        ("(score (top (game vloc ALL)) using (game points P))", 33),
        ("(score (bottom (game vloc ALL)) using (game points P))", 11),
        ("(score (1 (game vloc ALL)) using (game points P))", 21),
        ("(score (max (game vloc ALL) using (game points P)) using (game points P))", 33),
        ("(score (min (game vloc ALL) using (game points P)) using (game points P))", 11),
        ("(score (top (top 2 (game vloc ALL))) using (game points P))", 23),  # CS CD: the second is the last
        ("(score (bottom (top 2 (game vloc ALL))) using (game points P))", 33),
        ("(score (top (bottom 2 (game vloc ALL))) using (game points P))", 21),
        ("(size (partition SUIT (game vloc ALL)))", 3),
        ("(size (top (partition RANK (game vloc ALL))))", 3),
        ("(score (top (top (partition SUIT (game vloc ALL)))) using (game points P))", 13),  # CH: the first group is hearts
        ("(score (top (bottom (partition SUIT (game vloc ALL)))) using (game points P))", 33),
        ("(score (top (1 (partition SUIT (game vloc ALL)))) using (game points P))", 23),
        ("(size (partition NOKEY (game vloc ALL)))", 1),
        ("(size (subsets (top 3 (game vloc ALL))))", 7),
        ("(size (subsets (top 5 (game vloc ALL)) == 2))", 10),
        ("(size (subsets (top 5 (game vloc ALL)) <= 2))", 15),
        ("(size (subsets (top 5 (game vloc ALL)) < 2))", 5),
        ("(size (subsets (top 5 (game vloc ALL)) > 3))", 6),
        ("(size (subsets (top 5 (game vloc ALL)) >= 4))", 6),
        ("(size (subsets (top 5 (game vloc ALL)) != 2))", 21),
        ("(size (subsets (game vloc NONE)))", 0),
        ("(sum (0 (subsets (game vloc ALL))) using (game points P))", 11),
        ("(sum (2 (subsets (game vloc ALL))) using (game points P))", 32),  # binary 3: the two lowest
        ("(size (runs all 3 (game vloc ALL) using (game points P)))", 3),
        ("(size (runs all 2 (game vloc ALL) using (game points P)))", 9),
        ("(size (runs largest 2 (game vloc ALL) using (game points P)))", 3),
        ("(size (runs largest 3 (game vloc ALL) using (game points R)))", 27),
        ("(size (runs largest 4 (game vloc ALL) using (game points R)))", 0),
        ("(size (run top 2 (game vloc ALL) using (game points R)))", 0),
        ("(size (run top 1 (game vloc ALL) using (game points R)))", 1),
        ("(size (union (game vloc ALL) (top 2 (game vloc ALL))))", 11),
        ("(size (intersect (game vloc ALL) (top 2 (game vloc ALL))))", 2),
        ("(size (intersect (all (range 1 .. 3) 'N (top 'N (game vloc ALL)))))", 1),
        ("(size (disjunction (game vloc ALL) (top 2 (game vloc ALL))))", 7),
        ("(size (filter (game vloc ALL) 'C (== (cardatt COLOR 'C) RED)))", 6),
        ("(size (filter (range 1 .. 9) 'N (== (% 'N 2) 0)))", 4),
        ("(size (filter player 'P (!= 'P (current player))))", 1),
        ("(size (filter (A, B) 'S (== 'S A)))", 1),
        ("(size (filter (all player 'P ('P vloc NONE)) 'L (== (size 'L) 0)))", 0),  # empty lists are dropped before the test
        ("(all player 'P (pid 'P))", 3),
        ("(pid (next player))", 2),
        ("(pid (previous player))", 2),
        ("(tid (team (2 player)))", 2),
        ("(size (team (current player)))", 1),
        ("'N", 12),
        ("(size 'L)", 2),
    ],
)
def test_values(expression: str, value: int) -> None:
    assert number(expression, declares="(declare (* 3 4) 'N) (declare (A, B) 'L)") == value


@pytest.mark.parametrize(
    ("test", "holds"),
    [
        ("(and (== 1 1) (< 1 2) (<= 2 2))", True),
        ("(or (> 1 1) (>= 1 2) (!= 1 1))", False),
        ("(not (== A B))", True),
        ("(== (game str UNSET) A)", False),
        ("(== (cardatt RANK (top (game vloc NONE))) (game str UNSET))", True),
        ("(== (cardatt NOKEY (top (game vloc ALL))) (game str UNSET))", True),
        ("(== (top (game vloc ALL)) (8 (game vloc ALL)))", True),
        ("(== (top (game vloc ALL)) (7 (game vloc ALL)))", False),
        ("(!= (top (game vloc ALL)) (top (game vloc NONE)))", True),
        ("(any (game vloc ALL) 'C (== (cardatt SUIT 'C) S))", True),
        ("(all (game vloc ALL) 'C (== (cardatt SUIT 'C) S))", False),
        ("(any (game vloc NONE) 'C (== 1 1))", False),
        ("(all (game vloc NONE) 'C (== 1 2))", True),
        ("(and (> (size (game vloc NONE)) 1) (all (top 2 (game vloc NONE)) 'C (== 1 1)))", False),  # stops before the error
        ("(== (team (1 player)) (team (2 player)))", False),
        ("(== (1 player) (current player))", True),
        ("(any player 'P (any (other player) 'Q (== 'P 'Q)))", True),
    ],
)
def test_truth(test: str, holds: bool) -> None:
    assert number(f"{1 if holds else 0}") == cells(done(f"({test} (inc (game sto X)))")).get("X", 0)


def test_moves_go_where_they_are_told() -> None:
    after = done(
        "(repeat 3 (move (top (game vloc ALL)) (top (game vloc T))))"  # 8 7 6
        "(move (bottom (game vloc ALL)) (bottom (game vloc T)))"  # 0 8 7 6
        "(move (1 (game vloc ALL)) (2 (game vloc T)))"  # 0 8 2 7 6
        "(move (0 (game vloc T)) (1 (game vloc T)))"  # leaves first, then counts
    )
    assert cards(after, "T") == (8, 0, 2, 7, 6)
    assert cards(after, "ALL") == (1, 3, 4, 5)


def test_a_bound_virtual_list_is_one_object_and_loses_what_is_moved_out_of_it() -> None:
    after = done(
        "(let (filter (game vloc ALL) 'C (== (cardatt SUIT 'C) H)) 'HEARTS (do ("
        " (move (top 'HEARTS) (top (game vloc T))) (set (game sto X) (size 'HEARTS))"
        " (repeat all (move (top 'HEARTS) (top (game vloc T)))) (set (game sto Y) (size 'HEARTS)))))"
    )
    assert cards(after, "T") == (6, 3, 0)
    assert cells(after) == {"X": 2}


def test_loops_walk_a_snapshot_and_a_card_variable_is_that_card() -> None:
    after = done(
        "(all (game vloc ALL) 'C (do ((move 'C (bottom (game vloc T)))"
        " ((== (cardatt RANK 'C) A) (do ((remember 'C (top (game mem M))) (move 'C (top ((2 player) iloc HAND)))))))))"
    )
    assert cards(after, "T") == (8, 7, 6, 5, 4, 3)
    assert cards(after, "HAND", owner=2) == (0, 1, 2)
    assert cards(after, "M") == (0, 1, 2)


def test_variables_over_indexed_and_let_are_the_locations_themselves() -> None:
    after = done(
        "(repeat 2 (move (top (game vloc ALL)) (top (game vloc PILE 7))))"
        "(move (top (game vloc ALL)) (top (game vloc PILE 3)))"
        "(move (top (game vloc ALL)) (top (game vloc PILE)))"
        "(all (indexed game vloc PILE) 'L (do ((inc (game sto N)) (move (top (game vloc ALL)) (bottom 'L)))))"
        "(let (game vloc PILE 3) 'L (move (top (game vloc ALL)) (0 'L)))"
        "(all (all player 'P ('P iloc HAND)) 'H (move (top (game vloc ALL)) (top 'H)))",
        players=1,
    )
    assert cards(after, "PILE", index=7) == (4, 8, 7)  # the first that was touched
    assert cards(after, "PILE", index=3) == (1, 3, 6)
    assert cards(after, "PILE") == (2, 5)
    assert cards(after, "HAND", owner=1) == (0,)
    assert cells(after)["N"] == 3


def test_swaps_memories_sorting_and_faro() -> None:
    after = done(
        "(repeat 2 (move (top (game vloc ALL)) (top (game vloc T))))"  # T: 8 7
        "(swap (bottom (game vloc ALL)) (top (game vloc T)))"  # T: 8 0, ALL: 7 1 2 ..
        "(swap (0 (game vloc ALL)) (1 (game vloc ALL)))"  # ALL: 1 7 2 ..
        "(remember (top (game vloc T)) (top (game mem M)))"
        "(remember (top (game vloc T)) (top (game mem M)))"
        "(remember (bottom (game vloc T)) (bottom (game mem M)))"
        "(swap (game vloc T) (game vloc ALL))"
        "(forget (top (game mem M)))"
        "(set (game sto X) (size (sort (game vloc T) using (game points P))))"
    )
    assert cards(after, "ALL") == (8, 0)
    assert cards(after, "M") == (8, 0)
    assert cards(after, "T") == (3, 6, 1, 4, 7, 2, 5)
    faro = done("(repeat 4 (move (top (game vloc ALL)) (bottom (game vloc T)))) (shuffle faro (game vloc ALL) (game vloc T))")
    assert cards(faro, "ALL") == (0, 5, 1, 6, 2, 7, 3, 8, 4)
    assert cards(faro, "T") == ()


def test_point_maps_add_up_are_fixed_when_set_and_can_be_updated() -> None:
    after = done(
        "(set (game str T) H)"
        "(set (game points Q) (((SUIT : (game str T)) 5) ((SUIT : H) 7) ((RANK : A) (SUIT : H) 100) ((NOKEY : A) 1000)))"
        "(set (game str T) D)"
        "(set (game sto X) (score (bottom (game vloc ALL)) using (game points Q)))"
        "(set (game sto Y) (score (1 (game vloc ALL)) using (game points Q)))"
        "(update (game points Q) (((SUIT : H) (RANK : A) 200) ((SUIT : D) 3)))"
        "(set (game sto Z) (score (bottom (game vloc ALL)) using (game points Q)))"
        "(set (game sto W) (score (1 (game vloc ALL)) using (game points Q)))"
    )
    assert cells(after) == {"T": "D", "X": 112, "Z": 212, "W": 3}


def test_repeat_does_it_that_many_times() -> None:
    assert cells(
        done("(repeat 3 (inc (game sto X) 2)) (repeat (- 0 2) (inc (game sto Y))) (repeat 2 (all player 'P (dec (game sto Z))))")
    ) == {
        "X": 6,
        "Z": -4,
    }


def test_owners_teams_and_computed_names() -> None:
    after = done(
        "(move (top (game vloc ALL)) (top ((2 player) iloc H)))"
        "(set ((team (owner (top ((2 player) iloc H)))) sto WON) 4)"
        "(set (game sto X) ((2 team) sto WON))"
        "(all (game vloc ALL) 'C (move 'C (top (game vloc (cardatt SUIT 'C)))))"
        "(all (2 team) 'P (inc (game sto Y) (pid 'P)))"
        "(set (game str NAME) H) (set (game sto Z) (size (game vloc (game str NAME))))",
        players=4,
        teams="(create teams (1,3) (2,4))",
    )
    assert cells(after) == {"X": 4, "Y": 6, "NAME": "H", "Z": 3}
    assert cards(after, "S") == (2, 5)


def traced(name: str) -> str:
    return f"(do ((set (game sto {name}) (+ (* (game sto {name}) 10) (pid (current player)))) (inc (game sto N))))"


def test_stages_pass_the_turn() -> None:
    program = machine(
        "(do ((cycle current (2 player))))"
        f"(stage player (end (== (game sto N) 4)) {traced('FIRST')} (do (((== (game sto N) 2) (cycle next (current player))))))"
        f"(stage player (end (>= (game sto N) 0)) {traced('NEVER')})"
        f"(stage player once {traced('ONCE')} (stage player (end (== (% (game sto N) 2) 0)) {traced('ONCE')}))",
        players=3,
    )
    # 2, 3, 3 again, 1; nothing for a stage that is over on arrival; then from 2 again, each pass with an inner stage from its member on.
    assert cells(program.start(seed=1)) == {"FIRST": 2331, "ONCE": 223311, "N": 10}


def test_the_end_sees_who_is_queued_and_a_queue_dies_with_its_stage() -> None:
    program = machine(
        f"(stage player (end (== (pid (next player)) 3)) {traced('OUT')}"
        f" (stage player (end (>= (game sto N) 2)) {traced('IN')} (do ((cycle next (1 player)))))"
        " (do (((>= (game sto N) 3) (cycle next (3 player))))))",
        players=4,
    )
    # Out 1, in 1; the queue of the inner stage is gone, so out 2 follows; END then sees 3 queued.
    assert cells(program.start(seed=1)) == {"OUT": 12, "IN": 1, "N": 3}


def test_a_team_stage_leaves_the_player_alone() -> None:
    program = machine(
        "(stage team (end (== (game sto N) 2)) (do ((inc (game sto N))"
        " (inc (game sto T) (tid (current team))) (inc (game sto P) (pid (current player))))))",
        players=4,
        teams="(create teams (1,3) (2,4))",
    )
    assert cells(program.start(seed=1)) == {"N": 2, "T": 3, "P": 2}


def test_options_by_the_procedure_of_the_language() -> None:
    position = machine(
        "(choice ("
        " (any (game vloc NONE) 'C (move 'C (top (game vloc T))))"  # no members, no action: no option
        " (do ((any (A, B) 'S (set (game str S) 'S)) (any (range 1 .. 2) 'N (inc (game sto X) 'N))))"  # the product
        " ((== (game sto X) 1) (turn pass))"  # fails
        # Sees its own effects.
        " (do ((inc (game sto Y)) ((== (game sto Y) 1) (inc (game sto Y))) ((== (game sto Y) 2) (inc (game sto Y)))))"
        " (do ((any (game vloc NONE) 'C (turn pass)) (turn pass)))"  # goes on without a branch
        " (repeat 0 (turn pass))"
        " (all (A, B) 'S (any (range 1 .. 2) 'N (inc (game sto X) 'N)))"
        "))"
    ).start(seed=1)
    branches = [(1, 0, 0), (1, 0, 1), (1, 1, 0), (1, 1, 1), (3,), (4,), (6, 0, 0), (6, 0, 1), (6, 1, 0), (6, 1, 1)]
    assert list(position.options) == branches
    assert cells(position.take(2)) == {"S": "B", "X": 1}
    assert cells(position.take(4)) == {"Y": 3}
    assert cells(position.take(9)) == {"X": 4}
    assert cells(position) == {}


def test_chance_in_an_option_is_what_exploring_saw_and_a_shuffle_draws_afresh() -> None:
    text = "(choice ((do ((set (game sto R) (random 1 .. 1000)) (any (range 1 .. (+ 1 (% (game sto R) 7))) 'N (set (game sto X) 'N))))))"
    for seed in range(20):
        position = machine(text).start(seed)
        after = [cells(position.take(i)) for i in range(len(position.options))]
        assert len({cell["R"] for cell in after}) == 1
        assert int(after[0]["R"]) % 7 + 1 == len(after)
        assert [cell["X"] for cell in after] == list(range(1, len(after) + 1))


def test_a_joint_choice_is_carried_out_when_all_have_chosen() -> None:
    position = machine(
        "(do ((all player 'P (repeat 2 (move (top (game vloc ALL)) (top ('P iloc HAND)))))))"
        "(stage player simultaneous"
        " (choice ((any ((current player) iloc HAND) 'C (move 'C (top (game vloc T)))))) (do ((inc (game sto N)))))",
        players=3,
    ).start(seed=1)
    for seat, option in ((1, 0), (2, 1), (3, 0)):
        assert position.to_move + 1 == seat
        assert cards(position, "T") == ()
        position = position.take(option)
    assert cards(position, "T") == (8, 5, 4)
    assert cells(position) == {"N": 3}


@pytest.mark.parametrize(
    ("items", "status"),
    [
        ("(move (top (game vloc NONE)) (top (game vloc T)))", k.NO_CARD),
        ("(remember (top (game vloc NONE)) (top (game mem T)))", k.NO_CARD),
        ("(swap (top (game vloc NONE)) (top (game vloc ALL)))", k.NO_CARD),
        ("(swap (game vloc NONE) (game vloc ALL))", k.NO_CARD),
        ("(forget (top (game mem T)))", k.NO_CARD),
        ("(set (game sto X) (score (top (game vloc NONE)) using (game points P)))", k.NO_CARD),
        ("(set (game sto X) (score (max (game vloc NONE) using (game points P)) using (game points P)))", k.NO_CARD),
        ("(move (9 (game vloc ALL)) (top (game vloc T)))", k.BEYOND),
        ("(move (top (game vloc ALL)) (1 (game vloc T)))", k.BEYOND),
        ("(set (game sto X) (size (top 10 (game vloc ALL))))", k.BEYOND),
        ("(set (game sto X) (size (top (partition RANK (game vloc NONE)))))", k.NO_LIST),
        ("(cycle next (owner (top (game vloc ALL))))", k.ON_TABLE),
        ("(cycle next (3 player))", k.NO_SEAT),
        ("(cycle next (0 player))", k.NO_SEAT),
        ("(set (game sto X) (// 1 (game sto X)))", k.BY_ZERO),
        ("(set (game sto X) (% 1 (game sto X)))", k.BY_ZERO),
        ("(set (game sto X) (* 65536 65536))", k.TOO_LARGE),
        ("(set (game sto X) (random 3 .. 1))", k.NO_RANGE),
        ("(let (filter (game vloc ALL) 'C (== 1 1)) 'V (move (top (game vloc ALL)) (top 'V)))", k.NO_TARGET),
        ("(all (range 0 .. 2000000000) 'N (inc (game sto X)))", k.OUT_OF_LISTS),
        ("(repeat 2000000000 (turn pass))", k.OVERWORKED),
        ("(repeat 5 (all (range 1 .. 1000) 'I (move (top (game vloc ALL)) (top (game vloc ALL 'I)))))", k.NO_CARD),
        ("(all (range 1 .. 1001) 'I (set (game sto X) (size (game vloc ALL 'I))))", k.OUT_OF_LOCATIONS),
        ("(repeat 2001 (remember (top (game vloc ALL)) (top (game mem T))))", k.OUT_OF_MEMORIES),
        ("(set (game sto X) ((team (3 player)) sto Y))", k.NO_TEAM),
    ],
)
def test_errors_end_the_game_with_their_name(items: str, status: int) -> None:
    teams, players = ("(create teams (1,2))", 3) if status == k.NO_TEAM else ("", 2)
    assert done(items, teams=teams, players=players).status == status


def test_loops_without_decisions_and_choices_without_options_end() -> None:
    assert machine("(stage player (end (== 1 (game sto X))) (do ((turn pass))))").start(seed=1).status == k.STUCK
    empty = machine("(choice (((== 1 (game sto X)) (turn pass))))")
    assert empty.random_games(games=3, seed=1).statuses.tolist() == [k.NO_OPTION] * 3
    endless = machine("(stage player (end (== 1 (game sto X))) (choice ((turn pass))))").random_games(games=1, seed=1)
    assert (endless.statuses.tolist(), endless.decisions.tolist()) == ([k.CAPPED], [10_000])
    letters = ", ".join("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    many = machine(f"(do ((create deck (game vloc ALL) (deck (N ({letters})))) (set (game sto X) (size (subsets (game vloc ALL))))))")
    assert many.start(seed=1).status == k.TOO_MANY_SUBSETS


def test_a_seed_names_a_game_on_any_number_of_threads() -> None:
    shuffled = machine(
        "(do ((shuffle (game vloc ALL)))) (stage player (end (== 0 (size (game vloc ALL)))) (choice ("
        "(any (game vloc ALL) 'C (do ((move 'C (top (game vloc T))) (inc (game sto X) (random 9))))))))"
    )
    one, two = shuffled.random_games(games=50, seed=4), shuffled.random_games(games=50, seed=4, threads=3)
    assert one.scores.tolist() == two.scores.tolist()
    assert one.scores.tolist() != shuffled.random_games(games=50, seed=5).scores.tolist()
    assert one.scores[30:].tolist() == shuffled.random_games(games=20, seed=4, first=30).scores.tolist()
