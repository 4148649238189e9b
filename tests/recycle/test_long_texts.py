"""Texts of the greatest length: reading, checking, linting and compiling take time in proportion to it, whatever is in them."""

import random
import time
from itertools import pairwise

import pytest

from meldlab.errors import BadText
from meldlab.recycle.language.checker import check
from meldlab.recycle.language.diagnostics import Diagnostic, ProgramError
from meldlab.recycle.language.formatter import format_program
from meldlab.recycle.language.lexer import MAX_CHARACTERS, tokenize
from meldlab.recycle.language.limits import Limits
from meldlab.recycle.language.parser import parse
from meldlab.recycle.machine.compiler import compile_program
from tests.recycle.hostile import CARDS, names

SECONDS = 2.0  # of CPU; at most 0.8 on a busy machine, and minutes where something is squared
DEPTH = 88  # constructs around one another; the limit is 100 brackets

SETUP = f"(setup (create players 2) {CARDS})"
END = "(scoring max 1))"


def filled(piece: str, before: str = f"(game {SETUP} (do ((turn pass) ", after: str = f")) {END}") -> str:
    """Repeat a piece, its # another name each time, until the text is as long as it may be."""
    many = (MAX_CHARACTERS - len(before) - len(after)) // (len(piece) + 2 * piece.count("#") + 1)
    numbered = names(many) if "#" in piece else [""] * many
    return before + " ".join(piece.replace("#", name) for name in numbered) + after


LOOPS = "".join(f"(all player '{name} (do (" for name in names(20))
CHOICE, DO = (f"(game {SETUP} (choice (", f")) {END}"), (f"(game {SETUP} (do (", f")) {END}")
NEXT = "(set (game sto X) (size ((next player) iloc H)))"
ANY = "(any (game iloc S) 'C (move 'C (top (game vloc T))))"


def nested(opening: str, inner: str) -> str:
    """Put constructs around a text, the # of each another name."""
    return "".join(opening.replace("#", name) for name in names(DEPTH)) + inner + ")" * DEPTH


def inside(opening: str, piece: str, around: tuple[str, str]) -> str:
    """Repeat a piece inside many constructs until the text is as long as it may be."""
    before, after = nested(opening, "(do (|))").split("|")
    return filled(piece, around[0] + before, after + around[1])


def near_names(piece: str, length: int, before: str, after: str) -> str:
    """Fill a text with pieces, the # of each a random name of two letters."""
    rng = random.Random(1)
    parts: list[str] = []
    while sum(map(len, parts)) + len(before) + len(after) + 2 * length + 2 * len(piece) < MAX_CHARACTERS:
        parts.append(piece.replace("#", "".join(rng.choices("AB", k=length))))
    return before + "".join(parts) + after


