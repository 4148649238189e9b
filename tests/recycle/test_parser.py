"""Reading: every lexical oddity of the language, and what a mistake looks like."""

from typing import Any

import pytest

from meldlab.errors import BadText, NoSuchThing
from meldlab.recycle import library
from meldlab.recycle.language import syntax as s
from meldlab.recycle.language.diagnostics import Diagnostic
from meldlab.recycle.language.formatter import format_program
from meldlab.recycle.language.parser import parse, parse_expression

SMALL = """\ufeff;; a comment ) with ' brackets
(game (declare 1 0 'N)
 (setup (create players 2) (create deck (game iloc S T) (deck (RANK (A, B)))))
 (do ((move (top(game iloc ST))(top('P vloc A))))) ;; (unfinished
 (scoring min 1)))"""


def test_a_surplus_bracket_and_glued_words_are_read_with_a_warning() -> None:
    warnings: list[Diagnostic] = []
    program = parse(SMALL, warnings=warnings)
    assert program.declares[0].value == s.Number(10)
    assert [diagnostic.code for diagnostic in warnings] == ["W001", "W001", "W002"]
    assert parse(format_program(program)) == program


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("(+ 1 2)", [1, 2]), ("(+ 12 34)", [12, 34]), ("(- 1 0 2)", [10, 2]), ("(+ 1 2 3)", [1, 2, 3]), ("(== 1 0 1 0)", [101, 0])],
)
def test_operands_stay_apart_and_other_numbers_are_glued(text: str, numbers: list[int]) -> None:
    node: Any = parse_expression(text)
    parts: Any = node.parts if isinstance(node, s.Arithmetic) else (node.left, node.right)
    assert [part.value for part in parts] == numbers


@pytest.mark.parametrize(
    ("text", "problem", "at"),
    [
        ("(top (game vlok A))", "did you mean vloc", 11),
        ("(size 'X", "ends too early", 8),
        ("(size #)", "no word begins with '#'", 6),
        ("(size ')", "a variable is '", 6),
        ("(random 2 'X)", r"expected \), \.\.\)", 10),
        ("(range 2 'X)", r"expected \.\.\)", 9),
        ("(" * 10_000, "brackets more than 100 deep", 100),
        ("(top " * 101, "brackets more than 100 deep", 500),
    ],
)
def test_mistakes_are_named_and_placed(text: str, problem: str, at: int) -> None:
    with pytest.raises(BadText, match=problem) as caught:
        parse_expression(text)
    assert caught.value.offset == at


def test_the_end_of_a_stage_is_asked_for_by_its_word() -> None:
    with pytest.raises(BadText, match=r"\(end \.\.\) is missing"):
        parse("(game (setup (create players 1) (create deck (game iloc S) (deck (A (X))))) (stage player ('X (do ((turn pass)))))")


def test_a_dialect_that_nobody_speaks_is_named() -> None:
    with pytest.raises(NoSuchThing, match=r"no dialect '7' \(use 0.6, 0.5\)"):
        parse(library.entry("kuhn_poker").text, "7")
