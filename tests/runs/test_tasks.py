"""Shards: a key for what the counts depend on and nothing else, and pieces that add up however they are cut."""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from joblib.externals.loky import get_reusable_executor

from meldlab.arena.contest import ContestResult, play_contest, seatings
from meldlab.arena.tasks import contest_task, task_game
from meldlab.errors import MeldlabError, NoSuchThing, NotLegalHere, NotPossible
from meldlab.gin import Gin
from meldlab.gin.players import Ensemble, files_of
from meldlab.recycle import RecycleGame
from meldlab.runs.store import Run, Store
from meldlab.runs.tasks import TASKS, Task, TaskFunction, run_tasks

players = st.sampled_from(["simple", "gin-only", "knock:10,0,6"]) | st.lists(
    st.floats(-1e6, 1e6, allow_nan=False), min_size=1, max_size=5
).map(tuple)
shards = st.builds(
    Task,
    st.sampled_from(["contest", "some.module:function"]),
    players,
    players,
    st.sampled_from(["eaai", "pagat"]),
    st.integers(0, 2**40),
    st.integers(0, 2**40),
    st.integers(1, 2**30),
    st.dictionaries(st.text(max_size=3), st.integers() | st.text(max_size=3), max_size=2),
)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Store.open(tmp_path / "runs.sqlite").run("a search", {})


@given(shards, shards)
def test_keys_are_equal_exactly_when_shards_are(one: Task, other: Task) -> None:
    assert (one.key == other.key) == (one == other)
    assert replace(one, label="a name for people").key == one.key


@given(shards, st.data())
def test_every_field_is_in_the_key(shard: Task, data: st.DataObject) -> None:
    changes: dict[str, Any] = {"function": "other:function", "player": "mc:1", "opponent": (1.5,), "rules": "openspiel"}
    changes |= {"seed": shard.seed + 1, "first": shard.first + 1, "games": shard.games + 1, "arguments": {"more": [1]}}
    name = data.draw(st.sampled_from(sorted(changes)))
    assert replace(shard, **{name: changes[name]}).key != shard.key


def test_keys_are_the_same_on_every_machine_and_in_every_process() -> None:
    text = 'from meldlab.runs.tasks import Task; print(Task("contest", (1, 0.1), arguments={"b": 1, "a": 2}).key)'
    environment = {**os.environ, "PYTHONHASHSEED": "7", "PYTHONPATH": os.pathsep.join(sys.path)}
    said = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, env=environment, check=True)
    mine = Task("contest", (np.float64(1.0), 0.1), arguments={"a": 2, "b": 1})
    assert said.stdout.strip() == mine.key == "bce939f5c442dc9a3422d3219f1ee5b2"


def test_equal_numbers_are_one_player() -> None:
    assert Task("contest", (0.0, 1)).key == Task("contest", (-0.0, np.float64(1.0))).key


@given(st.integers(0, 10**6), st.integers(1, 5000), st.integers(1, 600))
def test_pieces_cover_every_game_once(first: int, games: int, size: int) -> None:
    pieces = Task("contest", "simple", first=first, games=games).split(size)
    covered = [(piece.first, piece.first + piece.games) for piece in pieces]
    assert covered[0][0] == first
    assert covered[-1][1] == first + games
    assert all(before[1] == after[0] for before, after in pairwise(covered))
    assert all(piece.games <= size for piece in pieces)


@given(st.lists(st.integers(1, 20), min_size=1, max_size=6), st.integers(0, 50), st.integers(0, 3))
def test_contest_tasks_of_any_cut_add_up_to_the_contest(pairs: list[int], first: int, seed: int) -> None:
    uncut = Task("contest", "knock:10,0,6", "simple", seed=seed, first=2 * first, games=2 * sum(pairs))
    pieces, start = [], uncut.first
    for count in pairs:
        pieces.append(replace(uncut, first=start, games=2 * count))
        start += 2 * count
    counts, at_once = [contest_task(piece) for piece in pieces], contest_task(uncut)
    for name in ("games", "wins", "swept"):
        assert sum(part[name] for part in counts) == at_once[name]
    names = ("knock:10,0,6", "simple")
    joined, whole = (ContestResult.from_counts(Gin(), names, parts) for parts in (counts, [at_once]))
    assert joined.as_json() == whole.as_json()
    assert np.array_equal(joined.deal_wins, whole.deal_wins)


