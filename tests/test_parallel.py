"""Long work in pieces: all of it, once, and a stop that is heard."""

import os
import signal
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meldlab.parallel import chunks, core_count, run_on_cores


@given(st.integers(0, 5000), st.integers(1, 700))
def test_pieces_cover_everything_once(many: int, size: int) -> None:
    assert [i for first, part in chunks(many, size) for i in range(first, first + part)] == list(range(many))


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("many", [0, 1, 2, 7, 1000])
def test_all_cores_together_cover_everything_once(threads: int, many: int) -> None:
    done: list[int] = []
    run_on_cores(lambda first, part: done.extend(range(first, first + part)), many, threads=threads)
    assert sorted(done) == list(range(many))


def test_a_piece_that_takes_long_is_followed_by_smaller_ones() -> None:
    sizes = []
    for _, part in chunks(64, 16):
        sizes.append(part)
        time.sleep(0.03 * part)
    assert sizes[0] == 16
    assert max(sizes[1:]) <= 4


@pytest.mark.parametrize("threads", [1, 2])
def test_a_mistake_in_one_piece_ends_the_work(threads: int) -> None:
    begun = []

    def work(first: int, part: int) -> None:
        begun.append(first)
        if first >= 3:
            raise ZeroDivisionError(first)
        time.sleep(0.001)

    with pytest.raises(ZeroDivisionError):
        run_on_cores(work, 100_000, threads=threads)
    assert len(begun) < 20


@pytest.mark.parametrize("threads", [1, 2])
def test_a_key_is_heard_between_pieces(threads: int) -> None:
    worked = 0

    def work(first: int, part: int) -> None:
        nonlocal worked
        worked += part
        time.sleep(0.001 * part)

    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        run_on_cores(work, 100_000, threads=threads)
    assert worked < 5_000


def test_work_within_work_waits_for_no_thread() -> None:
    done: list[tuple[int, int]] = []

    def outer(first: int, many: int) -> None:
        for at in range(first, first + many):
            run_on_cores(partial(inner, at), 5, threads=64)

    def inner(at: int, first: int, many: int) -> None:
        done.extend((at, one) for one in range(first, first + many))

    run_on_cores(outer, 200, threads=64)
    assert sorted(done) == [(at, one) for at in range(200) for one in range(5)]


FORK = """
import os
from threading import Barrier
from meldlab.parallel import core_count, run_on_cores

both = Barrier(2)
run_on_cores(lambda first, many: many and both.wait(20), 2, threads=2)
if child := os.fork():
    os._exit(os.waitpid(child, 0)[1] != 0)
run_on_cores(lambda first, many: many and both.wait(20), 2, threads=2)
"""


def test_a_forked_process_has_threads_of_its_own() -> None:
    assert subprocess.run([sys.executable, "-W", "ignore", "-c", FORK]).returncode == 0


@pytest.mark.parametrize(
    ("quota", "affinity", "cores"),
    [("max 100000", 8, 8), ("150000 100000", 8, 2), ("50000 100000", 8, 1), ("800000 100000", 2, 2), (None, 8, 8), (None, None, 64)],
)
def test_core_count_is_the_affinity_within_the_quota(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quota: str | None, affinity: int | None, cores: int
) -> None:
    monkeypatch.setattr("meldlab.parallel.QUOTA", tmp_path / "cpu.max")
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    if quota is not None:
        (tmp_path / "cpu.max").write_text(f"{quota}\n")
    if affinity is not None:
        monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(affinity)), raising=False)
    else:
        monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    assert core_count() == cores
