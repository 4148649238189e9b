"""What constructs mean, fact by fact, under the machine and under the plain interpreter.

The deck is A to E in suits X and Y, lying in (game iloc STOCK) as it was made: AX AY BX BY CX CY DX DY EX EY, the last on top.
"""

import pytest

from meldlab.recycle.language.parser import parse
from meldlab.recycle.machine import kernel_layout as k
from tests.recycle.machine_reading import Machine, compile_text, oracle_state
from tests.recycle.oracle import Decision, Oracle
from tests.recycle.oracle_board import Addressed, GameError
from tests.recycle.playing import follow

STOCK, PILE = "(game iloc STOCK)", "(game vloc PILE)"
RANKS = "(set (game points P) (((RANK : A) 1) ((RANK : B) 2) ((RANK : C) 3) ((RANK : D) 4) ((RANK : E) 5)))"
DRAW = f"(move (top {STOCK}) (top {PILE}))"


def program(phases: str, score: str, players: int = 2, setup: str = "") -> str:
    return (
        f"(game (setup (create players {players}) {setup} (create deck {STOCK} (deck (RANK (A, B, C, D, E)) (SUIT (X, Y)))))"
        f" {phases or '(do ((turn pass)))'} (scoring max {score}))"
    )


def outcome(text: str, choices: tuple[int, ...] = ()) -> list[int] | str:
    """Return the scores after these choices, the same by both ways, or "error"."""
    oracle, machine = Oracle(parse(text), Addressed(3)), Machine(compile_text(text))
    machine.begin(3, 0)
    for choice in choices:
        machine.options()
        machine.decide(choice)
    try:
        scores = follow(oracle, choices)
    except GameError:
        assert machine.status >= k.NO_CARD or machine.scores() is None
        return "error"
    assert not isinstance(scores, Decision), "the game is not over"
    assert machine.state() == oracle_state(oracle)
    assert machine.scores() == scores
    return scores


def value(score: str, *items: str, setup: str = "", players: int = 2) -> int | str:
    """Return what an expression is worth to the first player after these items are done."""
    scores = outcome(program(f"(do ({' '.join(items)}))" if items else "", score, players, setup))
    return scores if isinstance(scores, str) else scores[0]


def options(items: str, *before: str) -> int | str:
    """Return the number of options of a choice."""
    text = program((f"(do ({' '.join(before)}))" if before else "") + f" (choice ({items}))", "0")
    oracle, machine = Oracle(parse(text), Addressed(3)), Machine(compile_text(text))
    machine.begin(3, 0)
    found = machine.options()
    try:
        decision = follow(oracle, ())
    except GameError:
        assert machine.status >= k.NO_CARD
        return "error"
    assert isinstance(decision, Decision)
    assert tuple(found) == decision.options
    return len(found)


