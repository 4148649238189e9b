"""The waiting door: its keys, and its mistakes in one line."""

import csv
import json
import re
from pathlib import Path

import pytest

from tests.cli.test_app import run


def test_solve_prints_its_keys(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "three.table"
    status, out, err = run(capsys, "waiting", "solve", "--cards", "3", "--aces", "both", "--save", str(path), "--json")
    answer = json.loads(out)
    assert status == 0
    assert "saved" in err
    assert set(answer) == {
        *("cards", "aces", "goal", "hands", "goal_hands", "distinct_values", "mean", "max", "worst", "best"),
        *("sweeps", "seconds", "device", "residual", "cached"),
    }
    assert (answer["hands"], answer["goal_hands"], answer["device"]) == (22100, 100, "cpu")
    status, out, _ = run(capsys, "waiting", "solve", "--cards", "3", "--aces", "both", "--load", str(path), "--json")
    assert json.loads(out)["mean"] == answer["mean"]


def test_solve_reads_the_cache_unless_refreshed(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MELDLAB_CACHE", str(tmp_path))
    three = ("waiting", "solve", "--cards", "3")
    answers = [json.loads(run(capsys, *three, *options, "--json")[1]) for options in ((), (), ("--refresh",))]
    assert [answer.pop("cached") for answer in answers] == [False, True, False]
    assert answers[0] == answers[1]
    text = run(capsys, *three)[1]
    assert re.search(
        r"^solved in \d+\.\d\d s on cpu, residual .*, on 20\d\d-\d\d-\d\d; from the cache, --refresh solves again$", text, re.MULTILINE
    )
    assert "cache" not in run(capsys, *three, "--refresh")[1]


def test_hand_prints_its_keys(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "waiting", "hand", "AC QH KD", "--aces", "low", "--upcard", "QD", "--json")
    answer = json.loads(out)
    assert status == 0
    assert answer["expected"] == pytest.approx(19.18005509617787, abs=1e-12)
    assert set(answer) == {"expected", "sd", "quantiles", "upcard", "draws"}
    assert len(answer["draws"]) == 49
    assert set(answer["draws"][0]) == {"draw", "discard", "expected"}
    assert answer["upcard"]["take"] is True
    assert "take it" in run(capsys, "waiting", "hand", "AC QH KD", "--upcard", "QD")[1]


def test_approximate_prints_its_keys(capsys: pytest.CaptureFixture[str]) -> None:
    answer = json.loads(run(capsys, "waiting", "approximate", "--cards", "3", "--aces", "low", "--tolerance", "1", "--json")[1])
    assert set(answer) == {"cohorts", "count", "max_error", "mean_error", "seconds"}
    assert answer["count"] == len(answer["cohorts"]) == 9
    assert answer["cohorts"][0] == {"hands": 240, "like": "2C 2D 3C", "expected": 12.25}


def test_the_other_verbs(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    found = json.loads(run(capsys, "waiting", "discard", "AC QH KD QD", "--json")[1])
    assert found["discards"][0]["discard"] == "AC"
    played = json.loads(run(capsys, "waiting", "simulate", "AC QH KD", "--games", "2000", "--seed", "4", "--json")[1])
    assert played["bag"]["ci95"][0] < played["bag"]["mean"] < played["bag"]["ci95"][1]
    assert json.loads(run(capsys, "waiting", "classes", "--aces", "round", "--json")[1])["classes"] == 60
    run(capsys, "waiting", "table", "--cards", "3", "--out", str(tmp_path / "t.csv"))
    rows = list(csv.DictReader((tmp_path / "t.csv").open()))
    assert len(rows) == 1755
    assert sum(int(row["hands"]) for row in rows) == 22100


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["solve", "--cards", "2"], "number of cards in a hand must be a whole number from 3 to 10, not 2"),
        (["solve", "--cards", "three"], "--cards"),
        (["solve", "--cards", "3", "--aces", "high"], "no ace rule 'high'"),
        (["solve", "--cards", "3", "--goal", "knock:x"], "deadwood of a knock"),
        (["solve", "--cards", "3", "--dead", "2H 2X"], "no suit 'X'"),
        (["solve", "--cards", "3", "--precision", "f16"], "'f16' is not one of 'f64', 'f32', 'u16'"),
        (["solve", "--cards", "3", "--precision", "f32"], "--precision is that of the file"),
        (["solve", "--cards", "3", "--load", "/nowhere"], "/nowhere does not exist"),
        (["solve", "--cards", "3", "--load", "/nowhere", "--device", "cpu"], "leave out --device, --threads and --refresh"),
        (["solve", "--cards", "3", "--load", "/nowhere", "--threads", "1"], "leave out --device, --threads and --refresh"),
        (["solve", "--cards", "3", "--device", "cuda", "--threads", "1"], "threads=1 is for the CPU"),
        (["hand", "AC QH"], "expected 3 to 10 cards, got 2"),
        (["hand", "AC QH QH"], "QH twice"),
        (["hand", "AC QH KD", "--dead", "KD"], "KD is dead"),
        (["hand", "AC QH KD", "--upcard", "AC"], "AC cannot be the upcard"),
        (["approximate", "--cards", "6"], "up to 5 cards"),
        (["approximate", "--cards", "3", "--tolerance", "-1"], "a tolerance is"),
        (["table", "--cards", "7"], "up to 5 cards"),
        (["simulate", "AC QH KD", "--games", "0"], "0 games"),
    ],
)
def test_mistakes_are_one_line_and_status_2(arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, "waiting", *arguments)
    assert (status, out) == (2, "")
    assert complaint in err
    assert err.startswith("error: ")
    assert len(err.splitlines()) <= 3