@pytest.mark.parametrize(
    ("game", "players", "rules"),
    [
        ("gin", ["ensemble:paper", "simple"], "eaai"),
        ("gin", ["random", "simple"], '{"preset": "openspiel"}'),
        ("rummikub", ["greedy", "random"], '{"preset": "paper"}'),
        ("recycle", ["random", "random"], None),
        ("recycle", ["random", "mcts:4", "random"], None),
    ],
)
def test_contest_tasks_play_every_game_of_the_registry(game: str, players: list[str], rules: str | None) -> None:
    name = "hearts" if len(players) == 3 else "kuhn_poker"
    rules = rules or json.dumps(dict(RecycleGame.load(name).rules()))
    games = 6 if game == "rummikub" else 24  # a game of Rummikub takes half a second
    task = Task("contest", players[0], players[1], rules=rules, seed=4, games=games, arguments={"game": game, "others": players[2:]})
    contest, seats = task_game(task), len(seatings(task_game(task), len(players)))
    played = play_contest(contest, players, games, seed=4, threads=1)
    counts = [contest_task(part) for part in task.split(seats)]
    joined = ContestResult.from_counts(contest, played.players, json.loads(json.dumps(counts)))
    for part in (joined, played):
        assert part.games == games
    timing = dict.fromkeys(("seconds", "games_per_second"))
    assert {**joined.as_json(), **timing} == {**played.as_json(), **timing}
    assert np.array_equal(joined.deal_wins, played.deal_wins)


def test_contest_task_plays_the_parameters_in_a_name() -> None:
    preset, parameters = (
        contest_task(Task("contest", player, "simple", seed=4, games=60)) for player in ("ensemble:paper", f"ensemble:{Ensemble()}")
    )
    assert preset == parameters


def test_counts_come_back_in_the_order_of_the_shards_and_from_the_store(run: Run) -> None:
    pieces = Task("contest", "simple", "gin-only", seed=2, games=30).split(4)[::-1]
    reports: list[tuple[float, float]] = []
    fresh = run_tasks(pieces, run, jobs=2, progress=lambda done, total, message: reports.append((done, total)))
    assert list(fresh) == [piece.key for piece in pieces]
    assert list(fresh.values()) == [contest_task(piece) for piece in pieces]
    assert reports == sorted(reports)
    assert reports[-1] == (30, 30)
    assert json.dumps(run_tasks(pieces, run)) == json.dumps(fresh)
    assert run.store.find(run.number).planned == 30


def test_a_shard_that_is_asked_for_twice_is_played_once(run: Run) -> None:
    piece = Task("contest", "simple", games=2)
    assert list(run_tasks([piece, piece], run)) == [piece.key]
    assert run.games() == 2


def in_pieces(shard: Task) -> dict[str, Any]:
    """A worker in a module of somebody's own."""
    return {"games": shard.games, "process": os.getpid(), "asked": shard.arguments["question"]}


@pytest.fixture
def processes() -> Iterator[None]:
    yield
    get_reusable_executor().shutdown(wait=True)  # they would wait for more work long after the test


@pytest.mark.usefixtures("processes")
def test_a_worker_of_ones_own_runs_in_processes(run: Run) -> None:
    piece = Task("tests.runs.test_tasks:in_pieces", "nobody", games=3, arguments={"question": [1, 2]})
    counts = run_tasks([piece], run, jobs=2)[piece.key]
    assert counts["asked"] == [1, 2]
    assert counts["process"] != os.getpid()


@pytest.fixture
def troubled() -> Iterator[None]:
    TASKS["test.trouble"] = TaskFunction("tests.runs.test_tasks:trouble", threads=True)
    yield
    del TASKS["test.trouble"]


def trouble(shard: Task) -> dict[str, Any]:
    if shard.first == 6:
        raise NotLegalHere("game 6 cannot be played")
    return {"games": shard.games}