TESTS = nested("(any player '# ", "(and |)").split("|")
TEXTS = {
    "any items": filled(ANY, *CHOICE),
    "repeat items": filled(f"(repeat 2 {ANY})", *CHOICE),
    "cycle items": filled("(all player 'P (cycle next 'P))", *CHOICE),
    **{
        f"{piece[:20]} in {quantifier} in {around[0][-8:-2]}": inside(f"({quantifier} player '# ", piece, around)
        for quantifier in ("any", "all")
        for around in (CHOICE, DO)
        for piece in ("(inc (game sto X))", NEXT, "(forget (top (game mem M)))", "(cycle next (current player))")
    },
    "let": inside("(let (game iloc S) '# ", NEXT, DO),
    "let and any": inside("(let (game iloc S) '# ", f"(any player 'P {NEXT})", CHOICE),
    "memories": inside("(let (filter (game mem M) 'X# (== 1 1)) '# ", "(forget 'AAA)", DO),
    "conditions in conditions": inside("((== (game sto Y) 1) ", "(inc (game sto X))", DO),
    "tests": filled(
        "(== ((current player) sto X) (size ((current player) iloc H)))",
        f"{DO[0]}({TESTS[0]}",
        f"{TESTS[1]} (turn pass)){DO[1]}",
    ),
    "deep sums": filled(f"(inc (game sto X) {'(+ 1 ' * DEPTH}(game sto X){')' * DEPTH})", *DO),
    "lists in lists": filled("(game iloc S)", f"{DO[0]}(shuffle {'(union (game iloc S) ' * DEPTH}", f"{')' * (DEPTH + 1)}{DO[1]}"),
    "stages in stages": filled(
        "(stage player once (choice ((turn pass))))", f"(game {SETUP} {'(stage player once ' * DEPTH}", f"{')' * DEPTH}{END}"
    ),
    "many warnings": filled("(repeat 3 (inc (game sto X)))", *DO),
    "one long list used often": filled(
        "(inc (game sto X) (size 'LIST))", f"(game (declare ({', '.join(names(2000))}) 'LIST) {SETUP} (do (", DO[1]
    ),
    "near names": near_names("(set (game sto #) 1) (inc (game sto Y) (game sto A#))", 40, *DO),
    "long near names": near_names("(set (game sto #) 1) (inc (game sto Y) (game sto A#))", 190, *DO),
    "near variables": near_names("(let 1 '# (inc (game sto Y) 'A#))", 190, *DO),
    "names read and others written": filled("(set (game sto #) (game sto X#))"),
    "names never written": filled("(inc (game sto Y) (game sto #))"),
    "places never filled": filled("(shuffle (game vloc #))"),
    "variables that nothing binds": filled("(inc (game sto Y) '#)"),
    "declared and misspelt": filled("(declare 1 '#)", "(game ", SETUP + " (do (" + "(inc (game sto Y) 'ABX)" * 300 + f")) {END}"),
    "conditions": filled("((== (game sto X) (game sto #)) (turn pass))", f"(game {SETUP} (choice (", f")) {END}"),
    "stages without end": filled("(stage player (end (== 1 2)) (do ((turn pass))))", f"(game {SETUP} ", END),
    "stages": filled("(stage player once (choice ((turn pass))))", f"(game {SETUP} ", END),
    "one team": filled("1,", "(game (setup (create players 2) (create teams (", f"2)) {CARDS}) (do ((turn pass))) {END}"),
    "computed names": filled("(inc (game sto (game str #)))"),
    "names by attribute": filled("(inc (game sto (cardatt A (top (game vloc #)))))"),
    "names by variable": filled("(all (A, B) 'N (inc (game sto 'N)))"),
    "writes through a variable": filled(
        "(move (top (game iloc S)) (top 'L))",
        f"(game {SETUP} (do ((let {'(top 1 ' * 20}(game vloc T){')' * 20} 'L (do (",
        f"))))) {END}",
    ),
    "a declared list": filled(
        "(all 'LIST 'N (inc (game sto 'N)))", f"(game (declare ({', '.join(names(3000))}) 'LIST) {SETUP} (do (", f")) {END}"
    ),
    "awards": filled("((A : #) 1)", f"(game {SETUP} (do ((set (game points P) (", f")))) {END}"),
    "sums": filled("(game sto A)", f"(game {SETUP} (do ((set (game sto X) (+ ", f" (game sto X))))) {END}"),
    "deep": filled("(inc (game sto #))", f"(game {SETUP} {'(do (' * 30}", f"{'))' * 30} {END}"),
    "deep and computed": filled(
        "(inc (game sto A) (size (filter (game vloc #) 'C (== 1 1))))", f"(game {SETUP} {'(do (' * 30}", f"{'))' * 30} {END}"
    ),
    "one long name": filled("A", f"(game {SETUP} (do ((inc (game sto ", f")))) {END}"),
    "loops in loops": filled("(inc (game sto #))", f"(game {SETUP} (do ({LOOPS}", f"{')))' * 20})) {END}"),
}
UNREADABLE = {
    "brackets side by side": "()" * (MAX_CHARACTERS // 2),
    "brackets behind": "(game)" + ")" * (MAX_CHARACTERS - 6),
    "operators": "(+ 1 1" * (MAX_CHARACTERS // 6),
    "one long number": "(size " + "1 " * (MAX_CHARACTERS // 2 - 10) + ")",
    "letters apart": "(size " + "A " * (MAX_CHARACTERS // 2 - 10) + ")",
    "quotes": "'A " * (MAX_CHARACTERS // 3),
}


# Short texts in which every construct doubles what a walk through all combinations would see.
PAIRS = list(pairwise(names(46)))
DOUBLING = {
    "unions of unions": "".join(f"(let (union '{name} '{name}) '{new} " for name, new in PAIRS).replace("'AAA", "(game iloc S)")
    + f"(shuffle '{PAIRS[-1][1]})"
    + ")" * len(PAIRS),
    "members of one location": nested("(any (game iloc S) '# ", "(turn pass)"),
    "members that pass": nested("(any (filter (game iloc S) 'X# (== (cardatt A 'X#) B)) '# ", "(turn pass)"),
    "sums of sums": "".join(f"(let (+ '{name} '{name}) '{new} " for name, new in PAIRS).replace("'AAA", "1")
    + f"((== '{PAIRS[-1][1]} (game sto N)) (turn pass))"
    + ")" * len(PAIRS),
    "ranges in ranges": nested("(any (range 1 .. 64) '# ", "(turn pass)"),
}


def checked_and_compiled(text: str) -> float:
    """Return the CPU seconds that it takes to check, lint and compile a text, and to print all diagnostics."""
    start = time.process_time()
    checked = check(text)
    if not any(diagnostic.is_error for diagnostic in checked.diagnostics):
        compile_program(checked.program, Limits(), text)
    assert all("^" in str(diagnostic.error(text)) for diagnostic in checked.diagnostics)
    return time.process_time() - start


@pytest.mark.slow
@pytest.mark.parametrize("shape", TEXTS)
def test_a_long_program_is_checked_and_compiled_soon(shape: str) -> None:
    assert 0.8 * MAX_CHARACTERS < len(TEXTS[shape]) <= MAX_CHARACTERS
    assert checked_and_compiled(TEXTS[shape]) < SECONDS


@pytest.mark.parametrize("shape", DOUBLING)
def test_a_program_of_doubling_constructs_is_checked_and_compiled_soon(shape: str) -> None:
    assert checked_and_compiled(f"{CHOICE[0]}{DOUBLING[shape]}{CHOICE[1]}") < SECONDS


@pytest.mark.parametrize("shape", UNREADABLE)
def test_a_long_text_that_is_no_program_is_refused_soon(shape: str) -> None:
    text = UNREADABLE[shape]
    assert 0.8 * MAX_CHARACTERS < len(text) <= MAX_CHARACTERS
    start = time.process_time()
    with pytest.raises(ProgramError) as problem:
        check(text)
    assert len(str(problem.value).splitlines()) <= 3
    assert time.process_time() - start < SECONDS


def test_a_longer_text_is_refused_in_one_line() -> None:
    with pytest.raises(ProgramError) as problem:
        check(TEXTS["sums"] + " " * MAX_CHARACTERS)
    assert problem.value.diagnostic.code == "E007"
    assert "at most 50,000" in problem.value.problem


@pytest.mark.parametrize(
    ("number", "value"),
    [("0", 0), ("00", 0), ("007", 7), ("0" * 13 + "12", 12), ("0" * 5000 + "5", 5), ("2147483647", 2147483647)],
)
def test_leading_zeros_change_no_number(number: str, value: int) -> None:
    text = f"(game (setup (create players 2) {CARDS}) (do ((set (game sto X) {number}))) (scoring max (game sto X)))"
    program = parse(text)
    assert program == parse(text.replace(number, str(value)))
    assert parse(format_program(program, text)) == program
    assert not [diagnostic for diagnostic in check(text).diagnostics if diagnostic.is_error]


@pytest.mark.parametrize("number", ["2147483648", "999999999999", "1234567890123", "9" * 5000])
def test_a_number_beyond_32_bits_is_refused_never_cut(number: str) -> None:
    text = f"(game (setup (create players 2) {CARDS}) (do ((set (game sto X) {number}))) (scoring max (game sto X)))"
    with pytest.raises(BadText, match="E113"):
        check(text).raise_errors()
    if len(number) > 12:
        with pytest.raises(BadText, match="E113"):
            parse(text)
    else:
        assert number in format_program(parse(text), text)


def test_what_is_glued_is_told_once() -> None:
    heard: list[Diagnostic] = []
    assert [word.text for word in tokenize("(top ('P iloc A B C))", heard)][-3:] == ["ABC", ")", ")"]
    assert [(diagnostic.code, diagnostic.message) for diagnostic in heard] == [("W001", "read as one name, ABC")]


def test_a_deck_beyond_counting_is_refused() -> None:
    deck = "(create deck (game iloc S) (deck " + "".join(f"({key} (A, B, C, D, E, F, G, H))" for key in names(1000)) + "))"
    with pytest.raises(BadText, match="E112"):
        check(f"(game (setup (create players 2) {deck}) (do ((turn pass))) (scoring max 1))").raise_errors()
