"""What a beginner writes, and what he is told: the part that is missing, the form that is right, and always the line."""

import pytest

from meldlab.recycle.language.checker import check
from meldlab.recycle.language.diagnostics import ProgramError
from meldlab.recycle.language.parser import parse

SETUP = "(setup (create players 2) (create deck (game iloc S) (deck (RANK (A, B)))))"
DO = "(do ((turn pass)))"
SCORING = "(scoring max 1)"


def told(text: str) -> tuple[str, str, str]:
    """Return code and message of the error, and the token at its offset."""
    with pytest.raises(ProgramError) as caught:
        parse(text)
    diagnostic = caught.value.diagnostic
    return diagnostic.code, diagnostic.message, text[diagnostic.offset :].split()[0] if diagnostic.offset < len(text) else ""


@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        (f"(game {SETUP} (stage player (choice ((turn pass)))) {SCORING})", "E008", "(end ..) is missing"),
        (f"(game {SETUP} (stage player {DO}) {SCORING})", "E008", "(end ..) is missing"),
        (f"(game {SETUP} (stage player) {SCORING})", "E008", "(end ..) is missing"),
        (f"(game {SETUP} (stage player (end (== 1 1))) {SCORING})", "E008", "a stage has nothing in it"),
        (f"(game {SETUP} (stage player once) {SCORING})", "E008", "a stage has nothing in it"),
        (f"(game {SETUP} (stage (end (== 1 1)) {DO}) {SCORING})", "E008", "player or team is missing"),
        (f"(game {SETUP} {DO})", "E008", "(scoring ..) is missing"),
        (f"(game {SETUP} {DO}) {SCORING})", "E008", "this closes the game before its (scoring ..)"),
        (f"(game {SETUP} {SCORING})", "E008", "nothing happens in this game"),
        (f"(game {SETUP} {DO} (scoring 1))", "E008", "max or min is missing"),
        (f"(game {DO} {SCORING})", "E008", "(setup ..) is missing"),
        ("(game)", "E008", "(setup ..) is missing"),
        (f"(game (setup (create players 2)) {DO} {SCORING})", "E008", "a deck is missing"),
        (f"(game (setup (create deck (game iloc S) (deck (R (A))))) {DO} {SCORING})", "E008", "(create players NUMBER) is missing"),
        (f"(game (setup) {DO} {SCORING})", "E008", "(create players NUMBER) is missing"),
        (f"(game {SETUP} {DO} {SCORING} {DO})", "E003", "nothing follows (scoring ..)"),
        ("", "E004", "there is no program here"),
        (f"(game {SETUP} {DO}", "E004", "the text ends too early: 1 bracket open"),
    ],
)
def test_a_part_that_is_missing_is_named(text: str, code: str, says: str) -> None:
    found = told(text)
    assert found[0] == code
    assert found[1].startswith(says)