@pytest.mark.usefixtures("troubled")
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_piece_that_fails_ends_the_search_and_leaves_nothing_claimed(run: Run, jobs: int) -> None:
    pieces = Task("test.trouble", "nobody", games=20).split(2)
    with pytest.raises(NotLegalHere, match="game 6 cannot be played"):
        run_tasks(pieces, run, jobs=jobs)
    done = run.done([piece.key for piece in pieces])
    assert pieces[3].key not in done
    assert len(run.claim([piece.row() for piece in pieces], "another.machine:1:x")) == len(pieces) - len(done)


@pytest.mark.parametrize("jobs", [1, 2])
def test_whoever_stops_in_the_middle_keeps_what_is_done_and_claims_nothing(run: Run, jobs: int) -> None:
    pieces = Task("contest", "simple", games=80).split(2)

    def stop(done: float, total: float, message: str) -> None:
        if done >= 20:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_tasks(pieces, run, jobs=jobs, progress=stop)
    done = run.done([piece.key for piece in pieces])
    assert 10 <= len(done) < 40
    assert len(run.claim([piece.row() for piece in pieces], "another.machine:1:x")) == len(pieces) - len(done)


def test_two_threads_of_one_process_share_a_search(run: Run) -> None:
    pieces = Task("tests.runs.test_tasks:slow", "nobody", games=40).split(2)
    TASKS[pieces[0].function] = TaskFunction(pieces[0].function, threads=True)
    played.clear()
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda _: run_tasks(pieces, run, jobs=2), range(2)))
    del TASKS[pieces[0].function]
    assert answers[0] == answers[1]
    assert sorted(played) == sorted(piece.first for piece in pieces)


played: list[int] = []


def slow(shard: Task) -> dict[str, Any]:
    time.sleep(0.01)
    played.append(shard.first)
    return {"games": shard.games}


def test_pieces_of_a_holder_that_dies_are_taken_over(run: Run) -> None:
    pieces = Task("contest", "simple", games=8).split(2)
    run.claim([pieces[1].row()], "another.machine:1:x")
    answers: list[int] = []
    worker = threading.Thread(target=lambda: answers.append(len(run_tasks(pieces, run, jobs=1, lease=1.0))))
    worker.start()
    worker.join()
    assert answers == [4]
    assert run.games() == 8


