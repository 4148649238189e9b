"""What the checker finds: each code once, at its place, and nothing in the library."""

import pytest

from meldlab.recycle import library
from meldlab.recycle.language.checker import check
from meldlab.recycle.language.findings import Finding
from meldlab.recycle.machine.machine import Machine

SETUP = "(setup (create players 2) (create deck (game iloc S) (deck (RANK (A, B)))))"


def codes(phases: str, setup: str = SETUP, declares: str = "", score: str = "(size (game iloc S))") -> set[str]:
    return {finding.code for finding in check(f"(game {declares} {setup} {phases} (scoring max {score}))").findings}


@pytest.mark.parametrize(
    ("phases", "code"),
    [
        ("(do ((move 'C (top (game vloc T)))))", "E101"),
        ("(do ((move (game iloc S) (top (game vloc T)))))", "E102"),
        ("(do ((set (game sto X) A)))", "E102"),
        ("(do ((inc (game str X))))", "E102"),
        ("(do (((size (game iloc S)) (turn pass))))", "E102"),
        ("(do ((shuffle (top (game iloc S)))))", "E102"),
        ("(do (((== 1 A) (turn pass))))", "E103"),
        ("(do ((let (top (game iloc S)) 'C (turn pass))))", "E104"),
        ("(do ((let (current player) 'C (turn pass))))", "E104"),
        ("(do ((let (== 1 1) 'B ('B (turn pass)))))", "E105"),
        ("(do ((move (top (game iloc S)) (top (game mem M)))))", "E106"),
        ("(do ((move (top (game iloc S)) (top (union (game vloc A) (game vloc B))))))", "E106"),
        ("(do ((let (game vloc A) 'T (move (top (game iloc S)) 'T))))", "E106"),
        ("(do ((remember (top (game iloc S)) (top (game vloc M)))))", "E106"),
        ("(do ((forget (top (game iloc S)))))", "E106"),
        ("(do ((move (top (game mem M)) (top (game iloc S)))))", "E107"),
        ("(do ((create teams (1,1))))", "E110"),
        ("(do ((create teams (1,3))))", "E110"),
        ("(choice ((create teams (1) (2))))", "E111"),
        ("(do ((set (game sto X) 2147483648)))", "E113"),
        ("(do ((cycle next current)))", "E005"),
        ("(all player 'P (all player 'P (inc ('P sto X))))", "W101"),
        ("(all player 'P (turn pass))", "W102"),
        ("(do (((> (game sto X) 1) (turn pass))))", "W103"),
        ("(do ((set (game sto X) 1)))", "W104"),
        ("(do ((move (top (game iloc SS)) (top (game iloc S)))))", "W105"),
        ("(do ((move (top (game vloc S)) (top (game iloc S)))))", "W105"),
        ("(do ((any (game iloc S) 'C (move 'C (bottom (game iloc S))))))", "W106"),
        ("(choice ((any (filter (game iloc S) 'C (== (cardatt RANK 'C) C)) 'D (move 'D (bottom (game iloc S))))))", "W107"),
        ("(do (((== 1 2) (turn pass))))", "W108"),
        ("(stage player (end (== 1 1)) (do ((turn pass))))", "W108"),
        ("(stage player (end (== 1 2)) (choice ((turn pass)))) (do ((turn pass)))", "W108"),
        ("(do ((all (range 3 .. 1) 'N (inc (game sto N) 'N))))", "W108"),
        ("(do ((shuffle (filter (game iloc S) 'C (== (cardatt RANK 'C) A)))))", "W109"),
        ("(do ((repeat 3 (inc (game sto X)))))", "W110"),
    ],
)
def test_each_mistake_has_its_code(phases: str, code: str) -> None:
    assert code in codes(phases)


def test_a_set_up_is_fixed_before_the_game() -> None:
    deck = "(create deck (game iloc S) (deck (RANK (A, B))))"
    assert "E109" in codes("(do ((turn pass)))", setup=f"(setup (create players (game sto N)) {deck})")
    assert "E112" in codes("(do ((turn pass)))", setup=f"(setup (create players 0) {deck})")
    assert "E109" in codes("(do ((turn pass)))", declares="(declare (random 3) 'N)", score="'N")
    fine = codes("(do ((turn pass)))", declares="(declare (+ 1 1) 'N)", setup=f"(setup (create players 'N) (repeat 'N {deck}))")
    assert not any(code.startswith("E") for code in fine)


@pytest.mark.parametrize("name", library.names())
def test_there_is_nothing_to_find_in_the_library(name: str) -> None:
    assert check(library.entry(name).text).findings == ()


def test_what_is_only_hardly_meant_is_looked_for_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def lint(program: object) -> list[Finding]:
        asked.append(program)
        return []

    monkeypatch.setattr("meldlab.recycle.language.checker.lint", lint)
    text = library.entry("kuhn_poker").text
    Machine.of(text)
    assert not asked
    assert check(text).findings == ()
    assert len(asked) == 1