@pytest.mark.parametrize(
    ("item", "code", "says", "at"),
    [
        ("(shuffle (game iloc stock))", "E002", "names are capital letters: STOCK", "stock"),
        ("(set (game str X) yes)", "E002", "no word 'yes'; names are capital letters: YES", "yes"),
        ("(create deck (game iloc S) (deck (rank (A))))", "E002", "no word 'rank'; names are capital letters: RANK", "rank"),
        ("(set (game points P) (((RANK : ace) 1)))", "E002", "names are capital letters: ACE", "ace"),
        ("(shuffle (game ilok STOCK))", "E002", "no word 'ilok'; did you mean iloc?", "ilok"),
        ("(shufle (game iloc STOCK))", "E002", "no word 'shufle'; did you mean shuffle, or the name SHUFLE?", "shufle"),
        ("(all player 'p (turn pass))", "E002", "variables are capital letters: 'P", "p"),
        ("; comment\n(turn pass)", "E001", "comments begin with ;;", ";"),
        ("((= 1 1) (turn pass))", "E001", "equal is written ==", "="),
        ("((! (== 1 1)) (turn pass))", "E001", "unequal is written !=, and not (not TEST)", "!"),
        ("((== (COLOUR of 'C) RED) (turn pass))", "E002", "no word 'of': an attribute of a card is (cardatt COLOUR CARD)", "of"),
        ("(if (== 1 1) (turn pass))", "E002", "no word 'if': a condition is (TEST ITEM), with no word before it", "if"),
        ("(set (game sto X) -3)", "E003", "a negative number is a difference: (- 0 3)", "-3"),
        ("(set (game sto MY_SCORE) 3)", "E001", "names are capital letters only, without _: MYSCORE", "_SCORE"),
        ("(set (game sto X) 1.5)", "E001", "there are no decimals; a range is FIRST .. LAST", ".5"),
        ("(set (game sto X) (/ 3 2))", "E001", "division is written //", "/"),
        ('(set (game str X) "YES")', "E001", "names and words stand without quotes, in capital letters", '"YES"'),
        ("(set (game sto PLAYERA1) 3)", "E003", "names are capital letters only, without digits: PLAYERA", "1"),
        ("(create deck (game iloc S) (deck (RANK (1, 2, 3))))", "E003", "expected a name in capital letters: ONE, TWO, not 1, 2", "1,"),
        ("((== 1 1) (turn pass) (turn pass))", "E003", "a condition does one thing, (TEST ITEM)", "(turn"),
        ("(((game sto X) == 3) (turn pass))", "E003", "the operator comes first: (== A B)", "=="),
        ("((A == B) (turn pass))", "E003", "the operator comes first: (== A B)", "=="),
        ("((('A and 'B)) (turn pass))", "E003", "the operator comes first: (and A B)", "and"),
        ("(inc (game sto X) ((game sto Y) - 1))", "E003", "the operator comes first: (- A B)", "-"),
        ("(inc (game sto X) (6 // 2))", "E003", "the operator comes first: (// A B); comments begin with ;;", "//"),
        ("(inc (game sto X) (// 6 two))", "E002", "no word 'two'", "two"),
        ("(turn pass) // the bidding", "E002", "comments begin with ;;", "// the"),
        ("\n// Alice's turn\n(turn pass)", "E002", "comments begin with ;;", "// Alice"),
        ("\n// DEAL\n(turn pass)", "E003", "comments begin with ;;", "// DEAL"),
        ("(turn pass) // 3.5", "E001", "comments begin with ;;", "// 3.5"),
    ],
)
def test_the_form_that_is_right_is_given(item: str, code: str, says: str, at: str) -> None:
    found = told(f"(game {SETUP} (do ({item})) {SCORING})")
    assert found[0] == code
    assert found[1].startswith(says)
    assert found[2].startswith(at.split()[0])


@pytest.mark.parametrize(
    ("phase", "says"),
    [
        ("(do (turn pass))", "the items of do stand in a bracket of their own: (do ((turn ..) ..))"),
        ("(choice (turn pass))", "the items of choice stand in a bracket of their own"),
        ("(do turn pass)", "the items of do stand in a bracket of their own"),
        ("(do ((turn pass)) (turn pass))", "do has one bracket with all its items"),
        ("(turn pass)", "turn stands in a do or a choice: (do ((turn ..)))"),
        ("((== 1 1) (turn pass))", "a condition stands in a do or a choice"),
        ("(stage player end (== 1 1) (do ((turn pass))))", "the end of a stage stands in brackets: (end TEST)"),
    ],
)
def test_brackets_are_explained(phase: str, says: str) -> None:
    code, problem, _ = told(f"(game {SETUP} {phase} {SCORING})")
    assert code == "E003"
    assert problem.startswith(says)


@pytest.mark.parametrize(("text", "line"), [("(game)", 1), ("(game\n(do", 2), (";; one\n;; two\n(game =)", 3)])
def test_the_line_is_always_told(text: str, line: int) -> None:
    with pytest.raises(ProgramError) as caught:
        check(text)
    assert str(caught.value).startswith(f"line {line}: ")
