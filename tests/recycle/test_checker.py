"""Diagnostics of the checker: each code once, at its place."""

import pytest

from meldlab.recycle import library
from meldlab.recycle.language.checker import check
from meldlab.recycle.language.diagnostics import Diagnostic
from meldlab.recycle.machine.machine import Machine

SETUP = "(setup (create players 2) (create deck (game iloc S) (deck (RANK (A, B)))))"


def codes(phases: str, setup: str = SETUP, declares: str = "", score: str = "(size (game iloc S))") -> set[str]:
    return {diagnostic.code for diagnostic in check(f"(game {declares} {setup} {phases} (scoring max {score}))").diagnostics}


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


@pytest.mark.parametrize(
    ("deal", "plays", "problem"),
    [
        ("HADN", 3, "iloc HADN occurs once, iloc HAND 3 times but nothing is ever put into it; did you mean iloc HAND?"),
        ("HADN", 1, "nothing is ever put into iloc HAND; did you mean iloc HADN?"),
    ],
)
def test_the_rarer_of_two_near_names_is_the_suspect(deal: str, plays: int, problem: str) -> None:
    play = "(shuffle ((1 player) iloc HAND))"
    text = f"(game {SETUP} (do ((move (top (game iloc S)) (top ((1 player) iloc {deal}))) {play * plays})) (scoring max 1))"
    [diagnostic] = check(text).diagnostics
    assert (diagnostic.code, diagnostic.message) == ("W105", problem)
    suspect = problem.split(" occurs")[0] if "occurs" in problem else "iloc HAND"
    assert text[diagnostic.offset :].startswith(f"((1 player) {suspect})")


def test_a_misspelt_cell_is_reported_once() -> None:
    text = f"(game {SETUP} (do ((set (game sto SCOER) 1))) (scoring max (+ (game sto SCORE) (game sto SCORE))))"
    [diagnostic] = check(text).diagnostics
    assert diagnostic.code == "W105"
    assert diagnostic.message.startswith("sto SCOER occurs once, sto SCORE 2 times")


def test_a_deck_made_in_a_choice_is_accepted_and_its_cards_are_taken_back() -> None:
    deck = "(create deck (game vloc NEW) (deck (RANK (C, D))))"
    text = f"(game {SETUP} (choice ((turn pass) {deck})) (scoring max (size (game vloc NEW))))"
    assert check(text).diagnostics == ()
    position = Machine.compile(text).start(seed=1)
    assert len(position.options) == 2
    assert [position.take(option).scores for option in (0, 1)] == [(0, 0), (2, 2)]


def test_a_machine_is_made_without_the_linter(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def lint(program: object) -> list[Diagnostic]:
        asked.append(program)
        return []

    monkeypatch.setattr("meldlab.recycle.language.checker.lint", lint)
    text = library.entry("kuhn_poker").text
    Machine.compile(text)
    assert not asked
    assert check(text).diagnostics == ()
    assert len(asked) == 1
