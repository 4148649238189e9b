"""Mutated programs: each either runs or gives an error with a caret; nothing else ever comes out.

``MELDLAB_FUZZ=20000 pytest tests/recycle/test_fuzz.py`` is the size for a night.
"""

import os
import random

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from meldlab.errors import BadText
from meldlab.recycle import library
from meldlab.recycle.language.checker import check
from meldlab.recycle.language.formatter import format_program
from meldlab.recycle.language.lexer import KEYWORDS, without_comments
from meldlab.recycle.language.limits import Limits
from meldlab.recycle.language.parser import parse
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine.machine import Machine

EXAMPLES = int(os.environ.get("MELDLAB_FUZZ", "500"))
TIGHT = Limits(decisions=30, steps=200, work=200_000, cards=300, locations=60, memories=60, options=500, lists=20_000, awards=20)
TEXTS = {name: library.entry(name).text for name in library.names()}
EVERYTHING = settings(deadline=None, suppress_health_check=list(HealthCheck))
PIECES = [
    *sorted(KEYWORDS),
    "(",
    ")",
    "'C",
    "'P",
    "A",
    "HAND",
    "0",
    "1",
    "99",
    "2147483648",
    "(game vloc A)",
    "(turn pass)",
    "..",
    ":",
    ",",
]


def mutated(name: str, seed: int) -> str:
    """Return a text of the library with words dropped, doubled, swapped or replaced."""
    dice = random.Random(seed)
    words = without_comments(TEXTS[name]).replace("(", " ( ").replace(")", " ) ").split()
    for _ in range(dice.choice([1, 1, 1, 2, 3, 8])):
        at, other = dice.randrange(len(words)), dice.randrange(len(words))
        match dice.randrange(5):
            case 0:
                del words[at]
            case 1:
                words.insert(at, dice.choice(PIECES))
            case 2:
                words[at] = dice.choice(PIECES)
            case 3:
                words[at], words[other] = words[other], words[at]
            case _:
                words[at] = words[other]
    return " ".join(words)


def comes_to_something(text: str, limits: Limits = TIGHT) -> bool:
    """Read, check, lint, compile and run a text; tell whether it ran."""
    try:
        machine = Machine.compile(text, limits=limits)
        assert not any(diagnostic.is_error for diagnostic in machine.checked.diagnostics)
    except BadText as mistake:
        problem: BadText | None = mistake
    else:
        problem = None
    if problem is not None:
        assert 0 <= problem.offset <= len(text)
        # Where there is no text there is nothing to point at.
        assert "^" in str(problem) or not text.strip()
        return False
    played = machine.random_games(games=2, seed=1)
    assert all(k.REASONS[status] for status in played.statuses.tolist())
    program = parse(text)
    assert parse(format_program(program, text)) == program
    return True


@pytest.mark.parametrize("part", range(5))
def test_mutated_programs_run_or_say_why_not(part: int) -> None:
    names, ran = sorted(TEXTS), 0
    for i in range(part, EXAMPLES, 5):
        ran += comes_to_something(mutated(names[i % len(names)], i))
    assert ran > 0, "no mutation left a program that runs: the test tested only errors"


def test_mutated_programs_stay_inside_their_arrays() -> None:
    # With the usual limits the rooms behind each other leave nothing that could swallow what one of them spills.
    names, ran = sorted(TEXTS), 0
    for i in range(EXAMPLES // 2):
        ran += comes_to_something(mutated(names[i % len(names)], 1_000_000 + i), Limits(game_work=50_000_000))
    assert ran > 0, "no mutation left a program that runs: the test tested only errors"


@given(st.text(max_size=60))
@example("")
@example("\ufeff")
@example("(" * 5000)
@example("(game" * 101)
@example(
    "(game (setup (create players 99999999999999999999) (create deck (game vloc A) (deck (A (A))))) (do ((turn pass))) (scoring min 1))"
)
@example("(game (setup (create players 1) (create deck (game vloc A) (deck (A (A))))) (do ((turn pass))) (scoring min (^ 9 99)))")
@EVERYTHING
def test_any_text_is_read_or_refused(text: str) -> None:
    comes_to_something(text)


@pytest.mark.parametrize(
    ("part", "refused"),
    [
        ("(repeat 1000000 (create deck (game vloc A) (deck (R (A)))))", "1,000,000 cards"),
        ("(create deck (game vloc A) (deck " + "".join(f"({c} (A, B, C, D, E, F, G, H))" for c in "ABCDEFGH") + "))", "16,777,216 cards"),
        ("(create deck (game vloc A) (deck (R (A)))) " + "(" * 10_000, "brackets more than 100 deep"),
    ],
)
def test_hostile_sizes_are_refused_by_name(part: str, refused: str) -> None:
    with pytest.raises(BadText, match=refused):
        Machine.compile(f"(game (setup (create players 1) {part}) (do ((turn pass))) (scoring min 1))")


def test_hostile_decks_in_play_are_refused_before_they_are_made() -> None:
    deck = "(create deck (game vloc A) (deck " + "".join(f"({c} (A, B, C, D, E, F, G, H))" for c in "ABCDEFGHIJ") + "))"
    text = f"(game (setup (create players 1) (create deck (game vloc A) (deck (R (A))))) (do ({deck})) (scoring min 1))"
    assert [diagnostic.code for diagnostic in check(text).diagnostics if diagnostic.is_error] == ["E112"]
