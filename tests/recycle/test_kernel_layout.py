"""The numbers of the machine: each name once, and what is written twice agrees."""

import re
from pathlib import Path

import pytest

from meldlab.recycle.language.limits import Limits
from meldlab.recycle.machine import kernel_layout as k

SOURCE = Path(k.__file__).read_text("utf-8")


def test_the_names_of_instructions_are_their_numbers() -> None:
    assert [getattr(k, name) for name in k.NAMES] == list(range(len(k.NAMES)))


@pytest.mark.parametrize(("prefix", "size"), [("L_", k.LAYOUT)])
def test_an_array_has_a_place_for_each_of_its_words(prefix: str, size: int) -> None:
    words = {name: value for name, value in vars(k).items() if name.startswith(prefix)}
    assert sorted(words.values()) == list(range(size))


def test_no_two_words_of_the_header_share_a_place() -> None:
    header = SOURCE.partition("# --- the header of a state\n")[2].partition("# ---")[0]
    words = {name: int(value) for name, value in re.findall(r"^([A-Z_]+) = (\d+)", header, re.MULTILINE)}
    size, first_of_work = words.pop("HEADER"), words.pop("WORKING")
    assert len(set(words.values())) == len(words)
    assert max(words.values()) == size - 1
    assert first_of_work == words["HEAP"]


def test_every_status_that_ends_a_game_has_its_reason() -> None:
    assert sorted(k.REASONS) == [k.FINISHED, k.CAPPED, *range(k.NO_CARD, k.OVERLONG + 1)]
    assert len(set(k.REASONS.values())) == len(k.REASONS)


def test_a_reason_names_only_limits_that_exist() -> None:
    named = {name for status in range(k.NO_CARD, k.OVERLONG + 1) for name in re.findall(r"limit '(\w+)'", k.REASONS[status])}
    assert named <= set(vars(Limits()))
    assert {"work", "game_work", "lists", "options"} <= named