@pytest.mark.parametrize(
    ("expression", "number"),
    [
        ("(// (- 0 7) 2)", -3),
        ("(% (- 0 7) 3)", -1),
        ("(% 7 3)", 1),
        ("(^ 2 10)", 1024),
        ("(+ 1 2 3)", 6),
        ("(* 2 3 4)", 24),
        ("(tri 4)", 10),
        ("(fib 7)", 13),
        ("(size player)", 2),
        ("(size (range 2 .. 5))", 4),
        ("(size (range 5 .. 2))", 0),
        ("(size (A, B, C))", 3),
        (f"(size {STOCK})", 10),
        ("(sum (game vloc NONE) using (game points P))", 0),
        ("(scoremax (game vloc NONE) using (game points P))", -1),
        ("(scoremin (game vloc NONE) using (game points P))", 2**31 - 1),
        (f"(score (top {STOCK}) using (game points P))", 5),
        (f"(score (0 {STOCK}) using (game points P))", 1),
        (f"(score (bottom {STOCK}) using (game points UNSET))", 0),
        (f"(sum {STOCK} using (game points P))", 30),
        (f"(sum (union {STOCK} {STOCK}) using (game points P))", 60),
        (f"(size (intersect {STOCK} {STOCK}))", 10),
        (f"(size (disjunction {STOCK} {STOCK}))", 0),
        (f"(size (partition RANK {STOCK}))", 5),
        (f"(size (partition COLOR {STOCK}))", 1),  # cards without the key form one group
        (f"(size (top (partition SUIT {STOCK})))", 5),
        (f"(score (top (top (partition RANK {STOCK}))) using (game points P))", 1),  # of lists, top is the first
        (f"(score (top (bottom (partition RANK {STOCK}))) using (game points P))", 5),
        (f"(score (top (2 (partition RANK {STOCK}))) using (game points P))", 3),
        (f"(score (top (top 3 {STOCK})) using (game points P))", 4),  # EY EX DY: listed from the top inward
        (f"(score (bottom (bottom 3 {STOCK})) using (game points P))", 1),
        (f"(size (subsets (top 4 {STOCK})))", 15),
        (f"(size (subsets (top 4 {STOCK}) == 2))", 6),
        (f"(size (runs largest 3 {STOCK} using (game points P)))", 32),  # A to E, each in two suits
        (f"(size (runs largest 6 {STOCK} using (game points P)))", 0),
        (f"(size (runs all 5 (filter {STOCK} 'C (== (cardatt SUIT 'C) X)) using (game points P)))", 1),
        (f"(size (runs all 3 (filter {STOCK} 'C (== (cardatt SUIT 'C) X)) using (game points P)))", 6),
        (f"(size (run top 2 (filter {STOCK} 'C (== (cardatt SUIT 'C) X)) using (game points P)))", 5),
        (f"(size (run top 2 {STOCK} using (game points P)))", 0),  # EX EY are no run
        (f"(size (filter (subsets (top 4 {STOCK})) 'S (== (sum 'S using (game points P)) 9)))", 4),
        ("(all player 'P ('P sto N))", 0),
    ],
)
def test_numbers(expression: str, number: int) -> None:
    assert value(expression, RANKS) == number


@pytest.mark.parametrize(
    ("expression", "truth"),
    [
        ("(any (game vloc NONE) 'C (== 1 1))", False),
        ("(all (game vloc NONE) 'C (== 1 2))", True),
        ("(== (game str UNSET) NONE)", False),
        ("(!= (game str UNSET) NONE)", True),
        ("(== (game str UNSET) (cardatt RANK (top (game vloc NONE))))", True),
        (f"(== (cardatt COLOR (top {STOCK})) (game str UNSET))", True),
        (f"(== (top {STOCK}) (9 {STOCK}))", True),
        (f"(== (top {STOCK}) (8 {STOCK}))", False),
        (f"(== (top {STOCK}) (top (game vloc NONE)))", False),
        ("(== (next player) (previous player))", True),
        ("(== (team (1 player)) (1 team))", True),
        ("(and (== (size (game vloc NONE)) 1) (== (score (top (game vloc NONE)) using (game points P)) 1))", False),
        (f"(or (== (size {STOCK}) 10) (== (score (top (game vloc NONE)) using (game points P)) 1))", True),
    ],
)
def test_truths(expression: str, truth: bool) -> None:
    assert value("(game sto N)", f"({expression} (inc (game sto N)))") == int(truth)


