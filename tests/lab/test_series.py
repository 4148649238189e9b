"""Games at the table in processes: as many as one likes play the same, and no player can stop the others."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from meldlab.errors import NotLegalHere
from meldlab.gin import Rules
from meldlab.gin.kernel_round import COUNTS
from meldlab.lab.arena.gin import Duel, duel, round_robin
from meldlab.lab.arena.series import Game, Seats, Series
from meldlab.play import TimeLimit

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


def same(one: Duel, other: Duel) -> bool:
    return np.array_equal(one.moments.products, other.moments.products) and one.forfeits == other.forfeits


def test_two_processes_play_what_one_does(file: Path) -> None:
    one, two = (duel(f"{file}:Copycat", "simple", 10, seed=7, threads=threads) for threads in (1, 2))
    kernel = duel("simple", "simple", 10, seed=7, threads=1)
    assert same(one, two)
    assert same(one, kernel)
    assert two.players == ("copycat", "simple")
    assert not two.forfeits


@pytest.mark.parametrize(("games", "threads", "processes"), [(1000, 0, 6), (400, 0, 4), (98, 0, 0), (98, 1, 1), (98, 3, 3)])
def test_no_number_of_threads_is_all_cores(file: Path, monkeypatch: pytest.MonkeyPatch, games: int, threads: int, processes: int) -> None:
    asked: list[int] = []

    def pretend(self: Series, seated: Seats, many: int, processes: int, *, raising: bool) -> Iterator[Game]:
        asked.append(processes)
        counts = [0] * COUNTS
        yield from ((counts, "") for _ in range(many))

    monkeypatch.setattr(Series, "games", pretend)
    monkeypatch.setattr("os.cpu_count", lambda: 6)
    duel(f"{file}:Copycat", "simple", games, threads=threads)
    assert asked == [processes]
    with pytest.raises(NotLegalHere, match="999 processes asked for"):
        duel(f"{file}:Copycat", "simple", games, threads=999)


def test_a_file_is_run_once_in_every_process(file: Path) -> None:
    duel(f"{file}:Copycat", "simple", 10, threads=1)
    assert (file.parent / "loaded.txt").read_text() == "once\n"
    round_robin([f"{file}:Copycat", "simple", "random"], 4, threads=1)
    assert (file.parent / "loaded.txt").read_text() == "once\n"
    duel(f"{file}:Copycat", "simple", 10, threads=2)
    assert (file.parent / "loaded.txt").read_text() == "once\n" * 3


def test_a_player_keeps_what_it_learns_within_a_process(file: Path) -> None:
    fight = duel(f"{file}:Counting", "simple", 8, threads=1)
    assert 0 < len(fight.forfeits) < 8
    # Later games, all of them.
    assert [line.partition(":")[0] for line in fight.forfeits] == [f"game {n}" for n in range(8 - len(fight.forfeits), 8)]


@pytest.mark.parametrize("name", ["Looping", "Sleeping", "Catching", "Deaf"])
def test_who_never_answers_loses_and_the_arena_goes_on(file: Path, name: str) -> None:
    limit = TimeLimit(per_move=0.1)
    fight = duel(f"{file}:{name}", "simple", 2, seed=1, threads=1, time_limit=limit)
    assert fight.wins == 0
    assert fight.forfeited == (2, 0)
    assert fight.forfeits[0] == f"game 0: p1 forfeits: {name.lower()} ran out of time (0.1 s per move)"
    assert fight.swept == (0, 1)


def test_time_for_a_game(file: Path) -> None:
    fight = duel("simple", f"{file}:Looping", 2, seed=1, threads=2, time_limit=TimeLimit(per_game=0.2))
    assert fight.forfeited == (0, 2)
    assert "looping ran out of time (0.2 s per game)" in fight.forfeits[1]


def test_who_ends_its_process_loses_too(file: Path) -> None:
    fight = duel(f"{file}:Leaving", "simple", 4, seed=1, threads=2)
    assert fight.forfeited == (4, 0)
    assert "leaving ended the process it played in" in fight.forfeits[0]
    assert duel(f"{file}:Exiting", "simple", 2, seed=1, threads=1).forfeited == (2, 0)


def test_built_in_players_have_time_enough() -> None:
    limited, kernel = (duel("simple", "ensemble", 4, seed=3, threads=1, time_limit=TimeLimit(per_move=limit)) for limit in (60, None))
    assert same(limited, kernel)


def test_what_is_not_the_players_reaches_the_arena(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    series = Series(f"{file}:Copycat", "simple", Rules())
    seated = series.seat()
    file.write_text("raise KeyError('changed in the meantime')")
    with pytest.raises(Exception, match="changed in the meantime"):
        list(series.games(seated, 4, 2))
