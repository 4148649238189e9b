"""The store: one run for one question, one count for one piece, whoever asks and however often."""

import sqlite3
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from meldlab.errors import MeldlabError, NoSuchThing, NotLegalHere, NotPossible
from meldlab.runs.leaderboard import LeaderboardRow, RunProgress, leaderboard
from meldlab.runs.store import Run, Store, TaskResult, canonical
from meldlab.runs.tasks import Task
from meldlab.statistics import Moments, wilson

plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
ELSEWHERE = "another.machine:1:x"


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Store.open(tmp_path / "runs.sqlite").run("a search", {"games": 10})


def rows(many: int) -> list[dict[str, Any]]:
    return [Task("contest", "simple", first=2 * n, games=2).row() for n in range(many)]


def finished(row: dict[str, Any], wins: int) -> TaskResult:
    return TaskResult(row["task"], canonical({"games": row["games"], "wins": wins, "more": [1.5, None]}), 0.1)


@given(st.dictionaries(st.text(), plain, max_size=4), st.randoms(use_true_random=False))
def test_canonical_text_does_not_depend_on_the_order_of_keys(settings: dict[str, Any], random: Any) -> None:
    items = list(settings.items())
    random.shuffle(items)
    assert canonical(dict(items)) == canonical(settings)


def test_the_same_question_is_the_same_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store.open(tmp_path / "runs.sqlite")
    first = store.run("grid", {"a": 1, "b": [1, 2]})
    again = Store.open(f"sqlite:///{tmp_path / 'runs.sqlite'}").run("grid", {"b": (1, 2), "a": 1})
    assert again == first
    assert store.run("grid", {"a": 1, "b": [2, 1]}).number != first.number
    assert store.run("race", {"a": 1, "b": [1, 2]}).number != first.number
    monkeypatch.setattr("meldlab.runs.store.code_version", lambda experiment="": "0.0.1")
    assert store.run("grid", {"a": 1, "b": [1, 2]}).number != first.number, "another version plays differently"
    assert [each.number for each in store.runs()] == [1, 2, 3, 4]


def test_a_run_is_known_without_being_started(tmp_path: Path) -> None:
    place = tmp_path / "runs.sqlite"
    assert Store.find_run(place, "knock", {"games": 20}) is None
    assert not place.exists()
    begun = Store.open(place).run("knock", {"games": 20})
    known = Store.find_run(place, "knock", {"games": 20})
    assert known is not None
    assert known.number == begun.number
    assert Store.find_run(place, "knock", {"games": 30}) is None
    assert len(Store.open(place).runs()) == 1


def test_many_open_a_new_file_at_once(tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(lambda _: Store.open(tmp_path / "runs.sqlite").run("at once", {}).number, range(8))) == {1}


def test_a_new_file_that_somebody_reads_is_waited_for(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "runs.sqlite", isolation_level=None, check_same_thread=False)) as reader:
        reader.execute("CREATE TABLE poems (line TEXT)")
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM poems").fetchall()
        leaves = threading.Timer(0.2, reader.execute, ["COMMIT"])
        leaves.start()
        assert Store.open(tmp_path / "runs.sqlite").run("patience", {}).number == 1
        leaves.join()


def test_a_run_keeps_notes_plan_and_answer(run: Run) -> None:
    run.note("one")
    run.note("two\n")
    run.set_total(100)
    run.set_total(50)
    run.finish({"best": ["é", 1.5]})
    found = run.store.find(run.number)
    assert (found.notes, found.planned, found.result) == ("one\ntwo\n", 100, {"best": ["é", 1.5]})
    assert found.finished is not None
    assert found.finished >= found.started


def test_a_piece_is_claimed_once(run: Run) -> None:
    keys = [row["task"] for row in rows(4)]
    assert sorted(run.claim(rows(3), "me.somewhere:1:x")) == sorted(keys[:3])
    assert run.claim(rows(4), "you.elsewhere:2:x") == [keys[3]]
    assert sorted(run.claim(rows(4), "me.somewhere:1:x")) == sorted(keys[:3]), "one's own claims stay one's own"
    run.write([finished(rows(4)[3], 1)])
    assert keys[3] not in run.claim(rows(4), "you.elsewhere:2:x"), "what is done is not done again"


