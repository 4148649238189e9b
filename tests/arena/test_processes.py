"""Games at the table in processes: as many as one likes play the same, and no player can stop the others."""

from collections import deque
from collections.abc import Callable, Iterator
from multiprocessing import Pipe
from pathlib import Path
from typing import Any

import pytest

from meldlab.arena.contest import ContestResult, play_contest
from meldlab.arena.processes import GameProcess, RecordSink, TableGames, TableResult
from meldlab.arena.round_robin import round_robin
from meldlab.errors import NotPossible
from meldlab.gin import Gin
from meldlab.play import Record, Result, TimeLimit, replay
from meldlab.rummikub.game import Rummikub

PLAYERS = """
import os, sys, time
from contextlib import suppress
from meldlab.gin.players import GinPlayer

LOADED = open(os.path.join(os.path.dirname(__file__), "loaded.txt"), "a")
LOADED.write("once\\n")
LOADED.close()

class Copycat(GinPlayer):
    name = "copycat"

class Looping(GinPlayer):
    name = "looping"
    def takes(self, view, upcard):
        while True:
            pass

class Sleeping(GinPlayer):
    name = "sleeping"
    def takes(self, view, upcard):
        time.sleep(1000)

class Catching(GinPlayer):
    name = "catching"
    def takes(self, view, upcard):
        while True:
            with suppress(Exception):
                while True:
                    pass

class Deaf(GinPlayer):
    name = "deaf"
    def takes(self, view, upcard):
        while True:
            with suppress(BaseException):
                while True:
                    pass

class Leaving(GinPlayer):
    name = "leaving"
    def takes(self, view, upcard):
        os._exit(0)

class Exiting(GinPlayer):
    name = "exiting"
    def takes(self, view, upcard):
        sys.exit(0)

class Counting(GinPlayer):
    name = "counting"
    asked = 0
    def takes(self, view, upcard):
        self.asked += 1
        if self.asked > 100:
            raise KeyError("one hundred times")
        return super().takes(view, upcard)
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(PLAYERS)
    return path


def gin(first: str, second: str, games: int, seed: int = 0, **options: Any) -> ContestResult:
    return play_contest(Gin(), [first, second], games, seed, **options)


def same(one: ContestResult, other: ContestResult) -> bool:
    alike = [(each.moments.products.tolist(), each.deal_wins.tolist(), each.failures) for each in (one, other)]
    return alike[0] == alike[1]


def test_two_processes_play_what_one_does(file: Path) -> None:
    one, two = (gin(f"{file}:Copycat", "gin-only", 10, seed=7, threads=threads) for threads in (1, 2))
    kernel = gin("simple", "gin-only", 10, seed=7, threads=1)
    assert same(one, two)
    assert same(one, kernel)
    assert two.players == ("copycat", "gin-only")
    assert not two.failures


def test_the_first_games_are_kept_as_they_were_played(file: Path) -> None:
    # By the kernel, at one table and at tables in processes: the same records, in order, each playing to the result that was counted.
    kept: list[list[Record]] = []
    for first, threads in (("simple", 1), (f"{file}:Copycat", 1), (f"{file}:Copycat", 2)):
        kept.append([])
        found = gin(first, "gin-only", 6, seed=7, threads=threads, records=RecordSink(5, kept[-1].append))
    assert [len(records) for records in kept] == [5, 5, 5]
    assert all(len({record.actions for record in same}) == 1 for same in zip(*kept, strict=True))
    assert [record.deal.number for record in kept[2]] == [0, 0, 1, 1, 2]
    assert [record.players for record in kept[2][:2]] == [("copycat", "gin-only"), ("gin-only", "copycat")]
    won = [record.players[winner] for record in kept[2][:4] for winner in record.result.winners]  # type: ignore[union-attr]
    assert won.count("copycat") == found.wins_by_deal()[:2, 0].sum()
    for record in kept[0]:
        assert [step.line for step in replay(Gin(), record)] == list(record.actions)


def test_pairs_keep_as_many_each() -> None:
    kept: list[Record] = []
    round_robin(Gin(), ["simple", "gin-only", "random"], 2, records=RecordSink(1, kept.append))
    assert [record.players for record in kept] == [("simple", "gin-only"), ("simple", "random"), ("gin-only", "random")]


def test_other_games_are_played_in_processes_too() -> None:
    one, two = (play_contest(Rummikub(), ["random", "greedy"], 4, seed=3, threads=threads) for threads in (1, 2))
    assert same(one, two)


@pytest.mark.parametrize(("games", "threads", "processes"), [(1000, 0, 6), (400, 0, 4), (98, 0, 0), (98, 1, 1), (98, 3, 3)])
def test_no_number_of_threads_is_all_cores(file: Path, monkeypatch: pytest.MonkeyPatch, games: int, threads: int, processes: int) -> None:
    asked: list[int] = []

    def pretend(self: TableGames, deals: int, processes: int, *, raise_errors: bool) -> Iterator[TableResult]:
        asked.append(processes)
        yield from (TableResult(Result((0, 0), (), "nothing"), {}) for _ in range(2 * deals))

    monkeypatch.setattr(TableGames, "games", pretend)
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(6)), raising=False)
    gin(f"{file}:Copycat", "simple", games, threads=threads)
    assert asked == [processes]
    with pytest.raises(NotPossible, match="999 processes asked for"):
        gin(f"{file}:Copycat", "simple", games, threads=999)


def test_a_file_is_run_once_in_every_process(file: Path) -> None:
    gin(f"{file}:Copycat", "simple", 10, threads=1)
    assert (file.parent / "loaded.txt").read_text() == "once\n"
    round_robin(Gin(), [f"{file}:Copycat", "simple", "random"], 4, threads=1)
    assert (file.parent / "loaded.txt").read_text() == "once\n"
    gin(f"{file}:Copycat", "simple", 10, threads=2)
    assert (file.parent / "loaded.txt").read_text() == "once\n" * 3


def test_a_player_keeps_what_it_learns_within_a_process(file: Path) -> None:
    found = gin(f"{file}:Counting", "simple", 8, threads=1)
    # Later games, all of them.
    assert 0 < found.forfeits(0) < 8
    assert min(one.first for one in found.failures) == 8 - found.forfeits(0)


@pytest.mark.parametrize("name", ["Looping", "Sleeping", "Catching", "Deaf"])
def test_who_never_answers_loses_and_the_arena_goes_on(file: Path, name: str) -> None:
    found = gin(f"{file}:{name}", "simple", 2, seed=1, threads=1, time_limit=TimeLimit(per_move=0.1))
    assert (found.wins(), found.forfeits(0), found.deals_ahead) == (0, 2, (0, 1))
    assert found.failures[0].why == f"p1 forfeits: {name.lower()} ran out of time (0.1 s per move)"
    # A forfeit loses as much as the worst loss, also where nobody could say how far the game was.
    assert found.score_margin.value < -100


class KilledProcess:
    """A process whose game goes on until the moment at which it is killed: ``meanwhile`` happens just before that."""

    exitcode = -9

    def __init__(self, meanwhile: Callable[[], None]) -> None:
        self.meanwhile = meanwhile

    def kill(self) -> None:
        self.meanwhile()
        self.meanwhile = lambda: None

    def join(self) -> None:
        pass


def late_worker(numbers: list[int], meanwhile: Callable[[GameProcess, Any], None]) -> GameProcess:
    """Return a worker that waits for seat 1 of the first game, and has waited too long."""
    games = TableGames(Gin(), ("simple", "gin-only"), ((0, 1), (1, 0)), time=TimeLimit(per_move=0.1))
    worker = GameProcess.__new__(GameProcess)
    worker.games, worker.left, worker.turn_state = games, deque(numbers), [1.0, -1e9, 0.0, 0.0]
    worker.receiver, sender = Pipe(duplex=False)

    def before_the_end() -> None:
        meanwhile(worker, sender)
        sender.close()

    worker.process = KilledProcess(before_the_end)  # type: ignore[assignment]
    return worker


def test_late_seat_forfeits_though_the_other_is_asked_meanwhile() -> None:
    done: dict[int, TableResult] = {}
    late_worker([0], lambda worker, _: worker.turn_state.__setitem__(0, 2.0)).collect(done)
    assert done[0].failure == "p1 forfeits: simple ran out of time (0.1 s per move)"


def test_game_that_ends_meanwhile_counts_and_the_next_is_played_again(monkeypatch: pytest.MonkeyPatch) -> None:
    done, started, ended = dict[int, TableResult](), [], TableResult(Result((1, 0), (0,), "gin"), {})
    monkeypatch.setattr(GameProcess, "_start", lambda worker: started.append(list(worker.left)))
    late_worker([0, 1], lambda _, sender: sender.send(ended)).collect(done)
    assert (done, started) == ({0: ended}, [[1]])


def test_time_for_a_game(file: Path) -> None:
    found = gin("simple", f"{file}:Looping", 2, seed=1, threads=2, time_limit=TimeLimit(per_game=0.2))
    assert (found.forfeits(0), found.forfeits(1)) == (0, 2)
    assert "looping ran out of time (0.2 s per game)" in found.failures[1].why


def test_who_ends_its_process_loses_too(file: Path) -> None:
    found = gin(f"{file}:Leaving", "simple", 4, seed=1, threads=2)
    assert found.forfeits(0) == 4
    assert "leaving ended the process it played in" in found.failures[0].why
    assert gin(f"{file}:Exiting", "simple", 2, seed=1, threads=1).forfeits(0) == 2


def test_built_in_players_have_time_enough() -> None:
    limited, kernel = (gin("simple", "ensemble", 4, seed=3, threads=1, time_limit=TimeLimit(per_move=limit)) for limit in (60, None))
    assert same(limited, kernel)


def test_what_is_not_the_players_reaches_the_arena(file: Path) -> None:
    games = TableGames(Gin(), (f"{file}:Copycat", "simple"), ((0, 1), (1, 0)))
    assert [player.name for player in games.parsed][1:] == ["simple"]
    file.write_text("raise KeyError('changed in the meantime')")
    with pytest.raises(Exception, match="changed in the meantime"):
        list(games.games(2, 2))
