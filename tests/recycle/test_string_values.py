"""Warnings about attributes that no deck has, and strings that never occur."""

import re
import time

import pytest

from meldlab.recycle import library
from meldlab.recycle.language.checker import check
from meldlab.recycle.language.lexer import MAX_CHARACTERS
from meldlab.recycle.language.parser import parse
from meldlab.recycle.language.string_values import impossible_values
from tests.recycle.hostile import names

SETUP = (
    "(setup (create players 2) (create deck (game iloc S)"
    " (deck (COLOUR (RED (SUIT (HEARTS, DIAMONDS))) (BLACK (SUIT (CLUBS, SPADES)))) (RANK (ACE, TWO)))))"
)
SECONDS = 10.0  # of CPU; below 1 on an idle core
SUIT = "(cardatt SUIT (top (game iloc S)))"


def warnings(actions: str) -> list[tuple[str, str, str]]:
    """Return code, message and the word at the offset of each W111 and W112."""
    text = f"(game {SETUP} (do ({actions})) (scoring max 1))"
    found = [diagnostic for diagnostic in check(text).diagnostics if diagnostic.code in ("W111", "W112")]
    return [(diagnostic.code, diagnostic.message, re.split(r"[ ()]", text[diagnostic.offset :])[0]) for diagnostic in found]


@pytest.mark.parametrize("name", library.names())
def test_string_values_accept_the_library(name: str) -> None:
    assert check(library.entry(name).text).diagnostics == ()


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ("((== (cardatt SIUT (top (game iloc S))) CLUBS) (turn pass))", "no deck has an attribute SIUT; did you mean SUIT?"),
        ("(all (partition CLOUR (game iloc S)) 'L (shuffle 'L))", "no deck has an attribute CLOUR; did you mean COLOUR?"),
        ("(set (game points P) (((RANG : ACE) 1) ((RANK : TWO) 2)))", "no deck has an attribute RANG; did you mean RANK?"),
    ],
)
def test_unknown_attribute_is_reported(actions: str, message: str) -> None:
    assert [(code, said) for code, said, _ in warnings(actions) if code == "W111"] == [("W111", message)]


@pytest.mark.parametrize(
    ("actions", "message", "word"),
    [
        (f"((== {SUIT} HARTS) (turn pass))", "SUIT of a card is never HARTS; did you mean HEARTS?", "HARTS"),
        (f"((!= CLUB {SUIT}) (turn pass))", "SUIT of a card is never CLUB; did you mean CLUBS?", "CLUB"),
        (f"((== {SUIT} HARTS) (turn pass)) ((== {SUIT} HARTS) (turn pass))",
         "SUIT of a card is never HARTS; did you mean HEARTS? (2 times)", "HARTS"),
        ("((== (cardatt COLOUR (top (game iloc S))) WHITE) (turn pass))", "COLOUR of a card is never WHITE", "WHITE"),
        ("(set (game points P) (((RANK : AEC) 1)))", "RANK of a card is never AEC; did you mean ACE?", "AEC"),
        ("(set (game points P) (((RANK : KING) 1) ((RANK : ACE) 2)))", "RANK of a card is never KING", "KING"),
        ("(let HEARTS 'H (set (game str LEAD) 'H)) ((== (game str LEAD) HARTS) (turn pass))",
         "str LEAD is never HARTS; did you mean HEARTS?", "HARTS"),
        (f"(set (game str A) {SUIT}) (set (game str B) (game str A)) (set (game str A) (game str B)) ((== (game str B) CLUB) (turn pass))",
         "str B is never CLUB; did you mean CLUBS?", "CLUB"),
        ("(all (ONE, TWO) 'N ((== 'N TOW) (turn pass)))", "'N is never TOW; did you mean TWO?", "TOW"),
    ],
)  # fmt: skip
def test_impossible_value_is_reported(actions: str, message: str, word: str) -> None:
    assert warnings(actions) == [("W112", message, word)]


@pytest.mark.parametrize(
    "actions",
    [
        "(set (game points P) (((SUIT : NONE) 0)))",  # clears the map
        f"(set (game str A) {SUIT}) (set (game str B) (game str A)) ((== (game str B) CLUBS) (turn pass))",
        f"(set (game str A) NONE) (set (game str B) (game str A)) ((== {SUIT} (game str B)) (turn pass))",
        f"(set (game str {SUIT}) X) ((== (game str HEARTS) X) (turn pass))",
        "(set (game str A) X) (set (game str B) A) (set (game str (game str B)) Y) ((== (game str A) Y) (turn pass))",
        f"(all (HEARTS, JOKER) 'N ((== {SUIT} 'N) (turn pass)))",
        "(all player 'P (set ('P str SAYS) BET)) ((== ((1 player) str SAYS) BET) (turn pass))",
        "((== A B) (turn pass))",
    ],
)
def test_possible_value_is_not_reported(actions: str) -> None:
    assert warnings(actions) == []


@pytest.mark.parametrize(
    ("typo", "right"), [("HARTS", "HEARTS"), ("QEEN", "QUEEN"), ("SPAEDS", "SPADES"), ("SIUT", "SUIT"), ("RNAK", "RANK"), ("CLUB", "CLUBS")]
)
def test_misspelt_word_in_hearts_is_found_wherever_it_stands(typo: str, right: str) -> None:
    text = library.entry("hearts").text
    code = re.sub(r";;[^\n]*", lambda comment: " " * len(comment[0]), text)
    uses = [match.start() for match in re.finditer(rf"(?<=[ (])(?<!str ){right}\b", code)]
    assert len(uses) > 1
    for start in uses:
        diagnostics = check(text[:start] + typo + text[start + len(right) :]).diagnostics
        assert any(word in diagnostic.message for diagnostic in diagnostics for word in (typo, right)), start


@pytest.mark.parametrize(
    "piece",
    [
        "(set (game str #) (game str X#))",
        "(all 'L 'N (all 'L 'M (set (game str 'N) (game str 'M))))",
        "((== (game str 'K) #) (turn pass))",
        "(all 'L 'N ((== (game str 'N) #) (turn pass)))",
    ],
)
def test_string_values_take_bounded_time(piece: str) -> None:
    listed = names(6000)
    actions = " ".join(piece.replace("#", name) for name in names((MAX_CHARACTERS - 31_000) // len(piece)))
    program = parse(f"(game (declare ({','.join(listed)}) 'L) (declare KKK 'K) {SETUP} (do ({actions})) (scoring max 1))")
    start = time.process_time()
    impossible_values(program)
    assert time.process_time() - start < SECONDS