def test_a_worker_of_another_version_is_refused(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("meldlab.runs.tasks.code_version", lambda experiment="": "0.0.1")
    with pytest.raises(NotPossible, match=r"has version 0\.0\.1, the run has version"):
        run_tasks([Task("contest", "simple", games=2)], run, jobs=1)
    assert run.games() == 0


@pytest.mark.parametrize(
    ("shard", "why"),
    [
        (Task("contest", "simple", games=3), "games 0 to 2 are not mirrored pairs"),
        (Task("contest", "simple", first=1, games=2), "games 1 to 2 are not mirrored pairs"),
        (Task("contest", (1.0, 2.0), games=2), "between players with names, not numbers"),
        (Task("contest", "nobody", games=2), "no player 'nobody'"),
        (Task("gin.fight", "simple", games=2), "no task function 'gin.fight'"),
        (Task("no.such.module:function", "simple", games=2), "no task function no.such.module:function"),
        (Task("meldlab.arena.contest:nothing", "simple", games=2), "no task function meldlab.arena.contest:nothing"),
    ],
)
def test_what_cannot_be_played_is_named(run: Run, shard: Task, why: str) -> None:
    with pytest.raises(MeldlabError, match=why):
        run_tasks([shard], run, jobs=1)


def test_fields_that_cannot_be(run: Run) -> None:
    with pytest.raises(NotLegalHere, match="games must be a whole number from 1"):
        Task("contest", "simple", games=0)
    with pytest.raises(NotLegalHere, match="games of a task must be a whole number from 1"):
        Task("contest", "simple").split(0)
    with pytest.raises(NotPossible, match="-1 cores cannot be used"):
        run_tasks([Task("contest", "simple")], run, jobs=-1)
    with pytest.raises(NotPossible, match="1,000,000 cores cannot be used"):
        run_tasks([Task("contest", "simple")], run, jobs=1_000_000)


def test_rules_by_name_or_in_full() -> None:
    game = task_game(Task("contest", "simple", rules='{"preset": "pagat", "knock_limit": 5}'))
    assert game.rule.knock_limit == 5  # type: ignore[attr-defined]
    with pytest.raises(NoSuchThing, match="no rules 'house'"):
        task_game(Task("contest", "simple", rules="house"))


def test_an_edited_file_does_not_find_the_rows_of_the_old_one(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"

    def games_of(preset: str) -> str:
        path.write_text(str(Ensemble.preset(preset)))
        shard = Task("contest", f"ensemble:{path}", seed=1, games=100)
        return str(run_tasks([shard], run, jobs=1)[shard.key]["deal_wins"])

    of = {preset: contest_task(Task("contest", f"ensemble:{preset}", seed=1, games=100))["deal_wins"] for preset in ("paper", "best")}
    assert of["paper"] != of["best"]
    assert [games_of(preset) for preset in ("paper", "best", "paper")] == [of["paper"], of["best"], of["paper"]]
    assert run.games() == 200, "the third time it is the first file again"


def test_a_folder_and_an_own_module_count_by_what_they_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    folder, module = tmp_path / "computed", tmp_path / "own_worker.py"
    folder.mkdir()
    keys = set()
    for text in ("one", "two"):
        (folder / "book.npz").write_text(text)
        module.write_text(f"# {text}\n")
        keys |= {Task("contest", f"computed:{folder}").key, Task("own_worker:play", "simple").key}
    assert len(keys) == 4


def test_keys_do_not_depend_on_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("paper", "light", "200"):
        (tmp_path / folder).mkdir()
    (tmp_path / "shards.py").write_text("")
    shards = [
        Task("contest", "ensemble:paper", "computed:light"),
        Task("recycle.search", "mcts:200", "knock:10,0,6"),
        Task("tests.runs.test_tasks:slow", "champion:search:200"),
    ]
    keys = [shard.digest() for shard in shards]
    monkeypatch.chdir(tmp_path)
    assert [shard.digest() for shard in shards] == keys


def test_files_of_a_player_are_those_that_its_name_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    toml, own, network = tmp_path / "mine.toml", tmp_path / "mine.py", tmp_path / "mine.npz"
    for path in (toml, own, network):
        path.write_text("x")
    monkeypatch.syspath_prepend(tmp_path)
    assert files_of(f"ensemble:{toml}") == [toml]
    assert files_of(f"computed:{tmp_path}") == [tmp_path]
    assert files_of(f"computed:{network}") == [network]
    assert files_of(f"{own}:Mine") == [own]
    assert files_of("mine:Mine") == [own]
    for name in ("simple", "ensemble:best", "knock:10,0,6", "mc:64", "computed", "meldlab.gin.players:SimplePlayer", "nowhere:nobody", ""):
        assert files_of(name) == []


def test_a_worker_that_reads_another_file_is_refused(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(str(Ensemble.preset("paper")))
    shard = Task("contest", f"ensemble:{path}", seed=1, games=20)
    assert shard.key == shard.digest()
    path.write_text(str(Ensemble.preset("best")))
    with pytest.raises(NotPossible, match="a worker read other files"):
        run_tasks([shard], run, jobs=1)
    assert run.games() == 0


class LockedOnce(Run):
    """A run whose first renewal finds the database locked."""

    def renew(self, owner: str) -> None:
        renewals.append(owner)
        if len(renewals) == 1:
            raise NotPossible("the store does not answer: database is locked")
        super().renew(owner)


renewals: list[str] = []


def wait_for_renewals(shard: Task) -> dict[str, Any]:
    """Take as long as three renewals need, at most ten seconds."""
    end = time.monotonic() + 10
    while len(renewals) < 3 and time.monotonic() < end:
        time.sleep(0.01)
    return {"games": shard.games}


def test_renewals_continue_after_a_failed_one(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TASKS, "test.renewals", TaskFunction("tests.runs.test_tasks:wait_for_renewals", threads=True))
    renewals.clear()
    locked = LockedOnce(**{name: getattr(run, name) for name in run.__dataclass_fields__})
    run_tasks([Task("test.renewals", "nobody", games=2)], locked, jobs=1, lease=0.3)
    assert len(renewals) >= 3
