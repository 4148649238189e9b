"""The kernel pauses and goes on: what comes out does not depend on where, and Ctrl-C is heard at once."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from meldlab.play import RandomPlayer
from meldlab.recycle import RecycleGame
from meldlab.recycle.language.limits import Limits
from meldlab.recycle.machine import kernel_drive
from meldlab.recycle.machine.machine import Machine
from meldlab.recycle.movement import Movement
from meldlab.recycle.players import SearchPlayer, parse_batch_player
from meldlab.recycle.players.search import play_games
from meldlab.recycle.transcript import transcript
from tests.recycle.hostile import CARDS, game
from tests.recycle.tiny import advice

NAMES = ["cribbage", "goofspiel", "hearts", "whist", "scopa", "block_rummy"]


def with_fuel(monkeypatch: pytest.MonkeyPatch, fuel: int) -> None:
    def same(many: int, size: int = 1) -> Iterator[tuple[int, int]]:
        while True:
            yield 0, fuel

    monkeypatch.setattr(kernel_drive, "chunks", same)


def everything(name: str) -> dict[str, object]:
    """Return what comes out of every kind of call."""
    recycle_game = RecycleGame.load(name, limits=Limits(decisions=60))  # whoever pauses at every step takes long to end the longest
    machine = recycle_game.machine
    games = machine.random_games(6, seed=5)
    players = [parse_batch_player(one) for one in ("ismcts:3:taken", "mcts:3", "pimc:2", "random")]
    searched = play_games(machine, (players * 2)[: machine.players], games=1, seed=7, threads=1)
    return {
        "random": [getattr(games, part).tolist() for part in ("statuses", "errors", "decisions", "options", "scores")],
        "searched": [getattr(searched, part).tolist() for part in ("statuses", "errors", "scores", "chosen")],
        "expected": np.nan_to_num(searched.best).tolist(),
        "advised": advice(machine.start(seed=2), SearchPlayer("ismcts", 5), seed=3).counts.tolist(),
        "counted": machine.perft(seed=3, depth=2),
        "told": list(transcript(recycle_game, [RandomPlayer()] * recycle_game.machine.players, seed=3)),
        "moved": Movement.of(machine, seed=3),
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_nothing_depends_on_the_pauses(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with_fuel(monkeypatch, 2**60)
    whole = everything(name)
    for fuel in (0, 777):
        with_fuel(monkeypatch, fuel)
        assert everything(name) == whole


def test_a_long_decision_takes_many_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = 0
    drive = kernel_drive.drive

    def counted(*arguments: object) -> int:
        nonlocal calls
        calls += 1
        return int(drive(*arguments))

    monkeypatch.setattr(kernel_drive, "drive", counted)
    with_fuel(monkeypatch, 10_000)
    Machine.compile(game("(repeat 200000 (set (game sto X) 1))")).random_games(games=1, seed=1)
    assert calls > 30


# --- Ctrl-C

SLOW = game("(repeat 2000000000 (set (game sto X) (sum (game iloc S) using (game points P))))")
TURNS = (
    f"(game (setup (create players 2) {CARDS}) (stage player (end (== 1 2))"
    " (choice ((any (range 1 .. 9) 'N (repeat 900 (set (game sto X) 'N)))))) (scoring max 1))"
)
NO_LIMITS = "work=1000000000000,game_work=1000000000000"
# The kernels are loaded, or compiled, before any clock runs; each line is then run by a process of its own that begins with them.
SCRIPT = """
import json, os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from meldlab.cli.app import main
from meldlab.recycle import library
from meldlab.recycle.machine.machine import Machine
from meldlab.recycle.players import SearchPlayer, parse_batch_player
from meldlab.recycle.players.search import play_games
machine = Machine.compile(library.entry("kuhn_poker").text)
play_games(machine, [SearchPlayer("mcts", 2)] * 2, games=1, seed=1, threads=1)
print("ready", flush=True)
for line in sys.stdin:
    words, said = json.loads(line)
    child = os.fork()
    if child == 0:
        for stream, file in enumerate((os.pipe()[0], os.open(os.devnull, os.O_WRONLY), os.open(said, os.O_WRONLY | os.O_CREAT))):
            os.dup2(file, stream)  # nobody types, and nobody reads
        main(words)
    print(child, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@pytest.fixture(scope="module")
def parent() -> Iterator["subprocess.Popen[str]"]:
    """A process that has loaded everything and begets one for each line."""
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "bufsize": 1}
    with subprocess.Popen([sys.executable, "-c", SCRIPT], env=os.environ, **streams) as job:  # type: ignore[call-overload]
        assert job.stdout.readline() == "ready\n"
        yield job
        job.stdin.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        "run SLOW --games 2 --limits NO_LIMITS",
        "run SLOW --games 2 --limits NO_LIMITS --threads 2",
        "run TURNS --games 1 --players mcts:100000 --threads 2",
        "run block_rummy --games 100000000",
        "run block_rummy --games 100000000 --threads 2",
        "arena block_rummy mcts:100000 random --games 4",
        "arena TURNS mcts:100000 random --games 4 --threads 1",
        "play SLOW --limits NO_LIMITS",
        "play gin_rummy --seat 2 --against ismcts:1000000",
        "transcript SLOW --limits NO_LIMITS",
        "perft hearts --depth 20",
        "analyse block_rummy --simulations 100000 --games 4",
        "analyse SLOW --limits NO_LIMITS",
    ],
)
def test_control_c_is_heard(words: str, parent: "subprocess.Popen[str]", tmp_path: Path) -> None:
    files = {"SLOW": SLOW, "TURNS": TURNS}
    for name, text in files.items():
        (tmp_path / f"{name}.rcy").write_text(text)
    given = [str(tmp_path / f"{word}.rcy") if word in files else NO_LIMITS if word == "NO_LIMITS" else word for word in words.split()]
    if given[0] == "analyse":
        given += ["--store", str(tmp_path / "runs.sqlite")]
    assert parent.stdin is not None
    assert parent.stdout is not None
    print(json.dumps([["recycle", *given], str(tmp_path / "said")]), file=parent.stdin)
    child = int(parent.stdout.readline())
    time.sleep(0.5)
    begun, end = time.perf_counter(), threading.Timer(60, os.kill, (child, signal.SIGKILL))
    os.kill(child, signal.SIGINT)
    end.start()
    status, problem = int(parent.stdout.readline()), (tmp_path / "said").read_text()
    end.cancel()
    assert time.perf_counter() - begun < 5
    assert status == 130, problem
    assert "Traceback" not in problem