def test_claims_that_nobody_renews_are_free_again(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr(Store, "clock", lambda self, connection: now[0])
    keys = sorted(row["task"] for row in rows(2))
    assert sorted(run.claim(rows(2), ELSEWHERE)) == keys
    now[0] += 50
    run.renew(ELSEWHERE)
    now[0] += 50
    assert run.claim(rows(2), "me.somewhere:1:x", lease=60) == []
    now[0] += 11
    assert sorted(run.claim(rows(2), "me.somewhere:1:x", lease=60)) == keys
    assert run.claim(rows(2), ELSEWHERE, lease=60) == []


def test_a_piece_counts_once_even_if_two_did_it(run: Run) -> None:
    run.claim(rows(2), ELSEWHERE)
    for wins in (2, 0):
        run.write([finished(rows(2)[0], wins), finished(rows(2)[1], wins)])
    counts = run.done([row["task"] for row in rows(2)])
    assert [each["wins"] for each in counts.values()] == [2, 2]
    assert run.games() == 4
    assert counts[rows(2)[0]["task"]] == {"games": 2, "wins": 2, "more": [1.5, None]}


def test_what_is_given_back_can_be_claimed(run: Run) -> None:
    run.claim(rows(3), ELSEWHERE)
    run.write([finished(rows(3)[0], 1)])
    run.release(ELSEWHERE)
    assert len(run.claim(rows(3), "me.somewhere:1:x")) == 2
    assert run.games() == 2


@given(st.lists(st.sampled_from([0, 1, 2]), min_size=2, max_size=40))
def test_the_interval_of_a_standing_is_that_of_its_pairs(pairs: list[int]) -> None:
    one = LeaderboardRow("x", "x", "y", "eaai", 2 * len(pairs), sum(pairs), pairs.count(2), None)
    counted = Moments.from_counts(np.array([[2, wins] for wins in pairs])).rate(1, 0)
    assert one.win_rate is not None
    assert (one.win_rate.value, one.win_rate.low, one.win_rate.high) == pytest.approx((counted.value, counted.low, counted.high))


def test_leaders_put_the_best_first(run: Run) -> None:
    shards = [Task("contest", f"knock:{n},0,6", games=100, label=f"early {n}") for n in (1, 2, 3)]
    few = Task("contest", "gin-only", games=4)
    run.claim([shard.row() for shard in (*shards, few)], ELSEWHERE)
    run.write(
        [TaskResult(shard.key, canonical({"games": 100, "wins": wins}), 1.0) for shard, wins in zip(shards, (60, 70, 65), strict=True)]
    )
    run.write([TaskResult(few.key, canonical({"games": 4, "wins": 3}), 1.0)])
    best = leaderboard(run)
    assert [one.label for one in best] == ["early 2", "early 3", "early 1", "gin-only"], "three of four are no lead"
    assert best[0].win_rate == wilson(0.7, 100)
    assert leaderboard(run, 1) == best[:1]


def test_leaders_are_led_by_who_was_measured_enough(run: Run) -> None:
    # A thousand equal players of 80 games each: the luckiest has an interval far above the rest, and means nothing.
    lucky = [Task("contest", (float(n),), games=80) for n in range(1000)]
    tried = [Task("contest", (float(-n),), games=5000) for n in (1, 2, 3)]
    luck = np.random.default_rng(1).binomial(80, 0.7, len(lucky))
    run.claim([shard.row() for shard in (*lucky, *tried)], ELSEWHERE)
    counted = [*zip(lucky, luck.tolist(), strict=True), *zip(tried, (3500, 3650, 3450), strict=True)]
    run.write([TaskResult(shard.key, canonical({"games": shard.games, "wins": wins}), 1.0) for shard, wins in counted])
    found = leaderboard(run)
    assert max(luck) / 80 > 0.8
    assert [one.player for one in found[:3]] == ["[-2.0]", "[-1.0]", "[-3.0]"]
    assert found[3].games == 80
    # While nobody has more games, the many that could be lucky make everybody's lower end lower, and one better player leads.
    assert found[0].lower_bound(1003) < found[0].lower_bound(1)


def test_players_are_compared_against_one_opponent(run: Run) -> None:
    pieces = {Task("contest", "a", "weak", games=20): 20, Task("contest", "b", "strong", games=20): 5}
    pieces |= {Task("contest", "c", "strong", games=20): 12}
    run.claim([piece.row() for piece in pieces], ELSEWHERE)
    run.write([TaskResult(piece.key, canonical({"games": 20, "wins": wins}), 1.0) for piece, wins in pieces.items()])
    assert [(one.player, one.opponent) for one in leaderboard(run)] == [("c", "strong"), ("b", "strong"), ("a", "weak")]
    assert str(leaderboard(run)[0]).startswith("c against strong: 0.6")


@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(0, 12), st.integers(1, 8), st.integers(1, 2)), min_size=1, max_size=8, unique=True))
def test_no_game_is_counted_twice(ranges: list[tuple[int, int, int]]) -> None:
    # Every game is won if its number is even; whatever ranges were asked for, the rate is that of games counted once.
    with tempfile.TemporaryDirectory() as folder:
        run = Store.open(f"{folder}/runs.sqlite").run("overlapping", {})
        pieces = [Task("contest", "a", first=2 * first, games=2 * games, seed=seed) for first, games, seed in ranges]
        run.claim([piece.row() for piece in pieces], ELSEWHERE)
        run.write([TaskResult(piece.key, canonical({"games": piece.games, "wins": piece.games // 2}), 1.0) for piece in pieces])
        (found,) = leaderboard(run)
        distinct = {(seed, game) for first, games, seed in ranges for game in range(2 * first, 2 * (first + games))}
        assert max(piece.games for piece in pieces) <= found.games <= len(distinct)
        assert found.wins == found.games // 2
        run.store.engine.dispose()


def test_an_analysis_that_is_asked_again_for_fewer_games_counts_them_once(run: Run) -> None:
    pieces = [Task("recycle.search", "random,random", "", "kuhn", games=games) for games in (20, 7, 13)]
    run.claim([piece.row() for piece in pieces], ELSEWHERE)
    run.write([TaskResult(piece.key, canonical({"games": piece.games, "wins": piece.games - 7}), 1.0) for piece in pieces])
    (found,) = leaderboard(run)
    assert (found.games, found.wins) == (20, 13)


def test_scores_are_means_over_games(run: Run) -> None:
    pieces = [Task("contest", "a", games=100), Task("contest", "a", first=100, games=300), Task("contest", "b", games=100)]
    run.claim([piece.row() for piece in pieces], ELSEWHERE)
    run.write([TaskResult(piece.key, canonical({"score": score}), 1.0) for piece, score in zip(pieces, (1.0, 2.0, 1.5), strict=True)])
    assert [(one.label, one.score, one.win_rate) for one in leaderboard(run)] == [("a", 1.75, None), ("b", 1.5, None)]


def test_progress_says_how_a_run_stands(run: Run) -> None:
    before = RunProgress.from_run(run)
    assert before == RunProgress(games=0, planned=0, workers=0, games_per_second=0.0, finished=False)
    assert (before.state, before.seconds_left) == ("stopped", None)
    run.set_total(20)
    run.claim(rows(5), ELSEWHERE)
    run.write([finished(row, 1) for row in rows(2)])
    now = RunProgress.from_run(run.store.find(run.number))
    assert (now.state, now.games, now.planned, now.workers) == ("running", 4, 20, 1)
    assert now.seconds_left == pytest.approx(16 / now.games_per_second)
    run.release(ELSEWHERE)
    run.finish(None)
    over = RunProgress.from_run(run.store.find(run.number))
    assert (over.state, over.seconds_left) == ("finished", 0.0)
    assert (over.games, over.planned) == (4, 4), "what is finished is whole, though more was planned"
    assert over.games_per_second > 0


@pytest.mark.parametrize(
    ("url", "kind", "why"),
    [
        ("mysql://somewhere/runs", NoSuchThing, "no kind of store 'mysql'"),
        ("no such://place", NotPossible, "is not a store"),
        ("sqlite://", NotLegalHere, "expected a file or a server"),
        (":memory:", NotLegalHere, "expected a file or a server"),
        ("/no/such/folder/runs.sqlite", NotPossible, "does not answer: unable to open"),
        ("postgresql+psycopg://someone:secret@127.0.0.1:1/x", NotPossible, "does not answer"),
    ],
)
def test_what_is_no_store_is_named_in_one_line(url: str, kind: type[MeldlabError], why: str) -> None:
    if url.startswith("postgresql"):
        pytest.importorskip("psycopg", reason="the extra 'cluster' is not installed")
    with pytest.raises(kind, match=why) as said:
        Store.open(url)
    assert "\n" not in str(said.value)
    assert "secret" not in str(said.value)


def test_a_file_that_is_something_else_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "poem.txt"
    path.write_text("Roses are red, violets are blue, a database this is not, nor new. " * 20)
    before = path.read_bytes()
    with pytest.raises(NotPossible, match="not a database"):
        Store.open(path)
    assert path.read_bytes() == before


def test_a_store_of_another_version_is_named(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "old.sqlite")) as connection:
        connection.execute("CREATE TABLE runs (number INTEGER PRIMARY KEY, name TEXT)")
    with pytest.raises(NotPossible, match=r"the table runs in .* is of another version of meldlab"):
        Store.open(tmp_path / "old.sqlite")


def test_only_plain_values_are_kept(run: Run) -> None:
    with pytest.raises(NotLegalHere, match="only plain JSON"):
        run.finish({"rate": float("nan")})
    with pytest.raises(NotLegalHere, match="only plain JSON"):
        run.store.run("x", {"path": Path("x")})


def test_a_run_that_is_not_there(run: Run, tmp_path: Path) -> None:
    with pytest.raises(NoSuchThing, match=r"no run 7 \(use 1\)"):
        run.store.find(7)
    with pytest.raises(NoSuchThing, match="this one is empty"):
        Store.open(tmp_path / "other.sqlite").find(1)