@pytest.mark.parametrize(
    ("items", "score", "number"),
    [
        (["(repeat 3 (inc (game sto N)))"], "(game sto N)", 3),
        (["(dec (game sto N) 5)"], "(game sto N)", -5),
        (["(repeat 0 (inc (game sto N)))", "(repeat (- 0 2) (inc (game sto N)))"], "(game sto N)", 0),
        ([f"(repeat all (move (top {STOCK}) (top {PILE})))"], f"(score (top {PILE}) using (game points P))", 1),
        ([f"(repeat all (move (bottom {STOCK}) (bottom {PILE})))"], f"(score (top {PILE}) using (game points P))", 1),
        ([f"(move (top {STOCK}) (3 {STOCK}))"], f"(score (3 {STOCK}) using (game points P))", 5),
        ([f"(let (top 2 {STOCK}) 'TWO (repeat all (move (top 'TWO) (top {PILE}))))"], f"(score (top {PILE}) using (game points P))", 5),
        ([f"(let {STOCK} 'L (move (top 'L) (bottom 'L)))"], f"(score (bottom {STOCK}) using (game points P))", 5),
        ([f"(all {STOCK} 'C (move 'C (top {PILE})))"], f"(size {PILE})", 10),  # over a snapshot
        ([f"(any {STOCK} 'C (move 'C (top {PILE})))"], f"(size {PILE})", 10),  # outside a choice any is all
        ([f"(swap (top {STOCK}) (bottom {STOCK}))"], f"(score (top {STOCK}) using (game points P))", 1),
        ([DRAW, f"(swap {PILE} {STOCK})"], f"(size {PILE})", 9),
        ([f"(remember (top {STOCK}) (top (game mem M)))", DRAW], "(score (top (game mem M)) using (game points P))", 5),
        ([f"(remember (top {STOCK}) (top (game mem M)))", "(forget (top (game mem M)))"], "(size (game mem M))", 0),
        # a card variable is forgotten by the memory it was drawn from, else by the first that holds it
        ([f"(all (top 3 {STOCK}) 'C (do ((remember 'C (top (game mem M))) (remember 'C (top (game mem R))))))",
          "(all (filter (game mem R) 'F (== (cardatt RANK 'F) E)) 'C (forget 'C))"],
         "(+ (* 10 (size (game mem M))) (size (game mem R)))", 31),
        ([f"(all (top 3 {STOCK}) 'C (do ((remember 'C (top (game mem M))) (remember 'C (top (game mem R))))))",
          f"(all (top 2 {STOCK}) 'C (forget 'C))"], "(+ (* 10 (size (game mem M))) (size (game mem R)))", 13),
        (["(set (game points Q) (((RANK : A) 5) ((RANK : A) 7)))"], f"(score (bottom {STOCK}) using (game points Q))", 12),
        (["(set (game points Q) (((RANK : A) (SUIT : X) 5)))"], f"(sum {STOCK} using (game points Q))", 5),
        (["(set (game str S) B)", "(set (game points Q) (((RANK : (game str S)) 5)))", "(set (game str S) C)"],
         f"(score (2 {STOCK}) using (game points Q))", 5),
        (["(update (game points P) (((RANK : A) 9)))"], f"(score (bottom {STOCK}) using (game points P))", 9),
        (["(update (game points P) (((RANK : A) 9)))"], f"(score (top {STOCK}) using (game points P))", 5),
        ([f"(repeat 4 {DRAW})", f"(let (sort {PILE} using (game points P)) 'S (turn pass))"],
         f"(score (top {PILE}) using (game points P))", 5),
        ([f"(repeat 5 {DRAW})", f"(shuffle faro {STOCK} {PILE})"], f"(size {STOCK})", 10),
        ([f"(repeat 5 {DRAW})", f"(shuffle faro {STOCK} {PILE})"], f"(score (1 {STOCK}) using (game points P))", 5),
        (["(cycle next (2 player))", "(set (game sto N) (pid (next player)))"], "(game sto N)", 2),
        (["(cycle current (2 player))", "(set (game sto N) (pid (current player)))"], "(game sto N)", 2),
        ([f"(move (max {STOCK} using (game points P)) (top {PILE}))"], f"(score (top {PILE}) using (game points P))", 5),
        ([f"(move (min {STOCK} using (game points P)) (top {PILE}))"], f"(score (top {PILE}) using (game points P))", 1),
        ([f"(move (top {STOCK}) (top ((2 player) iloc H)))", "(set (game sto N) (pid (owner (top ((2 player) iloc H)))))"],
         "(game sto N)", 2),
        (["(let (range 1 .. 3) 'R (all 'R 'I (inc (game sto N) 'I)))"], "(game sto N)", 6),
        (["(all (filter (indexed game vloc L) 'X (> (size 'X) 0)) 'Y (inc (game sto N)))"], "(game sto N)", 0),
        ([f"(move (top {STOCK}) (top (game vloc L 7)))", f"(move (top {STOCK}) (top (game vloc L 2)))",
          f"(all (indexed game vloc L) 'Y (move (top {STOCK}) (top 'Y)))"], "(size (game vloc L 2))", 2),
    ],
)  # fmt: skip
def test_what_is_done(items: list[str], score: str, number: int) -> None:
    assert value(score, RANKS, *items) == number


