"""``meldlab runs``: what it prints about a store, and that others can read what they export."""

import csv
import io
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from meldlab.runs.store import Store
from meldlab.runs.tasks import Task, run_tasks
from tests.cli.test_app import run


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A store with one finished search, and one that was only begun."""
    path = str(tmp_path_factory.mktemp("store") / "runs.sqlite")
    kept = Store.open(path)
    search = kept.run("knock", {"games": 40, "seed": 3})
    players = [Task("contest", f"knock:{early},0,6", "simple", seed=3, games=40) for early in (4, 10)]
    run_tasks([piece for player in players for piece in player.split(20)], search, jobs=1)
    search.note("on a rainy day")
    search.finish({"best": "knock:10,0,6"})
    kept.run("grid", {"games": 10}).set_total(1000)
    return path


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    status, out, _ = run(capsys, *arguments, "--json")
    assert status == 0
    found: dict[str, Any] = json.loads(out)
    return found


def test_list(capsys: pytest.CaptureFixture[str], store: str) -> None:
    runs = answer(capsys, "runs", "list", "--store", store)["runs"]
    assert [(one["run"], one["experiment"], one["state"], one["games"], one["planned"]) for one in runs] == [
        (1, "knock", "finished", 80, 80),
        (2, "grid", "stopped", 0, 1000),
    ]
    assert runs[0]["settings"] == {"games": 40, "seed": 3}
    status, out, _ = run(capsys, "runs", "list", "--store", store)
    assert status == 0
    assert [line.split()[:3] for line in out.splitlines()[1:]] == [["1", "knock", "finished"], ["2", "grid", "stopped"]]


def test_show(capsys: pytest.CaptureFixture[str], store: str) -> None:
    found = answer(capsys, "runs", "show", "1", "--store", store)
    assert found["result"] == {"best": "knock:10,0,6"}
    assert found["notes"] == ["on a rainy day"]
    assert {one["player"] for one in found["players"]} == {"knock:4,0,6", "knock:10,0,6"}
    for one in found["players"]:
        assert one["ci95"][0] < one["win_rate"] < one["ci95"][1]
        assert one["games"] == 40
    assert len(answer(capsys, "runs", "show", "1", "--top", "1", "--store", store)["players"]) == 1
    _, out, _ = run(capsys, "runs", "show", "1", "--store", store)
    assert "on a rainy day" in out
    assert "80 of 80 games" in out


def test_a_long_answer_is_shown_in_short(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = str(tmp_path / "runs.sqlite")
    Store.open(path).run("grid", {}).finish({"player": "knock:1,0,6", "two_stages": [{"knock": n, "wins": n} for n in range(825)]})
    _, out, _ = run(capsys, "runs", "show", "1", "--top", "3", "--store", path)
    assert len(out.splitlines()) < 6
    assert 'result: player "knock:1,0,6", two_stages (825) (all of it with --json)' in out
    assert len(answer(capsys, "runs", "show", "1", "--store", path)["result"]["two_stages"]) == 825


def test_export_as_csv(capsys: pytest.CaptureFixture[str], store: str, tmp_path: Path) -> None:
    _, out, _ = run(capsys, "runs", "export", "1", "--store", store)
    rows = list(csv.DictReader(io.StringIO(out)))
    assert len(rows) == 4
    assert sum(int(row["games"]) for row in rows) == 80
    assert {row["seed"] for row in rows} == {"3"}
    path = tmp_path / "run.csv"
    assert answer(capsys, "runs", "export", "1", "--store", store, "--out", str(path)) == {"run": 1, "out": str(path), "rows": 4}
    assert path.read_text() == out
    as_json = answer(capsys, "runs", "export", "1", "--store", store)["rows"]
    assert [str(row["wins"]) for row in as_json] == [row["wins"] for row in rows]


@pytest.mark.parametrize("out", [[], ["--out", "rows.csv"]])
def test_runs_export_adds_the_payload_only_when_asked(
    capsys: pytest.CaptureFixture[str], store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, out: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    columns = {}
    for flag in ((), ("--payload",)):
        _, printed, _ = run(capsys, "runs", "export", "1", "--store", store, *out, *flag)
        rows = list(csv.DictReader(io.StringIO(Path("rows.csv").read_text() if out else printed)))
        columns[flag] = list(rows[0])
    assert set(columns[("--payload",)]) - set(columns[()]) == {"payload"}
    assert json.loads(rows[0]["payload"])


@pytest.mark.parametrize("width", [55, 70, 80, 200])
def test_runs_list_prints_a_line_for_each_run(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    path = str(tmp_path / "runs.sqlite")
    for number in range(3):
        Store.open(path).run("recycle analyse", {"game": "gin_rummy", "seed": number}).set_total(23_720_000)
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    _, out, _ = run(capsys, "runs", "list", "--store", path)
    assert len(out.splitlines()) == 4
    assert max(map(len, out.splitlines())) <= width
    assert out.count("recycle analyse gin_rummy") == (3 if width >= 70 else 0)


def test_export_as_parquet(capsys: pytest.CaptureFixture[str], store: str, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="the extra 'lab' is not installed")
    for number, many in (("1", 4), ("2", 0)):
        path = tmp_path / f"{number}.parquet"
        assert answer(capsys, "runs", "export", number, "--store", store, "--out", str(path))["rows"] == many
        table = parquet.read_table(path)
        assert table.num_rows == many
        assert str(table.schema.field("wins").type) == "int64"
    rows = parquet.read_table(tmp_path / "1.parquet").to_pylist()
    assert rows == answer(capsys, "runs", "export", "1", "--store", store)["rows"]


def test_parquet_without_pyarrow_says_what_is_missing(
    capsys: pytest.CaptureFixture[str], store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    status, out, err = run(capsys, "runs", "export", "1", "--store", store, "--out", str(tmp_path / "run.parquet"))
    assert (status, out, err) == (2, "", "error: this needs pyarrow: pip install 'meldlab[lab]'\n")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["show", "9"], "no run 9 (use 1, 2)"),
        (["export", "1", "--out", "run.xls"], "no format '.xls' (use .csv, .parquet)"),
        (["export", "1", "--out", "/no/such/folder/run.csv"], "cannot be written"),
        (["show", "one"], "Invalid value for"),
    ],
)
def test_mistakes_are_one_line(capsys: pytest.CaptureFixture[str], store: str, arguments: list[str], why: str) -> None:
    status, out, err = run(capsys, "runs", *arguments, "--store", store)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert why in err


def test_an_empty_store_says_so(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Store.open(tmp_path / "new.sqlite")
    status, out, _ = run(capsys, "runs", "list", "--store", str(tmp_path / "new.sqlite"))
    assert status == 0
    assert out.startswith("no runs in sqlite:///")
    monkeypatch.delenv("MELDLAB_STORE", raising=False)
    monkeypatch.setenv("MELDLAB_CACHE", str(tmp_path / "cache"))
    status, out, _ = run(capsys, "runs", "list")
    assert (status, out.startswith("no runs yet")) == (0, True)
    assert not (tmp_path / "cache" / "runs.sqlite").exists()


@pytest.mark.parametrize("verb", [("runs", "list"), ("runs", "show", "1"), ("runs", "export", "1"), ("runs", "show", "--watch")])
def test_looking_makes_no_store(capsys: pytest.CaptureFixture[str], tmp_path: Path, verb: tuple[str, ...]) -> None:
    status, out, err = run(capsys, *verb, "--store", str(tmp_path / "typo.sqlite"))
    assert (status, out, err) == (2, "", f"error: no store in {tmp_path / 'typo.sqlite'}\n")
    assert not list(tmp_path.iterdir())
    (tmp_path / "empty.sqlite").touch()
    status, _, err = run(capsys, *verb, "--store", str(tmp_path / "empty.sqlite"))
    assert (status, err.count("\n")) == (2, 1)
    assert "is not a store" in err
    assert (tmp_path / "empty.sqlite").stat().st_size == 0


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
def test_a_store_is_read_where_nobody_can_write(tmp_path: Path) -> None:
    folder = tmp_path / "medium"
    folder.mkdir()
    kept = Store.open(folder / "runs.sqlite")
    kept.run("knock", {"games": 4}).finish({"best": 1})
    kept.engine.dispose()
    (folder / "runs.sqlite").chmod(0o444)
    folder.chmod(0o555)
    # Whoever reads must be able to reach it: every folder of pytest's on the way.
    for parent in (tmp_path, *tmp_path.parents):
        if parent.name.startswith(("pytest-", "popen-", "test_")):
            parent.chmod(0o755)
    child = os.fork()
    if child == 0:
        # Root may write anywhere: be nobody, in a process of its own.
        if os.getuid() == 0:
            os.setgid(65534)
            os.setuid(65534)
        try:
            looked = [(each.experiment, each.result) for each in Store.open_read_only(folder / "runs.sqlite").runs()]
        except BaseException:
            os._exit(2)
        os._exit(0 if looked == [("knock", {"best": 1})] and len(list(folder.iterdir())) == 1 else 1)
    assert os.waitpid(child, 0)[1] == 0
    folder.chmod(0o755)


def test_the_game_of_an_analysis_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = str(tmp_path / "runs.sqlite")
    Store.open(path).run("recycle analyse", {"game": "kuhn_poker"})
    status, out, _ = run(capsys, "runs", "list", "--store", path)
    assert status == 0
    assert "recycle analyse kuhn_poker" in out
    assert re.search(r"\d{4}-\d\d-\d\dT\d\d:\d\dZ", out)


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        ([], ["run 2, grid, stopped: 0 of 1,000 games (0.0%)", "  best so far no player yet"]),
        (["1"], ["run 1, knock, finished: 80 of 80 games (100.0%)", "  best so far knock:"]),
    ],
)
def test_watch_prints_the_state_of_a_run_or_of_the_latest(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, store: str, arguments: list[str], lines: list[str]
) -> None:
    def interrupt(seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("meldlab.cli.runs.time.sleep", interrupt)
    status, out, _ = run(capsys, "runs", "show", *arguments, "--watch", "--store", store)
    assert status == (0 if arguments else 130)
    assert [printed.startswith(line) for printed, line in zip(out.splitlines(), lines, strict=True)] == [True, True]


def test_watch_a_search_until_it_is_over(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Store.open(tmp_path / "runs.sqlite")
    search, pieces = kept.run("knock", {}), Task("contest", "simple", games=40).split(20)
    search.claim([piece.row() for piece in pieces], "another.machine:1:x")
    search.set_total(40)
    looks = []

    def meanwhile(seconds: float) -> None:
        looks.append(seconds)
        search.release("another.machine:1:x")
        run_tasks(pieces, search, jobs=1)
        search.finish(None)

    monkeypatch.setattr("meldlab.cli.runs.time.sleep", meanwhile)
    _, out, _ = run(capsys, "runs", "show", "--watch", "--every", "0.5", "--store", str(tmp_path / "runs.sqlite"))
    lines = out.splitlines()
    assert looks == [0.5]
    assert lines[0] == "run 1, knock, running: 0 of 40 games (0.0%), 0 games/s from 1 process, time left not yet known"
    assert lines[2] == "run 1, knock, finished: 40 of 40 games (100.0%)"
