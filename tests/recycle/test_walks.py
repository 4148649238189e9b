"""Walks that are one instruction, and values taken out of a loop, give what the plain loop gives."""

import pytest

from meldlab.recycle.language.limits import Limits
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine.machine import Machine

LIMITS = Limits(lists=1000, options=100)
# A program that sorts anything may change any list while it is walked: nothing is taken together there.
SORTS = "(do ((repeat 0 (move (top (sort (game vloc OTHER) using (game points P))) (top (game vloc OTHER))))))"
NUMBERS = {
    "(size (filter (game iloc S) 'C (== (cardatt A 'C) X)))": "FILTER_ATTRIBUTE",
    "(size (filter (game iloc S) 'C (!= Y (cardatt A 'C))))": "FILTER_ATTRIBUTE",
    "(size (filter (game mem M) 'C (== (cardatt A 'C) (cardatt A (bottom (game iloc S))))))": "FILTER_ATTRIBUTE",
    "(size (filter (filter (game iloc S) 'C (== (cardatt B 'C) I)) 'C (== (cardatt A 'C) X)))": "FILTER_ATTRIBUTE",
    "(size (filter (game vloc EMPTY) 'C (== (cardatt A 'C) (cardatt A (top (game vloc EMPTY))))))": "FILTER_ATTRIBUTE",
    "(size (filter (game iloc S) 'C (> (score 'C using (game points P)) 11)))": "FILTER_SCORE",
    "(size (filter (game iloc S) 'C (<= (game sto LEAST) (score 'C using (game points P)))))": "FILTER_SCORE",
    "(size (filter (partition A (game iloc S)) 'G (>= (size 'G) 3)))": "FILTER_SIZE",
    "(size (filter (partition A (game iloc S)) 'G (< (size 'G) 3)))": "FILTER_SIZE",
    "(size (filter (all player 'P ('P iloc HAND)) 'H (<= (size 'H) 1)))": "FILTER_SIZE",  # empty ones are left out all the same
    "(size (filter (subsets (game iloc S) == 2) 'G (== (sum 'G using (game points P)) 11)))": "FILTER_SUM",
    "(size (filter (all player 'P ('P iloc HAND)) 'H (>= 100 (sum 'H using (game points P)))))": "FILTER_SUM",
    "(size (union (all player 'P ('P iloc HAND))))": "SIZES",
    "(size (union (game iloc S) (game mem M)))": "SIZES",
    "(sum (union (all player 'P ('P iloc HAND))) using (game points P))": "EACH_LOCATION",
    "(size (filter (game iloc S) 'C (== (score 'C using (game points P)) (+ 1 (game sto LEAST)))))": "NEXT_CARD",
    "(all player 'P ('P sto N))": "NEXT",
}
TRUTHS = {
    "(any (game iloc S) 'C (== (cardatt A 'C) X))": "JANY_ATTRIBUTE",
    "(any (game mem M) 'C (== (cardatt A 'C) Z))": "JANY_ATTRIBUTE",
    "(all (game iloc S) 'C (!= (cardatt A 'C) X))": "JANY_ATTRIBUTE",
    "(all (game iloc S) 'C (!= (cardatt B 'C) Q))": "JANY_ATTRIBUTE",
    "(any player 'P (== (size ('P iloc HAND)) 0))": "JANY_SIZE",
    "(all player 'P (> (size ('P iloc HAND)) 0))": "JANY_SIZE",
    "(all player 'P (<= (size ('P iloc HAND)) 2))": "JANY_SIZE",
    "(any player 'P (== ('P sto N) 7))": "JANY_CELL",
    "(all player 'P (< ('P sto N) 7))": "JANY_CELL",
    "(== ((3 player) sto N) 7)": "JCELL",
    "(> 8 ((2 player) sto N))": "JCELL",
    "(< (score (top (game iloc S)) using (game points P)) 22)": "SCORE",
    "(<= (+ 1 (game sto LEAST)) (score (bottom (game iloc S)) using (game points P)))": "SCORE",
    "(any (game mem M) 'C (== 'C (top (game iloc S))))": "NEXT_REFERENCE",
    "(any (game iloc S) 'C (== (score 'C using (game points P)) (game sto LEAST)))": "NEXT_CARD",
    "(== (size ((2 player) iloc HAND)) 2)": "JSIZE_AT",
    "(< 5 (size (filter (game iloc S) 'C (== (cardatt A 'C) X))))": "JSIZE",
    "(== X (cardatt A (top (game iloc S))))": "JATTRIBUTE",
}


