"""The tree: every construct is read by the rule of its name and written by its form."""

import random
import re
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from meldlab.recycle import library
from meldlab.recycle.language import syntax as s
from meldlab.recycle.language.formatter import format_program, to_text
from meldlab.recycle.language.parser import parse, parse_expression
from meldlab.recycle.language.tree import walk
from tests.recycle.programs import Author

CONSTRUCTS = [value for value in vars(s).values() if isinstance(value, type) and issubclass(value, s.Node) and hasattr(value, "form")]


@pytest.mark.parametrize("construct", CONSTRUCTS, ids=lambda construct: construct.__name__)
def test_a_form_has_the_fields_of_its_construct_in_their_order(construct: type[s.Node]) -> None:
    own = [part.name for part in fields(construct) if not part.kw_only]
    written = re.findall(r"\{(\w+)", construct.form)
    # A leaf has nothing below it to write.
    assert written == (["value"] if construct is s.Leaf else own)


def values(node: Any) -> list[Any]:
    """Return all that is inside a tree and is no construct."""
    if isinstance(node, tuple):
        return [value for member in node for value in values(member)]
    if isinstance(node, s.Node):
        return [value for part in fields(node) if part.name != "cls" for value in values(getattr(node, part.name))]
    return [node]


@pytest.mark.parametrize("name", library.names())
def test_a_tree_is_made_of_constructs_and_plain_words(name: str) -> None:
    assert {type(value) for value in values(parse(library.entry(name).text))} <= {str, int, type(None)}


@pytest.mark.parametrize("name", library.names())
def test_a_construct_starts_where_it_stands_in_the_text(name: str) -> None:
    text = library.entry(name).text
    for node in walk(parse(text)):
        first = to_text(node)[0]
        assert text[node.offset] == first, node


def with_comments(text: str, seed: int) -> str:
    """Return the program with comments before some of its brackets."""
    dice = random.Random(seed)
    places = [found.start() for found in re.finditer(r"[()]", text)]
    for at in sorted(dice.sample(places, min(8, len(places))), reverse=True):
        text = f"{text[:at]} ;; remark {at}\n{text[at:]}"
    return text


@given(st.integers(0, 10**9))
@settings(deadline=None, max_examples=30)
def test_what_is_printed_is_read_as_the_same_tree(seed: int) -> None:
    text = with_comments(Author(seed).program(), seed)
    program = parse(text)
    assert parse(format_program(program)) == parse(to_text(program)) == program
    again = format_program(program, text)
    assert parse(again) == program
    assert sorted(re.findall(r";; remark \d+", again)) == sorted(re.findall(r";; remark \d+", text))
    assert format_program(parse(again)) == format_program(program)


@pytest.mark.parametrize("text", ["12", "HEARTS", "'C", "(HEARTS, SPADES)"])
def test_words_and_lists_of_strings_can_be_laid_out_alone(text: str) -> None:
    assert format_program(parse_expression(text)) == text + "\n"


def test_a_comment_stays_above_the_pair_or_the_strings_that_follow_it() -> None:
    program = """
(game
 (setup (create players 1) (create deck (game iloc S) (deck (RANK (A, B)))))
 (do
  ((set (game points P)
    ((
      ;; only aces
      (RANK : A)
      1)
     ((RANK : B) 2)))
   (all
    ;; both
    (A, B)
    'R
    (inc (game sto N)))))
 (scoring max 1))
"""
    assert format_program(parse(program), program).split() == program.split()