@pytest.mark.parametrize(
    "item",
    [
        f"(move (top (game vloc NONE)) (top {PILE}))",
        "(remember (top (game vloc NONE)) (top (game mem M)))",
        "(forget (top (game mem M)))",
        f"(all (top 1 {STOCK}) 'C (do ((forget 'C) (remember 'C (top (game mem M))))))",
        f"(swap (top (game vloc NONE)) (top {STOCK}))",
        f"(swap (game vloc NONE) {STOCK})",
        "(set (game sto N) (score (top (game vloc NONE)) using (game points P)))",
        f"(move (max (game vloc NONE) using (game points P)) (top {PILE}))",
        f"(move (11 {STOCK}) (top {PILE}))",
        f"(move (top {STOCK}) (2 {PILE}))",
        f"(all (top 11 {STOCK}) 'C (turn pass))",
        f"(set (game sto N) (pid (owner (top {STOCK}))))",
        "(set (game sto N) (pid ((+ 1 2) player)))",
        "(set (game sto N) (// 1 (game sto N)))",
        "(set (game sto N) (% 1 (game sto N)))",
        "(set (game sto N) (^ 2 31))",
        "(set (game sto N) (random 3 .. 2))",
        "(set (game sto N) (size (top (partition RANK (game vloc NONE)))))",
    ],
)
def test_errors_at_run_time(item: str) -> None:
    assert value("(game sto N)", item) == "error"
    # also while options are explored, even if there are others
    assert options(f"(turn pass) {item}") == "error"


@pytest.mark.parametrize(
    ("items", "number"),
    [
        ("(turn pass) (turn pass)", 2),  # equal options are not merged
        (f"(any {STOCK} 'C (move 'C (top {PILE})))", 10),
        ("(do ((any (A, B) 'R (set (game str R) 'R)) (any (X, Y, Z) 'S (set (game str S) 'S))))", 6),
        ("(do ((any (game vloc NONE) 'C (turn pass)) (turn pass)))", 1),  # an empty any lets the option go on
        ("(any (game vloc NONE) 'C (turn pass)) (turn pass)", 1),
        ("(any (range 1 .. 4) 'I ((> 'I 2) (turn pass)))", 2),  # a branch without an action is no option
        ("(do ((any (range 1 .. 3) 'I ((> 'I 2) (turn pass))) (turn pass)))", 3),
        ("(repeat 0 (turn pass)) (turn pass)", 1),
        ("(all (range 1 .. 3) 'I (any (A, B) 'R (set (game str R) 'R)))", 8),
        (f"(do ({DRAW} (any {PILE} 'C (remember 'C (top (game mem M))))))", 1),  # later items see earlier effects
        (f"(do ({DRAW} {DRAW} (any {PILE} 'C (remember 'C (top (game mem M))))))", 2),
        (f"(let (partition RANK {STOCK}) 'G (any 'G 'L (repeat all (move (top 'L) (top {PILE})))))", 5),
        ("((== 1 2) (turn pass)) ((== 1 1) (turn pass))", 1),
        ("((== 1 2) (turn pass))", "error"),  # a choice without options
    ],
)
def test_options(items: str, number: int | str) -> None:
    assert options(items) == number


