"""What long work would take is told by its amount and a short try, and telling it leaves nothing behind."""

import json
from pathlib import Path

import pytest

from meldlab import dry_run as estimates
from meldlab.cli.app import main
from meldlab.dry_run import Probe, compute_cost, contest_cost, probe, tuning_cost
from meldlab.gin import Gin
from meldlab.gin.computing.compute import ComputeConfig
from meldlab.runs.tasks import Task

COMMANDS = {
    "gin arena simple gin-only --games 5000000": "5,000,000 games of gin",
    "gin arena simple gin-only knock:10,0,6 --games 100 --save records": "300 games of gin",
    "recycle arena kuhn_poker mcts:5 random --games 100": "100 games of kuhn_poker",
    "tune track --full": "tune track",
    "tune knock": "tune knock",
    "tune ensemble --full": "tune ensemble",
    "tune best": "tune best",
    "recycle analyse kuhn_poker --out page": "Kuhn Poker",
    "recycle search leduc_poker --vary BET=1..4 --maximise drama": "leduc_poker, maximise drama, if none is stopped early or stored",
    "gin compute --cards 3 --ranks 4 --knock-limit 3 --save player": "computing against simple",
}


def run(command: str, status: int = 0) -> None:
    with pytest.raises(SystemExit) as ended:
        main(command.split())
    assert ended.value.code == status


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimates, "PROBE_SECONDS", 0.0)


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("command", COMMANDS)
def test_a_dry_run_tells_and_writes_nothing(
    command: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MELDLAB_STORE", str(tmp_path / "runs.sqlite"))
    run(f"{command} --dry-run")
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith((f"{COMMANDS[command]}: about ", f"{COMMANDS[command]}: less than a second "))
    assert second.endswith("nothing was started")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("at_once")
def test_what_the_store_holds_is_not_to_be_played(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command, left = f"recycle analyse kuhn_poker --simulations 2 --store {tmp_path / 'runs.sqlite'}", list[str]()
    for games in (3, 5):
        run(f"{command} --games {games} --dry-run")
        left.append(capsys.readouterr().out.splitlines()[1])
        run(f"{command} --games {games}")
        capsys.readouterr()
    assert "and 6 games of searching players to be played" in left[0]
    assert "and 4 games of searching players to be played" in left[1]


@pytest.mark.usefixtures("at_once")
def test_a_comparison_tells_of_every_game(capsys: pytest.CaptureFixture[str]) -> None:
    run("recycle compare kuhn_poker leduc_poker --games 10 --dry-run --json")
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [each["work"] for each in told] == ["Kuhn Poker", "Leduc Poker"]
    assert all(each["seconds"] > 0 and each["memory"] > 1e6 for each in told)


def test_a_mistake_is_told_before_an_estimate(capsys: pytest.CaptureFixture[str]) -> None:
    run("gin compute --cards 5 --ranks 6 --against nobody --dry-run", status=2)
    assert "nobody" in capsys.readouterr().err


def test_tries_double_until_they_tell_something_or_all_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, clock = list[int](), [0.0]
    monkeypatch.setattr(estimates, "process_time", lambda: clock[0])

    def work(pieces: int) -> None:
        asked.append(pieces)
        clock[0] += 0.03 * pieces

    found = probe(work)
    assert asked == [1, 1, 2, 4, 8, 16]
    assert found.units == 16
    assert found.seconds == pytest.approx(0.03)
    asked.clear()
    assert probe(work, most=5).units == 4
    assert asked == [1, 1, 2, 4]


def test_time_grows_with_the_games_and_falls_with_the_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimates, "probe", lambda work, most=0: Probe(10, 0.001))
    assert contest_cost(Gin(), [["simple", "simple"]], 6000, threads=3).seconds == pytest.approx(2)
    assert contest_cost(Gin(), [["simple", "simple"]] * 3, 6000, threads=1).seconds == pytest.approx(18)
    many, few = (contest_cost(Gin(), [["simple", "simple"]], games, threads=1).memory for games in (10**9, 10))
    assert many - few == pytest.approx(16e9, rel=0.01)
    assert tuning_cost(Task("contest", "simple"), 6000, threads=1).seconds == pytest.approx(3)  # a piece is a mirrored pair


def test_a_pass_over_ten_cards_is_told_though_no_cpu_may_do_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimates, "probe", lambda work, most=0: Probe(1, 0.0))
    cost = compute_cost(ComputeConfig(device="cpu"))
    assert cost.seconds > 3600
    assert cost.memory > 50e9