def program_text(number: str, truth: str, more: str) -> str:
    return f"""(game (setup (create players 3) (create deck (game iloc S) (deck (A (X, Y, Z)) (B (I, J, K)))))
     (do ((set (game points P) (((A : X) 1) ((A : Y) 2) ((B : J) 10) ((B : K) 20))) (set (game sto LEAST) 11)
      (move (top (game iloc S)) (top ((2 player) iloc HAND))) (move (bottom (game iloc S)) (top ((2 player) iloc HAND)))
      (move (2 (game iloc S)) (top ((3 player) iloc HAND))) (set ((3 player) sto N) 7)
      (remember (1 (game iloc S)) (top (game mem M))) (remember (top (game iloc S)) (top (game mem M)))
      ({truth} (inc (game sto T) 100)) ((not {truth}) (inc (game sto T) 1000)) ((or (== 1 2) {truth}) (inc (game sto T) 10000))))
     {more} (scoring max (+ (game sto T) {number})))"""


@pytest.mark.parametrize(
    ("number", "truth", "instruction"),
    [(number, "(== 1 1)", name) for number, name in NUMBERS.items()] + [("0", truth, name) for truth, name in TRUTHS.items()],
)
def test_a_walk_gives_what_the_plain_loop_gives(number: str, truth: str, instruction: str) -> None:
    short, plain = (Machine.compile(program_text(number, truth, more), limits=LIMITS) for more in ("", SORTS))
    assert short.start(seed=1).scores == plain.start(seed=1).scores
    operations = [{k.NAMES[op] for op in machine.compiled.code[:: k.STRIDE]} for machine in (short, plain)]
    assert instruction in operations[0]
    assert "FILTER_ATTRIBUTE" not in operations[1]


def test_lists_are_dropped_once_and_marked_only_for_that() -> None:
    text = """(game (setup (create players 2) (create deck (game iloc S) (deck (A (X, Y)))))
     (stage player (end (== (size (game iloc S)) 0))
      (choice ((any (game iloc S) 'C (move 'C (top ((current player) iloc HAND)))))))
     (scoring max 1))"""
    operations = [k.NAMES[op] for op in Machine.compile(text, limits=LIMITS).compiled.code[:: k.STRIDE]]
    assert " ".join(operations) == (
        "HALT PUSH STEP JEQ CHOICE ALTERNATIVE SNAPSHOT ADDRESS ANY_LAST MOVE_LAST LEAF STEP JEQ NEXT_TURN POP HALT COPY SCORED"
    )


@pytest.mark.parametrize("least", [0, 60, 120, 126, -3, 1000])
def test_runs_are_found_however_large_the_scores_are(least: int) -> None:
    awards = " ".join(f"((A : {name}) (- {least + 3 + step} 3))" for name, step in zip("UVWXY", (0, 1, 2, 4, 5), strict=True))
    counts = " ".join(
        f"(inc (game sto T) (* {weight} (size (runs all {length} (game iloc S) using (game points P)))))"
        for weight, length in ((1, 2), (10, 3), (100, 4))
    )
    text = f"""(game (setup (create players 1) (create deck (game iloc S) (deck (A (U, V, W, X, Y)))))
     (do ((set (game points P) ({awards})) {counts})) (scoring max (game sto T)))"""
    # Pairs UV, VW and XY and the one run UVW; nothing is longer.
    assert Machine.compile(text, limits=LIMITS).start(seed=1).scores == (14,)


def test_a_location_is_found_again_where_another_player_has_become_current() -> None:
    text = """(game (setup (create players 2) (create deck (game iloc S) (deck (A (X, Y, Z)))))
     (do ((move (top (game iloc S)) (top ((current player) iloc HAND))) (move (top (game iloc S)) (top ((current player) iloc HAND)))
      (cycle current (2 player)) (move (top (game iloc S)) (top ((current player) iloc HAND)))))
     (scoring max (size ((current player) iloc HAND))))"""
    assert Machine.compile(text, limits=LIMITS).start(seed=1).scores == (2, 1)


def test_cards_that_are_only_moved_are_options_all_at_once() -> None:
    text = """(game (setup (create players 2) (create deck (game iloc S) (deck (A (X, Y, Z)))))
     (stage player (end (== (size (game iloc S)) 0))
      (choice ((do ((inc ((current player) sto N)) (any (game iloc S) 'C (move 'C (bottom ((current player) iloc HAND)))))))))
     (scoring max (+ ((current player) sto N) (size ((current player) iloc HAND)))))"""
    machine = Machine.compile(text, limits=LIMITS)
    assert "ANY_LAST" in [k.NAMES[op] for op in machine.compiled.code[:: k.STRIDE]]
    assert machine.perft(seed=1, depth=4) == [(1, 0), (3, 0), (6, 0), (6, 6), (0, 0)]
    played = machine.random_games(games=20, seed=1)
    assert played.options.tolist() == [6] * 20
    assert played.scores.tolist() == [[4, 2]] * 20