def test_cards_are_the_product_of_attributes_with_nested_ones_in_depth() -> None:
    deck = "(create deck (game vloc D) (deck (R (A, B, C)) (COLOR (RED (S (H, D))) (BLACK (S (C)))) (SIZE (BIG, LOW))))"
    assert value("(size (game vloc D))", setup=deck) == 18
    assert value("(size (partition COLOR (game vloc D)))", setup=deck) == 2
    assert value("(size (top (partition COLOR (game vloc D))))", setup=deck) == 12
    assert value("(size (game vloc D))", setup=f"(repeat 2 (repeat 2 {deck}))") == 72


@pytest.mark.parametrize(
    ("stage", "score", "number"),
    [
        # END is tested before each pass, with who just acted still current; advancing comes after
        ("(stage player (end (== (pid (current player)) 3)) (do ((inc (game sto N)))))", "(game sto N)", 3),
        ("(stage player (end (== 1 1)) (do ((inc (game sto N)))))", "(game sto N)", 0),
        # the queue is honoured once, and dies with its stage
        ("(stage player (end (>= (game sto N) 3)) (do ((inc (game sto N)) (inc ((current player) sto M)) (cycle next (current player)))))",
         "((1 player) sto M)", 3),
        (("(stage player (end (>= (game sto N) 1)) (do ((inc (game sto N)) (cycle next (3 player)))))"
         " (do ((set (game sto M) (pid (next player)))))"), "(game sto M)", 2),
        # the outer current member is as it was
        ("(stage player (end (>= (game sto N) 2)) (do ((inc (game sto N))))) (do ((set (game sto M) (pid (current player)))))",
         "(game sto M)", 1),
        # cycle current outside stages starts the later ones
        (("(do ((cycle current (3 player))))"
         " (stage player (end (>= (game sto N) 1)) (do ((inc (game sto N)) (inc ((current player) sto M)))))"),
         "((3 player) sto M)", 1),
        ("(do ((cycle current (2 player)))) (stage player once (do ((set (game sto N) (+ (* 10 (game sto N)) (pid (current player)))))))",
         "(game sto N)", 231),
        ("(stage team once (do ((set (game sto N) (+ (* 10 (game sto N)) (tid (current team)))))))", "(game sto N)", 123),
        # the current team is not the team of the current player
        ("(do ((cycle current (3 player)) (set (game sto N) (tid (current team)))))", "(game sto N)", 1),
        ("(do ((cycle current (3 player)) (set (game sto N) (tid (team (current player))))))", "(game sto N)", 3),
    ],
)  # fmt: skip
def test_stages(stage: str, score: str, number: int) -> None:
    assert outcome(program(stage, score, players=3)) == [number] * 3


def test_everybody_chooses_before_anything_is_carried_out() -> None:
    bid = "(any (range 1 .. 3) 'N ((!= (game sto BID) 'N) (set (game sto BID) 'N)))"
    each = program(f"(stage player once (choice ({bid})))", "(game sto BID)")
    joint = program(f"(stage player simultaneous (choice ({bid})))", "(game sto BID)")
    assert outcome(joint, (1, 1)) == [2, 2]  # the second player may still bid what the first has bid
    assert outcome(each, (1, 1)) == [3, 3]  # 1 and 3 are left


def test_who_makes_somebody_else_current_does_not_change_the_turns_of_a_joint_choice() -> None:
    text = program(
        "(stage player simultaneous (choice ((do ((inc ((current player) sto N)) (cycle current (1 player)))))))",
        "((current player) sto N)",
        players=3,
    )
    assert outcome(text, (0, 0, 0)) == [1, 1, 1]


def test_teams_have_members_and_storage() -> None:
    teams = "(create teams (1, 3) (2, 4))"
    text = program(
        "(do ((all team 'T (inc ('T sto N) (size 'T))) (all (2 team) 'P (inc ('P sto N) (pid 'P)))))",
        "(+ ((team (current player)) sto N) ((current player) sto N))",
        players=4,
        setup=teams,
    )
    assert outcome(text) == [2, 4, 2, 6]
