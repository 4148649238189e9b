"""Hands: bad text, wrong values, arrays of masks."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from meldlab.cards import CARDS, Hand
from meldlab.cards.masks import as_masks
from meldlab.errors import BadText, NotLegalHere


def test_a_hand_prints_sorted_by_rank() -> None:
    assert str(Hand.parse("KS, 10h\n2D ♣A")) == "AC 2D TH KS"
    assert str(Hand()) == ""
    assert Hand.parse("") == Hand()
    assert len(Hand.full()) == 52


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("5H 6H 7X", "no suit 'X' (use C D H S)\n  5H 6H 7X\n         ^"),
        ("5H 6H 5h", "5H twice\n  5H 6H 5h\n        ^"),
        ("5H\t6H\tZZ", "no rank 'Z' (use A 2 3 4 5 6 7 8 9 T J Q K)\n  5H 6H ZZ\n        ^"),
        ("5H\n6H 7X", "line 2: no suit 'X' (use C D H S)\n  6H 7X\n      ^"),
    ],
)
def test_bad_text_shows_a_caret(text: str, shown: str) -> None:
    with pytest.raises(BadText) as caught:
        Hand.parse(text)
    assert str(caught.value) == shown


def test_a_caret_far_to_the_right_stays_on_the_screen() -> None:
    text = " ".join(map(str, CARDS)) + " 5X"
    with pytest.raises(BadText) as caught:
        Hand.parse(text)
    _, line, caret = str(caught.value).splitlines()
    assert len(line) <= 80
    assert line[caret.index("^") - 1 :] == "5X"


@pytest.mark.parametrize("mask", [-1, 1 << 52, 1.5, "7", None, 2**70])
def test_masks_have_52_bits(mask: object) -> None:
    with pytest.raises(NotLegalHere, match="mask of a hand"):
        Hand.from_mask(mask)  # type: ignore[arg-type]


@pytest.mark.parametrize("cards", [["5H"], "5H", 5, [None]])
def test_a_hand_is_made_of_cards(cards: object) -> None:
    with pytest.raises(NotLegalHere, match=r"not a card|expected cards"):
        Hand(cards)  # type: ignore[arg-type]
    with pytest.raises(NotLegalHere, match="expected the text of cards"):
        Hand.parse(CARDS)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", [np.int64, np.uint64, np.int32, np.uint8])
def test_masks_of_any_integer_type(kind: type) -> None:
    assert as_masks(np.array([7, 0], kind)).tolist() == [7, 0]
    assert as_masks([]).dtype == np.int64


@pytest.mark.parametrize("masks", [[1.5], ["x"], [[1]], [[1], [1, 2]], None, 7, [-1], [1 << 52], [2**70], [True], [1j]])
def test_anything_else_is_no_array_of_hands(masks: object) -> None:
    with pytest.raises(NotLegalHere):
        as_masks(masks)  # type: ignore[arg-type]


def test_a_hand_is_read_without_a_compiler_and_without_a_cache(tmp_path: Path) -> None:
    # A home that nothing can be made in: a file stands where the folder would be.
    home = tmp_path / "home"
    home.write_text("")
    program = (
        "import sys; from meldlab.cards import Card, Deck, Hand; print(Hand.parse('10S AD') | {Card.parse('5h')})\n"
        "print(sorted({'numba', 'numpy'} & set(sys.modules)))"
    )
    environment = {name: value for name, value in os.environ.items() if name != "XDG_CACHE_HOME"} | {
        "HOME": str(home),
        "MELDLAB_CACHE": str(home / "cache"),
    }
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=True)
    assert done.stdout.splitlines() == ["AD 5H TS", "[]"]
    assert home.read_text() == ""
