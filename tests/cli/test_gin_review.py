"""``meldlab gin review``: mistakes, the dearest first, as text, as one JSON object and as a page."""

import json
import os
import signal
import time
from dataclasses import replace
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

from meldlab.cli.app import main
from meldlab.gin import Gin, players
from meldlab.gin.review import PLAYER, SAMPLES
from meldlab.play import Deal, RandomPlayer, Record, Table
from meldlab.recycle import RecycleGame

QUICK = ("--player", "simple", "--determinizations", "40")


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stopped:
        main(["gin", "review", *arguments])
    printed = capsys.readouterr()
    return int(stopped.value.code or 0), printed.out, printed.err


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("played") / "game.toml"
    path.write_text(str(Table(Gin(), [RandomPlayer(), players.parse("simple")]).play(Deal(8)).record))
    return path


def test_the_dearest_mistakes_are_shown_first(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, str(record), *QUICK, "--json")
    answer: dict[str, Any] = json.loads(out)
    by_action = {one["action"]: one for one in answer["decisions"]}
    found = [by_action[action] for action in answer["mistakes"]]
    costs = [one["cost"] for one in found]
    assert status == 0
    assert costs
    assert costs == sorted(costs, reverse=True)
    assert all(one["cost"] >= 0.025 and one["cost"] > 2 * one["error"] and one["mistake"] for one in found)
    assert sum(answer["kinds"].values()) == len(found)
    assert sum(seat["mistakes"] for seat in answer["seats"]) == len(found)
    assert (answer["player"], answer["determinizations"], answer["seed"], answer["least"]) == ("simple", 40, 0, 0.025)
    for one in answer["decisions"]:
        moves = [each["move"] for each in one["candidates"]]
        assert {one["done"], one["best"]} <= set(moves)
        assert one["best"] == moves[0]
    status, out, _ = run(capsys, str(record), *QUICK)
    first = found[0]
    assert status == 0
    place = f"1. round {first['round']}, action {first['action']}, p{first['seat']}"
    assert f"{place}: {first['kind']}, {100 * first['cost']:.1f} % lost (± " in out
    assert f"{100 * first['chance']:.1f} % to win" in out
    assert f"\n{len(found)}. " in out
    assert f"\n{len(found) + 1}. " not in out


def test_fewer_are_shown_that_cost_more(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    many = [
        len(json.loads(run(capsys, str(record), *QUICK, "--json", "--min-loss", least)[1])["mistakes"]) for least in ("0.01", "0.05", "1")
    ]
    assert many[0] > many[1] > many[2] == 0
    assert run(capsys, str(record), *QUICK, "--min-loss", "1", "--seat", "2")[1].endswith("decisions, no mistake\n")


def test_the_same_seed_gives_the_same_bytes(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    once, again, other = (
        run(capsys, str(record), *QUICK, "--json", *words)[1] for words in (("--threads", "1"), ("--threads", "2"), ("--seed", "1"))
    )
    assert once == again != other


def test_the_person_is_reviewed_unless_a_seat_is_named(record: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(record.read_text().replace('players = ["random", "simple"]', 'players = ["random", "you"]'))
    seats = {
        words: {one["seat"] for one in json.loads(run(capsys, str(path), *QUICK, "--json", *words)[1])["decisions"]}
        for words in ((), ("--seat", "1"))
    }
    assert seats == {(): {2}, ("--seat", "1"): {1}}


def test_a_match_that_has_not_ended_is_reviewed(record: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole, path = Record.parse(record.read_text()), tmp_path / "begun.toml"
    path.write_text(str(replace(whole, actions=whole.actions[:30], result=None)))
    answer = json.loads(run(capsys, str(path), *QUICK, "--json")[1])
    assert 20 < len(answer["decisions"]) <= 30
    assert answer["seats"][0]["curve"][-1][0] <= 30
    whole_answer = json.loads(run(capsys, str(record), *QUICK, "--json")[1])
    assert whole_answer["decisions"][: len(answer["decisions"])] == answer["decisions"]


def test_the_page_is_one_file(record: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "page.html"
    status, out, _ = run(capsys, str(record), *QUICK, "--out", str(path))
    assert status == 0
    assert out.endswith(f"\n{path}\n")
    assert path.read_text().startswith("<!doctype html>")
    assert [each.name for each in tmp_path.iterdir()] == ["page.html"]


def test_what_cannot_be_reviewed_is_one_line(record: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other, broken = tmp_path / "kuhn.toml", tmp_path / "broken.toml"
    other.write_text(str(Table(RecycleGame.load("kuhn_poker"), [RandomPlayer()] * 2).play(Deal(5)).record))
    text = record.read_text()
    broken.write_text(text.replace("p2 draw stock", "p2 pass", 1) if "p2 draw stock" in text else text.replace("p2 take", "p2 drop", 1))
    assert run(capsys, str(other)) == (2, "", "error: this is a record of kuhn_poker; only gin can be reviewed\n")
    status, out, err = run(capsys, str(broken))
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("error: action ")
    assert run(capsys, str(record), "--player", "random")[2].startswith("error: random cannot review: ")
    assert run(capsys, str(record), "--seat", "3")[2] == f"error: {record} has 2 seats, not 3\n"
    assert run(capsys, str(record), "--out", str(tmp_path))[2] == f"error: {tmp_path} cannot be written: expected a file, got a folder\n"


def test_help_names_what_is_usual(capsys: pytest.CaptureFixture[str]) -> None:
    out = " ".join(run(capsys, "--help")[1].replace("│", " ").split())
    assert f"[default: {PLAYER}]" in out
    assert f"[default: {SAMPLES};" in out


def test_ctrl_c_is_heard_at_once(record: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, str(record), *QUICK)  # what is loaded and compiled by now cannot be hit by the key
    words, pressed = (str(record), "--player", "simple", "--determinizations", "1000000", "--out", str(tmp_path / "page.html")), []

    def press() -> None:
        pressed.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    key = Timer(1.0, press)
    key.start()
    status, out, _ = run(capsys, *words)
    assert (status, out) == (130, "")
    assert time.monotonic() - pressed[0] < 5
    assert list(tmp_path.iterdir()) == []
