"""The cached summary of a distribution of turns: computed once for a hand and for those that differ by suits alone."""

from pathlib import Path
from typing import Any

import pytest

from meldlab.cards import Hand
from meldlab.cli.app import main
from meldlab.waiting import WaitingGame, solve
from meldlab.waiting.distribution import DistributionSummary, TurnDistribution

HAND, SAME = Hand.parse("AC QH KD"), Hand.parse("AS QD KC")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MELDLAB_CACHE", str(tmp_path))
    return tmp_path


def test_summary_load_returns_what_was_saved_for_the_class(cache: Path) -> None:
    solution, other = solve(WaitingGame(3)), solve(WaitingGame(3, "both"))
    summary = DistributionSummary.from_distribution(TurnDistribution.from_hand(solution, HAND))
    assert DistributionSummary.load(solution, HAND) is None
    summary.save(solution, HAND)
    assert DistributionSummary.load(solution, HAND) == DistributionSummary.load(solution, SAME) == summary
    assert DistributionSummary.load(solution, Hand.parse("AC QC KD")) is None
    assert DistributionSummary.load(other, HAND) is None


@pytest.mark.parametrize("text", ["", "[]", '{"sd": 1}', '{"sd": "x", "quantiles": [1]}', "{"])
def test_summary_load_ignores_a_damaged_file(cache: Path, text: str) -> None:
    solution = solve(WaitingGame(3))
    DistributionSummary(1.0, (1, 2)).save(solution, HAND)
    (path,) = cache.rglob("*.json")
    path.write_text(text)
    assert DistributionSummary.load(solution, HAND) is None


def test_waiting_hand_computes_the_summary_once(cache: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def output(*arguments: str) -> str:
        with pytest.raises(SystemExit):
            main(["waiting", "hand", *arguments])
        return capsys.readouterr().out

    first = output("AC", "QH", "KD")
    lines = first.splitlines()
    # The expected turns are read from the table and printed first, what takes long is printed last.
    assert lines[0].endswith("19.180055 turns on average")
    assert "standard deviation 13.508; within 4 turns in 5%" in " ".join(lines[-3:])
    calls, compute = list[object](), DistributionSummary.from_distribution

    def counted(*arguments: Any) -> DistributionSummary:
        calls.append(arguments)
        return compute(*arguments)

    monkeypatch.setattr(DistributionSummary, "from_distribution", counted)
    assert output("AC", "QH", "KD") == first
    assert not calls
    table = next(cache.rglob("3-low-gin.table"))
    assert output("AC", "QH", "KD", "--load", str(table)) == first
    assert calls
