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

from meldlab.arena.contest import contest
from meldlab.arena.shards import gather, play_shard, rules_of, won
from meldlab.errors import MeldlabError, NoSuchThing, NotLegalHere, NotPossible
from meldlab.gin import Gin
from meldlab.gin.players import Ensemble, files_of
from meldlab.runs.store import Run, Store
from meldlab.runs.tasks import WORKERS, Shard, Worker, play

players = st.sampled_from(["simple", "gin-only", "knock:10,0,6"]) | st.lists(
    st.floats(-1e6, 1e6, allow_nan=False), min_size=1, max_size=5
).map(tuple)
shards = st.builds(
    Shard,
    st.sampled_from(["gin.contest", "some.module:function"]),
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
def test_keys_are_equal_exactly_when_shards_are(one: Shard, other: Shard) -> None:
    assert (one.key == other.key) == (one == other)
    assert replace(one, label="a name for people").key == one.key


@given(shards, st.data())
def test_every_field_is_in_the_key(shard: Shard, data: st.DataObject) -> None:
    changes: dict[str, Any] = {"worker": "other:worker", "player": "mc:1", "opponent": (1.5,), "rules": "openspiel"}
    changes |= {"seed": shard.seed + 1, "first": shard.first + 1, "games": shard.games + 1, "arguments": {"more": [1]}}
    name = data.draw(st.sampled_from(sorted(changes)))
    assert replace(shard, **{name: changes[name]}).key != shard.key


def test_keys_are_the_same_on_every_machine_and_in_every_process() -> None:
    text = 'from meldlab.runs.tasks import Shard; print(Shard("gin.contest", (1, 0.1), arguments={"b": 1, "a": 2}).key)'
    environment = {**os.environ, "PYTHONHASHSEED": "7", "PYTHONPATH": os.pathsep.join(sys.path)}
    said = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, env=environment, check=True)
    mine = Shard("gin.contest", (np.float64(1.0), 0.1), arguments={"a": 2, "b": 1})
    assert said.stdout.strip() == mine.key == "5a5ff2078239998076d6a7639f56fffb"


def test_equal_numbers_are_one_player() -> None:
    assert Shard("gin.contest", (0.0, 1)).key == Shard("gin.contest", (-0.0, np.float64(1.0))).key


@given(st.integers(0, 10**6), st.integers(1, 5000), st.integers(1, 600))
def test_pieces_cover_every_game_once(first: int, games: int, size: int) -> None:
    pieces = Shard("gin.contest", "simple", first=first, games=games).split(size)
    covered = [(piece.first, piece.first + piece.games) for piece in pieces]
    assert covered[0][0] == first
    assert covered[-1][1] == first + games
    assert all(before[1] == after[0] for before, after in pairwise(covered))
    assert all(piece.games <= size for piece in pieces)


@given(st.lists(st.integers(1, 20), min_size=1, max_size=6), st.integers(0, 50), st.integers(0, 3))
def test_any_cut_adds_up_to_the_same_counts(pairs: list[int], first: int, seed: int) -> None:
    uncut = Shard("gin.contest", "knock:10,0,6", "simple", seed=seed, first=2 * first, games=2 * sum(pairs))
    pieces, start = [], uncut.first
    for many in pairs:
        pieces.append(replace(uncut, first=start, games=2 * many))
        start += 2 * many
    counts, at_once = [play_shard(piece) for piece in pieces], play_shard(uncut)
    for name in ("games", "wins", "swept"):
        assert sum(each[name] for each in counts) == at_once[name]
    for name in ("sums", "products"):
        assert np.sum([each[name] for each in counts], axis=0).tolist() == at_once[name]
    for which in ("won", "lost"):
        assert won(counts, which).tolist() == won([at_once], which).tolist()


def test_shards_are_what_the_arena_counts() -> None:
    played = contest(Gin(), ["ensemble:paper", "simple"], 60, seed=4)
    pieces = Shard("gin.contest", Ensemble().numbers(), "simple", seed=4, games=60).split(14)
    found = gather(map(play_shard, pieces), ("ensemble:paper", "simple"))
    assert np.array_equal(found.moments.sums, played.moments.sums)
    assert np.array_equal(found.moments.products, played.moments.products)
    assert np.array_equal(found.won, played.won)
    assert found.as_json() == {**played.as_json(), "seconds": 0.0, "games_per_second": found.as_json()["games_per_second"]}
    bits = won(map(play_shard, pieces))
    assert bits.sum() == played.wins()
    assert (bits.reshape(-1, 2).sum(1) == 2).sum() == (played.won[:, 0] == 2).sum()