def test_cards_may_be_words_of_their_own(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "waiting", "hand", "AC", "QH", "KD") == run(capsys, "waiting", "hand", "AC QH KD")
    assert run(capsys, "waiting", "discard", "AC", "QH", "KD", "QX") == (
        2,
        "",
        "error: no suit 'X' (use C D H S)\n  AC QH KD QX\n            ^\n",
    )


def test_a_complete_hand_needs_no_advice(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "waiting", "hand", "5H 6H 7H")[:2] == (0, "5♥ 6♥ 7♥  has reached its goal (gin): no turns are left\n")
    assert "49 of 49 cards help:\n" in run(capsys, "waiting", "hand", "AC QH KD")[1]


def test_a_device_may_be_named_where_a_hand_is_asked_for(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for words in (["hand", "AC QH KD"], ["discard", "AC QH KD QD"], ["simulate", "AC QH KD", "--games", "100"]):
        usual = run(capsys, "waiting", *words)
        assert usual[0] == 0
        assert run(capsys, "waiting", *words, "--device", "cpu") == usual
        assert "'gpu' is not one of 'auto', 'cpu', 'cuda'" in run(capsys, "waiting", *words, "--device", "gpu")[2]
    refused = "error: --load reads a solved table: leave out --device\n"
    assert run(capsys, "waiting", "hand", "AC QH KD", "--device", "cpu", "--load", str(tmp_path / "none")) == (2, "", refused)


@pytest.mark.parametrize(
    ("device", "error"), [("cpu", "10 cards need 26.0 GB"), ("auto", "there is no GPU for 10 cards; --device cpu takes")]
)
def test_ten_cards_beyond_the_machine_are_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, device: str, error: str
) -> None:
    monkeypatch.setattr("meldlab.waiting.solver.machine_memory", lambda: 8e9)
    monkeypatch.setattr("meldlab.waiting.solver.has_gpu", lambda: False)
    ten = ["AC", "3C", "5C", "7D", "9D", "JD", "KH", "2H", "4S", "6S"]
    for words in (["solve", "--cards", "10"], ["hand", *ten]):
        status, _, err = run(capsys, "waiting", *words, "--device", device)
        assert (status, len(err.splitlines())) == (2, 1)
        assert err.startswith(f"error: {error}")
        assert "this machine has 8.0 GB" in err


def test_a_count_of_values_and_a_count_of_classes_have_their_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert "60 values more than 1e-9 apart" in run(capsys, "waiting", "solve", "--cards", "3", "--aces", "round")[1]
    assert run(capsys, "waiting", "classes", "--aces", "round")[1].startswith("60 classes of equal E in exact fractions")


def test_a_discard_is_written_as_a_hand_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "waiting", "discard", "AC QH KD QD")[1].startswith("throw A♣     15.1667 turns")


def test_a_dry_run_says_what_it_would_take_and_keeps_nothing(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MELDLAB_CACHE", str(tmp_path))
    costs = {}
    for device, cards in (("cpu", 3), ("cpu", 8), ("cpu", 9), ("cuda", 9), ("cuda", 10)):
        status, out, _ = run(capsys, "waiting", "solve", "--cards", str(cards), "--device", device, "--dry-run", "--json")
        assert status == 0
        costs[device, cards] = json.loads(out)
    assert costs["cpu", 3]["seconds"] < 1 < costs["cpu", 8]["seconds"] < costs["cpu", 9]["seconds"]
    assert costs["cuda", 9]["seconds"] < costs["cuda", 10]["seconds"] < costs["cpu", 9]["seconds"]
    assert costs["cpu", 8]["memory"] < 4e9 < costs["cpu", 9]["memory"]
    assert not list(tmp_path.rglob("*.table"))
    assert "GPU" not in run(capsys, "waiting", "solve", "--cards", "9", "--device", "cpu", "--dry-run")[1]
    monkeypatch.setattr("meldlab.waiting.solver.has_gpu", lambda: False)
    told = run(capsys, "waiting", "solve", "--cards", "9", "--dry-run")[1]
    assert "; there is no GPU, so this takes --device cpu; nothing was started" in told
    refused = "error: --dry-run solves nothing: leave out --load and --save\n"
    assert run(capsys, "waiting", "solve", "--cards", "3", "--dry-run", "--save", str(tmp_path / "three.table")) == (2, "", refused)


@pytest.mark.parametrize("words", [("hand", "2H 3H 10S"), ("discard", "2H 3H 10S KD")])
def test_rows_with_a_ten_are_aligned(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "waiting", *words)
    rows = [line for line in out.splitlines() if "throw " in line and "." in line]
    assert any("10♠" in row for row in rows)
    assert len({row.index(".") for row in rows}) == 1
