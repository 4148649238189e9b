"""The spread of a waiting time is worked out once, and kept for the hand and for those that differ by suits alone."""

from pathlib import Path
from typing import Any

import pytest

from meldlab.cards import Hand
from meldlab.cli.app import main
from meldlab.waiting import Waiting, solve
from meldlab.waiting.spread import Spread, keep_spread, kept_spread
from meldlab.waiting.waiting_time import WaitingTime

HAND, SAME = Hand.parse("AC QH KD"), Hand.parse("AS QD KC")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MELDLAB_CACHE", str(tmp_path))
    return tmp_path


def test_what_is_kept_is_what_was_worked_out(cache: Path) -> None:
    solution, other = solve(Waiting(3)), solve(Waiting(3, "both"))
    spread = Spread.of(WaitingTime.from_hand(solution, HAND))
    assert kept_spread(solution, HAND) is None
    keep_spread(solution, HAND, spread)
    assert kept_spread(solution, HAND) == kept_spread(solution, SAME) == spread
    assert kept_spread(solution, Hand.parse("AC QC KD")) is None
    assert kept_spread(other, HAND) is None


@pytest.mark.parametrize("text", ["", "[]", '{"deviation": 1}', '{"deviation": "x", "quantiles": [1]}', "{"])
def test_a_damaged_file_is_as_good_as_none(cache: Path, text: str) -> None:
    solution = solve(Waiting(3))
    keep_spread(solution, HAND, Spread(1.0, (1, 2)))
    (path,) = cache.rglob("*.json")
    path.write_text(text)
    assert kept_spread(solution, HAND) is None


def test_a_second_call_follows_no_policy(cache: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def said(*arguments: str) -> str:
        with pytest.raises(SystemExit):
            main(["waiting", "hand", *arguments])
        return capsys.readouterr().out

    first = said("AC", "QH", "KD")
    lines = first.splitlines()
    # The turns are looked up and come at once, what takes long comes last.
    assert lines[0].endswith("19.180055 turns on average")
    assert "standard deviation 13.508; within 4 turns in 5%" in " ".join(lines[-3:])
    asked, of = list[object](), Spread.of

    def asking(*arguments: Any) -> Spread:
        asked.append(arguments)
        return of(*arguments)

    monkeypatch.setattr(Spread, "of", asking)
    assert said("AC", "QH", "KD") == first
    assert not asked
    table = next(cache.rglob("3-low-gin.table"))
    assert said("AC", "QH", "KD", "--load", str(table)) == first
    assert asked