def test_counts_come_back_in_the_order_of_the_shards_and_from_the_store(run: Run) -> None:
    pieces = Shard("gin.contest", "simple", "gin-only", seed=2, games=30).split(4)[::-1]
    told: list[tuple[int, int]] = []
    fresh = play(pieces, run, jobs=2, progress=lambda done, whole: told.append((done, whole)))
    assert list(fresh) == [piece.key for piece in pieces]
    assert list(fresh.values()) == [play_shard(piece) for piece in pieces]
    assert told == sorted(told)
    assert told[-1] == (30, 30)
    assert json.dumps(play(pieces, run)) == json.dumps(fresh)
    assert run.store.find(run.number).planned == 30


def test_a_shard_that_is_asked_for_twice_is_played_once(run: Run) -> None:
    piece = Shard("gin.contest", "simple", games=2)
    assert list(play([piece, piece], run)) == [piece.key]
    assert run.games() == 2


def in_pieces(shard: Shard) -> dict[str, Any]:
    """A worker in a module of somebody's own."""
    return {"games": shard.games, "process": os.getpid(), "asked": shard.arguments["question"]}


@pytest.fixture
def processes() -> Iterator[None]:
    yield
    get_reusable_executor().shutdown(wait=True)  # they would wait for more work long after the test


@pytest.mark.usefixtures("processes")
def test_a_worker_of_ones_own_runs_in_processes(run: Run) -> None:
    piece = Shard("tests.runs.test_tasks:in_pieces", "nobody", games=3, arguments={"question": [1, 2]})
    counts = play([piece], run, jobs=2)[piece.key]
    assert counts["asked"] == [1, 2]
    assert counts["process"] != os.getpid()


@pytest.fixture
def troubled() -> Iterator[None]:
    WORKERS["test.trouble"] = Worker("tests.runs.test_tasks:trouble", threads=True)
    yield
    del WORKERS["test.trouble"]


def trouble(shard: Shard) -> dict[str, Any]:
    if shard.first == 6:
        raise NotLegalHere("game 6 cannot be played")
    return {"games": shard.games}


@pytest.mark.usefixtures("troubled")
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_piece_that_fails_ends_the_search_and_leaves_nothing_claimed(run: Run, jobs: int) -> None:
    pieces = Shard("test.trouble", "nobody", games=20).split(2)
    with pytest.raises(NotLegalHere, match="game 6 cannot be played"):
        play(pieces, run, jobs=jobs)
    done = run.done([piece.key for piece in pieces])
    assert pieces[3].key not in done
    assert len(run.claim([piece.row() for piece in pieces], "another.machine:1:x")) == len(pieces) - len(done)


@pytest.mark.parametrize("jobs", [1, 2])
def test_whoever_stops_in_the_middle_keeps_what_is_done_and_claims_nothing(run: Run, jobs: int) -> None:
    pieces = Shard("gin.contest", "simple", games=80).split(2)

    def stop(done: int, whole: int) -> None:
        if done >= 20:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play(pieces, run, jobs=jobs, progress=stop)
    done = run.done([piece.key for piece in pieces])
    assert 10 <= len(done) < 40
    assert len(run.claim([piece.row() for piece in pieces], "another.machine:1:x")) == len(pieces) - len(done)


def test_two_threads_of_one_process_share_a_search(run: Run) -> None:
    pieces = Shard("tests.runs.test_tasks:slow", "nobody", games=40).split(2)
    WORKERS[pieces[0].worker] = Worker(pieces[0].worker, threads=True)
    played.clear()
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda _: play(pieces, run, jobs=2), range(2)))
    del WORKERS[pieces[0].worker]
    assert answers[0] == answers[1]
    assert sorted(played) == sorted(piece.first for piece in pieces)


played: list[int] = []


def slow(shard: Shard) -> dict[str, Any]:
    time.sleep(0.01)
    played.append(shard.first)
    return {"games": shard.games}


def test_pieces_of_a_holder_that_dies_are_taken_over(run: Run) -> None:
    pieces = Shard("gin.contest", "simple", games=8).split(2)
    run.claim([pieces[1].row()], "another.machine:1:x")
    answers: list[int] = []
    worker = threading.Thread(target=lambda: answers.append(len(play(pieces, run, jobs=1, lease=1.0))))
    worker.start()
    worker.join()
    assert answers == [4]
    assert run.games() == 8


