"""What work would take is told in units that one can read, and as numbers where JSON is asked for."""

import json

import pytest

from meldlab.cli.output import print_estimate
from meldlab.cost import Cost, memory_text

COST = Cost(7300.0, 12_345_678_901.0, "16 cores", "1,000 games in 0.2 s")


def test_words(capsys: pytest.CaptureFixture[str]) -> None:
    print_estimate("a million games", COST, as_json=False)
    assert capsys.readouterr().out.splitlines() == [
        "a million games: about 2 hours on 16 cores, 12.3 GB of memory",
        "an estimate, from 1,000 games in 0.2 s; nothing was started",
    ]
    print_estimate("all hands", Cost(7300.0, 1e18, "16 cores", "a look"), as_json=False)
    assert capsys.readouterr().out.startswith("all hands: about 2 hours on 16 cores, 1,000,000.0 TB of memory, more than the ")
    assert str(Cost(0.2, 3e8, "1 core", "")) == "less than a second on 1 core, 300 MB of memory"
    assert [memory_text(size) for size in (3e5, 9.994e8, 2e12)] == ["0 MB", "999 MB", "2.0 TB"]


def test_json_has_the_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    print_estimate("a million games", COST, as_json=True)
    answer = json.loads(capsys.readouterr().out)
    assert (answer["work"], answer["dry_run"], answer["seconds"], answer["memory"]) == ("a million games", True, 7300.0, 12_345_678_901.0)