def test_a_worker_of_another_version_is_refused(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("meldlab.runs.tasks.code_version", lambda: "0.0.1")
    with pytest.raises(NotPossible, match=r"plays version 0\.0\.1, the search is of version"):
        play([Shard("gin.contest", "simple", games=2)], run, jobs=1)
    assert run.games() == 0


@pytest.mark.parametrize(
    ("shard", "why"),
    [
        (Shard("gin.contest", "simple", games=3), "games 0 to 2 are not mirrored pairs"),
        (Shard("gin.contest", "simple", first=1, games=2), "games 1 to 2 are not mirrored pairs"),
        (Shard("gin.contest", (1.0, 2.0), games=2), "parameters of a player, got 2"),
        (Shard("gin.contest", "mc:4", games=2), "mc:4 does not play in the batch kernel"),
        (Shard("gin.contest", "nobody", games=2), "no player 'nobody'"),
        (Shard("gin.fight", "simple", games=2), "no worker 'gin.fight'"),
        (Shard("no.such.module:function", "simple", games=2), "no worker no.such.module:function"),
        (Shard("meldlab.arena.shards:nothing", "simple", games=2), "no worker meldlab.arena.shards:nothing"),
    ],
)
def test_what_cannot_be_played_is_named(run: Run, shard: Shard, why: str) -> None:
    with pytest.raises(MeldlabError, match=why):
        play([shard], run, jobs=1)


def test_fields_that_cannot_be(run: Run) -> None:
    with pytest.raises(NotLegalHere, match="games must be a whole number from 1"):
        Shard("gin.contest", "simple", games=0)
    with pytest.raises(NotLegalHere, match="games of a piece must be a whole number from 1"):
        Shard("gin.contest", "simple").split(0)
    with pytest.raises(NotPossible, match="-1 cores cannot be used"):
        play([Shard("gin.contest", "simple")], run, jobs=-1)
    with pytest.raises(NotPossible, match="1,000,000 cores cannot be used"):
        play([Shard("gin.contest", "simple")], run, jobs=1_000_000)


def test_rules_by_name_or_in_full() -> None:
    assert rules_of('{"preset": "pagat", "knock_limit": 5}').knock_limit == 5
    with pytest.raises(NoSuchThing, match="no rules 'house'"):
        rules_of("house")


def test_an_edited_file_does_not_find_the_rows_of_the_old_one(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"

    def games_of(preset: str) -> str:
        path.write_text(str(Ensemble.preset(preset)))
        shard = Shard("gin.contest", f"ensemble:{path}", seed=1, games=100)
        return str(play([shard], run, jobs=1)[shard.key]["won"])

    of = {preset: play_shard(Shard("gin.contest", f"ensemble:{preset}", seed=1, games=100))["won"] for preset in ("paper", "best")}
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
        keys |= {Shard("gin.contest", f"computed:{folder}").key, Shard("own_worker:play", "simple").key}
    assert len(keys) == 4


def test_keys_do_not_depend_on_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("paper", "light", "200"):
        (tmp_path / folder).mkdir()
    (tmp_path / "shards.py").write_text("")
    shards = [
        Shard("gin.contest", "ensemble:paper", "computed:light"),
        Shard("recycle.search", "mcts:200", "knock:10,0,6"),
        Shard("tests.runs.test_tasks:slow", "champion:search:200"),
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
    shard = Shard("gin.contest", f"ensemble:{path}", seed=1, games=20)
    assert shard.key == shard.digest()
    path.write_text(str(Ensemble.preset("best")))
    with pytest.raises(NotPossible, match="other files than the search began with"):
        play([shard], run, jobs=1)
    assert run.games() == 0


class LockedOnce(Run):
    """A run whose first renewal finds the database locked."""

    def renew(self, owner: str) -> None:
        renewals.append(owner)
        if len(renewals) == 1:
            raise NotPossible("the store does not answer: database is locked")
        super().renew(owner)


renewals: list[str] = []


def wait_for_renewals(shard: Shard) -> dict[str, Any]:
    """Take as long as three renewals need, at most ten seconds."""
    end = time.monotonic() + 10
    while len(renewals) < 3 and time.monotonic() < end:
        time.sleep(0.01)
    return {"games": shard.games}


def test_renewals_continue_after_a_failed_one(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(WORKERS, "test.renewals", Worker("tests.runs.test_tasks:wait_for_renewals", threads=True))
    renewals.clear()
    locked = LockedOnce(**{name: getattr(run, name) for name in run.__dataclass_fields__})
    play([Shard("test.renewals", "nobody", games=2)], locked, jobs=1, lease=0.3)
    assert len(renewals) >= 3
